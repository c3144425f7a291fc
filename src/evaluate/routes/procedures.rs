//! Routers that are made of objects of procedures.

use std::rc::Rc;

use super::entries::Entries;
use super::router::{Entry, RouterData, RouterKind};
use crate::evaluate::calls::is_function;
use crate::evaluate::interp::Interp;
use crate::evaluate::store::Content;
use crate::evaluate::value::{At, CellId, Value};
use crate::program::Name;
use crate::rules::Procedures;

/// Objects inside objects that procedures are looked for in.
const NESTED: usize = 16;

impl Interp<'_> {
    /// A builder that is read from a root.
    pub(super) fn procedure_member(&mut self, cell: CellId, name: &Name) -> Option<Value> {
        let data = self.router(cell)?;
        let procedures = self.router_rule(&data)?.procedures.as_ref()?;
        let is_builder = data.kind == RouterKind::Root
            && procedures.builder.iter().any(|own| own == name.as_str());
        is_builder.then(|| self.builder(&data, Entries::default()))
    }

    fn builder(&mut self, data: &RouterData, entries: Entries) -> Value {
        let data = RouterData {
            entries,
            ..data.fresh(RouterKind::Builder)
        };
        Value::Router(self.store.add(Content::Router(Rc::new(data))))
    }

    /// A method of a root, a builder or a router of procedures.
    pub(super) fn call_procedures(
        &mut self,
        cell: CellId,
        data: &Rc<RouterData>,
        procedures: &Procedures,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Value {
        let named = |list: &[String]| list.iter().any(|own| own == name.as_str());
        match data.kind {
            RouterKind::Root if named(&procedures.router) => self.router_of(data, args, at),
            RouterKind::Root if named(&procedures.merge) => self.merged(data, args, at),
            RouterKind::Root => {
                // A middleware by itself is a builder with nothing but it.
                let functions: Vec<Value> = args
                    .iter()
                    .filter(|arg| is_function(arg))
                    .cloned()
                    .collect();
                match functions.is_empty() {
                    true => Value::Router(cell),
                    false => self.builder(data, Entries::from_iter([middleware(functions)])),
                }
            }
            RouterKind::Builder if named(&procedures.middleware) => {
                let mut entries = data.entries.clone();
                for arg in args {
                    match arg {
                        Value::Router(other) => {
                            if let Some(other) = self.router(*other) {
                                entries.extend(other.entries.iter().cloned());
                            }
                        }
                        other if is_function(other) || matches!(other, Value::Unknown(_)) => {
                            entries.push(middleware(vec![other.clone()]));
                        }
                        _ => {}
                    }
                }
                self.builder(data, entries)
            }
            RouterKind::Builder if named(&procedures.ends) => {
                let handlers: Vec<Value> = args
                    .iter()
                    .filter(|arg| !arg.is_absent())
                    .take(1)
                    .cloned()
                    .collect();
                let mut entries = data.entries.clone();
                entries.push(Entry::Route {
                    verbs: Vec::new(),
                    path: None,
                    handlers,
                    at,
                });
                let data = RouterData {
                    entries,
                    at,
                    ..data.fresh(RouterKind::Procedure)
                };
                Value::Router(self.store.add(Content::Router(Rc::new(data))))
            }
            _ => Value::Router(cell),
        }
    }

    /// The router of an object of procedures and routers.
    fn router_of(&mut self, data: &RouterData, args: &[Value], at: At) -> Value {
        let mut entries = Entries::default();
        if let Some(object) = args.first() {
            self.procedures_in(object, "", NESTED, &mut entries);
        }
        let data = RouterData {
            entries,
            at,
            ..data.fresh(RouterKind::Router)
        };
        Value::Router(self.keep_router(data))
    }

    fn merged(&mut self, data: &RouterData, args: &[Value], at: At) -> Value {
        let routers = args
            .iter()
            .flat_map(|arg| arg.alternatives())
            .filter_map(|arg| match arg {
                Value::Router(cell) => Some(Entry::Mount {
                    path: Name::default(),
                    router: *cell,
                }),
                _ => None,
            });
        let data = RouterData {
            entries: routers.collect(),
            at,
            ..data.fresh(RouterKind::Router)
        };
        Value::Router(self.keep_router(data))
    }

    fn procedures_in(&mut self, object: &Value, above: &str, depth: usize, entries: &mut Entries) {
        let (Some(depth), Value::Object(cell)) = (depth.checked_sub(1), object) else {
            return;
        };
        let fields = self.store.object(*cell).fields.clone();
        for (name, value) in &fields {
            let path = super::paths::dotted(above, name);
            for one in value.alternatives() {
                self.procedure_at(one, &path, depth, entries);
            }
        }
    }

    fn procedure_at(&mut self, value: &Value, path: &str, depth: usize, entries: &mut Entries) {
        let Value::Router(cell) = value else {
            self.procedures_in(value, path, depth, entries);
            return;
        };
        let Some(data) = self.router(*cell) else {
            return;
        };
        if data.kind != RouterKind::Procedure {
            entries.push(Entry::Mount {
                path: path.into(),
                router: *cell,
            });
            return;
        }
        let mut chain = Vec::new();
        let mut place = data.at;
        for entry in data.entries.iter() {
            match entry {
                Entry::Middleware { handlers, .. } => chain.extend(handlers.iter().cloned()),
                Entry::Route { handlers, at, .. } => {
                    chain.extend(handlers.iter().cloned());
                    place = *at;
                }
                Entry::Mount { .. } | Entry::Fallback { .. } | Entry::Layer { .. } => {}
            }
        }
        entries.push(Entry::Route {
            verbs: Vec::new(),
            path: Some(path.into()),
            handlers: chain,
            at: place,
        });
    }
}

fn middleware(handlers: Vec<Value>) -> Entry {
    Entry::Middleware {
        path: None,
        below: true,
        handlers,
    }
}
