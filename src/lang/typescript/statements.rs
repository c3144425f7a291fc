//! Statements.

use oxc_ast::ast;

use super::lowering::{Lowering, from_oxc, span_of};
use super::patterns::pattern_name;
use crate::program::{Case, Expr, Handler, Name, Pattern, PatternKind, Span, Stmt, StmtKind};

impl Lowering<'_> {
    /// The statements of a block, in order.
    pub fn statements(&mut self, list: &[ast::Statement<'_>]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(list.len());
        for (index, statement) in list.iter().enumerate() {
            let resources = using_declaration(statement);
            let first = out.len();
            self.statement(statement, &mut out);
            if let Some(resources) = resources {
                let declared = out.split_off(first);
                self.with_resources(resources, declared, &list[index + 1..], &mut out);
                break;
            }
        }
        out
    }

    /// One statement, which can become none (a type) or several (`let a = 1, b = 2`).
    pub fn statement(&mut self, statement: &ast::Statement<'_>, out: &mut Vec<Stmt>) {
        let span = span_of(statement);
        self.nested_statements(span, out, |lowering, out| {
            if let Some(declaration) = statement.as_declaration() {
                lowering.declaration(declaration, span, out);
            } else if let Some(declaration) = statement.as_module_declaration() {
                lowering.module_declaration(declaration, out);
            } else if let Some(kind) = lowering.statement_kind(statement, span) {
                out.push(Stmt { span, kind });
            }
        });
    }

    fn statement_kind(&mut self, statement: &ast::Statement<'_>, span: Span) -> Option<StmtKind> {
        use ast::Statement as S;
        Some(match statement {
            S::ExpressionStatement(statement) => {
                return self.expression_statement(&statement.expression);
            }
            S::BlockStatement(block) => StmtKind::Block(self.statements(&block.body)),
            S::BreakStatement(jump) => StmtKind::Break(label(jump.label.as_ref())),
            S::ContinueStatement(jump) => StmtKind::Continue(label(jump.label.as_ref())),
            S::ReturnStatement(statement) => StmtKind::Return(
                statement
                    .argument
                    .as_ref()
                    .map(|value| self.expression(value)),
            ),
            S::ThrowStatement(statement) => StmtKind::Throw(self.expression(&statement.argument)),
            S::IfStatement(statement) => StmtKind::If {
                test: self.expression(&statement.test),
                then: self.body(&statement.consequent),
                other: statement
                    .alternate
                    .as_ref()
                    .map(|s| self.body(s))
                    .unwrap_or_default(),
            },
            S::TryStatement(statement) => self.try_statement(statement),
            S::SwitchStatement(statement) => StmtKind::Switch {
                subject: self.expression(&statement.discriminant),
                cases: statement.cases.iter().map(|case| self.case(case)).collect(),
            },
            S::LabeledStatement(statement) => StmtKind::Labelled {
                label: Name::new(statement.label.name.as_str()),
                body: Box::new(self.single(&statement.body)),
            },
            S::WithStatement(statement) => {
                let object = self.expression(&statement.object);
                let mut body = vec![Stmt {
                    span: object.span,
                    kind: StmtKind::Expr(object),
                }];
                body.extend(self.body(&statement.body));
                StmtKind::Block(body)
            }
            S::EmptyStatement(_) | S::DebuggerStatement(_) => return None,
            statement => return self.loop_statement(statement, span),
        })
    }

    fn loop_statement(&mut self, statement: &ast::Statement<'_>, span: Span) -> Option<StmtKind> {
        use ast::Statement as S;
        Some(match statement {
            S::WhileStatement(statement) => StmtKind::While {
                test: self.expression(&statement.test),
                body: self.body(&statement.body),
            },
            S::DoWhileStatement(statement) => StmtKind::DoWhile {
                body: self.body(&statement.body),
                test: self.expression(&statement.test),
            },
            S::ForStatement(statement) => {
                let init = statement.init.as_ref();
                StmtKind::For {
                    init: init.map(|init| self.for_init(init)).unwrap_or_default(),
                    test: statement.test.as_ref().map(|test| self.expression(test)),
                    update: statement
                        .update
                        .as_ref()
                        .map(|update| Box::new(self.expression(update))),
                    body: self.body(&statement.body),
                }
            }
            S::ForOfStatement(statement) => {
                if statement.r#await {
                    self.awaits.push(span);
                }
                let (pattern, declares) = self.loop_variable(&statement.left);
                StmtKind::ForOf {
                    pattern: Box::new(pattern),
                    declares,
                    iterable: self.expression(&statement.right),
                    body: self.body(&statement.body),
                    asynchronous: statement.r#await,
                }
            }
            S::ForInStatement(statement) => {
                let (pattern, declares) = self.loop_variable(&statement.left);
                StmtKind::ForIn {
                    pattern: Box::new(pattern),
                    declares,
                    object: self.expression(&statement.right),
                    body: self.body(&statement.body),
                }
            }
            _ => return None,
        })
    }

    fn for_init(&mut self, init: &ast::ForStatementInit<'_>) -> Vec<Stmt> {
        let mut out = Vec::new();
        match init {
            ast::ForStatementInit::VariableDeclaration(variables) => {
                self.variables(variables, from_oxc(variables.span), &mut out);
            }
            init => {
                let e = self.expression(init.to_expression());
                out.push(Stmt {
                    span: e.span,
                    kind: StmtKind::Expr(e),
                });
            }
        }
        out
    }

    fn loop_variable(&mut self, left: &ast::ForStatementLeft<'_>) -> (Pattern, bool) {
        match left {
            ast::ForStatementLeft::VariableDeclaration(variables) => {
                match variables.declarations.first() {
                    Some(variable) => (self.binding(&variable.id), true),
                    None => {
                        let span = from_oxc(variables.span);
                        (
                            Pattern {
                                span,
                                kind: PatternKind::Ignore,
                            },
                            true,
                        )
                    }
                }
            }
            left => (self.target(left.to_assignment_target()), false),
        }
    }

    fn try_statement(&mut self, statement: &ast::TryStatement<'_>) -> StmtKind {
        let body = self.statements(&statement.block.body);
        let handler = statement.handler.as_ref().map(|handler| Handler {
            pattern: handler
                .param
                .as_ref()
                .map(|param| self.binding(&param.pattern)),
            body: self.statements(&handler.body.body),
        });
        let finally = statement
            .finalizer
            .as_ref()
            .map(|block| self.statements(&block.body));
        StmtKind::Try {
            body,
            handler,
            finally,
        }
    }

    fn case(&mut self, case: &ast::SwitchCase<'_>) -> Case {
        Case {
            test: case.test.as_ref().map(|test| self.expression(test)),
            body: self.statements(&case.consequent),
        }
    }

    /// The statements of a branch or loop, with or without braces.
    fn body(&mut self, statement: &ast::Statement<'_>) -> Vec<Stmt> {
        if let ast::Statement::BlockStatement(block) = statement {
            return self.statements(&block.body);
        }
        let mut out = Vec::new();
        self.statement(statement, &mut out);
        out
    }

    fn single(&mut self, statement: &ast::Statement<'_>) -> Stmt {
        let span = span_of(statement);
        let mut out = Vec::new();
        self.statement(statement, &mut out);
        match out.pop() {
            Some(only) if out.is_empty() => only,
            Some(last) => {
                out.push(last);
                Stmt {
                    span,
                    kind: StmtKind::Block(out),
                }
            }
            None => Stmt {
                span,
                kind: StmtKind::Empty,
            },
        }
    }

    /// A declaration; `span` is the whole statement's.
    pub fn declaration(
        &mut self,
        declaration: &ast::Declaration<'_>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        use ast::Declaration as D;
        match declaration {
            D::VariableDeclaration(variables) if !variables.declare => {
                self.variables(variables, span, out);
            }
            D::FunctionDeclaration(function) => self.function_declaration(function, span, out),
            D::ClassDeclaration(class) if !class.declare => {
                let class = self.class(class, None);
                let Some(name) = class.name.clone() else {
                    return;
                };
                self.declared.insert(name.clone());
                out.push(Stmt {
                    span,
                    kind: StmtKind::Class {
                        name,
                        class: Box::new(class),
                    },
                });
            }
            D::TSEnumDeclaration(enumeration) if !enumeration.declare => {
                self.enumeration(enumeration, span, out);
            }
            D::TSNamespaceDeclaration(namespace) if !namespace.declare => {
                self.namespace(namespace, span, out);
            }
            D::TSImportEqualsDeclaration(import) => self.import_equals(import, span, out),
            // Types, and declarations of what exists elsewhere.
            _ => {}
        }
    }

    fn function_declaration(
        &mut self,
        function: &ast::Function<'_>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        // An overload or a declaration of what exists elsewhere has no body.
        if function.body.is_none() || function.declare {
            return;
        }
        let Some(id) = &function.id else { return };
        let name = Name::new(id.name.as_str());
        if self.at_top_level() {
            self.declared.insert(name.clone());
        }
        let function = self.function(function, from_oxc(function.span), None);
        out.push(Stmt {
            span,
            kind: StmtKind::Function { name, function },
        });
    }

    /// `const`, `let`, `var`, `using`: one `Let` a declarator. The first one spans from the
    /// keyword on, so that what begins with the line is a statement.
    pub fn variables(
        &mut self,
        variables: &ast::VariableDeclaration<'_>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        use ast::VariableDeclarationKind as K;
        let constant = matches!(variables.kind, K::Const | K::Using | K::AwaitUsing);
        let hoisted = variables.kind == K::Var;
        let count = variables.declarations.len();
        for (index, variable) in variables.declarations.iter().enumerate() {
            let own = from_oxc(variable.span);
            let start = if index == 0 { span.start } else { own.start };
            let end = if index + 1 == count {
                span.end
            } else {
                own.end
            };
            if self.at_top_level() && self.import_of_require(variable) {
                continue;
            }
            let pattern = self.binding(&variable.id);
            let name = pattern_name(&pattern);
            let init = variable.init.as_ref();
            let init = init.map(|init| self.named_expression(init, name.as_deref()));
            let ty = variable
                .type_annotation
                .as_deref()
                .and_then(super::types::annotation)
                .map(Box::new);
            let kind = StmtKind::Let {
                pattern,
                ty,
                init,
                constant,
                hoisted,
            };
            out.push(Stmt {
                span: Span::new(start, end),
                kind,
            });
        }
    }

    fn expression_statement(&mut self, e: &ast::Expression<'_>) -> Option<StmtKind> {
        if self.at_top_level()
            && let Some(kind) = self.commonjs_export(e)
        {
            return Some(kind);
        }
        let lowered: Expr = self.expression(e);
        Some(StmtKind::Expr(lowered))
    }
}

/// The name of a label.
fn label(label: Option<&ast::LabelIdentifier<'_>>) -> Option<Name> {
    label.map(|label| Name::new(label.name.as_str()))
}

/// The declaration of resources that are given back at the end of the block.
fn using_declaration<'b, 'a>(
    statement: &'b ast::Statement<'a>,
) -> Option<&'b ast::VariableDeclaration<'a>> {
    use ast::VariableDeclarationKind as K;
    match statement {
        ast::Statement::VariableDeclaration(variables)
            if matches!(variables.kind, K::Using | K::AwaitUsing) =>
        {
            Some(variables)
        }
        _ => None,
    }
}
