//! The version ranges of package manifests.

use semver::{Version, VersionReq};

/// A range: `^1.2.0`, `>=18`, `20.x || 22.x`, `1.2.3 - 2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange {
    /// As written.
    pub text: String,
    alternatives: Vec<VersionReq>,
}

impl VersionRange {
    /// Reads a range. `None` for what is none: a tag, an address, `workspace:` and the like.
    pub fn parse(text: &str) -> Option<VersionRange> {
        let alternatives: Option<Vec<VersionReq>> = text.split("||").map(alternative).collect();
        Some(VersionRange {
            text: text.to_string(),
            alternatives: alternatives?,
        })
    }

    /// Whether a version lies in it.
    pub fn matches(&self, version: &Version) -> bool {
        self.alternatives
            .iter()
            .any(|alternative| alternative.matches(version))
    }
}

impl std::fmt::Display for VersionRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// One side of `||`, as a list of comparisons that all hold.
fn alternative(text: &str) -> Option<VersionReq> {
    let text = text.trim();
    if matches!(text, "" | "*" | "x" | "X" | "latest") {
        return Some(VersionReq::STAR);
    }
    if let Some((from, to)) = text.split_once(" - ") {
        let comparisons = format!(">={}, <={}", plain(from)?, plain(to)?);
        return VersionReq::parse(&comparisons).ok();
    }
    let mut comparisons: Vec<String> = Vec::new();
    let mut operator = String::new();
    for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        let split = word
            .find(|c: char| c.is_ascii_alphanumeric() || c == '*')
            .unwrap_or(word.len());
        operator.push_str(&word[..split]);
        if split < word.len() {
            comparisons.push(comparison(&operator, &word[split..])?);
            operator.clear();
        }
    }
    if !operator.is_empty() {
        return None;
    }
    comparisons.retain(|comparison| !comparison.is_empty());
    match comparisons.is_empty() {
        true => Some(VersionReq::STAR),
        false => VersionReq::parse(&comparisons.join(", ")).ok(),
    }
}

fn comparison(operator: &str, version: &str) -> Option<String> {
    let version = plain(version)?;
    if version == "*" {
        return Some(String::new());
    }
    match operator {
        "" | "=" | "==" | "v" => Some(format!("={version}")),
        "^" | "~" | ">" | "<" | ">=" | "<=" => Some(format!("{operator}{version}")),
        "~>" => Some(format!("~{version}")),
        _ => None,
    }
}

/// A version without `v`, without build, and without the parts that are `x`.
fn plain(version: &str) -> Option<String> {
    let version = version.trim().trim_start_matches(['v', 'V']);
    let version = version.split('+').next().unwrap_or(version);
    let wild = |part: &&str| !matches!(*part, "x" | "X" | "*");
    let parts: Vec<&str> = version.split('.').take_while(wild).collect();
    match parts.first() {
        None => Some("*".to_string()),
        Some(first) if first.starts_with(|c: char| c.is_ascii_digit()) => Some(parts.join(".")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_manifests() {
        let cases = [
            ("^1.2.0", "1.9.0", true),
            ("^1.2.0", "2.0.0", false),
            ("^0.2.1", "0.3.0", false),
            ("1.2.3", "1.2.4", false),
            ("1.2", "1.2.4", true),
            ("1.x", "1.9.9", true),
            ("20.x || 22.x", "22.1.0", true),
            ("20.x || 22.x", "21.1.0", false),
            (">=18", "20.0.0", true),
            (">= 18.17.0 <21", "21.0.0", false),
            (">=18.17.0 <21", "20.5.0", true),
            ("1.2.3 - 2", "2.9.0", true),
            ("1.2.3 - 2.1", "2.2.0", false),
            ("~1.2.3", "1.2.9", true),
            ("~1.2.3", "1.3.0", false),
            ("*", "9.9.9", true),
            ("", "9.9.9", true),
            ("v2.0.0", "2.0.0", true),
            (">1.2", "1.2.9", false),
            ("^2.0.0-rc.1", "2.0.0-rc.2", true),
        ];
        for (range, version, expected) in cases {
            let version = Version::parse(version).unwrap_or_else(|e| panic!("{e}"));
            let matched = VersionRange::parse(range).map(|range| range.matches(&version));
            assert_eq!(matched, Some(expected), "{range} {version}");
        }
    }

    #[test]
    fn what_is_no_range_is_none() {
        for text in [
            "workspace:*",
            "next",
            "file:../x",
            "git+https://x/y",
            "npm:a@1",
            "^",
            ">=",
            "1.2.3.4",
        ] {
            assert_eq!(VersionRange::parse(text), None, "{text}");
        }
    }
}
