//! Expressions.

use super::lowering::{Lowering, block_of, expr, span_of, spanning};
use super::name_of;
use super::{control, literals};
use crate::program::{
    AssignOp, BinaryOp, Conversion, Element, Expr, ExprKind, Key, LogicalOp, Name, Property, Span,
    UnaryOp,
};

/// Peels off parentheses and references: values are followed, not where they lie.
fn without_marks(mut e: &syn::Expr) -> &syn::Expr {
    loop {
        e = match e {
            syn::Expr::Paren(inner) => &inner.expr,
            syn::Expr::Group(inner) => &inner.expr,
            syn::Expr::Reference(inner) => &inner.expr,
            syn::Expr::RawAddr(inner) => &inner.expr,
            syn::Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => &inner.expr,
            _ => return e,
        }
    }
}

/// Whether a reference is taken by which its place can be written.
fn is_lent(mut e: &syn::Expr) -> bool {
    loop {
        e = match e {
            syn::Expr::Paren(inner) => &inner.expr,
            syn::Expr::Group(inner) => &inner.expr,
            syn::Expr::Reference(inner) if inner.mutability.is_some() => return true,
            syn::Expr::Reference(inner) => &inner.expr,
            _ => return false,
        }
    }
}

impl Lowering<'_> {
    /// An expression.
    pub fn expression(&mut self, e: &syn::Expr) -> Expr {
        self.named_expression(e, None)
    }

    /// A boxed expression.
    pub fn boxed(&mut self, e: &syn::Expr) -> Box<Expr> {
        Box::new(self.expression(e))
    }

    /// An expression; if it is a function without a name, it gets this one.
    pub fn named_expression(&mut self, e: &syn::Expr, name: Option<&Name>) -> Expr {
        let lent = is_lent(e);
        let e = without_marks(e);
        let lowered = self.nested(
            1,
            |_| roughly(e),
            |lowering| lowering.expression_kind(e, name),
        );
        match lowered.kind {
            ExprKind::Name(_) | ExprKind::Member { .. } if lent => {
                expr(lowered.span, ExprKind::Lent(Box::new(lowered)))
            }
            _ => lowered,
        }
    }

    fn expression_kind(&mut self, e: &syn::Expr, name: Option<&Name>) -> Expr {
        match e {
            syn::Expr::MethodCall(_)
            | syn::Expr::Field(_)
            | syn::Expr::Await(_)
            | syn::Expr::Try(_)
            | syn::Expr::Index(_)
            | syn::Expr::Call(_) => self.chain_value(e),
            syn::Expr::Path(path) => self.path(path),
            syn::Expr::Lit(literal) => literals::literal(&literal.lit),
            syn::Expr::Closure(closure) => self.closure(closure, name),
            syn::Expr::Async(block) => self.async_block(block),
            syn::Expr::If(branch) => self.if_value(branch),
            syn::Expr::Match(written) => self.match_value(written),
            syn::Expr::Block(block) if block.label.is_none() => self.block_value(&block.block),
            syn::Expr::Unsafe(block) => self.block_value(&block.block),
            syn::Expr::Const(block) => self.block_value(&block.block),
            syn::Expr::Block(block) => {
                let span = control::block_span(&block.block);
                self.broken_value(span, |lowering, result, out| {
                    lowering.labelled_block(block, Some(result), out);
                })
            }
            syn::Expr::Loop(repeated) => {
                let start = span_of(repeated.loop_token.span);
                let span = spanning(start, control::block_span(&repeated.body));
                self.broken_value(span, |lowering, result, out| {
                    lowering.endless_loop(repeated, Some(result), out);
                })
            }
            syn::Expr::While(_)
            | syn::Expr::ForLoop(_)
            | syn::Expr::Return(_)
            | syn::Expr::Break(_)
            | syn::Expr::Continue(_) => {
                let mut body = Vec::new();
                self.control_statement(e, &mut body);
                let span = body.last().map_or(roughly(e), |last| last.span);
                block_of(spanning(roughly(e), span), body)
            }
            syn::Expr::TryBlock(block) => {
                let span = control::block_span(&block.block);
                self.called_at_once(span, &block.block, false)
            }
            syn::Expr::Macro(mac) => {
                let span = super::items::macro_span(&mac.mac);
                self.macro_call(&mac.mac, span)
            }
            e => self.operation(e),
        }
    }

    /// Operators and literals of several parts.
    fn operation(&mut self, e: &syn::Expr) -> Expr {
        match e {
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::Unary(unary) => {
                let operand = self.boxed(&unary.expr);
                let (op, start) = match &unary.op {
                    syn::UnOp::Neg(mark) => (UnaryOp::Minus, span_of(mark.span)),
                    syn::UnOp::Not(mark) => (UnaryOp::Not, span_of(mark.span)),
                    _ => return *operand,
                };
                let span = spanning(start, operand.span);
                expr(span, ExprKind::Unary { op, operand })
            }
            syn::Expr::Assign(assign) => {
                let target = Box::new(self.place(&assign.left));
                let value = self.boxed(&assign.right);
                let span = spanning(target.span, value.span);
                let op = AssignOp::Set;
                expr(span, ExprKind::Assign { op, target, value })
            }
            syn::Expr::Tuple(tuple) => {
                let span = delimited(&tuple.paren_token.span);
                if tuple.elems.is_empty() {
                    return expr(span, ExprKind::Undefined);
                }
                expr(span, ExprKind::Array(self.elements(tuple.elems.iter())))
            }
            syn::Expr::Array(array) => {
                let span = delimited(&array.bracket_token.span);
                expr(span, ExprKind::Array(self.elements(array.elems.iter())))
            }
            syn::Expr::Repeat(repeat) => {
                let value = self.boxed(&repeat.expr);
                let count = self.boxed(&repeat.len);
                let span = delimited(&repeat.bracket_token.span);
                expr(span, ExprKind::Repeat { value, count })
            }
            syn::Expr::Struct(record) => self.record(record),
            syn::Expr::Range(range) => self.range(range),
            syn::Expr::Cast(cast) => {
                let value = self.boxed(&cast.expr);
                let span = spanning(value.span, span_of(cast.as_token.span));
                let to = conversion(&cast.ty);
                expr(span, ExprKind::Cast { value, to })
            }
            syn::Expr::Let(fits) => {
                let subject = self.expression(&fits.expr);
                let pattern = self.pattern(&fits.pat);
                let span = spanning(span_of(fits.let_token.span), subject.span);
                let truth = |truth| expr(Span::new(span.end, span.end), ExprKind::Bool(truth));
                control::match_of(span, subject, pattern, None, truth(true), truth(false))
            }
            syn::Expr::Yield(given) => {
                let start = span_of(given.yield_token.span);
                let value = given.expr.as_ref().map(|value| self.boxed(value));
                let span = value
                    .as_ref()
                    .map_or(start, |value| spanning(start, value.span));
                self.yields = true;
                self.awaits.push(span);
                let delegate = false;
                expr(span, ExprKind::Yield { value, delegate })
            }
            syn::Expr::Infer(mark) => {
                let span = span_of(mark.underscore_token.span);
                expr(span, ExprKind::Opaque(Vec::new()))
            }
            syn::Expr::Verbatim(tokens) => {
                let span = super::items::tokens_span(tokens);
                let what = Name::new_static("unknown syntax");
                self.unread(span, what, Vec::new())
            }
            other => {
                let what = Name::new_static("unknown syntax");
                self.unread(roughly(other), what, Vec::new())
            }
        }
    }

    fn elements<'e>(&mut self, items: impl Iterator<Item = &'e syn::Expr>) -> Vec<Element> {
        items
            .map(|item| Element {
                spread: false,
                value: self.expression(item),
            })
            .collect()
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Expr {
        if let Some(op) = assigned(binary) {
            let target = Box::new(self.place(&binary.left));
            let value = self.boxed(&binary.right);
            let span = spanning(target.span, value.span);
            let op = AssignOp::Binary(op);
            return expr(span, ExprKind::Assign { op, target, value });
        }
        let left = self.boxed(&binary.left);
        let right = self.boxed(&binary.right);
        let span = spanning(left.span, right.span);
        let logical = match &binary.op {
            syn::BinOp::And(_) => Some(LogicalOp::And),
            syn::BinOp::Or(_) => Some(LogicalOp::Or),
            _ => None,
        };
        match logical {
            Some(op) => expr(span, ExprKind::Logical { op, left, right }),
            None => {
                let op = operator(binary);
                expr(span, ExprKind::Binary { op, left, right })
            }
        }
    }

    fn record(&mut self, record: &syn::ExprStruct) -> Expr {
        let of = Box::new(match &record.qself {
            Some(_) => expr(Span::default(), ExprKind::Opaque(Vec::new())),
            None => self.path_value(&record.path),
        });
        let close = span_of(record.brace_token.span.close());
        let span = spanning(of.span, close);
        let mut fields = Vec::new();
        if let Some(rest) = &record.rest {
            fields.push(Property::Spread(self.expression(rest)));
        }
        for field in &record.fields {
            let (name, place) = match &field.member {
                syn::Member::Named(name) => (name_of(name), span_of(name.span())),
                syn::Member::Unnamed(index) => {
                    (Name::from(index.index.to_string()), span_of(index.span))
                }
            };
            if !self.included(&field.attrs, place) {
                continue;
            }
            let value = self.named_expression(&field.expr, Some(&name));
            let key = Key::Name(name);
            fields.push(Property::Field { key, value });
        }
        expr(span, ExprKind::Record { of, fields })
    }

    fn range(&mut self, range: &syn::ExprRange) -> Expr {
        let start = range.start.as_ref().map(|start| self.boxed(start));
        let end = range.end.as_ref().map(|end| self.boxed(end));
        let (mark, inclusive) = range_mark(&range.limits);
        let first = start.as_ref().map_or(mark, |start| start.span);
        let last = end.as_ref().map_or(mark, |end| end.span);
        let kind = ExprKind::Range {
            start,
            end,
            inclusive,
        };
        expr(spanning(first, last), kind)
    }
}

/// Where the mark of a range stands, and whether the range has its end.
pub(super) fn range_mark(limits: &syn::RangeLimits) -> (Span, bool) {
    match limits {
        syn::RangeLimits::HalfOpen(mark) => (span_of(mark.spans[0]), false),
        syn::RangeLimits::Closed(mark) => (span_of(mark.spans[0]), true),
    }
}

fn delimited(span: &proc_macro2::extra::DelimSpan) -> Span {
    spanning(span_of(span.open()), span_of(span.close()))
}

fn operator(binary: &syn::ExprBinary) -> BinaryOp {
    use syn::BinOp as B;
    match &binary.op {
        B::Add(_) | B::AddAssign(_) => BinaryOp::Add,
        B::Sub(_) | B::SubAssign(_) => BinaryOp::Subtract,
        B::Mul(_) | B::MulAssign(_) => BinaryOp::Multiply,
        B::Div(_) | B::DivAssign(_) => {
            let fraction =
                literals::is_fraction(&binary.left) || literals::is_fraction(&binary.right);
            if fraction {
                BinaryOp::Divide
            } else {
                BinaryOp::Quotient
            }
        }
        B::Rem(_) | B::RemAssign(_) => BinaryOp::Remainder,
        B::BitXor(_) | B::BitXorAssign(_) => BinaryOp::BitXor,
        B::BitAnd(_) | B::BitAndAssign(_) => BinaryOp::BitAnd,
        B::BitOr(_) | B::BitOrAssign(_) => BinaryOp::BitOr,
        B::Shl(_) | B::ShlAssign(_) => BinaryOp::ShiftLeft,
        B::Shr(_) | B::ShrAssign(_) => BinaryOp::ShiftRight,
        B::Eq(_) => BinaryOp::Equal,
        B::Lt(_) => BinaryOp::Less,
        B::Le(_) => BinaryOp::LessOrEqual,
        B::Ge(_) => BinaryOp::GreaterOrEqual,
        B::Gt(_) => BinaryOp::Greater,
        // `!=`; `&&` and `||` are matched before.
        _ => BinaryOp::NotEqual,
    }
}

/// The operator of `+=` and the like.
fn assigned(binary: &syn::ExprBinary) -> Option<BinaryOp> {
    use syn::BinOp as B;
    let assigns = matches!(
        binary.op,
        B::AddAssign(_)
            | B::SubAssign(_)
            | B::MulAssign(_)
            | B::DivAssign(_)
            | B::RemAssign(_)
            | B::BitXorAssign(_)
            | B::BitAndAssign(_)
            | B::BitOrAssign(_)
            | B::ShlAssign(_)
            | B::ShrAssign(_)
    );
    assigns.then(|| operator(binary))
}

/// What a value becomes by `as`.
fn conversion(ty: &syn::Type) -> Conversion {
    let whole = |bits: i32, signed: bool| {
        let (least, most) = if signed {
            (-(2_f64.powi(bits - 1)), 2_f64.powi(bits - 1) - 1.0)
        } else {
            (0.0, 2_f64.powi(bits) - 1.0)
        };
        Conversion::Whole { least, most }
    };
    let name = match ty {
        syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    };
    match name.map(ToString::to_string).as_deref() {
        Some("u8") => whole(8, false),
        Some("u16") => whole(16, false),
        Some("u32") => whole(32, false),
        Some("u64" | "usize") => whole(64, false),
        Some("u128") => whole(128, false),
        Some("i8") => whole(8, true),
        Some("i16") => whole(16, true),
        Some("i32") => whole(32, true),
        Some("i64" | "isize") => whole(64, true),
        Some("i128") => whole(128, true),
        Some("f32" | "f64") => Conversion::Fraction,
        _ => {
            let ty = super::types::lower(ty);
            Conversion::Type((ty.path != ["_"]).then(|| Box::new(ty)))
        }
    }
}

/// Where an expression begins, without looking far: the place of a gap or condition.
pub(super) fn roughly(e: &syn::Expr) -> Span {
    let mut e = e;
    loop {
        e = match e {
            syn::Expr::MethodCall(inner) => &inner.receiver,
            syn::Expr::Field(inner) => &inner.base,
            syn::Expr::Await(inner) => &inner.base,
            syn::Expr::Try(inner) => &inner.expr,
            syn::Expr::Index(inner) => &inner.expr,
            syn::Expr::Call(inner) => &inner.func,
            syn::Expr::Binary(inner) => &inner.left,
            syn::Expr::Assign(inner) => &inner.left,
            syn::Expr::Cast(inner) => &inner.expr,
            _ => break,
        }
    }
    first_token(e).map_or(Span::default(), span_of)
}

fn first_token(e: &syn::Expr) -> Option<proc_macro2::Span> {
    Some(match e {
        syn::Expr::Array(e) => e.bracket_token.span.open(),
        syn::Expr::Async(e) => e.async_token.span,
        syn::Expr::Block(e) => e.block.brace_token.span.open(),
        syn::Expr::Break(e) => e.break_token.span,
        syn::Expr::Closure(e) => e.or1_token.span,
        syn::Expr::Const(e) => e.const_token.span,
        syn::Expr::Continue(e) => e.continue_token.span,
        syn::Expr::ForLoop(e) => e.for_token.span,
        syn::Expr::If(e) => e.if_token.span,
        syn::Expr::Let(e) => e.let_token.span,
        syn::Expr::Lit(e) => e.lit.span(),
        syn::Expr::Loop(e) => e.loop_token.span,
        syn::Expr::Macro(e) => e.mac.path.segments.first()?.ident.span(),
        syn::Expr::Match(e) => e.match_token.span,
        syn::Expr::Paren(e) => e.paren_token.span.open(),
        syn::Expr::Path(e) => e.path.segments.first()?.ident.span(),
        syn::Expr::Reference(e) => e.and_token.span,
        syn::Expr::Repeat(e) => e.bracket_token.span.open(),
        syn::Expr::Return(e) => e.return_token.span,
        syn::Expr::Struct(e) => e.path.segments.first()?.ident.span(),
        syn::Expr::Tuple(e) => e.paren_token.span.open(),
        syn::Expr::Unary(e) => match &e.op {
            syn::UnOp::Deref(mark) => mark.span,
            syn::UnOp::Not(mark) => mark.span,
            syn::UnOp::Neg(mark) => mark.span,
            _ => return None,
        },
        syn::Expr::Unsafe(e) => e.unsafe_token.span,
        syn::Expr::While(e) => e.while_token.span,
        syn::Expr::Yield(e) => e.yield_token.span,
        _ => return None,
    })
}

/// The attributes of an expression that stands as a statement.
pub(super) fn attributes_of(e: &syn::Expr) -> &[syn::Attribute] {
    match e {
        syn::Expr::Assign(e) => &e.attrs,
        syn::Expr::Await(e) => &e.attrs,
        syn::Expr::Binary(e) => &e.attrs,
        syn::Expr::Block(e) => &e.attrs,
        syn::Expr::Call(e) => &e.attrs,
        syn::Expr::ForLoop(e) => &e.attrs,
        syn::Expr::If(e) => &e.attrs,
        syn::Expr::Loop(e) => &e.attrs,
        syn::Expr::Macro(e) => &e.attrs,
        syn::Expr::Match(e) => &e.attrs,
        syn::Expr::MethodCall(e) => &e.attrs,
        syn::Expr::Return(e) => &e.attrs,
        syn::Expr::Try(e) => &e.attrs,
        syn::Expr::Unsafe(e) => &e.attrs,
        syn::Expr::While(e) => &e.attrs,
        _ => &[],
    }
}

/// Where an expression ends that needs no semicolon behind it.
pub(super) fn block_like_end(e: &syn::Expr) -> Option<Span> {
    let mut e = e;
    loop {
        let block = match e {
            syn::Expr::Block(e) => &e.block,
            syn::Expr::Unsafe(e) => &e.block,
            syn::Expr::Async(e) => &e.block,
            syn::Expr::While(e) => &e.body,
            syn::Expr::ForLoop(e) => &e.body,
            syn::Expr::Loop(e) => &e.body,
            syn::Expr::If(branch) => match &branch.else_branch {
                Some((_, otherwise)) => {
                    e = otherwise;
                    continue;
                }
                None => &branch.then_branch,
            },
            syn::Expr::Match(e) => return Some(span_of(e.brace_token.span.close())),
            syn::Expr::Macro(e) => return Some(span_of(e.mac.delimiter.span().close())),
            syn::Expr::MethodCall(e) => return Some(span_of(e.paren_token.span.close())),
            syn::Expr::Call(e) => return Some(span_of(e.paren_token.span.close())),
            syn::Expr::Try(e) => return Some(span_of(e.question_token.span)),
            syn::Expr::Await(e) => return Some(span_of(e.await_token.span)),
            syn::Expr::Return(inner) => {
                e = inner.expr.as_ref()?;
                continue;
            }
            _ => return None,
        };
        return Some(control::block_span(block));
    }
}
