//! Names of routes, and the patterns that match them.
//!
//! A name is a word and a path (`GET /api/x/[id]`) or a word and another name (`TASK mail.send`).
//! In a pattern `*` is one segment and `**` any number; a parameter in any spelling equals any other.

use super::retry::METHODS;
use super::scalar::TextError;

/// The words before a name that are no methods of HTTP.
const OTHER_WORDS: [&str; 11] = [
    "ANY",
    "PAGE",
    "ACTION",
    "MIDDLEWARE",
    "WS",
    "TASK",
    "TRPC",
    "GRAPHQL",
    "RPC",
    "GRPC",
    "SUBSCRIBE",
];

/// A part of a path between two slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// As written; parameters inside are written `{}`. In a pattern it may hold `*`.
    Literal(String),
    /// One segment with a name.
    Parameter,
    /// A parameter for the rest of the path.
    CatchAll,
    /// `*` of a pattern.
    AnyOne,
    /// `**` of a pattern.
    AnyMany,
}

/// A pattern for names of routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutePattern {
    /// As written.
    pub text: String,
    /// The word; `None`: any.
    word: Option<String>,
    segments: Vec<Segment>,
}

impl RoutePattern {
    /// Reads `METHOD PATH` or the name of a route.
    ///
    /// # Errors
    ///
    /// A text of one word, and a word that is neither a method nor begins the name of a route.
    pub fn parse(text: &str) -> Result<RoutePattern, TextError> {
        let Some((word, rest)) = text.trim().split_once(char::is_whitespace) else {
            let help = if text.starts_with('/') {
                format!("write `* {text}`")
            } else {
                "write `GET /path`".into()
            };
            return Err(TextError::new("a method and a path are needed", 0..text.len()).help(help));
        };
        let known = METHODS.into_iter().chain(OTHER_WORDS);
        let upper = word.to_ascii_uppercase();
        let any = word == "*" || upper == "ANY";
        if !any && !known.clone().any(|known| known == upper) {
            let start = text.find(word).unwrap_or(0);
            let error = TextError::new(
                format!("`{word}` is not a method"),
                start..start + word.len(),
            );
            return Err(error.meant(&upper, known));
        }
        let rest = rest.trim();
        if METHODS.contains(&upper.as_str()) && !rest.starts_with('/') && !rest.starts_with('*') {
            let start = text.rfind(rest).unwrap_or(0);
            let error = TextError::new("a path begins with `/`", start..start + rest.len());
            return Err(error.help(format!("write `{word} /{rest}`")));
        }
        let segments = segments(rest, true);
        Ok(RoutePattern {
            text: text.to_string(),
            word: (!any).then_some(upper),
            segments,
        })
    }

    /// Whether a route has this name.
    pub fn matches(&self, name: &str) -> bool {
        let (word, rest) = name
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((name, ""));
        let word_matches = self
            .word
            .as_ref()
            .is_none_or(|mine| mine.eq_ignore_ascii_case(word));
        let theirs = segments(rest.trim(), false);
        word_matches
            && wildcard_match(
                &self.segments,
                &theirs,
                |s| *s == Segment::AnyMany,
                Segment::matches,
            )
    }

    /// The route that the pattern names when it declares one: `ANY` where it takes every method.
    pub fn name(&self) -> String {
        let rest = self
            .text
            .trim()
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest);
        format!("{} {}", self.word.as_deref().unwrap_or("ANY"), rest.trim())
    }

    /// Whether the pattern names one route, without a wildcard: with calls it can declare it.
    pub fn is_name(&self) -> bool {
        let literal = |s: &Segment| match s {
            Segment::Literal(text) => !text.contains('*'),
            Segment::Parameter | Segment::CatchAll => true,
            Segment::AnyOne | Segment::AnyMany => false,
        };
        self.segments.iter().all(literal)
    }
}

impl Segment {
    /// Whether a segment of a pattern matches one of a name.
    fn matches(&self, other: &Segment) -> bool {
        match (self, other) {
            (Segment::AnyOne | Segment::AnyMany, _) => true,
            (Segment::Literal(mine), Segment::Literal(theirs)) => {
                let mine: Vec<char> = mine.chars().collect();
                let theirs: Vec<char> = theirs.chars().collect();
                wildcard_match(&mine, &theirs, |c| *c == '*', |a, b| a == b)
            }
            (mine, theirs) => mine == theirs,
        }
    }
}

/// Cuts a path at its slashes, and any other name at its dots, slashes and hashes.
fn segments(text: &str, pattern: bool) -> Vec<Segment> {
    let separators: &[char] = if text.starts_with('/') {
        &['/']
    } else {
        &['/', '.', '#']
    };
    let parts = text.split(separators).filter(|part| !part.is_empty());
    parts.map(|part| segment(part, pattern)).collect()
}

fn segment(text: &str, pattern: bool) -> Segment {
    match text {
        "**" if pattern => return Segment::AnyMany,
        "*" if pattern => return Segment::AnyOne,
        "*" | "**" => return Segment::CatchAll,
        _ => {}
    }
    let inside =
        |open: char, close: char| text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
    if let Some(name) = text.strip_prefix(':') {
        let whole = name.ends_with(['*', '+']);
        return if whole {
            Segment::CatchAll
        } else {
            Segment::Parameter
        };
    }
    if let Some(name) = text.strip_prefix('*').filter(|name| is_identifier(name)) {
        return if pattern && name.is_empty() {
            Segment::AnyOne
        } else {
            Segment::CatchAll
        };
    }
    if let Some(name) = inside('[', ']').filter(|name| !name.contains("][")) {
        let rest = name.trim_start_matches('[').starts_with("...");
        return if rest {
            Segment::CatchAll
        } else {
            Segment::Parameter
        };
    }
    if let Some(name) = inside('{', '}').filter(|name| !name.contains("}{")) {
        let rest = name.starts_with('*') || name.ends_with(":path") || name.ends_with(":.*");
        return if rest {
            Segment::CatchAll
        } else {
            Segment::Parameter
        };
    }
    if let Some(name) = inside('<', '>') {
        let rest = name.starts_with("path:") || name.ends_with("..");
        return if rest {
            Segment::CatchAll
        } else {
            Segment::Parameter
        };
    }
    Segment::Literal(blank_parameters(text))
}

fn is_identifier(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Writes the parameters inside a segment (`{id}.json`) alike, whatever their names.
fn blank_parameters(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut close = None;
    for c in text.chars() {
        match (close, c) {
            (Some(end), c) if c == end => {
                result.push_str("{}");
                close = None;
            }
            (Some(_), _) => {}
            (None, '{') => close = Some('}'),
            (None, '[') => close = Some(']'),
            (None, '<') => close = Some('>'),
            (None, c) => result.push(c),
        }
    }
    result
}

/// Matches with wildcards for any number of items, in time of one length times the other.
fn wildcard_match<T>(
    pattern: &[T],
    items: &[T],
    is_many: impl Fn(&T) -> bool,
    one: impl Fn(&T, &T) -> bool,
) -> bool {
    let (mut p, mut i) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while i < items.len() {
        match pattern.get(p) {
            Some(many) if is_many(many) => {
                back = Some((p, i));
                p += 1;
            }
            Some(mine) if one(mine, &items[i]) => {
                p += 1;
                i += 1;
            }
            _ => match back {
                // The last wildcard takes one item more.
                Some((many, from)) => {
                    back = Some((many, from + 1));
                    p = many + 1;
                    i = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(is_many)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        RoutePattern::parse(pattern)
            .unwrap_or_else(|e| panic!("{pattern}: {e}"))
            .matches(name)
    }

    #[test]
    fn parameters_are_equal_in_every_spelling() {
        let spellings = [
            ":id",
            "{id}",
            "[id]",
            "<id>",
            "<int:n>",
            "{n:[0-9]+}",
            ":id?",
        ];
        for a in spellings {
            for b in spellings {
                assert!(
                    matches(&format!("GET /x/{a}/y"), &format!("GET /x/{b}/y")),
                    "{a} {b}"
                );
            }
        }
        let catch_all = [
            "[...a]", "[[...b]]", "{*rest}", "*rest", ":rest*", "<path:p>", "<p..>", "{p:path}",
        ];
        for a in catch_all {
            for b in catch_all {
                assert!(
                    matches(&format!("GET /x/{a}"), &format!("GET /x/{b}")),
                    "{a} {b}"
                );
            }
            assert!(!matches(&format!("GET /x/{a}"), "GET /x/[id]"), "{a}");
        }
        assert!(
            !matches("GET /x/:id", "GET /x/me"),
            "a parameter is not a wildcard"
        );
        assert!(matches("GET /x/{a}.json", "GET /x/[b].json"));
    }

    #[test]
    fn stars_stand_for_segments() {
        for (pattern, name, expected) in [
            ("* /api/**", "POST /api/x/y", true),
            ("ANY /api/**", "GET /api", true),
            ("get /api/*", "GET /api/x", true),
            ("GET /api/*", "GET /api/x/y", false),
            ("GET /api/*", "GET /api/[id]", true),
            ("GET /api/*", "GET /api", false),
            ("GET /api/*/y", "GET /api/x/y/", true),
            ("GET /**/y", "GET /a/y/b/y", true),
            ("GET /**/y/**/z", "GET /a/y/b/y", false),
            ("GET /a-*", "GET /a-b-c", true),
            ("GET /api/x", "ANY /api/x", false),
            ("GET /api/*", "GET /api/*", true),
            ("GET /API", "GET /api", false),
            ("GET /", "GET /", true),
            ("GET /", "GET /x", false),
            ("* **", "TASK mail.send", true),
            ("TASK mail.*", "TASK mail.send", true),
            ("TASK mail.*", "TASK mail.send.now", false),
            ("TRPC user.get", "TRPC user.get", true),
            (
                "ACTION app/actions.ts#save",
                "ACTION app/actions.ts#save",
                true,
            ),
            (
                "ACTION app/actions.ts#*",
                "ACTION app/actions.ts#save",
                true,
            ),
            ("GRPC pkg.Svc/Get", "GRPC pkg.Svc/Get", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} on {name}");
        }
    }

    #[test]
    fn many_stars_do_not_take_long() {
        let pattern = format!("GET {}/z", "/**/a".repeat(200));
        let name = format!("GET {}", "/a".repeat(4000));
        assert!(!matches(&pattern, &name));
    }

    #[test]
    fn a_pattern_without_method_or_path_is_refused() {
        let help = |text| RoutePattern::parse(text).map_err(|e| e.help.unwrap_or_default());
        assert_eq!(help("/api/x"), Err("write `* /api/x`".into()));
        assert_eq!(help("GTE /x"), Err("did you mean `GET`?".into()));
        assert_eq!(help("GET api/x"), Err("write `GET /api/x`".into()));
        assert!(help("").is_err());
    }

    #[test]
    fn only_a_pattern_without_wildcards_names_a_route() {
        for (text, expected) in [
            ("GET /x/:id", true),
            ("* /x", true),
            ("GET /x/*", false),
            ("GET /a-*", false),
        ] {
            assert_eq!(
                RoutePattern::parse(text).map(|p| p.is_name()),
                Ok(expected),
                "{text}"
            );
        }
    }
}
