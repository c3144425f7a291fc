//! Classes.

use oxc_ast::ast;
use oxc_span::GetSpan;

use super::lowering::{Lowering, from_oxc};
use super::objects::key_name;
use crate::program::{Class, ClassMember, FunctionId, MemberKind, Name, Span};

impl Lowering<'_> {
    /// A class; `name`: what it is written into, if it has no name of its own.
    pub fn class(&mut self, class: &ast::Class<'_>, name: Option<&str>) -> Class {
        let own = class.id.as_ref().map(|id| id.name.as_str());
        let parent = class
            .heritage
            .as_ref()
            .map(|heritage| self.expression(&heritage.expression));
        let mut constructor = None;
        let mut members = Vec::with_capacity(class.body.body.len());
        for element in &class.body.body {
            self.class_element(element, &mut constructor, &mut members);
        }
        let start = self.after_decorators(from_oxc(class.span), &class.decorators);
        Class {
            name: own.or(name).map(Name::new),
            span: Span::new(start, class.span.end),
            parent,
            constructor,
            members,
        }
    }

    fn class_element(
        &mut self,
        element: &ast::ClassElement<'_>,
        constructor: &mut Option<FunctionId>,
        members: &mut Vec<ClassMember>,
    ) {
        match element {
            ast::ClassElement::MethodDefinition(method) => {
                self.method(method, constructor, members);
            }
            ast::ClassElement::PropertyDefinition(field) => {
                if !field.declare {
                    let value = field.value.as_ref();
                    members.push(self.field(&field.key, field.computed, field.r#static, value));
                }
            }
            ast::ClassElement::AccessorProperty(field) => {
                let value = field.value.as_ref();
                members.push(self.field(&field.key, field.computed, field.r#static, value));
            }
            ast::ClassElement::StaticBlock(block) => {
                let name = Some(Name::new_static("static"));
                let span = from_oxc(block.span);
                let body = |lowering: &mut Self| lowering.statements(&block.body);
                let function = self.thunk(span, name, false, body);
                members.push(ClassMember {
                    key: crate::program::Key::Name(Name::new_static("static")),
                    is_static: true,
                    kind: MemberKind::Block(function),
                });
            }
            ast::ClassElement::TSIndexSignature(_) => {}
        }
    }

    fn method(
        &mut self,
        method: &ast::MethodDefinition<'_>,
        constructor: &mut Option<FunctionId>,
        members: &mut Vec<ClassMember>,
    ) {
        // An overload or an abstract method: a type only.
        if method.value.body.is_none() {
            return;
        }
        let start = self.after_decorators(from_oxc(method.span), &method.decorators);
        let span = Span::new(start, method.span.end);
        if method.kind == ast::MethodDefinitionKind::Constructor {
            *constructor = Some(self.function(&method.value, span, Some("constructor")));
            return;
        }
        let key = self.property_key(&method.key, method.computed);
        let function = self.function(&method.value, span, key_name(&key).as_deref());
        let kind = match method.kind {
            ast::MethodDefinitionKind::Get => MemberKind::Getter(function),
            ast::MethodDefinitionKind::Set => MemberKind::Setter(function),
            _ => MemberKind::Method(function),
        };
        members.push(ClassMember {
            key,
            is_static: method.r#static,
            kind,
        });
    }

    fn field(
        &mut self,
        key: &ast::PropertyKey<'_>,
        computed: bool,
        is_static: bool,
        value: Option<&ast::Expression<'_>>,
    ) -> ClassMember {
        let key = self.property_key(key, computed);
        let name = key_name(&key);
        // A field's value runs when an instance is made, not when the module is loaded.
        self.function_depth += 1;
        let value = value.map(|value| self.named_expression(value, name.as_deref()));
        self.function_depth -= 1;
        ClassMember {
            key,
            is_static,
            kind: MemberKind::Field(value),
        }
    }

    /// Where the first word after the decorators stands.
    fn after_decorators(&self, span: Span, decorators: &[ast::Decorator<'_>]) -> u32 {
        let end = decorators
            .iter()
            .map(|decorator| decorator.span().end)
            .max();
        let Some(end) = end.filter(|end| *end > span.start && *end < span.end) else {
            return span.start;
        };
        super::comments::skip_trivia(self.text, end).min(span.end)
    }
}
