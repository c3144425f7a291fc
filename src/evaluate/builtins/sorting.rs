//! The order of lists: known for few items that are known, else any.

use super::super::interp::Interp;
use super::super::store::ListData;
use super::super::value::{At, Value};
use super::argument;
use super::lists::{any_item, loosened};

/// Items that are sorted with a function one comparison after the other.
const COMPARED: usize = 8;

impl Interp<'_> {
    /// Sorts by text, as a list does that is given no function.
    pub(super) fn sort_alone(&mut self, list: &mut ListData) {
        let texts: Option<Vec<String>> = list
            .items
            .iter()
            .map(|item| match super::numbers::text_of(item) {
                Some(Value::Text(text)) if !text.open => Some(text.text.to_string()),
                _ => None,
            })
            .collect();
        match texts.filter(|_| list.rest.is_none()) {
            Some(texts) => {
                let mut order: Vec<usize> = (0..texts.len()).collect();
                order.sort_by(|a, b| texts[*a].encode_utf16().cmp(texts[*b].encode_utf16()));
                list.items = order
                    .into_iter()
                    .map(|index| list.items[index].clone())
                    .collect();
            }
            None => shuffle(list),
        }
    }

    /// `sort` and `toSorted` with a function.
    pub(super) fn sort_by(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        at: At,
    ) -> Value {
        let compare = argument(args, 0);
        let mut list = self.list_data(receiver);
        let sorted = if list.rest.is_none() && list.items.len() <= COMPARED {
            self.sorted_items(&list.items, &compare, at)
        } else {
            let item = any_item(&list).unwrap_or(Value::Opaque);
            self.repeat(at, None, "comparisons", |interp| {
                interp.call(
                    &compare,
                    &Value::Undefined,
                    vec![item.clone(), item.clone()],
                    at,
                )
            });
            None
        };
        match sorted {
            Some(items) => list.items = items,
            None => shuffle(&mut list),
        }
        match receiver {
            Value::List(cell) if name == "sort" => {
                self.write_list(*cell, list);
                receiver.clone()
            }
            Value::List(_) => self.list_value(list),
            _ => receiver.clone(),
        }
    }

    /// Sorts by insertion; `None` where a comparison is not known.
    fn sorted_items(&mut self, items: &[Value], compare: &Value, at: At) -> Option<Vec<Value>> {
        let mut sorted: Vec<Value> = Vec::new();
        let mut known = true;
        for item in items {
            let mut place = sorted.len();
            while place > 0 && known && !self.dead() {
                let args = vec![sorted[place - 1].clone(), item.clone()];
                let order = self.call(compare, &Value::Undefined, args, at);
                match self.as_number(&order) {
                    Value::Number(number) if number.exact && number.value > 0.0 => place -= 1,
                    Value::Number(number) if number.exact => break,
                    _ => known = false,
                }
            }
            sorted.insert(place, item.clone());
        }
        known.then_some(sorted)
    }
}

/// Each item may be any of them; how many there are stays known.
fn shuffle(list: &mut ListData) {
    match (any_item(list), &list.rest) {
        (Some(any), None) if list.items.len() > 1 => {
            list.items.iter_mut().for_each(|item| *item = any.clone())
        }
        (Some(_), Some(_)) => *list = loosened(list),
        _ => {}
    }
}
