//! CommonJS: `require`, `module.exports`, `exports.x`.

use oxc_ast::ast;

use super::expressions::without_types;
use super::lowering::{Lowering, from_oxc, span_of};
use crate::program::{
    Export, ExportKind, Expr, ExprKind, Import, Imported, MODULE_EXPORT, Name, Pattern,
    PatternKind, StmtKind,
};

/// The variable that holds a module required in the middle of an expression.
fn required_variable(source: &str) -> Name {
    Name::from(format!("*require {source}*"))
}

impl Lowering<'_> {
    /// `const x = require("x")`, `const { a, b: c } = require("x")`, `const x =
    /// require("x").y` as imports. False where the declaration is anything else.
    pub fn import_of_require(&mut self, variable: &ast::VariableDeclarator<'_>) -> bool {
        let Some(init) = &variable.init else {
            return false;
        };
        let (source, member) = match without_types(init) {
            ast::Expression::StaticMemberExpression(member) => {
                match required_source(without_types(&member.object)) {
                    Some(source) => (source, Some(Name::new(member.property.name.as_str()))),
                    None => return false,
                }
            }
            init => match required_source(init) {
                Some(source) => (source, None),
                None => return false,
            },
        };
        let span = from_oxc(variable.span);
        match (&variable.id, member) {
            (ast::BindingPattern::BindingIdentifier(id), member) => {
                let local = Some(Name::new(id.name.as_str()));
                let what = member.map_or(Imported::Namespace, Imported::Named);
                self.imports.push(Import {
                    local,
                    source,
                    what,
                    span,
                });
                true
            }
            (ast::BindingPattern::ObjectPattern(object), None) => {
                let Some(pairs) = plain_fields(object) else {
                    return false;
                };
                for (name, local) in pairs {
                    let what = Imported::Named(name);
                    let source = source.clone();
                    self.imports.push(Import {
                        local: Some(local),
                        source,
                        what,
                        span,
                    });
                }
                true
            }
            _ => false,
        }
    }

    /// `require("x")` inside an expression: the variable of an import made for it.
    pub fn required_module(&mut self, call: &ast::CallExpression<'_>) -> Option<ExprKind> {
        let source = source_of_call(call)?;
        let local = required_variable(&source);
        if self.required.insert(source.clone()) {
            let span = from_oxc(call.span);
            let what = Imported::Namespace;
            self.imports.push(Import {
                local: Some(local.clone()),
                source,
                what,
                span,
            });
        }
        Some(ExprKind::Name(local))
    }

    /// `module.exports = ..`, `exports.x = ..`, `module.exports.x = ..` as a statement.
    pub fn commonjs_export(&mut self, e: &ast::Expression<'_>) -> Option<StmtKind> {
        let ast::Expression::AssignmentExpression(assignment) = without_types(e) else {
            return None;
        };
        if !assignment.operator.is_assign() {
            return None;
        }
        let ast::AssignmentTarget::StaticMemberExpression(place) = &assignment.left else {
            return None;
        };
        let span = span_of(e);
        let property = place.property.name.as_str();
        let (local, kind) = if is_module_exports(&place.object, property) {
            (Name::new_static(MODULE_EXPORT), ExportKind::Module)
        } else if is_exports_object(&place.object) {
            let local = Name::from(format!("*exports.{property}*"));
            let exported = Name::new(property);
            (local.clone(), ExportKind::Local { exported, local })
        } else {
            return None;
        };
        let name = matches!(kind, ExportKind::Local { .. }).then_some(property);
        let init: Expr = self.named_expression(&assignment.right, name);
        self.exports.push(Export { span, kind });
        let pattern = Pattern {
            span: span_of(&assignment.left),
            kind: PatternKind::Name(local),
        };
        // Hoisted: it can stand in a branch, and is exported from there.
        let (constant, hoisted) = (true, true);
        Some(StmtKind::Let {
            pattern,
            ty: None,
            init: Some(init),
            constant,
            hoisted,
        })
    }
}

/// Whether `object.property` is `module.exports`.
fn is_module_exports(object: &ast::Expression<'_>, property: &str) -> bool {
    property == "exports" && without_types(object).is_specific_id("module")
}

/// Whether this is `exports` or `module.exports`.
fn is_exports_object(object: &ast::Expression<'_>) -> bool {
    match without_types(object) {
        ast::Expression::Identifier(id) => id.name == "exports",
        ast::Expression::StaticMemberExpression(member) => {
            is_module_exports(&member.object, member.property.name.as_str())
        }
        _ => false,
    }
}

fn required_source(e: &ast::Expression<'_>) -> Option<Name> {
    match e {
        ast::Expression::CallExpression(call) => source_of_call(call),
        _ => None,
    }
}

/// The module that a call of `require` with one literal text names.
fn source_of_call(call: &ast::CallExpression<'_>) -> Option<Name> {
    if call.optional || call.arguments.len() != 1 || !call.callee.is_specific_id("require") {
        return None;
    }
    match call.arguments.first()?.as_expression()? {
        ast::Expression::StringLiteral(text) => Some(Name::new(text.value.as_str())),
        ast::Expression::TemplateLiteral(text) if text.expressions.is_empty() => text
            .quasis
            .first()?
            .value
            .cooked
            .as_ref()
            .map(|text| Name::new(text.as_str())),
        _ => None,
    }
}

/// The fields of a pattern that only names variables, with the variable of each.
fn plain_fields(object: &ast::ObjectPattern<'_>) -> Option<Vec<(Name, Name)>> {
    if object.rest.is_some() {
        return None;
    }
    let pair = |property: &ast::BindingProperty<'_>| match (&property.key, &property.value) {
        (ast::PropertyKey::StaticIdentifier(key), ast::BindingPattern::BindingIdentifier(id)) => {
            Some((Name::new(key.name.as_str()), Name::new(id.name.as_str())))
        }
        _ => None,
    };
    object.properties.iter().map(pair).collect()
}
