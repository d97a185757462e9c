//! The text of a sentence: the words around its expressions, in the spelling that fits the span.

use pdblens_formats::il::RegionKind;
use pdblens_formats::metadata::TableId;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};

use super::super::Statement;
use super::super::evaluate::{Evaluator, plain_name};
use super::super::has_compiler_name;
use super::super::library::Role;
use super::super::node::{Id, Kind};
use super::super::spelling::{Axis, Rendered, Spelling, fitting, width};
use super::super::text::{Writer, declared_type};
use super::super::types::{Class, class, unknown};
use super::{Ending, Sentence};

/// Texts that are written for one method in search of one that fits: a method of thousands of points is not shown at once.
const MAX_SPELLINGS: u32 = 8000;

impl Evaluator<'_, '_> {
    pub(super) fn spelled(&mut self, sentence: &Sentence, point: &SequencePoint, lambdas: usize) -> Statement {
        let is_first = self.note_declarations(sentence);
        let mut sentence = sentence.clone();
        if sentence.effects.len() > 1 {
            sentence.effects.retain(|effect| !self.is_implicit_base(*effect));
        }
        let span = (point.start_line == point.end_line).then(|| point.end_column.saturating_sub(point.start_column));
        let wanted = span.map_or(-1, i64::from);
        if wanted == 2 && matches!(sentence.ending, Ending::Condition(..)) {
            return Statement::new("in", true, true);
        }
        if (4..26).contains(&wanted)
            && self.is_automatic(&sentence)
            && let Some(accessor) = self.accessor(wanted)
        {
            return Statement::new(&accessor, true, true);
        }
        let usual = self.usual(&sentence, is_first);
        let render = |spelling: Spelling| {
            self.spellings.set(self.spellings.get() + 1);
            self.render(&sentence, spelling, is_first, lambdas)
        };
        let is_searched = wanted > 0 && self.spellings.get() < MAX_SPELLINGS;
        let first = render(usual);
        let found = if is_searched { fitting(usual, &first, wanted, self.style.get(), &render) } else { None };
        let fits = found.is_some() || !is_searched && width(&first.text) == wanted;
        let found = match found {
            Some((spelling, found)) => {
                self.learn(&sentence, is_first, spelling, &found);
                found
            }
            None if !is_searched => first,
            None => {
                // The head whose width is nearest.
                let all = (0..7).map(|head| render(usual.with(Axis::Head, head)));
                all.min_by_key(|found| (width(&found.text) - wanted).abs()).unwrap_or(first)
            }
        };
        let whole = found.whole && !found.text.is_empty() && !has_compiler_name(&found.text);
        let text = if found.text.is_empty() { self.fallback() } else { found.text };
        Statement { text, whole, fits }
    }

    /// The spelling that is tried first.
    fn usual(&self, sentence: &Sentence, is_first: bool) -> Spelling {
        let style = self.style.get();
        let declare = if is_first { u8::from(self.typed_more_often.get()) } else { 2 };
        let head = match sentence.ending {
            _ if self.is_before_base() => {
                if self.is_of_property(sentence) {
                    2
                } else {
                    3
                }
            }
            Ending::Condition(_, true) => 1,
            _ => 0,
        };
        Spelling::default()
            .with(Axis::Declare, declare)
            .with(Axis::Space, style.space.unwrap_or(0))
            .with(Axis::This, style.this.unwrap_or(0))
            .with(Axis::Head, head)
    }

    /// Learns the habits of the author from a text that fits.
    fn learn(&self, sentence: &Sentence, is_first: bool, spelling: Spelling, found: &Rendered) {
        let mut style = self.style.get();
        style.learn(spelling, found.used);
        self.style.set(style);
        if is_first {
            self.vote(&found.text, sentence);
        }
    }

    /// Notes whether the method writes `var` or the type, where both are not equally wide.
    fn vote(&self, text: &str, sentence: &Sentence) {
        let Some(effect) = sentence.effects.first() else { return };
        let ty = self.arena.get(*effect).kids.first().map_or_else(unknown, |target| self.arena.ty(*target));
        if !matches!(&*ty, Type::Primitive(Primitive::I4)) {
            self.typed_more_often.set(!text.starts_with("var "));
        }
    }

    /// Returns true for a point of a field initializer: in a constructor, a point before the call of the base constructor. In the static
    /// constructor of a type with the flag BeforeFieldInit, every point is one.
    fn is_before_base(&self) -> bool {
        if self.body.member.name.as_ref() == ".cctor" {
            return self.library.cell(TableId::TYPE_DEF, self.body.type_row, 0) & 0x10_0000 != 0;
        }
        self.body.member.name.as_ref() == ".ctor"
            && self.ends.get(self.arena.point).is_some_and(|range| range.0 < self.body.base_call)
    }

    fn is_of_property(&self, sentence: &Sentence) -> bool {
        let Some(effect) = sentence.effects.first() else { return false };
        let target = self.arena.get(*effect).kids.first();
        target.is_some_and(
            |target| matches!(self.arena.kind(*target), Kind::Field(field) if field.name.ends_with("k__BackingField")),
        )
    }

    /// Names of the calls, where nothing else is known.
    fn fallback(&self) -> String {
        self.calls.iter().map(|name| format!("{name}(…)")).collect::<Vec<_>>().join(" ")
    }

    /// Returns true for the body that the compiler gives to `get;` and `set;`.
    fn is_automatic(&self, sentence: &Sentence) -> bool {
        let value = match (&sentence.effects[..], &sentence.ending) {
            ([], Ending::Return(value)) => *value,
            ([only], Ending::Nothing) if !self.arena.get(*only).kids.is_empty() => self.arena.get(*only).kids[0],
            _ => return false,
        };
        matches!(self.arena.kind(self.arena.bare(value)), Kind::Field(field) if field.name.ends_with("k__BackingField"))
    }

    fn accessor(&self, wanted: i64) -> Option<String> {
        let member = &self.body.member;
        let words: &[&'static str] = match member.role {
            Role::Getter => &["get;"],
            Role::Setter => &["set;", "init;"],
            _ => return None,
        };
        let flags = self.library.cell(TableId::METHOD_DEF, member.row, 2);
        words.iter().find_map(|word| {
            let with_access = format!("{}{word}", access(flags));
            let is_plain = wanted == width(word);
            if is_plain { Some((*word).to_owned()) } else { (wanted == width(&with_access)).then_some(with_access) }
        })
    }

    /// Returns true if the statement gives a local variable its first value.
    fn note_declarations(&mut self, sentence: &Sentence) -> bool {
        let mut is_first = false;
        let offset = self.ends.get(self.arena.point).map_or(0, |range| range.1.saturating_sub(1));
        for effect in &sentence.effects {
            let node = self.arena.get(*effect);
            let Kind::Assign("=") = node.kind else { continue };
            let Kind::Name(name) = self.arena.kind(node.kids[0]) else { continue };
            let name = name.clone();
            let is_argument = self.body.view.arguments.iter().any(|argument| **argument == *name);
            let scope = self.body.scope_of(&name, offset);
            if !is_argument && !self.declared.iter().any(|(known, of)| *known == name && *of == scope) {
                self.declared.push((name, scope));
                is_first = true;
            }
        }
        is_first
    }

    fn render(&self, sentence: &Sentence, spelling: Spelling, is_first: bool, lambdas: usize) -> Rendered {
        let mut writer = Writer::new(self, spelling, lambdas);
        let head = writer.choice(Axis::Head);
        let is_alone = matches!(sentence.ending, Ending::Nothing);
        if is_alone
            && let [only] = sentence.effects[..]
            && self.is_implicit_base(only)
            && head < 5
        {
            self.constructor(&mut writer, head);
        } else {
            for (number, effect) in sentence.effects.iter().enumerate() {
                writer.push(if number > 0 { "; " } else { "" });
                self.effect(&mut writer, *effect, is_first, head, is_alone);
            }
            if !sentence.effects.is_empty() && !is_alone {
                writer.push("; ");
            }
            self.ending(&mut writer, &sentence.ending, head, !sentence.effects.is_empty());
        }
        Rendered { whole: writer.whole, used: writer.used, text: writer.out }
    }

    /// The call of a constructor of the base type that no source has.
    fn is_implicit_base(&self, effect: Id) -> bool {
        let node = self.arena.get(effect);
        matches!(&node.kind, Kind::Call(member) if member.role == Role::Constructor && member.parameters.is_empty())
            && node
                .kids
                .first()
                .is_some_and(|object| matches!(self.arena.kind(*object), Kind::Name(name) if name.as_ref() == "base"))
    }

    /// A constructor without `base(…)`: its point is on its own head.
    fn constructor(&self, writer: &mut Writer<'_, '_, '_>, head: u8) {
        let flags = self.library.cell(TableId::METHOD_DEF, self.body.member.row, 2);
        match head {
            0 => writer.push(access(flags)),
            1 => {}
            2 => return writer.push("{"),
            3 => return writer.push("base()"),
            _ => return writer.push("base();"),
        }
        let name = self.library.name_of(&self.body.member.owner).0;
        writer.push(name.split('`').next().unwrap_or_default());
        if writer.choice(Axis::Space) > 0 {
            writer.push(" ");
        }
        writer.push("(");
        for (number, ty) in self.body.member.parameters.iter().enumerate() {
            writer.push(if number > 0 { ", " } else { "" });
            if let Type::Reference(_) = &**ty {
                writer.push("ref ");
            }
            writer.ty(ty);
            writer.push(" ");
            let name = self.body.view.arguments.get(number + 1).cloned().unwrap_or_default();
            writer.name(&name);
        }
        writer.push(")");
    }

    fn effect(&self, writer: &mut Writer<'_, '_, '_>, effect: Id, is_first: bool, head: u8, is_alone: bool) {
        let node = self.arena.get(effect);
        let is_assignment = matches!(node.kind, Kind::Assign("="));
        if is_assignment && is_alone && head > 1 && self.initializer(writer, effect, head) {
            return;
        }
        let is_variable = is_assignment && matches!(self.arena.kind(node.kids[0]), Kind::Name(_));
        if is_variable && is_alone && is_first {
            writer.push(match head {
                2 if self.is_protected() => "using ",
                3 if self.is_protected() && self.body.kickoff.is_some() => "await using ",
                _ => "",
            });
        }
        if is_variable && (is_first || writer.spelling.get(Axis::Declare) != 2) {
            match writer.choice(Axis::Declare) {
                0 => writer.push("var "),
                1 => {
                    let ty = self.arena.ty(node.kids[0]);
                    declared_type(writer, &ty);
                    if class(&ty) == Class::Reference
                        && self.library.is_annotated()
                        && writer.choice(Axis::Annotated) > 1
                    {
                        writer.push("?");
                    }
                    writer.push(" ");
                }
                _ => {}
            }
        }
        writer.expression(effect);
        if is_assignment {
            self.bang(writer, node.kids[1]);
        }
        if is_alone && head != 1 {
            writer.push(";");
        }
    }

    /// Returns true if a `try` with a `finally` begins after the point: it is a `using`, a `lock`.
    fn is_protected(&self) -> bool {
        let end = self.ends.get(self.arena.point).map_or(0, |range| range.1);
        self.body.regions.iter().any(|region| matches!(region.kind, RegionKind::Finally) && region.tried.start == end)
    }

    /// Returns true if a hidden point goes on with what the point has computed.
    fn is_dispatched(&self) -> bool {
        self.body.view.points.get(self.arena.point + 1).is_some_and(SequencePoint::is_hidden)
    }

    fn follows_hidden(&self) -> bool {
        let before = self.arena.point.checked_sub(1).and_then(|index| self.body.view.points.get(index));
        before.is_some_and(SequencePoint::is_hidden)
    }

    /// The `!` that says that a value is not null.
    fn bang(&self, writer: &mut Writer<'_, '_, '_>, value: Id) {
        let node = self.arena.get(self.arena.bare(value));
        let may_be_null = matches!(
            node.kind,
            Kind::Property(_) | Kind::Field(_) | Kind::Call(_) | Kind::Cast(_) | Kind::As(_) | Kind::Null
        ) && !matches!(class(&node.ty), Class::Int(..) | Class::Bool);
        if may_be_null && self.library.is_annotated() && writer.choice(Axis::Bang) > 0 {
            writer.push("!");
        }
    }

    /// The initializer of a field or a property in a constructor: the whole declaration, or the value. Returns false for others.
    fn initializer(&self, writer: &mut Writer<'_, '_, '_>, effect: Id, head: u8) -> bool {
        let (target, value) = (self.arena.get(effect).kids[0], self.arena.get(effect).kids[1]);
        let Kind::Field(field) = self.arena.kind(target) else { return false };
        if !self.body.member.name.ends_with("ctor") || field.row == 0 {
            return false;
        }
        if head == 6 {
            // A parameter of a primary constructor that is a property.
            writer.ty(&field.ty);
            writer.push(" ");
            writer.name(&plain_name(&field.name));
            return true;
        }
        if head == 2 {
            writer.typed(value, &field.ty);
            return true;
        }
        let flags = self.library.cell(TableId::FIELD, field.row, 0);
        if head < 5 {
            writer.push(access(flags));
        }
        writer.push(if flags & 0x10 != 0 { "static " } else { "" });
        writer.push(if flags & 0x20 != 0 { "readonly " } else { "" });
        writer.ty(&field.ty);
        writer.push(" ");
        writer.name(&plain_name(&field.name));
        writer.push(" = ");
        writer.typed(value, &field.ty);
        writer.push(if head == 4 { "" } else { ";" });
        true
    }

    fn ending(&self, writer: &mut Writer<'_, '_, '_>, ending: &Ending, head: u8, has_effects: bool) {
        match ending {
            Ending::Nothing => {}
            Ending::Return(value) => self.returning(writer, *value, head),
            Ending::YieldBreak => writer.push("yield break;"),
            Ending::Variable(name, ty) => self.variable(writer, name, ty, head),
            Ending::Word(word) => writer.push(word),
            Ending::Value(value)
            | Ending::Condition(value, _)
            | Ending::Switch(value)
            | Ending::Throw(value)
            | Ending::Filter(value) => {
                let (before, after) = self.words_around(ending, if has_effects { 0 } else { head });
                writer.push(before);
                writer.expression(*value);
                writer.push(after);
            }
        }
    }

    /// The words before and after a value, by the form that is tried.
    fn words_around(&self, ending: &Ending, head: u8) -> (&'static str, &'static str) {
        match (ending, head) {
            (Ending::Value(_), 1) if self.is_dispatched() => ("switch (", ")"),
            (Ending::Value(_), 2) if self.is_protected() => ("lock (", ")"),
            (Ending::Value(_), 3) if self.is_protected() => ("using (", ")"),
            (Ending::Value(_), 4) if self.is_dispatched() => ("", " switch { … }"),
            (Ending::Value(_), 5) if self.is_dispatched() => ("return ", " switch { … };"),
            (Ending::Condition(_, true), 1) => ("while (", ")"),
            (Ending::Condition(_, true), 2) => ("", ""),
            (Ending::Condition(_, true), 3) => ("while (", ");"),
            (Ending::Condition(..), 4) if self.follows_hidden() => ("when (", ")"),
            (Ending::Condition(..), 5) if self.follows_hidden() => ("when ", ""),
            (Ending::Condition(..), _) | (Ending::Switch(_), 2) => ("if (", ")"),
            (Ending::Switch(_), 0) => ("switch (", ")"),
            (Ending::Switch(_), 1) => ("", " switch { … }"),
            (Ending::Switch(_), 3) => ("return ", " switch { … };"),
            (Ending::Throw(_), 0) => ("throw ", ";"),
            (Ending::Throw(_), _) => ("throw ", ""),
            (Ending::Filter(_), 0) => ("when (", ")"),
            _ => ("", ""),
        }
    }

    fn returning(&self, writer: &mut Writer<'_, '_, '_>, value: Id, head: u8) {
        let returns = self.body.returns();
        writer.push(match head {
            0 | 2 => "return ",
            3 if matches!(self.arena.kind(value), Kind::Ref(_)) => "return ref ",
            _ => "",
        });
        let value = match (self.arena.kind(value), head) {
            (Kind::Ref(_), 0 | 1 | 3) => self.arena.get(value).kids[0],
            _ => value,
        };
        if matches!(&*returns, Type::Primitive(Primitive::Void)) {
            writer.expression(value);
        } else {
            writer.typed(value, &returns);
        }
        self.bang(writer, value);
        writer.push(if matches!(head, 0 | 3 | 4) { ";" } else { "" });
    }

    /// The variable of a `foreach` or a `catch`.
    fn variable(&self, writer: &mut Writer<'_, '_, '_>, name: &str, ty: &Type, head: u8) {
        let is_catch = self.body.caught(self.body.view.points[self.arena.point].offset).is_some();
        if is_catch && head > 0 {
            return writer.push("catch");
        }
        writer.push(if is_catch { "catch (" } else { "" });
        let has_type = !matches!(ty, Type::Primitive(Primitive::Void));
        if has_type && (is_catch || head != 1) {
            writer.ty(ty);
        } else {
            writer.push("var");
        }
        if !name.is_empty() {
            writer.push(" ");
            writer.name(name);
        }
        writer.push(if is_catch { ")" } else { "" });
    }
}

/// The words for the access of a member, by its flags.
const fn access(flags: u32) -> &'static str {
    match flags & 7 {
        1 => "private ",
        2 => "private protected ",
        3 => "internal ",
        4 => "protected ",
        5 => "protected internal ",
        _ => "public ",
    }
}
