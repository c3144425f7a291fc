//! Where a number comes from.

use std::fmt;

use super::source::{Place, SourceKind, Span};

/// Where a value comes from. Its text is the `origin` of the reports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Written in a file of the project: `src/limits.ts:3`.
    File(Place),
    /// A library's own: `rules:npm/axios@1.21.1`.
    Rule {
        /// `npm/axios`.
        pack: String,
        /// The version that the rule was chosen for.
        version: Option<String>,
    },
    /// A platform's own: `platform:vercel/node`.
    Platform {
        /// `vercel/node`.
        limit: String,
    },
    /// A runtime's own: `runtime:node@20.20.2`.
    Runtime {
        /// `node`.
        name: String,
        /// The version that was assumed.
        version: Option<String>,
    },
    /// A variable of an environment file: `environment:.env:4`.
    Environment(Place),
    /// An option of the command line: `--set layers.lb.limit=90s`.
    CommandLine {
        /// The option with its value.
        text: String,
    },
    /// What holds where nobody said anything: `default`.
    Default,
}

impl Origin {
    /// A line of a file, where nothing finer is known.
    pub fn at(path: &str, line: u32) -> Origin {
        Origin::File(Place {
            path: path.into(),
            line,
            column: 1,
            start: 0,
            end: 0,
        })
    }

    /// The place in the project, where there is one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Origin::File(place) | Origin::Environment(place) => Some(place),
            _ => None,
        }
    }
}

impl From<&Span> for Origin {
    fn from(span: &Span) -> Origin {
        match span.source.kind {
            SourceKind::File => Origin::File(span.place()),
            SourceKind::CommandLine => Origin::CommandLine {
                text: format!("{} {}", span.source.path, span.source.text),
            },
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let versioned = |f: &mut fmt::Formatter<'_>, name: &str, version: &Option<String>| {
            f.write_str(name)?;
            version
                .as_ref()
                .map_or(Ok(()), |version| write!(f, "@{version}"))
        };
        match self {
            Origin::File(place) => write!(f, "{place}"),
            Origin::Rule { pack, version } => versioned(f, &format!("rules:{pack}"), version),
            Origin::Platform { limit } => write!(f, "platform:{limit}"),
            Origin::Runtime { name, version } => versioned(f, &format!("runtime:{name}"), version),
            Origin::Environment(place) => write!(f, "environment:{place}"),
            Origin::CommandLine { text } => f.write_str(text),
            Origin::Default => f.write_str("default"),
        }
    }
}

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Sourced<T> {
    /// A value with its origin.
    pub fn new(value: T, origin: Origin) -> Sourced<T> {
        Sourced { value, origin }
    }

    /// A value that nobody wrote.
    pub fn default_of(value: T) -> Sourced<T> {
        Sourced {
            value,
            origin: Origin::Default,
        }
    }

    /// Another value of the same origin.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Sourced<U> {
        Sourced {
            value: f(self.value),
            origin: self.origin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::source::SourceText;

    #[test]
    fn the_texts_of_the_reports() {
        let source = SourceText::file("src/limits.ts", "a\nb\nc");
        let place = Span::new(&source, 4..5).place();
        let rule = |version: Option<&str>| Origin::Rule {
            pack: "npm/axios".into(),
            version: version.map(String::from),
        };
        let runtime = Origin::Runtime {
            name: "node".into(),
            version: Some("20.20.2".into()),
        };
        let set = SourceText::command_line("--set", "project.margin=1s");
        let cases = [
            (Origin::File(place.clone()), "src/limits.ts:3"),
            (rule(Some("1.21.1")), "rules:npm/axios@1.21.1"),
            (rule(None), "rules:npm/axios"),
            (
                Origin::Platform {
                    limit: "vercel/node".into(),
                },
                "platform:vercel/node",
            ),
            (runtime, "runtime:node@20.20.2"),
            (Origin::Environment(place), "environment:src/limits.ts:3"),
            (
                Origin::from(&Span::new(&set, 0..1)),
                "--set project.margin=1s",
            ),
            (Origin::Default, "default"),
        ];
        for (origin, text) in cases {
            assert_eq!(origin.to_string(), text);
        }
    }
}
