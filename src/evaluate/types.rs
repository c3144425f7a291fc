//! Types that the project declares: what a name in one stands for, which implementations a type
//! has, and calls of their functions.
//!
//! An implementation can stand in any file of its crate. Those of the files that are loaded are
//! looked at first; only where they do not have what is asked for are the others loaded.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::interp::Interp;
use super::join::join_all;
use super::scope::Scope;
use super::store::Content;
use super::value::{At, Form, FunctionRef, ModuleId, Native, TypeRef, Value};
use crate::program::{Implementation, Member, MemberItem, Name, Type, TypeItem, TypeKind, Variant};
use crate::rules::Written;

/// Names that one may stand for another by.
const ALIASES: usize = 8;
/// Implementations of an interface that a call of one of its functions may go to.
const IMPLEMENTATIONS: usize = 8;

/// What is known of types so far.
#[derive(Debug, Default)]
pub struct Types {
    /// Modules that were looked through.
    scanned: usize,
    /// Whether every source file is loaded.
    complete: bool,
    /// The implementations of a type.
    pub(super) of_type: FxHashMap<TypeRef, Vec<ImplRef>>,
    /// The implementations of an interface.
    of_interface: FxHashMap<TypeRef, Vec<(ImplRef, Option<TypeRef>)>>,
    /// The scope in which the members of an implementation stand, for a type.
    scopes: FxHashMap<(ImplRef, Option<TypeRef>), Rc<Scope>>,
    /// Functions of implementations that were asked for.
    functions: FxHashMap<(FunctionRef, Option<TypeRef>), Value>,
    /// Constants that were asked for; one that is being evaluated is not there yet.
    constants: FxHashMap<(ModuleId, crate::program::Span, Option<TypeRef>), Value>,
    /// Records of which only the type is known that are being made, the innermost last.
    pub(super) open_records: Vec<(TypeRef, super::value::CellId)>,
    /// Types whose default is being made.
    pub(super) defaulting: FxHashSet<TypeRef>,
}

impl Types {
    /// Each scope that members stand in.
    pub(super) fn each_scope(&self, found: impl FnMut(&Rc<Scope>)) {
        self.scopes.values().for_each(found);
    }

    /// Every value that is kept.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        self.functions.values().chain(self.constants.values())
    }
}

/// Where members stand: an implementation of a module, or an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImplRef {
    /// By its index in the module.
    Implementation(ModuleId, usize),
    /// The members of an interface itself.
    Interface(TypeRef),
}

/// A member that was found.
pub(super) struct Found {
    /// Where it stands.
    pub place: ImplRef,
    /// What it is.
    pub member: Member,
}

impl Interp<'_> {
    /// The declaration of a type.
    pub(super) fn type_item(&self, of: TypeRef) -> TypeItem {
        let module = &self.modules[of.module.0 as usize].module;
        module.type_item(of.item).clone()
    }

    /// What a path in a module stands for where types are written.
    pub(super) fn path_in(&mut self, module: ModuleId, path: &[Name]) -> Option<Value> {
        let scope = self.modules[module.0 as usize].scope.clone();
        self.path_in_scope(module, &scope, path)
    }

    /// What a path in a scope stands for, behind names that stand for others.
    fn path_in_scope(
        &mut self,
        module: ModuleId,
        scope: &Rc<Scope>,
        path: &[Name],
    ) -> Option<Value> {
        let found = self.written_path(module, scope, path)?;
        Some(self.without_alias(found))
    }

    /// What a path stands for itself, another name of a type included.
    fn written_path(
        &mut self,
        module: ModuleId,
        scope: &Rc<Scope>,
        path: &[Name],
    ) -> Option<Value> {
        // A path that begins in a module is known by all the names that say so.
        for taken in (1..=path.len()).rev() {
            let head: Vec<&str> = path[..taken].iter().map(Name::as_str).collect();
            let head = Name::from(head.join("::"));
            let found = match scope.find(&head) {
                Some(cell) => Some(self.read(cell)),
                None => self.in_module(module, |interp| interp.undeclared(&head)),
            };
            let Some(mut value) = found else { continue };
            let at = At {
                module,
                span: crate::program::Span::default(),
            };
            for name in &path[taken..] {
                value = self.in_module(module, |interp| interp.member_at(&value, name, at));
            }
            return Some(value);
        }
        // What the language itself has under a name, where a pack says what it is.
        let [name] = path else { return None };
        let own = super::value::Imported {
            package: "global".into(),
            module: "global".into(),
            path: vec![name.clone()],
        };
        let known = self.in_module(module, |interp| interp.written_of(&own).is_some());
        known.then(|| Value::Imported(Rc::new(own)))
    }

    /// The type that a value stands for, behind names that stand for others.
    pub(super) fn without_alias(&mut self, mut value: Value) -> Value {
        for _ in 0..ALIASES {
            let Value::Type(of) = value else { return value };
            let TypeKind::Alias(other) = self.type_item(of).kind else {
                return value;
            };
            let scope = self.modules[of.module.0 as usize].scope.clone();
            match self.written_path(of.module, &scope, &other.path) {
                Some(found) if !found.same(&value) => value = found,
                _ => return value,
            }
        }
        value
    }

    /// Looks through modules that were loaded since.
    pub(super) fn scan(&mut self) {
        while self.types.scanned < self.modules.len() {
            let id = ModuleId(u32::try_from(self.types.scanned).unwrap_or(u32::MAX));
            self.types.scanned += 1;
            let module = self.modules[id.0 as usize].module.clone();
            for (index, implementation) in module.declarations.implementations.iter().enumerate() {
                if self.is_left_out(id, implementation.span) {
                    continue;
                }
                self.note_implementation(id, index, implementation);
            }
        }
    }

    fn note_implementation(&mut self, module: ModuleId, index: usize, of: &Implementation) {
        let place = ImplRef::Implementation(module, index);
        let target = match self.path_in(module, &of.target.path) {
            Some(Value::Type(target)) => Some(target),
            _ => None,
        };
        if let Some(target) = target {
            self.types.of_type.entry(target).or_default().push(place);
        }
        if let Some(interface) = &of.interface
            && let Some(Value::Type(interface)) = self.path_in(module, &interface.path)
        {
            let list = self.types.of_interface.entry(interface).or_default();
            list.push((place, target));
        }
    }

    /// Whether something is never part of the program.
    fn is_left_out(&self, module: ModuleId, span: crate::program::Span) -> bool {
        let declared = &self.modules[module.0 as usize].module.declarations;
        let found = declared.conditions.iter().filter(|(of, _)| *of == span);
        found
            .into_iter()
            .any(|(_, condition)| *condition == crate::program::Condition::Known(false))
    }

    /// Loads all source files of the project that may have implementations.
    fn load_all(&mut self) -> bool {
        if std::mem::replace(&mut self.types.complete, true) {
            return false;
        }
        let ecosystem = self.ecosystem();
        let project = self.project;
        let sources = project
            .sources
            .iter()
            .filter(|source| project.world.ecosystem(&source.path) == ecosystem && source.routes);
        let paths: Vec<&str> = sources.map(|source| source.path.as_str()).collect();
        let before = self.modules.len();
        for path in paths {
            self.load(path);
        }
        self.modules.len() > before
    }

    /// Loads what may have implementations, and looks through it.
    pub(super) fn load_for_types(&mut self) {
        self.scan();
        if self.load_all() {
            self.scan();
        }
    }

    /// A function of a module with what it captures: the name of its own type, where it stands in
    /// an implementation.
    pub(super) fn function_with_own_scope(&mut self, reference: FunctionRef) -> Value {
        let module = self.modules[reference.module.0 as usize].module.clone();
        let span = module.function(reference.function).span;
        let around = module
            .declarations
            .implementations
            .iter()
            .position(|of| of.span.contains(span));
        let Some(index) = around else {
            let scope = self.modules[reference.module.0 as usize].scope.clone();
            return self.closure(reference, &scope, None);
        };
        let path = module.declarations.implementations[index]
            .target
            .path
            .clone();
        let of = match self.path_in(reference.module, &path) {
            Some(Value::Type(of)) => Some(of),
            _ => None,
        };
        let place = ImplRef::Implementation(reference.module, index);
        let (_, scope) = self.scope_of_members(place, of);
        let value = self.closure(reference, &scope, None);
        let receives = self.members_of(place).iter().any(|member| {
            matches!(&member.kind, MemberItem::Function { function, receiver: true } if *function == reference.function)
        });
        let receiver = of.filter(|_| receives).and_then(|of| self.any_of_type(of));
        match (value, receiver) {
            (Value::Function(closure), Some(receiver)) => {
                Value::Function(Rc::new(super::value::Closure {
                    this: Some(receiver),
                    ..super::value::Closure::clone(&closure)
                }))
            }
            (value, _) => value,
        }
    }

    pub(super) fn members_of(&self, place: ImplRef) -> Vec<Member> {
        match place {
            ImplRef::Implementation(module, index) => {
                let module = &self.modules[module.0 as usize].module;
                module.declarations.implementations[index].members.clone()
            }
            ImplRef::Interface(of) => match self.type_item(of).kind {
                TypeKind::Interface { members, .. } => members,
                _ => Vec::new(),
            },
        }
    }

    fn interface_of(&mut self, place: ImplRef) -> Option<TypeRef> {
        let ImplRef::Implementation(module, index) = place else {
            return None;
        };
        let loaded = self.modules[module.0 as usize].module.clone();
        let interface = loaded.declarations.implementations[index]
            .interface
            .as_ref()?;
        match self.path_in(module, &interface.path) {
            Some(Value::Type(of)) => Some(of),
            _ => None,
        }
    }

    /// The function by which a type implements an interface of this name.
    pub(super) fn implementation_of(
        &mut self,
        of: TypeRef,
        interface: &str,
        function: &str,
    ) -> Option<Value> {
        self.load_for_types();
        let places = self.types.of_type.get(&of).cloned().unwrap_or_default();
        for place in places {
            let ImplRef::Implementation(module, index) = place else {
                continue;
            };
            let loaded = self.modules[module.0 as usize].module.clone();
            let implementation = &loaded.declarations.implementations[index];
            let written = implementation.interface.as_ref();
            if written
                .and_then(|ty| ty.path.last())
                .is_none_or(|name| name != interface)
            {
                continue;
            }
            let mut members = implementation.members.iter();
            if let Some(member) = members.find(|member| member.name == function && is_given(member))
            {
                let member = member.clone();
                return Some(self.found_value(&Found { place, member }, Some(of)));
            }
        }
        None
    }

    /// The member of this name that a type has: its own before those of interfaces.
    fn find_member(&mut self, of: TypeRef, name: &str) -> Option<Found> {
        self.scan();
        if let Some(found) = self.member_among(of, name) {
            return Some(found);
        }
        if !self.load_all() {
            return None;
        }
        self.scan();
        self.member_among(of, name)
    }

    fn member_among(&mut self, of: TypeRef, name: &str) -> Option<Found> {
        let places = self.types.of_type.get(&of).cloned().unwrap_or_default();
        for place in &places {
            for member in self.members_of(*place) {
                if member.name == name && is_given(&member) {
                    let place = *place;
                    return Some(Found { place, member });
                }
            }
        }
        // What an interface does for those that do not say otherwise.
        for place in places {
            let Some(interface) = self.interface_of(place) else {
                continue;
            };
            let place = ImplRef::Interface(interface);
            for member in self.members_of(place) {
                if member.name == name && is_given(&member) {
                    return Some(Found { place, member });
                }
            }
        }
        None
    }

    /// The scope in which the members of an implementation stand.
    fn scope_of_members(&mut self, place: ImplRef, of: Option<TypeRef>) -> (ModuleId, Rc<Scope>) {
        let module = match place {
            ImplRef::Implementation(module, _) => module,
            ImplRef::Interface(of) => of.module,
        };
        if let Some(scope) = self.types.scopes.get(&(place, of)) {
            return (module, scope.clone());
        }
        let around = self.modules[module.0 as usize].scope.clone();
        let scope = Scope::inside(&around, false);
        let own = match of {
            Some(of) => Value::Type(of),
            None => Value::unknown(None, "Self", "a type that is not followed"),
        };
        let cell = self.store.add(Content::Value(own));
        scope.declare("Self".into(), cell);
        self.types.scopes.insert((place, of), scope.clone());
        (module, scope)
    }

    /// A member of a type, as a value.
    pub(super) fn member_of_type(&mut self, of: TypeRef, name: &Name) -> Value {
        let of = match self.without_alias(Value::Type(of)) {
            Value::Type(of) => of,
            other => {
                let at = self.no_place();
                return self.member_at(&other, name, at);
            }
        };
        if let TypeKind::Variants(variants) = self.type_item(of).kind
            && let Some(variant) = variants.iter().find(|variant| variant.name == *name)
        {
            return form_value(of, variant);
        }
        match self.find_member(of, name) {
            Some(found) => self.found_value(&found, Some(of)),
            None if name == "default" => {
                let default = self.default_of_type(of);
                Value::Native(Rc::new(Native::Constant(default)))
            }
            None => {
                let callee = super::members::extended(&self.type_item(of).name, name);
                Value::unknown(None, callee, "not found among what the type can do")
            }
        }
    }

    pub(super) fn found_value(&mut self, found: &Found, of: Option<TypeRef>) -> Value {
        let (module, scope) = self.scope_of_members(found.place, of);
        match &found.member.kind {
            MemberItem::Function { function, .. } => {
                let function = FunctionRef {
                    module,
                    function: *function,
                };
                if let Some(known) = self.types.functions.get(&(function, of)) {
                    return known.clone();
                }
                let value = self.closure(function, &scope, None);
                self.types.functions.insert((function, of), value.clone());
                value
            }
            MemberItem::Constant {
                value: Some(value), ..
            } => {
                let key = (module, value.span, of);
                if let Some(known) = self.types.constants.get(&key) {
                    return known.clone();
                }
                let unknown = Value::unknown(None, "", "its own initial value");
                self.types.constants.insert(key, unknown);
                let result = self.apart(module, scope, |interp| interp.eval(value));
                self.types.constants.insert(key, result.clone());
                result
            }
            MemberItem::Type { is: Some(ty), .. } => self
                .path_in_scope(module, &scope, &ty.path)
                .unwrap_or_else(|| Value::unknown(None, "", "a type that is not followed")),
            _ => Value::unknown(
                None,
                found.member.name.clone(),
                "given by an implementation",
            ),
        }
    }

    /// Calls a function of a type by its name.
    pub(super) fn call_associated(
        &mut self,
        of: TypeRef,
        name: &Name,
        mut args: Vec<Value>,
        at: At,
    ) -> Value {
        let of = match self.without_alias(Value::Type(of)) {
            Value::Type(of) => of,
            other => return self.call_method(&other, name, args, at),
        };
        if let TypeKind::Interface { .. } = self.type_item(of).kind
            && !args.is_empty()
        {
            let receiver = args.remove(0);
            return self.call_method(&receiver, name, args, at);
        }
        if let Some(found) = self.find_member(of, name)
            && let MemberItem::Function {
                receiver: true,
                function,
            } = found.member.kind
        {
            let (module, _) = self.scope_of_members(found.place, Some(of));
            let module = self.modules[module.0 as usize].module.clone();
            let method = self.found_value(&found, Some(of));
            let receiver = if args.len() > module.function(function).params.len() {
                args.remove(0)
            } else {
                // The only value of a type without fields is called as the type.
                self.made_of_type(of, Vec::new())
            };
            return self.call(&method, &receiver, args, at);
        }
        let function = self.member_of_type(of, name);
        self.call(&function, &Value::Undefined, args, at)
    }

    /// A method of a value of a type; `None`: the type has none of this name.
    pub(super) fn record_method(
        &mut self,
        receiver: &Value,
        of: TypeRef,
        name: &Name,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        if let Some(found) = self.find_member(of, name) {
            let MemberItem::Function {
                receiver: takes, ..
            } = found.member.kind
            else {
                return None;
            };
            let function = self.found_value(&found, Some(of));
            return takes.then(|| self.call(&function, receiver, args.to_vec(), at));
        }
        let Value::Object(cell) = receiver else {
            return None;
        };
        // A function in a field, called in brackets.
        let field = self.store.object(*cell).fields.get(name).cloned()?;
        if super::calls::is_function(&field) {
            return Some(self.call(&field, &Value::Undefined, args.to_vec(), at));
        }
        None
    }

    /// The types that implement an interface, each as what it is implemented by; `None`: too
    /// many, or one that is not followed.
    pub(super) fn implementers(&mut self, interface: TypeRef) -> Option<Vec<TypeRef>> {
        self.load_for_types();
        let list = self.types.of_interface.get(&interface)?;
        let mut found: Vec<TypeRef> = Vec::new();
        for (_, target) in list {
            let target = (*target)?;
            if !found.contains(&target) {
                found.push(target);
            }
        }
        (found.len() <= IMPLEMENTATIONS).then_some(found)
    }

    /// What a pack says of values of a type that is imported.
    pub(super) fn written_of(&self, imported: &super::value::Imported) -> Option<Written> {
        let name = imported.path.last()?;
        let pack = self.pack(imported)?;
        pack.types
            .iter()
            .find(|rule| rule.name == name.as_str())
            .and_then(|rule| rule.is)
    }

    /// Any form of a type, its parts made by `part`.
    pub(super) fn any_form(
        &mut self,
        of: TypeRef,
        variants: &[Variant],
        part: &mut dyn FnMut(&mut Self, &Type) -> Value,
    ) -> Value {
        let mut forms = Vec::new();
        for variant in variants {
            let mut fields = Vec::new();
            for field in &variant.fields {
                fields.push((field.name.clone(), part(self, &field.ty)));
            }
            let form = Form::Of(of, variant.name.clone());
            forms.push(super::failures::form_of(form, fields));
        }
        join_all(forms)
    }
}

/// The value that a form of a type stands for by its name.
pub(super) fn form_value(of: TypeRef, variant: &Variant) -> Value {
    let form = Form::Of(of, variant.name.clone());
    if variant.fields.is_empty() && !variant.tuple {
        return super::failures::form_of(form, Vec::new());
    }
    Value::Native(Rc::new(Native::Form(form)))
}

/// Whether a member says what it is or does.
fn is_given(member: &Member) -> bool {
    match &member.kind {
        MemberItem::Function { .. } => true,
        MemberItem::Constant { value, .. } => value.is_some(),
        MemberItem::Type { is, .. } => is.is_some(),
        MemberItem::Required { .. } => false,
    }
}
