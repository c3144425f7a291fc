//! Routers below paths of others, and functions that fill one they are given.

use std::rc::Rc;

use super::paths;
use super::registered::{ANY, NESTED};
use super::router::{Entry, RouterData, RouterKind};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, CellId, Native, Value};
use crate::program::Name;
use crate::rules::Mount;

impl Interp<'_> {
    /// Puts what a call is given below a path of a router.
    pub(super) fn mount(
        &mut self,
        cell: CellId,
        data: &RouterData,
        mount: &Mount,
        args: &[Value],
        at: At,
    ) {
        let first = mount.path.map_or(0, |path| path + 1);
        let (paths, rest) = match mount.path {
            Some(_) => self.path_argument(mount.path, mount.path_optional, first, args),
            None => (vec![mount.at.as_deref().map(Name::from)], args),
        };
        let mut routers = Vec::new();
        for arg in rest {
            self.routers_in(arg, NESTED, &mut routers);
        }
        if mount.marked {
            for path in &paths {
                self.mount_marked(cell, data, &path.clone().unwrap_or_default(), rest);
            }
        }
        let prefix = mount.prefix_option.as_deref().and_then(|option| {
            args.get(mount.router + 1)
                .and_then(|arg| self.text_at(arg, option))
        });
        for path in &paths {
            let path = path.clone().or(prefix.clone()).unwrap_or_default();
            let path: Name = paths::joined(&data.prefix, &path).into();
            for router in &routers {
                self.enter(
                    cell,
                    data,
                    Entry::Mount {
                        path: path.clone(),
                        router: *router,
                    },
                );
            }
            if mount.handler && routers.is_empty() {
                let handlers: Vec<Value> = rest
                    .iter()
                    .take(1)
                    .filter(|value| self.is_handler(value, &[]))
                    .cloned()
                    .collect();
                if !handlers.is_empty() {
                    let entry = Entry::Route {
                        verbs: vec![ANY.into()],
                        path: Some(path.clone()),
                        handlers,
                        at,
                    };
                    self.enter(cell, data, entry);
                }
            }
            if mount.plugin && routers.is_empty() {
                let plugin = args.get(mount.router).cloned().unwrap_or(Value::Undefined);
                let options = args.get(mount.router + 1).cloned().unwrap_or(Value::Opaque);
                self.plug_in(cell, data, &path, &plugin, options, at);
            }
        }
    }

    /// Calls a plugin with a router: one of its own below a path, or, where a package that is
    /// not known has wrapped it, with this one.
    fn plug_in(
        &mut self,
        cell: CellId,
        data: &RouterData,
        path: &Name,
        plugin: &Value,
        options: Value,
        at: At,
    ) {
        for one in plugin.alternatives().to_vec() {
            let one = match one {
                Value::Future(_) | Value::Promise(_) => self.await_value(one, at),
                other => other,
            };
            match &one {
                Value::Function(_) | Value::Native(_) => {
                    let child = self.keep_router(RouterData {
                        at,
                        ..data.fresh(RouterKind::Router)
                    });
                    self.enter(
                        cell,
                        data,
                        Entry::Mount {
                            path: path.clone(),
                            router: child,
                        },
                    );
                    self.call_plugin(&one, child, options.clone(), at);
                }
                Value::Namespace(module) => {
                    let function = self.export(*module, &"default".into());
                    self.plug_in(cell, data, path, &function, options.clone(), at);
                }
                Value::Object(_) => {
                    let function = self.member_quietly(&one, &"default".into());
                    if let Value::Function(_) = function {
                        self.plug_in(cell, data, path, &function, options.clone(), at);
                    }
                }
                Value::Unknown(unknown) => {
                    for function in unknown.carries.clone() {
                        self.call_plugin(&function, cell, options.clone(), at);
                    }
                }
                _ => {}
            }
        }
    }

    fn call_plugin(&mut self, function: &Value, router: CellId, options: Value, at: At) {
        let done = Value::Native(Rc::new(Native::Opaque));
        let made = self.call(
            function,
            &Value::Undefined,
            vec![Value::Router(router), options, done],
            at,
        );
        self.await_value(made, at);
    }
}
