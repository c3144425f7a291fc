//! Parts of a page.
//!
//! A component in markup is not called where it is written: what is made there describes it.
//! It is called where a page places it, which is when the component that places it has returned;
//! what one component places runs side by side, and the page lasts until all of it has ended.
//!
//! So a function that is called as a component is run in a frame that renders what it returns
//! before it ends: recursion is then found as for any call. A description that reaches no place
//! (it went through something that is not known) is rendered at the end, after everything else:
//! no later than that can it begin, so that the figure is never too low.
//!
//! Components that come from a package without a rule, or as data, are taken to wait for nothing
//! (they are libraries of controls); what they are given is rendered.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::block::{Exit, ExitKind};
use super::facts::UnmodelledInfo;
use super::interp::Interp;
use super::join::join;
use super::store::{Content, ListData, ObjectData};
use super::value::{At, CellId, ModuleId, Unknown, Value};
use crate::cost::{ParMode, Term, TermId};
use crate::program::{Expr, Property};

/// The component of a description.
const COMPONENT: &str = "[[component]]";
/// Where a description was written: its number among all such places.
const PLACE: &str = "[[place]]";
/// What a description gives its component.
const PROPS: &str = "props";
/// Descriptions of one place that are kept for the case that none of them is placed.
const MADE_AT_ONE_PLACE: usize = 8;
/// The function that loads a component when it is placed first.
const LOADER: &str = "[[loader]]";

impl Interp<'_> {
    /// A description of a component with what it is given.
    pub(super) fn description(&mut self, component: &Expr, props: &[Property], at: At) -> Value {
        let component = self.eval(component);
        let props = self.object(props);
        if self.dead() {
            return Value::Undefined;
        }
        for one in component.alternatives() {
            if let Value::Function(closure) = one
                && !self.runs_elsewhere(closure.function.module)
            {
                self.components.insert(closure.function);
            }
        }
        let (place, _) = self.described.insert_full(at);
        if component.alternatives().iter().any(may_be_entered) {
            let known = self.routing.described.entry(at).or_default();
            if known.len() < MADE_AT_ONE_PLACE {
                known.push((component.clone(), props.clone()));
            }
        }
        let mut data = ObjectData {
            rest: Some(Value::Opaque),
            ..ObjectData::default()
        };
        data.fields.insert(COMPONENT.into(), component);
        data.fields
            .insert(PLACE.into(), Value::number(place as f64));
        data.fields.insert(PROPS.into(), props);
        Value::Object(self.store.add(Content::Object(Rc::new(data))))
    }

    /// A component that a function loads.
    pub(super) fn loaded_component(&mut self, loader: &Value) -> Value {
        let mut data = ObjectData::default();
        data.fields.insert(LOADER.into(), loader.clone());
        Value::Object(self.store.add(Content::Object(Rc::new(data))))
    }

    /// Whether a value holds a description.
    pub(super) fn holds_description(&self, value: &Value) -> bool {
        self.any_part(value, &mut |interp, value| {
            interp.described_in(value).is_some()
        })
    }

    /// Renders what a page places here, and waits for all of it.
    pub(super) fn render(&mut self, value: &Value, at: At) {
        if self.dead() || !self.is_placed(value) {
            return;
        }
        if !self.step() {
            let info = UnmodelledInfo {
                package: None,
                callee: "step limit".to_string(),
                reason: "step limit".to_string(),
                awaits: 1,
            };
            return self.unmodelled(info, at);
        }
        stacker::maybe_grow(super::expr::RED_ZONE, super::expr::PIECE, || {
            match value.clone() {
                Value::Choice(values) => {
                    let placed = |value: &&Value| self.is_placed(value);
                    let (parts, others): (Vec<&Value>, Vec<&Value>) =
                        values.iter().partition(placed);
                    let mut parts: Vec<Value> = parts.into_iter().cloned().collect();
                    parts.extend(others.first().map(|_| Value::Opaque));
                    self.branch(parts, |interp, one| {
                        interp.render(&one, at);
                        Value::Undefined
                    });
                }
                value @ (Value::Future(_) | Value::Promise(_) | Value::Rule(_)) => {
                    let value = self.await_value(value, at);
                    if !matches!(value, Value::Rule(_)) {
                        self.render(&value, at);
                    }
                }
                Value::List(cell) => {
                    let list = ListData::clone(&self.store.list(cell));
                    self.inside(cell, |interp| {
                        // Of the rest there may be none.
                        let rest = list.rest.map(|rest| join(rest, Value::Opaque));
                        let parts = list.items.into_iter().chain(rest).collect();
                        interp.render_all(parts, at);
                    });
                }
                Value::Object(cell) => match self.described_in(value) {
                    Some((component, props, written)) => {
                        self.routing.placed.insert(written);
                        self.render_component(&component, &props, written);
                    }
                    None => self.inside(cell, |interp| interp.render_fields(value, at)),
                },
                _ => {}
            }
        });
    }

    /// What a function returns: of a component that a page places, and of a handler that
    /// returns a page, that is rendered before the function ends.
    pub(super) fn rendered(&mut self, value: Value, at: At) -> Value {
        let frame = self.frame();
        let (renders, ends) = (frame.renders, frame.ends);
        if !(renders || ends && self.holds_description(&value)) {
            return value;
        }
        self.render(&value, at);
        Value::Opaque
    }

    /// Renders descriptions that were made and reached no place, one after the other.
    pub(super) fn render_what_was_lost(&mut self, at: At) {
        while !self.dead() {
            let routing = &self.routing;
            let lost = routing
                .described
                .iter()
                .find(|(written, _)| !routing.placed.contains(written));
            let Some((written, made)) = lost.map(|(at, made)| (*at, made.clone())) else {
                return;
            };
            self.routing.placed.insert(written);
            // What fails in here ends nothing else.
            self.open();
            self.branch(made, |interp, (component, props)| {
                interp.render_component(&component, &props, at);
                Value::Undefined
            });
            self.flush();
            let flow = self.close();
            self.arrive(flow.late);
            let term = self.settle_all(flow.term, &flow.exits);
            self.push(term);
        }
    }

    /// Whether the components of a module run in another place than the answer is made.
    fn runs_elsewhere(&self, module: ModuleId) -> bool {
        let module = &self.modules[module.0 as usize].module;
        let ecosystem = self.project.world.ecosystem(&module.path);
        let library = self.project.library;
        module
            .directives
            .iter()
            .any(|directive| library.elsewhere(ecosystem, directive).is_some())
    }

    /// Calls a component with what it is given, and renders what it returns.
    fn render_component(&mut self, component: &Value, props: &Value, at: At) {
        match component {
            Value::Choice(values) => {
                let present: Vec<Value> =
                    values.iter().filter(|v| !v.is_absent()).cloned().collect();
                self.branch(present, |interp, one| {
                    interp.render_component(&one, props, at);
                    Value::Undefined
                });
            }
            Value::Function(closure) if self.runs_elsewhere(closure.function.module) => {
                self.render_fields(props, at);
            }
            Value::Function(_) => {
                self.placing = true;
                let made = self.call(component, &Value::Undefined, vec![props.clone()], at);
                self.placing = false;
                self.render(&made, at);
            }
            Value::Native(_) => {
                let made = self.call(component, &Value::Undefined, vec![props.clone()], at);
                self.render(&made, at);
            }
            Value::Object(_) if self.loader_in(component).is_some() => {
                self.render_loaded(component, props, at);
            }
            Value::Unknown(unknown) => self.render_unknown(&unknown.clone(), props, at),
            Value::Undefined | Value::Null => {
                let name = "component".into();
                let made =
                    super::calls::unknown_call(None, name, "component not found", Vec::new());
                self.await_value(made, at);
            }
            _ => self.render_fields(props, at),
        }
    }

    /// A component that something unknown made: the functions that it was given are components
    /// that it places; else one of a package waits for nothing.
    fn render_unknown(&mut self, unknown: &Unknown, props: &Value, at: At) {
        if unknown.package.is_some() && unknown.carries.is_empty() {
            return self.render_fields(props, at);
        }
        for function in &unknown.carries {
            self.render_component(function, props, at);
        }
        let bare = Unknown {
            carries: Vec::new(),
            ..unknown.clone()
        };
        self.await_value(Value::Unknown(Rc::new(bare)), at);
        self.render_fields(props, at);
    }

    fn loader_in(&self, component: &Value) -> Option<Value> {
        match component {
            Value::Object(cell) => self.store.object(*cell).fields.get(LOADER).cloned(),
            _ => None,
        }
    }

    /// Loads a component, then calls it: the module's own one where a module was loaded.
    fn render_loaded(&mut self, component: &Value, props: &Value, at: At) {
        let loader = self.loader_in(component).unwrap_or(Value::Undefined);
        let loaded = self.call(&loader, &Value::Undefined, Vec::new(), at);
        let loaded = self.await_value(loaded, at);
        let component = match &loaded {
            Value::Namespace(_) | Value::Object(_) => {
                let own = self.member_at(&loaded, &"default".into(), at);
                if own.is_absent() { loaded } else { own }
            }
            _ => loaded,
        };
        self.render_component(&component, props, at);
    }

    /// Renders what a component is given that does not run here.
    fn render_fields(&mut self, props: &Value, at: At) {
        let Value::Object(cell) = props else {
            return self.render(props, at);
        };
        let data = self.store.object(*cell);
        let parts = data.fields.values().chain(&data.rest).cloned().collect();
        self.render_all(parts, at);
    }

    /// Renders side by side.
    fn render_all(&mut self, parts: Vec<Value>, at: At) {
        self.flush();
        let mut branches: Vec<TermId> = Vec::new();
        let mut exits: Vec<Exit> = Vec::new();
        let mut dead = false;
        for part in parts
            .iter()
            .filter(|part| self.is_placed(part))
            .cloned()
            .collect::<Vec<_>>()
        {
            self.open();
            self.render(&part, at);
            self.flush();
            let flow = self.close();
            self.arrive(flow.late);
            dead |= flow.dead;
            exits.extend(flow.exits);
            if !matches!(self.terms.get(flow.term), Term::Nothing) {
                branches.push(flow.term);
            }
        }
        match branches.as_slice() {
            [] => {}
            [one] => self.push(*one),
            _ => self.emit(Term::Par {
                branches,
                limit: None,
                mode: ParMode::WaitAll,
            }),
        }
        let block = self.block();
        for exit in exits
            .into_iter()
            .filter(|exit| exit.kind == ExitKind::Throw)
        {
            block.exit(exit);
        }
        block.dead |= dead;
    }

    /// Looks into something that may hold itself, once.
    fn inside(&mut self, cell: CellId, run: impl FnOnce(&mut Self)) {
        if self.rendering.contains(&cell) {
            return;
        }
        self.rendering.push(cell);
        run(self);
        self.rendering.pop();
    }

    /// The component, what it is given, and the place of a description.
    fn described_in(&self, value: &Value) -> Option<(Value, Value, At)> {
        let Value::Object(cell) = value else {
            return None;
        };
        let data = self.store.object(*cell);
        let component = data.fields.get(COMPONENT)?.clone();
        let props = data.fields.get(PROPS)?.clone();
        let written = match data.fields.get(PLACE)? {
            Value::Number(number) => self.described.get_index(number.value as usize)?,
            _ => return None,
        };
        Some((component, props, *written))
    }

    /// Whether rendering a value may do anything.
    fn is_placed(&self, value: &Value) -> bool {
        self.any_part(value, &mut |interp, value| match value {
            Value::Future(_) | Value::Promise(_) | Value::Rule(_) => true,
            value => interp.described_in(value).is_some(),
        })
    }

    /// Whether something that a value consists of is so. Each cell is looked at once.
    pub(super) fn any_part(
        &self,
        value: &Value,
        is_so: &mut dyn FnMut(&Self, &Value) -> bool,
    ) -> bool {
        let mut seen: FxHashSet<CellId> = FxHashSet::default();
        let mut open: Vec<Value> = vec![value.clone()];
        while let Some(value) = open.pop() {
            if is_so(self, &value) {
                return true;
            }
            match value {
                Value::Choice(values) => open.extend(values.iter().cloned()),
                Value::List(cell) if seen.insert(cell) => {
                    let list = self.store.list(cell);
                    open.extend(list.items.iter().chain(&list.rest).cloned());
                }
                Value::Object(cell) if seen.insert(cell) => {
                    let data = self.store.object(cell);
                    open.extend(data.fields.values().chain(&data.rest).cloned());
                }
                _ => {}
            }
        }
        false
    }
}

/// Whether a component has code of the project in it.
fn may_be_entered(component: &Value) -> bool {
    match component {
        Value::Function(_) | Value::Native(_) | Value::Object(_) => true,
        Value::Unknown(unknown) => !unknown.carries.is_empty() || unknown.package.is_none(),
        _ => false,
    }
}
