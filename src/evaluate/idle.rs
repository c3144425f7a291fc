//! Calls that need not be run: what they do is nothing that a bound can see.
//!
//! A function's text says what it does and what it needs from outside ([`Doing`]); here the
//! variables that it needs are looked up, and the graph of what it calls is settled. Whatever is
//! not known, or not yet evaluated, counts as something that may wait.

use std::collections::HashSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::interp::Interp;
use super::scope::Scope;
use super::store::Content;
use super::value::{At, CellId, Closure, FunctionRef, Imported, Native, Value};
use crate::program::{CallGraph, Callee, Does, Doing, Name, Need, Own};
use crate::rules::Primitive;

/// Functions that are looked at to know of one.
const FUNCTIONS: usize = 200;
/// Levels of a value that are looked into for something that is no data.
const LEVELS: usize = 6;
/// Cells of a value that are looked into.
const PARTS: usize = 200;

/// What is known of functions so far.
#[derive(Debug, Default)]
pub struct Idle {
    doings: FxHashMap<FunctionRef, Rc<Doing>>,
    known: FxHashMap<FunctionRef, Known>,
}

/// What a function does while some cells hold what they held.
#[derive(Debug)]
struct Known {
    scope: Rc<Scope>,
    does: Does,
    reads: Vec<(CellId, u64)>,
}

/// The functions that one function may reach.
struct Reach {
    graph: CallGraph<FunctionRef>,
    scopes: FxHashMap<FunctionRef, Rc<Scope>>,
    open: Vec<Rc<Closure>>,
    reads: Vec<(CellId, u64)>,
}

impl Reach {
    /// Another function that is called; `false` where it is not known well enough.
    fn reaches(&mut self, closure: &Rc<Closure>) -> bool {
        match self.scopes.get(&closure.function) {
            Some(scope) => Rc::ptr_eq(scope, &closure.scope),
            None if self.scopes.len() >= FUNCTIONS => false,
            None => {
                self.scopes.insert(closure.function, closure.scope.clone());
                self.open.push(closure.clone());
                true
            }
        }
    }
}

impl Interp<'_> {
    /// Whether a call whose value nobody uses can be left out.
    pub(super) fn idles(&mut self, closure: &Rc<Closure>, args: &[Value]) -> bool {
        !self.idle_off
            && !self.routing.labels().contains(&closure.function)
            && self.does(closure) == Does::Nothing
            && args.iter().all(|arg| self.is_data(arg))
    }

    /// Whether a call of this function with these arguments cannot wait, however often it calls
    /// itself.
    pub(super) fn cannot_wait(&mut self, closure: &Rc<Closure>, args: &[Value]) -> bool {
        self.does(closure) < Does::MayWait && args.iter().all(|arg| self.is_data(arg))
    }

    /// What a function does when it is called with data.
    fn does(&mut self, closure: &Rc<Closure>) -> Does {
        if let Some(known) = self.idle.known.get(&closure.function)
            && Rc::ptr_eq(&known.scope, &closure.scope)
            && known
                .reads
                .iter()
                .all(|(cell, version)| self.store.version(*cell) == *version)
        {
            let does = known.does;
            let reads: Vec<CellId> = known.reads.iter().map(|(cell, _)| *cell).collect();
            self.store.note_reads(reads);
            return does;
        }
        let mut reach = Reach {
            graph: CallGraph::default(),
            scopes: FxHashMap::default(),
            open: Vec::new(),
            reads: Vec::new(),
        };
        reach.reaches(closure);
        while let Some(next) = reach.open.pop() {
            self.look_at(&next, &mut reach);
        }
        let settled = reach.graph.settle();
        let does = settled
            .get(&closure.function)
            .map_or(Does::MayWait, |settled| settled.does);
        self.store
            .note_reads(reach.reads.iter().map(|(cell, _)| *cell));
        let known = Known {
            scope: closure.scope.clone(),
            does,
            reads: reach.reads,
        };
        self.idle.known.insert(closure.function, known);
        does
    }

    fn look_at(&mut self, closure: &Rc<Closure>, reach: &mut Reach) {
        let reference = closure.function;
        let doing = self.doing(reference);
        let mut own = Own {
            does: doing.does,
            gives_data: doing.gives_data,
        };
        if own.does < Does::MayWait {
            let met = doing.needs.iter().all(|need| match need {
                Need::Data(root, members) => self
                    .reached(&closure.scope, root, members, reach)
                    .is_some_and(|value| self.is_data(&value)),
                Need::Call(callee) => self.can_be_called(closure, callee, reach),
            });
            if !met {
                own.does = Does::MayWait;
            }
        }
        reach.graph.function(reference, own);
    }

    /// What the text of a function says. One with an annotation inside does what that says.
    fn doing(&mut self, reference: FunctionRef) -> Rc<Doing> {
        if let Some(doing) = self.idle.doings.get(&reference) {
            return doing.clone();
        }
        let entry = &self.modules[reference.module.0 as usize];
        let span = entry.module.function(reference.function).span;
        let annotated = entry
            .annotations
            .keys()
            .any(|target| span.contains(*target));
        let mut doing = Doing::of(&entry.module, reference.function, &super::builtins::writes);
        if annotated {
            doing.does = Does::MayWait;
        }
        let doing = Rc::new(doing);
        self.idle.doings.insert(reference, doing.clone());
        doing
    }

    /// The value that a variable, or a member of it, holds now.
    fn reached(
        &mut self,
        scope: &Rc<Scope>,
        root: &Name,
        members: &[Name],
        reach: &mut Reach,
    ) -> Option<Value> {
        let mut value = match scope.find(root) {
            // One that was not forced yet is not forced to find out.
            Some(cell) => {
                reach.reads.push((cell, self.store.version(cell)));
                match self.store.peek(cell) {
                    Content::Value(value) => value.clone(),
                    _ => return None,
                }
            }
            None => self.global(root),
        };
        for member in members {
            value = self.member_reached(&value, member, reach)?;
        }
        Some(value)
    }

    fn member_reached(&mut self, value: &Value, member: &Name, reach: &mut Reach) -> Option<Value> {
        match value {
            Value::Object(cell) => {
                reach.reads.push((*cell, self.store.version(*cell)));
                match self.store.peek(*cell) {
                    Content::Object(object) => object.fields.get(member).cloned(),
                    _ => None,
                }
            }
            Value::Imported(imported) => Some(self.member_of_import(&imported.clone(), member)),
            Value::Opaque | Value::Environment | Value::Text(_) => Some(Value::Opaque),
            Value::Native(native) if matches!(**native, Native::Opaque) => Some(value.clone()),
            _ => None,
        }
    }

    /// Whether a call that a function makes does nothing, or is one of a function that will be
    /// looked at.
    fn can_be_called(&mut self, closure: &Rc<Closure>, callee: &Callee, reach: &mut Reach) -> bool {
        if !callee.given_data {
            return false;
        }
        let scope = &closure.scope;
        match self.reached(scope, &callee.root, &callee.members, reach) {
            Some(Value::Function(target)) => {
                let graph = &mut reach.graph;
                graph.call(closure.function, target.function, callee.as_data);
                reach.reaches(&target)
            }
            Some(Value::Imported(imported)) => {
                self.waits_for_nothing(&imported, callee.members.last())
            }
            Some(Value::Native(native)) => matches!(*native, Native::Opaque),
            _ => self.is_own(scope, callee, reach),
        }
    }

    /// Whether a member that is called is a method of the runtime's own that changes nothing.
    fn is_own(&mut self, scope: &Rc<Scope>, callee: &Callee, reach: &mut Reach) -> bool {
        let Some((name, owner)) = callee.members.split_last() else {
            return false;
        };
        let Some(owner) = self.reached(scope, &callee.root, owner, reach) else {
            return false;
        };
        let plain = match &owner {
            Value::Text(_) | Value::Number(_) | Value::Bool(..) | Value::Opaque => true,
            Value::Object(_) | Value::List(_) => !super::builtins::writes(name),
            _ => false,
        };
        if let Value::Object(cell) | Value::List(cell) = &owner {
            reach.reads.push((*cell, self.store.version(*cell)));
            let named = match self.store.peek(*cell) {
                Content::Object(object) => {
                    object.class.is_some()
                        || object.fields.contains_key(name)
                        || object.getters.contains_key(name)
                }
                _ => false,
            };
            return plain && !named && self.is_data(&owner);
        }
        plain
    }

    /// Whether rule packs say of a function that it waits for nothing and changes nothing.
    fn waits_for_nothing(&mut self, imported: &Imported, name: Option<&Name>) -> bool {
        let Some((_, rule)) = self.function_rule(imported) else {
            return self.listed(imported, false);
        };
        let gives = &rule.gives;
        let more = gives.patches.is_some() || gives.handler.is_some() || !gives.marks.is_empty();
        match gives.does {
            Some(Primitive::Pure) => !name.is_some_and(|name| super::builtins::writes(name)),
            Some(Primitive::Opaque) => gives.mode.is_none() && !more,
            Some(Primitive::Nothing | Primitive::Error | Primitive::Now) => !more,
            _ => false,
        }
    }

    /// Whether nothing that can be called, waited for or changed later is part of a value.
    pub(super) fn is_data(&self, value: &Value) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![(value.clone(), LEVELS)];
        while let Some((value, levels)) = open.pop() {
            match &value {
                Value::Choice(values) => {
                    open.extend(values.iter().map(|value| (value.clone(), levels)));
                }
                Value::Object(cell) | Value::List(cell) => {
                    if !seen.insert(*cell) {
                        continue;
                    }
                    if levels == 0 || seen.len() > PARTS {
                        return false;
                    }
                    match self.store.peek(*cell) {
                        Content::Object(object) => {
                            if object.class.is_some() || !object.getters.is_empty() {
                                return false;
                            }
                            let parts = object.fields.values().chain(&object.rest);
                            open.extend(parts.map(|part| (part.clone(), levels - 1)));
                        }
                        Content::List(list) => {
                            let parts = list.items.iter().chain(&list.rest);
                            open.extend(parts.map(|part| (part.clone(), levels - 1)));
                        }
                        _ => return false,
                    }
                }
                Value::Error(error) => {
                    let object = error.object.map(Value::Object);
                    let parts = object.into_iter().chain(error.cause.clone());
                    open.extend(parts.map(|part| (part, levels.saturating_sub(1))));
                    if levels == 0 {
                        return false;
                    }
                }
                Value::Unknown(unknown) if unknown.carries.is_empty() => {}
                other if is_plain(other) => {}
                _ => return false,
            }
        }
        true
    }

    /// Where an expression stands whose value nobody uses, if it is the call at this place.
    pub(super) fn nobody_uses(&mut self, at: At) -> bool {
        self.unused.take() == Some(at)
    }
}

fn is_plain(value: &Value) -> bool {
    matches!(
        value,
        Value::Undefined
            | Value::Null
            | Value::Bool(..)
            | Value::Predicate(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Status(_)
            | Value::Opaque
            | Value::Environment
            | Value::Unset(_)
            | Value::Instant { .. }
            | Value::Elapsed { .. }
            | Value::Remaining { .. }
            | Value::Within { .. }
    )
}
