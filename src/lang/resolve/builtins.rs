//! Modules that the runtime brings.

/// Modules of Node 24 that are importable without `node:` (`module.builtinModules`, those that
/// begin with an underscore left out).
const NODE: [&str; 41] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
];

/// The name of a runtime module, without `node:`; modules of other runtimes keep their scheme.
pub(super) fn builtin(specifier: &str) -> Option<String> {
    if let Some(name) = specifier.strip_prefix("node:") {
        return Some(name.to_string());
    }
    if specifier.starts_with("bun:") || specifier.starts_with("cloudflare:") {
        return Some(specifier.to_string());
    }
    let first = specifier.split('/').next().unwrap_or_default();
    let known = NODE.binary_search(&first).is_ok() || specifier == "zlib";
    let whole = first == specifier || SUBMODULES.contains(&specifier);
    (known && whole).then(|| specifier.to_string())
}

/// Modules below others.
const SUBMODULES: [&str; 12] = [
    "assert/strict",
    "dns/promises",
    "fs/promises",
    "inspector/promises",
    "path/posix",
    "path/win32",
    "readline/promises",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "timers/promises",
    "util/types",
];
