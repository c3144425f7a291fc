//! `format!`: a text with values in it.

use super::lowering::{Lowering, expr, name_expr, span_of};
use crate::program::{Expr, ExprKind, Name, Span};

/// A place in a format text.
enum Hole {
    /// The next argument, or the one of this number.
    Place(usize),
    /// A named argument, or a variable.
    Name(String),
}

impl Lowering<'_> {
    /// The text with its values; `None` where it cannot be read so.
    pub fn format(&mut self, mac: &syn::Macro, span: Span) -> Option<Expr> {
        let args = mac
            .parse_body_with(
                syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated,
            )
            .ok()?;
        let mut args = args.into_iter();
        let syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(literal),
            ..
        }) = args.next()?
        else {
            return None;
        };
        let (texts, holes) = parsed(&literal.value())?;
        let place = span_of(literal.span());
        let (named, placed): (Vec<syn::Expr>, Vec<syn::Expr>) =
            args.partition(|arg| matches!(arg, syn::Expr::Assign(_)));
        let mut lowered: Vec<Option<Expr>> = placed
            .iter()
            .map(|arg| Some(self.expression(arg)))
            .collect();
        let mut by_name: Vec<(String, Option<Expr>)> = Vec::new();
        for arg in &named {
            let syn::Expr::Assign(assign) = arg else {
                continue;
            };
            let syn::Expr::Path(path) = &*assign.left else {
                continue;
            };
            let name = path.path.get_ident().map(ToString::to_string);
            by_name.push((
                name.unwrap_or_default(),
                Some(self.expression(&assign.right)),
            ));
        }
        // Each argument is evaluated once: a second use of it decides nothing.
        let again = || expr(place, ExprKind::Opaque(Vec::new()));
        let values: Vec<Expr> = holes
            .into_iter()
            .map(|hole| match hole {
                Hole::Place(index) => lowered.get_mut(index).and_then(Option::take),
                Hole::Name(name) => match by_name.iter_mut().find(|(own, _)| *own == name) {
                    Some((_, value)) => value.take(),
                    None => Some(name_expr(place, Name::from(name))),
                },
            })
            .map(|value| value.unwrap_or_else(again))
            .collect();
        let rest = lowered.into_iter().flatten();
        let rest: Vec<Expr> = rest
            .chain(by_name.into_iter().filter_map(|(_, v)| v))
            .collect();
        let kind = match texts.as_slice() {
            [text] if values.is_empty() => ExprKind::Text(text.clone()),
            _ => ExprKind::Template {
                texts: texts.into(),
                values: values.into(),
            },
        };
        let text = expr(span, kind);
        if rest.is_empty() {
            return Some(text);
        }
        // Arguments that only say how wide something is.
        let mut parts = rest;
        parts.push(text);
        Some(expr(span, ExprKind::Sequence(parts)))
    }
}

/// The texts between the holes of a format text, and the holes.
fn parsed(format: &str) -> Option<(Vec<Name>, Vec<Hole>)> {
    let mut texts = Vec::new();
    let mut holes = Vec::new();
    let mut text = String::new();
    let mut next = 0;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                text.push(c);
            }
            '{' => {
                let mut inside = String::new();
                loop {
                    match chars.next()? {
                        '}' => break,
                        c => inside.push(c),
                    }
                }
                let name = inside.split(':').next().unwrap_or_default().trim();
                holes.push(match name.parse::<usize>() {
                    Ok(index) => Hole::Place(index),
                    Err(_) if name.is_empty() => {
                        next += 1;
                        Hole::Place(next - 1)
                    }
                    Err(_) => Hole::Name(name.strip_prefix("r#").unwrap_or(name).to_string()),
                });
                texts.push(Name::from(std::mem::take(&mut text)));
            }
            '}' => return None,
            c => text.push(c),
        }
    }
    texts.push(Name::from(text));
    Some((texts, holes))
}

#[cfg(test)]
mod tests {
    use super::{Hole, parsed};

    fn read(format: &str) -> Option<(Vec<String>, Vec<String>)> {
        let (texts, holes) = parsed(format)?;
        let hole = |hole: &Hole| match hole {
            Hole::Place(index) => index.to_string(),
            Hole::Name(name) => name.clone(),
        };
        let texts = texts.iter().map(ToString::to_string).collect();
        Some((texts, holes.iter().map(hole).collect()))
    }

    #[test]
    fn texts_and_holes() {
        let some = |texts: &[&str], holes: &[&str]| {
            let own = |list: &[&str]| list.iter().map(ToString::to_string).collect();
            Some((own(texts), own(holes)))
        };
        assert_eq!(read("plain"), some(&["plain"], &[]));
        assert_eq!(
            read("{}/{id}/{1:?}"),
            some(&["", "/", "/", ""], &["0", "id", "1"])
        );
        assert_eq!(read("{{{}}}"), some(&["{", "}"], &["0"]));
        assert_eq!(read("{:>8}{x:.3}"), some(&["", "", ""], &["0", "x"]));
        assert_eq!(read("{"), None);
        assert_eq!(read("}"), None);
    }
}
