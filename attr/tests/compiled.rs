//! The attributes under the compiler: what passes, and what each mistake says at which place.
//!
//! `TRYBUILD=overwrite cargo test -p overrun-attr` rewrites the expected texts; read the
//! difference.

#[test]
fn items_stay_as_they_are_and_mistakes_stand_at_their_arguments() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/passes/*.rs");
    cases.compile_fail("tests/fails/*.rs");
}
