//! Answers that are written to a response: which timers write one.
//!
//! The client waits for the end of the response, not for the handler. What a handler leaves
//! running is waited for anyway; a timer only where it writes the answer, nothing has cleared it,
//! and not every path has written one by itself.

use crate::evaluate::interp::Interp;
use crate::evaluate::store::Content;
use crate::evaluate::value::{At, CellId, FutureId, Value};
use crate::program::Name;

/// The response that the handlers of a route write to.
#[derive(Clone, Debug, Default)]
pub(in crate::evaluate) struct Sent {
    /// Its methods that send it to its end.
    by: Vec<String>,
    /// The object that stands for it.
    response: Option<CellId>,
    /// Whether it was sent: a truth value.
    sent: Option<CellId>,
    /// Timers that send it, and the future that ends with each.
    pub later: Vec<(CellId, Value)>,
}

impl Sent {
    /// One that is not known yet; these methods send it to its end.
    pub(super) fn by(methods: Vec<String>) -> Sent {
        Sent {
            by: methods,
            ..Sent::default()
        }
    }
}

impl Interp<'_> {
    /// Notes the response that handlers are given.
    pub(super) fn note_response(&mut self, response: &Value) {
        if self.routing.written.by.is_empty() {
            return;
        }
        if let Value::Object(cell) = response {
            self.routing.written.response = Some(*cell);
            let sent = self.store.add(Content::Value(Value::bool(false)));
            self.routing.written.sent = Some(sent);
        }
    }

    /// A method of the response that handlers write to; `None`: it is another object.
    pub(in crate::evaluate) fn call_written(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        match (receiver, self.routing.written.response) {
            (Value::Object(cell), Some(response)) if *cell == response => {}
            _ => return None,
        }
        if self.routing.written.by.iter().any(|by| by == name.as_str())
            && !self.answers_in_callback()
            && let Some(sent) = self.routing.written.sent
        {
            self.store.set(sent, Content::Value(Value::bool(true)));
        }
        self.run_callbacks(args, at);
        self.may_throw(at);
        // Its methods can be chained.
        Some(receiver.clone())
    }

    /// Whether a cell says that the answer was sent: a chain that does so is waited for.
    pub(in crate::evaluate) fn says_sent(&self, cell: CellId) -> bool {
        self.routing.written.sent == Some(cell)
    }

    /// Whether a future ends with a timer that sends the answer.
    pub(super) fn is_late_answer(&self, future: FutureId) -> bool {
        let mut later = self.routing.written.later.iter();
        later.any(|(_, late)| matches!(late, Value::Future(id) if *id == future))
    }

    /// A timer's callback sends the answer: it is waited for where nothing else sends it.
    pub(in crate::evaluate) fn answers_with(&mut self, timer: CellId, future: Value) {
        self.routing.written.later.push((timer, future));
    }

    /// Waits for the timers that send the answer, where not every path has sent one.
    pub(super) fn await_answers(&mut self, at: At) {
        let sent = self
            .routing
            .written
            .sent
            .map(|cell| self.store.get(cell).clone());
        let later = std::mem::take(&mut self.routing.written.later);
        if matches!(sent, Some(Content::Value(Value::Bool(true, _)))) {
            return;
        }
        for (timer, future) in later {
            let cleared = match self.store.get(timer) {
                Content::Timer(data) => data.cleared,
                _ => false,
            };
            if !cleared {
                self.await_value(future, at);
            }
        }
    }
}
