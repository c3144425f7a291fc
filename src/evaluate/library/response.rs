//! Members of responses.

use std::rc::Rc;

use super::attempt::RESPONSE_OPTION;
use super::operation::Operation;
use super::options::Options;
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, Native, ResponseValue, RuleValue, Value};
use crate::program::Name;
use crate::rules::{Effect, Others, Pack, Step};

impl<'p> Interp<'p> {
    fn as_rule(&self, response: &Rc<ResponseValue>) -> Rc<RuleValue> {
        Rc::new(RuleValue {
            package: response.package.clone(),
            type_name: response.type_name.clone(),
            options: vec![(RESPONSE_OPTION.into(), Value::Response(response.clone()))],
            client: self.client_of_response(response),
            path: Name::default(),
            label: None,
        })
    }

    fn client_of_response(
        &self,
        response: &ResponseValue,
    ) -> Option<crate::evaluate::facts::ClientId> {
        let site = response.call?;
        match &self.sites[site.0 as usize].kind {
            crate::evaluate::facts::SiteKind::Call(info) => info.client,
            _ => None,
        }
    }

    /// A member of a response, read.
    pub fn member_of_response(
        &mut self,
        response: &Rc<ResponseValue>,
        name: &Name,
        at: At,
    ) -> Value {
        let rule = self.as_rule(response);
        if let Some((pack, member)) = self.member_rule(&rule, name, true) {
            if let Some(primitive) = member.gives.does {
                return self.status_field(primitive, member.gives.mode.as_deref(), response.status);
            }
            if self.gives_itself(&member.gives, response) {
                return Value::Response(response.clone());
            }
            return self.apply(
                pack,
                &member.gives,
                Some(&rule),
                name.clone(),
                Vec::new(),
                at,
            );
        }
        if self.member_rule(&rule, name, false).is_some() {
            let receiver = Value::Response(response.clone());
            return Value::Native(Rc::new(Native::Method {
                receiver,
                name: name.clone(),
            }));
        }
        Value::Opaque
    }

    fn gives_itself(&self, effect: &Effect, response: &ResponseValue) -> bool {
        effect.returns.as_deref() == Some(response.type_name.as_str())
    }

    /// A method of a response.
    pub fn call_response_method(
        &mut self,
        response: &Rc<ResponseValue>,
        name: &Name,
        args: Vec<Value>,
        at: At,
    ) -> Value {
        let rule = self.as_rule(response);
        let Some((pack, member)) = self.member_rule(&rule, name, false) else {
            if self.others_of(&rule) == Others::Opaque || rule.type_name.is_empty() {
                self.run_callbacks(&args, at);
                return Value::Opaque;
            }
            let package = Some(rule.package.clone());
            return crate::evaluate::calls::unknown_call(
                package,
                name.clone(),
                "not in the rule for this package",
                args,
            );
        };
        if self.gives_itself(&member.gives, response) {
            return Value::Response(response.clone());
        }
        let gives = &member.gives;
        if let Some(behaviour) = gives.awaits.as_ref().or(gives.blocks.as_ref()) {
            let label = response
                .call
                .map(|site| Name::from(self.sites[site.0 as usize].label.as_str()));
            let mut operation = Operation::new(
                &pack.package,
                behaviour,
                Options::new(),
                rule.client,
                label,
                name.clone(),
                at,
            );
            operation.response = Some(Value::Response(response.clone()));
            if gives.blocks.is_none() {
                let made = self.operation_future(operation);
                return self.with_data(made);
            }
            let value = self.blocking(operation);
            return match reads_body(pack, behaviour) {
                true => Value::Opaque,
                false => value,
            };
        }
        self.apply(pack, &member.gives, Some(&rule), name.clone(), args, at)
    }

    /// What the future of a body gives is data.
    fn with_data(&mut self, future: Value) -> Value {
        if let Value::Future(id) = future {
            self.futures[id.0 as usize].value = Value::Opaque;
        }
        future
    }
}

/// Whether a behaviour reads the body of the response that it is run on: it gives data then, and
/// else the response.
fn reads_body(pack: &Pack, behaviour: &str) -> bool {
    let mut entries = pack.behaviours.iter().filter(|one| one.name == behaviour);
    entries.any(|entry| {
        let mut steps = entry.steps.iter();
        steps.any(|step| matches!(step, Step::Body(_)))
    })
}
