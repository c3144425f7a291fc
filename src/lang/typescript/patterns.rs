//! Patterns: what a value is bound or assigned to.

use oxc_ast::ast;

use super::expressions::{binary_op, logical_op, without_types};
use super::lowering::{Lowering, from_oxc, span_of};
use crate::program::{
    AssignOp, Expr, ExprKind, Key, Name, Pattern, PatternField, PatternKind, Span,
};

impl Lowering<'_> {
    /// A pattern of a declaration or parameter.
    pub fn binding(&mut self, pattern: &ast::BindingPattern<'_>) -> Pattern {
        use ast::BindingPattern as B;
        let span = span_of(pattern);
        let kind = match pattern {
            B::BindingIdentifier(id) => PatternKind::Name(Name::new(id.name.as_str())),
            B::ObjectPattern(object) => {
                let fields = object.properties.iter().map(|property| {
                    let key = self.property_key(&property.key, property.computed);
                    PatternField {
                        key,
                        pattern: self.inner_binding(&property.value),
                    }
                });
                let fields = fields.collect();
                let rest = object.rest.as_ref().map(|rest| self.rest(rest));
                PatternKind::Object { fields, rest }
            }
            B::ArrayPattern(array) => {
                let items = array.elements.iter();
                let items = items
                    .map(|item| item.as_ref().map(|item| self.inner_binding(item)))
                    .collect();
                let rest = array.rest.as_ref().map(|rest| self.rest(rest));
                PatternKind::List { items, rest }
            }
            B::AssignmentPattern(assignment) => {
                let pattern = Box::new(self.inner_binding(&assignment.left));
                let name = pattern_name(&pattern);
                let value = Box::new(self.named_expression(&assignment.right, name.as_deref()));
                PatternKind::Default { pattern, value }
            }
        };
        Pattern { span, kind }
    }

    fn rest(&mut self, rest: &ast::BindingRestElement<'_>) -> Box<Pattern> {
        Box::new(self.inner_binding(&rest.argument))
    }

    /// A pattern inside another one, one level deeper.
    fn inner_binding(&mut self, pattern: &ast::BindingPattern<'_>) -> Pattern {
        self.nested_pattern(span_of(pattern), |lowering| lowering.binding(pattern))
    }

    /// What an assignment assigns to.
    pub fn target(&mut self, target: &ast::AssignmentTarget<'_>) -> Pattern {
        let span = span_of(target);
        self.nested_pattern(span, |lowering| {
            let kind = match target {
                ast::AssignmentTarget::ObjectAssignmentTarget(object) => {
                    lowering.object_target(object)
                }
                ast::AssignmentTarget::ArrayAssignmentTarget(array) => lowering.list_target(array),
                target => match target.as_simple_assignment_target() {
                    Some(simple) => return lowering.simple_target(simple),
                    None => PatternKind::Ignore,
                },
            };
            Pattern { span, kind }
        })
    }

    fn object_target(&mut self, object: &ast::ObjectAssignmentTarget<'_>) -> PatternKind {
        use ast::AssignmentTargetProperty as P;
        let mut fields = Vec::with_capacity(object.properties.len());
        for property in &object.properties {
            fields.push(match property {
                P::AssignmentTargetPropertyIdentifier(property) => {
                    let name = Name::new(property.binding.name.as_str());
                    let span = from_oxc(property.binding.span);
                    let pattern = Pattern {
                        span,
                        kind: PatternKind::Name(name.clone()),
                    };
                    let pattern = self.with_default(pattern, property.init.as_ref());
                    PatternField {
                        key: Key::Name(name),
                        pattern,
                    }
                }
                P::AssignmentTargetPropertyProperty(property) => PatternField {
                    key: self.property_key(&property.name, property.computed),
                    pattern: self.maybe_default(&property.binding),
                },
            });
        }
        let rest = object
            .rest
            .as_ref()
            .map(|rest| Box::new(self.target(&rest.target)));
        PatternKind::Object { fields, rest }
    }

    fn list_target(&mut self, array: &ast::ArrayAssignmentTarget<'_>) -> PatternKind {
        let items = array.elements.iter();
        let items = items
            .map(|item| item.as_ref().map(|item| self.maybe_default(item)))
            .collect();
        let rest = array
            .rest
            .as_ref()
            .map(|rest| Box::new(self.target(&rest.target)));
        PatternKind::List { items, rest }
    }

    fn maybe_default(&mut self, target: &ast::AssignmentTargetMaybeDefault<'_>) -> Pattern {
        match target {
            ast::AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(target) => {
                let pattern = self.target(&target.binding);
                self.with_default(pattern, Some(&target.init))
            }
            target => self.target(target.to_assignment_target()),
        }
    }

    fn with_default(&mut self, pattern: Pattern, default: Option<&ast::Expression<'_>>) -> Pattern {
        let Some(default) = default else {
            return pattern;
        };
        let name = pattern_name(&pattern);
        let value = Box::new(self.named_expression(default, name.as_deref()));
        let span = Span::new(pattern.span.start, value.span.end.max(pattern.span.end));
        Pattern {
            span,
            kind: PatternKind::Default {
                pattern: Box::new(pattern),
                value,
            },
        }
    }

    /// A variable or a place.
    pub fn simple_target(&mut self, target: &ast::SimpleAssignmentTarget<'_>) -> Pattern {
        use ast::SimpleAssignmentTarget as T;
        let span = span_of(target);
        let inner = match target {
            T::AssignmentTargetIdentifier(id) => {
                let kind = PatternKind::Name(Name::new(id.name.as_str()));
                return Pattern { span, kind };
            }
            T::TSAsExpression(inner) => &inner.expression,
            T::TSSatisfiesExpression(inner) => &inner.expression,
            T::TSNonNullExpression(inner) => &inner.expression,
            T::TSTypeAssertion(inner) => &inner.expression,
            target => {
                return match target.as_member_expression() {
                    Some(member) => {
                        let kind = self.member(member);
                        Pattern {
                            span,
                            kind: PatternKind::Place(Box::new(Expr { span, kind })),
                        }
                    }
                    None => Pattern {
                        span,
                        kind: PatternKind::Ignore,
                    },
                };
            }
        };
        self.place(without_types(inner))
    }

    /// An expression that is assigned to.
    fn place(&mut self, e: &ast::Expression<'_>) -> Pattern {
        let lowered = self.expression(e);
        let span = lowered.span;
        let kind = match lowered.kind {
            ExprKind::Name(name) => PatternKind::Name(name),
            kind => PatternKind::Place(Box::new(Expr { span, kind })),
        };
        Pattern { span, kind }
    }

    /// `target = value` and the like.
    pub fn assignment(&mut self, assignment: &ast::AssignmentExpression<'_>) -> ExprKind {
        let op = match assignment.operator {
            op if op.is_assign() => AssignOp::Set,
            op => match (op.to_logical_operator(), op.to_binary_operator()) {
                (Some(op), _) => AssignOp::Logical(logical_op(op)),
                (None, Some(op)) => AssignOp::Binary(binary_op(op)),
                (None, None) => AssignOp::Set,
            },
        };
        let target = Box::new(self.target(&assignment.left));
        let name = pattern_name(&target);
        let value = Box::new(self.named_expression(&assignment.right, name.as_deref()));
        ExprKind::Assign { op, target, value }
    }

    /// `++` and `--`.
    pub fn update(&mut self, update: &ast::UpdateExpression<'_>) -> ExprKind {
        let increments = update.operator == oxc_syntax::operator::UpdateOperator::Increment;
        let by = if increments { 1.0 } else { -1.0 };
        let target = Box::new(self.simple_target(&update.argument));
        ExprKind::Update {
            by,
            prefix: update.prefix,
            target,
        }
    }

    /// One level of patterns. Where the tree gets too deep, the pattern binds nothing.
    fn nested_pattern(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> Pattern) -> Pattern {
        let mut lowered = Pattern {
            span,
            kind: PatternKind::Ignore,
        };
        let unused = self.nested(span, |lowering| {
            lowered = lower(lowering);
            Expr {
                span,
                kind: ExprKind::Undefined,
            }
        });
        if matches!(unused.kind, ExprKind::Gap { .. }) {
            return Pattern {
                span,
                kind: PatternKind::Ignore,
            };
        }
        lowered
    }
}

/// The name of the variable or field that a pattern is, for the function written into it.
pub(super) fn pattern_name(pattern: &Pattern) -> Option<Name> {
    match &pattern.kind {
        PatternKind::Name(name) => Some(name.clone()),
        PatternKind::Place(place) => match &place.kind {
            ExprKind::Member { name, .. } => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// All variables that a pattern binds, in order.
pub(super) fn bound_names(pattern: &Pattern, out: &mut Vec<Name>) {
    match &pattern.kind {
        PatternKind::Name(name) => out.push(name.clone()),
        PatternKind::Object { fields, rest } => {
            fields
                .iter()
                .for_each(|field| bound_names(&field.pattern, out));
            rest.iter().for_each(|rest| bound_names(rest, out));
        }
        PatternKind::List { items, rest } => {
            items
                .iter()
                .flatten()
                .for_each(|item| bound_names(item, out));
            rest.iter().for_each(|rest| bound_names(rest, out));
        }
        PatternKind::Default { pattern, .. } => bound_names(pattern, out),
        PatternKind::Place(_) | PatternKind::Ignore => {}
        kind => kind.parts().for_each(|part| bound_names(part, out)),
    }
}
