//! What the words of an annotation must be: the same as in a comment that begins with `overrun:`.
//! `tests/lang/attributes.rs` of the analyzer holds this file against the analyzer's own reader,
//! text by text, down to the messages.

/// The first words of all annotations.
pub const KINDS: [&str; 9] = [
    "route", "call", "deadline", "retry", "loop", "attempt", "assume", "factory", "allow",
];

/// What can stand after `on=`, besides statuses.
const FAILURES: [&str; 5] = ["error", "timeout", "abort", "network", "other"];

/// Checks what would follow `overrun:` in a comment. The error says in words what is wrong, with
/// the nearest known word where there is one.
pub fn check(text: &str) -> Result<(), String> {
    let words = words(text)?;
    let Some((first, rest)) = words.split_first() else {
        return Err(format!("nothing is said; one of {}", KINDS.join(", ")));
    };
    if let Some(list) = first
        .strip_prefix("allow(")
        .or((first == "allow").then_some(""))
    {
        return allow(list, rest);
    }
    let mut words = Words::new(first, rest);
    match first.as_str() {
        "route" => route(&mut words)?,
        "call" => call(&mut words)?,
        "deadline" => {
            limit(&words.positional("a duration, as in `deadline 8s`")?)?;
            words.flag("abandons");
        }
        "retry" => retry(&mut words)?,
        "loop" => {
            let word = words.positional("a number, as in `loop 50`")?;
            whole("loop", &word, u64::MAX)?;
        }
        "attempt" => {
            limit(&words.positional("a duration, as in `attempt 5s`")?)?;
        }
        "assume" => assume(&mut words)?,
        "factory" => {
            words.positional("the name of a parameter")?;
        }
        other => return Err(unknown("annotation", other, &KINDS)),
    }
    words.nothing_left()
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

    fn flag(&mut self, flag: &'static str) {
        self.known.push(flag);
        if let Some(at) = self.left.iter().position(|word| word == flag) {
            self.left.remove(at);
        }
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

fn route(words: &mut Words) -> Result<(), String> {
    words.value("within")?;
    words.positional("a name, as in `route GET /api/x`")?;
    while words.positional("").is_ok() {}
    Ok(())
}

fn call(words: &mut Words) -> Result<(), String> {
    let target = words.positional("a dependency, as in `call db.read`")?;
    if let Some((_, "") | ("", _)) = target.split_once('.') {
        return Err(format!(
            "`{target}` is no DEPENDENCY or DEPENDENCY.OPERATION"
        ));
    }
    words.value("method")?;
    if let Some(times) = words.value("times")?
        && whole("times", &times, u64::from(u32::MAX))? == 0
    {
        return Err("`times=0`: leave the annotation out where no call is made".to_string());
    }
    Ok(())
}

fn assume(words: &mut Words) -> Result<(), String> {
    duration(&words.positional("a duration, as in `assume 2s reason=\"..\"`")?)?;
    match words.value("reason")? {
        Some(_) => Ok(()),
        None => Err("`assume` needs a reason, as in `assume 2s reason=\"local cache\"`".into()),
    }
}

fn allow(list: &str, rest: &[String]) -> Result<(), String> {
    let example = "as in `allow(unbounded-wait) reason=\"long poll\"`";
    let Some(list) = list.strip_suffix(')') else {
        return Err(format!("`allow` needs lints in parentheses, {example}"));
    };
    if list.split(',').all(|lint| lint.trim().is_empty()) {
        return Err(format!("`allow` names no lint, {example}"));
    }
    let mut words = Words::new("allow", rest);
    if words.value("reason")?.is_none() {
        words.nothing_left()?;
        return Err(format!("`allow` needs a reason, {example}"));
    }
    words.nothing_left()
}

fn retry(words: &mut Words) -> Result<(), String> {
    match words.value("max")? {
        Some(max) => whole("max", &max, u64::MAX)?,
        None => return Err("`retry` needs `max=`, the retries after the first attempt".into()),
    };
    if let Some(text) = words.value("backoff")? {
        backoff(&text)?;
    }
    if let Some(list) = words.value("on")? {
        list.split(',').try_for_each(|word| failure(word.trim()))?;
    }
    Ok(())
}

/// `D`, `D*NUM`, `D+D`, each with `..D`.
fn backoff(text: &str) -> Result<(), String> {
    let wait = match text.split_once("..") {
        Some((wait, cap)) => {
            limit(cap)?;
            wait
        }
        None => text,
    };
    if let Some((base, factor)) = wait.split_once('*') {
        let number = factor.trim().parse::<f64>().ok();
        if number.is_none_or(|n| !n.is_finite() || n <= 0.0) {
            return Err(format!(
                "`{factor}` is no factor, as in `backoff=1s*2..30s`"
            ));
        }
        duration(base)?;
        return Ok(());
    }
    if let Some((base, step)) = wait.split_once('+') {
        duration(step)?;
        duration(base)?;
        return Ok(());
    }
    duration(wait)?;
    Ok(())
}

fn failure(word: &str) -> Result<(), String> {
    if FAILURES.contains(&word) {
        return Ok(());
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let status = |text: &str| text.parse::<u16>().ok().filter(|n| (100..=599).contains(n));
        return match (status(first), status(last)) {
            (Some(first), Some(last)) if first <= last => Ok(()),
            _ => Err(format!(
                "`{word}` is no status (100 to 599) or range of them"
            )),
        };
    }
    Err(unknown("failure", word, &FAILURES))
}

fn whole(key: &str, text: &str, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(number) if number <= most => Ok(number),
        _ => Err(format!("`{text}` is no whole number for `{key}`")),
    }
}

/// A duration that limits something: more than nothing.
fn limit(text: &str) -> Result<(), String> {
    match duration(text)? {
        0 => Err(format!("`{text}` is no limit")),
        _ => Ok(()),
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
