//! `use`, `mod` and `extern crate`: names taken from other modules.

use super::lowering::{Lowering, span_of};
use super::name_of;
use super::paths::{Root, imported};
use crate::program::{Condition, Export, ExportKind, Import, Imported, Name, Span, Stmt, StmtKind};

/// Where one leaf of a `use` leads.
struct Leaf {
    root: Root,
    /// A module of the file itself, or one around it: what is private there is seen here.
    inner: bool,
}

impl Lowering<'_> {
    /// A `use`. In a function its names are seen in that block alone.
    pub fn use_item(&mut self, item: &syn::ItemUse, span: Span, out: &mut Vec<Stmt>) {
        let outside = item.leading_colon.is_some();
        let public = is_public(&item.vis);
        let mut imports = Vec::new();
        self.use_tree(&item.tree, &mut Vec::new(), outside, &mut imports);
        for mut import in imports {
            import.span = span;
            if self.within.is_some() {
                let kind = StmtKind::Import(Box::new(import));
                out.push(Stmt { span, kind });
                continue;
            }
            self.export_import(&import, public);
            self.imports.push(import);
        }
    }

    fn export_import(&mut self, import: &Import, public: bool) {
        if let Some(local) = &import.local {
            self.export(import.span, &local.clone(), public);
        }
        if let (Imported::All { path, .. }, true) = (&import.what, public) {
            let kind = ExportKind::AllOf {
                source: import.source.clone(),
                path: path.clone(),
            };
            let span = import.span;
            self.exports.push(Export { span, kind });
        }
    }

    fn use_tree(
        &self,
        tree: &syn::UseTree,
        before: &mut Vec<Name>,
        outside: bool,
        out: &mut Vec<Import>,
    ) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(name_of(&path.ident));
                // Real paths are short; a hostile one must not be copied for every leaf.
                if before.len() <= LONGEST_PATH {
                    self.use_tree(&path.tree, before, outside, out);
                }
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, before, outside, out);
                }
            }
            syn::UseTree::Name(name) => {
                let name = name_of(&name.ident);
                if name == "self" {
                    let local = before.last().cloned();
                    out.extend(self.leaf(before, local, outside));
                } else {
                    before.push(name.clone());
                    out.extend(self.leaf(before, Some(name), outside));
                    before.pop();
                }
            }
            syn::UseTree::Rename(rename) => {
                let name = name_of(&rename.ident);
                let local = name_of(&rename.rename);
                let local = (local != "_").then_some(local);
                if name == "self" && !before.is_empty() {
                    out.extend(self.leaf(before, local, outside));
                } else {
                    before.push(name);
                    out.extend(self.leaf(before, local, outside));
                    before.pop();
                }
            }
            syn::UseTree::Glob(_) => {
                let Leaf { root, inner } = self.leads(before, outside);
                let path = root.path;
                out.push(Import {
                    local: None,
                    source: root.source,
                    what: Imported::All { path, inner },
                    span: Span::default(),
                });
            }
        }
    }

    fn leaf(&self, names: &[Name], local: Option<Name>, outside: bool) -> Option<Import> {
        let Leaf { root, .. } = self.leads(names, outside);
        // `use x;` of a crate says nothing that is not so without it.
        if root.path.is_empty() && local.as_ref() == Some(&root.source) {
            return Some(Import {
                local,
                source: root.source,
                what: Imported::Namespace,
                span: Span::default(),
            });
        }
        Some(Import {
            local,
            source: root.source,
            what: imported(root.path),
            span: Span::default(),
        })
    }

    /// Where a path in a `use` begins: at a module that is named by its place, at something that
    /// this module declares, or at another crate.
    fn leads(&self, names: &[Name], outside: bool) -> Leaf {
        if !outside && let Some((mut root, taken)) = self.rooted(names) {
            let inner = root.source != "crate" || taken == names.len();
            root.path.extend(names[taken..].iter().cloned());
            return Leaf { root, inner };
        }
        let Some((first, rest)) = names.split_first() else {
            let source = Name::new_static("crate");
            let path = Vec::new();
            return Leaf {
                root: Root { source, path },
                inner: false,
            };
        };
        if !outside && self.declared.contains(first) {
            let mut root = self.above(0);
            root.path.extend(names.iter().cloned());
            return Leaf { root, inner: true };
        }
        let (source, path) = (first.clone(), rest.to_vec());
        Leaf {
            root: Root { source, path },
            inner: false,
        }
    }

    /// `extern crate a as b;`
    pub fn extern_crate(&mut self, item: &syn::ItemExternCrate, span: Span) {
        let source = match name_of(&item.ident) {
            name if name == "self" => Name::new_static("crate"),
            name => name,
        };
        let local = match &item.rename {
            Some((_, rename)) => name_of(rename),
            None => source.clone(),
        };
        if local == "_" {
            return;
        }
        self.export(span, &local, is_public(&item.vis));
        self.imports.push(Import {
            local: Some(local),
            source,
            what: Imported::Namespace,
            span,
        });
    }

    /// `mod x;`: a file of its own, which the resolver finds by where this one lies. A path that
    /// an attribute gives is part of what is asked for; one that only holds under a condition is
    /// an import of its own.
    pub fn module_file(&mut self, item: &syn::ItemMod, span: Span) {
        let name = name_of(&item.ident);
        self.export(span, &name, is_public(&item.vis));
        let folders = self.folders.join("/");
        let below = |name: &str| match folders.as_str() {
            "" => name.to_string(),
            folders => format!("{folders}/{name}"),
        };
        let mut plain = true;
        for attribute in &item.attrs {
            let Some((condition, path)) = path_attribute(attribute) else {
                continue;
            };
            let here = span_of(attribute.pound_token.span);
            plain &= condition != Condition::Known(true);
            if condition != Condition::Known(true) {
                let negated = Condition::Not(Box::new(condition.clone()));
                self.declarations.conditions.push((here, condition));
                self.declarations.conditions.push((span, negated));
            }
            let prefix = if folders.is_empty() { "path" } else { "inner" };
            let source = Name::from(format!("{prefix}:{}", below(&path)));
            self.imports.push(Import {
                local: Some(name.clone()),
                source,
                what: Imported::Namespace,
                span: here,
            });
        }
        if plain {
            let source = Name::from(format!("mod:{}", below(&name)));
            let local = Some(name);
            self.imports.push(Import {
                local,
                source,
                what: Imported::Namespace,
                span,
            });
        }
    }

    /// Names of macros are not those of values: each that is called by a name that an import
    /// gives is imported as a macro too.
    pub fn import_macros(&mut self) {
        let called = std::mem::take(&mut self.called_macros);
        let mut found = Vec::new();
        for import in &self.imports {
            let Some(local) = import
                .local
                .as_ref()
                .filter(|local| called.contains(*local))
            else {
                continue;
            };
            let what = match &import.what {
                Imported::Named(name) => Imported::Named(Name::from(format!("{name}!"))),
                Imported::Path(path) => {
                    let mut path = path.clone();
                    if let Some(last) = path.last_mut() {
                        *last = Name::from(format!("{last}!"));
                    }
                    Imported::Path(path)
                }
                _ => continue,
            };
            found.push(Import {
                local: Some(Name::from(format!("{local}!"))),
                what,
                ..import.clone()
            });
        }
        self.imports.extend(found);
    }
}

/// Longer paths than this lead nowhere.
const LONGEST_PATH: usize = 64;

/// Whether more than the module itself and those inside of it may take a name.
pub(super) fn is_public(visibility: &syn::Visibility) -> bool {
    match visibility {
        syn::Visibility::Inherited => false,
        syn::Visibility::Public(_) => true,
        syn::Visibility::Restricted(within) => !within.path.is_ident("self"),
    }
}

/// The path of `#[path = ".."]`, and the condition of one in a `cfg_attr`.
pub(super) fn path_attribute(attribute: &syn::Attribute) -> Option<(Condition, String)> {
    let of_meta = |meta: &syn::Meta| match meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    if let Some(path) = of_meta(&attribute.meta) {
        return Some((Condition::Known(true), path));
    }
    if !attribute.path().is_ident("cfg_attr") {
        return None;
    }
    attribute
        .parse_args_with(|input: syn::parse::ParseStream<'_>| {
            let condition = super::conditions::decided(input)?;
            let mut path = None;
            while input.parse::<Option<syn::Token![,]>>()?.is_some() && !input.is_empty() {
                let meta: syn::Meta = input.parse()?;
                path = path.or(of_meta(&meta));
            }
            Ok(path.map(|path| (condition, path)))
        })
        .ok()
        .flatten()
        .filter(|(condition, _)| *condition != Condition::Known(false))
}
