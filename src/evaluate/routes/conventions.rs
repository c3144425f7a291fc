//! Files whose exports are routes.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::found::{Found, Handler};
use super::methods::{compared, with_directive};
use super::paths;
use super::settings::Settings;
use crate::evaluate::interp::{Interp, STEPS};
use crate::evaluate::project::{Source, Target};
use crate::evaluate::value::{At, FunctionRef, ModuleId, Value};
use crate::program::{ExportKind, Name, Span};
use crate::rules::{Convention, ExportStyle, Pack};

/// The word of a route whose handler takes every method.
const ANY: &str = "ANY";

/// A convention of a pack, ready to be held against files.
struct Known<'p> {
    pack: &'p Pack,
    convention: &'p Convention,
    globs: GlobSet,
}

/// A file that a convention speaks of.
struct File<'a> {
    source: &'a Source,
    module: ModuleId,
    convention: &'a Convention,
}

impl<'p> Interp<'p> {
    /// The routes of all files that a convention speaks of.
    pub(super) fn routes_by_convention(&mut self) -> Vec<Found> {
        let project = self.project;
        let known: Vec<Known<'p>> = project
            .library
            .in_ecosystems()
            .flat_map(|(_, _, pack)| {
                pack.conventions
                    .iter()
                    .map(move |convention| (pack, convention))
            })
            .map(|(pack, convention)| Known {
                pack,
                convention,
                globs: globs(&convention.files),
            })
            .collect();
        let mut found = Vec::new();
        for source in project.sources.iter().filter(|source| source.routes) {
            let below = below_root(source);
            let matching: Vec<&Known<'p>> = known
                .iter()
                .filter(|known| known.globs.is_match(below))
                .collect();
            for known in matching {
                if !self.convention_holds(known, source) {
                    continue;
                }
                self.steps = STEPS;
                found.extend(self.routes_of_file(source, known.convention));
            }
        }
        found
    }

    /// Whether a convention holds for a file: its versions do, its directive stands there, and,
    /// where the name of the file alone would be weak evidence, the project has the package.
    fn convention_holds(&self, known: &Known<'p>, source: &Source) -> bool {
        let world = self.project.world;
        let convention = known.convention;
        if let Some(directive) = &convention.directive {
            let module = world.module(&source.path);
            let has = |directives: &[Name]| directives.iter().any(|own| own == directive);
            return has(&module.directives) || !with_directive(&module, directive).is_empty();
        }
        let versions = world.versions(&source.path, &known.pack.package);
        if !admitted(convention, &versions) {
            return false;
        }
        convention.exports == ExportStyle::Methods
            || !versions.is_empty()
            || self.imports(source, known.pack)
    }

    /// Whether a file of the same package imports something of a pack.
    fn imports(&self, source: &Source, pack: &Pack) -> bool {
        let world = self.project.world;
        let mut siblings = self
            .project
            .sources
            .iter()
            .filter(|other| other.app_root == source.app_root);
        siblings.any(|other| {
            let module = world.module(&other.path);
            module.imports.iter().any(|import| {
                let leads = import.source.starts_with(pack.package.as_str());
                leads && matches!(world.resolve(&other.path, &import.source), Target::Package { name, .. } if name == pack.package)
            })
        })
    }

    fn routes_of_file(&mut self, source: &Source, convention: &Convention) -> Vec<Found> {
        let module = self.load(&source.path);
        let file = File {
            source,
            module,
            convention,
        };
        match convention.exports {
            ExportStyle::Methods => self.exported_methods(&file),
            ExportStyle::DefaultByMethod => self.split_by_method(&file),
            ExportStyle::Default => self.exported_page(&file, "default"),
            ExportStyle::All => self.exported_actions(&file),
            ExportStyle::Named => self.first_named(&file),
        }
    }

    /// Each export that is called as a method.
    fn exported_methods(&mut self, file: &File<'_>) -> Vec<Found> {
        let Some(path) = path_of(file) else {
            return Vec::new();
        };
        let settings = self.settings_of(file.module, file.convention);
        let names = self.names_among(file, &file.convention.methods);
        let mut found = Vec::new();
        for name in names {
            let Some((value, at)) = self.handler_export(file.module, &name) else {
                continue;
            };
            let handler = handler(file.convention, value, Some(name.clone()));
            found.push(route(
                file,
                format!("{name} {path}"),
                path.clone(),
                at,
                vec![handler],
                &settings,
            ));
        }
        found
    }

    /// The exported names among some, in their order there.
    fn names_among(&mut self, file: &File<'_>, wanted: &[String]) -> Vec<Name> {
        let exported: BTreeSet<Name> = self
            .exported_names(file.module)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let module = self.modules[file.module.0 as usize].module.clone();
        let whole = module
            .exports
            .iter()
            .any(|export| matches!(export.kind, ExportKind::Module));
        let wanted = wanted.iter().map(Name::from);
        wanted
            .filter(|name| whole || exported.contains(name))
            .collect()
    }

    /// The value of an export that may be a handler, and where it is declared.
    fn handler_export(&mut self, module: ModuleId, name: &Name) -> Option<(Value, At)> {
        self.touch(module);
        let value = self.export_if_any(module, name)?;
        if value.alternatives().iter().all(Value::is_absent) {
            return None;
        }
        let at = self.declared_at(module, name).unwrap_or(At {
            module,
            span: Span::default(),
        });
        Some((value, at))
    }

    /// The default export, once for each method that its file compares with the request's.
    fn split_by_method(&mut self, file: &File<'_>) -> Vec<Found> {
        let Some(path) = path_of(file) else {
            return Vec::new();
        };
        let Some((value, at)) = self.handler_export(file.module, &"default".into()) else {
            return Vec::new();
        };
        let settings = self.settings_of(file.module, file.convention);
        let home = self.modules[at.module.0 as usize].module.clone();
        let methods = compared(&home, &file.convention.methods);
        if methods.is_empty() {
            let handler = handler(file.convention, value, None);
            return vec![route(
                file,
                format!("{ANY} {path}"),
                path,
                at,
                vec![handler],
                &settings,
            )];
        }
        let of = |name: Name| {
            let handler = handler(file.convention, value.clone(), Some(name.clone()));
            route(
                file,
                format!("{name} {path}"),
                path.clone(),
                at,
                vec![handler],
                &settings,
            )
        };
        methods.into_iter().map(of).collect()
    }

    /// A page: side by side with what stands around it.
    fn exported_page(&mut self, file: &File<'_>, name: &str) -> Vec<Found> {
        let Some(path) = path_of(file) else {
            return Vec::new();
        };
        let Some((value, at)) = self.handler_export(file.module, &name.into()) else {
            return Vec::new();
        };
        let settings = self.settings_of(file.module, file.convention);
        let mut handlers = vec![handler(file.convention, value, None)];
        self.beside_of(file.module, file.convention, &mut handlers);
        for above in self.files_above(file) {
            let module = self.load(&above);
            if let Some((value, _)) = self.handler_export(module, &"default".into()) {
                handlers.push(handler(file.convention, value, None));
            }
            self.beside_of(module, file.convention, &mut handlers);
        }
        let word = file.convention.word.as_deref().unwrap_or(ANY);
        vec![route(
            file,
            format!("{word} {path}"),
            path,
            at,
            handlers,
            &settings,
        )]
    }

    /// Other exports of a file that run for each request.
    fn beside_of(
        &mut self,
        module: ModuleId,
        convention: &Convention,
        handlers: &mut Vec<Handler>,
    ) {
        for name in &convention.beside {
            if let Some((value, _)) = self.handler_export(module, &Name::from(name.as_str()))
                && crate::evaluate::calls::is_function(&value)
            {
                handlers.push(handler(convention, value, None));
            }
        }
    }

    /// The files of a convention's stems in the folders from its root down to a file.
    fn files_above(&self, file: &File<'_>) -> Vec<String> {
        let folder = file
            .source
            .path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let is_above = |other: &&Source| {
            let (other_folder, name) = other.path.rsplit_once('/').unwrap_or(("", &other.path));
            let stem = name.split('.').next().unwrap_or(name);
            let around = other_folder == folder || folder.starts_with(&format!("{other_folder}/"));
            let inside = other_folder
                .split('/')
                .any(|part| file.convention.root.iter().any(|root| root == part));
            around
                && inside
                && other.app_root == file.source.app_root
                && file.convention.above.iter().any(|above| above == stem)
        };
        self.project
            .sources
            .iter()
            .filter(is_above)
            .map(|other| other.path.clone())
            .collect()
    }

    /// The first of the named exports that there is.
    fn first_named(&mut self, file: &File<'_>) -> Vec<Found> {
        let names = self.names_among(file, &file.convention.names);
        for name in names {
            let Some((value, at)) = self.handler_export(file.module, &name) else {
                continue;
            };
            let settings = self.settings_of(file.module, file.convention);
            let word = file.convention.word.as_deref().unwrap_or(ANY);
            let path = match &settings.matchers {
                Some(matchers) if matchers.is_empty() => "/*".to_string(),
                Some(matchers) => matchers.join(","),
                None => match path_of(file) {
                    Some(path) => path,
                    None => return Vec::new(),
                },
            };
            let handler = handler(file.convention, value, None);
            return vec![route(
                file,
                format!("{word} {path}"),
                path,
                at,
                vec![handler],
                &settings,
            )];
        }
        Vec::new()
    }

    /// The exported functions of a file with a directive, or the functions that have it themselves.
    fn exported_actions(&mut self, file: &File<'_>) -> Vec<Found> {
        let Some(directive) = file.convention.directive.as_deref() else {
            return Vec::new();
        };
        let loaded = self.modules[file.module.0 as usize].module.clone();
        let mut found = Vec::new();
        if loaded.directives.iter().any(|own| own == directive) {
            let names: Vec<Name> = self
                .exported_names(file.module)
                .into_iter()
                .map(|(name, _)| name)
                .collect();
            for name in names {
                let Some((value, at)) = self.handler_export(file.module, &name) else {
                    continue;
                };
                if value.alternatives().iter().any(may_be_called) {
                    found.push(self.action(file, &name, value, at));
                }
            }
            return found;
        }
        for function in with_directive(&loaded, directive) {
            let own = loaded.function(function);
            let (line, _) = loaded.line_column(own.span.start);
            let name = own.name.clone().unwrap_or_else(|| format!("{line}").into());
            let reference = FunctionRef {
                module: file.module,
                function,
            };
            let value = self.value_of_function(reference);
            let at = At {
                module: file.module,
                span: own.span,
            };
            found.push(self.action(file, &name, value, at));
        }
        found
    }

    fn action(&mut self, file: &File<'_>, name: &Name, value: Value, at: At) -> Found {
        let path = format!("{}#{name}", below_root(file.source));
        let word = file.convention.word.as_deref().unwrap_or(ANY);
        let handler = handler(file.convention, value, None);
        route(
            file,
            format!("{word} {path}"),
            path,
            at,
            vec![handler],
            &Settings::default(),
        )
    }
}

/// Whether a convention holds for one of the versions; for none that is known it may.
fn admitted(convention: &Convention, versions: &[semver::Version]) -> bool {
    let admits = |range: &semver::VersionReq| {
        versions
            .iter()
            .any(|version| crate::rules::matches(range, version))
    };
    versions.is_empty() || convention.versions.as_ref().is_none_or(admits)
}

/// Whether a value is no plain data.
fn may_be_called(value: &Value) -> bool {
    matches!(
        value,
        Value::Function(_)
            | Value::Native(_)
            | Value::Unknown(_)
            | Value::Imported(_)
            | Value::Rule(_)
    )
}

fn handler(convention: &Convention, value: Value, method: Option<Name>) -> Handler {
    Handler {
        chain: vec![value],
        given: convention.given.clone(),
        middleware_given: Vec::new(),
        answers: convention.answers.clone(),
        fallbacks: Vec::new(),
        method,
        context_of: None,
        context_data: Vec::new(),
        context_bound: Vec::new(),
    }
}

fn route(
    file: &File<'_>,
    name: String,
    path: String,
    at: At,
    handlers: Vec<Handler>,
    settings: &Settings,
) -> Found {
    let word = name.split(' ').next();
    let is_method = word
        .is_some_and(|word| word == ANY || file.convention.methods.iter().any(|own| own == word));
    let health = is_method && paths::is_health(&path);
    // A handler that hands every request to routes that are found by themselves serves nothing.
    let data = |handler: &Handler| {
        handler
            .chain
            .iter()
            .all(|value| matches!(value, Value::Opaque | Value::Router(_)))
    };
    Found {
        name,
        path,
        app: file.source.app.clone(),
        app_root: file.source.app_root.clone(),
        at,
        serves_others: handlers.iter().all(data),
        handlers,
        role: file
            .convention
            .role
            .clone()
            .or_else(|| health.then(|| "health".to_string())),
        within: None,
        max_duration: settings.max_duration.clone(),
        runtime: settings.runtime.clone(),
        matchers: settings.matchers.clone(),
    }
}

fn path_of(file: &File<'_>) -> Option<String> {
    let convention = file.convention;
    paths::of_file(
        below_root(file.source),
        &convention.root,
        &convention.index,
        &convention.prefix,
    )
}

/// The path of a file from the folder of its package.
fn below_root(source: &Source) -> &str {
    source
        .path
        .strip_prefix(source.app_root.as_str())
        .unwrap_or(&source.path)
        .trim_start_matches('/')
}

/// A pattern that is none matches nothing: packs are checked for that.
fn globs(patterns: &[String]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        if let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() {
            set.add(glob);
        }
    }
    set.build().unwrap_or_default()
}
