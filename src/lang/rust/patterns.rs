//! Patterns, and the places of assignments.

use super::expressions::range_mark;
use super::literals;
use super::lowering::{Lowering, expr, span_of, spanning};
use super::name_of;
use crate::program::{ExprKind, Key, Name, Pattern, PatternField, PatternKind, Span};

impl Lowering<'_> {
    /// A pattern.
    pub fn pattern(&mut self, pattern: &syn::Pat) -> Pattern {
        let pattern = without_marks(pattern);
        if self.depth >= super::lowering::MAX_TREE_DEPTH {
            // Nothing waits in a pattern: what it binds is not known, and that is said.
            let span = Span::default();
            self.too_deep(span);
            let kind = PatternKind::Ignore;
            return Pattern { span, kind };
        }
        self.depth += 1;
        let lowered = self.pattern_kind(pattern);
        self.depth -= 1;
        lowered
    }

    fn pattern_kind(&mut self, written: &syn::Pat) -> Pattern {
        match written {
            syn::Pat::Ident(ident) => self.ident_pattern(ident),
            syn::Pat::Wild(wild) => ignored(span_of(wild.underscore_token.span)),
            syn::Pat::Rest(rest) => ignored(span_of(rest.dot2_token.spans[0])),
            syn::Pat::Tuple(tuple) => {
                let span = delimited(&tuple.paren_token.span);
                let kind = self.tuple_items(tuple.elems.iter());
                pattern(span, kind)
            }
            syn::Pat::Slice(slice) => {
                let span = delimited(&slice.bracket_token.span);
                let kind = self.ends(slice.elems.iter());
                pattern(span, kind)
            }
            syn::Pat::TupleStruct(case) => {
                let of = self.path_value(&case.path);
                let inside = delimited(&case.paren_token.span);
                let span = spanning(of.span, inside);
                let kind = self.tuple_items(case.elems.iter());
                let inner = Some(Box::new(pattern(inside, kind)));
                let of = Box::new(of);
                pattern(span, PatternKind::Case { of, inner })
            }
            syn::Pat::Struct(case) => self.struct_pattern(case),
            syn::Pat::Path(path) => {
                let of = Box::new(self.path(path));
                pattern(of.span, PatternKind::Case { of, inner: None })
            }
            syn::Pat::Lit(literal) => {
                let value = literals::literal(&literal.lit);
                pattern(value.span, PatternKind::Equal(Box::new(value)))
            }
            syn::Pat::Range(range) => {
                let start = range.start.as_ref().map(|start| self.boxed(start));
                let end = range.end.as_ref().map(|end| self.boxed(end));
                let (mark, inclusive) = range_mark(&range.limits);
                let first = start.as_ref().map_or(mark, |start| start.span);
                let last = end.as_ref().map_or(mark, |end| end.span);
                let kind = PatternKind::Between {
                    start,
                    end,
                    inclusive,
                };
                pattern(spanning(first, last), kind)
            }
            syn::Pat::Or(either) => {
                let parts: Vec<Pattern> =
                    either.cases.iter().map(|case| self.pattern(case)).collect();
                let first = parts.first().map_or(Span::default(), |part| part.span);
                let last = parts.last().map_or(first, |part| part.span);
                pattern(spanning(first, last), PatternKind::Either(parts))
            }
            syn::Pat::Const(block) => {
                let value = self.block_value(&block.block);
                pattern(value.span, PatternKind::Equal(Box::new(value)))
            }
            syn::Pat::Macro(mac) => {
                let span = super::items::macro_span(&mac.mac);
                let value = self.unread(span, Name::new_static("a macro in a pattern"), Vec::new());
                let of = Box::new(value);
                pattern(span, PatternKind::Case { of, inner: None })
            }
            syn::Pat::Verbatim(tokens) => {
                let span = super::items::tokens_span(tokens);
                let value = self.unread(span, Name::new_static("unknown syntax"), Vec::new());
                let of = Box::new(value);
                pattern(span, PatternKind::Case { of, inner: None })
            }
            _ => ignored(Span::default()),
        }
    }

    /// A name alone. One that begins with a capital is a constant or a form of a type: the
    /// language's own lints keep variables from being called so.
    fn ident_pattern(&mut self, ident: &syn::PatIdent) -> Pattern {
        let span = span_of(ident.ident.span());
        let name = name_of(&ident.ident);
        if let Some((_, inner)) = &ident.subpat {
            let inner = Box::new(self.pattern(inner));
            let span = spanning(span, inner.span);
            let kind = PatternKind::Bind {
                name,
                pattern: inner,
            };
            return pattern(span, kind);
        }
        let plain = ident.by_ref.is_none() && ident.mutability.is_none();
        if plain && name.starts_with(char::is_uppercase) {
            let of = Box::new(expr(span, ExprKind::Name(name)));
            return pattern(span, PatternKind::Case { of, inner: None });
        }
        pattern(span, PatternKind::Name(name))
    }

    fn struct_pattern(&mut self, case: &syn::PatStruct) -> Pattern {
        let of = self.path_value(&case.path);
        let inside = delimited(&case.brace_token.span);
        let span = spanning(of.span, inside);
        let mut fields = Vec::new();
        for field in &case.fields {
            let (name, place) = match &field.member {
                syn::Member::Named(name) => (name_of(name), span_of(name.span())),
                syn::Member::Unnamed(index) => {
                    (Name::from(index.index.to_string()), span_of(index.span))
                }
            };
            if self.included(&field.attrs, place) {
                let pattern = self.pattern(&field.pat);
                let key = Key::Name(name);
                fields.push(PatternField { key, pattern });
            }
        }
        let kind = PatternKind::Object { fields, rest: None };
        let inner = Some(Box::new(pattern(inside, kind)));
        let of = Box::new(of);
        pattern(span, PatternKind::Case { of, inner })
    }

    /// The items of a tuple.
    fn tuple_items<'p>(
        &mut self,
        items: impl Iterator<Item = &'p syn::Pat> + Clone,
    ) -> PatternKind {
        let rest = items.clone().position(is_rest);
        let count = items.clone().count();
        match rest {
            Some(at) if at + 1 < count => self.ends(items),
            _ => PatternKind::List {
                items: items
                    .filter(|item| !is_rest(item))
                    .map(|item| Some(self.pattern(item)))
                    .collect(),
                rest: None,
            },
        }
    }

    /// The items of a list of which only both ends may be named.
    fn ends<'p>(&mut self, items: impl Iterator<Item = &'p syn::Pat>) -> PatternKind {
        let mut first = Vec::new();
        let mut rest = None;
        let mut last = Vec::new();
        for item in items {
            if is_rest(item) {
                let lowered = match without_marks(item) {
                    syn::Pat::Ident(ident) => {
                        let span = span_of(ident.ident.span());
                        pattern(span, PatternKind::Name(name_of(&ident.ident)))
                    }
                    item => self.pattern(item),
                };
                rest = Some(Box::new(lowered));
            } else if rest.is_some() {
                last.push(self.pattern(item));
            } else {
                first.push(self.pattern(item));
            }
        }
        PatternKind::Ends {
            first: first.into(),
            rest,
            last: last.into(),
        }
    }

    /// The place of an assignment.
    pub fn place(&mut self, e: &syn::Expr) -> Pattern {
        match e {
            syn::Expr::Paren(inner) => self.place(&inner.expr),
            syn::Expr::Infer(mark) => ignored(span_of(mark.underscore_token.span)),
            syn::Expr::Tuple(tuple) => {
                let span = delimited(&tuple.paren_token.span);
                let items = tuple
                    .elems
                    .iter()
                    .map(|item| Some(self.place(item)))
                    .collect();
                pattern(span, PatternKind::List { items, rest: None })
            }
            e => {
                let value = self.expression(e);
                let span = value.span;
                match value.kind {
                    ExprKind::Name(name) => pattern(span, PatternKind::Name(name)),
                    kind => pattern(span, PatternKind::Place(Box::new(expr(span, kind)))),
                }
            }
        }
    }
}

fn pattern(span: Span, kind: PatternKind) -> Pattern {
    Pattern { span, kind }
}

fn ignored(span: Span) -> Pattern {
    pattern(span, PatternKind::Ignore)
}

fn delimited(span: &proc_macro2::extra::DelimSpan) -> Span {
    spanning(span_of(span.open()), span_of(span.close()))
}

/// Peels off references, parentheses and types.
fn without_marks(mut pattern: &syn::Pat) -> &syn::Pat {
    loop {
        pattern = match pattern {
            syn::Pat::Paren(inner) => &inner.pat,
            syn::Pat::Reference(inner) => &inner.pat,
            syn::Pat::Type(inner) => &inner.pat,
            _ => return pattern,
        }
    }
}

/// `..` or `name @ ..`.
fn is_rest(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(ident) => {
            let inner = ident.subpat.as_ref();
            inner.is_some_and(|(_, inner)| matches!(&**inner, syn::Pat::Rest(_)))
        }
        _ => false,
    }
}

/// Whether a variable of a pattern may be assigned again.
pub(super) fn is_mutable(pattern: &syn::Pat) -> bool {
    match without_marks(pattern) {
        syn::Pat::Ident(ident) => ident.mutability.is_some(),
        // Which of several is not told apart.
        _ => true,
    }
}

/// All variables that a pattern binds, in order, each once.
pub(super) fn bound_names(pattern: &Pattern, out: &mut Vec<Name>) {
    let mut add = |name: &Name| {
        if !out.contains(name) {
            out.push(name.clone());
        }
    };
    match &pattern.kind {
        PatternKind::Name(name) => add(name),
        PatternKind::Object { fields, .. } => {
            fields
                .iter()
                .for_each(|field| bound_names(&field.pattern, out));
        }
        PatternKind::List { items, .. } => {
            items
                .iter()
                .flatten()
                .for_each(|item| bound_names(item, out));
        }
        kind => {
            if let PatternKind::Bind { name, .. } = kind {
                add(name);
            }
            kind.parts().for_each(|part| bound_names(part, out));
        }
    }
}
