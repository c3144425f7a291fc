//! Markup: only the expressions inside it are kept, in order. Components are not called.

use oxc_ast::ast;

use super::expressions::without_types;
use super::lowering::Lowering;
use crate::program::Expr;

impl Lowering<'_> {
    /// Collects the expressions of a piece of markup; anything else is itself a part.
    pub fn markup_expression(&mut self, e: &ast::Expression<'_>, parts: &mut Vec<Expr>) {
        match without_types(e) {
            ast::Expression::JSXElement(element) => self.markup_element(element, parts),
            ast::Expression::JSXFragment(fragment) => {
                self.markup_children(&fragment.children, parts);
            }
            e => {
                let part = self.expression(e);
                parts.push(part);
            }
        }
    }

    fn markup_element(&mut self, element: &ast::JSXElement<'_>, parts: &mut Vec<Expr>) {
        for attribute in &element.opening_element.attributes {
            match attribute {
                ast::JSXAttributeItem::SpreadAttribute(spread) => {
                    self.markup_expression(&spread.argument, parts);
                }
                ast::JSXAttributeItem::Attribute(attribute) => match &attribute.value {
                    Some(ast::JSXAttributeValue::ExpressionContainer(container)) => {
                        self.markup_container(container, parts);
                    }
                    Some(ast::JSXAttributeValue::Element(element)) => {
                        self.markup_element(element, parts);
                    }
                    Some(ast::JSXAttributeValue::Fragment(fragment)) => {
                        self.markup_children(&fragment.children, parts);
                    }
                    Some(ast::JSXAttributeValue::StringLiteral(_)) | None => {}
                },
            }
        }
        self.markup_children(&element.children, parts);
    }

    fn markup_children(&mut self, children: &[ast::JSXChild<'_>], parts: &mut Vec<Expr>) {
        for child in children {
            match child {
                ast::JSXChild::Text(_) => {}
                ast::JSXChild::Element(element) => self.markup_element(element, parts),
                ast::JSXChild::Fragment(fragment) => {
                    self.markup_children(&fragment.children, parts);
                }
                ast::JSXChild::ExpressionContainer(container) => {
                    self.markup_container(container, parts);
                }
                ast::JSXChild::Spread(spread) => self.markup_expression(&spread.expression, parts),
            }
        }
    }

    fn markup_container(
        &mut self,
        container: &ast::JSXExpressionContainer<'_>,
        parts: &mut Vec<Expr>,
    ) {
        if let Some(e) = container.expression.as_expression() {
            self.markup_expression(e, parts);
        }
    }
}
