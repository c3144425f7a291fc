//! Expressions.

use oxc_ast::ast;
use oxc_syntax::operator;

use super::lowering::{Lowering, from_oxc, span_of};
use crate::program::{Argument, BinaryOp, Element, Expr, ExprKind, LogicalOp, Name, Span, UnaryOp};

/// Peels off what only speaks of types: `x as T`, `x satisfies T`, `<T>x`, `x!`, `(x)`, `x<T>`.
pub(super) fn without_types<'b, 'a>(mut e: &'b ast::Expression<'a>) -> &'b ast::Expression<'a> {
    use ast::Expression as E;
    loop {
        e = match e {
            E::TSAsExpression(inner) => &inner.expression,
            E::TSSatisfiesExpression(inner) => &inner.expression,
            E::TSTypeAssertion(inner) => &inner.expression,
            E::TSNonNullExpression(inner) => &inner.expression,
            E::TSInstantiationExpression(inner) => &inner.expression,
            E::ParenthesizedExpression(inner) => &inner.expression,
            _ => return e,
        }
    }
}

impl Lowering<'_> {
    /// An expression.
    pub fn expression(&mut self, e: &ast::Expression<'_>) -> Expr {
        self.named_expression(e, None)
    }

    /// A boxed expression.
    pub fn boxed(&mut self, e: &ast::Expression<'_>) -> Box<Expr> {
        Box::new(self.expression(e))
    }

    /// An expression; if it is a function or class without a name, it gets this one.
    pub fn named_expression(&mut self, e: &ast::Expression<'_>, name: Option<&str>) -> Expr {
        let e = without_types(e);
        let span = span_of(e);
        self.nested(span, |lowering| {
            let kind = lowering.expression_kind(e, span, name);
            Expr { span, kind }
        })
    }

    fn expression_kind(
        &mut self,
        e: &ast::Expression<'_>,
        span: Span,
        name: Option<&str>,
    ) -> ExprKind {
        use ast::Expression as E;
        match e {
            E::Identifier(id) => identifier(&id.name),
            E::ThisExpression(_) => ExprKind::This,
            E::Super(_) => ExprKind::Super,
            E::ImportMeta(_) => ExprKind::Name(Name::new_static("import.meta")),
            E::NewTarget(_) => ExprKind::Name(Name::new_static("new.target")),
            E::ArrowFunctionExpression(arrow) => ExprKind::Function(self.arrow(arrow, name)),
            E::FunctionExpression(function) => {
                ExprKind::Function(self.function(function, span, name))
            }
            E::ClassExpression(class) => ExprKind::Class(Box::new(self.class(class, name))),
            E::CallExpression(_)
            | E::ChainExpression(_)
            | E::ComputedMemberExpression(_)
            | E::StaticMemberExpression(_)
            | E::PrivateFieldExpression(_) => self.chain(e),
            E::ObjectExpression(object) => self.object(object),
            E::ArrayExpression(array) => self.array(array),
            E::AssignmentExpression(assignment) => self.assignment(assignment),
            E::UpdateExpression(update) => self.update(update),
            E::AwaitExpression(inner) => {
                self.awaits.push(span);
                ExprKind::Await(self.boxed(&inner.argument))
            }
            E::YieldExpression(inner) => {
                self.awaits.push(span);
                let value = inner.argument.as_ref().map(|value| self.boxed(value));
                ExprKind::Yield {
                    value,
                    delegate: inner.delegate,
                }
            }
            E::JSXElement(_) | E::JSXFragment(_) => self.markup(e),
            _ => self.operation(e, name),
        }
    }

    /// Literals and operators.
    fn operation(&mut self, e: &ast::Expression<'_>, name: Option<&str>) -> ExprKind {
        use ast::Expression as E;
        match e {
            E::BooleanLiteral(literal) => ExprKind::Bool(literal.value),
            E::NullLiteral(_) => ExprKind::Null,
            E::NumericLiteral(literal) => ExprKind::Number(literal.value),
            E::BigIntLiteral(literal) => big_integer(&literal.value),
            E::StringLiteral(literal) => ExprKind::Text(Name::new(literal.value.as_str())),
            E::TemplateLiteral(template) => self.template(template),
            E::TaggedTemplateExpression(tagged) => ExprKind::Tagged {
                tag: self.boxed(&tagged.tag),
                texts: texts(&tagged.quasi).into(),
                values: self.expressions(&tagged.quasi.expressions).into(),
            },
            E::BinaryExpression(binary) => ExprKind::Binary {
                op: binary_op(binary.operator),
                left: self.boxed(&binary.left),
                right: self.boxed(&binary.right),
            },
            E::LogicalExpression(logical) => ExprKind::Logical {
                op: logical_op(logical.operator),
                left: self.boxed(&logical.left),
                right: Box::new(self.named_expression(&logical.right, name)),
            },
            E::ConditionalExpression(conditional) => ExprKind::Conditional {
                test: self.boxed(&conditional.test),
                then: Box::new(self.named_expression(&conditional.consequent, name)),
                other: Box::new(self.named_expression(&conditional.alternate, name)),
            },
            E::UnaryExpression(unary) => ExprKind::Unary {
                op: unary_op(unary.operator),
                operand: self.boxed(&unary.argument),
            },
            E::NewExpression(new) => ExprKind::New {
                callee: self.boxed(&new.callee),
                args: self.arguments(&new.arguments),
            },
            E::SequenceExpression(sequence) => {
                ExprKind::Sequence(self.expressions(&sequence.expressions))
            }
            E::PrivateInExpression(test) => ExprKind::Binary {
                op: BinaryOp::In,
                left: Box::new(Expr {
                    span: from_oxc(test.left.span),
                    kind: ExprKind::Text(private_name(&test.left)),
                }),
                right: self.boxed(&test.right),
            },
            E::ImportExpression(import) => self.dynamic_import(import),
            E::V8IntrinsicExpression(call) => {
                let args = self.arguments(&call.arguments);
                ExprKind::Opaque(args.into_iter().map(|arg| arg.value).collect())
            }
            // Regular expressions; everything else is matched above.
            _ => ExprKind::Opaque(Vec::new()),
        }
    }

    fn dynamic_import(&mut self, import: &ast::ImportExpression<'_>) -> ExprKind {
        let source = self.boxed(&import.source);
        if let Some(options) = &import.options {
            // The options are evaluated first in the lowered order; they never wait in practice,
            // but an await in them must not get lost.
            let options = self.expression(options);
            let span = from_oxc(import.span);
            let value = Expr {
                span,
                kind: ExprKind::Import(source),
            };
            return ExprKind::Sequence(vec![options, value]);
        }
        ExprKind::Import(source)
    }

    /// A call or member access. Within a chain with `?.`, every later link is optional too: it
    /// is not evaluated when the chain ended before it.
    fn chain(&mut self, e: &ast::Expression<'_>) -> ExprKind {
        use ast::Expression as E;
        match e {
            E::ChainExpression(chain) => match &chain.expression {
                ast::ChainElement::CallExpression(call) => self.call(call),
                ast::ChainElement::TSNonNullExpression(inner) => {
                    self.chain(without_types(&inner.expression))
                }
                element => match element.as_member_expression() {
                    Some(member) => self.member(member),
                    None => ExprKind::Opaque(Vec::new()),
                },
            },
            E::CallExpression(call) => self.call(call),
            _ => match e.as_member_expression() {
                Some(member) => self.member(member),
                None => self.expression_kind(e, span_of(e), None),
            },
        }
    }

    /// A call.
    fn call(&mut self, call: &ast::CallExpression<'_>) -> ExprKind {
        if let Some(required) = self.required_module(call) {
            return required;
        }
        let callee = self.boxed(&call.callee);
        let args = self.arguments(&call.arguments);
        let optional = call.optional || continues_optional(&call.callee, &callee);
        ExprKind::Call {
            callee,
            args,
            optional,
        }
    }

    /// A member access; also the place of an assignment.
    pub fn member(&mut self, member: &ast::MemberExpression<'_>) -> ExprKind {
        use ast::MemberExpression as M;
        match member {
            M::StaticMemberExpression(member) => {
                let object = self.boxed(&member.object);
                let optional = member.optional || continues_optional(&member.object, &object);
                let name = Name::new(member.property.name.as_str());
                ExprKind::Member {
                    object,
                    name,
                    optional,
                }
            }
            M::PrivateFieldExpression(member) => {
                let object = self.boxed(&member.object);
                let optional = member.optional || continues_optional(&member.object, &object);
                ExprKind::Member {
                    object,
                    name: private_name(&member.field),
                    optional,
                }
            }
            M::ComputedMemberExpression(member) => {
                let object = self.boxed(&member.object);
                let optional = member.optional || continues_optional(&member.object, &object);
                match literal_key(&member.expression) {
                    Some(name) => ExprKind::Member {
                        object,
                        name,
                        optional,
                    },
                    None => ExprKind::Index {
                        object,
                        index: self.boxed(&member.expression),
                        optional,
                    },
                }
            }
        }
    }

    fn template(&mut self, template: &ast::TemplateLiteral<'_>) -> ExprKind {
        let mut texts = texts(template);
        if template.expressions.is_empty() {
            return ExprKind::Text(texts.pop().unwrap_or_default());
        }
        ExprKind::Template {
            texts: texts.into(),
            values: self.expressions(&template.expressions).into(),
        }
    }

    /// Several expressions in order.
    pub fn expressions(&mut self, list: &[ast::Expression<'_>]) -> Vec<Expr> {
        list.iter().map(|e| self.expression(e)).collect()
    }

    /// The arguments of a call.
    pub fn arguments(&mut self, list: &[ast::Argument<'_>]) -> Vec<Argument> {
        list.iter()
            .map(|argument| match argument {
                ast::Argument::SpreadElement(spread) => Argument {
                    name: None,
                    spread: true,
                    value: self.expression(&spread.argument),
                },
                argument => Argument {
                    name: None,
                    spread: false,
                    value: self.expression(argument.to_expression()),
                },
            })
            .collect()
    }

    fn array(&mut self, array: &ast::ArrayExpression<'_>) -> ExprKind {
        use ast::ArrayExpressionElement as A;
        let items = array.elements.iter().map(|element| match element {
            A::SpreadElement(spread) => Element {
                spread: true,
                value: self.expression(&spread.argument),
            },
            A::Elision(hole) => Element {
                spread: false,
                value: Expr {
                    span: from_oxc(hole.span),
                    kind: ExprKind::Undefined,
                },
            },
            element => Element {
                spread: false,
                value: self.expression(element.to_expression()),
            },
        });
        ExprKind::Array(items.collect())
    }
}

/// Whether an `?.` stands in the same chain before a link on this object: then the link is not
/// evaluated either when the chain ends early. A chain in parentheses is one of its own.
fn continues_optional(written: &ast::Expression<'_>, lowered: &Expr) -> bool {
    if matches!(without_types(written), ast::Expression::ChainExpression(_)) {
        return false;
    }
    matches!(
        lowered.kind,
        ExprKind::Member { optional: true, .. }
            | ExprKind::Index { optional: true, .. }
            | ExprKind::Call { optional: true, .. }
    )
}

/// A variable, or what the few global names with a fixed value mean.
fn identifier(name: &str) -> ExprKind {
    match name {
        "undefined" => ExprKind::Undefined,
        "Infinity" => ExprKind::Number(f64::INFINITY),
        name => ExprKind::Name(Name::new(name)),
    }
}

/// `1n`; a value that no number can hold becomes the nearest one.
fn big_integer(digits: &str) -> ExprKind {
    ExprKind::Number(digits.parse::<f64>().unwrap_or(f64::MAX))
}

/// A private name with its `#`.
pub(super) fn private_name(id: &ast::PrivateIdentifier<'_>) -> Name {
    Name::from(format!("#{}", id.name.as_str()))
}

/// The key that a computed access names by a literal or by a well-known symbol
/// (`Symbol.asyncIterator` is the key `@@asyncIterator`).
pub(super) fn literal_key(e: &ast::Expression<'_>) -> Option<Name> {
    use ast::Expression as E;
    match without_types(e) {
        E::StringLiteral(text) => Some(Name::new(text.value.as_str())),
        E::TemplateLiteral(text) if text.expressions.is_empty() => texts(text).pop(),
        E::StaticMemberExpression(member) => match without_types(&member.object) {
            E::Identifier(object) if object.name == "Symbol" => {
                Some(Name::from(format!("@@{}", member.property.name.as_str())))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The texts of a template, one more than its values.
fn texts(template: &ast::TemplateLiteral<'_>) -> Vec<Name> {
    let text = |quasi: &ast::TemplateElement<'_>| match &quasi.value.cooked {
        Some(cooked) => Name::new(cooked.as_str()),
        None => Name::new(quasi.value.raw.as_str()),
    };
    template.quasis.iter().map(text).collect()
}

/// An operator with two operands.
pub(super) fn binary_op(op: operator::BinaryOperator) -> BinaryOp {
    use operator::BinaryOperator as B;
    match op {
        B::Addition => BinaryOp::Add,
        B::Subtraction => BinaryOp::Subtract,
        B::Multiplication => BinaryOp::Multiply,
        B::Division => BinaryOp::Divide,
        B::Remainder => BinaryOp::Remainder,
        B::Exponential => BinaryOp::Power,
        B::Equality | B::StrictEquality => BinaryOp::Equal,
        B::Inequality | B::StrictInequality => BinaryOp::NotEqual,
        B::LessThan => BinaryOp::Less,
        B::LessEqualThan => BinaryOp::LessOrEqual,
        B::GreaterThan => BinaryOp::Greater,
        B::GreaterEqualThan => BinaryOp::GreaterOrEqual,
        B::BitwiseAnd => BinaryOp::BitAnd,
        B::BitwiseOR => BinaryOp::BitOr,
        B::BitwiseXOR => BinaryOp::BitXor,
        B::ShiftLeft => BinaryOp::ShiftLeft,
        B::ShiftRight | B::ShiftRightZeroFill => BinaryOp::ShiftRight,
        B::In => BinaryOp::In,
        B::Instanceof => BinaryOp::InstanceOf,
    }
}

/// An operator whose right side is evaluated only sometimes.
pub(super) fn logical_op(op: operator::LogicalOperator) -> LogicalOp {
    match op {
        operator::LogicalOperator::And => LogicalOp::And,
        operator::LogicalOperator::Or => LogicalOp::Or,
        operator::LogicalOperator::Coalesce => LogicalOp::Coalesce,
    }
}

fn unary_op(op: operator::UnaryOperator) -> UnaryOp {
    use operator::UnaryOperator as U;
    match op {
        U::UnaryPlus => UnaryOp::Plus,
        U::UnaryNegation => UnaryOp::Minus,
        U::LogicalNot => UnaryOp::Not,
        U::BitwiseNot => UnaryOp::BitNot,
        U::Typeof => UnaryOp::TypeOf,
        U::Void => UnaryOp::Void,
        U::Delete => UnaryOp::Delete,
    }
}
