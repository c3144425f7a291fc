//! What was registered on a framework's router.

use std::rc::Rc;

use super::entries::Entries;
use crate::evaluate::join::join;
use crate::evaluate::value::{At, CellId, Native, Value};
use crate::program::Name;

/// A router, as far as it was filled.
#[derive(Clone, Debug)]
pub struct RouterData {
    /// The package whose rule describes it.
    pub package: Name,
    /// The name of that rule in its pack.
    pub rule: Name,
    /// What it is.
    pub kind: RouterKind,
    /// Where it was constructed.
    pub at: At,
    /// In front of every path that is registered through this value.
    pub prefix: Name,
    /// The verbs that its handlers answer, where it says so itself.
    pub verbs: Vec<Name>,
    /// The router that takes what is registered here, where this is only a view of it.
    pub target: Option<CellId>,
    /// What was registered, in order.
    pub entries: Entries,
}

/// What a router value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouterKind {
    /// Takes registrations.
    Router,
    /// Makes builders of procedures and routers of them.
    Root,
    /// A procedure that is being described: its middleware so far.
    Builder,
    /// A procedure with its handler.
    Procedure,
}

/// A registration.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Handlers of a path.
    Route {
        /// `GET`, `ANY`; none: a route without a method.
        verbs: Vec<Name>,
        /// The path; `None`: all.
        path: Option<Name>,
        /// The handlers in their order, the last one being the route's own.
        handlers: Vec<Value>,
        /// Where it was registered.
        at: At,
    },
    /// What runs before the routes that are registered later.
    Middleware {
        /// Only for these paths; `None`: all.
        path: Option<Name>,
        /// Whether the path stands for all paths below it too.
        below: bool,
        /// The functions in their order.
        handlers: Vec<Value>,
    },
    /// What answers after an error of a route.
    Fallback {
        /// The functions, of which one runs.
        handlers: Vec<Value>,
    },
    /// What stands around everything that was registered before it.
    Layer {
        /// The layers, outermost first.
        handlers: Vec<Value>,
    },
    /// Another router below a path.
    Mount {
        /// The path; empty: the same.
        path: Name,
        /// The router.
        router: CellId,
    },
}

impl Entry {
    /// The router that is mounted, where one is.
    pub fn mounted(&self) -> Option<CellId> {
        match self {
            Entry::Mount { router, .. } => Some(*router),
            _ => None,
        }
    }

    /// The functions that it names.
    pub fn handlers(&self) -> &[Value] {
        match self {
            Entry::Route { handlers, .. }
            | Entry::Middleware { handlers, .. }
            | Entry::Fallback { handlers }
            | Entry::Layer { handlers } => handlers,
            Entry::Mount { .. } => &[],
        }
    }
}

impl RouterData {
    /// A value of the same rule with nothing registered.
    pub(super) fn fresh(&self, kind: RouterKind) -> RouterData {
        RouterData {
            kind,
            prefix: Name::default(),
            verbs: Vec::new(),
            target: None,
            entries: Entries::default(),
            ..self.clone()
        }
    }
}

/// A layer that may not be there.
pub(super) fn perhaps(layer: &Value) -> Value {
    join(layer.clone(), Value::Native(Rc::new(Native::GoOn)))
}

/// After an undecided branch: everything that was registered on either path.
pub fn join_routers(a: &Rc<RouterData>, b: &Rc<RouterData>) -> Rc<RouterData> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let mut joined = RouterData::clone(a);
    let only = |entry: &Entry, others: &Entries| match entry {
        Entry::Layer { handlers } if !others.contains(entry) => Entry::Layer {
            handlers: handlers.iter().map(perhaps).collect(),
        },
        entry => entry.clone(),
    };
    joined.entries = a
        .entries
        .iter()
        .map(|entry| only(entry, &b.entries))
        .collect();
    let further = b.entries.iter().filter(|entry| !a.entries.contains(entry));
    joined
        .entries
        .extend(further.map(|entry| only(entry, &a.entries)));
    Rc::new(joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::value::ModuleId;
    use crate::program::Span;

    fn router(paths: &[&str]) -> Rc<RouterData> {
        let at = At {
            module: ModuleId(0),
            span: Span::new(0, 1),
        };
        let entry = |path: &&str| Entry::Route {
            verbs: vec!["GET".into()],
            path: Some((*path).into()),
            handlers: vec![Value::Opaque],
            at,
        };
        Rc::new(RouterData {
            package: "p".into(),
            rule: "R".into(),
            kind: RouterKind::Router,
            at,
            prefix: Name::default(),
            verbs: Vec::new(),
            target: None,
            entries: paths.iter().map(entry).collect(),
        })
    }

    #[test]
    fn nothing_that_a_branch_registered_is_dropped() {
        let joined = join_routers(&router(&["/a", "/b"]), &router(&["/a", "/c"]));
        let paths: Vec<_> = joined
            .entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Route { path, .. } => path.clone(),
                _ => None,
            })
            .collect();
        assert_eq!(paths, ["/a", "/b", "/c"]);
    }
}
