//! What a whole run costs beside the bare parse of the same files by the same parser: trees of
//! 2,000 generated routes that import the clients and wrappers of `examples/order-service`.
//! Prints ratios of one run on one machine; asserts nothing.
//!
//! The first tree is routes alone, 1 KB each. Services have more code than that beside each
//! route: 6, 25 and 39 KB in three public ones that were measured. In the second tree each
//! route imports modules of its own, 20 KB together, and calls into them.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use overrun::driver::{self, Request};
use overrun::lang;
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

/// As in the binaries.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUTES: usize = 2_000;
/// The least of so many runs counts: what else the machine does only adds.
const RUNS: usize = 3;
/// Blocks of code beside each route, about 500 bytes each.
const BESIDE: usize = 40;
/// Modules that they are spread over.
const MODULES: usize = 4;

fn main() {
    measure("routes alone", 0);
    measure("routes with the code beside them", BESIDE);
    if let Some(peak) = peak() {
        println!("peak memory         {peak:>7} MB");
    }
}

/// One tree, with so many blocks of other code beside each route.
fn measure(what: &str, beside: usize) {
    let root = tree(beside);
    let sources = sources(&root);
    let bytes: usize = sources.iter().map(|(_, text)| text.len()).sum();
    println!(
        "{what}: {} files, {:.1} MB",
        sources.len(),
        bytes as f64 / 1e6
    );
    let parse = least(|| parse(&sources));
    let lower = least(|| lower(&sources));
    let mut routes = 0;
    let whole = least(|| routes = analyse(&root));
    println!("bare parse          {parse:>10.1?}   on one thread, files in memory");
    println!(
        "parse and lower     {lower:>10.1?}   {:.2} times the bare parse, on one thread",
        ratio(lower, parse)
    );
    println!(
        "analysis and lints  {whole:>10.1?}   {:.2} times the bare parse, {routes} routes, files from disk",
        ratio(whole, parse)
    );
}

fn least(mut run: impl FnMut()) -> Duration {
    let times = (0..RUNS).map(|_| {
        let begin = Instant::now();
        run();
        begin.elapsed()
    });
    times.min().unwrap_or_default()
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

/// The example's files, and its routes many times over with names of their own.
fn tree(beside: usize) -> PathBuf {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/order-service");
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tree");
    let _ = fs::remove_dir_all(&root);
    copy(&example, &root);
    fs::create_dir_all(root.join(".git")).expect("a folder");
    let kinds = ["auth/me", "my/orders", "order/lookup", "order-counts"];
    for index in 0..ROUTES {
        let text = fs::read_to_string(
            example
                .join("app/api")
                .join(kinds[index % 4])
                .join("route.ts"),
        );
        let folder = root.join(format!("app/api/group{}/route{index}", index % 50));
        fs::create_dir_all(&folder).expect("a folder");
        let text = text.expect("a route of the example");
        let (imports, calls) = code_beside(&folder, beside);
        let text = text.replacen("Request) {\n", &format!("Request) {{\n{calls}"), 1);
        let text = format!("// Route {index}.\n{imports}{text}");
        fs::write(folder.join("route.ts"), text).expect("a file");
    }
    root
}

/// Writes the modules beside a route; how it imports and calls them.
fn code_beside(folder: &Path, blocks: usize) -> (String, String) {
    let (mut imports, mut calls) = (String::new(), String::new());
    for module in 0..if blocks == 0 { 0 } else { MODULES } {
        let text: String = (0..blocks / MODULES).map(block).collect();
        fs::write(folder.join(format!("part{module}.ts")), text).expect("a file");
        imports.push_str(&format!(
            "import {{ summary0 as summary{module} }} from \"./part{module}\";\n"
        ));
        calls.push_str(&format!("  summary{module}([]);\n"));
    }
    (imports, calls)
}

/// Types, a table of columns and functions over rows, as services have them.
fn block(index: usize) -> String {
    format!(
        r#"
export type Row{index} = {{ id: string; label: string | null; cents: number; tags: string[] }};

const columns{index} = [
  {{ key: "id", title: "Number", width: 120, hidden: false }},
  {{ key: "cents", title: "Amount", width: 80, hidden: {index} > 3 }},
];

function index{index}() {{
  return columns{index}.length % 7;
}}

export function summary{index}(rows: Row{index}[]) {{
  const shown = rows.filter((row) => row.label !== null && row.tags.length > 0);
  let cents = 0;
  for (const row of shown) {{
    cents += row.cents;
  }}
  return {{ title: `${{shown.length}} of ${{rows.length}}`, cents, columns: columns{index} }};
}}
"#
    )
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}

fn sources(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "ts" || extension == "tsx")
            {
                let text = fs::read_to_string(&path).expect("a text");
                found.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    found
}

fn parse(sources: &[(String, String)]) {
    for (path, text) in sources {
        let allocator = Allocator::default();
        let kind = SourceType::from_path(path).unwrap_or_default();
        black_box(Parser::new(&allocator, text, kind).parse());
    }
}

fn lower(sources: &[(String, String)]) {
    for (path, text) in sources {
        black_box(lang::lower(path, text.as_bytes()));
    }
}

fn analyse(root: &Path) -> usize {
    let request = Request {
        path: root.to_path_buf(),
        ..Request::default()
    };
    let loaded = driver::load(&request).expect("a project");
    let analysed = driver::analyse(&loaded).expect("an analysis");
    black_box(&analysed.findings);
    analysed.figures.len()
}

/// The most memory that this process has held, in megabytes, where the system says so.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}
