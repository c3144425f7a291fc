//! Enumerations and namespaces: names of constants and functions as objects.

use std::collections::BTreeMap;

use oxc_ast::ast;

use super::expressions::without_types;
use super::lowering::{Lowering, from_oxc, name_expr};
use super::modules::constant;
use crate::program::{
    AssignOp, Export, ExportKind, Expr, ExprKind, Key, Name, Pattern, PatternKind, Property, Span,
    Stmt, StmtKind,
};

impl Lowering<'_> {
    /// `enum E { A, B = "b" }` as a constant object. A member without a value is one more than
    /// the number before it.
    pub fn enumeration(
        &mut self,
        enumeration: &ast::TSEnumDeclaration<'_>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mut fields = Vec::with_capacity(enumeration.body.members.len());
        let mut numbers: BTreeMap<Name, f64> = BTreeMap::new();
        let mut next = Some(0.0);
        for member in &enumeration.body.members {
            let name = member_name(&member.id);
            let member_span = from_oxc(member.span);
            let number = match &member.initializer {
                None => next,
                Some(value) => folded(value, &numbers, 0),
            };
            let value = match (number, &member.initializer) {
                (Some(number), _) => Expr {
                    span: member_span,
                    kind: ExprKind::Number(number),
                },
                (None, Some(value)) => self.expression(value),
                (None, None) => Expr {
                    span: member_span,
                    kind: ExprKind::Opaque(Vec::new()),
                },
            };
            next = number.map(|number| number + 1.0);
            if let Some(number) = number {
                numbers.insert(name.clone(), number);
            }
            fields.push(Property::Field {
                key: Key::Name(name),
                value,
            });
        }
        let name = Name::new(enumeration.id.name.as_str());
        self.declared.insert(name.clone());
        let value = Expr {
            span: from_oxc(enumeration.body.span),
            kind: ExprKind::Object(fields),
        };
        out.push(constant(span, name, value));
    }

    /// `namespace N { .. }` as what an immediately called function returns; a namespace that
    /// adds to a function, class or namespace of the same name assigns to its members.
    pub fn namespace(
        &mut self,
        namespace: &ast::TSNamespaceDeclaration<'_>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        if !namespace_has_values(&namespace.body, 0) {
            return;
        }
        let name = Name::new(namespace.id.name.as_str());
        let (mut body, members) = self.namespace_body(namespace);
        let adds = !self.declared.insert(name.clone());
        if adds {
            body.extend(
                members
                    .into_iter()
                    .map(|(exported, local)| assign_member(span, name.clone(), exported, local)),
            );
            out.push(Stmt {
                span,
                kind: StmtKind::Block(body),
            });
            return;
        }
        let fields = members
            .into_iter()
            .map(|(exported, local)| Property::Field {
                key: Key::Name(exported),
                value: name_expr(span, local),
            });
        let object = Expr {
            span,
            kind: ExprKind::Object(fields.collect()),
        };
        body.push(Stmt {
            span,
            kind: StmtKind::Return(Some(object)),
        });
        let function = self.thunk(span, Some(name.clone()), true, |_| body);
        let callee = Box::new(Expr {
            span,
            kind: ExprKind::Function(function),
        });
        let call = ExprKind::Call {
            callee,
            args: Vec::new(),
            optional: false,
        };
        out.push(constant(span, name, Expr { span, kind: call }));
    }

    /// The statements of a namespace and what it exports, as (exported, local).
    fn namespace_body(
        &mut self,
        namespace: &ast::TSNamespaceDeclaration<'_>,
    ) -> (Vec<Stmt>, Vec<(Name, Name)>) {
        let outer_exports = std::mem::take(&mut self.exports);
        let outer_declared = std::mem::take(&mut self.declared);
        self.function_depth += 1;
        let mut body = Vec::new();
        match &namespace.body {
            ast::TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                body = self.statements(&block.body);
            }
            ast::TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                let span = from_oxc(inner.span);
                let name = Name::new(inner.id.name.as_str());
                self.nested_statements(span, &mut body, |lowering, out| {
                    lowering.namespace(inner, span, out);
                });
                self.export_local(span, name.clone(), name);
            }
        }
        self.function_depth -= 1;
        self.declared = outer_declared;
        let exports = std::mem::replace(&mut self.exports, outer_exports);
        let pair = |export: Export| match export.kind {
            ExportKind::Local { exported, local } => Some((exported, local)),
            _ => None,
        };
        (body, exports.into_iter().filter_map(pair).collect())
    }
}

/// `name.exported = local`.
fn assign_member(span: Span, name: Name, exported: Name, local: Name) -> Stmt {
    let object = Box::new(name_expr(span, name));
    let place = ExprKind::Member {
        object,
        name: exported,
        optional: false,
    };
    let place = PatternKind::Place(Box::new(Expr { span, kind: place }));
    let target = Box::new(Pattern { span, kind: place });
    let value = Box::new(name_expr(span, local));
    let kind = ExprKind::Assign {
        op: AssignOp::Set,
        target,
        value,
    };
    Stmt {
        span,
        kind: StmtKind::Expr(Expr { span, kind }),
    }
}

/// Whether a namespace holds anything but types.
fn namespace_has_values(body: &ast::TSNamespaceDeclarationBody<'_>, depth: u32) -> bool {
    match body {
        ast::TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
            depth < 100 && namespace_has_values(&inner.body, depth + 1)
        }
        ast::TSNamespaceDeclarationBody::TSModuleBlock(block) => {
            block.body.iter().any(|s| match s {
                ast::Statement::TSTypeAliasDeclaration(_)
                | ast::Statement::TSInterfaceDeclaration(_) => false,
                ast::Statement::ExportDeclaration(export) => !matches!(
                    export.declaration,
                    ast::Declaration::TSTypeAliasDeclaration(_)
                        | ast::Declaration::TSInterfaceDeclaration(_)
                ),
                _ => true,
            })
        }
    }
}

fn member_name(name: &ast::TSEnumMemberName<'_>) -> Name {
    match name {
        ast::TSEnumMemberName::Identifier(id) => Name::new(id.name.as_str()),
        ast::TSEnumMemberName::String(text) | ast::TSEnumMemberName::ComputedString(text) => {
            Name::new(text.value.as_str())
        }
        ast::TSEnumMemberName::ComputedTemplateString(text) => {
            let quasi = text.quasis.first();
            quasi
                .map(|quasi| Name::new(quasi.value.raw.as_str()))
                .unwrap_or_default()
        }
    }
}

/// The number of an enumeration member's value, from literals and earlier members.
fn folded(e: &ast::Expression<'_>, known: &BTreeMap<Name, f64>, depth: u32) -> Option<f64> {
    use oxc_syntax::operator::{BinaryOperator as B, UnaryOperator as U};
    const DEEPEST: u32 = 50;
    if depth > DEEPEST {
        return None;
    }
    let fold = |e| folded(e, known, depth + 1);
    match without_types(e) {
        ast::Expression::NumericLiteral(number) => Some(number.value),
        ast::Expression::Identifier(id) => known.get(id.name.as_str()).copied(),
        ast::Expression::UnaryExpression(unary) => match unary.operator {
            U::UnaryNegation => Some(-fold(&unary.argument)?),
            U::UnaryPlus => fold(&unary.argument),
            U::BitwiseNot => Some(f64::from(!(fold(&unary.argument)? as i32))),
            _ => None,
        },
        ast::Expression::BinaryExpression(binary) => {
            let (left, right) = (fold(&binary.left)?, fold(&binary.right)?);
            let bits = |op: fn(i32, i32) -> i32| Some(f64::from(op(left as i32, right as i32)));
            match binary.operator {
                B::Addition => Some(left + right),
                B::Subtraction => Some(left - right),
                B::Multiplication => Some(left * right),
                B::Division => Some(left / right),
                B::ShiftLeft => bits(|a, b| a.wrapping_shl((b & 31) as u32)),
                B::ShiftRight => bits(|a, b| a.wrapping_shr((b & 31) as u32)),
                B::BitwiseOR => bits(|a, b| a | b),
                B::BitwiseAnd => bits(|a, b| a & b),
                B::BitwiseXOR => bits(|a, b| a ^ b),
                _ => None,
            }
        }
        _ => None,
    }
}
