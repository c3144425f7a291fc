//! Written types, as far as they can name what a value is.

use oxc_ast::ast;

use crate::program::{Name, Type};

/// How deep type arguments are kept; deeper ones name nothing that is evaluated.
const MAX_TYPE_DEPTH: u32 = 6;

/// The type after a colon.
pub(super) fn annotation(ty: &ast::TSTypeAnnotation<'_>) -> Option<Type> {
    lower(&ty.type_annotation, 0)
}

fn lower(ty: &ast::TSType<'_>, depth: u32) -> Option<Type> {
    use ast::TSType as T;
    if depth > MAX_TYPE_DEPTH {
        return None;
    }
    match ty {
        T::TSTypeReference(reference) => {
            let mut path = Vec::new();
            type_name(&reference.type_name, &mut path);
            let args = arguments(reference.type_arguments.as_deref(), depth);
            Some(Type { path, args })
        }
        T::TSArrayType(array) => {
            let args = lower(&array.element_type, depth + 1).into_iter().collect();
            Some(Type {
                path: vec![Name::new_static("Array")],
                args,
            })
        }
        T::TSUnionType(union) => parts(&union.types, depth),
        T::TSIntersectionType(all) => parts(&all.types, depth),
        T::TSParenthesizedType(inner) => lower(&inner.type_annotation, depth + 1),
        T::TSTypeOperatorType(inner) if inner.operator == ast::TSTypeOperatorOperator::Readonly => {
            lower(&inner.type_annotation, depth + 1)
        }
        T::TSTypeQuery(query) => {
            let mut path = vec![Name::new_static("typeof")];
            if let Some(name) = query.expr_name.as_ts_type_name() {
                type_name(name, &mut path);
            }
            Some(Type {
                path,
                args: Vec::new(),
            })
        }
        T::TSImportType(import) => {
            let mut path = Vec::new();
            if let Some(qualifier) = &import.qualifier {
                qualified(qualifier, &mut path);
            }
            let args = arguments(import.type_arguments.as_deref(), depth);
            (!path.is_empty()).then_some(Type { path, args })
        }
        ty => keyword(ty).map(|word| Type {
            path: vec![Name::new_static(word)],
            args: Vec::new(),
        }),
    }
}

fn keyword(ty: &ast::TSType<'_>) -> Option<&'static str> {
    use ast::TSType as T;
    Some(match ty {
        T::TSStringKeyword(_) => "string",
        T::TSNumberKeyword(_) => "number",
        T::TSBooleanKeyword(_) => "boolean",
        T::TSBigIntKeyword(_) => "bigint",
        T::TSNullKeyword(_) => "null",
        T::TSUndefinedKeyword(_) => "undefined",
        T::TSVoidKeyword(_) => "void",
        T::TSNeverKeyword(_) => "never",
        T::TSThisType(_) => "this",
        _ => return None,
    })
}

fn parts(types: &[ast::TSType<'_>], depth: u32) -> Option<Type> {
    let mut args: Vec<Type> = types.iter().filter_map(|ty| lower(ty, depth + 1)).collect();
    match args.len() {
        0 => None,
        1 if types.len() == 1 => args.pop(),
        _ => Some(Type {
            path: Vec::new(),
            args,
        }),
    }
}

fn arguments(args: Option<&ast::TSTypeParameterInstantiation<'_>>, depth: u32) -> Vec<Type> {
    let any = || Type {
        path: vec![Name::new_static("unknown")],
        args: Vec::new(),
    };
    let args = args.map(|args| args.params.as_slice()).unwrap_or_default();
    args.iter()
        .map(|ty| lower(ty, depth + 1).unwrap_or_else(any))
        .collect()
}

/// `A.B.C`, written left to right.
fn type_name(name: &ast::TSTypeName<'_>, path: &mut Vec<Name>) {
    let start = path.len();
    let mut name = name;
    loop {
        match name {
            ast::TSTypeName::IdentifierReference(id) => {
                path.push(Name::new(id.name.as_str()));
                break;
            }
            ast::TSTypeName::QualifiedName(qualified) => {
                path.push(Name::new(qualified.right.name.as_str()));
                name = &qualified.left;
            }
            ast::TSTypeName::ThisExpression(_) => {
                path.push(Name::new_static("this"));
                break;
            }
        }
    }
    path[start..].reverse();
}

fn qualified(name: &ast::TSImportTypeQualifier<'_>, path: &mut Vec<Name>) {
    let mut name = name;
    loop {
        match name {
            ast::TSImportTypeQualifier::Identifier(id) => {
                path.push(Name::new(id.name.as_str()));
                break;
            }
            ast::TSImportTypeQualifier::QualifiedName(qualified) => {
                path.push(Name::new(qualified.right.name.as_str()));
                name = &qualified.left;
            }
        }
    }
    path.reverse();
}
