//! What is written of types and items and belongs to no statement: their data, implementations,
//! bounds, markers and conditions. Whoever evaluates finds them by id or span.

use serde::{Deserialize, Serialize};

use super::{Argument, Expr, FunctionId, Name, Span, Type};

/// All of them in one module, each list in order of place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Declarations {
    /// Types; `TypeId` is an index here.
    pub types: Vec<TypeItem>,
    /// What types can do.
    pub implementations: Vec<Implementation>,
    /// Type parameters of functions that have any.
    pub generics: Vec<(FunctionId, Generics)>,
    /// Types that are written at a use of a name (`collect::<Vec<_>>()`), by the span of that
    /// use: a call's where a method is called, else the name's.
    pub instantiations: Vec<(Span, Vec<Type>)>,
    /// Markers on functions, by the function's span.
    pub markers: Vec<(Span, Marker)>,
    /// Items, imports, statements, arms, fields and parameters that are part of the program only
    /// under a condition, by their span (of several on one span, all must hold). What is never
    /// part of it is not in the program at all.
    pub conditions: Vec<(Span, Condition)>,
    /// What was left out because its condition never holds.
    pub left_out: Vec<LeftOut>,
    /// Parts that could not be lowered; each is a gap of the program too.
    pub unread: Vec<LeftOut>,
    /// Macros that are defined here.
    pub macros: Vec<MacroDefinition>,
}

/// The index of a type in its module's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TypeId(pub u32);

/// A type that a module declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeItem {
    /// Its name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
    /// Its parameters.
    pub generics: Generics,
    /// What is written before it.
    pub markers: Vec<Marker>,
    /// What it is.
    pub kind: TypeKind,
}

/// The kinds of type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TypeKind {
    /// Named fields; those of a tuple are named `0`, `1` and so on.
    Record { fields: Vec<Field>, tuple: bool },
    /// One of several.
    Variants(Vec<Variant>),
    /// Another name for this type.
    Alias(Type),
    /// What other types can do: members with a function are the default for those that do not
    /// say otherwise.
    Interface {
        parents: Vec<Type>,
        members: Vec<Member>,
    },
}

/// A field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
    /// Its written type.
    pub ty: Type,
    /// What is written before it.
    pub markers: Vec<Marker>,
}

/// One of several forms of a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
    /// What is in it.
    pub fields: Vec<Field>,
    /// The fields have no names but their place.
    pub tuple: bool,
    /// Its number, where it is written.
    pub value: Option<Expr>,
    /// What is written before it.
    pub markers: Vec<Marker>,
}

/// What a type can do: by itself, or what an interface asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Implementation {
    /// Where it stands.
    pub span: Span,
    /// The function that it stands in, where it stands in one.
    pub within: Option<FunctionId>,
    /// Its parameters.
    pub generics: Generics,
    /// The interface.
    pub interface: Option<Type>,
    /// The type.
    pub target: Type,
    /// Functions, constants and types.
    pub members: Vec<Member>,
    /// What is written before it.
    pub markers: Vec<Marker>,
}

/// A member of an implementation or interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: MemberItem,
}

/// The kinds of member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MemberItem {
    /// A function; `receiver`: it is called on a value, which is its receiver.
    Function {
        function: FunctionId,
        receiver: bool,
    },
    /// A function that implementations must give.
    Required {
        receiver: bool,
        is_async: bool,
        returns: Option<Type>,
    },
    /// A constant.
    Constant { ty: Type, value: Option<Expr> },
    /// A type.
    Type { is: Option<Type>, bounds: Vec<Type> },
}

/// Type parameters and what must hold for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generics {
    /// The parameters.
    pub params: Vec<Name>,
    /// For a type, the interfaces that it has.
    pub bounds: Vec<(Type, Vec<Type>)>,
}

/// What is written before an item for others to read (`#[get("/x")]`, `#[serde(default)]`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marker {
    /// Where it stands.
    pub span: Span,
    /// Its name as written.
    pub path: Vec<Name>,
    /// Its arguments; an argument that is a name with arguments of its own is a call.
    pub args: Vec<Argument>,
}

/// When something is part of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    /// Always or never.
    Known(bool),
    /// A setting of the build: `feature = "x"`, or a name alone.
    Setting { name: Name, value: Option<Name> },
    /// All of them hold.
    All(Vec<Condition>),
    /// At least one of them holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

impl Condition {
    /// The condition as far as `decide` knows its settings.
    pub fn decided(&self, decide: &dyn Fn(&str, Option<&str>) -> Option<bool>) -> Condition {
        match self {
            Condition::Known(holds) => Condition::Known(*holds),
            Condition::Setting { name, value } => {
                decide(name, value.as_deref()).map_or_else(|| self.clone(), Condition::Known)
            }
            Condition::Not(inner) => match inner.decided(decide) {
                Condition::Known(holds) => Condition::Known(!holds),
                inner => Condition::Not(Box::new(inner)),
            },
            Condition::All(parts) => Condition::of_parts(parts, decide, false),
            Condition::Any(parts) => Condition::of_parts(parts, decide, true),
        }
    }

    /// `deciding`: the truth of one part that decides the whole.
    fn of_parts(
        parts: &[Condition],
        decide: &dyn Fn(&str, Option<&str>) -> Option<bool>,
        deciding: bool,
    ) -> Condition {
        let mut open = Vec::new();
        for part in parts {
            match part.decided(decide) {
                Condition::Known(holds) if holds == deciding => return Condition::Known(holds),
                Condition::Known(_) => {}
                part => open.push(part),
            }
        }
        match (open.len(), deciding) {
            (0, _) => Condition::Known(!deciding),
            (1, _) => open.remove(0),
            (_, false) => Condition::All(open),
            (_, true) => Condition::Any(open),
        }
    }
}

/// A part of a file that is not in the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Where it stands.
    pub span: Span,
    /// How many awaits are written in it.
    pub awaits: u32,
}

/// A macro that a module defines; its body is not lowered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MacroDefinition {
    /// Its name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
    /// How many awaits are written in it.
    pub awaits: u32,
    /// Its rules, as written.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::Condition;

    fn setting(name: &str) -> Condition {
        Condition::Setting {
            name: name.into(),
            value: None,
        }
    }

    #[test]
    fn conditions_are_decided_as_far_as_they_can_be() {
        let decide = |name: &str, _: Option<&str>| match name {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        };
        let not = |inner| Condition::Not(Box::new(inner));
        let cases = [
            (setting("yes"), Condition::Known(true)),
            (not(setting("yes")), Condition::Known(false)),
            (not(setting("x")), not(setting("x"))),
            (Condition::All(vec![]), Condition::Known(true)),
            (Condition::Any(vec![]), Condition::Known(false)),
            (
                Condition::All(vec![setting("x"), setting("no")]),
                Condition::Known(false),
            ),
            (
                Condition::All(vec![setting("x"), setting("yes")]),
                setting("x"),
            ),
            (
                Condition::Any(vec![setting("x"), setting("yes")]),
                Condition::Known(true),
            ),
            (
                Condition::Any(vec![setting("x"), setting("no"), setting("y")]),
                Condition::Any(vec![setting("x"), setting("y")]),
            ),
        ];
        for (written, expected) in cases {
            assert_eq!(written.decided(&decide), expected, "{written:?}");
        }
    }
}
