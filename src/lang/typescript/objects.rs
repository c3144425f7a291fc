//! Object literals and property keys.

use oxc_ast::ast;

use super::expressions::{literal_key, private_name};
use super::lowering::{Lowering, from_oxc};
use crate::program::{ExprKind, Key, Name, Property};

impl Lowering<'_> {
    /// An object literal.
    pub fn object(&mut self, object: &ast::ObjectExpression<'_>) -> ExprKind {
        let mut fields = Vec::with_capacity(object.properties.len());
        for property in &object.properties {
            match property {
                ast::ObjectPropertyKind::SpreadProperty(spread) => {
                    fields.push(Property::Spread(self.expression(&spread.argument)));
                }
                ast::ObjectPropertyKind::ObjectProperty(property) => {
                    fields.extend(self.property(property));
                }
            }
        }
        ExprKind::Object(fields)
    }

    fn property(&mut self, property: &ast::ObjectProperty<'_>) -> Option<Property> {
        let key = self.property_key(&property.key, property.computed);
        let name = key_name(&key);
        let function = match &property.value {
            ast::Expression::FunctionExpression(function)
                if property.method || property.kind != ast::PropertyKind::Init =>
            {
                let span = from_oxc(property.span);
                Some((self.function(function, span, name.as_deref()), span))
            }
            _ => None,
        };
        match (property.kind, function) {
            (ast::PropertyKind::Get, Some((function, _))) => {
                Some(Property::Getter { key, function })
            }
            (ast::PropertyKind::Set, Some((function, _))) => {
                Some(Property::Setter { key, function })
            }
            (_, Some((function, span))) => {
                let value = crate::program::Expr {
                    span,
                    kind: ExprKind::Function(function),
                };
                Some(Property::Field { key, value })
            }
            (_, None) => {
                let value = self.named_expression(&property.value, name.as_deref());
                Some(Property::Field { key, value })
            }
        }
    }

    /// A key; `computed`: written in brackets.
    pub fn property_key(&mut self, key: &ast::PropertyKey<'_>, computed: bool) -> Key {
        match key {
            ast::PropertyKey::StaticIdentifier(id) => Key::Name(Name::new(id.name.as_str())),
            ast::PropertyKey::PrivateIdentifier(id) => Key::Name(private_name(id)),
            key => {
                let e = key.to_expression();
                if let Some(name) = literal_key(e) {
                    return Key::Name(name);
                }
                match (e, computed) {
                    (ast::Expression::NumericLiteral(number), _) => {
                        Key::Name(Name::from(number_key(number.value)))
                    }
                    (ast::Expression::BigIntLiteral(number), _) => {
                        Key::Name(Name::new(number.value.as_str()))
                    }
                    (e, _) => Key::Computed(self.boxed(e)),
                }
            }
        }
    }
}

/// The name of a key, if it is written.
pub(super) fn key_name(key: &Key) -> Option<Name> {
    match key {
        Key::Name(name) => Some(name.clone()),
        Key::Computed(_) => None,
    }
}

/// A number as a key: whole numbers without a fraction.
fn number_key(value: f64) -> String {
    format!("{value}")
}
