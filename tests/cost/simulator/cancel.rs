//! Cancelling a node, and giving back what it has of a pool.

use overrun::cost::Term;

use super::{View, World};

impl World<'_> {
    /// Someone outside wants it gone.
    pub fn cancel(&mut self, at: usize) {
        if !self.nodes[at].alive || self.nodes[at].cancelling {
            return;
        }
        self.nodes[at].cancelling = true;
        let terms = self.terms;
        match terms.get(self.nodes[at].term) {
            Term::Call(call) => {
                if let Some(dependency) = call.dependency {
                    let (began, due) = (self.nodes[at].began, self.nodes[at].due);
                    self.land(dependency, began, due);
                }
                self.gone(at, None);
            }
            Term::Shield(_) => {}
            // A handler is not cut.
            Term::Finally { .. } if self.nodes[at].children.len() > 1 => {}
            // What has fired or is decided waits for what it has cancelled itself.
            Term::Deadline { .. } | Term::Within { .. } if self.nodes[at].fired => {}
            Term::FirstOf { .. } | Term::Par { .. } if self.nodes[at].fired => {}
            Term::Hold { pool, .. } if self.nodes[at].children.is_empty() => {
                self.leave_queue(at, *pool);
                self.gone(at, None);
            }
            _ => {
                self.nodes[at].due = None;
                let children: Vec<usize> =
                    self.nodes[at].children.iter().flatten().copied().collect();
                if children.is_empty() {
                    return self.gone(at, None);
                }
                children.into_iter().for_each(|child| self.cancel(child));
            }
        }
    }

    pub fn leave_queue(&mut self, at: usize, pool: overrun::cost::Pool) {
        let given = self.nodes[at].granted && self.view == View::Alone;
        if let Some(state) = self.pools.get_mut(&pool) {
            state.queue.retain(|waiting| *waiting != at);
        }
        if given {
            self.give_back(pool);
        }
    }

    pub fn give_back(&mut self, pool: overrun::cost::Pool) {
        let now = self.now;
        let Some(state) = self.pools.get_mut(&pool) else {
            return;
        };
        match state.queue.pop_front() {
            Some(next) => {
                self.nodes[next].granted = true;
                self.nodes[next].due = Some(now);
            }
            None => state.used = state.used.saturating_sub(1),
        }
    }
}
