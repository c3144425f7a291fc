//! Annotations that stand on nothing that they could speak of.

#[overrun::deadline("8s")]
struct Record;

#[overrun::route("GET /x")]
impl Record {}

#[overrun::route("GET /x")]
static LIMIT: u32 = 1;

#[overrun::attempt("5s")]
fn whole_function() {}

trait Store {
    #[overrun::deadline("8s")]
    fn load(&self);
}

#[overrun::deadline("8s")]
fn inside() {
    #[overrun::attempt("5")]
    whole_function();
    #[overrun::loop(many)]
    for _ in 0..LIMIT {}
    #[overrun::deadline("8s")]
    struct Inner;
    #[overrun::attempt("5s")]
    fn nested() {}
}

fn main() {
    inside();
}
