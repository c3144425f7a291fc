//! Finding the entry of a rule pack for an import, a type or a member.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use semver::Version;

use crate::evaluate::interp::Interp;
use crate::evaluate::value::{Imported, ModuleId, RuleValue, Value};
use crate::program::Name;
use crate::rules::{FunctionRule, MemberRule, Others, Pack, Primitive, TypeRule, matches};

/// Types that one may extend from another.
const PARENTS: usize = 8;

impl<'p> Interp<'p> {
    /// The ecosystem of the module being run.
    pub fn ecosystem(&self) -> &'static str {
        let path = self.frames.last().map_or("", |frame| {
            self.modules[frame.module.0 as usize].module.path.as_str()
        });
        self.project.world.ecosystem(path)
    }

    /// The pack of a package, or of the module that is imported from it.
    pub fn pack(&self, imported: &Imported) -> Option<&'p Pack> {
        let ecosystem = self.ecosystem();
        let library = self.project.library;
        let module = imported
            .module
            .strip_prefix("node:")
            .unwrap_or(&imported.module);
        let package = imported
            .package
            .strip_prefix("node:")
            .unwrap_or(&imported.package);
        library
            .get(ecosystem, module)
            .or_else(|| library.get(ecosystem, package))
    }

    /// The pack of a name.
    pub fn pack_of(&self, package: &str) -> Option<&'p Pack> {
        self.project.library.get(self.ecosystem(), package)
    }

    /// The versions that a package can have for the module being run.
    pub fn versions(&self, package: &str) -> Vec<Version> {
        if package == "global" {
            return Vec::new();
        }
        let Some(module) = self.frames.last().map(|frame| frame.module) else {
            return Vec::new();
        };
        let path = &self.modules[module.0 as usize].module.path;
        self.project.world.versions(path, package)
    }

    /// The versions of a package that another one uses.
    pub fn versions_within(&self, parent: &str, package: &str) -> Vec<Version> {
        if parent == package {
            return self.versions(package);
        }
        let module = self.frame().module;
        let path = &self.modules[module.0 as usize].module.path;
        let nested = self.project.world.nested(path, parent, package);
        if !nested.is_empty() {
            return nested;
        }
        let own = self.project.world.versions(path, package);
        if !own.is_empty() {
            return own;
        }
        match self.pack_of(parent) {
            Some(pack) if pack.same_version => self.versions(parent),
            _ => Vec::new(),
        }
    }

    /// The entry of a function of a pack. Each is looked for once in a module: a name of the
    /// runtime is read on nearly every line.
    pub fn function_rule(&self, imported: &Imported) -> Option<(&'p Pack, &'p FunctionRule)> {
        let module = self.frames.last().map_or(ModuleId(0), |frame| frame.module);
        let known = self
            .function_rules
            .borrow()
            .get(&module)
            .and_then(|rules| rules.get(imported).copied());
        if let Some(rule) = known {
            return rule;
        }
        let rule = self.find_function_rule(imported);
        self.function_rules
            .borrow_mut()
            .entry(module)
            .or_default()
            .insert(imported.clone(), rule);
        rule
    }

    fn find_function_rule(&self, imported: &Imported) -> Option<(&'p Pack, &'p FunctionRule)> {
        let pack = self.pack(imported)?;
        let versions = self.versions(&pack.package);
        let wanted = paths(imported);
        let holds = |rule: &&FunctionRule| {
            (rule.module.is_empty()
                || rule
                    .module
                    .iter()
                    .any(|module| *module == imported.module.as_str()))
                && any_version(rule.versions.as_ref(), &versions)
        };
        let named = |exact: bool| {
            pack.functions.iter().filter(holds).find(|rule| {
                rule.path.iter().any(|path| {
                    wanted
                        .iter()
                        .any(|wanted| path_matches(path, wanted, exact))
                })
            })
        };
        named(true)
            .or_else(|| named(false))
            .map(|rule| (pack, rule))
    }

    /// What the evaluator itself does for an import.
    pub fn primitive_of(&self, imported: &Imported) -> Option<Primitive> {
        self.function_rule(imported)
            .and_then(|(_, rule)| rule.gives.does)
    }

    /// A type by its name in a pack, or as `package#Type`.
    pub fn type_rule(&self, package: &str, name: &str) -> Option<(&'p Pack, &'p TypeRule)> {
        let (package, name) = name.split_once('#').unwrap_or((package, name));
        let pack = self.pack_of(package)?;
        pack.types
            .iter()
            .find(|rule| rule.name == name)
            .map(|rule| (pack, rule))
    }

    /// The member entry of a value of a type; those of the type itself before inherited ones.
    pub fn member_rule(
        &self,
        value: &RuleValue,
        name: &str,
        field: bool,
    ) -> Option<(&'p Pack, &'p MemberRule)> {
        let mut open = vec![(value.package.to_string(), value.type_name.to_string())];
        let mut any = None;
        for _ in 0..PARENTS {
            let Some((package, type_name)) = open.pop() else {
                break;
            };
            let Some((pack, rule)) = self.type_rule(&package, &type_name) else {
                continue;
            };
            let versions = self.rule_versions(value, &pack.package);
            let fits = |member: &&MemberRule| {
                member.field == field && any_version(member.versions.as_ref(), &versions)
            };
            let exact = rule
                .members
                .iter()
                .filter(fits)
                .find(|m| m.name.iter().any(|n| n == name));
            if let Some(member) = exact {
                return Some((pack, member));
            }
            let star = rule
                .members
                .iter()
                .filter(fits)
                .find(|m| m.name.iter().any(|n| n == "*"));
            any = any.or(star.map(|member| (pack, member)));
            open.extend(rule.extends.iter().map(|parent| {
                let (package, name) = parent.split_once('#').unwrap_or((&pack.package, parent));
                (package.to_string(), name.to_string())
            }));
        }
        any
    }

    /// The versions that hold for a package's entries where a value uses it.
    pub fn rule_versions(&self, value: &RuleValue, package: &str) -> Vec<Version> {
        let parent = value
            .client
            .map(|client| self.clients[client.0 as usize].package.clone());
        match parent {
            Some(parent) => self.client_versions(value.client, &parent, package),
            None => self.versions(package),
        }
    }

    /// Likewise for a client: the versions were those of the file that constructs it.
    pub fn client_versions(
        &self,
        client: Option<crate::evaluate::facts::ClientId>,
        parent: &str,
        package: &str,
    ) -> Vec<Version> {
        let Some(client) = client else {
            return self.versions_within(parent, package);
        };
        let file = self.clients[client.0 as usize].place.file.clone();
        if parent == package {
            return self.project.world.versions(&file, package);
        }
        let nested = self.project.world.nested(&file, parent, package);
        if !nested.is_empty() {
            return nested;
        }
        let own = self.project.world.versions(&file, package);
        if !own.is_empty() {
            return own;
        }
        match self.pack_of(parent) {
            Some(pack) if pack.same_version => self.project.world.versions(&file, parent),
            _ => Vec::new(),
        }
    }

    /// What an unlisted member of a value's type is.
    pub fn others_of(&self, value: &RuleValue) -> Others {
        self.type_rule(&value.package, &value.type_name)
            .map_or(Others::Unmodelled, |(_, rule)| rule.others)
    }

    /// A value that is imported: one that a rule reads at once is read.
    pub fn imported_value(&mut self, imported: Imported) -> Value {
        if imported.package == "global"
            && let Some(number) = crate::evaluate::builtins::runtime_constant(&imported.path)
        {
            return Value::number(number);
        }
        if let Some((pack, rule)) = self.function_rule(&imported)
            && rule.field
        {
            let at = crate::evaluate::value::At {
                module: self
                    .frames
                    .last()
                    .map_or(crate::evaluate::value::ModuleId(0), |f| f.module),
                span: crate::program::Span::default(),
            };
            let label = imported.path.last().cloned().unwrap_or_default();
            return self.apply(pack, &rule.gives, None, label, Vec::new(), at);
        }
        Value::Imported(Rc::new(imported))
    }

    /// A member of something imported.
    pub fn member_of_import(&mut self, imported: &Imported, name: &Name) -> Value {
        // An import that is itself a value of a type (`import client from ..`) has its members.
        if let Value::Rule(rule) = self.imported_value(imported.clone()) {
            let at = crate::evaluate::value::At {
                module: self
                    .frames
                    .last()
                    .map_or(crate::evaluate::value::ModuleId(0), |f| f.module),
                span: crate::program::Span::default(),
            };
            return self.member_of_rule(&rule, name, at);
        }
        let mut path = imported.path.clone();
        path.push(name.clone());
        self.imported_value(Imported {
            path,
            ..imported.clone()
        })
    }

    /// Whether a package, or this export of it, is in a flat list.
    pub fn listed(&self, imported: &Imported, transparent: bool) -> bool {
        let library = self.project.library;
        let ecosystem = self.ecosystem();
        let find = |name: &str| {
            if transparent {
                library.transparent(ecosystem, name).is_some()
            } else {
                library.no_wait(ecosystem, name).is_some()
            }
        };
        let path = imported.path.join(".");
        find(&format!("{}#{path}", imported.package))
            || find(&format!("{}#{path}", imported.module))
            || find(&imported.module)
            || find(&imported.package)
    }
}

/// Whether an entry holds for one of the versions; for none that is known it may.
pub fn any_version(range: Option<&semver::VersionReq>, versions: &[Version]) -> bool {
    range.is_none_or(|range| {
        versions.is_empty() || versions.iter().any(|version| matches(range, version))
    })
}

/// The entries that were looked for, by the module that asked: its versions decide.
pub type FunctionRules<'p> =
    FxHashMap<ModuleId, FxHashMap<Imported, Option<(&'p Pack, &'p FunctionRule)>>>;

/// The paths under which a pack may list an import.
fn paths(imported: &Imported) -> Vec<String> {
    let path = imported.path.join(".");
    let mut paths = vec![path.clone()];
    match path.strip_prefix("default.") {
        Some(rest) => paths.push(rest.to_string()),
        None if path.is_empty() => paths.push("default".to_string()),
        None => paths.push(format!("default.{path}")),
    }
    paths
}

fn path_matches(rule: &str, wanted: &str, exact: bool) -> bool {
    if exact {
        return rule == wanted;
    }
    match rule.strip_suffix('*') {
        Some(prefix) => wanted
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty()),
        None => false,
    }
}
