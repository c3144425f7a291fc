//! Which awaits of entered functions were never reached.

use std::collections::BTreeSet;

use crate::evaluate::facts::{Place, SelfCheck, Unreached};
use crate::evaluate::interp::Interp;
use crate::evaluate::value::At;
use crate::program::{Annotation, Span, Stmt};

impl Interp<'_> {
    /// Holds the awaits that are written in entered functions against those that were reached.
    pub(super) fn self_check(&self, handlers_not_entered: BTreeSet<Place>) -> SelfCheck {
        let mut check = SelfCheck {
            handlers_not_entered: handlers_not_entered.into_iter().collect(),
            steps: self.taken.0,
            most_steps: self.taken.1,
            ..SelfCheck::default()
        };
        // A component that was described is to be called by the page that it is part of.
        let entered: BTreeSet<_> = self.entered.iter().chain(&self.components).collect();
        for &reference in entered {
            let module = &self.modules[reference.module.0 as usize].module;
            for span in &module.function(reference.function).awaits {
                check.awaits += 1;
                if !self.reached.contains(&(reference.module, *span)) {
                    let at = At {
                        module: reference.module,
                        span: *span,
                    };
                    check.unreached.push(Unreached {
                        place: self.place(at),
                        explained: self.is_skipped(at) || self.cut.contains(&reference),
                    });
                }
            }
        }
        check.unreached.sort();
        check
    }

    /// Notes a part of the module being run that a decided test left out.
    pub fn skip(&mut self, span: Span) {
        let module = self.frame().module;
        self.skipped.insert((module, span));
    }

    /// Likewise, statements.
    pub fn skip_statements(&mut self, body: &[Stmt]) {
        if let (Some(first), Some(last)) = (body.first(), body.last()) {
            self.skip(Span::new(first.span.start, last.span.end));
        }
    }

    /// Whether a place stands in a branch that a decided test left out, or in something of which
    /// an annotation says what it does.
    fn is_skipped(&self, at: At) -> bool {
        let around = |span: &Span| span.contains(at.span);
        let entry = &self.modules[at.module.0 as usize];
        let replaced = entry.module.annotations.iter().any(|attached| {
            matches!(
                attached.annotation,
                Annotation::Call { .. } | Annotation::Assume { .. }
            ) && around(&attached.target)
        });
        if replaced {
            return true;
        }
        self.skipped
            .iter()
            .any(|(module, span)| *module == at.module && around(span))
    }
}
