//! Races in functions that no route reaches.

use std::collections::BTreeSet;

use crate::cost::Site;
use crate::evaluate::interp::Interp;
use crate::evaluate::value::{At, FunctionRef, ModuleId, Value};
use crate::program::FunctionId;

/// Steps that one function may take here.
const STEPS: u64 = 20_000;
/// Steps that all of them together may take.
const ALL_STEPS: u64 = 20_000_000;

impl Interp<'_> {
    /// Runs every function that may race and that nothing has entered, of the files that serve
    /// somebody (not those of tests and scripts), once and with arguments of which nothing is
    /// known; gives the races that were met. Everything else that comes of it is thrown away.
    pub(super) fn sweep(&mut self) -> Vec<Site> {
        let kept = Kept {
            clients: self.clients.len(),
            remarks: self.remarks.clone(),
            factory_calls: self.factory_calls.clone(),
            sites: self.races.clone(),
            inside: self.inside.clone(),
        };
        let mut left = ALL_STEPS;
        let racing = self.racing();
        let sources = self
            .project
            .sources
            .iter()
            .filter(|source| source.routes)
            .map(|source| source.path.clone());
        for path in sources.collect::<Vec<_>>() {
            let module = self.load(&path);
            let functions = self.modules[module.0 as usize].module.functions.len();
            for index in 0..functions {
                let reference = FunctionRef {
                    module,
                    function: FunctionId(u32::try_from(index).unwrap_or(u32::MAX)),
                };
                if left > 0 && racing.contains(&reference) && !self.entered.contains(&reference) {
                    self.steps = STEPS.min(left);
                    let budget = self.steps;
                    self.run_once(module, reference);
                    left = left.saturating_sub(budget - self.steps.min(budget));
                }
            }
        }
        let races = std::mem::take(&mut self.races);
        self.restore(kept);
        races.into_iter().collect()
    }

    fn run_once(&mut self, module: ModuleId, reference: FunctionRef) {
        let loaded = self.modules[module.0 as usize].module.clone();
        let function = loaded.function(reference.function);
        let at = At {
            module,
            span: function.span,
        };
        let value = self.value_of_function(reference);
        let args = vec![Value::Opaque; function.params.len()];
        self.routing = super::chain::Routing::default();
        let mark = self.mark();
        self.in_request(at, |interp| {
            interp.frame_mut().ends = false;
            let made = interp.call(&value, &Value::Opaque, args, at);
            interp.await_value(made, at);
        });
        self.store.undo(mark);
    }

    fn restore(&mut self, kept: Kept) {
        self.clients.truncate(kept.clients);
        self.remarks = kept.remarks;
        self.factory_calls = kept.factory_calls;
        self.inside = kept.inside;
        self.races = kept.sites;
    }
}

/// What the sweep must leave as it was.
struct Kept {
    clients: usize,
    remarks: BTreeSet<crate::evaluate::facts::Remark>,
    factory_calls: BTreeSet<crate::evaluate::facts::Decision>,
    sites: BTreeSet<Site>,
    inside: BTreeSet<String>,
}
