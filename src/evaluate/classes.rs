//! Classes and their instances.

use std::rc::Rc;

use super::interp::Interp;
use super::store::{Content, ObjectData};
use super::value::{At, CellId, ClassValue, Closure, FunctionRef, Imported, Value};
use crate::program::{Class, FunctionId, MemberKind, Name};

/// Classes that one may inherit from another.
const PARENTS: usize = 32;

impl Interp<'_> {
    /// A class as a value, its static members made.
    pub fn class(&mut self, class: &Class) -> Value {
        let parent = class.parent.as_ref().map(|parent| self.eval(parent));
        let frame = self.frame();
        let at = At {
            module: frame.module,
            span: class.span,
        };
        let scope = super::scope::Scope::inside(&frame.scope.clone(), false);
        let statics = self.store.add_bare();
        let value = Rc::new(ClassValue {
            at,
            class: Rc::new(class.clone()),
            scope: scope.clone(),
            parent,
            statics,
            methods: std::cell::RefCell::default(),
        });
        if let Some(name) = &class.name {
            let cell = self.store.add(Content::Value(Value::Class(value.clone())));
            scope.declare(name.clone(), cell);
        }
        self.make_statics(&value);
        Value::Class(value)
    }

    fn make_statics(&mut self, class: &Rc<ClassValue>) {
        let this = Value::Class(class.clone());
        for member in class.class.members.iter().filter(|member| member.is_static) {
            let Some(key) = self.in_class(class, &this, |interp| interp.key(&member.key)) else {
                continue;
            };
            match &member.kind {
                MemberKind::Method(function) => {
                    let value = self.method(class, *function);
                    self.set_field(class.statics, &key, value);
                }
                MemberKind::Getter(function) => {
                    let getter = self.method(class, *function);
                    let mut data = self.store.object(class.statics);
                    Rc::make_mut(&mut data).getters.insert(key, getter);
                    self.store.set(class.statics, Content::Object(data));
                }
                MemberKind::Field(value) => {
                    let value = self.in_class(class, &this, |interp| match value {
                        Some(value) => interp.eval(value),
                        None => Value::Undefined,
                    });
                    self.set_field(class.statics, &key, value);
                }
                MemberKind::Block(function) => {
                    let block = self.method(class, *function);
                    self.call(&block, &this, Vec::new(), class.at);
                }
                MemberKind::Setter(function) => {
                    let setter = self.method(class, *function);
                    let mut data = self.store.object(class.statics);
                    Rc::make_mut(&mut data).setters.insert(key, setter);
                    self.store.set(class.statics, Content::Object(data));
                }
            }
        }
    }

    /// The setter of a field of an object: its own, or that of its class or one it inherits from.
    pub(super) fn setter_of(&mut self, object: &Value, name: &Name) -> Option<Value> {
        let (cell, class) = match object {
            Value::Object(cell) => (*cell, self.store.object(*cell).class.clone()),
            Value::Class(class) => (class.statics, None),
            _ => return None,
        };
        let data = self.store.object(cell);
        if data.fields.contains_key(name) {
            return None;
        }
        if let Some(setter) = data.setters.get(name) {
            return Some(setter.clone());
        }
        let mut class = class?;
        for _ in 0..PARENTS {
            let named = class.class.members.iter().find_map(|member| {
                let named = !member.is_static
                    && matches!(&member.key, crate::program::Key::Name(key) if key == name);
                match member.kind {
                    MemberKind::Setter(function) if named => Some(function),
                    _ => None,
                }
            });
            if let Some(function) = named {
                return Some(self.method(&class, function));
            }
            let Some(Value::Class(parent)) = &class.parent else {
                return None;
            };
            class = parent.clone();
        }
        None
    }

    fn in_class<T>(
        &mut self,
        class: &Rc<ClassValue>,
        this: &Value,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let frame = self.frame_mut();
        let scope = std::mem::replace(&mut frame.scope, class.scope.clone());
        let module = std::mem::replace(&mut frame.module, class.at.module);
        let receiver = std::mem::replace(&mut frame.this, this.clone());
        let home = frame.home.replace(class.clone());
        let result = run(self);
        let frame = self.frame_mut();
        frame.scope = scope;
        frame.module = module;
        frame.this = receiver;
        frame.home = home;
        result
    }

    fn method(&mut self, class: &Rc<ClassValue>, function: FunctionId) -> Value {
        let mut methods = class.methods.borrow_mut();
        if let Some((_, known)) = methods.iter().find(|(known, _)| *known == function) {
            return known.clone();
        }
        let reference = FunctionRef {
            module: class.at.module,
            function,
        };
        let value = self.closure(reference, &class.scope.clone(), Some(class.clone()));
        methods.push((function, value.clone()));
        value
    }

    /// A static member, of the class or one that it inherits from.
    pub fn static_member(&mut self, class: &Rc<ClassValue>, name: &Name, at: At) -> Value {
        let mut class = class.clone();
        for _ in 0..PARENTS {
            let data = self.store.object(class.statics);
            if let Some(value) = data.fields.get(name) {
                return value.clone();
            }
            if let Some(getter) = data.getters.get(name).cloned() {
                return self.call(&getter, &Value::Class(class), Vec::new(), at);
            }
            match &class.parent {
                Some(Value::Class(parent)) => class = parent.clone(),
                Some(Value::Imported(parent)) => {
                    return self.member_of_import(&parent.clone(), name);
                }
                _ if name == "name" => {
                    return class.class.name.clone().map_or(Value::Opaque, Value::text);
                }
                _ => return Value::Undefined,
            }
        }
        Value::Undefined
    }

    /// A method or getter of an instance's class, or of one it inherits from.
    pub fn class_member(
        &mut self,
        class: &Rc<ClassValue>,
        this: &Value,
        name: &Name,
        at: At,
    ) -> Option<Value> {
        let mut class = class.clone();
        for _ in 0..PARENTS {
            for member in class
                .class
                .members
                .iter()
                .filter(|member| !member.is_static)
            {
                let crate::program::Key::Name(key) = &member.key else {
                    continue;
                };
                if key != name {
                    continue;
                }
                match &member.kind {
                    MemberKind::Method(function) => return Some(self.method(&class, *function)),
                    MemberKind::Getter(function) => {
                        let getter = self.method(&class, *function);
                        return Some(self.call(&getter, this, Vec::new(), at));
                    }
                    _ => {}
                }
            }
            match &class.parent {
                Some(Value::Class(parent)) => class = parent.clone(),
                Some(parent) => {
                    let parent = parent.clone();
                    return self.inherited_member(&parent, name, at);
                }
                None => return None,
            }
        }
        None
    }

    /// A member that an instance has from a parent that is no class of the project.
    fn inherited_member(&mut self, parent: &Value, name: &Name, at: At) -> Option<Value> {
        match parent {
            Value::Imported(imported) if self.is_error_class(imported) => {
                (name == "name").then(|| {
                    imported
                        .path
                        .last()
                        .cloned()
                        .map_or(Value::Opaque, Value::text)
                })
            }
            Value::Imported(imported) => {
                let instance = self.call_imported(&imported.clone(), Vec::new(), true, at);
                Some(self.member_at(&instance, name, at))
            }
            Value::Unknown(_) => Some(self.member_at(&parent.clone(), name, at)),
            _ => None,
        }
    }

    /// A new instance; of a class that makes itself inside itself, no more than a few.
    fn instance(&mut self, class: &Rc<ClassValue>, args: Vec<Value>, at: At) -> Value {
        let open = self
            .constructing
            .iter()
            .filter(|open| **open == class.at)
            .count();
        if open >= super::interp::FRAMES || self.constructing.len() >= super::interp::DEPTH {
            self.memo.recursed_to = 0;
            return Value::Opaque;
        }
        let data = ObjectData {
            class: Some(class.clone()),
            ..ObjectData::default()
        };
        let cell = self.store.add(Content::Object(Rc::new(data)));
        self.constructing.push(class.at);
        self.initialise(class, cell, args, at);
        self.constructing.pop();
        Value::Object(cell)
    }

    /// A new instance.
    pub fn construct(&mut self, callee: &Value, args: Vec<Value>, at: At) -> Value {
        match callee {
            Value::Class(class) => self.instance(class, args, at),
            Value::Imported(imported) => self.call_imported(&imported.clone(), args, true, at),
            Value::Choice(values) => {
                let classes: Vec<Value> =
                    values.iter().filter(|v| !v.is_absent()).cloned().collect();
                match classes.as_slice() {
                    [one] => self.construct(&one.clone(), args, at),
                    _ => self.branch(classes, |interp, class| {
                        interp.construct(&class, args.clone(), at)
                    }),
                }
            }
            Value::Function(_) => {
                let this = self.store.new_object(indexmap::IndexMap::new());
                let made = self.call(callee, &this, args, at);
                if matches!(made, Value::Undefined) {
                    this
                } else {
                    made
                }
            }
            Value::Unknown(_) => match self.call(callee, &Value::Undefined, args, at) {
                Value::Unknown(unknown) => Value::Unknown(Rc::new(super::value::Unknown {
                    called: false,
                    ..super::value::Unknown::clone(&unknown)
                })),
                other => other,
            },
            _ => {
                self.run_callbacks(&args, at);
                Value::Opaque
            }
        }
    }

    fn initialise(&mut self, class: &Rc<ClassValue>, cell: CellId, args: Vec<Value>, at: At) {
        let this = Value::Object(cell);
        match class.class.constructor {
            Some(function) => {
                if class.parent.is_none() {
                    self.make_fields(class, cell);
                }
                let constructor = Closure {
                    function: FunctionRef {
                        module: class.at.module,
                        function,
                    },
                    scope: class.scope.clone(),
                    this: None,
                    home: Some(class.clone()),
                    fields: class.statics,
                };
                self.call_closure(&Rc::new(constructor), &this, args, at);
            }
            None => {
                self.initialise_parent(class, cell, args, at);
                self.make_fields(class, cell);
            }
        }
    }

    fn initialise_parent(
        &mut self,
        class: &Rc<ClassValue>,
        cell: CellId,
        args: Vec<Value>,
        at: At,
    ) {
        match &class.parent {
            Some(Value::Class(parent)) => self.initialise(&parent.clone(), cell, args, at),
            Some(Value::Imported(parent)) if self.is_error_class(parent) => {
                if let Some(message) = args.first() {
                    self.set_field(cell, &"message".into(), message.clone());
                }
            }
            _ => {}
        }
    }

    fn make_fields(&mut self, class: &Rc<ClassValue>, cell: CellId) {
        let this = Value::Object(cell);
        for member in class
            .class
            .members
            .iter()
            .filter(|member| !member.is_static)
        {
            if let MemberKind::Field(value) = &member.kind {
                let Some(key) = self.in_class(class, &this, |interp| interp.key(&member.key))
                else {
                    continue;
                };
                let value = self.in_class(class, &this, |interp| match value {
                    Some(value) => interp.eval(value),
                    None => Value::Undefined,
                });
                self.set_field(cell, &key, value);
            }
        }
    }

    /// `super(..)`: the parent's constructor, then the fields of this class.
    pub(super) fn super_call(&mut self, args: Vec<Value>, at: At) -> Value {
        let frame = self.frame();
        let (Some(home), Value::Object(cell)) = (frame.home.clone(), frame.this.clone()) else {
            return Value::Undefined;
        };
        self.initialise_parent(&home, cell, args, at);
        self.make_fields(&home, cell);
        Value::Undefined
    }

    /// `super` as a receiver: the parent's members.
    pub(super) fn super_value(&mut self) -> Value {
        let frame = self.frame();
        let this = frame.this.clone();
        match frame.home.as_ref().and_then(|home| home.parent.clone()) {
            Some(Value::Class(parent)) => match this {
                Value::Class(_) => Value::Class(parent),
                _ => {
                    let data = ObjectData {
                        class: Some(parent),
                        ..ObjectData::default()
                    };
                    Value::Object(self.store.add(Content::Object(Rc::new(data))))
                }
            },
            Some(other) => other,
            None => Value::Undefined,
        }
    }

    /// Whether a class is another or inherits from it.
    pub(super) fn inherits(&mut self, class: &Rc<ClassValue>, wanted: &Rc<ClassValue>) -> Value {
        let mut class = class.clone();
        for _ in 0..PARENTS {
            if class.at == wanted.at {
                return Value::bool(true);
            }
            match &class.parent {
                Some(Value::Class(parent)) => class = parent.clone(),
                _ => return Value::bool(false),
            }
        }
        Value::Opaque
    }

    /// What the topmost class of the project inherits from.
    pub(super) fn base(&self, class: &Rc<ClassValue>) -> Option<Value> {
        let mut class = class.clone();
        for _ in 0..PARENTS {
            match &class.parent {
                Some(Value::Class(parent)) => class = parent.clone(),
                other => return other.clone(),
            }
        }
        None
    }

    /// Whether it is a class of errors of the runtime.
    pub(super) fn is_error_class(&self, imported: &Imported) -> bool {
        self.primitive_of(imported) == Some(crate::rules::Primitive::Error)
    }
}
