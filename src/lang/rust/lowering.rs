//! The state of lowering one file, and the limit on how deep the lowered tree becomes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::parse::Parsed;
use crate::program::{
    Comment, Condition, Declarations, Export, ExportKind, Expr, ExprKind, FileGap, Function,
    FunctionId, Import, LeftOut, Module, Name, Pattern, PatternKind, Span, Stmt, StmtKind, attach,
};

/// How deep the lowered tree may become: everything that walks it (a drop too) recurses, and
/// real code stays below a tenth of this (a router chain of 70 links is 140 levels).
pub(super) const MAX_TREE_DEPTH: u32 = 1_000;

/// What encloses a `break` with a value.
pub(super) struct Breakable {
    /// Its label.
    pub label: Option<Name>,
    /// Whether a `break` without a label leaves it.
    pub is_loop: bool,
    /// The variable that its value is put into.
    pub result: Option<Name>,
    /// Whether a `break` puts one there.
    pub used: bool,
}

/// What is collected while one module is lowered.
pub(super) struct Lowering<'t> {
    /// The text of the file.
    pub text: &'t str,
    /// The path of the file.
    pub path: &'t str,
    /// Where awaits are written in the file, in order.
    written: &'t [u32],
    /// The inline modules around, outermost first.
    pub inside: Vec<Name>,
    /// The folders that those modules' files lie in, below the file's own.
    pub folders: Vec<String>,
    /// The functions so far; a slot is taken when a function begins.
    pub functions: Vec<Function>,
    /// The awaits of the function that is being lowered.
    pub awaits: Vec<Span>,
    /// Names taken from other modules.
    pub imports: Vec<Import>,
    /// Names given to other modules.
    pub exports: Vec<Export>,
    /// Inline modules.
    pub inner: Vec<(Name, Arc<Module>)>,
    /// Modules that are named by a path and declared nowhere here.
    pub outer: BTreeMap<Name, Import>,
    /// What could not be kept.
    pub gaps: Vec<FileGap>,
    /// Types, implementations and the like.
    pub declarations: Declarations,
    /// Names that the module itself declares.
    pub declared: BTreeSet<Name>,
    /// Macros that are called by a single name.
    pub called_macros: BTreeSet<Name>,
    /// Annotations of the file that no inline module has taken yet.
    pub comments: Vec<Comment>,
    /// The function that is being lowered.
    pub within: Option<FunctionId>,
    /// What a `break` can leave, innermost last.
    pub breakables: Vec<Breakable>,
    /// Whether the function that is being lowered gives values by `yield`.
    pub yields: bool,
    /// How many levels of the tree are open.
    pub depth: u32,
}

impl<'t> Lowering<'t> {
    /// Nothing collected yet. `written`: the offset of each await of the file, in order.
    pub fn new(text: &'t str, path: &'t str, written: &'t [u32]) -> Lowering<'t> {
        Lowering {
            text,
            path,
            written,
            inside: Vec::new(),
            folders: Vec::new(),
            functions: Vec::new(),
            awaits: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            inner: Vec::new(),
            outer: BTreeMap::new(),
            gaps: Vec::new(),
            declarations: Declarations::default(),
            declared: BTreeSet::new(),
            called_macros: BTreeSet::new(),
            comments: Vec::new(),
            within: None,
            breakables: Vec::new(),
            yields: false,
            depth: 0,
        }
    }

    /// Lowers the whole file into `module`, which has its path and lines.
    pub fn file(&mut self, file: Parsed, comments: Vec<Comment>, module: &mut Module) {
        self.comments = comments;
        let condition = super::conditions::of(&file.attributes);
        if condition == Condition::Known(false) {
            let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
            return self.whole_left_out(Span::new(0, end), module);
        }
        let mut body = Vec::new();
        for broken in file.broken {
            let what = Name::new_static("cannot be parsed");
            let gap = self.unread(broken.span, what, Vec::new());
            body.push(statement_of(gap));
            self.gaps.push(broken);
        }
        self.items(&file.items, &mut body);
        self.finish(body, module);
    }

    fn whole_left_out(&mut self, span: Span, module: &mut Module) {
        let awaits = self.awaits_in(span);
        module.declarations.left_out.push(LeftOut { span, awaits });
    }

    /// Moves everything that was collected into `module`.
    pub fn finish(&mut self, body: Vec<Stmt>, module: &mut Module) {
        self.import_macros();
        module.body = body;
        module.functions = std::mem::take(&mut self.functions);
        module.imports = std::mem::take(&mut self.imports);
        module.exports = std::mem::take(&mut self.exports);
        module.inner = std::mem::take(&mut self.inner);
        module.outer = std::mem::take(&mut self.outer).into_values().collect();
        module.awaits = std::mem::take(&mut self.awaits);
        module.awaits.sort_unstable();
        module.gaps.append(&mut self.gaps);
        module.declarations = std::mem::take(&mut self.declarations);
        module
            .declarations
            .conditions
            .sort_by_key(|(span, _)| *span);
        module.declarations.markers.sort_by_key(|(span, _)| *span);
        module
            .declarations
            .instantiations
            .sort_by_key(|(span, _)| *span);
        module.declarations.left_out.sort_by_key(|left| left.span);
        module.declarations.unread.sort_by_key(|left| left.span);
        let mut comments = std::mem::take(&mut self.comments);
        comments.sort_by_key(|comment| comment.span);
        attach(module, comments, self.text);
    }

    /// How many awaits are written in a part of the file.
    pub fn awaits_in(&self, span: Span) -> u32 {
        let from = self.written.partition_point(|at| *at < span.start);
        let to = self.written.partition_point(|at| *at < span.end);
        u32::try_from(to.saturating_sub(from)).unwrap_or(u32::MAX)
    }

    /// Notes that a part is never part of the program.
    pub fn leave_out(&mut self, span: Span) {
        let awaits = self.awaits_in(span);
        self.declarations.left_out.push(LeftOut { span, awaits });
    }

    /// A part that could not be lowered, with the awaits that are written in it.
    pub fn unread(&mut self, span: Span, what: Name, parts: Vec<Expr>) -> Expr {
        let awaits = self.awaits_in(span);
        self.declarations.unread.push(LeftOut { span, awaits });
        let kind = ExprKind::Gap {
            what,
            awaits,
            parts: parts.into(),
        };
        Expr { span, kind }
    }

    /// Lowers one level of the tree (`levels` at once), or leaves a gap where it gets too deep.
    pub fn nested(
        &mut self,
        levels: u32,
        span: impl FnOnce(&Self) -> Span,
        lower: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        if self.depth.saturating_add(levels) <= MAX_TREE_DEPTH {
            self.depth += levels;
            let lowered = lower(self);
            self.depth -= levels;
            return lowered;
        }
        let span = span(self);
        let before = self.awaits.len();
        let depth = std::mem::take(&mut self.depth);
        // What is in it is lowered and thrown away: its functions and awaits are kept, so that
        // no await is lost in silence.
        drop(lower(self));
        self.depth = depth;
        let message = format!("nested deeper than {MAX_TREE_DEPTH} levels, not analysed");
        self.gaps.push(FileGap { span, message });
        let awaits = u32::try_from(self.awaits.len().saturating_sub(before)).unwrap_or(u32::MAX);
        let what = Name::new_static("nested too deeply");
        let kind = ExprKind::Gap {
            what,
            awaits,
            parts: Box::default(),
        };
        Expr { span, kind }
    }

    /// Takes the slot of a function that begins.
    pub fn reserve_function(&mut self, span: Span) -> FunctionId {
        let id = FunctionId(u32::try_from(self.functions.len()).unwrap_or(u32::MAX));
        self.functions.push(Function::at(span));
        id
    }

    /// Lowers what belongs to a function: its awaits are its own, and no `break` leaves it.
    pub fn in_function<T>(
        &mut self,
        id: FunctionId,
        lower: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<Span>, bool) {
        let yields = std::mem::take(&mut self.yields);
        let outer = std::mem::take(&mut self.awaits);
        let breakables = std::mem::take(&mut self.breakables);
        let within = self.within.replace(id);
        let lowered = lower(self);
        self.within = within;
        self.breakables = breakables;
        let mut awaits = std::mem::replace(&mut self.awaits, outer);
        awaits.sort_unstable();
        let own = std::mem::replace(&mut self.yields, yields);
        (lowered, awaits, own)
    }

    /// The whole of a function whose end was not known when it began.
    pub fn widen_function(&mut self, id: FunctionId, span: Span) {
        if let Some(function) = self.functions.get_mut(id.0 as usize) {
            function.span = span;
        }
    }

    /// Gives a name of this module to others; `public`: not only to modules inside of it.
    pub fn export(&mut self, span: Span, name: &Name, public: bool) {
        if self.within.is_some() {
            return;
        }
        let (exported, local) = (name.clone(), name.clone());
        let kind = if public {
            ExportKind::Local { exported, local }
        } else {
            ExportKind::Inner { exported, local }
        };
        self.exports.push(Export { span, kind });
    }
}

/// The neutral form of a token's span.
pub(super) fn span_of(span: proc_macro2::Span) -> Span {
    let range = span.byte_range();
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(range.start), offset(range.end))
}

/// From the beginning of one to the end of the other.
pub(super) fn spanning(first: Span, last: Span) -> Span {
    Span::new(first.start, last.end.max(first.end))
}

/// An expression of a kind.
pub(super) fn expr(span: Span, kind: ExprKind) -> Expr {
    Expr { span, kind }
}

/// A variable.
pub(super) fn name_expr(span: Span, name: Name) -> Expr {
    expr(span, ExprKind::Name(name))
}

/// A variable that is bound.
pub(super) fn name_pattern(span: Span, name: Name) -> Pattern {
    Pattern {
        span,
        kind: PatternKind::Name(name),
    }
}

/// An expression for its effect; a block without a value is one of statements.
pub(super) fn statement_of(e: Expr) -> Stmt {
    let span = e.span;
    let kind = match e.kind {
        ExprKind::Block { body, value: None } => StmtKind::Block(body),
        kind => StmtKind::Expr(Expr { span, kind }),
    };
    Stmt { span, kind }
}

/// Statements as an expression without a value.
pub(super) fn block_of(span: Span, body: Vec<Stmt>) -> Expr {
    expr(span, ExprKind::Block { body, value: None })
}

impl<'t> Lowering<'t> {
    /// Where awaits are written in the file.
    pub fn written(&self) -> &'t [u32] {
        self.written
    }
}
