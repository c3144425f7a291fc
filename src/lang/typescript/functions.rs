//! Functions, parameters and written types of values.

use oxc_ast::ast;

use super::lowering::{Lowering, from_oxc};
use crate::program::{
    Expr, Function, FunctionId, Name, Param, Pattern, PatternKind, Span, Stmt, StmtKind,
};

/// The parts of a function besides its parameters and body.
struct Head<'b> {
    name: Option<Name>,
    span: Span,
    is_async: bool,
    is_generator: bool,
    lexical_this: bool,
    returns: Option<&'b ast::TSTypeAnnotation<'b>>,
}

impl Lowering<'_> {
    /// A function with its own receiver. `span`: from its first word (a method's key) on;
    /// `name`: what it is written into, if it has no name of its own.
    pub fn function(
        &mut self,
        function: &ast::Function<'_>,
        span: Span,
        name: Option<&str>,
    ) -> FunctionId {
        let own = function.id.as_ref().map(|id| id.name.as_str());
        let head = Head {
            name: own.or(name).map(Name::new),
            span,
            is_async: function.r#async,
            is_generator: function.generator,
            lexical_this: false,
            returns: function.return_type.as_deref(),
        };
        let body = function.body.as_deref();
        self.function_of(head, &function.params, |lowering, directives| match body {
            Some(body) => lowering.function_body(body, directives),
            None => Vec::new(),
        })
    }

    /// An arrow function.
    pub fn arrow(
        &mut self,
        arrow: &ast::ArrowFunctionExpression<'_>,
        name: Option<&str>,
    ) -> FunctionId {
        let head = Head {
            name: name.map(Name::new),
            span: from_oxc(arrow.span),
            is_async: arrow.r#async,
            is_generator: false,
            lexical_this: true,
            returns: arrow.return_type.as_deref(),
        };
        self.function_of(head, &arrow.params, |lowering, directives| {
            match &arrow.body {
                ast::ArrowFunctionBody::FunctionBody(body) => {
                    lowering.function_body(body, directives)
                }
                body => {
                    let value = lowering.expression(body.to_expression());
                    vec![Stmt {
                        span: value.span,
                        kind: StmtKind::Return(Some(value)),
                    }]
                }
            }
        })
    }

    /// A function without parameters around statements: a static block, a namespace.
    pub fn thunk(
        &mut self,
        span: Span,
        name: Option<Name>,
        lexical_this: bool,
        body: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> FunctionId {
        let id = self.reserve_function(span);
        let outer = std::mem::take(&mut self.awaits);
        self.function_depth += 1;
        let body = body(self);
        self.function_depth -= 1;
        let awaits = std::mem::replace(&mut self.awaits, outer);
        self.fill_function(
            id,
            Function {
                name,
                span,
                params: Vec::new(),
                body,
                is_async: false,
                is_generator: false,
                lexical_this,
                directives: Vec::new(),
                awaits,
                returns: None,
            },
        );
        id
    }

    fn function_of(
        &mut self,
        head: Head<'_>,
        params: &ast::FormalParameters<'_>,
        body: impl FnOnce(&mut Self, &mut Vec<Name>) -> Vec<Stmt>,
    ) -> FunctionId {
        let id = self.reserve_function(head.span);
        let outer = std::mem::take(&mut self.awaits);
        self.function_depth += 1;
        let mut directives = Vec::new();
        let params = self.params(params);
        let body = body(self, &mut directives);
        self.function_depth -= 1;
        let mut awaits = std::mem::replace(&mut self.awaits, outer);
        awaits.sort_unstable();
        let returns = head.returns.and_then(|ty| super::types::annotation(ty));
        self.fill_function(
            id,
            Function {
                name: head.name,
                span: head.span,
                params,
                body,
                is_async: head.is_async,
                is_generator: head.is_generator,
                lexical_this: head.lexical_this,
                directives,
                awaits,
                returns,
            },
        );
        id
    }

    fn function_body(
        &mut self,
        body: &ast::FunctionBody<'_>,
        directives: &mut Vec<Name>,
    ) -> Vec<Stmt> {
        directives.extend(
            body.directives
                .iter()
                .map(|d| Name::new(d.directive.as_str())),
        );
        self.statements(&body.statements)
    }

    fn params(&mut self, params: &ast::FormalParameters<'_>) -> Vec<Param> {
        let mut lowered: Vec<Param> = params.items.iter().map(|item| self.param(item)).collect();
        if let Some(rest) = &params.rest {
            lowered.push(Param {
                pattern: self.binding(&rest.rest.argument),
                rest: true,
                ty: rest
                    .type_annotation
                    .as_deref()
                    .and_then(super::types::annotation),
                field: false,
            });
        }
        lowered
    }

    fn param(&mut self, param: &ast::FormalParameter<'_>) -> Param {
        let mut pattern = self.binding(&param.pattern);
        if let Some(default) = &param.initializer {
            let name = super::patterns::pattern_name(&pattern);
            let value: Expr = self.named_expression(default, name.as_deref());
            let span = Span::new(pattern.span.start, value.span.end.max(pattern.span.end));
            let kind = PatternKind::Default {
                pattern: Box::new(pattern),
                value: Box::new(value),
            };
            pattern = Pattern { span, kind };
        }
        Param {
            pattern,
            rest: false,
            ty: param
                .type_annotation
                .as_deref()
                .and_then(super::types::annotation),
            field: param.accessibility.is_some() || param.readonly || param.r#override,
        }
    }
}
