//! What annotations and written types say in place of code.

use std::rc::Rc;

use super::options::Options;
use crate::cost::{Backoff, Call, Growth, Interval, Losers, Outcome, Series, Term, Time, Wait};
use crate::evaluate::block::{ExitKind, Flow};
use crate::evaluate::facts::{CallInfo, DeadlineInfo, Figure, RetryInfo, SiteKind};
use crate::evaluate::interp::{Interp, OutcomeKey};
use crate::evaluate::value::{At, Closure, ErrorClass, ErrorKind, RuleValue, Value};
use crate::program::{
    AnnotatedGrowth, AnnotatedRetry, Annotation, Function, Name, RetryOn, Span, Stmt, Type,
};

impl<'p> Interp<'p> {
    /// The annotations that stand on a span of a module.
    fn annotations(&self, at: At) -> Vec<Annotation> {
        let entry = &self.modules[at.module.0 as usize];
        if entry.annotations.is_empty() {
            return Vec::new();
        }
        entry.annotations.get(&at.span).cloned().unwrap_or_default()
    }

    /// Whether annotations stand on a span of the module being run.
    pub(crate) fn has_annotations(&self, span: Span) -> bool {
        let entry = &self.modules[self.frame().module.0 as usize];
        entry.annotations.contains_key(&span)
    }

    /// The value of an expression that an annotation replaces or surrounds.
    pub fn replaced(&mut self, span: Span) -> Option<Value> {
        let frame = self.frames.last()?;
        let at = At {
            module: frame.module,
            span,
        };
        let annotations = self.annotations(at);
        if annotations.is_empty() || !self.annotating.insert((at.module, span)) {
            return None;
        }
        let result = self.annotated(&annotations, at, None);
        self.annotating.remove(&(at.module, span));
        match result {
            // What stands in place of a call may be awaited.
            Some(Value::Opaque) if self.is_lazy() => Some(Value::Native(Rc::new(
                crate::evaluate::value::Native::Opaque,
            ))),
            result => result,
        }
    }

    /// Runs a statement that has annotations; `false`: it has none that change what it does.
    pub fn annotated_statement(&mut self, statement: &Stmt) -> bool {
        let at = self.here(statement.span);
        let annotations = self.annotations(at);
        if annotations.is_empty() || !self.annotating.insert((at.module, statement.span)) {
            return false;
        }
        let done = self.annotated(&annotations, at, Some(statement)).is_some();
        self.annotating.remove(&(at.module, statement.span));
        done
    }

    /// The call of a function that has annotations.
    pub fn annotated_call(
        &mut self,
        closure: &Rc<Closure>,
        function: &Function,
        this: &Value,
        args: &[Value],
        at: At,
    ) -> Option<Value> {
        let own = At {
            module: closure.function.module,
            span: function.span,
        };
        let annotations = self.annotations(own);
        if !annotations.iter().any(changes) || !self.annotating.insert((own.module, own.span)) {
            return None;
        }
        self.entered.insert(closure.function);
        self.flush();
        self.open();
        let value = if let Some(value) = self.call_instead(&annotations, own) {
            value
        } else {
            let made = self.call_body(closure, function, this, args.to_vec(), at);
            self.await_value(made, at)
        };
        self.flush();
        let flow = self.close();
        let flow = self.surround(flow, &annotations, own);
        self.annotating.remove(&(own.module, own.span));
        if function.is_async {
            let throws = flow
                .exits
                .into_iter()
                .map(|exit| (exit.outcome, exit.value))
                .collect();
            return Some(self.new_future(flow.term, value, throws, flow.dead));
        }
        self.append(flow);
        Some(value)
    }

    fn annotated(
        &mut self,
        annotations: &[Annotation],
        at: At,
        statement: Option<&Stmt>,
    ) -> Option<Value> {
        if !annotations.iter().any(changes) {
            return None;
        }
        self.flush();
        self.open();
        let value = match self.call_instead(annotations, at) {
            Some(value) => {
                if let Some(statement) = statement {
                    self.bind_unknown(statement);
                }
                value
            }
            None => match statement {
                Some(statement) => {
                    self.exec_kind(statement);
                    Value::Undefined
                }
                None => {
                    // An expression that is only surrounded cannot be found again from its span.
                    self.blocks.pop();
                    return None;
                }
            },
        };
        self.flush();
        let flow = self.close();
        let flow = self.surround(flow, annotations, at);
        self.append(flow);
        Some(value)
    }

    /// A statement that is replaced still declares its variables, as data.
    fn bind_unknown(&mut self, statement: &Stmt) {
        if let crate::program::StmtKind::Let { pattern, .. } = &statement.kind {
            let scope = self.frame().scope.clone();
            self.bind(pattern, Value::Opaque, &scope);
        }
    }

    /// `call` and `assume` stand in place of what they are written on.
    fn call_instead(&mut self, annotations: &[Annotation], at: At) -> Option<Value> {
        let attempt = annotations.iter().find_map(|annotation| match annotation {
            Annotation::Attempt { nanos } => Some(Time::from_nanos(*nanos)),
            _ => None,
        });
        for annotation in annotations {
            match annotation {
                Annotation::Call {
                    dependency,
                    operation,
                    method,
                    times,
                } => {
                    for _ in 0..*times {
                        self.annotated_attempt(
                            dependency,
                            operation.as_ref(),
                            method.as_ref(),
                            attempt,
                            at,
                        );
                    }
                    return Some(Value::Opaque);
                }
                Annotation::Assume { nanos, reason } => {
                    self.assumed(
                        Time::from_nanos(*nanos),
                        reason.clone().unwrap_or_default(),
                        at,
                    );
                    return Some(Value::Opaque);
                }
                _ => {}
            }
        }
        None
    }

    fn assumed(&mut self, limit: Time, reason: String, at: At) {
        let figure = Figure {
            time: limit,
            origin: self.origin_at(at),
            decided_by: Vec::new(),
        };
        let label = self.label_at(at, "assumed");
        let site = self.site(
            at,
            label,
            SiteKind::Assumed {
                limit: figure,
                reason,
            },
        );
        let class = ErrorClass::other();
        let outcome = self.error_outcome(&class);
        self.emit(Term::Assume {
            site,
            limit,
            outcomes: vec![Outcome::OK, outcome],
        });
        let exit = super::operation::thrown(outcome, class);
        self.throw_exit(exit.outcome, exit.value);
    }

    fn annotated_attempt(
        &mut self,
        dependency: &Name,
        operation: Option<&Name>,
        method: Option<&Name>,
        limit: Option<Time>,
        at: At,
    ) {
        let id = self.dependency(dependency);
        let label = match operation {
            Some(operation) => format!("{dependency}.{operation}"),
            None => dependency.to_string(),
        };
        let method =
            method
                .map(ToString::to_string)
                .or_else(|| match operation.map(Name::as_str) {
                    Some("read") => Some("GET".to_string()),
                    Some("write") => Some("POST".to_string()),
                    _ => None,
                });
        let write = method
            .as_deref()
            .is_some_and(|method| !super::attempt::is_read(method));
        let entry = self.project.stack.dependencies.get(dependency.as_str());
        let declared = entry.and_then(|entry| {
            entry.attempt.of(
                operation.map(Name::as_str),
                method.as_deref().map(super::attempt::is_read),
            )
        });
        let figure = match (limit, declared) {
            (Some(time), _) => Figure {
                time,
                origin: self.origin_at(at),
                decided_by: Vec::new(),
            },
            (None, Some(declared)) => Figure {
                time: declared.value,
                origin: declared.origin.clone(),
                decided_by: Vec::new(),
            },
            (None, None) => Figure {
                time: Time::UNBOUNDED,
                origin: self.origin_at(at),
                decided_by: Vec::new(),
            },
        };
        let idempotent = self.dependencies[id.0 as usize].idempotency_key.is_some();
        let latest = figure.time;
        let info = CallInfo {
            client: None,
            dependency: id,
            package: dependency.to_string(),
            method,
            write,
            idempotent,
            limits: vec![("attempt".to_string(), figure)],
        };
        let site = self.site(at, label.clone(), SiteKind::Call(info));
        let whole = Interval {
            earliest: Time::ZERO,
            latest,
        };
        let mut outcomes = vec![(Outcome::OK, whole)];
        let mut exits = Vec::new();
        for kind in [ErrorKind::Network, ErrorKind::Timeout] {
            let class = ErrorClass {
                kind,
                ..ErrorClass::other()
            };
            let outcome = self.error_outcome(&class);
            if kind == ErrorKind::Timeout {
                if !latest.is_unbounded() {
                    outcomes.push((
                        outcome,
                        Interval {
                            earliest: latest,
                            latest,
                        },
                    ));
                    exits.push(super::operation::thrown(outcome, class));
                }
            } else {
                outcomes.push((outcome, whole));
                exits.push(super::operation::thrown(outcome, class));
            }
        }
        outcomes.sort_unstable_by_key(|(outcome, _)| *outcome);
        let call = self.terms.add(Term::Call(Call {
            site,
            dependency: Some(id),
            attempts: 1,
            outcomes,
            far_limit: Time::UNBOUNDED,
        }));
        let step = self.site(at, label, SiteKind::Step);
        let term = self.terms.add(Term::Step {
            site: step,
            body: call,
        });
        self.append(Flow {
            term,
            exits,
            dead: false,
            late: Vec::new(),
        });
    }

    /// `deadline(retry(..))` around what was built.
    fn surround(&mut self, mut flow: Flow, annotations: &[Annotation], at: At) -> Flow {
        for annotation in annotations {
            if let Annotation::Retry(retry) = annotation {
                flow = self.annotated_retry(flow, retry, annotations, at);
            }
        }
        for annotation in annotations {
            if let Annotation::Deadline { nanos, abandons } = annotation {
                flow = self.annotated_deadline(
                    flow,
                    Time::from_nanos(*nanos),
                    *abandons,
                    annotations,
                    at,
                );
            }
        }
        flow
    }

    /// The name of the function that an annotation stands on, else of the one around it.
    fn label_at(&self, at: At, otherwise: &str) -> String {
        let module = &self.modules[at.module.0 as usize].module;
        let function = module
            .functions
            .iter()
            .find(|function| function.span == at.span);
        let name = function
            .and_then(|function| function.name.as_ref())
            .map(ToString::to_string);
        name.or_else(|| self.label_here())
            .unwrap_or_else(|| otherwise.to_string())
    }

    fn annotated_deadline(
        &mut self,
        flow: Flow,
        limit: Time,
        abandons: bool,
        annotations: &[Annotation],
        at: At,
    ) -> Flow {
        let figure = Figure {
            time: limit,
            origin: self.origin_at(at),
            decided_by: Vec::new(),
        };
        let info = DeadlineInfo {
            limit: figure,
            cancels: !abandons,
            resolves: false,
            race: false,
        };
        let label = called(annotations).unwrap_or_else(|| self.label_at(at, "deadline"));
        let site = self.site(at, label, SiteKind::Deadline(info));
        let class = ErrorClass {
            kind: ErrorKind::Timeout,
            ..ErrorClass::other()
        };
        let raises = self.error_outcome(&class);
        let losers = if abandons {
            Losers::Abandoned
        } else {
            Losers::Cancelled
        };
        let term = self.terms.add(Term::Deadline {
            site,
            limit,
            losers,
            raises,
            body: flow.term,
        });
        let mut exits = flow.exits;
        exits.push(super::operation::thrown(raises, class));
        Flow {
            term,
            exits,
            dead: flow.dead,
            late: flow.late,
        }
    }

    fn annotated_retry(
        &mut self,
        flow: Flow,
        retry: &AnnotatedRetry,
        annotations: &[Annotation],
        at: At,
    ) -> Flow {
        let mut on = Vec::new();
        let mut arms = Vec::new();
        let mut after = Vec::new();
        for exit in flow
            .exits
            .iter()
            .filter(|exit| exit.kind == ExitKind::Throw)
        {
            let class = self.class_of(&exit.value);
            if !retried(&retry.on, &class) {
                continue;
            }
            let again = self.outcome(OutcomeKey::Again(exit.outcome));
            if on.iter().any(|(known, _)| *known == again) {
                continue;
            }
            arms.push((exit.outcome, self.terms.add(Term::Raise(again))));
            after.push((again, self.terms.add(Term::Raise(exit.outcome))));
            on.push((again, None));
        }
        if on.is_empty() || retry.max == 0 {
            return flow;
        }
        on.sort_unstable();
        let base = Time::from_nanos(retry.base);
        let series = match retry.growth {
            AnnotatedGrowth::Constant => Series::Constant,
            AnnotatedGrowth::Exponential { factor } => Series::Exponential {
                thousandths: (factor * 1000.0).clamp(0.0, f64::from(u32::MAX)) as u32,
            },
            AnnotatedGrowth::Linear { step } => Series::Linear {
                step: Time::from_nanos(step),
            },
        };
        let growth = Growth {
            base,
            series,
            cap: retry.cap.map_or(Time::UNBOUNDED, Time::from_nanos),
            jitter_least: 1000,
            jitter_greatest: 1000,
            cap_before_jitter: true,
            plus: Wait {
                least: Time::ZERO,
                greatest: Time::ZERO,
            },
        };
        let backoff = Backoff {
            listed: Vec::new(),
            growth: Some(growth),
        };
        let info = RetryInfo {
            client: None,
            package: None,
            max: Some(retry.max),
            origin: self.origin_at(at),
            written: true,
            repeats: vec!["errors".to_string()],
            retry_after_uncapped: false,
            waits: (0..retry.max.min(16))
                .map(|i| backoff.wait(i).greatest)
                .collect(),
            budget: None,
        };
        let label = called(annotations).unwrap_or_else(|| self.label_at(at, "retry"));
        let site = self.site(at, label, SiteKind::Retry(info));
        let body = self.then(flow.term, arms);
        let term = self.terms.add(Term::Retry {
            site,
            max: Some(retry.max),
            on,
            backoff: Box::new(backoff),
            gate: None,
            bodies: vec![body],
        });
        let term = self.then(term, after);
        Flow { term, ..flow }
    }

    /// A value of a written type, where a pack knows the type.
    pub fn value_of_type(&mut self, ty: &Type) -> Option<Value> {
        let (first, rest) = ty.path.split_first()?;
        let scope = self.frame().scope.clone();
        let cell = scope.find(first)?;
        let Value::Imported(imported) = self.read(cell) else {
            return None;
        };
        let mut path = imported.path.clone();
        path.extend(rest.iter().cloned());
        let name = path.last()?.clone();
        let pack = self.pack(&imported)?;
        if let Some(router) = pack
            .routers
            .iter()
            .find(|router| router.name == name.as_str())
        {
            let at = At {
                module: self.frame().module,
                span: Span::default(),
            };
            return Some(self.new_router(&pack.package, &router.name, &[], at));
        }
        pack.types.iter().find(|rule| rule.name == name.as_str())?;
        Some(Value::Rule(Rc::new(RuleValue {
            package: pack.package.as_str().into(),
            type_name: name,
            options: Options::new(),
            client: None,
            path: Name::default(),
            label: None,
        })))
    }
}

/// Whether an annotation changes what the thing that it stands on waits for.
fn changes(annotation: &Annotation) -> bool {
    matches!(
        annotation,
        Annotation::Call { .. }
            | Annotation::Assume { .. }
            | Annotation::Deadline { .. }
            | Annotation::Retry(_)
    )
}

/// The operation that annotations say is called here.
fn called(annotations: &[Annotation]) -> Option<String> {
    annotations.iter().find_map(|annotation| match annotation {
        Annotation::Call {
            dependency,
            operation,
            ..
        } => Some(match operation {
            Some(operation) => format!("{dependency}.{operation}"),
            None => dependency.to_string(),
        }),
        _ => None,
    })
}

fn retried(on: &[RetryOn], class: &ErrorClass) -> bool {
    on.is_empty()
        || on.iter().any(|word| match word {
            RetryOn::Error => true,
            RetryOn::Timeout => class.kind == ErrorKind::Timeout,
            RetryOn::Abort => class.kind == ErrorKind::Abort,
            RetryOn::Network => class.kind == ErrorKind::Network,
            RetryOn::Other => class.kind == ErrorKind::Other,
            RetryOn::Status(first, last) => {
                class.status.is_some_and(|s| (*first..=*last).contains(&s))
            }
        })
}
