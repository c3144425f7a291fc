//! Which places make a latest instant unbounded.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::term::Site;

/// A set of sites that is joined without copying.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes(Option<Rc<Cause>>);

#[derive(Debug)]
enum Cause {
    Site(Site),
    Both(Causes, Causes),
}

impl Causes {
    pub fn site(site: Site) -> Causes {
        Causes(Some(Rc::new(Cause::Site(site))))
    }

    pub fn join(&mut self, other: &Causes) {
        match (&self.0, &other.0) {
            (_, None) => {}
            (None, Some(_)) => *self = other.clone(),
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => {}
            (Some(_), Some(_)) => {
                let mine = std::mem::take(self);
                *self = Causes(Some(Rc::new(Cause::Both(mine, other.clone()))));
            }
        }
    }

    /// All of them, in order.
    pub fn sites(&self) -> Vec<Site> {
        let mut sites = BTreeSet::new();
        let mut seen: BTreeSet<*const Cause> = BTreeSet::new();
        let mut open = vec![self];
        while let Some(causes) = open.pop() {
            let Some(cause) = &causes.0 else { continue };
            if !seen.insert(Rc::as_ptr(cause)) {
                continue;
            }
            match &**cause {
                Cause::Site(site) => {
                    sites.insert(*site);
                }
                Cause::Both(a, b) => open.extend([a, b]),
            }
        }
        sites.into_iter().collect()
    }
}

/// A chain of a hundred thousand joins must not be dropped by recursion.
impl Drop for Cause {
    fn drop(&mut self) {
        let mut open = Vec::new();
        let take = |cause: &mut Cause, open: &mut Vec<Rc<Cause>>| {
            if let Cause::Both(a, b) = cause {
                open.extend(a.0.take());
                open.extend(b.0.take());
            }
        };
        take(self, &mut open);
        while let Some(next) = open.pop() {
            if let Ok(mut cause) = Rc::try_unwrap(next) {
                take(&mut cause, &mut open);
            }
        }
    }
}
