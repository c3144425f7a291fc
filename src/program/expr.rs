//! Expressions and patterns.

use serde::{Deserialize, Serialize};

use super::{Class, FunctionId, Name, Span, Stmt, Type};

/// An expression and its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExprKind {
    /// A variable.
    Name(Name),
    /// What a path begins with that has more behind it: a module or type, never a variable.
    Item(Name),
    /// The receiver (`this`, `self`).
    This,
    /// The inherited constructor when called, else the parent's members.
    Super,
    /// A literal text.
    Text(Name),
    /// A text with expressions in it: `texts` has one more item than `values`.
    Template {
        texts: Box<[Name]>,
        values: Box<[Expr]>,
    },
    /// `` tag`..` ``: a call of `tag` with the texts and the values.
    Tagged {
        tag: Box<Expr>,
        texts: Box<[Name]>,
        values: Box<[Expr]>,
    },
    /// A number; a literal `1n` too.
    Number(#[serde(with = "super::number")] f64),
    /// A truth value.
    Bool(bool),
    /// The absent value (`null`, `None`).
    Null,
    /// The value of nothing written (`undefined`, unit).
    Undefined,
    /// A list; holes are `Undefined`.
    Array(Vec<Element>),
    /// An object literal, fields in order.
    Object(Vec<Property>),
    /// A function value with what it captures.
    Function(FunctionId),
    /// A class as a value.
    Class(Box<Class>),
    /// `object.name`; `optional`: ends as `Undefined` on an absent object. Private names
    /// keep their `#`.
    Member {
        object: Box<Expr>,
        name: Name,
        optional: bool,
    },
    /// `object[index]`.
    Index {
        object: Box<Expr>,
        index: Box<Expr>,
        optional: bool,
    },
    /// A call. The receiver is the object of a `Member` or `Index` callee.
    Call {
        callee: Box<Expr>,
        args: Vec<Argument>,
        optional: bool,
    },
    /// A construction.
    New {
        callee: Box<Expr>,
        args: Vec<Argument>,
    },
    /// Waits for a future.
    Await(Box<Expr>),
    /// Gives a value to the consumer of a generator; `delegate`: all of another's.
    Yield {
        value: Option<Box<Expr>>,
        delegate: bool,
    },
    /// An operator with one operand.
    Unary { op: UnaryOp, operand: Box<Expr> },
    /// An operator with two operands, both evaluated.
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// An operator that evaluates its right side only sometimes.
    Logical {
        op: LogicalOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `test ? then : other`.
    Conditional {
        test: Box<Expr>,
        then: Box<Expr>,
        other: Box<Expr>,
    },
    /// An assignment, `op` for `+=` and the like.
    Assign {
        op: AssignOp,
        target: Box<Pattern>,
        value: Box<Expr>,
    },
    /// `++` and `--`: `by` is 1 or -1; `prefix`: the value is the new one.
    Update {
        by: f64,
        prefix: bool,
        target: Box<Pattern>,
    },
    /// All evaluated, the last is the value.
    Sequence(Vec<Expr>),
    /// `import(source)`: a future of the module.
    Import(Box<Expr>),
    /// Statements in a scope of their own; the value is that of the expression at their end,
    /// which sees what they declare.
    Block {
        body: Vec<Stmt>,
        value: Option<Box<Expr>>,
    },
    /// The first arm whose pattern fits and whose guard holds.
    Match {
        subject: Box<Expr>,
        arms: Vec<MatchArm>,
    },
    /// The value inside of a success; a failure, or an absent value, leaves the function as its
    /// result (`?`).
    Try(Box<Expr>),
    /// A variable or member that what it is given to may write.
    Lent(Box<Expr>),
    /// The whole numbers from `start` (0 where it is not written) up to `end`.
    Range {
        start: Option<Box<Expr>>,
        end: Option<Box<Expr>>,
        inclusive: bool,
    },
    /// A value of a written type with these fields, in order; a `Spread` comes first and gives
    /// what the fields do not.
    Record {
        of: Box<Expr>,
        fields: Vec<Property>,
    },
    /// A list of `count` times the same value.
    Repeat { value: Box<Expr>, count: Box<Expr> },
    /// A value taken as one of another type.
    Cast { value: Box<Expr>, to: Conversion },
    /// Waits for several futures at once: the arm of the first that ends and whose pattern fits
    /// runs, the others are given up. `of`: what is called so; `otherwise`: where none fits.
    Select {
        of: Box<Expr>,
        arms: Vec<SelectArm>,
        otherwise: Option<Box<Expr>>,
    },
    /// Something whose own value decides nothing; the parts are evaluated in order.
    Opaque(Vec<Expr>),
    /// A description of a part of a page: the component is called with its properties where and
    /// when the page places it.
    Render {
        component: Box<Expr>,
        props: Vec<Property>,
    },
    /// Something that the front end could not lower; the parts are evaluated, `awaits`
    /// is how many awaits were lost in it, `what` says what it was.
    Gap {
        what: Name,
        awaits: u32,
        parts: Box<[Expr]>,
    },
}

/// An arm of a [`ExprKind::Match`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchArm {
    /// Where it stands.
    pub span: Span,
    /// What the subject must look like.
    pub pattern: Pattern,
    /// What must hold besides; sees the pattern's variables.
    pub guard: Option<Expr>,
    /// Its value.
    pub body: Expr,
}

/// An arm of a [`ExprKind::Select`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectArm {
    /// Where it stands.
    pub span: Span,
    /// What the future's value must look like.
    pub pattern: Pattern,
    /// What is waited for.
    pub future: Expr,
    /// Where it does not hold, the future is not waited for.
    pub guard: Option<Expr>,
    /// What runs when it is the first.
    pub body: Expr,
}

/// What a value is taken as.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Conversion {
    /// A whole number in this range; a fraction is cut off.
    Whole {
        #[serde(with = "super::number")]
        least: f64,
        #[serde(with = "super::number")]
        most: f64,
    },
    /// A number with a fraction.
    Fraction,
    /// Another type, or the one that is inferred.
    Type(Option<Box<Type>>),
}

/// An item of a list literal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// `...value`.
    pub spread: bool,
    /// The item.
    pub value: Expr,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    /// The keyword, where the language has them.
    pub name: Option<Name>,
    /// `...value`.
    pub spread: bool,
    /// The value.
    pub value: Expr,
}

/// A part of an object literal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Property {
    /// `key: value`; a method is a field whose value is a function.
    Field { key: Key, value: Expr },
    /// `get key() {..}`.
    Getter { key: Key, function: FunctionId },
    /// A function that is called when the field is written.
    Setter { key: Key, function: FunctionId },
    /// `...value`.
    Spread(Expr),
}

/// A property key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Key {
    /// A written name, text or number.
    Name(Name),
    /// `[expression]`.
    Computed(Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    /// `!`.
    Not,
    /// `-`.
    Minus,
    /// `+` and other conversions to a number.
    Plus,
    /// `typeof`.
    TypeOf,
    /// Value is `Undefined`.
    Void,
    /// Removes a property.
    Delete,
    /// `~`.
    BitNot,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// A division of which the types decide whether a fraction is cut off.
    Quotient,
    Remainder,
    Power,
    /// Loose and strict equality alike.
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    /// Whether a key is in an object.
    In,
    /// Whether a value is of a class.
    InstanceOf,
}

/// Operators whose right side is evaluated only sometimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogicalOp {
    And,
    Or,
    /// `??`.
    Coalesce,
}

/// What an assignment does with the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AssignOp {
    /// `=`.
    Set,
    /// `+=` and the like.
    Binary(BinaryOp),
    /// `??=` and the like.
    Logical(LogicalOp),
}

/// What a value is bound or assigned to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: PatternKind,
}

/// The kinds of pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PatternKind {
    /// A variable.
    Name(Name),
    /// `{ key: pattern, ...rest }`.
    Object {
        fields: Vec<PatternField>,
        rest: Option<Box<Pattern>>,
    },
    /// `[a, , b, ...rest]`.
    List {
        items: Vec<Option<Pattern>>,
        rest: Option<Box<Pattern>>,
    },
    /// `pattern = default`, used where the value is absent.
    Default {
        pattern: Box<Pattern>,
        value: Box<Expr>,
    },
    /// A variable for the whole value, where the pattern fits it.
    Bind { name: Name, pattern: Box<Pattern> },
    /// A value of this type, variant or constant, with what is in it as a `List` or `Object`.
    Case {
        of: Box<Expr>,
        inner: Option<Box<Pattern>>,
    },
    /// A value that equals this one.
    Equal(Box<Expr>),
    /// A value in this range.
    Between {
        start: Option<Box<Expr>>,
        end: Option<Box<Expr>>,
        inclusive: bool,
    },
    /// The first of these that fits; each binds the same variables.
    Either(Vec<Pattern>),
    /// A list that begins with some items and ends with others; `rest`: what lies between.
    Ends {
        first: Box<[Pattern]>,
        rest: Option<Box<Pattern>>,
        last: Box<[Pattern]>,
    },
    /// A place (`Member` or `Index`) in an assignment.
    Place(Box<Expr>),
    /// Binds nothing.
    Ignore,
}

/// A field of an object pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternField {
    /// Which field.
    pub key: Key,
    /// What it is bound to.
    pub pattern: Pattern,
}

impl PatternKind {
    /// The patterns inside of one of the kinds that test a value, in order.
    pub fn parts(&self) -> Box<dyn Iterator<Item = &Pattern> + '_> {
        match self {
            PatternKind::Bind { pattern, .. } => Box::new(std::iter::once(&**pattern)),
            PatternKind::Case { inner, .. } => Box::new(inner.iter().map(|inner| &**inner)),
            PatternKind::Either(parts) => Box::new(parts.iter()),
            PatternKind::Ends { first, rest, last } => {
                let rest = rest.iter().map(|rest| &**rest);
                Box::new(first.iter().chain(rest).chain(last))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The expressions that one of the kinds that test a value compares it with.
    pub fn tests(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match self {
            PatternKind::Case { of, .. } | PatternKind::Equal(of) => {
                Box::new(std::iter::once(&**of))
            }
            PatternKind::Between { start, end, .. } => {
                Box::new(start.iter().chain(end).map(|end| &**end))
            }
            _ => Box::new(std::iter::empty()),
        }
    }
}
