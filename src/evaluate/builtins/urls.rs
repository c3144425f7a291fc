//! URLs are kept as their text: that is what a call's label needs of them.

use super::super::interp::Interp;
use super::super::value::{At, Txt, Value, join_tags};
use super::{argument, combined};

/// The parts of an absolute URL's text.
struct Parts<'a> {
    /// `https`.
    scheme: &'a str,
    /// `user@host:port`.
    authority: &'a str,
    /// From the first `/` after the authority on.
    rest: &'a str,
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let (scheme, after) = text.split_once("://")?;
    let plain = scheme
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if scheme.is_empty() || !plain {
        return None;
    }
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    Some(Parts {
        scheme,
        authority: &after[..end],
        rest: &after[end..],
    })
}

/// A part of a URL, read as a property of its text.
pub(super) fn property(text: &Txt, name: &str) -> Option<Value> {
    let url = parts(&text.text)?;
    // Where only a beginning is known, a part is known if something follows it.
    let ended = !text.open || !url.rest.is_empty();
    let host = url
        .authority
        .rsplit_once('@')
        .map_or(url.authority, |(_, host)| host);
    let (hostname, port) = split_port(host);
    let part = match name {
        "href" => return Some(Value::Text(text.clone())),
        "protocol" => format!("{}:", url.scheme),
        "origin" if ended => format!("{}://{host}", url.scheme),
        "host" if ended => host.to_string(),
        "hostname" if ended => hostname.to_string(),
        "port" if ended => port.to_string(),
        "pathname" if !text.open || url.rest.contains(['?', '#']) => {
            let end = url.rest.find(['?', '#']).unwrap_or(url.rest.len());
            if end == 0 {
                "/".to_string()
            } else {
                url.rest[..end].to_string()
            }
        }
        "origin" | "host" | "hostname" | "port" | "pathname" | "search" | "hash"
        | "searchParams" | "username" | "password" => return Some(Value::Opaque),
        _ => return None,
    };
    Some(Value::Text(Txt {
        text: part.into(),
        open: false,
        ..text.clone()
    }))
}

fn split_port(host: &str) -> (&str, &str) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => (name, port),
        _ => (host, ""),
    }
}

impl Interp<'_> {
    pub(super) fn url_function(&mut self, name: &str, args: &[Value], at: At) -> Value {
        if !matches!(name, "URL" | "parse") {
            return Value::Opaque;
        }
        let url = combined(&[argument(args, 0), argument(args, 1)], &mut |args| {
            joined(&args[0], &args[1])
        });
        if name == "URL"
            && !url
                .alternatives()
                .iter()
                .all(|url| matches!(url, Value::Text(_)))
        {
            self.may_throw(at);
        }
        url
    }
}

/// The URL that a text means, seen from a base.
fn joined(url: &Value, base: &Value) -> Value {
    let Value::Text(text) = url else {
        return if matches!(url, Value::Unknown(_)) {
            url.clone()
        } else {
            Value::Opaque
        };
    };
    if let Some(known) = parts(&text.text) {
        let bare = known.rest.is_empty() && !text.open;
        let whole = if bare {
            format!("{}/", text.text)
        } else {
            text.text.to_string()
        };
        return Value::Text(Txt {
            text: whole.into(),
            ..text.clone()
        });
    }
    let Value::Text(base) = base else {
        return Value::Opaque;
    };
    let Some(known) = parts(&base.text) else {
        return Value::Opaque;
    };
    if base.open && known.rest.is_empty() {
        return Value::Opaque;
    }
    let tags = join_tags(&text.tags, &base.tags);
    let origin = format!("{}://{}", known.scheme, known.authority);
    match path(known.rest, base.open, &text.text) {
        Some(path) => Value::Text(Txt {
            text: format!("{origin}{path}").into(),
            open: text.open,
            origin: base.origin.clone(),
            tags,
            longest: None,
        }),
        None => Value::Text(Txt {
            text: format!("{origin}/").into(),
            open: true,
            origin: base.origin.clone(),
            tags,
            longest: None,
        }),
    }
}

/// A relative reference resolved against a base's path; `None` where that needs more than
/// putting one after the other.
fn path(base: &str, open: bool, relative: &str) -> Option<String> {
    if relative.starts_with("//")
        || relative
            .split(['/', '?', '#'])
            .any(|part| part == "." || part == "..")
    {
        return None;
    }
    if relative.starts_with('/') {
        return Some(relative.to_string());
    }
    if open || relative.is_empty() || relative.starts_with(['?', '#']) {
        return None;
    }
    let end = base.find(['?', '#']).unwrap_or(base.len());
    let folder = base[..end].rfind('/').map_or("/", |slash| &base[..=slash]);
    Some(format!("{folder}{relative}"))
}

/// A text with what a URL reserves escaped; `whole`: what separates the parts of a URL stays.
pub(super) fn escaped(text: &str, whole: bool) -> String {
    let kept = if whole {
        "-_.!~*'();/?:@&=+$,#"
    } else {
        "-_.!~*'()"
    };
    let mut escaped = String::new();
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() || kept.contains(letter) {
            escaped.push(letter);
        } else {
            let mut bytes = [0; 4];
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                escaped.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    escaped
}
