//! What was registered on a router, in order.
//!
//! A router is filled one registration at a time, and every state of it may have to be gone back
//! to: so a state shares all of what was registered before it, and adding takes no copy.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::FxHasher;

use super::router::Entry;

/// Registrations; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    last: Option<Rc<Link>>,
}

#[derive(Debug)]
struct Link {
    entry: Entry,
    print: u64,
    before: Option<Rc<Link>>,
}

impl Entries {
    /// Adds one at the end.
    pub fn push(&mut self, entry: Entry) {
        let link = Link {
            print: print(&entry),
            entry,
            before: self.last.take(),
        };
        self.last = Some(Rc::new(link));
    }

    /// Adds several at the end.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }

    /// Whether there is an equal one.
    pub fn contains(&self, entry: &Entry) -> bool {
        let print = print(entry);
        self.links()
            .any(|link| link.print == print && link.entry == *entry)
    }

    /// From the first on.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        let mut all: Vec<&Entry> = self.links().map(|link| &link.entry).collect();
        all.reverse();
        all.into_iter()
    }

    /// From the last on.
    fn links(&self) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.last.as_deref(), |link| link.before.as_deref())
    }
}

impl FromIterator<Entry> for Entries {
    fn from_iter<T: IntoIterator<Item = Entry>>(entries: T) -> Entries {
        let mut made = Entries::default();
        made.extend(entries);
        made
    }
}

impl Drop for Entries {
    /// Without recursion: there may be a million.
    fn drop(&mut self) {
        let mut open = self.last.take();
        while let Some(mut link) = open.and_then(Rc::into_inner) {
            open = link.before.take();
        }
    }
}

/// A number that equal entries share.
pub(super) fn print(entry: &Entry) -> u64 {
    let mut hasher = FxHasher::default();
    match entry {
        Entry::Route {
            verbs, path, at, ..
        } => (0, verbs, path, at).hash(&mut hasher),
        Entry::Middleware { path, below, .. } => (1, path, below).hash(&mut hasher),
        Entry::Fallback { handlers } => (2, handlers.len()).hash(&mut hasher),
        Entry::Mount { path, router } => (3, path, router).hash(&mut hasher),
        Entry::Layer { handlers } => (4, handlers.len()).hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::value::CellId;

    fn mount(index: u32) -> Entry {
        Entry::Mount {
            path: format!("/{index}").into(),
            router: CellId(index),
        }
    }

    #[test]
    fn a_state_stays_what_it_was() {
        let mut entries: Entries = (0..3).map(mount).collect();
        let before = entries.clone();
        entries.push(mount(3));
        assert!(entries.iter().eq(&(0..4).map(mount).collect::<Vec<_>>()));
        assert!(before.iter().eq(&(0..3).map(mount).collect::<Vec<_>>()));
        assert!(entries.contains(&mount(3)) && !before.contains(&mount(3)));
    }

    #[test]
    fn a_million_are_given_up_without_recursion() {
        let entries: Entries = (0..1_000_000).map(mount).collect();
        let state = entries.clone();
        drop(entries);
        assert!(state.contains(&mount(0)));
    }
}
