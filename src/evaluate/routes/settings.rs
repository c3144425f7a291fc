//! What a route's file exports for the platform: the longest run, the runtime, the matcher.

use crate::cost::Time;
use crate::evaluate::facts::{Figure, Place};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, ModuleId, Value};
use crate::program::{Name, Span};
use crate::rules::Convention;
use crate::stack::Origin;

/// What a file says of the routes in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub max_duration: Option<Figure>,
    pub runtime: Option<(String, Place)>,
    pub matchers: Option<Vec<String>>,
}

impl Interp<'_> {
    /// What a file exports of this, as its convention names it.
    pub(super) fn settings_of(&mut self, module: ModuleId, convention: &Convention) -> Settings {
        let mut settings = Settings::default();
        let config = convention
            .config_export
            .as_deref()
            .and_then(|name| self.exported(module, name));
        if let Some(name) = convention.limit_export.as_deref() {
            let own = self.exported(module, name);
            let value = own.or_else(|| {
                config
                    .as_ref()
                    .and_then(|(value, at)| self.part(value, name, *at))
            });
            settings.max_duration = value.and_then(|(value, at)| self.seconds(&value, at));
        }
        if let Some(name) = convention.runtime_export.as_deref() {
            let own = self.exported(module, name);
            let value = own.or_else(|| {
                config
                    .as_ref()
                    .and_then(|(value, at)| self.part(value, name, *at))
            });
            settings.runtime = value.and_then(|(value, at)| {
                let text = value.as_text()?.to_string();
                let place = self.first_line(at);
                Some((text, self.place(place)))
            });
        }
        if let (None, Some(runtime)) = (&settings.runtime, &convention.runtime) {
            let at = At {
                module,
                span: Span::default(),
            };
            settings.runtime = Some((runtime.clone(), self.place(at)));
        }
        if let Some(path) = convention.matcher.as_deref() {
            settings.matchers = Some(self.matchers(module, path));
        }
        settings
    }

    fn exported(&mut self, module: ModuleId, name: &str) -> Option<(Value, At)> {
        let value = self.export_if_any(module, &Name::from(name))?;
        let at = self.declared_at(module, name).unwrap_or(At {
            module,
            span: Span::default(),
        });
        Some((value, at))
    }

    fn part(&mut self, value: &Value, name: &str, at: At) -> Option<(Value, At)> {
        match self.member_quietly(value, &Name::from(name)) {
            Value::Undefined => None,
            value => Some((value, at)),
        }
    }

    /// A number of seconds.
    fn seconds(&mut self, value: &Value, at: At) -> Option<Figure> {
        let Value::Number(number) = value else {
            return None;
        };
        let place = self.place(at);
        let origin = number
            .origin
            .as_ref()
            .map_or_else(|| Origin::from(&place), |origin| Origin::clone(origin));
        Some(Figure {
            time: Time::from_secs_f64(number.value),
            origin,
            decided_by: Vec::new(),
        })
    }

    /// The matchers that an exported object holds at a dotted path; none: it runs for everything.
    fn matchers(&mut self, module: ModuleId, path: &str) -> Vec<String> {
        let mut parts = path.split('.');
        let Some((mut value, _)) = parts.next().and_then(|name| self.exported(module, name)) else {
            return Vec::new();
        };
        for part in parts {
            value = self.member_quietly(&value, &Name::from(part));
        }
        let mut found = Vec::new();
        self.matcher_texts(&value, &mut found);
        found
    }

    fn matcher_texts(&mut self, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Text(text) => found.push(text.text.to_string()),
            Value::List(cell) => {
                for item in &self.store.list(*cell).items {
                    self.matcher_texts(item, found);
                }
            }
            Value::Object(_) => {
                let source = self.member_quietly(value, &"source".into());
                if let Value::Text(text) = source {
                    found.push(text.text.to_string());
                }
            }
            _ => {}
        }
    }
}
