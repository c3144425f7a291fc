//! Calls of macros. Those of the standard library that are syntax in disguise are lowered to what
//! they mean. All others are a call of the macro (its name with a `!`), with what can be read of
//! their tokens as arguments: what they do is for rules to say. Tokens that cannot be read are
//! one gap, with the awaits in them.

use syn::Token;
use syn::parse::ParseStream;

use super::chains::{call_of, unnamed};
use super::control;
use super::functions::Head;
use super::lowering::{Lowering, block_of, expr, name_expr, span_of, spanning};
use super::name_of;
use super::pieces::{Data, DataKey, Piece, object, pieces_in};
use crate::program::{
    Argument, BinaryOp, Element, Expr, ExprKind, Key, Name, Property, Span, Stmt, StmtKind, UnaryOp,
};

impl Lowering<'_> {
    /// A macro's call as an expression.
    pub fn macro_call(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        let known = match standard_name(&mac.path) {
            Some(name) => self.standard(&name, mac, span),
            None => None,
        };
        known.unwrap_or_else(|| self.other_macro(mac, span))
    }

    /// A macro of the standard library; `None` where it is called in a way that it has not.
    fn standard(&mut self, name: &str, mac: &syn::Macro, span: Span) -> Option<Expr> {
        match name {
            "vec" => self.vec(mac, span),
            "matches" => self.matches(mac, span),
            "format" | "format_args" => self.format(mac, span),
            "assert" | "debug_assert" => {
                let args = parsed_values(mac)?;
                let (test, message) = args.split_first()?;
                let test = self.expression(test);
                let negated = negation(test);
                Some(self.checked(negated, message, span, name.starts_with("debug")))
            }
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => {
                let args = parsed_values(mac)?;
                let [left, right, message @ ..] = args.as_slice() else {
                    return None;
                };
                let left = self.boxed(left);
                let right = self.boxed(right);
                let fails = if name.ends_with("eq") {
                    BinaryOp::NotEqual
                } else {
                    BinaryOp::Equal
                };
                let place = spanning(left.span, right.span);
                let op = fails;
                let test = expr(place, ExprKind::Binary { op, left, right });
                Some(self.checked(test, message, span, name.starts_with("debug")))
            }
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                let args = parsed_values(mac)?;
                let body = self.thrown(&args, span);
                Some(block_of(span, body))
            }
            "dbg" => {
                let args = parsed_values(mac)?;
                let mut values: Vec<Expr> = args.iter().map(|arg| self.expression(arg)).collect();
                Some(match values.len() {
                    1 => values.remove(0),
                    _ => expr(span, ExprKind::Opaque(values)),
                })
            }
            _ => None,
        }
    }

    /// A test that throws where it holds. In a debug build's test the whole is left out, and
    /// that is a decision: nothing in it is reached.
    fn checked(&mut self, fails: Expr, message: &[syn::Expr], span: Span, debug: bool) -> Expr {
        let then = self.thrown(message, span);
        let kind = StmtKind::If {
            test: fails,
            then,
            other: Vec::new(),
        };
        let mut body = vec![Stmt { span, kind }];
        if debug {
            let kind = StmtKind::If {
                test: expr(Span::new(span.start, span.start), ExprKind::Bool(false)),
                then: body,
                other: Vec::new(),
            };
            body = vec![Stmt { span, kind }];
        }
        block_of(span, body)
    }

    /// A panic with what is said in it.
    fn thrown(&mut self, message: &[syn::Expr], span: Span) -> Vec<Stmt> {
        let parts = message.iter().map(|part| self.expression(part)).collect();
        let kind = StmtKind::Throw(expr(span, ExprKind::Opaque(parts)));
        vec![Stmt { span, kind }]
    }

    fn vec(&mut self, mac: &syn::Macro, span: Span) -> Option<Expr> {
        let repeated = |input: ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((value, input.parse::<syn::Expr>()?))
        };
        if let Ok((value, count)) = mac.parse_body_with(repeated) {
            let value = self.boxed(&value);
            let count = self.boxed(&count);
            return Some(expr(span, ExprKind::Repeat { value, count }));
        }
        let items = parsed_values(mac)?;
        let items = items.iter().map(|item| Element {
            spread: false,
            value: self.expression(item),
        });
        let items = items.collect();
        Some(expr(span, ExprKind::Array(items)))
    }

    fn matches(&mut self, mac: &syn::Macro, span: Span) -> Option<Expr> {
        let parse = |input: ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<syn::Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard) = mac.parse_body_with(parse).ok()?;
        let subject = self.expression(&value);
        let pattern = self.pattern(&pattern);
        let guard = guard.map(|guard| self.expression(&guard));
        let truth = |truth| expr(Span::new(span.end, span.end), ExprKind::Bool(truth));
        Some(control::match_of(
            span,
            subject,
            pattern,
            guard,
            truth(true),
            truth(false),
        ))
    }

    /// Any other macro.
    fn other_macro(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        if mac.tokens.is_empty() {
            let callee = self.macro_name(&mac.path);
            return call_of(span, callee, Vec::new());
        }
        if let Some(race) = self.select(mac, span) {
            return race;
        }
        let braces = matches!(mac.delimiter, syn::MacroDelimiter::Brace(_));
        let parse = |input: ParseStream<'_>| pieces_in(input, braces);
        let pieces = mac.parse_body_with(parse).ok();
        if let Some(pieces) = pieces.filter(|pieces| !are_statements(pieces, braces)) {
            let callee = self.macro_name(&mac.path);
            let args = pieces.iter().map(|piece| self.piece(piece)).collect();
            return call_of(span, callee, args);
        }
        let fields = |input: ParseStream<'_>| object(input, span);
        if let Ok(data) = mac.parse_body_with(fields) {
            let callee = self.macro_name(&mac.path);
            let arg = unnamed(self.data(&data));
            return call_of(span, callee, vec![arg]);
        }
        if let Ok(stmts) = mac.parse_body_with(syn::Block::parse_within) {
            return self.macro_of_statements(mac, stmts, span);
        }
        let what = Name::from(format!("{}!", written_path(&mac.path)));
        self.unread(span, what, Vec::new())
    }

    /// The name of a macro as something that is called.
    pub fn macro_name(&mut self, path: &syn::Path) -> Expr {
        if let Some(name) = path.get_ident() {
            let name = name_of(name);
            let called = Name::from(format!("{name}!"));
            let span = path
                .segments
                .first()
                .map(|first| span_of(first.ident.span()));
            self.called_macros.insert(name);
            return name_expr(span.unwrap_or_default(), called);
        }
        let mut callee = self.path_value(path);
        match &mut callee.kind {
            ExprKind::Member { name, .. } | ExprKind::Name(name) => {
                *name = Name::from(format!("{name}!"));
            }
            _ => {}
        }
        callee
    }

    /// A macro around statements (`try_stream! { .. }`): a function that it is given.
    fn macro_of_statements(&mut self, mac: &syn::Macro, stmts: Vec<syn::Stmt>, span: Span) -> Expr {
        let callee = self.macro_name(&mac.path);
        let brace_token = syn::token::Brace {
            span: mac.delimiter.span().to_owned(),
        };
        let block = syn::Block { brace_token, stmts };
        let head = Head {
            name: None,
            span,
            is_async: self.awaits_in(span) > 0,
            lexical_this: true,
            returns: None,
        };
        let id = self.function_of(head, |_| Vec::new(), |lowering| lowering.body(&block));
        let value = expr(span, ExprKind::Function(id));
        call_of(span, callee, vec![unnamed(value)])
    }

    fn piece(&mut self, piece: &Piece) -> Argument {
        match piece {
            Piece::Value(name, value) => Argument {
                name: name.clone(),
                ..unnamed(self.named_expression(value, name.as_ref()))
            },
            Piece::Pair(key, value) => {
                let items = [key, value].map(|part| Element {
                    spread: false,
                    value: self.expression(part),
                });
                let span = spanning(items[0].value.span, items[1].value.span);
                unnamed(expr(span, ExprKind::Array(items.into())))
            }
            Piece::Data(data) => unnamed(self.data(data)),
        }
    }

    fn data(&mut self, data: &Data) -> Expr {
        match data {
            Data::Null(span) => expr(*span, ExprKind::Null),
            Data::Value(value) => self.expression(value),
            Data::List(span, items) => {
                let span = *span;
                self.nested(
                    1,
                    |_| span,
                    |lowering| {
                        let items = items.iter().map(|item| Element {
                            spread: false,
                            value: lowering.data(item),
                        });
                        let items = items.collect();
                        expr(span, ExprKind::Array(items))
                    },
                )
            }
            Data::Object(span, fields) => {
                let span = *span;
                self.nested(
                    1,
                    |_| span,
                    |lowering| {
                        let fields = fields.iter().map(|(key, value)| {
                            let key = match key {
                                DataKey::Name(name) => Key::Name(name.clone()),
                                DataKey::Computed(key) => Key::Computed(lowering.boxed(key)),
                            };
                            let value = lowering.data(value);
                            Property::Field { key, value }
                        });
                        let fields = fields.collect();
                        expr(span, ExprKind::Object(fields))
                    },
                )
            }
        }
    }
}

fn negation(test: Expr) -> Expr {
    let span = test.span;
    let operand = Box::new(test);
    let op = UnaryOp::Not;
    expr(span, ExprKind::Unary { op, operand })
}

/// The name of a macro that the standard library may give.
fn standard_name(path: &syn::Path) -> Option<String> {
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    match (names.next()?, names.next(), names.next()) {
        (name, None, None) => Some(name.to_string()),
        (first, Some(name), None) if ["std", "core", "alloc"].iter().any(|own| first == own) => {
            Some(name.to_string())
        }
        _ => None,
    }
}

/// A path as it is written.
pub(super) fn written_path(path: &syn::Path) -> String {
    let names = path.segments.iter().map(|s| name_of(&s.ident).to_string());
    names.collect::<Vec<_>>().join("::")
}

/// The arguments of a macro that has nothing but expressions.
fn parsed_values(mac: &syn::Macro) -> Option<Vec<syn::Expr>> {
    let parse = |input: ParseStream<'_>| pieces_in(input, false);
    let pieces = mac.parse_body_with(parse).ok()?;
    let value = |piece| match piece {
        Piece::Value(_, value) => Some(*value),
        _ => None,
    };
    pieces.into_iter().map(value).collect()
}

/// Whether what a macro is given are statements, and not arguments: one that declares something,
/// or in braces several, or one that is none but by its braces.
fn are_statements(pieces: &[Piece], braces: bool) -> bool {
    let declares = |piece: &Piece| matches!(piece, Piece::Value(_, value) if matches!(&**value, syn::Expr::Let(_)));
    if pieces.iter().any(declares) {
        return true;
    }
    let [Piece::Value(None, only)] = pieces else {
        return false;
    };
    braces
        && matches!(
            &**only,
            syn::Expr::ForLoop(_)
                | syn::Expr::While(_)
                | syn::Expr::Loop(_)
                | syn::Expr::If(_)
                | syn::Expr::Match(_)
                | syn::Expr::Block(_)
                | syn::Expr::Unsafe(_)
                | syn::Expr::Yield(_)
                | syn::Expr::Try(_)
                | syn::Expr::Await(_)
        )
}
