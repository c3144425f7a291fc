//! Written types.

use super::lowering::Lowering;
use super::name_of;
use crate::program::{Generics, Name, Type};

/// How deep type arguments are kept; deeper ones name nothing that is evaluated.
const MAX_TYPE_DEPTH: u32 = 6;

/// A written type. References and lifetimes are left away.
pub(super) fn lower(ty: &syn::Type) -> Type {
    at_depth(ty, 0)
}

fn word(word: &'static str, args: Vec<Type>) -> Type {
    Type {
        path: vec![Name::new_static(word)],
        args,
    }
}

fn inferred() -> Type {
    word("_", Vec::new())
}

fn at_depth(ty: &syn::Type, depth: u32) -> Type {
    if depth > MAX_TYPE_DEPTH {
        return inferred();
    }
    match without_references(ty) {
        syn::Type::Path(path) => path_type(path, depth),
        syn::Type::Tuple(tuple) => {
            let parts = tuple.elems.iter().map(|ty| at_depth(ty, depth + 1));
            word("()", parts.collect())
        }
        syn::Type::Array(array) => word("[]", vec![at_depth(&array.elem, depth + 1)]),
        syn::Type::Slice(slice) => word("[]", vec![at_depth(&slice.elem, depth + 1)]),
        syn::Type::TraitObject(object) => word("dyn", bounds_at(object.bounds.iter(), depth)),
        syn::Type::ImplTrait(some) => word("impl", bounds_at(some.bounds.iter(), depth)),
        syn::Type::BareFn(function) => {
            let params = function
                .inputs
                .iter()
                .map(|arg| at_depth(&arg.ty, depth + 1));
            let mut parts: Vec<Type> = params.collect();
            parts.push(returned_at(&function.output, depth));
            word("fn", parts)
        }
        syn::Type::Never(_) => word("!", Vec::new()),
        _ => inferred(),
    }
}

fn without_references(mut ty: &syn::Type) -> &syn::Type {
    loop {
        ty = match ty {
            syn::Type::Reference(inner) => &inner.elem,
            syn::Type::Paren(inner) => &inner.elem,
            syn::Type::Group(inner) => &inner.elem,
            syn::Type::Ptr(inner) => &inner.elem,
            _ => return ty,
        }
    }
}

fn path_type(ty: &syn::TypePath, depth: u32) -> Type {
    let Some(qself) = &ty.qself else {
        return of_path(&ty.path, depth);
    };
    // `<T as Interface>::Name`
    let of = at_depth(&qself.ty, depth + 1);
    let mut interface = of_path(&ty.path, depth);
    let names = interface
        .path
        .split_off(qself.position.min(interface.path.len()));
    let mut path = vec![Name::new_static("<")];
    path.extend(names);
    let mut args = vec![of];
    if !interface.path.is_empty() {
        interface.args.clear();
        args.push(interface);
    }
    Type { path, args }
}

/// A path with the type arguments of its last name that has any.
fn of_path(path: &syn::Path, depth: u32) -> Type {
    let names = path.segments.iter().map(|segment| name_of(&segment.ident));
    let args = path.segments.iter().rev().find_map(|segment| {
        let args = arguments(&segment.arguments, depth);
        (!args.is_empty()).then_some(args)
    });
    Type {
        path: names.collect(),
        args: args.unwrap_or_default(),
    }
}

fn arguments(arguments: &syn::PathArguments, depth: u32) -> Vec<Type> {
    match arguments {
        syn::PathArguments::None => Vec::new(),
        syn::PathArguments::AngleBracketed(written) => angle_arguments(written, depth),
        syn::PathArguments::Parenthesized(written) => {
            let params = written.inputs.iter().map(|ty| at_depth(ty, depth + 1));
            let mut parts: Vec<Type> = params.collect();
            parts.push(returned_at(&written.output, depth));
            vec![word("fn", parts)]
        }
    }
}

/// The types in angle brackets.
pub(super) fn angle_arguments(
    written: &syn::AngleBracketedGenericArguments,
    depth: u32,
) -> Vec<Type> {
    let argument = |argument: &syn::GenericArgument| match argument {
        syn::GenericArgument::Type(ty) => Some(at_depth(ty, depth + 1)),
        syn::GenericArgument::AssocType(named) => Some(Type {
            path: vec![Name::new_static("="), name_of(&named.ident)],
            args: vec![at_depth(&named.ty, depth + 1)],
        }),
        syn::GenericArgument::Constraint(named) => Some(Type {
            path: vec![Name::new_static("="), name_of(&named.ident)],
            args: vec![word("impl", bounds_at(named.bounds.iter(), depth + 1))],
        }),
        _ => None,
    };
    written.args.iter().filter_map(argument).collect()
}

fn bounds_at<'b>(bounds: impl Iterator<Item = &'b syn::TypeParamBound>, depth: u32) -> Vec<Type> {
    if depth > MAX_TYPE_DEPTH {
        return Vec::new();
    }
    let bound = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => Some(of_path(&bound.path, depth + 1)),
        _ => None,
    };
    bounds.filter_map(bound).collect()
}

/// The interfaces of a list of bounds.
pub(super) fn bounds<'b>(bounds: impl Iterator<Item = &'b syn::TypeParamBound>) -> Vec<Type> {
    bounds_at(bounds, 0)
}

/// The type that a path names.
pub(super) fn named(path: &syn::Path) -> Type {
    of_path(path, 0)
}

fn returned_at(output: &syn::ReturnType, depth: u32) -> Type {
    match output {
        syn::ReturnType::Default => word("()", Vec::new()),
        syn::ReturnType::Type(_, ty) => at_depth(ty, depth + 1),
    }
}

/// The written type of what a function gives.
pub(super) fn returned(output: &syn::ReturnType) -> Option<Type> {
    match output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => Some(lower(ty)),
    }
}

/// Type parameters and what must hold for them.
pub(super) fn generics(written: &syn::Generics) -> Generics {
    let mut generics = Generics::default();
    for param in written.type_params() {
        let name = name_of(&param.ident);
        let bounds = bounds(param.bounds.iter());
        if !bounds.is_empty() {
            let ty = Type {
                path: vec![name.clone()],
                args: Vec::new(),
            };
            generics.bounds.push((ty, bounds));
        }
        generics.params.push(name);
    }
    let clauses = written.where_clause.iter().flat_map(|w| &w.predicates);
    for clause in clauses {
        if let syn::WherePredicate::Type(clause) = clause {
            let bounds = bounds(clause.bounds.iter());
            if !bounds.is_empty() {
                generics.bounds.push((lower(&clause.bounded_ty), bounds));
            }
        }
    }
    generics
}

impl Lowering<'_> {
    /// A written type; modules that it names are noted.
    pub fn written_type(&mut self, ty: &syn::Type) -> Type {
        if let syn::Type::Path(path) = without_references(ty)
            && path.qself.is_none()
        {
            self.note_type_path(&path.path);
        }
        lower(ty)
    }
}
