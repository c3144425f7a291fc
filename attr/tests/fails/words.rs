//! Arguments that say nothing: the error stands at them.

#[overrun::route]
fn no_name() {}

#[overrun::route(within = "browser")]
fn no_name_either() {}

#[overrun::call("db.", method = "GET")]
fn no_operation() {}

#[overrun::deadline(8)]
fn no_unit() {}

#[overrun::deadline("8s", abandon)]
fn nearly_a_flag() {}

#[overrun::retry(backoff = "1s*2..30s")]
fn no_count() {}

#[overrun::retry(max = 3, on = "timeot")]
fn nearly_a_failure() {}

#[overrun::r#loop("many")]
fn no_number() {}

#[overrun::assume("2s")]
fn no_reason() {}

#[overrun::factory()]
fn no_parameter() {}

#[overrun::allow("unbounded-wait")]
fn no_reason_either() {}

#[overrun::allow(reason = "long poll")]
fn no_lint() {}

#[overrun::allow("unbounded-wait", reason = "a \"quoted\" one")]
fn quoted() {}

#[overrun::deadline("8s",, "9s")]
fn two_commas() {}

#[overrun::deadline(std::time::Duration::from_secs(8))]
fn an_expression() {}

#[overrun::deadline(b"8s")]
fn bytes() {}

fn main() {
    no_name();
    no_name_either();
}
