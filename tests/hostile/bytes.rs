//! Numbers, texts and names that are none, and files of unusual form and size.

use std::fs;

use crate::{lints, program, project, route, runs, scratch, worst};

fn worst_of(name: &str, body: &str) -> Option<f64> {
    let text = format!("export async function GET() {{\n{body}\nreturn new Response();\n}}\n");
    let value = runs(&project(
        &format!("bytes-{name}"),
        &[("app/api/x/route.ts", text)],
    ));
    worst(&value, "GET /api/x").as_f64()
}

#[test]
fn a_timer_waits_as_long_as_the_runtime_lets_it() {
    // Measured with Node 20.20.2: what does not fit into 31 bits, and what is no number, is 1 ms.
    for (name, delay, milliseconds) in [
        ("huge", "1e308", 1.0),
        ("infinite", "Infinity", 1.0),
        ("nan", "NaN", 1.0),
        ("negative", "-5", 1.0),
        ("zero", "0", 1.0),
        ("greatest", "2 ** 31 - 1", 2_147_483_647.0),
        ("too-great", "2 ** 31", 1.0),
    ] {
        let body = format!("await new Promise((r) => setTimeout(r, {delay}));");
        assert_eq!(
            worst_of(&format!("timer-{name}"), &body),
            Some(milliseconds),
            "{name}"
        );
    }
    // A signal's delay that is out of range throws at once.
    for (name, delay) in [
        ("huge", "1e308"),
        ("infinite", "Infinity"),
        ("nan", "NaN"),
        ("negative", "-5"),
    ] {
        let body = format!(
            "await fetch(\"https://a.example/x\", {{ signal: AbortSignal.timeout({delay}) }});"
        );
        assert_eq!(
            worst_of(&format!("signal-{name}"), &body),
            Some(0.0),
            "{name}"
        );
    }
}

#[test]
fn line_ends_and_marks_do_not_matter() {
    let text = route("", "");
    for (name, text) in [
        ("crlf", text.replace('\n', "\r\n")),
        ("cr", text.replace('\n', "\r")),
        ("mark", format!("\u{feff}{text}")),
        ("separators", text.replace('\n', "\u{2028}")),
    ] {
        let value = runs(&project(
            &format!("lines-{name}"),
            &[("app/api/x/route.ts", text)],
        ));
        assert_eq!(worst(&value, "GET /api/x"), 5000, "{name}");
    }
}

#[test]
fn a_file_that_nobody_wrote_by_hand_is_left_out_and_said() {
    let big: String = (0..450_000)
        .map(|i| format!("export const a{i}={i};"))
        .collect();
    let files = [
        ("lib/big.ts", big),
        (
            "app/api/x/route.ts",
            route("import { a5 } from \"../../../lib/big\";", "void a5;"),
        ),
    ];
    let value = runs(&project("big-file", &files));
    assert_eq!(worst(&value, "GET /api/x"), 5000);
    assert!(lints(&value).contains(&("unreadable-source".to_string(), "lib/big.ts".to_string())));
}

#[cfg(unix)]
#[test]
fn names_with_control_characters_reach_no_terminal() {
    let root = project("names", &[("app/api/x/route.ts", route("", ""))]);
    for name in ["\x1b[31mred", "two\nlines"] {
        let folder = root.join("app/api").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join("route.ts"),
            "export async function GET() { await fetch(\"https://a.example\") }",
        )
        .unwrap();
    }
    for format in ["human", "plain", "json"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_overrun"))
            .args(["check", "--color", "never", "--format", format])
            .arg(&root)
            .output()
            .unwrap();
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{format}: {output:?}"
        );
        assert!(
            !output.stdout.contains(&0x1b),
            "{format}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_round_in_circles_are_not_followed() {
    let root = project("links", &[("app/api/x/route.ts", route("", ""))]);
    let _ = std::os::unix::fs::symlink(&root, root.join("app/again"));
    let _ = std::os::unix::fs::symlink("self.ts", root.join("self.ts"));
    let output = program(&root);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
}

/// A device as a lockfile has no end: it is said that it is none.
#[cfg(unix)]
#[test]
fn a_device_is_no_lockfile() {
    let root = scratch("device");
    let folder = root.join("app/api/x");
    fs::create_dir_all(&folder).unwrap();
    fs::write(root.join("package.json"), "{\"name\":\"x\"}").unwrap();
    fs::write(
        folder.join("route.ts"),
        "export async function GET() { await fetch(\"https://x.example/\"); }\n",
    )
    .unwrap();
    for name in ["package-lock.json", "vercel.json"] {
        std::os::unix::fs::symlink("/dev/zero", root.join(name)).unwrap();
    }
    // Read to its end it would take all memory there is.
    let output = program(&root);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    for name in ["package-lock.json", "vercel.json"] {
        assert!(said.contains(name), "{name} is not in {said}");
    }
    assert!(said.contains("not a regular file"), "{said}");
}

/// An ignore file that has no end is not read; the files below its folder are.
#[cfg(unix)]
#[test]
fn a_device_is_no_ignore_file() {
    let routes = [
        ("app/api/x/route.ts", route("", "")),
        ("app/api/y/route.ts", route("", "")),
    ];
    for folder in ["", "app"] {
        let root = project("ignore-device", &routes);
        std::os::unix::fs::symlink("/dev/zero", root.join(folder).join(".gitignore")).unwrap();
        let value = runs(&root);
        assert_eq!(value["routes"].as_array().unwrap().len(), 2, "{value}");
        assert!(
            value.to_string().contains(".gitignore"),
            "it is not said that it is not read: {value}"
        );
    }
}
