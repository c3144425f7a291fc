//! Paths of routes: of files, of mounted routers, and which ones a pattern covers.

/// One path below another; a lone `/` adds nothing.
pub(super) fn joined(above: &str, below: &str) -> String {
    let above = above.trim_end_matches('/');
    let below = below.trim_start_matches('/');
    let path = match (above.is_empty(), below.is_empty()) {
        (true, true) => "/".to_string(),
        (true, false) => format!("/{below}"),
        (false, true) => above.to_string(),
        (false, false) => format!("{above}/{below}"),
    };
    if path.starts_with('/') {
        path
    } else {
        format!("/{path}")
    }
}

/// One dotted name below another.
pub(super) fn dotted(above: &str, below: &str) -> String {
    match (above.is_empty(), below.is_empty()) {
        (true, _) => below.to_string(),
        (_, true) => above.to_string(),
        _ => format!("{above}.{below}"),
    }
}

/// The path of a file below the last folder called as one of `roots`: groups `(x)` and slots
/// `@x` say nothing, and a stem among `index` is the folder itself. `None`: the file stands
/// in no such folder, or in one that is private (`_x`) where files are routes by their name
/// alone.
pub(super) fn of_file(
    file: &str,
    roots: &[String],
    index: &[String],
    prefix: &str,
) -> Option<String> {
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
    let folders: Vec<&str> = folders.split('/').filter(|part| !part.is_empty()).collect();
    let from = match roots.is_empty() {
        true => 0,
        false => {
            folders
                .iter()
                .rposition(|folder| roots.iter().any(|root| root == folder))?
                + 1
        }
    };
    let stem = name.split('.').next().unwrap_or(name);
    let mut parts: Vec<&str> = folders[from..]
        .iter()
        .copied()
        .filter(|part| !is_silent(part))
        .collect();
    if !index.iter().any(|index| index == stem) {
        parts.push(stem);
    }
    Some(joined(prefix, &parts.join("/")))
}

/// Whether a folder is no part of the path.
fn is_silent(folder: &str) -> bool {
    (folder.starts_with('(') && folder.ends_with(')')) || folder.starts_with('@')
}

/// `{id}` as `:id`.
pub(super) fn braces_to_colons(path: &str) -> String {
    let part = |part: &str| match part
        .strip_prefix('{')
        .and_then(|part| part.strip_suffix('}'))
    {
        Some(name) => format!(":{name}"),
        None => part.to_string(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Whether what is registered for `pattern` may run for `path`; `below`: also for all paths
/// below it.
pub(super) fn covers(pattern: &str, path: &str, below: bool) -> bool {
    fn parts(path: &str) -> Vec<&str> {
        path.split('/').filter(|part| !part.is_empty()).collect()
    }
    let (pattern, path) = (parts(pattern), parts(path));
    for (index, part) in pattern.iter().enumerate() {
        if matches!(*part, "*" | "**" | "(.*)" | "*splat" | "{*splat}")
            && index + 1 == pattern.len()
        {
            return true;
        }
        match path.get(index) {
            None => return false,
            Some(other) if is_parameter(other) && !is_literal(other) => {
                if other.starts_with('*') || other.starts_with("[...") || other.starts_with("[[...")
                {
                    return true;
                }
            }
            Some(_) if is_parameter(part) => {}
            Some(other) if part == other => {}
            Some(_) => return false,
        }
    }
    below || pattern.len() == path.len()
}

fn is_literal(part: &str) -> bool {
    !is_parameter(part)
}

fn is_parameter(part: &str) -> bool {
    part.starts_with([':', '*', '[', '{', '<'])
}

/// Whether a matcher of a middleware may match a path: `/x/:path*`, `/((?!a|b).*)`. What is
/// not understood may.
pub(super) fn matcher_covers(matcher: &str, path: &str) -> bool {
    if let Some(rest) = matcher.strip_prefix("/((?!")
        && let Some((excluded, _)) = rest.split_once(')')
    {
        let path = path.trim_start_matches('/');
        return !excluded.split('|').any(|prefix| {
            let prefix = prefix.trim_end_matches('$').replace("\\.", ".");
            !prefix.is_empty()
                && !prefix.contains(['*', '[', '+'])
                && path.starts_with(prefix.trim_start_matches('/'))
        });
    }
    if matcher.contains(['(', '\\', '|']) {
        return true;
    }
    if let Some((head, last)) = matcher.rsplit_once('/')
        && last.starts_with(':')
    {
        if last.ends_with('*') {
            return covers(head, path, true);
        }
        if last.ends_with('+') {
            return covers(head, path, true) && !covers(head, path, false);
        }
        if last.ends_with('?') {
            return covers(head, path, false) || covers(matcher.trim_end_matches('?'), path, false);
        }
    }
    covers(matcher, path, false)
}

/// Whether a route by this name is taken for one that says whether the instance lives.
pub(super) fn is_health(path: &str) -> bool {
    const NAMES: [&str; 7] = [
        "health",
        "healthz",
        "ready",
        "readyz",
        "livez",
        "heartbeat",
        "ping",
    ];
    path.rsplit('/')
        .next()
        .is_some_and(|last| NAMES.contains(&last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_slash_adds_nothing() {
        assert_eq!(joined("/api", "/"), "/api");
        assert_eq!(joined("", "/"), "/");
        assert_eq!(joined("api/", "x"), "/api/x");
        assert_eq!(dotted("a", "b.c"), "a.b.c");
    }

    #[test]
    fn groups_and_slots_are_no_part_of_a_path() {
        let path = |file| of_file(file, &["app".into()], &["route".into()], "");
        assert_eq!(
            path("src/app/(shop)/@modal/order/[id]/route.ts").as_deref(),
            Some("/order/[id]")
        );
        assert_eq!(path("app/route.ts").as_deref(), Some("/"));
        assert_eq!(path("app/app/x/route.ts").as_deref(), Some("/x"));
        assert_eq!(path("lib/route.ts"), None);
        assert_eq!(
            of_file("pages/api/x.ts", &["pages".into()], &["index".into()], "").as_deref(),
            Some("/api/x")
        );
    }

    #[test]
    fn middleware_holds_for_what_it_covers() {
        assert!(covers("/api/*", "/api/x/y", false));
        assert!(covers("*", "/", false));
        assert!(!covers("/api", "/api/x", false));
        assert!(covers("/api", "/api/x", true));
        assert!(covers("/a/:id", "/a/7", false));
        assert!(!covers("/admin", "/api/x", true));
        assert!(covers("/a/b", "/a/[id]", false));
    }

    #[test]
    fn matchers() {
        assert!(matcher_covers("/api/:path*", "/api"));
        assert!(matcher_covers("/api/:path*", "/api/a/b"));
        assert!(!matcher_covers("/api/:path+", "/api"));
        assert!(!matcher_covers("/((?!api|_next/static).*)", "/api/x"));
        assert!(matcher_covers("/((?!api|_next/static).*)", "/shop"));
        assert!(!matcher_covers("/shop", "/api"));
    }
}
