//! The graph of calls: which functions can do something that matters, themselves or through what
//! they call.

use std::collections::HashMap;
use std::hash::Hash;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// What a call does that somebody outside of it can see, the least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// Nothing, as far as a bound is concerned.
    #[default]
    Nothing,
    /// It throws, or writes to something that is older than the call; it cannot wait.
    Changes,
    /// It may wait, or nothing is known of it.
    MayWait,
}

/// What is known of a function itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// What it does.
    pub does: Does,
    /// What it gives is data.
    pub gives_data: bool,
}

/// What is known of a function with all that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The most that it, or something that it calls, does.
    pub does: Does,
    /// It may be called again before it has ended.
    pub recursive: bool,
}

/// A graph of calls between functions that are known by a key.
#[derive(Debug)]
pub struct CallGraph<K> {
    graph: DiGraph<Own, bool>,
    nodes: HashMap<K, NodeIndex>,
}

impl<K> Default for CallGraph<K> {
    fn default() -> CallGraph<K> {
        CallGraph {
            graph: DiGraph::new(),
            nodes: HashMap::new(),
        }
    }
}

impl<K: Clone + Eq + Hash> CallGraph<K> {
    /// Adds a function, or says what it does itself.
    pub fn function(&mut self, key: K, own: Own) {
        let node = self.node(key);
        self.graph[node] = own;
    }

    /// Adds a call; `as_data`: the caller takes for data what it gives. A function that is only
    /// called and never added counts as one that may wait.
    pub fn call(&mut self, from: K, to: K, as_data: bool) {
        let (from, to) = (self.node(from), self.node(to));
        self.graph.add_edge(from, to, as_data);
    }

    fn node(&mut self, key: K) -> NodeIndex {
        let graph = &mut self.graph;
        *self.nodes.entry(key).or_insert_with(|| {
            graph.add_node(Own {
                does: Does::MayWait,
                gives_data: false,
            })
        })
    }

    /// What each function does together with all that it calls.
    pub fn settle(&self) -> HashMap<K, Settled> {
        let mut settled = vec![
            Settled {
                does: Does::MayWait,
                recursive: false,
            };
            self.graph.node_count()
        ];
        // What is called comes before what calls it.
        for component in tarjan_scc(&self.graph) {
            let inside = |node: NodeIndex| component.contains(&node);
            let calls = |node: NodeIndex| {
                let targets = self.graph.edges(node);
                targets.map(|edge| (petgraph::visit::EdgeRef::target(&edge), *edge.weight()))
            };
            let of_call = |(target, as_data): (NodeIndex, bool)| {
                if as_data && !self.graph[target].gives_data {
                    Does::MayWait
                } else if inside(target) {
                    Does::Nothing
                } else {
                    settled[target.index()].does
                }
            };
            let most = component.iter().map(|node| {
                let called = calls(*node).map(of_call).max();
                called.unwrap_or_default().max(self.graph[*node].does)
            });
            let does = most.max().unwrap_or_default();
            let recursive = component.len() > 1
                || component
                    .iter()
                    .any(|node| self.graph.contains_edge(*node, *node));
            for node in &component {
                settled[node.index()] = Settled { does, recursive };
            }
        }
        self.nodes
            .iter()
            .map(|(key, node)| (key.clone(), settled[node.index()]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{CallGraph, Does, Own};

    const IDLE: Own = Own {
        does: Does::Nothing,
        gives_data: true,
    };

    #[test]
    fn what_is_called_counts_through_every_cycle() {
        let mut graph = CallGraph::default();
        for name in ["log", "format", "redact", "send", "outer"] {
            graph.function(name, IDLE);
        }
        graph.call("log", "format", true);
        graph.call("format", "redact", true);
        graph.call("redact", "format", true);
        graph.call("outer", "send", false);
        graph.call("send", "fetch", false);
        let settled = graph.settle();
        assert_eq!(settled["log"].does, Does::Nothing);
        assert!(!settled["log"].recursive && settled["format"].recursive);
        assert_eq!(
            settled["outer"].does,
            Does::MayWait,
            "nothing is known of it"
        );
        // What one function of a cycle does, all of them do.
        graph.call("redact", "count", false);
        graph.function(
            "count",
            Own {
                does: Does::Changes,
                ..IDLE
            },
        );
        assert_eq!(graph.settle()["log"].does, Does::Changes);
        graph.call("redact", "send", false);
        assert_eq!(graph.settle()["format"].does, Does::MayWait);
    }

    #[test]
    fn what_is_taken_for_data_must_be_data() {
        let mut graph = CallGraph::default();
        let gives_more = Own {
            gives_data: false,
            ..IDLE
        };
        graph.function("client", gives_more);
        graph.function("report", IDLE);
        graph.call("report", "client", false);
        assert_eq!(graph.settle()["report"].does, Does::Nothing);
        graph.call("report", "client", true);
        assert_eq!(graph.settle()["report"].does, Does::MayWait);
    }
}
