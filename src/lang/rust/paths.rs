//! Paths: names of values behind modules and types.

use super::lowering::{Lowering, expr, name_expr, span_of, spanning};
use super::name_of;
use super::types;
use crate::program::{Expr, ExprKind, Import, Imported, Name, Span};

/// Where a path begins, seen from the file: a module as it is resolved, and names inside of it.
pub(super) struct Root {
    /// The module as written in an import.
    pub source: Name,
    /// Names from there on.
    pub path: Vec<Name>,
}

impl Lowering<'_> {
    /// A path as a value.
    pub fn path(&mut self, path: &syn::ExprPath) -> Expr {
        match &path.qself {
            Some(qself) => self.qualified(qself, &path.path),
            None => self.path_value(&path.path),
        }
    }

    /// `<T as Trait>::name`: what the type calls so.
    fn qualified(&mut self, qself: &syn::QSelf, path: &syn::Path) -> Expr {
        let start = span_of(qself.lt_token.spans[0]);
        let first = match &*qself.ty {
            syn::Type::Path(ty) if ty.qself.is_none() => self.path_value(&ty.path),
            _ => expr(start, ExprKind::Opaque(Vec::new())),
        };
        let names = path.segments.iter().skip(qself.position);
        names.fold(first, |object, segment| self.segment(object, segment))
    }

    /// A path without a type before it.
    pub fn path_value(&mut self, path: &syn::Path) -> Expr {
        let (head, taken) = self.head(path);
        let rest = path.segments.iter().skip(taken);
        rest.fold(head, |object, segment| self.segment(object, segment))
    }

    fn segment(&mut self, object: Expr, segment: &syn::PathSegment) -> Expr {
        let end = span_of(segment.ident.span());
        let span = spanning(object.span, end);
        self.type_arguments(span, &segment.arguments);
        let kind = ExprKind::Member {
            object: Box::new(object),
            name: name_of(&segment.ident),
            optional: false,
        };
        expr(span, kind)
    }

    /// What a path begins with, and of how many segments that is made.
    fn head(&mut self, path: &syn::Path) -> (Expr, usize) {
        let Some(first) = path.segments.first() else {
            return (expr(Span::default(), ExprKind::Undefined), 0);
        };
        let span = span_of(first.ident.span());
        let name = name_of(&first.ident);
        let alone = path.segments.len() == 1;
        self.type_arguments(span, &first.arguments);
        if path.leading_colon.is_some() {
            let local = Name::from(format!("::{name}"));
            let source = Root {
                source: name,
                path: Vec::new(),
            };
            self.outside(span, local.clone(), source);
            return (name_expr(span, local), 1);
        }
        if name == "self" && alone {
            return (expr(span, ExprKind::This), 1);
        }
        if alone || name == "Self" {
            return (name_expr(span, name), 1);
        }
        let names: Vec<Name> = path.segments.iter().map(|s| name_of(&s.ident)).collect();
        match self.rooted(&names) {
            Some((root, taken)) => {
                let local: Vec<&str> = names[..taken].iter().map(Name::as_str).collect();
                let local = Name::from(local.join("::"));
                self.outside(span, local.clone(), root);
                (name_expr(span, local), taken)
            }
            None => {
                self.perhaps_outside(span, &name);
                (expr(span, ExprKind::Item(name)), 1)
            }
        }
    }

    /// A path that begins in a type, seen as a value's: notes the modules that it names.
    pub fn note_type_path(&mut self, path: &syn::Path) {
        if path.segments.len() > 1 {
            self.head(path);
        }
    }

    /// Where `crate`, `self` and `super` lead, and how many names say so.
    pub fn rooted(&self, names: &[Name]) -> Option<(Root, usize)> {
        let first = names.first()?;
        let ups = match first.as_str() {
            "crate" | "$crate" => {
                let root = Root {
                    source: Name::new_static("crate"),
                    path: Vec::new(),
                };
                return Some((root, 1));
            }
            "self" => 0,
            "super" => names.iter().take_while(|name| *name == "super").count(),
            _ => return None,
        };
        let mut taken = ups.max(1);
        let mut ups = ups;
        if ups == 0 {
            // `self::super::x`
            ups = names[1..]
                .iter()
                .take_while(|name| *name == "super")
                .count();
            taken = 1 + ups;
        }
        Some((self.above(ups), taken))
    }

    /// The module that lies this many above the one being lowered.
    pub fn above(&self, ups: usize) -> Root {
        match self.inside.len().checked_sub(ups) {
            Some(kept) => Root {
                source: Name::new_static("self"),
                path: self.inside[..kept].to_vec(),
            },
            None => Root {
                source: Name::from(vec!["super"; ups - self.inside.len()].join("::")),
                path: Vec::new(),
            },
        }
    }

    /// A name with something behind it that a crate may have: used where nothing declares it.
    fn perhaps_outside(&mut self, span: Span, name: &Name) {
        let crate_like = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        if crate_like {
            let root = Root {
                source: name.clone(),
                path: Vec::new(),
            };
            self.outside(span, name.clone(), root);
        }
    }

    fn outside(&mut self, span: Span, local: Name, root: Root) {
        self.outer.entry(local.clone()).or_insert_with(|| Import {
            local: Some(local),
            source: root.source,
            what: imported(root.path),
            span,
        });
    }

    /// Types that are written at a name.
    fn type_arguments(&mut self, span: Span, arguments: &syn::PathArguments) {
        if let syn::PathArguments::AngleBracketed(written) = arguments {
            self.instantiation(span, written);
        }
    }

    /// Notes the types in angle brackets at a use of something.
    pub fn instantiation(&mut self, span: Span, written: &syn::AngleBracketedGenericArguments) {
        let types = types::angle_arguments(written, 0);
        if !types.is_empty() {
            self.declarations.instantiations.push((span, types));
        }
    }
}

/// What of a module these names are.
pub(super) fn imported(mut path: Vec<Name>) -> Imported {
    match path.len() {
        0 => Imported::Namespace,
        1 => Imported::Named(path.remove(0)),
        _ => Imported::Path(path),
    }
}
