//! Records of which only the type is known, as what the program makes of that type: the functions
//! that construct one are run by themselves, and what they make is joined.

use std::rc::Rc;

use super::interp::Interp;
use super::join::join;
use super::store::{Content, ObjectData};
use super::value::{At, FunctionRef, ModuleId, TypeRef, Value};
use crate::program::{
    Expr, ExprKind, FunctionId, Module, Name, Part, Stmt, each_part, each_part_in,
};

/// Functions of a type's constructions that are run.
const FUNCTIONS: usize = 8;
/// Steps that one of them may take.
const STEPS: u64 = 50_000;

/// Where records of a type are made.
#[derive(Clone, Debug, Default)]
pub struct Constructions {
    /// What is known of each type; `None`: it is being looked for, or is not made anywhere.
    known: rustc_hash::FxHashMap<TypeRef, Option<Value>>,
    /// The records that programs made, as they were run from their beginning.
    by_programs: rustc_hash::FxHashMap<TypeRef, Vec<Value>>,
}

impl Constructions {
    /// Every record that is kept.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let known = self.known.values().flatten();
        known.chain(self.by_programs.values().flatten())
    }
}

impl Interp<'_> {
    /// A record of a type as the program makes it; `None`: it does not, or not where it can be
    /// followed.
    pub(super) fn constructed(&mut self, of: TypeRef) -> Option<Value> {
        if let Some(known) = self.constructions.known.get(&of) {
            return known.clone();
        }
        self.constructions.known.insert(of, None);
        let functions = self.constructing_functions(of);
        if functions.is_empty() || functions.len() > FUNCTIONS {
            return None;
        }
        // What a program made on its way holds what it was given there; a function that no
        // program has entered may make others.
        let by_programs = self.constructions.by_programs.get(&of);
        let mut made: Vec<Value> = by_programs.cloned().unwrap_or_default();
        let known = !made.is_empty();
        for function in functions {
            if !known || !self.entered.contains(&function) {
                made.extend(self.made_by(function, of));
            }
        }
        let value = self.joined_records(of, &made);
        self.constructions.known.insert(of, value.clone());
        value
    }

    /// Runs a program, and remembers the records that it makes.
    pub(super) fn making_records(&mut self, run: impl FnOnce(&mut Self)) {
        let before = self.records_made.replace(Vec::new());
        run(self);
        let made = std::mem::replace(&mut self.records_made, before);
        for cell in made.into_iter().flatten() {
            if let Some(of) = self.store.object(cell).of {
                let all = self.constructions.by_programs.entry(of).or_default();
                all.push(Value::Object(cell));
            }
        }
        // What was asked for meanwhile did not know them.
        self.constructions.known.clear();
    }

    /// The functions whose text makes a record of a type, in order of place.
    fn constructing_functions(&mut self, of: TypeRef) -> Vec<FunctionRef> {
        let name = self.type_item(of).name;
        self.load_for_types();
        let mut found = Vec::new();
        for index in 0..self.modules.len() {
            let id = ModuleId(u32::try_from(index).unwrap_or(u32::MAX));
            let module = self.modules[index].module.clone();
            if !module.failures_are_values {
                continue;
            }
            for (function, own) in makers(&module, &name) {
                let means = if own {
                    self.stands_in(id, function) == Some(of)
                } else {
                    matches!(self.path_in(id, std::slice::from_ref(&name)), Some(Value::Type(known)) if known == of)
                };
                if means {
                    found.push(FunctionRef {
                        module: id,
                        function,
                    });
                }
            }
        }
        found
    }

    /// The type whose implementation a function stands in.
    fn stands_in(&mut self, module: ModuleId, function: FunctionId) -> Option<TypeRef> {
        let loaded = self.modules[module.0 as usize].module.clone();
        let span = loaded.function(function).span;
        let implementation = loaded
            .declarations
            .implementations
            .iter()
            .find(|of| of.span.contains(span))?;
        match self.path_in(module, &implementation.target.path) {
            Some(Value::Type(of)) => Some(of),
            _ => None,
        }
    }

    /// The records of a type that a function makes, run with arguments of which only the types are
    /// known.
    fn made_by(&mut self, function: FunctionRef, of: TypeRef) -> Vec<Value> {
        let steps = std::mem::replace(&mut self.steps, STEPS);
        let memo = self.memo.set_aside();
        let entered = self.entered.clone();
        let (reached, skipped) = (self.reached.clone(), self.skipped.clone());
        let made = self.records_made.replace(Vec::new());
        let at = At {
            module: function.module,
            span: self.modules[function.module.0 as usize]
                .module
                .function(function.function)
                .span,
        };
        let value = self.function_with_own_scope(function);
        let mark = self.mark();
        self.in_request(at, |interp| {
            let made = interp.call(&value, &Value::Undefined, Vec::new(), at);
            interp.await_value(made, at);
        });
        let found: Vec<Value> = std::mem::replace(&mut self.records_made, made)
            .into_iter()
            .flatten()
            .filter(|cell| self.store.object(*cell).of == Some(of))
            .map(Value::Object)
            .collect();
        self.store.undo(mark);
        // What was run here is part of no route.
        self.entered = entered;
        self.reached = reached;
        self.skipped = skipped;
        self.memo.bring_back(memo);
        self.steps = steps;
        found
    }

    /// One record for all of them: each field is what it is in any.
    fn joined_records(&mut self, of: TypeRef, made: &[Value]) -> Option<Value> {
        let mut whole: Option<ObjectData> = None;
        for value in made {
            let Value::Object(cell) = value else { continue };
            let data = self.store.object(*cell);
            whole = Some(match whole {
                None => ObjectData::clone(&data),
                Some(mut whole) => {
                    for (name, value) in &data.fields {
                        let known = whole.fields.get(name).cloned();
                        let joined =
                            known.map_or(value.clone(), |known| join(known, value.clone()));
                        whole.fields.insert(name.clone(), joined);
                    }
                    whole
                }
            });
        }
        let mut whole = whole?;
        whole.of = Some(of);
        Some(Value::Object(
            self.store.add(Content::Object(Rc::new(whole))),
        ))
    }
}

/// The functions of a module that make a record by this name, and whether they call it by the name
/// of their own type.
fn makers(module: &Module, name: &Name) -> Vec<(FunctionId, bool)> {
    let mut found = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        let mut walk = Walk {
            name,
            plain: false,
            own: false,
        };
        walk.statements(&function.body);
        let id = FunctionId(u32::try_from(index).unwrap_or(u32::MAX));
        if walk.plain {
            found.push((id, false));
        } else if walk.own {
            found.push((id, true));
        }
    }
    found
}

struct Walk<'a> {
    name: &'a Name,
    plain: bool,
    own: bool,
}

impl Walk<'_> {
    fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        stacker::maybe_grow(super::expr::RED_ZONE, super::expr::PIECE, || {
            each_part(&statement.kind, &mut |part| self.part(part));
        });
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Statement(statement) => self.statement(statement),
            Part::Expr(e) | Part::Item(e) => self.expr(e),
            Part::Pattern(_) | Part::Function(_) | Part::Unknown => {}
        }
    }

    fn expr(&mut self, e: &Expr) {
        stacker::maybe_grow(super::expr::RED_ZONE, super::expr::PIECE, || {
            let named = match &e.kind {
                ExprKind::Record { of, .. } => Some(of),
                ExprKind::Call { callee, .. } => Some(callee),
                _ => None,
            };
            if let Some(ExprKind::Name(name)) = named.map(|of| &of.kind) {
                self.plain |= name == self.name;
                self.own |= name == "Self";
            }
            each_part_in(&e.kind, &mut |part| self.part(part));
        });
    }
}
