//! The shape of a part of a graph: its nodes alone, with everything that names something else
//! (sites, dependencies, pools, clocks, futures, outcomes of the builder) numbered from the
//! least on.
//!
//! The numbering keeps the order of the numbers, and the equations only compare them: equal
//! shapes have equal bounds but for the names, so each has to be evaluated only once.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::bound::{Bound, Evaluation};
use super::names::{Names, each_name};
use super::settings::Settings;
use super::term::{Term, TermId, Terms};

/// The nodes of a part, children first, its root last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    nodes: Box<[Term]>,
}

impl Shape {
    /// The shape of what is below `root`, `root` included, and what its numbers stand for.
    pub fn of(terms: &Terms, root: TermId) -> (Shape, Names) {
        let ids = below(terms, root);
        let mut nodes: Box<[Term]> = ids.iter().map(|id| terms.get(*id).clone()).collect();
        let names = Names::of(&mut nodes);
        for node in &mut nodes {
            node.each_child_mut(|child| {
                let at = ids.binary_search(child).unwrap_or_default();
                *child = TermId(u32::try_from(at).unwrap_or(u32::MAX));
            });
            each_name(node, &mut |name| names.number(name));
        }
        (Shape { nodes }, names)
    }

    /// The part as a graph of its own, and its root.
    pub fn graph(&self) -> (Terms, TermId) {
        let mut terms = Terms::new();
        let mut root = TermId(0);
        for node in &self.nodes {
            root = terms.add(node.clone());
        }
        (terms, root)
    }
}

/// All nodes below `root`, `root` included, in ascending order: children first.
fn below(terms: &Terms, root: TermId) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    seen.insert(root);
    let mut open = vec![root];
    let mut ids = Vec::new();
    while let Some(id) = open.pop() {
        ids.push(id);
        terms.get(id).each_child(|child| {
            if seen.insert(child) {
                open.push(child);
            }
        });
    }
    ids.sort_unstable();
    ids
}

/// Evaluates one term. What it costs depends on the part below `root` alone, however large the
/// graph is; for several terms of one graph see [`Evaluation`], for equal ones [`Shapes`].
pub fn evaluate(terms: &Terms, root: TermId, settings: &Settings) -> Bound {
    let (shape, names) = Shape::of(terms, root);
    names.bound(&alone(&shape, settings))
}

fn alone(shape: &Shape, settings: &Settings) -> Bound {
    let (terms, root) = shape.graph();
    Evaluation::new(&terms, settings).bound(root)
}

/// Evaluates each shape once.
#[derive(Debug, Default)]
pub struct Shapes {
    known: RefCell<FxHashMap<Settings, FxHashMap<Shape, Rc<Bound>>>>,
}

impl Shapes {
    /// As [`evaluate`].
    pub fn bound(&self, terms: &Terms, root: TermId, settings: &Settings) -> Bound {
        let (shape, names) = Shape::of(terms, root);
        let mut known = self.known.borrow_mut();
        let known = known.entry(*settings).or_default();
        let bound = match known.get(&shape) {
            Some(bound) => Rc::clone(bound),
            None => {
                let bound = Rc::new(alone(&shape, settings));
                known.insert(shape, Rc::clone(&bound));
                bound
            }
        };
        names.bound(&bound)
    }
}
