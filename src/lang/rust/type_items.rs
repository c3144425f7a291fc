//! Types, interfaces and implementations, as data.

use super::items::signature_start;
use super::lowering::{Lowering, span_of, spanning};
use super::name_of;
use super::types;
use super::uses::is_public;
use crate::program::{
    Field, Implementation, Member, MemberItem, Name, Span, Stmt, TypeItem, TypeKind, Variant,
};

impl Lowering<'_> {
    /// A type or interface.
    pub fn type_item(&mut self, item: &syn::Item, span: Span, out: &mut Vec<Stmt>) {
        let (ident, attributes, visibility, generics) = match item {
            syn::Item::Struct(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
            syn::Item::Enum(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
            syn::Item::Union(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
            syn::Item::Trait(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
            syn::Item::Type(item) => (&item.ident, &item.attrs, &item.vis, &item.generics),
            _ => return,
        };
        let kind = match item {
            syn::Item::Struct(item) => TypeKind::Record {
                fields: self.fields(&item.fields),
                tuple: matches!(item.fields, syn::Fields::Unnamed(_)),
            },
            syn::Item::Union(item) => TypeKind::Record {
                fields: self.fields_of(item.fields.named.iter()),
                tuple: false,
            },
            syn::Item::Enum(item) => {
                let variants = item.variants.iter();
                TypeKind::Variants(variants.filter_map(|v| self.variant(v)).collect())
            }
            syn::Item::Trait(item) => TypeKind::Interface {
                parents: types::bounds(item.supertraits.iter()),
                members: self.trait_members(&item.items),
            },
            syn::Item::Type(item) => TypeKind::Alias(self.written_type(&item.ty)),
            _ => return,
        };
        let name = name_of(ident);
        let markers = self.markers(attributes);
        let generics = types::generics(generics);
        self.declarations.types.push(TypeItem {
            name: name.clone(),
            span,
            generics,
            markers,
            kind,
        });
        self.declare_type(span, name, is_public(visibility), out);
    }

    fn fields(&mut self, fields: &syn::Fields) -> Vec<Field> {
        self.fields_of(fields.iter())
    }

    fn fields_of<'f>(&mut self, fields: impl Iterator<Item = &'f syn::Field>) -> Vec<Field> {
        let mut lowered = Vec::new();
        for (index, field) in fields.enumerate() {
            let (name, span) = match &field.ident {
                Some(ident) => (name_of(ident), span_of(ident.span())),
                None => (Name::from(index.to_string()), first_of_type(&field.ty)),
            };
            if !self.included(&field.attrs, span) {
                continue;
            }
            lowered.push(Field {
                name,
                span,
                ty: self.written_type(&field.ty),
                markers: self.markers(&field.attrs),
            });
        }
        lowered
    }

    fn variant(&mut self, variant: &syn::Variant) -> Option<Variant> {
        let span = span_of(variant.ident.span());
        if !self.included(&variant.attrs, span) {
            return None;
        }
        let value = variant.discriminant.as_ref();
        Some(Variant {
            name: name_of(&variant.ident),
            span,
            fields: self.fields(&variant.fields),
            tuple: matches!(variant.fields, syn::Fields::Unnamed(_)),
            value: value.map(|(_, value)| self.expression(value)),
            markers: self.markers(&variant.attrs),
        })
    }

    /// `impl`.
    pub fn implementation(&mut self, item: &syn::ItemImpl, span: Span) {
        let interface = item.trait_.as_ref().map(|(_, path, _)| {
            self.note_type_path(path);
            types::named(path)
        });
        let target = self.written_type(&item.self_ty);
        let mut members = Vec::new();
        for member in &item.items {
            self.impl_member(member, &mut members);
        }
        let implementation = Implementation {
            span,
            within: self.within,
            generics: types::generics(&item.generics),
            interface,
            target,
            members,
            markers: self.markers(&item.attrs),
        };
        self.declarations.implementations.push(implementation);
    }

    fn impl_member(&mut self, member: &syn::ImplItem, out: &mut Vec<Member>) {
        out.extend(match member {
            syn::ImplItem::Fn(member) => self.method(&member.attrs, &member.sig, &member.block),
            syn::ImplItem::Const(member) => {
                let span = spanning(
                    span_of(member.const_token.span),
                    span_of(member.semi_token.span),
                );
                self.associated_constant(
                    &member.attrs,
                    span,
                    &member.ident,
                    &member.ty,
                    Some(&member.expr),
                )
            }
            syn::ImplItem::Type(member) => {
                let span = spanning(
                    span_of(member.type_token.span),
                    span_of(member.semi_token.span),
                );
                self.included(&member.attrs, span).then(|| Member {
                    name: name_of(&member.ident),
                    span,
                    kind: MemberItem::Type {
                        is: Some(self.written_type(&member.ty)),
                        bounds: Vec::new(),
                    },
                })
            }
            syn::ImplItem::Macro(member) => return self.member_macro(&member.mac, out),
            syn::ImplItem::Verbatim(tokens) => {
                self.member_verbatim(tokens);
                None
            }
            _ => None,
        });
    }

    fn trait_members(&mut self, items: &[syn::TraitItem]) -> Vec<Member> {
        let mut members = Vec::new();
        for item in items {
            members.extend(self.trait_member(item));
        }
        members
    }

    fn trait_member(&mut self, member: &syn::TraitItem) -> Option<Member> {
        match member {
            syn::TraitItem::Fn(member) => match &member.default {
                Some(block) => self.method(&member.attrs, &member.sig, block),
                None => self.required(member),
            },
            syn::TraitItem::Const(member) => {
                let span = spanning(
                    span_of(member.const_token.span),
                    span_of(member.semi_token.span),
                );
                let value = member.default.as_ref().map(|(_, value)| value);
                self.associated_constant(&member.attrs, span, &member.ident, &member.ty, value)
            }
            syn::TraitItem::Type(member) => {
                let span = spanning(
                    span_of(member.type_token.span),
                    span_of(member.semi_token.span),
                );
                let default = member.default.as_ref();
                self.included(&member.attrs, span).then(|| Member {
                    name: name_of(&member.ident),
                    span,
                    kind: MemberItem::Type {
                        is: default.map(|(_, ty)| self.written_type(ty)),
                        bounds: types::bounds(member.bounds.iter()),
                    },
                })
            }
            syn::TraitItem::Macro(member) => {
                let span = super::items::macro_span(&member.mac);
                self.unread(span, Name::default(), Vec::new());
                None
            }
            syn::TraitItem::Verbatim(tokens) => {
                self.member_verbatim(tokens);
                None
            }
            _ => None,
        }
    }

    fn required(&mut self, member: &syn::TraitItemFn) -> Option<Member> {
        let end = member
            .semi_token
            .map_or(member.sig.ident.span(), |semi| semi.span);
        let span = spanning(span_of(signature_start(&member.sig)), span_of(end));
        self.included(&member.attrs, span).then(|| Member {
            name: name_of(&member.sig.ident),
            span,
            kind: MemberItem::Required {
                receiver: member.sig.receiver().is_some(),
                is_async: member.sig.asyncness.is_some(),
                returns: types::returned(&member.sig.output),
            },
        })
    }

    fn method(
        &mut self,
        attributes: &[syn::Attribute],
        signature: &syn::Signature,
        block: &syn::Block,
    ) -> Option<Member> {
        let end = span_of(block.brace_token.span.close());
        let span = spanning(span_of(signature_start(signature)), end);
        if !self.included(attributes, span) {
            return None;
        }
        let function = self.function(signature, block, span);
        self.mark_function(attributes, span);
        Some(Member {
            name: name_of(&signature.ident),
            span,
            kind: MemberItem::Function {
                function,
                receiver: signature.receiver().is_some(),
            },
        })
    }

    fn associated_constant(
        &mut self,
        attributes: &[syn::Attribute],
        span: Span,
        name: &syn::Ident,
        ty: &syn::Type,
        value: Option<&syn::Expr>,
    ) -> Option<Member> {
        self.included(attributes, span).then(|| {
            let name = name_of(name);
            Member {
                span,
                kind: MemberItem::Constant {
                    ty: self.written_type(ty),
                    value: value.map(|value| self.named_expression(value, Some(&name))),
                },
                name,
            }
        })
    }

    /// A macro among the members of an implementation: members as they are, or nothing that can
    /// be read.
    fn member_macro(&mut self, mac: &syn::Macro, out: &mut Vec<Member>) {
        let members = |input: syn::parse::ParseStream<'_>| {
            let mut found = Vec::new();
            while !input.is_empty() {
                found.push(input.parse::<syn::ImplItem>()?);
            }
            Ok(found)
        };
        match mac.parse_body_with(members) {
            Ok(members) => {
                for member in &members {
                    self.impl_member(member, out);
                }
            }
            Err(_) => {
                let span = super::items::macro_span(mac);
                self.unread(span, Name::default(), Vec::new());
            }
        }
    }

    fn member_verbatim(&mut self, tokens: &proc_macro2::TokenStream) {
        let span = super::items::tokens_span(tokens);
        self.unread(span, Name::default(), Vec::new());
    }
}

fn first_of_type(ty: &syn::Type) -> Span {
    match ty {
        syn::Type::Path(path) => {
            let first = path.path.segments.first();
            first.map_or(Span::default(), |first| span_of(first.ident.span()))
        }
        syn::Type::Reference(inner) => span_of(inner.and_token.spans[0]),
        _ => Span::default(),
    }
}
