//! Markup: an element of a component becomes [`ExprKind::Render`] with what it is given; an
//! element of the host (`<p>`), which does nothing of its own, is the list of what stands in it.

use oxc_ast::ast;

use super::expressions::without_types;
use super::lowering::{Lowering, from_oxc, name_expr};
use crate::program::{Element, Expr, ExprKind, Key, Name, Property, Span};

/// What a component is given what stands inside its element as.
const CHILDREN: &str = "children";

impl Lowering<'_> {
    /// A piece of markup.
    pub fn markup(&mut self, e: &ast::Expression<'_>) -> ExprKind {
        match without_types(e) {
            ast::Expression::JSXElement(element) => self.markup_element(element),
            ast::Expression::JSXFragment(fragment) => self.host(|lowering, parts| {
                lowering.markup_children(&fragment.children, false, parts);
            }),
            _ => ExprKind::Opaque(Vec::new()),
        }
    }

    fn markup_element(&mut self, element: &ast::JSXElement<'_>) -> ExprKind {
        let Some(component) = component_of(&element.opening_element.name) else {
            return self.host(|lowering, parts| lowering.host_element(element, parts));
        };
        let attributes = &element.opening_element.attributes;
        let mut props: Vec<Property> = attributes
            .iter()
            .filter_map(|attribute| self.property_of(attribute))
            .collect();
        let mut children = Vec::new();
        self.markup_children(&element.children, true, &mut children);
        let value = match children.as_slice() {
            [] => None,
            [one] if !one.spread => children.pop().map(|child| child.value),
            _ => Some(Expr {
                span: from_oxc(element.span),
                kind: ExprKind::Array(children),
            }),
        };
        props.extend(value.map(|value| Property::Field {
            key: Key::Name(Name::new_static(CHILDREN)),
            value,
        }));
        ExprKind::Render {
            component: Box::new(component),
            props,
        }
    }

    /// What stands in an element of the host, or in a fragment: a list of its parts.
    fn host(&mut self, parts: impl FnOnce(&mut Self, &mut Vec<Element>)) -> ExprKind {
        let mut children = Vec::new();
        parts(self, &mut children);
        if children.is_empty() {
            return ExprKind::Opaque(Vec::new());
        }
        ExprKind::Array(children)
    }

    /// The expressions of an element of the host, those of other such elements in it included.
    /// The values of its attributes decide nothing.
    fn host_element(&mut self, element: &ast::JSXElement<'_>, parts: &mut Vec<Element>) {
        let mut attributes = Vec::new();
        for attribute in &element.opening_element.attributes {
            match attribute {
                ast::JSXAttributeItem::SpreadAttribute(spread) => {
                    attributes.push(self.expression(&spread.argument));
                }
                ast::JSXAttributeItem::Attribute(attribute) => {
                    let value = attribute.value.as_ref();
                    let written = value
                        .filter(|value| !matches!(value, ast::JSXAttributeValue::StringLiteral(_)));
                    attributes.extend(written.and_then(|value| self.attribute_value(value)));
                }
            }
        }
        if !attributes.is_empty() {
            let span = from_oxc(element.opening_element.span);
            parts.push(Element {
                spread: false,
                value: Expr {
                    span,
                    kind: ExprKind::Opaque(attributes),
                },
            });
        }
        self.markup_children(&element.children, false, parts);
    }

    fn property_of(&mut self, attribute: &ast::JSXAttributeItem<'_>) -> Option<Property> {
        match attribute {
            ast::JSXAttributeItem::SpreadAttribute(spread) => {
                Some(Property::Spread(self.expression(&spread.argument)))
            }
            ast::JSXAttributeItem::Attribute(attribute) => {
                let key = match &attribute.name {
                    ast::JSXAttributeName::Identifier(name) => Name::new(name.name.as_str()),
                    ast::JSXAttributeName::NamespacedName(name) => {
                        Name::from(format!("{}:{}", name.namespace.name, name.name.name))
                    }
                };
                let value = match &attribute.value {
                    Some(value) => self.attribute_value(value)?,
                    None => Expr {
                        span: from_oxc(attribute.span),
                        kind: ExprKind::Bool(true),
                    },
                };
                Some(Property::Field {
                    key: Key::Name(key),
                    value,
                })
            }
        }
    }

    fn attribute_value(&mut self, value: &ast::JSXAttributeValue<'_>) -> Option<Expr> {
        match value {
            ast::JSXAttributeValue::StringLiteral(text) => Some(Expr {
                span: from_oxc(text.span),
                kind: ExprKind::Text(Name::new(text.value.as_str())),
            }),
            ast::JSXAttributeValue::ExpressionContainer(container) => container
                .expression
                .as_expression()
                .map(|e| self.expression(e)),
            ast::JSXAttributeValue::Element(element) => Some(self.element(element)),
            ast::JSXAttributeValue::Fragment(fragment) => Some(self.fragment(fragment)),
        }
    }

    /// `kept`: texts are children like others, and each element is one; else only what may have
    /// a value that matters is taken, out of elements of the host too.
    fn markup_children(
        &mut self,
        children: &[ast::JSXChild<'_>],
        kept: bool,
        parts: &mut Vec<Element>,
    ) {
        for child in children {
            let mut spread = false;
            let value = match child {
                ast::JSXChild::Text(text) if kept && is_written(&text.value) => Expr {
                    span: from_oxc(text.span),
                    kind: ExprKind::Text(Name::new(text.value.as_str())),
                },
                ast::JSXChild::Text(_) => continue,
                ast::JSXChild::Element(element)
                    if !kept && component_of(&element.opening_element.name).is_none() =>
                {
                    self.host_element(element, parts);
                    continue;
                }
                ast::JSXChild::Fragment(fragment) if !kept => {
                    self.markup_children(&fragment.children, false, parts);
                    continue;
                }
                ast::JSXChild::Element(element) => self.element(element),
                ast::JSXChild::Fragment(fragment) => self.fragment(fragment),
                ast::JSXChild::ExpressionContainer(container) => {
                    match container.expression.as_expression() {
                        Some(e) => self.expression(e),
                        None => continue,
                    }
                }
                ast::JSXChild::Spread(child) => {
                    spread = true;
                    self.expression(&child.expression)
                }
            };
            parts.push(Element { spread, value });
        }
    }

    fn element(&mut self, element: &ast::JSXElement<'_>) -> Expr {
        let span = from_oxc(element.span);
        self.nested(span, |lowering| Expr {
            span,
            kind: lowering.markup_element(element),
        })
    }

    fn fragment(&mut self, fragment: &ast::JSXFragment<'_>) -> Expr {
        let span = from_oxc(fragment.span);
        self.nested(span, |lowering| Expr {
            span,
            kind: lowering.host(|lowering, parts| {
                lowering.markup_children(&fragment.children, false, parts);
            }),
        })
    }
}

/// Whether a text of markup is kept: space that runs over a line's end is none.
fn is_written(text: &str) -> bool {
    !text.trim().is_empty() || !text.contains('\n')
}

/// The component of an element; `None` for one of the host.
fn component_of(name: &ast::JSXElementName<'_>) -> Option<Expr> {
    match name {
        ast::JSXElementName::Identifier(_) | ast::JSXElementName::NamespacedName(_) => None,
        ast::JSXElementName::IdentifierReference(id) => {
            Some(name_expr(from_oxc(id.span), id.name.as_str()))
        }
        ast::JSXElementName::MemberExpression(member) => Some(member_of(member)),
        ast::JSXElementName::ThisExpression(this) => Some(this_at(from_oxc(this.span))),
    }
}

/// `a.b.C`, however long, without recursion.
fn member_of(member: &ast::JSXMemberExpression<'_>) -> Expr {
    let mut links = vec![(from_oxc(member.span), member.property.name.as_str())];
    let mut object = &member.object;
    let mut value = loop {
        match object {
            ast::JSXMemberExpressionObject::IdentifierReference(id) => {
                break name_expr(from_oxc(id.span), id.name.as_str());
            }
            ast::JSXMemberExpressionObject::ThisExpression(this) => {
                break this_at(from_oxc(this.span));
            }
            ast::JSXMemberExpressionObject::MemberExpression(inner) => {
                links.push((from_oxc(inner.span), inner.property.name.as_str()));
                object = &inner.object;
            }
        }
    };
    for (span, name) in links.into_iter().rev() {
        value = Expr {
            span,
            kind: ExprKind::Member {
                object: Box::new(value),
                name: Name::new(name),
                optional: false,
            },
        };
    }
    value
}

fn this_at(span: Span) -> Expr {
    Expr {
        span,
        kind: ExprKind::This,
    }
}
