//! Stack files that are wrong: nothing on standard output, the place on standard error.

use std::fs;

use crate::{program, project, route, scratch};

fn refused(name: &str, files: &[(&str, &[u8])], says: &[&str]) {
    let root = scratch(name);
    for (path, bytes) in files {
        fs::write(root.join(path), bytes).unwrap();
    }
    let output = program(&root);
    assert_eq!(output.status.code(), Some(2), "{name}: {output:?}");
    assert!(output.stdout.is_empty(), "{name}: {output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    for text in says {
        assert!(error.contains(text), "{name}: {text} is not in {error}");
    }
}

#[test]
fn each_kind_is_an_error_with_its_place() {
    let cases: &[(&str, &[u8], &[&str])] = &[
        (
            "unknown-key",
            b"version = 1\n[layers.lb]\nkind = \"gateway\"\nlimitt = \"60s\"\n",
            &["limitt", "limit", "overrun.toml:4"],
        ),
        (
            "bare-number",
            b"version = 1\n[layers.lb]\nkind = \"gateway\"\nlimit = 60\n",
            &["60", "overrun.toml:4"],
        ),
        (
            "zero",
            b"version = 1\n[layers.lb]\nkind = \"gateway\"\nlimit = \"0s\"\n",
            &["overrun.toml:4"],
        ),
        (
            "huge-duration",
            b"version = 1\n[layers.lb]\nkind = \"gateway\"\nlimit = \"99999999999999999999d\"\n",
            &["overrun.toml:4"],
        ),
        (
            "no-version",
            b"[layers.lb]\nkind = \"gateway\"\nlimit = \"60s\"\n",
            &["version"],
        ),
        ("not-toml", b"version = = 1\n", &["overrun.toml:1"]),
        (
            "not-utf8",
            b"version = 1\n# \xff\xfe\n",
            &["overrun.toml", "UTF-8"],
        ),
    ];
    for (name, text, says) in cases {
        refused(&format!("stack-{name}"), &[("overrun.toml", text)], says);
    }
}

#[test]
fn stack_files_that_extend_each_other_are_an_error() {
    refused(
        "stack-cycle",
        &[
            ("overrun.toml", b"version = 1\nextends = \"a.toml\"\n"),
            ("a.toml", b"version = 1\nextends = \"b.toml\"\n"),
            ("b.toml", b"version = 1\nextends = \"overrun.toml\"\n"),
        ],
        &["extends", "overrun.toml"],
    );
    refused(
        "stack-itself",
        &[("overrun.toml", b"version = 1\nextends = \"overrun.toml\"\n")],
        &["extends"],
    );
}

#[test]
fn a_place_far_to_the_right_is_told_in_words() {
    let text = format!("version = 1\nx = [{}\"b\" \"c\"]\n", "1,".repeat(40_000));
    refused(
        "stack-long-line",
        &[("overrun.toml", text.as_bytes())],
        &["overrun.toml:2:80010"],
    );
}

/// What is called like a stack file and is none was taken for no stack file at all.
#[cfg(unix)]
#[test]
fn a_stack_file_that_is_no_file_is_an_error() {
    let folder = project("stack-folder", &[("app/api/x/route.ts", route("", ""))]);
    fs::create_dir_all(folder.join("overrun.toml")).unwrap();
    let device = project("stack-device", &[("app/api/x/route.ts", route("", ""))]);
    std::os::unix::fs::symlink("/dev/zero", device.join("overrun.toml")).unwrap();
    let lost = project("stack-lost", &[("app/api/x/route.ts", route("", ""))]);
    std::os::unix::fs::symlink("nowhere", lost.join("overrun.toml")).unwrap();
    for root in [&folder, &device, &lost] {
        let output = program(root);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("overrun.toml"), "{said}");
    }
    // From a folder below likewise: the nearest one is meant.
    let output = program(&folder.join("app"));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
