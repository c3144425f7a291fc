//! Methods that call a function for each item. The functions are always run: once an item where
//! the items are known and few, else as a loop over any item.

use super::super::calls::is_function;
use super::super::interp::{Interp, TURNS};
use super::super::join::{any_of, join, join_all};
use super::super::store::ListData;
use super::super::value::{At, Value};
use super::argument;
use super::lists::any_item;
use super::search::Verdict;

/// Whether a method of lists takes a function that it calls for the items.
pub fn takes_callback(name: &str) -> bool {
    matches!(
        name,
        "map"
            | "forEach"
            | "filter"
            | "find"
            | "findLast"
            | "findIndex"
            | "findLastIndex"
            | "some"
            | "every"
            | "flatMap"
            | "reduce"
            | "reduceRight"
            | "sort"
            | "toSorted"
    )
}

/// What a function is called for.
pub(super) struct Turns {
    /// The items; one that stands for all where they are not known one by one.
    items: Vec<Value>,
    /// Whether they are known one by one.
    exact: bool,
    /// The greatest number of them.
    bound: Option<u64>,
    /// What there are so many of, in words.
    over: String,
    /// What the method was called on.
    whole: Value,
}

impl Turns {
    /// The items, each with whether it is one and not any.
    pub(super) fn each(&self) -> Vec<(Value, bool)> {
        self.items
            .iter()
            .map(|item| (item.clone(), self.exact))
            .collect()
    }

    /// The greatest number of items.
    pub(super) fn bound(&self) -> Option<u64> {
        self.bound
    }
}

/// A function that is called for items, and where.
pub(super) struct Callback<'a> {
    /// The function.
    pub(super) function: &'a Value,
    /// Its receiver.
    pub(super) this: Value,
    /// The place of the call.
    pub(super) at: At,
}

impl Interp<'_> {
    /// A method that calls its argument for the items of a list, or of something that may be one.
    pub(super) fn callback_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let function = args.first()?;
        if !matches!(receiver, Value::List(_)) && !may_be_called(function) {
            return None;
        }
        if matches!(name, "sort" | "toSorted") {
            return Some(self.sort_by(receiver, name, args, at));
        }
        let turns = self.turns(receiver);
        if matches!(name, "reduce" | "reduceRight") {
            return Some(self.reduced(turns, name == "reduceRight", args, at));
        }
        let callback = Callback {
            function,
            this: argument(args, 1),
            at,
        };
        Some(match name {
            "map" => self.mapped(&turns, &callback),
            "flatMap" => self.flat_mapped(&turns, &callback),
            "filter" => self.filtered(&turns, &callback),
            "find" | "findLast" => self.found(turns, &callback, name == "findLast"),
            "findIndex" | "findLastIndex" => {
                self.found_index(turns, &callback, name == "findLastIndex")
            }
            "some" | "every" => self.verdict(&turns, &callback, name == "some"),
            _ => {
                self.results(&turns, &callback);
                Value::Undefined
            }
        })
    }

    /// What a function is called for, of a list or of what is not known.
    pub(super) fn turns(&mut self, receiver: &Value) -> Turns {
        let list = self.list_data(receiver);
        let over = match receiver {
            Value::Unknown(unknown) if !unknown.callee.is_empty() => unknown.callee.to_string(),
            _ => "items".to_string(),
        };
        let whole = receiver.clone();
        if list.rest.is_none() && list.items.len() <= TURNS {
            let bound = Some(list.items.len() as u64);
            return Turns {
                items: list.items,
                exact: true,
                bound,
                over,
                whole,
            };
        }
        let bound = if list.rest.is_none() {
            Some(list.items.len() as u64)
        } else {
            list.bound
        };
        // What is not known is data here: its items are.
        let item = match receiver {
            Value::Unknown(_) => Value::Opaque,
            _ => any_item(&list).unwrap_or(Value::Opaque),
        };
        Turns {
            items: vec![item],
            exact: false,
            bound,
            over,
            whole,
        }
    }

    /// Calls the function for one item.
    fn turn_of(
        &mut self,
        turns: &Turns,
        callback: &Callback<'_>,
        index: Value,
        item: &Value,
    ) -> Value {
        let args = vec![item.clone(), index, turns.whole.clone()];
        self.call(callback.function, &callback.this, args, callback.at)
    }

    /// Calls the function for each item; what it gave, one value for all where they are not
    /// known one by one.
    pub(super) fn results(&mut self, turns: &Turns, callback: &Callback<'_>) -> Vec<Value> {
        if turns.exact {
            let mut results = Vec::new();
            for (index, item) in turns.items.iter().enumerate() {
                if self.dead() {
                    break;
                }
                results.push(self.turn_of(turns, callback, Value::number(index as f64), item));
            }
            return results;
        }
        let item = turns.items.first().cloned().unwrap_or(Value::Opaque);
        let result = self.repeat(callback.at, turns.bound, &turns.over, |interp| {
            interp.turn_of(turns, callback, Value::Opaque, &item)
        });
        vec![result]
    }

    fn mapped(&mut self, turns: &Turns, callback: &Callback<'_>) -> Value {
        if turns.exact {
            let results = self.results(turns, callback);
            return self.store.new_list(results);
        }
        let item = turns.items.first().cloned().unwrap_or(Value::Opaque);
        // The list is made inside the loop: futures in it are those of its turns.
        self.repeat(callback.at, turns.bound, &turns.over, |interp| {
            let result = interp.turn_of(turns, callback, Value::Opaque, &item);
            interp.store.new_list_of(result, turns.bound)
        })
    }

    fn flat_mapped(&mut self, turns: &Turns, callback: &Callback<'_>) -> Value {
        let results = self.results(turns, callback);
        if turns.exact {
            return self.flattened(&results);
        }
        let list = self.list_data(&join_all(results));
        let item = any_item(&list);
        self.list_value(ListData {
            items: Vec::new(),
            rest: item,
            bound: None,
        })
    }

    /// The items for which the function holds: known one by one only where each test is decided.
    fn filtered(&mut self, turns: &Turns, callback: &Callback<'_>) -> Value {
        let results = self.results(turns, callback);
        let only_truth = is_truth_test(callback.function);
        let mut kept = Vec::new();
        let mut sure = turns.exact && results.len() == turns.items.len();
        for (item, result) in turns.items.iter().zip(&results) {
            match self.truth(result) {
                Some(false) => continue,
                Some(true) => {}
                None => sure = false,
            }
            kept.push(if only_truth {
                self.truthy(item)
            } else {
                item.clone()
            });
        }
        if sure {
            return self.store.new_list(kept);
        }
        let bound = if turns.exact {
            Some(kept.len() as u64)
        } else {
            turns.bound
        };
        let rest = any_of(kept);
        self.list_value(ListData {
            items: Vec::new(),
            bound: if rest.is_none() { Some(0) } else { bound },
            rest,
        })
    }

    /// A value without the alternatives that count as false.
    fn truthy(&self, value: &Value) -> Value {
        let kept: Vec<Value> = value
            .alternatives()
            .iter()
            .filter(|value| self.truth(value) != Some(false))
            .cloned()
            .collect();
        if kept.is_empty() {
            value.clone()
        } else {
            join_all(kept)
        }
    }

    /// The items that may be the first for which the function holds, and whether one certainly
    /// is; with the indices.
    fn candidates(
        &mut self,
        mut turns: Turns,
        callback: &Callback<'_>,
        last: bool,
    ) -> (Vec<(usize, Value)>, bool) {
        let mut order: Vec<usize> = (0..turns.items.len()).collect();
        if last && turns.exact {
            order.reverse();
        }
        if !turns.exact {
            self.results(&turns, callback);
            let item = turns.items.pop().unwrap_or(Value::Opaque);
            return (vec![(0, item)], false);
        }
        let mut candidates = Vec::new();
        for index in order {
            if self.dead() {
                break;
            }
            let item = turns.items[index].clone();
            let result = self.turn_of(&turns, callback, Value::number(index as f64), &item);
            match self.truth(&result) {
                Some(false) => {}
                Some(true) => {
                    candidates.push((index, item));
                    return (candidates, true);
                }
                None => candidates.push((index, item)),
            }
        }
        (candidates, false)
    }

    fn found(&mut self, turns: Turns, callback: &Callback<'_>, last: bool) -> Value {
        let (candidates, sure) = self.candidates(turns, callback, last);
        let missing = (!sure).then_some(Value::Undefined);
        join_all(candidates.into_iter().map(|(_, item)| item).chain(missing))
    }

    fn found_index(&mut self, turns: Turns, callback: &Callback<'_>, last: bool) -> Value {
        let exact = turns.exact;
        let (candidates, sure) = self.candidates(turns, callback, last);
        match (&candidates[..], sure) {
            ([], _) => Value::number(-1.0),
            ([(index, _)], true) if exact => Value::number(*index as f64),
            _ => Value::Opaque,
        }
    }

    fn verdict(&mut self, turns: &Turns, callback: &Callback<'_>, any: bool) -> Value {
        let mut verdict = Verdict::new(any);
        if !turns.exact {
            self.results(turns, callback);
            return Value::Opaque;
        }
        for (index, item) in turns.items.iter().enumerate() {
            let result = self.turn_of(turns, callback, Value::number(index as f64), item);
            if self.dead() || verdict.add(self, &result) {
                break;
            }
        }
        verdict.value()
    }

    fn reduced(&mut self, mut turns: Turns, backwards: bool, args: &[Value], at: At) -> Value {
        let function = argument(args, 0);
        let mut indices: Vec<usize> = (0..turns.items.len()).collect();
        if backwards && turns.exact {
            turns.items.reverse();
            indices.reverse();
        }
        let mut pairs: Vec<(usize, Value)> = indices.into_iter().zip(turns.items.clone()).collect();
        let start = match args.get(1) {
            Some(start) => start.clone(),
            None if turns.exact && pairs.is_empty() => return Value::Undefined,
            None if turns.exact => pairs.remove(0).1,
            None => turns.items.first().cloned().unwrap_or(Value::Opaque),
        };
        if !turns.exact {
            let item = pairs.pop().map_or(Value::Opaque, |(_, item)| item);
            return self.reduced_unknown(&turns, &function, start, &item, at);
        }
        let mut whole = start;
        for (index, item) in pairs {
            if self.dead() {
                break;
            }
            let args = vec![
                whole,
                item,
                Value::number(index as f64),
                turns.whole.clone(),
            ];
            whole = self.call(&function, &Value::Undefined, args, at);
        }
        whole
    }

    /// Folds a list whose items are not known. Where the function gives a future, each turn
    /// begins with that of the turn before: they are waited for one after the other.
    fn reduced_unknown(
        &mut self,
        turns: &Turns,
        function: &Value,
        start: Value,
        item: &Value,
        at: At,
    ) -> Value {
        let waits = |value: &Value| {
            value
                .alternatives()
                .iter()
                .any(|v| matches!(v, Value::Future(_) | Value::Promise(_)))
        };
        let mut chained = false;
        let before = data_as_opaque(&start);
        let result = self.repeat(at, turns.bound, &turns.over, |interp| {
            let args = vec![
                before.clone(),
                item.clone(),
                Value::Opaque,
                turns.whole.clone(),
            ];
            let result = interp.call(function, &Value::Undefined, args, at);
            if waits(&result) {
                chained = true;
                return interp.await_value(result, at);
            }
            result
        });
        if chained {
            return self.ready(join(result, Value::Opaque));
        }
        join(data_as_opaque(&result), start)
    }

    /// A method of data: functions that it is given are run, for any item where it is a method
    /// of lists, else at most once; a future that they give is part of the result.
    pub(super) fn opaque_method(&mut self, name: &str, args: &[Value], at: At) -> Option<Value> {
        if takes_callback(name) {
            return self.callback_method(&Value::Opaque, name, args, at);
        }
        if name == "slice" {
            return self.part_of_data(args);
        }
        if !args.iter().any(is_function) {
            return None;
        }
        self.may_throw(at);
        let functions: Vec<Value> = args
            .iter()
            .filter(|arg| is_function(arg))
            .cloned()
            .collect();
        // `then` of data that is there calls its first function, and nothing fails.
        let functions = if name == "then" {
            functions.into_iter().take(1).collect()
        } else {
            functions
        };
        let mut results = vec![Value::Opaque];
        for function in functions {
            let once = name == "then" || name == "finally";
            let runs = if once { vec![true] } else { vec![true, false] };
            // Anything but the methods of a future calls it when it likes.
            let later = !once && name != "catch";
            if later {
                self.begin_later(None);
            }
            results.push(self.branch(runs, |interp, runs| {
                if runs {
                    interp.call(&function, &Value::Undefined, vec![Value::Opaque; 4], at)
                } else {
                    Value::Opaque
                }
            }));
            if later {
                self.settle_later(None, false);
            }
        }
        let futures =
            |value: &Value| matches!(value, Value::Future(_) | Value::Promise(_) | Value::Opaque);
        let kept = results
            .iter()
            .flat_map(|result| result.alternatives().to_vec())
            .filter(futures);
        Some(join_all(kept))
    }
}

/// Whether a value given to a method of data is a function that it calls.
fn may_be_called(value: &Value) -> bool {
    is_function(value)
        || value
            .alternatives()
            .iter()
            .any(|value| matches!(value, Value::Imported(_) | Value::Class(_)))
}

/// `Boolean` as a test: what it keeps is not absent.
fn is_truth_test(function: &Value) -> bool {
    match function {
        Value::Imported(imported) => {
            imported.package == "global" && imported.path.iter().eq(["Boolean"])
        }
        _ => false,
    }
}

/// After an unknown number of turns a number or text may be any.
fn data_as_opaque(value: &Value) -> Value {
    let widened = value.alternatives().iter().map(|value| match value {
        Value::Number(_) | Value::Text(_) | Value::Bool(..) => Value::Opaque,
        other => other.clone(),
    });
    join_all(widened)
}
