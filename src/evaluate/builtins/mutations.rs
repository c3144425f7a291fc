//! Methods that change a list in place, or give a changed copy of it.

use std::rc::Rc;

use super::super::interp::Interp;
use super::super::join::join;
use super::super::store::{Content, ListData};
use super::super::value::{CellId, Value};
use super::argument;
use super::lists::{any_item, append, index, inside, length, loosened};

impl Interp<'_> {
    pub(super) fn list_writer(
        &mut self,
        receiver: &Value,
        cell: CellId,
        name: &str,
        args: &[Value],
    ) -> Option<Value> {
        let old = self.store.list(cell);
        let mut list = (*old).clone();
        let result = match name {
            "push" => {
                append(&mut list, args);
                length(&list)
            }
            "unshift" => {
                prepend(&mut list, args);
                length(&list)
            }
            "pop" => pop(&mut list),
            "shift" => shift(&mut list),
            "splice" => {
                let removed = splice(&mut list, args);
                self.list_value(removed)
            }
            "reverse" => {
                reverse(&mut list);
                receiver.clone()
            }
            "fill" => {
                fill(&mut list, args);
                receiver.clone()
            }
            "copyWithin" => {
                list = loosened(&list);
                receiver.clone()
            }
            "sort" => {
                self.sort_alone(&mut list);
                receiver.clone()
            }
            _ => return self.changed_copy(list, name, args),
        };
        match name {
            "pop" | "shift" => self.take_from(cell, &old, list, 0),
            "splice" => self.take_from(cell, &old, list, args.len().saturating_sub(2)),
            _ => self.write_list(cell, list),
        }
        Some(result)
    }

    /// Replaces a list by what is left of it and `added` new items. Where that happens only when
    /// a future has ended, all of the old items may be there still.
    pub(super) fn take_from(&mut self, cell: CellId, old: &ListData, left: ListData, added: usize) {
        if !self.happens_later(cell) {
            self.write_list(cell, left);
            return;
        }
        let mut both = loosened(old);
        both.bound = both.bound.map(|bound| bound.saturating_add(added as u64));
        both.rest = match (both.rest, any_item(&left)) {
            (Some(old), Some(left)) => Some(join(old, left)),
            (old, left) => old.or(left),
        };
        self.write_list(cell, both);
    }

    /// Replaces a list's items.
    pub(super) fn write_list(&mut self, cell: CellId, list: ListData) {
        self.store.set(cell, Content::List(Rc::new(list)));
    }

    fn changed_copy(&mut self, mut list: ListData, name: &str, args: &[Value]) -> Option<Value> {
        match name {
            "toReversed" => reverse(&mut list),
            "toSorted" => self.sort_alone(&mut list),
            "toSpliced" => {
                splice(&mut list, args);
            }
            "with" => replace(&mut list, &argument(args, 0), argument(args, 1)),
            _ => return None,
        }
        Some(self.list_value(list))
    }
}

fn prepend(list: &mut ListData, values: &[Value]) {
    if list.rest.is_some() {
        // The items would move: which is where is not known any more.
        let mut loose = loosened(list);
        append(&mut loose, values);
        *list = loose;
        return;
    }
    let mut whole = ListData {
        items: values.to_vec(),
        rest: None,
        bound: Some(values.len() as u64),
    };
    append(&mut whole, &list.items);
    *list = whole;
}

fn pop(list: &mut ListData) -> Value {
    if list.rest.is_none() {
        let last = list.items.pop().unwrap_or(Value::Undefined);
        list.bound = Some(list.items.len() as u64);
        return last;
    }
    *list = loosened(list);
    join(any_item(list).unwrap_or(Value::Undefined), Value::Undefined)
}

fn shift(list: &mut ListData) -> Value {
    if list.items.is_empty() {
        return match &list.rest {
            Some(rest) => join(rest.clone(), Value::Undefined),
            None => Value::Undefined,
        };
    }
    list.bound = list.bound.map(|bound| bound.saturating_sub(1));
    list.items.remove(0)
}

/// Takes items out and puts others there; gives those that were taken out.
fn splice(list: &mut ListData, args: &[Value]) -> ListData {
    let new = args.get(2..).unwrap_or_default();
    let count = list.items.len();
    let known = (
        index(&argument(args, 0), 0.0),
        index(&argument(args, 1), 0.0),
    );
    if let ((Some(start), Some(taken)), None) = (known, &list.rest) {
        let start = inside(start, count);
        let taken = if args.len() == 1 {
            count - start
        } else {
            (taken.max(0.0) as usize).min(count - start)
        };
        let removed: Vec<Value> = list
            .items
            .splice(start..start + taken, new.iter().cloned())
            .collect();
        list.bound = Some(list.items.len() as u64);
        return ListData {
            bound: Some(removed.len() as u64),
            items: removed,
            rest: None,
        };
    }
    let mut removed = loosened(list);
    if let (Value::Number(most), true) = (argument(args, 1), args.len() > 1)
        && most.value >= 0.0
        && most.value.is_finite()
    {
        let most = most.value as u64;
        removed.bound = Some(removed.bound.map_or(most, |bound| bound.min(most)));
    }
    let mut left = loosened(list);
    append(&mut left, new);
    *list = left;
    removed
}

fn reverse(list: &mut ListData) {
    if list.rest.is_none() {
        list.items.reverse();
    } else {
        *list = loosened(list);
    }
}

fn fill(list: &mut ListData, args: &[Value]) {
    let value = argument(args, 0);
    let whole = args.len() <= 1;
    for item in list.items.iter_mut().chain(&mut list.rest) {
        *item = if whole {
            value.clone()
        } else {
            join(item.clone(), value.clone())
        };
    }
}

fn replace(list: &mut ListData, position: &Value, value: Value) {
    match index(position, 0.0) {
        Some(index) if list.rest.is_none() || index >= 0.0 => {
            let index = if index < 0.0 {
                index + list.items.len() as f64
            } else {
                index
            };
            match list.items.get_mut(index.max(0.0) as usize) {
                Some(item) => *item = value,
                None => list.rest = list.rest.take().map(|rest| join(rest, value)),
            }
        }
        _ => {
            for item in list.items.iter_mut().chain(&mut list.rest) {
                *item = join(item.clone(), value.clone());
            }
        }
    }
}
