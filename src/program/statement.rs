//! Statements, functions and classes.

use serde::{Deserialize, Serialize};

use super::{Expr, Import, Key, Name, Pattern, Span, TypeId};

/// A statement and its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stmt {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind,
}

/// The kinds of statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StmtKind {
    /// A declaration. `constant`: never assigned again. `hoisted`: visible in the whole function.
    Let {
        pattern: Pattern,
        ty: Option<Box<Type>>,
        init: Option<Expr>,
        constant: bool,
        hoisted: bool,
    },
    /// A named function; visible in the whole block.
    Function { name: Name, function: FunctionId },
    /// A name taken from another module, seen in this block.
    Import(Box<Import>),
    /// A type that is declared by its data and by implementations elsewhere; visible in the whole
    /// block.
    Type { name: Name, item: TypeId },
    /// A named class.
    Class { name: Name, class: Box<Class> },
    /// An expression for its effect.
    Expr(Expr),
    /// Leaves the function.
    Return(Option<Expr>),
    /// Throws.
    Throw(Expr),
    /// A branch.
    If {
        test: Expr,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    /// `handler` takes what is thrown; `finally` runs after everything.
    Try {
        body: Vec<Stmt>,
        handler: Option<Handler>,
        finally: Option<Vec<Stmt>>,
    },
    /// Over the items of a list; `asynchronous`: each item is waited for.
    ForOf {
        pattern: Box<Pattern>,
        declares: bool,
        iterable: Expr,
        body: Vec<Stmt>,
        asynchronous: bool,
    },
    /// Over the keys of an object.
    ForIn {
        pattern: Box<Pattern>,
        declares: bool,
        object: Expr,
        body: Vec<Stmt>,
    },
    /// `for (init; test; update)`.
    For {
        init: Vec<Stmt>,
        test: Option<Expr>,
        update: Option<Box<Expr>>,
        body: Vec<Stmt>,
    },
    /// `while (test)`.
    While { test: Expr, body: Vec<Stmt> },
    /// `do .. while (test)`.
    DoWhile { body: Vec<Stmt>, test: Expr },
    /// The first case that equals runs, and what follows it until a break.
    Switch { subject: Expr, cases: Vec<Case> },
    /// Leaves a loop or switch, or the labelled statement.
    Break(Option<Name>),
    /// Goes on with the next turn.
    Continue(Option<Name>),
    /// A named statement.
    Labelled { label: Name, body: Box<Stmt> },
    /// A scope of its own.
    Block(Vec<Stmt>),
    /// Nothing.
    Empty,
}

/// A `catch`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handler {
    /// What the thrown value is bound to.
    pub pattern: Option<Pattern>,
    /// What runs.
    pub body: Vec<Stmt>,
}

/// A case of a switch; `None` is the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// What the subject must equal.
    pub test: Option<Expr>,
    /// What runs.
    pub body: Vec<Stmt>,
}

/// The index of a function in its module's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FunctionId(pub u32);

/// A function, method, closure or async block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name, or the variable, field or property that it is written into.
    pub name: Option<Name>,
    /// From its first word to its last.
    pub span: Span,
    /// The parameters.
    pub params: Vec<Param>,
    /// What runs; an expression body is a `Return`.
    pub body: Vec<Stmt>,
    /// A call gives a future.
    pub is_async: bool,
    /// A call gives an iterator.
    pub is_generator: bool,
    /// The receiver is the one of the function around it.
    pub lexical_this: bool,
    /// Directives at its top (`use server`).
    pub directives: Vec<Name>,
    /// Where an `await`, `for await` or `yield` of this function itself stands (not of functions
    /// inside it), in order of place: the self-check holds these against what was reached.
    pub awaits: Vec<Span>,
    /// The written type of what it returns.
    pub returns: Option<Type>,
}

impl Function {
    /// One that stands here, of which nothing else is known yet.
    pub fn at(span: Span) -> Function {
        Function {
            name: None,
            span,
            params: Vec::new(),
            body: Vec::new(),
            is_async: false,
            is_generator: false,
            lexical_this: false,
            directives: Vec::new(),
            awaits: Vec::new(),
            returns: None,
        }
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    /// What it is bound to; a default value is a `PatternKind::Default`.
    pub pattern: Pattern,
    /// Takes all remaining arguments as a list.
    pub rest: bool,
    /// The written type.
    pub ty: Option<Type>,
    /// Declares a field of the same name too (`constructor(private readonly x)`).
    pub field: bool,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Its name.
    pub name: Option<Name>,
    /// Where it stands.
    pub span: Span,
    /// What it inherits from.
    pub parent: Option<Expr>,
    /// Its constructor.
    pub constructor: Option<FunctionId>,
    /// Everything else, in order.
    pub members: Vec<ClassMember>,
}

/// A member of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassMember {
    /// Its name; private names keep their `#`.
    pub key: Key,
    /// Belongs to the class and not to its instances.
    pub is_static: bool,
    /// What it is.
    pub kind: MemberKind,
}

/// The kinds of class member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MemberKind {
    /// A method.
    Method(FunctionId),
    /// A getter.
    Getter(FunctionId),
    /// A setter.
    Setter(FunctionId),
    /// A field with its initial value.
    Field(Option<Expr>),
    /// `static { .. }`, as a function without parameters.
    Block(FunctionId),
}

/// A written type, as far as it can name what a value is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Type {
    /// The path as written (`["Stripe", "PaymentIntent"]`); of a union the parts are in `args`
    /// and the path is empty. What has no name is written with a word that no name can be, and
    /// its parts in `args`: `()` several values, `[]` a list, `dyn` and `impl` something that has
    /// these interfaces, `fn` a function (its parameters, then its result), `= NAME` an argument
    /// that is given by name, `< NAME` what a type (first) calls NAME for an interface (second),
    /// `!` nothing ever, `_` inferred.
    pub path: Vec<Name>,
    /// The type arguments.
    pub args: Vec<Type>,
}
