//! A compact, readable rendering of a lowered module, for the expected files.

use std::fmt::Write;

use overrun::program::*;

pub fn dump(module: &Module) -> String {
    let mut out = Dump {
        module,
        text: String::new(),
    };
    out.module();
    out.text
}

struct Dump<'m> {
    module: &'m Module,
    text: String,
}

impl Dump<'_> {
    fn line(&mut self, indent: usize, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}{}", "  ".repeat(indent), text.as_ref());
    }

    fn at(&self, offset: u32) -> String {
        let (line, column) = self.module.line_column(offset);
        format!("{line}:{column}")
    }

    fn places(&self, spans: &[Span]) -> String {
        let places: Vec<String> = spans.iter().map(|span| self.at(span.start)).collect();
        places.join(" ")
    }

    fn module(&mut self) {
        let module = self.module;
        for directive in &module.directives {
            self.line(0, format!("directive {directive:?}"));
        }
        for gap in &module.gaps {
            let (start, end) = (self.at(gap.span.start), self.at(gap.span.end));
            self.line(0, format!("gap {start} to {end}: {}", gap.message));
        }
        for import in &module.imports {
            let local = import.local.as_deref().unwrap_or("-");
            let line = format!("import {local} = {:?} of {:?}", import.what, import.source);
            self.line(0, line);
        }
        for import in &module.outer {
            let local = import.local.as_deref().unwrap_or("-");
            let line = format!("outer {local} = {:?} of {:?}", import.what, import.source);
            self.line(0, line);
        }
        for export in &module.exports {
            self.line(0, format!("export {:?}", export.kind));
        }
        for attached in &module.annotations {
            let (comment, start) = (
                self.at(attached.comment.start),
                self.at(attached.target.start),
            );
            let end = self.at(attached.target.end);
            self.line(
                0,
                format!(
                    "annotation {comment} on {start} to {end}: {:?}",
                    attached.annotation
                ),
            );
        }
        for bad in &module.bad_annotations {
            let line = format!(
                "bad annotation {}: {}",
                self.at(bad.comment.start),
                bad.message
            );
            self.line(0, line);
        }
        let awaits = self.places(&module.awaits);
        self.line(0, format!("body awaits [{awaits}]"));
        self.statements(1, &module.body);
        for (index, function) in module.functions.iter().enumerate() {
            self.function(index, function);
        }
        self.declarations();
        for (name, inner) in &module.inner {
            self.line(0, format!("module {name}"));
            for line in dump(inner).lines() {
                self.line(1, line);
            }
        }
    }

    fn function(&mut self, index: usize, function: &Function) {
        let mut words = vec![format!("fn {index}")];
        words.push(function.name.as_deref().unwrap_or("-").to_string());
        words.extend(function.is_async.then(|| "async".to_string()));
        words.extend(function.is_generator.then(|| "generator".to_string()));
        words.extend(function.lexical_this.then(|| "lexical".to_string()));
        words.extend(function.directives.iter().map(|d| format!("{d:?}")));
        let params: Vec<String> = function
            .params
            .iter()
            .map(|param| self.param(param))
            .collect();
        words.push(format!("({})", params.join(", ")));
        words.extend(
            function
                .returns
                .as_ref()
                .map(|ty| format!(": {}", type_text(ty))),
        );
        let (start, end) = (self.at(function.span.start), self.at(function.span.end));
        words.push(format!(
            "{start} to {end} awaits [{}]",
            self.places(&function.awaits)
        ));
        self.line(0, words.join(" "));
        self.statements(1, &function.body);
    }

    fn param(&self, param: &Param) -> String {
        let rest = if param.rest { "..." } else { "" };
        let field = if param.field { "field " } else { "" };
        let ty = param
            .ty
            .as_ref()
            .map(|ty| format!(": {}", type_text(ty)))
            .unwrap_or_default();
        format!("{field}{rest}{}{ty}", self.pattern(&param.pattern))
    }

    fn statements(&mut self, indent: usize, list: &[Stmt]) {
        for statement in list {
            self.statement(indent, statement);
        }
    }

    fn block(&mut self, indent: usize, head: &str, list: &[Stmt]) {
        self.line(indent, head);
        self.statements(indent + 1, list);
    }

    fn statement(&mut self, indent: usize, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Let {
                pattern,
                ty,
                init,
                constant,
                hoisted,
            } => {
                let word = match (constant, hoisted) {
                    (true, _) => "const",
                    (false, true) => "var",
                    (false, false) => "let",
                };
                let ty = ty
                    .as_ref()
                    .map(|ty| format!(": {}", type_text(ty)))
                    .unwrap_or_default();
                let pattern = self.pattern(pattern);
                match init {
                    Some(Expr {
                        kind: ExprKind::Class(class),
                        ..
                    }) => {
                        self.line(indent, format!("{word} {pattern}{ty} ="));
                        self.class(indent + 1, class);
                    }
                    Some(init) => {
                        let init = self.expr(init);
                        self.line(indent, format!("{word} {pattern}{ty} = {init}"));
                    }
                    None => self.line(indent, format!("{word} {pattern}{ty}")),
                }
            }
            StmtKind::Function { name, function } => {
                self.line(indent, format!("function {name} fn{}", function.0));
            }
            StmtKind::Class { class, .. } => self.class(indent, class),
            StmtKind::Expr(e) => self.line(indent, self.expr(e)),
            StmtKind::Return(value) => {
                let value = value
                    .as_ref()
                    .map(|value| self.expr(value))
                    .unwrap_or_default();
                self.line(indent, format!("return {value}"));
            }
            StmtKind::Throw(value) => self.line(indent, format!("throw {}", self.expr(value))),
            StmtKind::If { test, then, other } => {
                let test = self.expr(test);
                self.block(indent, &format!("if {test}"), then);
                if !other.is_empty() {
                    self.block(indent, "else", other);
                }
            }
            StmtKind::Try {
                body,
                handler,
                finally,
            } => {
                self.block(indent, "try", body);
                if let Some(handler) = handler {
                    let pattern = handler
                        .pattern
                        .as_ref()
                        .map(|pattern| self.pattern(pattern));
                    let head = format!("catch {}", pattern.unwrap_or_default());
                    self.block(indent, &head, &handler.body);
                }
                if let Some(finally) = finally {
                    self.block(indent, "finally", finally);
                }
            }
            StmtKind::Switch { subject, cases } => {
                let subject = self.expr(subject);
                self.line(indent, format!("switch {subject}"));
                for case in cases {
                    let test = case.test.as_ref().map(|test| self.expr(test));
                    let head = test.map_or("default".to_string(), |test| format!("case {test}"));
                    self.block(indent + 1, &head, &case.body);
                }
            }
            StmtKind::Labelled { label, body } => {
                self.line(indent, format!("label {label}"));
                self.statement(indent + 1, body);
            }
            StmtKind::Block(body) => self.block(indent, "block", body),
            StmtKind::Break(label) => self.line(indent, jump("break", label)),
            StmtKind::Continue(label) => self.line(indent, jump("continue", label)),
            StmtKind::Empty => self.line(indent, "empty"),
            StmtKind::Import(import) => {
                let local = import.local.as_deref().unwrap_or("-");
                let line = format!("import {local} = {:?} of {:?}", import.what, import.source);
                self.line(indent, line);
            }
            StmtKind::Type { name, item } => self.line(indent, format!("type {name} {}", item.0)),
            kind => self.a_loop(indent, kind),
        }
    }

    fn a_loop(&mut self, indent: usize, kind: &StmtKind) {
        match kind {
            StmtKind::ForOf {
                pattern,
                declares,
                iterable,
                body,
                asynchronous,
            } => {
                let word = if *asynchronous { "for-await" } else { "for-of" };
                let declares = if *declares { "let " } else { "" };
                let (pattern, iterable) = (self.pattern(pattern), self.expr(iterable));
                self.block(
                    indent,
                    &format!("{word} {declares}{pattern} of {iterable}"),
                    body,
                );
            }
            StmtKind::ForIn {
                pattern,
                declares,
                object,
                body,
            } => {
                let declares = if *declares { "let " } else { "" };
                let (pattern, object) = (self.pattern(pattern), self.expr(object));
                self.block(
                    indent,
                    &format!("for-in {declares}{pattern} in {object}"),
                    body,
                );
            }
            StmtKind::For {
                init,
                test,
                update,
                body,
            } => {
                let one = |e: &Option<Expr>| e.as_ref().map(|e| self.expr(e)).unwrap_or_default();
                let head = format!(
                    "for test {} update {}",
                    one(test),
                    one(&update.as_deref().cloned())
                );
                self.line(indent, head);
                self.block(indent + 1, "init", init);
                self.block(indent + 1, "do", body);
            }
            StmtKind::While { test, body } => {
                let test = self.expr(test);
                self.block(indent, &format!("while {test}"), body);
            }
            StmtKind::DoWhile { body, test } => {
                self.block(indent, "do", body);
                let test = self.expr(test);
                self.line(indent, format!("while {test}"));
            }
            other => self.line(indent, format!("{other:?}")),
        }
    }

    fn class(&mut self, indent: usize, class: &Class) {
        let parent = class
            .parent
            .as_ref()
            .map(|parent| format!(" extends {}", self.expr(parent)));
        let name = class.name.as_deref().unwrap_or("-");
        self.line(
            indent,
            format!("class {name}{}", parent.unwrap_or_default()),
        );
        if let Some(constructor) = class.constructor {
            self.line(indent + 1, format!("constructor fn{}", constructor.0));
        }
        for member in &class.members {
            let is_static = if member.is_static { "static " } else { "" };
            let kind = match &member.kind {
                MemberKind::Method(id) => format!("method fn{}", id.0),
                MemberKind::Getter(id) => format!("getter fn{}", id.0),
                MemberKind::Setter(id) => format!("setter fn{}", id.0),
                MemberKind::Block(id) => format!("block fn{}", id.0),
                MemberKind::Field(None) => "field".to_string(),
                MemberKind::Field(Some(value)) => format!("field = {}", self.expr(value)),
            };
            let key = self.key(&member.key);
            self.line(indent + 1, format!("{is_static}{key} {kind}"));
        }
    }

    fn key(&self, key: &Key) -> String {
        match key {
            Key::Name(name) => name.to_string(),
            Key::Computed(e) => format!("[{}]", self.expr(e)),
        }
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        match &pattern.kind {
            PatternKind::Name(name) => name.to_string(),
            PatternKind::Object { fields, rest } => {
                let mut parts: Vec<String> = fields
                    .iter()
                    .map(|f| format!("{}: {}", self.key(&f.key), self.pattern(&f.pattern)))
                    .collect();
                parts.extend(rest.iter().map(|rest| format!("...{}", self.pattern(rest))));
                format!("{{{}}}", parts.join(", "))
            }
            PatternKind::List { items, rest } => {
                let item = |item: &Option<Pattern>| match item {
                    Some(item) => self.pattern(item),
                    None => "_".to_string(),
                };
                let mut parts: Vec<String> = items.iter().map(item).collect();
                parts.extend(rest.iter().map(|rest| format!("...{}", self.pattern(rest))));
                format!("[{}]", parts.join(", "))
            }
            PatternKind::Default { pattern, value } => {
                format!("{} = {}", self.pattern(pattern), self.expr(value))
            }
            PatternKind::Place(place) => self.expr(place),
            PatternKind::Ignore => "_".to_string(),
            PatternKind::Bind { name, pattern } => format!("{name} @ {}", self.pattern(pattern)),
            PatternKind::Case { of, inner } => {
                let inner = inner.as_ref().map(|inner| self.pattern(inner));
                format!("is {} {}", self.expr(of), inner.unwrap_or_default())
            }
            PatternKind::Equal(value) => format!("= {}", self.expr(value)),
            PatternKind::Between {
                start,
                end,
                inclusive,
            } => self.between(start, end, *inclusive),
            PatternKind::Either(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.pattern(part)).collect();
                parts.join(" | ")
            }
            PatternKind::Ends { first, rest, last } => {
                let part = |part: &Pattern| self.pattern(part);
                let mut parts: Vec<String> = first.iter().map(part).collect();
                parts.extend(rest.iter().map(|rest| format!("..{}", self.pattern(rest))));
                parts.extend(last.iter().map(part));
                format!("ends [{}]", parts.join(", "))
            }
        }
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter()
            .map(|e| self.expr(e))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn args(&self, args: &[Argument]) -> String {
        let arg = |arg: &Argument| {
            let name = arg.name.as_ref().map(|name| format!("{name}: "));
            format!(
                "{}{}{}",
                name.unwrap_or_default(),
                if arg.spread { "..." } else { "" },
                self.expr(&arg.value)
            )
        };
        args.iter().map(arg).collect::<Vec<_>>().join(", ")
    }

    fn template(&self, texts: &[Name], values: &[Expr]) -> String {
        let mut out = String::new();
        for (index, text) in texts.iter().enumerate() {
            out.push_str(text);
            if let Some(value) = values.get(index) {
                let _ = write!(out, "${{{}}}", self.expr(value));
            }
        }
        format!("`{out}`")
    }

    fn expr(&self, e: &Expr) -> String {
        let mark = |optional: &bool| if *optional { "?" } else { "" };
        match &e.kind {
            ExprKind::Name(name) | ExprKind::Item(name) => name.to_string(),
            ExprKind::This => "this".to_string(),
            ExprKind::Super => "super".to_string(),
            ExprKind::Text(text) => format!("{text:?}"),
            ExprKind::Template { texts, values } => self.template(texts, values),
            ExprKind::Tagged { tag, texts, values } => {
                format!("{}{}", self.expr(tag), self.template(texts, values))
            }
            ExprKind::Number(number) => format!("{number}"),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Null => "null".to_string(),
            ExprKind::Undefined => "undefined".to_string(),
            ExprKind::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.element(item)).collect();
                format!("[{}]", items.join(", "))
            }
            ExprKind::Object(fields) => {
                let fields: Vec<String> = fields.iter().map(|field| self.property(field)).collect();
                format!("{{{}}}", fields.join(", "))
            }
            ExprKind::Function(id) => format!("fn{}", id.0),
            ExprKind::Class(class) => format!("class {}", class.name.as_deref().unwrap_or("-")),
            ExprKind::Member {
                object,
                name,
                optional,
            } => {
                format!("{}{}.{name}", self.expr(object), mark(optional))
            }
            ExprKind::Index {
                object,
                index,
                optional,
            } => {
                format!(
                    "{}{}[{}]",
                    self.expr(object),
                    mark(optional),
                    self.expr(index)
                )
            }
            ExprKind::Call {
                callee,
                args,
                optional,
            } => {
                format!(
                    "{}{}({})",
                    self.expr(callee),
                    mark(optional),
                    self.args(args)
                )
            }
            ExprKind::New { callee, args } => {
                format!("new {}({})", self.expr(callee), self.args(args))
            }
            ExprKind::Await(inner) => format!("await({})", self.expr(inner)),
            ExprKind::Yield { value, delegate } => {
                let star = if *delegate { "*" } else { "" };
                let value = value
                    .as_ref()
                    .map(|value| self.expr(value))
                    .unwrap_or_default();
                format!("yield{star}({value})")
            }
            _ => self.operator(e),
        }
    }

    fn element(&self, item: &Element) -> String {
        let spread = if item.spread { "..." } else { "" };
        format!("{spread}{}", self.expr(&item.value))
    }

    fn property(&self, property: &Property) -> String {
        match property {
            Property::Field { key, value } => format!("{}: {}", self.key(key), self.expr(value)),
            Property::Getter { key, function } => {
                format!("get {}: fn{}", self.key(key), function.0)
            }
            Property::Setter { key, function } => {
                format!("set {}: fn{}", self.key(key), function.0)
            }
            Property::Spread(value) => format!("...{}", self.expr(value)),
        }
    }

    fn operator(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Unary { op, operand } => format!("{op:?}({})", self.expr(operand)),
            ExprKind::Binary { op, left, right } => {
                format!("({} {op:?} {})", self.expr(left), self.expr(right))
            }
            ExprKind::Logical { op, left, right } => {
                format!("({} {op:?} {})", self.expr(left), self.expr(right))
            }
            ExprKind::Conditional { test, then, other } => {
                format!(
                    "({} ? {} : {})",
                    self.expr(test),
                    self.expr(then),
                    self.expr(other)
                )
            }
            ExprKind::Assign { op, target, value } => {
                let op = match op {
                    AssignOp::Set => "=".to_string(),
                    AssignOp::Binary(op) => format!("{op:?}="),
                    AssignOp::Logical(op) => format!("{op:?}="),
                };
                format!("({} {op} {})", self.pattern(target), self.expr(value))
            }
            ExprKind::Update { by, prefix, target } => {
                let when = if *prefix { "before" } else { "after" };
                format!("(update {} by {by} {when})", self.pattern(target))
            }
            ExprKind::Sequence(parts) => format!("({})", self.list(parts)),
            ExprKind::Import(source) => format!("import({})", self.expr(source)),
            ExprKind::Opaque(parts) => format!("opaque({})", self.list(parts)),
            ExprKind::Render { component, props } => {
                let props: Vec<String> = props.iter().map(|prop| self.property(prop)).collect();
                format!("render {}({{{}}})", self.expr(component), props.join(", "))
            }
            ExprKind::Gap {
                what,
                awaits,
                parts,
            } => {
                format!("gap({what}, {awaits} awaits; {})", self.list(parts))
            }
            kind => self.inner(kind),
        }
    }

    /// Expressions that statements and patterns stand in.
    fn inner(&self, kind: &ExprKind) -> String {
        let guard = |guard: &Option<Expr>| match guard {
            Some(guard) => format!(" if {}", self.expr(guard)),
            None => String::new(),
        };
        match kind {
            ExprKind::Block { body, value } => {
                let mut parts = self.in_line(body);
                parts.extend(value.as_ref().map(|value| self.expr(value)));
                format!("{{ {} }}", parts.join("; "))
            }
            ExprKind::Match { subject, arms } => {
                let arm = |arm: &MatchArm| {
                    let pattern = self.pattern(&arm.pattern);
                    format!("{pattern}{} => {}", guard(&arm.guard), self.expr(&arm.body))
                };
                let arms: Vec<String> = arms.iter().map(arm).collect();
                format!("match {} {{ {} }}", self.expr(subject), arms.join(", "))
            }
            ExprKind::Select {
                of,
                arms,
                otherwise,
            } => {
                let arm = |arm: &SelectArm| {
                    let pattern = self.pattern(&arm.pattern);
                    let future = self.expr(&arm.future);
                    let guard = guard(&arm.guard);
                    format!("{pattern} = {future}{guard} => {}", self.expr(&arm.body))
                };
                let mut arms: Vec<String> = arms.iter().map(arm).collect();
                arms.extend(
                    otherwise
                        .as_ref()
                        .map(|body| format!("else => {}", self.expr(body))),
                );
                format!("select {} {{ {} }}", self.expr(of), arms.join(", "))
            }
            ExprKind::Lent(place) => self.expr(place),
            ExprKind::Try(inner) => format!("try({})", self.expr(inner)),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => self.between(start, end, *inclusive),
            ExprKind::Record { of, fields } => {
                let fields = Expr {
                    span: of.span,
                    kind: ExprKind::Object(fields.clone()),
                };
                format!("{} {}", self.expr(of), self.expr(&fields))
            }
            ExprKind::Repeat { value, count } => {
                format!("[{}; {}]", self.expr(value), self.expr(count))
            }
            ExprKind::Cast { value, to } => {
                let to = match to {
                    Conversion::Whole { least, most } => format!("{least:e}..={most:e}"),
                    Conversion::Fraction => "fraction".to_string(),
                    Conversion::Type(ty) => ty.as_deref().map_or("_".to_string(), type_text),
                };
                format!("({} as {to})", self.expr(value))
            }
            other => format!("{other:?}"),
        }
    }

    fn between(
        &self,
        start: &Option<Box<Expr>>,
        end: &Option<Box<Expr>>,
        inclusive: bool,
    ) -> String {
        let one = |end: &Option<Box<Expr>>| end.as_ref().map(|e| self.expr(e)).unwrap_or_default();
        let dots = if inclusive { "..=" } else { ".." };
        format!("({}{dots}{})", one(start), one(end))
    }

    /// Statements on one line, a word for each level that they stand in.
    fn in_line(&self, body: &[Stmt]) -> Vec<String> {
        let mut inner = Dump {
            module: self.module,
            text: String::new(),
        };
        inner.statements(0, body);
        let lines = inner.text.lines();
        lines
            .map(|line| {
                let depth = (line.len() - line.trim_start().len()) / 2;
                format!("{}{}", "> ".repeat(depth), line.trim_start())
            })
            .collect()
    }

    fn declarations(&mut self) {
        let declared = &self.module.declarations;
        for (span, condition) in &declared.conditions {
            let at = self.at(span.start);
            self.line(0, format!("condition {at} {condition:?}"));
        }
        for (what, parts) in [
            ("left out", &declared.left_out),
            ("unread", &declared.unread),
        ] {
            for part in parts {
                let (from, to) = (self.at(part.span.start), self.at(part.span.end));
                self.line(0, format!("{what} {from} to {to} awaits {}", part.awaits));
            }
        }
        for one in &declared.macros {
            let at = self.at(one.span.start);
            let length = one.text.len();
            let line = format!(
                "macro {} {at} awaits {}, {length} bytes",
                one.name, one.awaits
            );
            self.line(0, line);
        }
        for (span, types) in &declared.instantiations {
            let types: Vec<String> = types.iter().map(type_text).collect();
            let (from, to) = (self.at(span.start), self.at(span.end));
            self.line(0, format!("types {from} to {to} <{}>", types.join(", ")));
        }
        for (span, marker) in &declared.markers {
            let at = self.at(span.start);
            self.line(0, format!("marker of {at} {}", self.marker(marker)));
        }
        for (id, generics) in &declared.generics {
            self.line(
                0,
                format!("generics of fn{} {}", id.0, generics_text(generics)),
            );
        }
        for item in &declared.types {
            self.type_item(item);
        }
        for implementation in &declared.implementations {
            let of = implementation.interface.as_ref().map(type_text);
            let of = of.map(|of| format!("{of} for ")).unwrap_or_default();
            let target = type_text(&implementation.target);
            let generics = generics_text(&implementation.generics);
            self.line(0, format!("implementation {of}{target} {generics}"));
            self.members(&implementation.members);
        }
    }

    fn type_item(&mut self, item: &TypeItem) {
        let generics = generics_text(&item.generics);
        let markers = self.markers(&item.markers);
        let head = |what: &str| format!("type {} {what} {generics}{markers}", item.name);
        match &item.kind {
            TypeKind::Record { fields, tuple } => {
                self.line(0, head(if *tuple { "tuple" } else { "record" }));
                self.fields(1, fields);
            }
            TypeKind::Variants(variants) => {
                self.line(0, head("variants"));
                for variant in variants {
                    let value = variant.value.as_ref().map(|value| self.expr(value));
                    let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
                    let markers = self.markers(&variant.markers);
                    self.line(1, format!("{}{value}{markers}", variant.name));
                    self.fields(2, &variant.fields);
                }
            }
            TypeKind::Alias(of) => self.line(0, head(&format!("= {}", type_text(of)))),
            TypeKind::Interface { parents, members } => {
                let parents: Vec<String> = parents.iter().map(type_text).collect();
                self.line(0, head(&format!("interface of [{}]", parents.join(", "))));
                self.members(members);
            }
        }
    }

    fn fields(&mut self, indent: usize, fields: &[Field]) {
        for field in fields {
            let markers = self.markers(&field.markers);
            let ty = type_text(&field.ty);
            self.line(indent, format!("{}: {ty}{markers}", field.name));
        }
    }

    fn members(&mut self, members: &[Member]) {
        for member in members {
            let kind = match &member.kind {
                MemberItem::Function { function, receiver } => {
                    let of = if *receiver { "method" } else { "function" };
                    format!("{of} fn{}", function.0)
                }
                MemberItem::Required {
                    receiver,
                    is_async,
                    returns,
                } => format!(
                    "required receiver {receiver} async {is_async} {}",
                    returns.as_ref().map(type_text).unwrap_or_default()
                ),
                MemberItem::Constant { ty, value } => format!(
                    "constant {} = {}",
                    type_text(ty),
                    value.as_ref().map(|v| self.expr(v)).unwrap_or_default()
                ),
                MemberItem::Type { is, bounds } => format!(
                    "type {} {:?}",
                    is.as_ref().map(type_text).unwrap_or_default(),
                    bounds.iter().map(type_text).collect::<Vec<_>>()
                ),
            };
            self.line(1, format!("{} {kind}", member.name));
        }
    }

    fn markers(&self, markers: &[Marker]) -> String {
        let markers = markers
            .iter()
            .map(|marker| format!(" {}", self.marker(marker)));
        markers.collect()
    }

    fn marker(&self, marker: &Marker) -> String {
        let arg = |arg: &Argument| match &arg.name {
            Some(name) => format!("{name} = {}", self.expr(&arg.value)),
            None => self.expr(&arg.value),
        };
        let args: Vec<String> = marker.args.iter().map(arg).collect();
        format!("#{}({})", marker.path.join("::"), args.join(", "))
    }
}

fn generics_text(generics: &Generics) -> String {
    let bound = |(ty, of): &(Type, Vec<Type>)| {
        let of: Vec<String> = of.iter().map(type_text).collect();
        format!("{}: {}", type_text(ty), of.join(" + "))
    };
    let bounds: Vec<String> = generics.bounds.iter().map(bound).collect();
    format!("<{}> [{}]", generics.params.join(", "), bounds.join(", "))
}

fn jump(word: &str, label: &Option<Name>) -> String {
    label
        .as_ref()
        .map_or(word.to_string(), |label| format!("{word} {label}"))
}

fn type_text(ty: &Type) -> String {
    let args: Vec<String> = ty.args.iter().map(type_text).collect();
    if ty.path.is_empty() {
        return format!("({})", args.join(" | "));
    }
    let path = ty.path.join(".");
    if args.is_empty() {
        path
    } else {
        format!("{path}<{}>", args.join(", "))
    }
}
