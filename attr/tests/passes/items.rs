//! Each word on what it can speak of; the items are what they were.

struct Db;

#[overrun::route("GET /users", within = "browser, edge")]
#[overrun::deadline("8s", abandons)]
#[doc = "an attribute of another"]
pub async fn users(db: Db) -> u32 {
    #[overrun::call("billing.read", method = "GET", times = 3)]
    let plans = plans(&db).await;
    #[overrun::r#loop(50)]
    for _ in 0..plans {
        #[overrun::attempt("5s")]
        self::plans(&db).await;
    }
    plans
}

#[overrun::assume("2s", reason = "a \u{6c}ocal cache")]
async fn plans(_: &Db) -> u32 {
    2
}

#[overrun::retry("max=3 backoff=1s*2..30s", on = "timeout, network, 503, 500-599")]
unsafe extern "C" fn foreign() {}

#[overrun::r#loop(50)]
const fn recursive(n: u32) -> u32 {
    if n == 0 { 0 } else { recursive(n - 1) }
}

#[overrun::allow("unbounded-wait", hidden_retry, reason = "long poll")]
static LIMIT: u32 = recursive(3);

impl Db {
    #[overrun::factory(kind)]
    fn client(kind: u32) -> u32 {
        kind
    }
}

trait Store {
    #[overrun::deadline("1m30s")]
    fn load(&self) -> u32 {
        1
    }
}

impl Store for Db {}

macro_rules! route {
    ($name:literal, $function:ident) => {
        #[overrun::route($name)]
        pub fn $function() -> &'static str {
            $name
        }
    };
}

route!("POST /made", made);

fn main() {
    assert_eq!(Db::client(LIMIT), 0);
    assert_eq!(Db.load(), 1);
    assert_eq!(made(), "POST /made");
    let _ = (users, plans, foreign as unsafe extern "C" fn());
}
