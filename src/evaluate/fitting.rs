//! Values that patterns are held against, and the other expressions that statements stand in:
//! blocks, matches and ranges.

use std::rc::Rc;

use super::interp::Interp;
use super::operators::arithmetic;
use super::scope::Scope;
use super::store::{Content, ListData};
use super::value::{Num, Value, choosing};
use crate::program::{BinaryOp, Conversion, Expr, MatchArm, Pattern, PatternKind, Stmt};

/// Items of a range that are told apart.
const LONGEST_RANGE: u64 = 4096;

/// One way that a match can go.
#[derive(Clone, Copy)]
enum Way {
    /// Into this arm.
    Arm(usize),
    /// Through the arms from this one on.
    From(usize),
}

impl Interp<'_> {
    /// Statements and the value at their end, in a scope of their own.
    pub(super) fn block_value(&mut self, body: &[Stmt], value: Option<&Expr>) -> Value {
        let outer = self.frame().scope.clone();
        let scope = Scope::inside(&outer, false);
        self.hoist(body, &scope);
        self.frame_mut().scope = scope;
        self.exec_all(body);
        let value = value.map_or(Value::Undefined, |value| self.eval(value));
        self.frame_mut().scope = outer;
        value
    }

    /// The value of the first arm that fits, of each that may.
    pub(super) fn match_value(&mut self, subject: &Expr, arms: &[MatchArm]) -> Value {
        if self.failures_are_values() {
            return self.go_on_from(subject, &mut |interp, value| interp.matched(&value, arms));
        }
        let value = self.eval(subject);
        self.matched(&value, arms)
    }

    fn matched(&mut self, value: &Value, arms: &[MatchArm]) -> Value {
        if self.dead() {
            return Value::Undefined;
        }
        let before = self.control(&choosing(&value.tags()));
        let result = self.arms_from(value, arms, 0);
        self.frame_mut().control = before;
        result
    }

    /// The arms from one on: those without a guard up to the first that certainly fits, or up to
    /// the first guard that has to be looked at.
    fn arms_from(&mut self, value: &Value, arms: &[MatchArm], first: usize) -> Value {
        let mut ways = Vec::new();
        let mut decided = false;
        for (index, arm) in arms.iter().enumerate().skip(first) {
            let fits = if decided {
                Some(false)
            } else {
                self.fits(&arm.pattern, value)
            };
            match (fits, &arm.guard) {
                (Some(false), guard) => {
                    guard.iter().for_each(|guard| self.skip(guard.span));
                    self.skip(arm.body.span);
                }
                (Some(true), None) => {
                    ways.push(Way::Arm(index));
                    decided = true;
                }
                (None, None) => ways.push(Way::Arm(index)),
                (_, Some(_)) => {
                    // What follows is looked at behind the guard.
                    ways.push(Way::From(index));
                    break;
                }
            }
        }
        match ways.as_slice() {
            [] => Value::Undefined,
            [Way::Arm(index)] => self.run_arm(value, &arms[*index]),
            [Way::From(index)] => self.guarded(value, arms, *index),
            _ => self.branch(ways, |interp, way| match way {
                Way::Arm(index) => interp.run_arm(value, &arms[index]),
                Way::From(index) => interp.guarded(value, arms, index),
            }),
        }
    }

    fn run_arm(&mut self, value: &Value, arm: &MatchArm) -> Value {
        self.with_bound(&arm.pattern, value, |interp| interp.eval(&arm.body))
    }

    /// An arm with a guard, and the arms behind it where the guard or the pattern may fail.
    fn guarded(&mut self, value: &Value, arms: &[MatchArm], index: usize) -> Value {
        let arm = &arms[index];
        let certain = self.fits(&arm.pattern, value) == Some(true);
        let mut holds = None;
        let guard = |interp: &mut Self| {
            interp.with_bound(&arm.pattern, value, |interp| {
                let test = arm.guard.as_ref().map(|guard| interp.eval(guard));
                test.unwrap_or(Value::bool(true))
            })
        };
        let test = guard(self);
        if certain || self.decide(&test) == Some(false) {
            holds = self.decide(&test);
        }
        match holds {
            Some(true) => {
                for left in &arms[index + 1..] {
                    self.skip(left.body.span);
                }
                self.run_arm(value, arm)
            }
            Some(false) => {
                self.skip(arm.body.span);
                self.arms_from(value, arms, index + 1)
            }
            None => self.branch(vec![true, false], |interp, holds| {
                if holds {
                    interp.run_arm(value, arm)
                } else {
                    interp.arms_from(value, arms, index + 1)
                }
            }),
        }
    }

    pub(super) fn with_bound(
        &mut self,
        pattern: &Pattern,
        value: &Value,
        run: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let outer = self.frame().scope.clone();
        let scope = Scope::inside(&outer, false);
        self.frame_mut().scope = scope.clone();
        self.bind(pattern, value.clone(), &scope);
        let result = run(self);
        self.frame_mut().scope = outer;
        result
    }

    /// Whether a pattern fits a value, `None` where it may.
    pub(super) fn fits(&mut self, pattern: &Pattern, value: &Value) -> Option<bool> {
        match &pattern.kind {
            PatternKind::Name(_)
            | PatternKind::Ignore
            | PatternKind::Default { .. }
            | PatternKind::Place(_) => Some(true),
            PatternKind::Bind { pattern, .. } => self.fits(pattern, value),
            PatternKind::Equal(other) => {
                let other = self.eval(other);
                let equal = self.binary(BinaryOp::Equal, value, &other);
                self.truth(&equal)
            }
            PatternKind::Between {
                start,
                end,
                inclusive,
            } => {
                let above = start.as_ref().map_or(Some(true), |start| {
                    self.compared(BinaryOp::GreaterOrEqual, value, start)
                });
                let op = if *inclusive {
                    BinaryOp::LessOrEqual
                } else {
                    BinaryOp::Less
                };
                let below = end
                    .as_ref()
                    .map_or(Some(true), |end| self.compared(op, value, end));
                both(above, below)
            }
            PatternKind::Either(patterns) => {
                let mut found = Some(false);
                for pattern in patterns {
                    match self.fits(pattern, value) {
                        Some(true) => return Some(true),
                        None => found = None,
                        Some(false) => {}
                    }
                }
                found
            }
            PatternKind::List { items, .. } if items.iter().flatten().all(always_fits) => {
                Some(true)
            }
            PatternKind::Object { fields, .. }
                if fields.iter().all(|field| always_fits(&field.pattern)) =>
            {
                Some(true)
            }
            PatternKind::Case { of, inner } => self.case_fits(of, inner.as_deref(), value),
            PatternKind::List { items, .. } => self.items_fit(items, value),
            // What is inside of other values is not followed.
            PatternKind::Object { .. } | PatternKind::Ends { .. } => None,
        }
    }

    fn compared(&mut self, op: BinaryOp, value: &Value, other: &Expr) -> Option<bool> {
        let other = self.eval(other);
        let result = self.binary(op, value, &other);
        self.truth(&result)
    }

    /// The whole numbers of a range, as a list.
    pub(super) fn range(
        &mut self,
        start: Option<&Expr>,
        end: Option<&Expr>,
        inclusive: bool,
    ) -> Value {
        let start = start.map_or(Value::number(0.0), |start| self.eval(start));
        let end = end.map(|end| self.eval(end));
        let least = match &start {
            Value::Number(number) if number.exact => Some(number.value),
            _ => None,
        };
        let most = end.as_ref().and_then(greatest);
        let (Some(least), Some((most, exact))) = (least, most) else {
            return self.store.new_list_of(Value::Opaque, None);
        };
        let last = if inclusive {
            most.floor()
        } else {
            most.ceil() - 1.0
        };
        let count = (last - least + 1.0).max(0.0);
        if !count.is_finite() {
            return self.store.new_list_of(Value::Opaque, None);
        }
        let count = count as u64;
        if exact && count <= LONGEST_RANGE {
            let items = (0..count).map(|index| Value::number(least + index as f64));
            let list = ListData {
                items: items.collect(),
                rest: None,
                bound: Some(count),
            };
            return Value::List(self.store.add(Content::List(Rc::new(list))));
        }
        let item = Value::Number(Num {
            value: last,
            exact: false,
            origin: None,
            tags: None,
        });
        self.store.new_list_of(item, Some(count))
    }

    /// A list of the same value many times.
    pub(super) fn repeated(&mut self, value: &Expr, count: &Expr) -> Value {
        let value = self.eval(value);
        let count = self.eval(count);
        let bound = greatest(&count).map(|(most, _)| most.max(0.0) as u64);
        self.store.new_list_of(value, bound)
    }
}

pub(super) fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether a pattern fits whatever it is held against.
pub(super) fn always_fits(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Name(_) | PatternKind::Ignore => true,
        PatternKind::Bind { pattern, .. } => always_fits(pattern),
        PatternKind::List { items, .. } => items.iter().flatten().all(always_fits),
        PatternKind::Object { fields, .. } => {
            fields.iter().all(|field| always_fits(&field.pattern))
        }
        _ => false,
    }
}

/// The greatest number that a value can be, and whether it is exactly that.
fn greatest(value: &Value) -> Option<(f64, bool)> {
    match value {
        Value::Number(number) if !number.value.is_nan() => Some((number.value, number.exact)),
        Value::Choice(values) => {
            let mut most: Option<f64> = None;
            for one in values.iter() {
                let (value, _) = greatest(one)?;
                most = Some(most.map_or(value, |most| most.max(value)));
            }
            most.map(|most| (most, false))
        }
        _ => None,
    }
}

/// A quotient of which it is not known whether its fraction is cut off: the greater of the two,
/// where they differ.
pub(super) fn quotient(left: &Value, right: &Value) -> Value {
    let result = arithmetic(BinaryOp::Divide, left, right);
    match (&result, left, right) {
        (Value::Number(whole), Value::Number(a), Value::Number(b))
            if a.value.fract() == 0.0 && b.value.fract() == 0.0 && whole.value.fract() != 0.0 =>
        {
            let cut = whole.value.trunc();
            Value::Number(Num {
                value: whole.value.max(cut),
                exact: false,
                ..whole.clone()
            })
        }
        _ => result,
    }
}

/// A value taken as one of another type. A number that is only known from above stays so where
/// it lies in the range.
pub(super) fn converted(value: Value, to: &Conversion) -> Value {
    let Conversion::Whole { least, most } = to else {
        return value;
    };
    match value {
        Value::Number(number) => {
            let cut = number.value.trunc();
            if cut >= *least && cut <= *most {
                return Value::Number(Num {
                    value: if number.exact { cut } else { number.value },
                    ..number
                });
            }
            Value::Number(Num {
                value: *most,
                exact: false,
                ..number
            })
        }
        Value::Choice(values) => {
            let parts = values.iter().map(|one| converted(one.clone(), to));
            super::join::join_all(parts)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::evaluate::builtins::tests::given;

    /// What a function with this body gives, with the file's own items before it. The language
    /// of the front end is only how the neutral program is written down here.
    fn result_in(items: &str, body: &str) -> String {
        let source = format!("{items} pub fn run(data: Data, status: u16) -> u64 {{ {body} }}");
        let mut module = crate::lang::lower("main.rs", source.as_bytes());
        assert!(module.gaps.is_empty(), "{body}: {:?}", module.gaps);
        run_at_once(&mut module);
        given(Arc::new(module))
    }

    fn run_at_once(module: &mut crate::program::Module) {
        module.lazy_futures = false;
        for (_, inner) in &mut module.inner {
            run_at_once(Arc::make_mut(inner));
        }
    }

    fn each(cases: &[(&str, &str)]) {
        for (body, expected) in cases {
            assert_eq!(result_in("", body), *expected, "{body}");
        }
    }

    #[test]
    fn the_first_arm_that_fits() {
        each(&[
            ("match 3 { 1 => 10, 2 | 3 => 20, _ => 30 }", "20"),
            ("match 7 { 1..=5 => 1, 6.. => 2, _ => 3 }", "2"),
            ("match 5 { 1..5 => 1, n @ 5..=9 => n + 1, _ => 0 }", "6"),
            ("match 7 { n if n > 10 => 1, n if n > 5 => 2, _ => 3 }", "2"),
            ("match (1, 2) { (a, b) => a + b }", "3"),
            // What is not known may be each of them.
            ("match data { 1 => 10, 2 => 20, _ => 30 }", "10 | 20 | 30"),
            ("match data { Some(_) => 1, None => 2 }", "1 | 2"),
            (
                "match 7 { n if n > 10 => 1, _ if data => 2, _ => 3 }",
                "2 | 3",
            ),
            (
                "match data { Some(n) if n > 3 => 1, Some(n) => 2, None => 3 }",
                "1 | 2 | 3",
            ),
            ("if let Some(n) = data { 1 } else { 2 }", "1 | 2"),
            (
                "if let n = 4 && n > 3 && let m = n + 1 { m } else { 2 }",
                "5",
            ),
        ]);
    }

    #[test]
    fn what_leaves_in_the_middle_of_an_expression() {
        each(&[
            ("let Some(n) = data else { return 5 }; 6", "5 | 6"),
            ("let a = if data { return 1 } else { 2 }; a + 1", "1 | 3"),
            (
                "let a = 'found: { if data { break 'found 1; } 2 }; a",
                "2 | 1",
            ),
            ("let a = { let b = 2; b * 3 }; a", "6"),
            // Where it fails, that is no value of the call but under way.
            ("data?; 3", "3"),
            ("let n = 4?; n", "4"),
        ]);
    }

    #[test]
    fn ranges_are_lists_of_numbers() {
        each(&[
            ("let mut sum = 0; for n in 0..4 { sum += n; } sum", "6"),
            ("let mut sum = 0; for n in 1..=4 { sum += n; } sum", "10"),
            ("let mut sum = 0; for n in 4..2 { sum += n; } sum", "0"),
            ("2..5", "[2, 3, 4]"),
            ("0..data", "[..data]"),
            ("0..100000", "[..<= 99999 at most 100000]"),
            ("[7; 3]", "[..7 at most 3]"),
        ]);
    }

    #[test]
    fn names_that_no_scope_declares() {
        let items = "mod a { pub const N: u64 = 5; pub mod b { pub fn f() -> u64 { super::N * 2 } } } \
            mod c { use super::a::*; pub fn g() -> u64 { N + b::f() } } use c::g;";
        assert_eq!(result_in(items, "a::b::f()"), "10");
        assert_eq!(result_in(items, "g()"), "15");
        assert_eq!(result_in(items, "use a::b as other; other::f()"), "10");
    }

    fn number(value: &Value) -> (f64, bool) {
        match value {
            Value::Number(number) => (number.value, number.exact),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_quotient_is_never_below_what_either_division_gives() {
        let of = |a: f64, b: f64| number(&quotient(&Value::number(a), &Value::number(b)));
        assert_eq!(of(6.0, 3.0), (2.0, true));
        assert_eq!(of(7.0, 2.0), (3.5, false));
        assert_eq!(of(-7.0, 2.0), (-3.0, false));
        assert_eq!(of(7.5, 2.0), (3.75, true));
    }

    #[test]
    fn conversions_cut_and_never_fall_below() {
        let byte = Conversion::Whole {
            least: 0.0,
            most: 255.0,
        };
        let of = |n: f64| number(&converted(Value::number(n), &byte));
        assert_eq!(of(3.9), (3.0, true));
        assert_eq!(of(300.0), (255.0, false));
        assert_eq!(of(-1.0), (255.0, false));
        assert_eq!(
            number(&converted(Value::number(0.5), &Conversion::Fraction)),
            (0.5, true)
        );
    }
}
