//! Whether a function does nothing with what it is given but call it.

use super::parts::{Part, bound_names, each_part, each_part_in, each_part_of_pattern};
use super::{Expr, ExprKind, FunctionId, Module, Name, Pattern, PatternKind, Stmt};

/// Whether every mention of a function's parameters, in it and in the functions written in it,
/// is a call of them: nobody else gets hold of what they are given. Where that cannot be seen
/// from the names it does not hold.
pub fn only_called(module: &Module, function: FunctionId) -> bool {
    let params = &module.function(function).params;
    let mut walk = Walk {
        module,
        given: params
            .iter()
            .flat_map(|param| bound_names(&param.pattern))
            .cloned()
            .collect(),
        holds: params
            .iter()
            .all(|param| matches!(param.pattern.kind, PatternKind::Name(_))),
    };
    walk.statements(&module.function(function).body);
    walk.holds
}

struct Walk<'m> {
    module: &'m Module,
    given: Vec<Name>,
    holds: bool,
}

impl<'m> Walk<'m> {
    fn statements(&mut self, body: &'m [Stmt]) {
        body.iter()
            .for_each(|statement| each_part(&statement.kind, &mut |part| self.part(part)));
    }

    fn part(&mut self, part: Part<'m>) {
        match part {
            Part::Statement(statement) => {
                each_part(&statement.kind, &mut |part| self.part(part));
            }
            Part::Expr(e) | Part::Item(e) => self.expr(e),
            Part::Pattern(pattern) => self.pattern(pattern),
            Part::Function(function) => {
                let module = self.module;
                let function = module.function(function);
                function
                    .params
                    .iter()
                    .for_each(|param| self.pattern(&param.pattern));
                self.statements(&function.body);
            }
            Part::Unknown => self.holds = false,
        }
    }

    fn pattern(&mut self, pattern: &'m Pattern) {
        each_part_of_pattern(pattern, &mut |part| self.part(part));
    }

    fn expr(&mut self, e: &'m Expr) {
        match &e.kind {
            ExprKind::Name(name) => self.holds &= !self.given.contains(name),
            ExprKind::Call { callee, args, .. } if matches!(&callee.kind, ExprKind::Name(name) if self.given.contains(name)) =>
            {
                args.iter().for_each(|arg| self.expr(&arg.value));
            }
            kind => each_part_in(kind, &mut |part| self.part(part)),
        }
    }
}
