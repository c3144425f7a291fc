//! The state of lowering one file, and the limit on how deep the lowered tree becomes.

use std::collections::BTreeSet;

use oxc_span::GetSpan;

use crate::program::{
    Export, Expr, ExprKind, FileGap, Function, FunctionId, Import, Name, Span, Stmt, StmtKind,
};

/// How deep the lowered tree may become: everything that walks it (a drop too) recurses, and
/// real code stays below a tenth of this (a router chain of 70 links is 140 levels).
const MAX_TREE_DEPTH: u32 = 1_000;

/// What is collected while one file is lowered.
pub(super) struct Lowering<'t> {
    /// The text of the file.
    pub text: &'t str,
    /// The functions so far; a slot is taken when a function begins.
    pub functions: Vec<Function>,
    /// The awaits of the function that is being lowered.
    pub awaits: Vec<Span>,
    /// Names taken from other modules.
    pub imports: Vec<Import>,
    /// Names given to other modules.
    pub exports: Vec<Export>,
    /// What could not be kept.
    pub gaps: Vec<FileGap>,
    /// Modules that a `require` names outside a top-level binding, imported once each.
    pub required: BTreeSet<Name>,
    /// Names of top-level functions, classes, enumerations and namespaces.
    pub declared: BTreeSet<Name>,
    /// How many functions are open.
    pub function_depth: u32,
    /// How many levels of the tree are open.
    depth: u32,
}

impl<'t> Lowering<'t> {
    /// Nothing collected yet.
    pub fn new(text: &'t str) -> Lowering<'t> {
        Lowering {
            text,
            functions: Vec::new(),
            awaits: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            gaps: Vec::new(),
            required: BTreeSet::new(),
            declared: BTreeSet::new(),
            function_depth: 0,
            depth: 0,
        }
    }

    /// Lowers one level of expressions, or leaves a gap where the tree gets too deep.
    pub fn nested(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if self.depth < MAX_TREE_DEPTH {
            self.depth += 1;
            let lowered = lower(self);
            self.depth -= 1;
            return lowered;
        }
        let awaits = self.lose(span, |lowering| drop(lower(lowering)));
        let what = Name::new_static("nested too deeply");
        Expr {
            span,
            kind: ExprKind::Gap {
                what,
                awaits,
                parts: Box::default(),
            },
        }
    }

    /// Lowers one level of statements, or leaves a gap where the tree gets too deep.
    pub fn nested_statements(
        &mut self,
        span: Span,
        out: &mut Vec<Stmt>,
        lower: impl FnOnce(&mut Self, &mut Vec<Stmt>),
    ) {
        if self.depth < MAX_TREE_DEPTH {
            self.depth += 1;
            lower(self, out);
            self.depth -= 1;
            return;
        }
        let awaits = self.lose(span, |lowering| lower(lowering, &mut Vec::new()));
        let what = Name::new_static("nested too deeply");
        let gap = Expr {
            span,
            kind: ExprKind::Gap {
                what,
                awaits,
                parts: Box::default(),
            },
        };
        out.push(Stmt {
            span,
            kind: StmtKind::Expr(gap),
        });
    }

    /// Lowers a part from depth zero again and throws it away: its functions and awaits are
    /// kept, so that no await is lost in silence. Returns how many awaits it has itself.
    fn lose(&mut self, span: Span, lower: impl FnOnce(&mut Self)) -> u32 {
        let before = self.awaits.len();
        let depth = std::mem::take(&mut self.depth);
        lower(self);
        self.depth = depth;
        let message = format!("nested deeper than {MAX_TREE_DEPTH} levels, not analysed");
        self.gaps.push(FileGap { span, message });
        u32::try_from(self.awaits.len().saturating_sub(before)).unwrap_or(u32::MAX)
    }

    /// Takes the slot of a function that begins.
    pub fn reserve_function(&mut self, span: Span) -> FunctionId {
        let id = FunctionId(u32::try_from(self.functions.len()).unwrap_or(u32::MAX));
        self.functions.push(Function::at(span));
        id
    }

    /// Fills the slot of a function that has been lowered.
    pub fn fill_function(&mut self, id: FunctionId, function: Function) {
        if let Some(slot) = self.functions.get_mut(id.0 as usize) {
            *slot = function;
        }
    }

    /// Whether what is lowered now runs when the module is loaded, at its top level.
    pub fn at_top_level(&self) -> bool {
        self.function_depth == 0
    }
}

/// The span of a node.
pub(super) fn span_of(node: &impl GetSpan) -> Span {
    from_oxc(node.span())
}

/// The neutral form of a span.
pub(super) fn from_oxc(span: oxc_span::Span) -> Span {
    Span::new(span.start, span.end)
}

/// A variable.
pub(super) fn name_expr(span: Span, name: impl AsRef<str>) -> Expr {
    Expr {
        span,
        kind: ExprKind::Name(Name::new(name)),
    }
}
