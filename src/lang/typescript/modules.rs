//! Imports and exports.

use oxc_ast::ast;

use super::lowering::{Lowering, from_oxc, name_expr, span_of};
use super::patterns::bound_names;
use crate::program::{
    DEFAULT_EXPORT, Export, ExportKind, Expr, ExprKind, Import, Imported, MODULE_EXPORT, Name,
    Pattern, PatternKind, Span, Stmt, StmtKind,
};

impl Lowering<'_> {
    /// An import or export; what it declares goes to `out`.
    pub fn module_declaration(
        &mut self,
        declaration: &ast::ModuleDeclaration<'_>,
        out: &mut Vec<Stmt>,
    ) {
        use ast::ModuleDeclaration as M;
        match declaration {
            M::ImportDeclaration(import) => self.import(import),
            M::ExportAllDeclaration(export) => self.export_all(export),
            M::ExportDefaultDeclaration(export) => self.export_default(export, out),
            M::ExportDeclaration(export) => self.export_declaration(export, out),
            M::ExportNamedDeclaration(export) => self.export_names(export),
            M::ExportFromDeclaration(export) => self.export_from(export),
            M::TSExportAssignment(export) => {
                let span = from_oxc(export.span);
                let value = self.named_expression(&export.expression, None);
                out.push(constant(span, Name::new_static(MODULE_EXPORT), value));
                self.exports.push(Export {
                    span,
                    kind: ExportKind::Module,
                });
            }
            M::TSNamespaceExportDeclaration(_) => {}
        }
    }

    fn import(&mut self, import: &ast::ImportDeclaration<'_>) {
        if import.import_kind == ast::ImportOrExportKind::Type {
            return;
        }
        let span = from_oxc(import.span);
        let source = Name::new(import.source.value.as_str());
        let Some(specifiers) = import.specifiers.as_ref().filter(|list| !list.is_empty()) else {
            self.imports.push(Import {
                local: None,
                source,
                what: Imported::Effect,
                span,
            });
            return;
        };
        for specifier in specifiers {
            use ast::ImportDeclarationSpecifier as I;
            let (local, what) = match specifier {
                I::ImportSpecifier(one) if one.import_kind == ast::ImportOrExportKind::Type => {
                    continue;
                }
                I::ImportSpecifier(one) => {
                    (&one.local, Imported::Named(export_name(&one.imported)))
                }
                I::ImportDefaultSpecifier(one) => {
                    (&one.local, Imported::Named(Name::new_static("default")))
                }
                I::ImportNamespaceSpecifier(one) => (&one.local, Imported::Namespace),
            };
            let local = Some(Name::new(local.name.as_str()));
            let span = span_of(specifier);
            self.imports.push(Import {
                local,
                source: source.clone(),
                what,
                span,
            });
        }
    }

    fn export_all(&mut self, export: &ast::ExportAllDeclaration<'_>) {
        if export.export_kind == ast::ImportOrExportKind::Type {
            return;
        }
        let source = Name::new(export.source.value.as_str());
        let kind = match &export.exported {
            Some(name) => ExportKind::From {
                exported: export_name(name),
                source,
                what: Imported::Namespace,
            },
            None => ExportKind::All { source },
        };
        self.exports.push(Export {
            span: from_oxc(export.span),
            kind,
        });
    }

    fn export_default(&mut self, export: &ast::ExportDefaultDeclaration<'_>, out: &mut Vec<Stmt>) {
        use ast::ExportDefaultDeclarationKind as D;
        let span = from_oxc(export.span);
        let local = match &export.declaration {
            D::TSInterfaceDeclaration(_) => return,
            D::FunctionDeclaration(function) => {
                if function.body.is_none() {
                    return;
                }
                let own = function.id.as_ref().map(|id| Name::new(id.name.as_str()));
                let name = own.unwrap_or(Name::new_static(DEFAULT_EXPORT));
                self.declared.insert(name.clone());
                let function = self.function(function, from_oxc(function.span), Some("default"));
                out.push(Stmt {
                    span,
                    kind: StmtKind::Function {
                        name: name.clone(),
                        function,
                    },
                });
                name
            }
            D::ClassDeclaration(class) => {
                let own = class.id.as_ref().map(|id| Name::new(id.name.as_str()));
                let name = own.unwrap_or(Name::new_static(DEFAULT_EXPORT));
                self.declared.insert(name.clone());
                let class = self.class(class, Some("default"));
                out.push(Stmt {
                    span,
                    kind: StmtKind::Class {
                        name: name.clone(),
                        class: Box::new(class),
                    },
                });
                name
            }
            declaration => {
                let value = self.named_expression(declaration.to_expression(), Some("default"));
                out.push(constant(span, Name::new_static(DEFAULT_EXPORT), value));
                Name::new_static(DEFAULT_EXPORT)
            }
        };
        self.export_local(span, Name::new_static("default"), local);
    }

    fn export_declaration(&mut self, export: &ast::ExportDeclaration<'_>, out: &mut Vec<Stmt>) {
        let span = from_oxc(export.span);
        let first = out.len();
        let first_import = self.imports.len();
        self.declaration(&export.declaration, span, out);
        let mut names = Vec::new();
        for statement in &out[first..] {
            match &statement.kind {
                StmtKind::Let { pattern, .. } => bound_names(pattern, &mut names),
                StmtKind::Function { name, .. } | StmtKind::Class { name, .. } => {
                    names.push(name.clone());
                }
                // A namespace that adds to a name that is exported by its first declaration.
                _ => {}
            }
        }
        names.extend(
            self.imports[first_import..]
                .iter()
                .filter_map(|import| import.local.clone()),
        );
        for name in names {
            self.export_local(span, name.clone(), name);
        }
    }

    fn export_names(&mut self, export: &ast::ExportNamedDeclaration<'_>) {
        if export.export_kind == ast::ImportOrExportKind::Type {
            return;
        }
        for specifier in &export.specifiers {
            if specifier.export_kind == ast::ImportOrExportKind::Value {
                let span = from_oxc(specifier.span);
                let exported = export_name(&specifier.exported);
                self.export_local(span, exported, export_name(&specifier.local));
            }
        }
    }

    fn export_from(&mut self, export: &ast::ExportFromDeclaration<'_>) {
        if export.export_kind == ast::ImportOrExportKind::Type {
            return;
        }
        let source = Name::new(export.source.value.as_str());
        if export.specifiers.is_empty() {
            let span = from_oxc(export.span);
            self.imports.push(Import {
                local: None,
                source,
                what: Imported::Effect,
                span,
            });
            return;
        }
        for specifier in &export.specifiers {
            if specifier.export_kind == ast::ImportOrExportKind::Value {
                let kind = ExportKind::From {
                    exported: export_name(&specifier.exported),
                    source: source.clone(),
                    what: Imported::Named(export_name(&specifier.local)),
                };
                self.exports.push(Export {
                    span: from_oxc(specifier.span),
                    kind,
                });
            }
        }
    }

    /// `import x = require("x")`, `import A = B.C`.
    pub fn import_equals(
        &mut self,
        import: &ast::TSImportEqualsDeclaration<'_>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        if import.import_kind == ast::ImportOrExportKind::Type {
            return;
        }
        let local = Name::new(import.id.name.as_str());
        match &import.module_reference {
            ast::TSModuleReference::ExternalModuleReference(reference) => {
                let source = Name::new(reference.expression.value.as_str());
                let local = Some(local);
                self.imports.push(Import {
                    local,
                    source,
                    what: Imported::Namespace,
                    span,
                });
            }
            ast::TSModuleReference::IdentifierReference(id) => {
                out.push(constant(
                    span,
                    local,
                    name_expr(from_oxc(id.span), id.name.as_str()),
                ));
            }
            ast::TSModuleReference::QualifiedName(name) => {
                out.push(constant(span, local, qualified_value(name)));
            }
        }
    }

    /// Gives a variable of this module to others.
    pub fn export_local(&mut self, span: Span, exported: Name, local: Name) {
        self.exports.push(Export {
            span,
            kind: ExportKind::Local { exported, local },
        });
    }
}

/// A variable that is never assigned again.
pub(super) fn constant(span: Span, name: Name, value: Expr) -> Stmt {
    let pattern = Pattern {
        span,
        kind: PatternKind::Name(name),
    };
    let kind = StmtKind::Let {
        pattern,
        ty: None,
        init: Some(value),
        constant: true,
        hoisted: false,
    };
    Stmt { span, kind }
}

/// A name in an import or export list.
fn export_name(name: &ast::ModuleExportName<'_>) -> Name {
    match name {
        ast::ModuleExportName::IdentifierName(id) => Name::new(id.name.as_str()),
        ast::ModuleExportName::IdentifierReference(id) => Name::new(id.name.as_str()),
        ast::ModuleExportName::StringLiteral(text) => Name::new(text.value.as_str()),
    }
}

/// `A.B.C` as a value, cut where it is written absurdly long.
fn qualified_value(name: &ast::TSQualifiedName<'_>) -> Expr {
    const LONGEST: usize = 100;
    let span = from_oxc(name.span);
    let mut links = vec![&name.right];
    let mut left = &name.left;
    while let ast::TSTypeName::QualifiedName(inner) = left {
        links.push(&inner.right);
        left = &inner.left;
    }
    let mut value = match left {
        ast::TSTypeName::IdentifierReference(id) => name_expr(from_oxc(id.span), id.name.as_str()),
        _ => Expr {
            span,
            kind: ExprKind::This,
        },
    };
    if links.len() > LONGEST {
        return Expr {
            span,
            kind: ExprKind::Opaque(Vec::new()),
        };
    }
    for link in links.into_iter().rev() {
        let object = Box::new(value);
        let name = Name::new(link.name.as_str());
        let span = Span::new(object.span.start, link.span.end);
        value = Expr {
            span,
            kind: ExprKind::Member {
                object,
                name,
                optional: false,
            },
        };
    }
    value
}
