//! Items of a module or block.

use std::sync::Arc;

use super::lowering::{Lowering, name_pattern, span_of, spanning, statement_of};
use super::name_of;
use super::uses::is_public;
use crate::program::{Export, MacroDefinition, Module, Name, Span, Stmt, StmtKind, TypeId};

/// Modules written one inside of the other are read up to this many.
const MOST_INSIDE: usize = 64;

impl Lowering<'_> {
    /// The items of a module.
    pub fn items(&mut self, items: &[syn::Item], out: &mut Vec<Stmt>) {
        for item in items {
            self.declared.extend(declared_name(item));
        }
        for item in items {
            self.item(item, out);
        }
    }

    /// One item, which can become none (a macro's definition) or several.
    pub fn item(&mut self, item: &syn::Item, out: &mut Vec<Stmt>) {
        let span = span_of_item(item);
        let attributes = attributes_of(item);
        if !attributes.is_empty() && !self.included(attributes, span) {
            return;
        }
        match item {
            syn::Item::Fn(item) => {
                let name = name_of(&item.sig.ident);
                let function = self.function(&item.sig, &item.block, span);
                self.mark_function(&item.attrs, span);
                self.export(span, &name, is_public(&item.vis));
                let kind = StmtKind::Function { name, function };
                out.push(Stmt { span, kind });
            }
            syn::Item::Const(item) => {
                self.constant(
                    span,
                    &item.ident,
                    &item.ty,
                    &item.expr,
                    is_public(&item.vis),
                    out,
                );
            }
            syn::Item::Static(item) => {
                self.constant(
                    span,
                    &item.ident,
                    &item.ty,
                    &item.expr,
                    is_public(&item.vis),
                    out,
                );
            }
            syn::Item::Mod(item) => self.module(item, span),
            syn::Item::Use(item) => self.use_item(item, span, out),
            syn::Item::ExternCrate(item) => self.extern_crate(item, span),
            syn::Item::Impl(item) => self.implementation(item, span),
            syn::Item::Struct(_)
            | syn::Item::Enum(_)
            | syn::Item::Union(_)
            | syn::Item::Trait(_)
            | syn::Item::Type(_) => self.type_item(item, span, out),
            syn::Item::Macro(item) => self.item_macro(item, span, out),
            // Functions of another language: what they are called is known, and nothing else.
            syn::Item::ForeignMod(_) | syn::Item::TraitAlias(_) => {}
            _ => {
                let what = Name::new_static("an item of unknown syntax");
                let gap = self.unread(span, what, Vec::new());
                out.push(statement_of(gap));
            }
        }
    }

    /// A constant or static variable.
    pub fn constant(
        &mut self,
        span: Span,
        name: &syn::Ident,
        ty: &syn::Type,
        value: &syn::Expr,
        public: bool,
        out: &mut Vec<Stmt>,
    ) {
        let name_span = span_of(name.span());
        let name = name_of(name);
        self.export(span, &name, public);
        let ty = Some(Box::new(self.written_type(ty)));
        let init = Some(self.named_expression(value, Some(&name)));
        let kind = StmtKind::Let {
            pattern: name_pattern(name_span, name),
            ty,
            init,
            constant: true,
            hoisted: false,
        };
        out.push(Stmt { span, kind });
    }

    /// Declares a type.
    pub fn declare_type(&mut self, span: Span, name: Name, public: bool, out: &mut Vec<Stmt>) {
        self.export(span, &name, public);
        let last = self.declarations.types.len().saturating_sub(1);
        let item = TypeId(u32::try_from(last).unwrap_or(u32::MAX));
        let kind = StmtKind::Type { name, item };
        out.push(Stmt { span, kind });
    }

    /// `mod x;` or `mod x { .. }`.
    fn module(&mut self, item: &syn::ItemMod, span: Span) {
        let Some((_, items)) = &item.content else {
            return self.module_file(item, span);
        };
        if self.inside.len() >= MOST_INSIDE {
            self.too_deep(span);
            let what = Name::new_static("nested too deeply");
            self.unread(span, what, Vec::new());
            return;
        }
        let name = name_of(&item.ident);
        let public = is_public(&item.vis);
        self.exports.extend(self.within.is_none().then(|| Export {
            span,
            kind: export_of(&name, public),
        }));
        let lowered = self.inner_module(item, items, span, &name);
        self.inner.push((name, Arc::new(lowered)));
    }

    fn inner_module(
        &mut self,
        item: &syn::ItemMod,
        items: &[syn::Item],
        span: Span,
        name: &Name,
    ) -> Module {
        let mut inside = self.inside.clone();
        inside.push(name.clone());
        let mut folders = self.folders.clone();
        let given = item.attrs.iter().find_map(super::uses::path_attribute);
        folders.push(given.map_or(name.to_string(), |(_, path)| path));
        let (own, outer) = std::mem::take(&mut self.comments)
            .into_iter()
            .partition(|comment| span.contains(comment.span));
        self.comments = outer;
        let mut inner = Lowering::new(self.text, self.path, self.written());
        inner.inside = inside;
        inner.folders = folders;
        inner.depth = self.depth;
        inner.comments = own;
        let mut module = Module {
            path: self.path.to_string(),
            line_starts: crate::program::line_starts(self.text),
            lazy_futures: true,
            failures_are_values: true,
            ..Module::default()
        };
        let mut body = Vec::new();
        inner.items(items, &mut body);
        inner.finish(body, &mut module);
        self.gaps.append(&mut module.gaps);
        module
    }

    /// Keeps the definition of a macro.
    pub fn define_macro(&mut self, name: &syn::Ident, tokens: Span, span: Span) {
        let text = self.text.get(tokens.start as usize..tokens.end as usize);
        let awaits = self.awaits_in(span);
        self.declarations.macros.push(MacroDefinition {
            name: name_of(name),
            span,
            awaits,
            text: text.unwrap_or_default().to_string(),
        });
    }
}

/// How a module gives a name to others.
pub(super) fn export_of(name: &Name, public: bool) -> crate::program::ExportKind {
    use crate::program::ExportKind;
    let (exported, local) = (name.clone(), name.clone());
    if public {
        ExportKind::Local { exported, local }
    } else {
        ExportKind::Inner { exported, local }
    }
}

/// The name that an item declares in its module.
fn declared_name(item: &syn::Item) -> Option<Name> {
    Some(match item {
        syn::Item::Fn(item) => name_of(&item.sig.ident),
        syn::Item::Const(item) => name_of(&item.ident),
        syn::Item::Static(item) => name_of(&item.ident),
        syn::Item::Mod(item) => name_of(&item.ident),
        syn::Item::Struct(item) => name_of(&item.ident),
        syn::Item::Enum(item) => name_of(&item.ident),
        syn::Item::Union(item) => name_of(&item.ident),
        syn::Item::Trait(item) => name_of(&item.ident),
        syn::Item::Type(item) => name_of(&item.ident),
        syn::Item::ExternCrate(item) => match &item.rename {
            Some((_, rename)) => name_of(rename),
            None => return None,
        },
        _ => return None,
    })
}

/// The attributes of an item.
pub(super) fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::TraitAlias(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// An item behind its attributes and visibility, up to its end.
pub(super) fn span_of_item(item: &syn::Item) -> Span {
    let between =
        |first: proc_macro2::Span, last: proc_macro2::Span| spanning(span_of(first), span_of(last));
    match item {
        syn::Item::Const(item) => between(item.const_token.span, item.semi_token.span),
        syn::Item::Enum(item) => between(item.enum_token.span, item.brace_token.span.close()),
        syn::Item::ExternCrate(item) => between(item.extern_token.span, item.semi_token.span),
        syn::Item::Fn(item) => between(
            signature_start(&item.sig),
            item.block.brace_token.span.close(),
        ),
        syn::Item::ForeignMod(item) => {
            between(item.abi.extern_token.span, item.brace_token.span.close())
        }
        syn::Item::Impl(item) => between(item.impl_token.span, item.brace_token.span.close()),
        syn::Item::Macro(item) => macro_span(&item.mac),
        syn::Item::Mod(item) => {
            let end = match (&item.content, &item.semi) {
                (Some((brace, _)), _) => brace.span.close(),
                (None, Some(semi)) => semi.span,
                (None, None) => item.ident.span(),
            };
            between(item.mod_token.span, end)
        }
        syn::Item::Static(item) => between(item.static_token.span, item.semi_token.span),
        syn::Item::Struct(item) => {
            let end = match (&item.fields, &item.semi_token) {
                (_, Some(semi)) => semi.span,
                (syn::Fields::Named(fields), None) => fields.brace_token.span.close(),
                _ => item.ident.span(),
            };
            between(item.struct_token.span, end)
        }
        syn::Item::Trait(item) => between(item.trait_token.span, item.brace_token.span.close()),
        syn::Item::TraitAlias(item) => between(item.trait_token.span, item.semi_token.span),
        syn::Item::Type(item) => between(item.type_token.span, item.semi_token.span),
        syn::Item::Union(item) => {
            between(item.union_token.span, item.fields.brace_token.span.close())
        }
        syn::Item::Use(item) => between(item.use_token.span, item.semi_token.span),
        syn::Item::Verbatim(tokens) => tokens_span(tokens),
        _ => Span::default(),
    }
}

/// From the first to the last of these tokens.
pub(super) fn tokens_span(tokens: &proc_macro2::TokenStream) -> Span {
    let mut tokens = tokens.clone().into_iter();
    let Some(first) = tokens.next() else {
        return Span::default();
    };
    let first = span_of(first.span());
    let last = tokens.last().map_or(first, |last| span_of(last.span()));
    spanning(first, last)
}

/// The first word of a function.
pub(super) fn signature_start(signature: &syn::Signature) -> proc_macro2::Span {
    let words = [
        signature.constness.map(|word| word.span),
        signature.asyncness.map(|word| word.span),
        signature.unsafety.map(|word| word.span),
        signature.abi.as_ref().map(|abi| abi.extern_token.span),
    ];
    let first = words.into_iter().flatten().next();
    first.unwrap_or(signature.fn_token.span)
}

/// The whole of a macro's call.
pub(super) fn macro_span(mac: &syn::Macro) -> Span {
    let first = mac.path.segments.first();
    let first = first.map_or(mac.bang_token.span, |first| first.ident.span());
    spanning(span_of(first), span_of(mac.delimiter.span().close()))
}
