//! Macros that stand as items.

use syn::Token;
use syn::parse::{Parse, ParseStream};

use super::conditions;
use super::items::macro_span;
use super::lowering::{Lowering, span_of, spanning, statement_of};
use super::macros::written_path;
use super::uses::is_public;
use crate::program::{Condition, Name, Span, Stmt, StmtKind};

/// `static ref NAME: TYPE = VALUE;`
struct LazyStatic {
    attributes: Vec<syn::Attribute>,
    visibility: syn::Visibility,
    word: Token![static],
    name: syn::Ident,
    ty: syn::Type,
    value: syn::Expr,
    end: Token![;],
}

impl Parse for LazyStatic {
    fn parse(input: ParseStream<'_>) -> syn::Result<LazyStatic> {
        let attributes = input.call(syn::Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let word = input.parse()?;
        input.parse::<Token![ref]>()?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(LazyStatic {
            attributes,
            visibility,
            word,
            name,
            ty,
            value: input.parse()?,
            end: input.parse()?,
        })
    }
}

impl Lowering<'_> {
    /// A macro that stands as an item: its own definition, static variables that are made on
    /// first use, branches by a condition of the build, or items as they are. What else it makes
    /// is not known.
    pub fn item_macro(&mut self, item: &syn::ItemMacro, span: Span, out: &mut Vec<Stmt>) {
        if let Some(name) = &item.ident {
            let tokens = span_of(item.mac.delimiter.span().join());
            return self.define_macro(name, tokens, span);
        }
        if item.mac.tokens.is_empty() || self.static_macro(&item.mac, out) {
            return;
        }
        let branches = |input: ParseStream<'_>| branches(input, items);
        if let Ok(branches) = item.mac.parse_body_with(branches) {
            for (condition, items, _) in &branches {
                self.conditional_items(condition, items, out);
            }
            return;
        }
        if let Ok(items) = item.mac.parse_body_with(items) {
            let macros_only = items.iter().all(|item| matches!(item, syn::Item::Macro(_)));
            if !macros_only {
                return self.items(&items, out);
            }
        }
        let what = Name::from(format!("{}!", written_path(&item.mac.path)));
        let gap = self.unread(macro_span(&item.mac), what, Vec::new());
        out.push(statement_of(gap));
    }

    /// Static variables that are made on first use: declared like any other, since those of a
    /// module are evaluated when they are asked for.
    pub fn static_macro(&mut self, mac: &syn::Macro, out: &mut Vec<Stmt>) -> bool {
        let parse = |input: ParseStream<'_>| {
            let mut found = Vec::new();
            while !input.is_empty() {
                found.push(input.parse::<LazyStatic>()?);
            }
            Ok(found)
        };
        let Ok(statics) = mac.parse_body_with(parse) else {
            return false;
        };
        for variable in &statics {
            let span = spanning(span_of(variable.word.span), span_of(variable.end.span));
            if self.included(&variable.attributes, span) {
                let public = is_public(&variable.visibility);
                self.constant(
                    span,
                    &variable.name,
                    &variable.ty,
                    &variable.value,
                    public,
                    out,
                );
            }
        }
        !statics.is_empty()
    }

    /// Statements in branches by a condition of the build.
    pub fn conditional_macro(&mut self, mac: &syn::Macro, out: &mut Vec<Stmt>) -> bool {
        let Ok(branches) = mac.parse_body_with(|input: ParseStream<'_>| {
            branches(input, |inside| {
                let brace_token = syn::token::Brace::default();
                let stmts = inside.call(syn::Block::parse_within)?;
                Ok(syn::Block { brace_token, stmts })
            })
        }) else {
            return false;
        };
        for (condition, block, span) in branches {
            match condition {
                Condition::Known(false) => self.leave_out(span),
                condition => {
                    if condition != Condition::Known(true) {
                        self.declarations.conditions.push((span, condition));
                    }
                    let kind = StmtKind::Block(self.block(&block));
                    out.push(Stmt { span, kind });
                }
            }
        }
        true
    }

    fn conditional_items(
        &mut self,
        condition: &Condition,
        items: &[syn::Item],
        out: &mut Vec<Stmt>,
    ) {
        for item in items {
            let span = super::items::span_of_item(item);
            match condition {
                Condition::Known(true) => self.item(item, out),
                Condition::Known(false) => self.leave_out(span),
                condition => {
                    self.declarations.conditions.push((span, condition.clone()));
                    self.item(item, out);
                }
            }
        }
    }
}

fn items(input: ParseStream<'_>) -> syn::Result<Vec<syn::Item>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(input.parse()?);
    }
    Ok(items)
}

/// `if #[cfg(A)] { .. } else if #[cfg(B)] { .. } else { .. }`, with what is in each branch and
/// where it stands.
fn branches<T>(
    input: ParseStream<'_>,
    inside: impl Fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<(Condition, T, Span)>> {
    let mut found = Vec::new();
    let mut before: Vec<Condition> = Vec::new();
    if !input.peek(Token![if]) {
        return Err(input.error("expected `if`"));
    }
    loop {
        let mut own = before.clone();
        let last = !input.peek(Token![if]);
        if !last {
            input.parse::<Token![if]>()?;
            let attributes = input.call(syn::Attribute::parse_outer)?;
            if attributes.is_empty() {
                return Err(input.error("expected a condition of the build"));
            }
            let condition = conditions::of(&attributes);
            own.push(condition.clone());
            before.push(Condition::Not(Box::new(condition)));
        }
        let content;
        let brace = syn::braced!(content in input);
        let span = spanning(span_of(brace.span.open()), span_of(brace.span.close()));
        let condition = Condition::All(own).decided(&|_, _| None);
        found.push((condition, inside(&content)?, span));
        if last || input.is_empty() {
            return Ok(found);
        }
        input.parse::<Token![else]>()?;
    }
}
