//! What was found once is not looked for again.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Answers by their question.
#[derive(Debug)]
pub(super) struct Cached<K, V>(Mutex<BTreeMap<K, V>>);

impl<K, V> Default for Cached<K, V> {
    fn default() -> Self {
        Cached(Mutex::default())
    }
}

impl<K: Ord, V: Clone> Cached<K, V> {
    /// The answer that is known, else the one that `find` finds, which may ask here for others.
    pub fn get<Q>(&self, key: &Q, find: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Ord + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(known) = locked(&self.0).get(key) {
            return known.clone();
        }
        let found = find();
        locked(&self.0).insert(key.to_owned(), found.clone());
        found
    }
}

/// A lock that a panicking thread left is still good: entries are only added whole.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
