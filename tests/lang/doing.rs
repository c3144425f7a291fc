//! What a function's text says it does: whatever is not plainly harmless may wait.

use overrun::lang::lower;
use overrun::program::{Callee, Does, Doing, FunctionId, Need};

/// What the function `f` of a file does.
fn doing(text: &str) -> Doing {
    let module = lower("file.ts", text.as_bytes());
    let index = module
        .functions
        .iter()
        .position(|function| function.name.as_deref() == Some("f"))
        .expect("a function `f`");
    let id = FunctionId(u32::try_from(index).expect("a small file"));
    Doing::of(&module, id, &|name| matches!(name, "push" | "set"))
}

fn call(root: &str, members: &[&str], given_data: bool, as_data: bool) -> Need {
    Need::Call(Callee {
        root: root.into(),
        members: members.iter().map(|name| (*name).into()).collect(),
        given_data,
        as_data,
    })
}

#[test]
fn a_formatter_and_a_logger_do_nothing() {
    let found = doing(
        "const f = (message: string, fields = {}) => {
            const parts: string[] = []
            const add = (text: string) => { parts.push(text.trim()) }
            for (const [key, value] of Object.entries(fields)) add(`${key}=${value}`)
            try { parts.push(JSON.stringify(fields)) } catch (error) { throw_away(error) }
            console.log(message, parts.join(' '))
         }",
    );
    assert_eq!(found.does, Does::Nothing);
    assert!(
        found
            .needs
            .contains(&call("console", &["log"], true, false))
    );
    assert!(found.needs.contains(&call("throw_away", &[], true, false)));
    // What is called for its value: the method `trim` of an entry must be one of data.
    assert!(
        found
            .needs
            .contains(&call("JSON", &["stringify"], true, true))
    );
}

#[test]
fn what_may_wait_is_never_taken_for_less() {
    for text in [
        "async function f() {}",
        "function* f() { yield 1 }",
        "const f = (next) => { next() }",
        "const f = () => { const run = make(); run() }",
        "const f = function () { this.send() }",
        "const f = () => import('./other')",
        "const f = () => { class Own { constructor() { fetch('/') } } new Own() }",
        "const f = (n) => { if (n) { const send = () => {} } send() }",
        "const f = (sql) => sql`select 1`",
        "const f = () => { let go = () => {}; go = other; go() }",
        "const f = () => { const go = (client) => { client.query() }; go(this.client) }",
    ] {
        assert_eq!(doing(text).does, Does::MayWait, "{text}");
    }
}

#[test]
fn what_its_caller_can_see_is_a_change() {
    for text in [
        "let count = 0; const f = () => { count++ }",
        "const f = (options) => { options.timeout = 5 }",
        "const f = (list) => { list.push(1) }",
        "const f = (map) => { const inner = { map }; inner.map.x = 1 }",
        "const f = (x) => { delete x.field }",
        "const f = (x) => { if (!x) throw new Error('none') }",
        "const f = (x) => { try { x.a } catch (error) { throw error } }",
        "const f = (x) => { try { x.a } finally { throw new Error('always') } }",
    ] {
        assert_eq!(doing(text).does, Does::Changes, "{text}");
    }
}

#[test]
fn what_comes_from_outside_is_a_need() {
    let found = doing("const f = () => { limits.max.toFixed() ; ['a'].concat(names) }");
    assert_eq!(found.does, Does::Nothing);
    assert!(found.needs.contains(&Need::Data("names".into(), vec![])));
    // A client that is handed to a function may be called by it.
    let found = doing("const f = () => { use(client) }");
    assert!(found.needs.contains(&Need::Data("client".into(), vec![])));
    assert!(found.needs.contains(&call("use", &[], true, false)));
    // What a call gives is only known by what is called.
    let found = doing("const f = () => { open().write(1) }");
    assert!(found.needs.contains(&call("open", &[], true, true)));
    // A parameter is data, by what is asked; a function that is written in place is part of whoever
    // writes it.
    let found = doing("const f = (items, each) => { items.forEach(each) }");
    assert_eq!(found.does, Does::Nothing);
    let found = doing("const f = (items) => { use(() => { send() }) }");
    assert!(found.needs.contains(&call("use", &[], true, false)));
    assert!(found.needs.contains(&call("send", &[], true, false)));
    // It gives data, or something that may be called.
    assert!(doing("const f = (x) => x.a").gives_data);
    assert!(!doing("const f = (x) => () => x").gives_data);
}
