//! Lists and iterators: both are lists here, and what an iterator does to its items is done when
//! it is made.

use std::rc::Rc;

use crate::evaluate::calls::is_function;
use crate::evaluate::failures::some;
use crate::evaluate::interp::Interp;
use crate::evaluate::join::{any_of, join, join_all};
use crate::evaluate::store::{Content, ListData};
use crate::evaluate::value::{At, Num, Value};
use crate::program::Name;

/// Methods that call a function for the items, and what other languages call them.
const FOR_ITEMS: [(&str, &str); 9] = [
    ("map", "map"),
    ("filter", "filter"),
    ("for_each", "forEach"),
    ("flat_map", "flatMap"),
    ("any", "some"),
    ("all", "every"),
    ("take_while", "filter"),
    ("skip_while", "filter"),
    ("inspect", "forEach"),
];

/// Whether a method of this name takes a function for the items.
pub(super) fn takes_items(name: &str) -> bool {
    FOR_ITEMS.iter().any(|(own, _)| *own == name)
        || matches!(
            name,
            "find"
                | "filter_map"
                | "fold"
                | "find_map"
                | "position"
                | "try_fold"
                | "try_for_each"
                | "map_while"
                | "retain"
                | "partition"
        )
}

impl Interp<'_> {
    /// A method of a list; `None`: nothing is known of it.
    pub(super) fn listed_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if let Some((_, other)) = FOR_ITEMS.iter().find(|(own, _)| *own == name.as_str()) {
            let result = self.callback_method_here(receiver, other, args, at)?;
            return Some(match name.as_str() {
                "inspect" => receiver.clone(),
                _ => result,
            });
        }
        if let Some(value) = self.searched(receiver, name, args, at) {
            return Some(value);
        }
        let Value::List(cell) = receiver else {
            return None;
        };
        let list = self.store.list(*cell);
        Some(match name.as_str() {
            // Whether a list of results is collected into one result, `?` finds out.
            "iter" | "iter_mut" | "into_iter" | "drain" | "peekable" | "collect" => {
                receiver.clone()
            }
            "sort" | "sort_unstable" | "sort_by" | "sort_by_key" | "dedup" => {
                self.run_callbacks(args, at);
                let data = self.unordered(&list);
                self.store.set(*cell, Content::List(Rc::new(data)));
                Value::Undefined
            }
            "rev" => {
                let mut data = ListData::clone(&list);
                if data.rest.is_none() {
                    data.items.reverse();
                }
                self.list_of(data)
            }
            "enumerate" => self.enumerated(&list),
            "len" | "count" => match (&list.rest, list.bound) {
                (None, _) => Value::number(list.items.len() as f64),
                (Some(_), Some(bound)) => Value::Number(Num {
                    value: bound as f64,
                    exact: false,
                    origin: None,
                    tags: None,
                }),
                _ => Value::Opaque,
            },
            "is_empty" => match &list.rest {
                None => Value::bool(list.items.is_empty()),
                Some(_) => Value::Opaque,
            },
            "take" => self.first_items(&list, args.first()),
            "skip" | "step_by" | "chunks" | "windows" => self.some_items(&list),
            "chain" | "extend" => {
                let other = args.first().cloned().unwrap_or(Value::Undefined);
                let joined = self.pure_method(receiver, "concat", &[other], at)?;
                if name == "extend"
                    && let Value::List(new) = joined
                {
                    let data = self.store.list(new);
                    self.store.set(*cell, Content::List(data));
                    return Some(Value::Undefined);
                }
                joined
            }
            "spawn" | "spawn_local" | "spawn_blocking" => {
                let task = args.first().cloned().unwrap_or(Value::Undefined);
                let task = self.spawned(task, name == "spawn_blocking", at);
                self.pure_method(receiver, "push", &[task], at);
                return Some(Value::Opaque);
            }
            "push" | "push_back" | "insert" => {
                let item = args.last().cloned().unwrap_or(Value::Undefined);
                return self.pure_method(receiver, "push", &[item], at);
            }
            "zip" => {
                let other = args.first().cloned().unwrap_or(Value::Undefined);
                self.zipped(&list, &other)
            }
            "cycle" => {
                let item = self.item_of(receiver);
                self.store.new_list_of(item, None)
            }
            "sum" | "product" | "contains" | "join" | "concat" => {
                self.run_callbacks(args, at);
                Value::Opaque
            }
            _ => return None,
        })
    }

    fn callback_method_here(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let function = args.first()?;
        if !is_function(function) && !matches!(function, Value::Imported(_) | Value::Type(_)) {
            return None;
        }
        // Each call's failures are the value of that item.
        let function = Value::Native(Rc::new(crate::evaluate::value::Native::Valued(
            function.clone(),
        )));
        self.pure_method(receiver, name, &[function], at)
    }

    /// Methods that look for an item.
    fn searched(&mut self, receiver: &Value, name: &Name, args: &[Value], at: At) -> Option<Value> {
        match name.as_str() {
            "find" | "position" | "find_map" | "filter_map" | "map_while" | "retain"
            | "partition" => {
                let results = self.callback_method_here(receiver, "map", args, at)?;
                let item = self.item_of(receiver);
                let result = self.item_of(&results);
                Some(match name.as_str() {
                    "find" => join(some(item), Value::Null),
                    "position" => join(some(Value::Opaque), Value::Null),
                    "find_map" => join(result, Value::Null),
                    "filter_map" | "map_while" => self.present_items(&results),
                    "partition" => {
                        let half = self.store.new_list_of(item, None);
                        self.store.new_list(vec![half.clone(), half])
                    }
                    _ => Value::Undefined,
                })
            }
            "fold" | "try_fold" => {
                let (start, function) = (args.first()?.clone(), args.get(1)?.clone());
                let function =
                    Value::Native(Rc::new(crate::evaluate::value::Native::Valued(function)));
                self.pure_method(receiver, "reduce", &[function, start], at)
            }
            "try_for_each" => {
                self.callback_method_here(receiver, "forEach", args, at)?;
                Some(Value::Opaque)
            }
            "next" | "join_next" | "try_next" | "try_join_next"
                if self.is_followed(receiver) || name != "next" =>
            {
                self.next_of(receiver, at)
            }
            "next" | "next_back" | "pop" | "pop_front" | "pop_back" | "first" | "last" | "get"
            | "get_mut" | "nth" | "peek" | "min" | "max" | "min_by_key" | "max_by_key"
            | "first_mut" | "last_mut" | "remove" => {
                let Value::List(cell) = receiver else {
                    return None;
                };
                let list = self.store.list(*cell);
                let exact = list.rest.is_none();
                let wanted = match (name.as_str(), args.first()) {
                    ("first" | "peek" | "first_mut", _) => Some(0),
                    ("last" | "last_mut", _) => list.items.len().checked_sub(1),
                    ("get" | "nth" | "get_mut", Some(Value::Number(index))) if index.exact => {
                        Some(index.value as usize)
                    }
                    _ => None,
                };
                if exact && list.items.is_empty() {
                    return Some(Value::Null);
                }
                if let (true, Some(index)) = (exact, wanted) {
                    return Some(list.items.get(index).cloned().map_or(Value::Null, some));
                }
                let item = self.item_of(receiver);
                Some(join(some(item), Value::Null))
            }
            _ => None,
        }
    }

    /// Whether the items of a list are known one by one, or futures are among them.
    fn is_followed(&self, value: &Value) -> bool {
        let Value::List(cell) = value else {
            return false;
        };
        let list = self.store.list(*cell);
        list.rest.is_none()
            || list.items.iter().chain(&list.rest).any(|item| {
                item.alternatives()
                    .iter()
                    .any(|v| matches!(v, Value::Future(_)))
            })
    }

    fn list_of(&mut self, data: ListData) -> Value {
        Value::List(self.store.add(Content::List(Rc::new(data))))
    }

    /// The items that are there, taken out.
    fn present_items(&mut self, results: &Value) -> Value {
        let Value::List(cell) = results else {
            return Value::Opaque;
        };
        let list = self.store.list(*cell);
        let mut items = Vec::new();
        let mut sure = list.rest.is_none();
        for item in list.items.iter().chain(&list.rest) {
            for one in item.alternatives() {
                match one {
                    Value::Null => {}
                    Value::Form(form) => items.push(form.first()),
                    other => items.push(other.clone()),
                }
            }
            sure &= item.alternatives().len() == 1;
        }
        if sure {
            return self.store.new_list(items);
        }
        let bound = match &list.rest {
            None => Some(list.items.len() as u64),
            Some(_) => list.bound,
        };
        self.store.new_list_of(join_all(items), bound)
    }

    fn enumerated(&mut self, list: &ListData) -> Value {
        let mut items = Vec::new();
        for (index, item) in list.items.iter().enumerate() {
            let pair = vec![Value::number(index as f64), item.clone()];
            items.push(self.store.new_list(pair));
        }
        let rest = list
            .rest
            .clone()
            .map(|rest| self.store.new_list(vec![Value::Opaque, rest]));
        self.list_of(ListData {
            items,
            rest,
            bound: list.bound,
        })
    }

    /// The first items of a list, as many as a number says.
    fn first_items(&mut self, list: &ListData, count: Option<&Value>) -> Value {
        let most = match count {
            Some(Value::Number(number)) => Some((number.value.max(0.0) as u64, number.exact)),
            _ => None,
        };
        match most {
            Some((most, true)) if list.rest.is_none() => {
                let items = list.items.iter().take(most as usize).cloned().collect();
                self.store.new_list(items)
            }
            Some((most, _)) => {
                let item = join_all(list.items.iter().cloned().chain(list.rest.clone()));
                let bound = list.bound.map_or(most, |bound| bound.min(most));
                self.store.new_list_of(item, Some(bound))
            }
            None => self.some_items(list),
        }
    }

    /// Some of the items.
    fn some_items(&mut self, list: &ListData) -> Value {
        let data = self.unordered(list);
        self.list_of(data)
    }

    /// The same items, of which it is not known where each stands.
    fn unordered(&self, list: &ListData) -> ListData {
        let bound = match &list.rest {
            None => Some(list.items.len() as u64),
            Some(_) => list.bound,
        };
        let all = list.items.iter().cloned().chain(list.rest.clone());
        ListData {
            items: Vec::new(),
            rest: any_of(all),
            bound,
        }
    }

    fn zipped(&mut self, list: &ListData, other: &Value) -> Value {
        if let Value::List(cell) = other {
            let second = self.store.list(*cell);
            if list.rest.is_none() && second.rest.is_none() {
                let pairs: Vec<(Value, Value)> = list
                    .items
                    .iter()
                    .cloned()
                    .zip(second.items.iter().cloned())
                    .collect();
                let mut items = Vec::new();
                for (a, b) in pairs {
                    items.push(self.store.new_list(vec![a, b]));
                }
                return self.store.new_list(items);
            }
        }
        let first = join_all(list.items.iter().cloned().chain(list.rest.clone()));
        let second = self.item_of(other);
        let pair = self.store.new_list(vec![first, second]);
        self.store.new_list_of(pair, list.bound)
    }
}
