//! The words of an annotation: text to [`Annotation`].

use super::{AnnotatedGrowth, AnnotatedRetry, Annotation, Name, RetryOn};

/// The first words of all annotations.
pub const ANNOTATIONS: [&str; 9] = [
    "route", "call", "deadline", "retry", "loop", "attempt", "assume", "factory", "allow",
];

/// What can stand after `on=`, besides statuses.
const FAILURES: [(&str, RetryOn); 5] = [
    ("error", RetryOn::Error),
    ("timeout", RetryOn::Timeout),
    ("abort", RetryOn::Abort),
    ("network", RetryOn::Network),
    ("other", RetryOn::Other),
];

/// Parses what follows `overrun:`. The error says in words what is wrong, with the nearest
/// known word where there is one.
pub fn parse_annotation(text: &str) -> Result<Annotation, String> {
    let words = words(text)?;
    let Some((first, rest)) = words.split_first() else {
        return Err(format!(
            "nothing is said; one of {}",
            ANNOTATIONS.join(", ")
        ));
    };
    if let Some(list) = first
        .strip_prefix("allow(")
        .or((first == "allow").then_some(""))
    {
        return allow(list, rest);
    }
    let mut words = Words::new(first, rest);
    let annotation = match first.as_str() {
        "route" => route(&mut words)?,
        "call" => call(&mut words)?,
        "deadline" => Annotation::Deadline {
            nanos: limit(&words.positional("a duration, as in `deadline 8s`")?)?,
            abandons: words.flag("abandons"),
        },
        "retry" => Annotation::Retry(retry(&mut words)?),
        "loop" => Annotation::Loop {
            bound: bound(&mut words)?,
        },
        "attempt" => Annotation::Attempt {
            nanos: limit(&words.positional("a duration, as in `attempt 5s`")?)?,
        },
        "assume" => assume(&mut words)?,
        "factory" => Annotation::Factory {
            parameter: Name::new(words.positional("the name of a parameter")?),
        },
        other => return Err(unknown("annotation", other, &ANNOTATIONS)),
    };
    words.nothing_left()?;
    Ok(annotation)
}

/// Splits at white space outside quotes. Quotes are kept, so that `reason="a b"` is one word.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut in_list = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => in_list = true,
            ')' if !quoted => in_list = false,
            _ => {}
        }
        if c.is_whitespace() && !quoted && !in_list {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            word.push(c);
        }
    }
    if quoted {
        return Err("a quote is not closed".to_string());
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}

/// The words after the first one, taken one by one.
struct Words {
    kind: String,
    left: Vec<String>,
    /// Keys and flags that were asked for, to name the nearest of an unknown one.
    known: Vec<&'static str>,
}

impl Words {
    fn new(kind: &str, rest: &[String]) -> Words {
        Words {
            kind: kind.to_string(),
            left: rest.to_vec(),
            known: Vec::new(),
        }
    }

    /// The first word that is no `key=value`.
    fn positional(&mut self, what: &str) -> Result<String, String> {
        match self.left.first() {
            Some(word) if key_of(word).is_none() => Ok(self.left.remove(0)),
            _ => Err(format!("`{}` needs {what}", self.kind)),
        }
    }

    /// The value of `key=value`, without quotes.
    fn value(&mut self, key: &'static str) -> Result<Option<String>, String> {
        self.known.push(key);
        let Some(at) = self.left.iter().position(|word| key_of(word) == Some(key)) else {
            return Ok(None);
        };
        let word = self.left.remove(at);
        let value = word.get(key.len() + 1..).unwrap_or_default();
        let value = value
            .strip_prefix('"')
            .and_then(|v| v.strip_suffix('"'))
            .unwrap_or(value);
        if value.trim().is_empty() {
            return Err(format!("`{key}=` has no value"));
        }
        Ok(Some(value.to_string()))
    }

    fn flag(&mut self, flag: &'static str) -> bool {
        self.known.push(flag);
        let at = self.left.iter().position(|word| word == flag);
        at.map(|at| self.left.remove(at)).is_some()
    }

    fn nothing_left(&self) -> Result<(), String> {
        let Some(word) = self.left.first() else {
            return Ok(());
        };
        if let Some(key) = key_of(word).filter(|key| self.known.contains(key)) {
            return Err(format!("`{key}=` is written twice"));
        }
        let written = key_of(word).unwrap_or(word);
        Err(unknown(
            &format!("word after `{}`", self.kind),
            written,
            &self.known,
        ))
    }
}

/// The key of `key=value`.
fn key_of(word: &str) -> Option<&str> {
    let (key, _) = word.split_once('=')?;
    let plain = key
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    (plain && !key.is_empty()).then_some(key)
}

fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("unknown {what} `{word}`; did you mean `{near}`?"),
        None if known.is_empty() => {
            format!("unknown {what} `{word}`; nothing more can be said here")
        }
        None => format!("unknown {what} `{word}`; one of {}", known.join(", ")),
    }
}

/// The known word that is most like this one, if any is like it at all.
fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let score = |candidate: &&str| strsim::jaro_winkler(word, candidate);
    let best = known.iter().map(|candidate| (score(candidate), *candidate));
    let best = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))?;
    (best.0 >= 0.75).then_some(best.1)
}

fn route(words: &mut Words) -> Result<Annotation, String> {
    let within = words
        .value("within")?
        .map(|list| list.split(',').map(trimmed).collect());
    let mut name = words.positional("a name, as in `route GET /api/x`")?;
    while let Ok(more) = words.positional("") {
        name.push(' ');
        name.push_str(&more);
    }
    Ok(Annotation::Route { name, within })
}

fn trimmed(word: &str) -> Name {
    Name::new(word.trim())
}

fn call(words: &mut Words) -> Result<Annotation, String> {
    let target = words.positional("a dependency, as in `call db.read`")?;
    let (dependency, operation) = match target.split_once('.') {
        Some((_, "")) | Some(("", _)) => {
            return Err(format!(
                "`{target}` is no DEPENDENCY or DEPENDENCY.OPERATION"
            ));
        }
        Some((dependency, operation)) => (dependency, Some(Name::new(operation))),
        None => (target.as_str(), None),
    };
    let method = words.value("method")?.map(Name::new);
    let times = match words.value("times")? {
        Some(times) => whole("times", &times, u64::from(u32::MAX))?,
        None => 1,
    };
    let times = u32::try_from(times).unwrap_or(u32::MAX);
    if times == 0 {
        return Err("`times=0`: leave the annotation out where no call is made".to_string());
    }
    Ok(Annotation::Call {
        dependency: Name::new(dependency),
        operation,
        method,
        times,
    })
}

fn bound(words: &mut Words) -> Result<u64, String> {
    let word = words.positional("a number, as in `loop 50`")?;
    whole("loop", &word, u64::MAX)
}

fn assume(words: &mut Words) -> Result<Annotation, String> {
    let nanos = duration(&words.positional("a duration, as in `assume 2s reason=\"..\"`")?)?;
    match words.value("reason")? {
        Some(reason) => Ok(Annotation::Assume {
            nanos,
            reason: Some(reason),
        }),
        None => Err("`assume` needs a reason, as in `assume 2s reason=\"local cache\"`".into()),
    }
}

fn allow(list: &str, rest: &[String]) -> Result<Annotation, String> {
    let example = "as in `allow(unbounded-wait) reason=\"long poll\"`";
    let Some(list) = list.strip_suffix(')') else {
        return Err(format!("`allow` needs lints in parentheses, {example}"));
    };
    let lints: Vec<Name> = list
        .split(',')
        .map(trimmed)
        .filter(|lint| !lint.is_empty())
        .collect();
    if lints.is_empty() {
        return Err(format!("`allow` names no lint, {example}"));
    }
    let mut words = Words::new("allow", rest);
    let Some(reason) = words.value("reason")? else {
        words.nothing_left()?;
        return Err(format!("`allow` needs a reason, {example}"));
    };
    words.nothing_left()?;
    Ok(Annotation::Allow { lints, reason })
}

fn retry(words: &mut Words) -> Result<AnnotatedRetry, String> {
    let max = match words.value("max")? {
        Some(max) => whole("max", &max, u64::MAX)?,
        None => return Err("`retry` needs `max=`, the retries after the first attempt".into()),
    };
    let (base, growth, cap) = match words.value("backoff")? {
        Some(text) => backoff(&text)?,
        None => (0, AnnotatedGrowth::Constant, None),
    };
    let on = match words.value("on")? {
        Some(list) => list
            .split(',')
            .map(|word| failure(word.trim()))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(AnnotatedRetry {
        max,
        base,
        growth,
        cap,
        on,
    })
}

/// `D`, `D*NUM`, `D+D`, each with `..D`.
fn backoff(text: &str) -> Result<(u64, AnnotatedGrowth, Option<u64>), String> {
    let (wait, cap) = match text.split_once("..") {
        Some((wait, cap)) => (wait, Some(limit(cap)?)),
        None => (text, None),
    };
    if let Some((base, factor)) = wait.split_once('*') {
        let number = factor.trim().parse::<f64>().ok();
        let Some(factor) = number.filter(|n| n.is_finite() && *n > 0.0) else {
            return Err(format!(
                "`{factor}` is no factor, as in `backoff=1s*2..30s`"
            ));
        };
        return Ok((
            duration(base)?,
            AnnotatedGrowth::Exponential { factor },
            cap,
        ));
    }
    if let Some((base, step)) = wait.split_once('+') {
        let step = duration(step)?;
        return Ok((duration(base)?, AnnotatedGrowth::Linear { step }, cap));
    }
    Ok((duration(wait)?, AnnotatedGrowth::Constant, cap))
}

fn failure(word: &str) -> Result<RetryOn, String> {
    if let Some((_, failure)) = FAILURES.iter().find(|(name, _)| *name == word) {
        return Ok(*failure);
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let status = |text: &str| text.parse::<u16>().ok().filter(|n| (100..=599).contains(n));
        return match (status(first), status(last)) {
            (Some(first), Some(last)) if first <= last => Ok(RetryOn::Status(first, last)),
            _ => Err(format!(
                "`{word}` is no status (100 to 599) or range of them"
            )),
        };
    }
    Err(unknown("failure", word, &FAILURES.map(|(name, _)| name)))
}

fn whole(key: &str, text: &str, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(number) if number <= most => Ok(number),
        _ => Err(format!("`{text}` is no whole number for `{key}`")),
    }
}

/// A duration that limits something: more than nothing.
fn limit(text: &str) -> Result<u64, String> {
    match duration(text)? {
        0 => Err(format!("`{text}` is no limit")),
        nanos => Ok(nanos),
    }
}

/// One or more `NUMBER UNIT` (`us ms s m h d`), in nanoseconds; saturates.
fn duration(text: &str) -> Result<u64, String> {
    let malformed = || format!("`{text}` is no duration, as in `250ms` or `1m30s`");
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(malformed());
    }
    if rest
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return Err(format!(
            "`{text}` has no unit; did you mean `{text}ms` or `{text}s`?"
        ));
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or_else(malformed)?;
        let (number, after) = rest.split_at(end);
        let end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let scale: u64 = match unit {
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => return Err(malformed()),
        };
        total = total.saturating_add(scaled(number, scale).ok_or_else(malformed)?);
        rest = after;
    }
    Ok(total)
}

/// A decimal number times a unit, exact for whole numbers.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    if let Ok(number) = number.parse::<u64>() {
        return Some(number.saturating_mul(scale));
    }
    let starts_with_digit = number.starts_with(|c: char| c.is_ascii_digit());
    let number = number
        .parse::<f64>()
        .ok()
        .filter(|n| starts_with_digit && *n >= 0.0)?;
    // `as` saturates, which is what is wanted of a number beyond all durations.
    Some((number * scale as f64).round() as u64)
}
