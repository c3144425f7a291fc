//! Sets: a list of members that are told apart where that is known.

use super::super::interp::Interp;
use super::super::join::{any_of, join};
use super::super::store::ListData;
use super::super::value::{At, CellId, Value};
use super::callbacks::Callback;
use super::lists::{any_item, append, loosened};
use super::slots::{MEMBERS, SHARED};
use super::{argument, search};

impl Interp<'_> {
    pub(super) fn new_set(&mut self, members: &ListData) -> Value {
        let mut set = ListData {
            bound: Some(0),
            ..ListData::default()
        };
        for item in &members.items {
            add_member(&mut set, item);
        }
        if let Some(rest) = &members.rest {
            let mut loose = loosened(&set);
            loose.rest = Some(
                loose
                    .rest
                    .take()
                    .map_or_else(|| rest.clone(), |old| join(old, rest.clone())),
            );
            set = ListData {
                bound: members.bound,
                ..loose
            };
        }
        let filled = any_item(&set).is_some();
        let list = self.list_value(set);
        self.new_collection(MEMBERS, list, filled)
    }

    /// A set's members as a list.
    pub(super) fn set_members(&mut self, set: &Value) -> Value {
        let Some(Value::List(cell)) = self.slot(set, MEMBERS) else {
            return self.store.new_list_of(Value::Opaque, None);
        };
        let list = self.store.list(cell);
        if self.slot(set, SHARED).is_some() {
            let item = any_item(&list).unwrap_or(Value::Opaque);
            return self.store.new_list_of(item, None);
        }
        self.list_value((*list).clone())
    }

    pub(super) fn set_method(
        &mut self,
        set: &Value,
        cell: CellId,
        shared: bool,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let list = self.store.list(cell);
        let value = argument(args, 0);
        Some(match name {
            "has" => match search::includes(&list, &value) {
                Value::Bool(false, _) | Value::Predicate(_) if shared => Value::Opaque,
                known => known,
            },
            "add" => {
                let mut list = (*list).clone();
                add_member(&mut list, &value);
                self.write_list(cell, list);
                set.clone()
            }
            "delete" => {
                let there = search::includes(&list, &value);
                let mut left = (*list).clone();
                remove_member(&mut left, &value);
                self.take_from(cell, &list, left, 0);
                if shared { Value::Opaque } else { there }
            }
            "clear" => {
                let none = ListData {
                    bound: Some(0),
                    ..ListData::default()
                };
                self.take_from(cell, &list, none, 0);
                Value::Undefined
            }
            "values" | "keys" => self.set_members(set),
            "entries" => {
                let members = self.set_members(set);
                let list = self.list_data(&members);
                let items = list
                    .items
                    .iter()
                    .map(|item| self.store.new_list(vec![item.clone(); 2]))
                    .collect();
                let rest = list
                    .rest
                    .as_ref()
                    .map(|item| self.store.new_list(vec![item.clone(); 2]));
                self.list_value(ListData {
                    items,
                    rest,
                    bound: list.bound,
                })
            }
            "forEach" => {
                let members = self.set_members(set);
                let turns = self.turns(&members);
                let callback = Callback {
                    function: &value,
                    this: argument(args, 1),
                    at,
                };
                self.results(&turns, &callback);
                Value::Undefined
            }
            "union" | "intersection" | "difference" | "symmetricDifference" => {
                self.set_of_both(&list, &value)
            }
            "isSubsetOf" | "isSupersetOf" | "isDisjointFrom" => Value::Opaque,
            _ => return None,
        })
    }

    /// A set of some of the members of two.
    fn set_of_both(&mut self, list: &ListData, other: &Value) -> Value {
        let view = self.iterated(other);
        let other = self.list_data(&view);
        let rest = any_of(any_item(list).into_iter().chain(any_item(&other)));
        let members = self.list_value(ListData {
            items: Vec::new(),
            rest,
            bound: None,
        });
        self.with_slot(MEMBERS, members)
    }
}

fn add_member(list: &mut ListData, value: &Value) {
    match search::contains(list, value) {
        Some(true) => {}
        Some(false) => append(list, std::slice::from_ref(value)),
        None => {
            // It may be there already: how many there are is not known any more.
            let mut loose = loosened(list);
            append(&mut loose, std::slice::from_ref(value));
            *list = loose;
        }
    }
}

fn remove_member(list: &mut ListData, value: &Value) {
    match search::position(list, value, false) {
        Some(index) if index >= 0.0 && list.rest.is_none() => {
            list.items.remove(index as usize);
            list.bound = Some(list.items.len() as u64);
        }
        Some(_) if list.rest.is_none() => {}
        _ => *list = loosened(list),
    }
}
