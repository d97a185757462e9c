//! The text of a sentence: the words around its expressions, in the spelling whose width is that of the span.

use pdblens_formats::il::RegionKind;
use pdblens_formats::metadata::TableId;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};

use super::Statement;
use super::evaluate::{Evaluator, plain_name};
use super::library::{FieldMember, Ty};
use super::node::{Id, Kind};
use super::sentence::{IF, LOOP, RETURN, Sentence, VALUE};
use super::write::{LOWEST, Writer};

/// Something that C# can write in several ways.
pub(super) type Axis = usize;

pub(super) const DECLARE: Axis = 0; // The type, `var`, or no declaration.
pub(super) const NULL: Axis = 1; // `== null`, `is null`, `!HasValue`.
pub(super) const NEW: Axis = 2; // `new T()` or `new()`.
pub(super) const NAME_OF: Axis = 3; // `"value"` or `nameof(value)`.
pub(super) const DEFAULT: Axis = 4; // `default(T)`, `default` or `new T()`.
pub(super) const THIS: Axis = 5; // `this.` before members.
pub(super) const OUT: Axis = 6; // `out x`, `out var x`, `out T x`.
pub(super) const ARRAY: Axis = 7; // `new[] { … }`, `new T[] { … }`, `[ … ]`.
pub(super) const SPACE: Axis = 8; // A space before each `(` and `[`.
pub(super) const HEX: Axis = 9; // `12`, `0xc`, `0x0c`.
pub(super) const HEAD: Axis = 10; // The words before and after an expression.

/// Choices on each axis.
pub(super) type Spelling = [u8; 11];

pub(super) const fn with(mut spelling: Spelling, axis: Axis, choice: u8) -> Spelling {
    spelling[axis] = choice;
    spelling
}

/// A text, the axes on which it could be otherwise, and false where something in it is no C#.
#[derive(Clone, Debug)]
pub(super) struct Rendered {
    pub text: String,
    pub used: u32,
    pub whole: bool,
}

/// UTF-16 units of a text: what columns count.
fn width(text: &str) -> i64 {
    text.encode_utf16().count() as i64
}

/// The text of a width with the fewest changes from the usual spelling, at most three.
fn fitting(
    usual: Spelling,
    first: &Rendered,
    (wanted, heads): (i64, usize),
    settled: u32,
    render: &dyn Fn(Spelling) -> Rendered,
) -> Option<(Spelling, Rendered)> {
    let missing = wanted.saturating_sub(width(&first.text));
    if !first.whole || first.text.contains('⟨') {
        return None;
    }
    if missing == 0 {
        return Some((usual, first.clone()));
    }
    // Spellings other than the usual one on one axis, and how much wider they are.
    let mut changes: Vec<(Axis, u8, i64)> = Vec::new();
    let counts = [3, 3, 2, 2, 3, 2, 3, 3, 2, 3, heads as u8];
    for (axis, count) in counts.into_iter().enumerate().filter(|(axis, _)| first.used & 1 << axis != 0) {
        for choice in (0..count).filter(|choice| *choice != usual[axis]) {
            let found = render(with(usual, axis, choice));
            let wider = width(&found.text).saturating_sub(width(&first.text));
            if found.whole && wider != 0 && !changes.iter().any(|known| (known.0, known.2) == (axis, wider)) {
                changes.push((axis, choice, wider));
            }
        }
    }
    let alone = combined(usual, &changes, missing, 1);
    changes.retain(|change| settled & 1 << change.0 == 0);
    let found = alone.or_else(|| (2..=3).find_map(|count| combined(usual, &changes, missing, count)))?;
    Some((found, render(found))).filter(|(_, found)| width(&found.text) == wanted)
}

/// So many changes that together are as wide as is missing.
fn combined(usual: Spelling, changes: &[(Axis, u8, i64)], missing: i64, count: usize) -> Option<Spelling> {
    if count == 0 {
        return if missing == 0 { Some(usual) } else { None };
    }
    changes.iter().enumerate().find_map(|(number, (axis, choice, wider))| {
        let others = &changes[number.saturating_add(1)..];
        let others = &others[others.partition_point(|change| change.0 == *axis)..];
        combined(with(usual, *axis, *choice), others, missing.saturating_sub(*wider), count.saturating_sub(1))
    })
}

/// Texts that are written for one method in search of one that fits: a method of thousands of points is not shown at once.
const MAX_SPELLINGS: u32 = 8000;

/// Words around the initializer of a field or property: `$e` is the assignment, `$v` the value, `$a` the access, `$m` the modifiers,
/// `$t` the type and `$n` the name.
const INITIALIZER: [&str; 7] = ["$e;", "$e", "$v", "$a$m$t $n = $v;", "$a$m$t $n = $v", "$m$t $n = $v;", "$t $n"];

impl Evaluator<'_, '_> {
    pub fn spelled(&mut self, mut sentence: Sentence) -> Statement {
        let is_first = self.note_declarations(&sentence);
        if sentence.effects.len() > 1 {
            sentence.effects.retain(|effect| !self.is_implicit_base(*effect));
        }
        let point = *self.span();
        let is_line = point.start_line == point.end_line;
        let wanted = if is_line { i64::from(point.end_column.saturating_sub(point.start_column)) } else { -1 };
        if wanted == 2 && matches!(sentence.heads, IF | LOOP) {
            return Statement { text: "in".to_owned(), whole: true, fits: true };
        }
        let (heads, head) = self.heads(&sentence);
        let style = self.style.get();
        let usual = with(with(style, HEAD, head), DECLARE, if is_first { style[DECLARE] } else { 2 });
        let render = |spelling: Spelling| {
            self.spellings.set(self.spellings.get().saturating_add(1));
            Writer::new(self, spelling).render(&sentence, &heads, is_first)
        };
        let is_searched = wanted > 0 && self.spellings.get() < MAX_SPELLINGS;
        let first = render(usual);
        let found =
            if is_searched { fitting(usual, &first, (wanted, heads.len()), self.settled.get(), &render) } else { None };
        let fits = found.is_some();
        let found = match found {
            Some((spelling, found)) => {
                self.learn(&sentence, is_first, spelling, &found);
                found
            }
            None if !is_searched => first,
            None => {
                // The head whose width is nearest.
                let all = (head..heads.len() as u8).map(|head| render(with(usual, HEAD, head)));
                all.min_by_key(|found| width(&found.text).saturating_sub(wanted).abs()).unwrap_or(first)
            }
        };
        let whole = found.whole && !found.text.is_empty();
        // The names of the calls, where nothing else is known.
        let names = self.calls.iter().map(|name| format!("{name}(…)"));
        let text = if found.text.is_empty() { names.collect::<Vec<_>>().join(" ") } else { found.text };
        Statement { text, whole, fits }
    }

    /// Words around a sentence, `$v` its value, and which of them are tried first.
    fn heads(&self, sentence: &Sentence) -> (Vec<&'static str>, u8) {
        let end = self.ends.get(self.point).map_or(0, |range| range.1);
        let mut regions = self.body.regions.iter();
        let is_protected =
            regions.any(|region| matches!(region.kind, RegionKind::Finally) && region.tried.start == end);
        let points = &self.body.view.points;
        let is_hidden = |point: Option<&SequencePoint>| point.is_some_and(SequencePoint::is_hidden);
        let is_dispatched = is_hidden(points.get(self.point.saturating_add(1)));
        let mut heads = self.accessors(sentence);
        let usual = heads.len() as u8;
        match (sentence.heads, &sentence.effects[..]) {
            ([], [only]) if self.is_implicit_base(*only) => {
                heads.extend(["$a$c", "$c", "{", "base()", "base();"]);
            }
            ([], [only]) if self.initialized(*only).is_some() => heads.extend(INITIALIZER),
            ([], [only]) => {
                heads.extend(["$e;", "$e"]);
                let is_variable = |(variable, _)| matches!(self.kind(variable), Kind::Name(_));
                if is_protected && self.assigned(*only).is_some_and(is_variable) {
                    heads.extend(["using $e;", "await using $e;"]);
                }
            }
            ([], _) => heads.push("$e;"),
            (words, _) => {
                let is_ref = sentence.value.is_some_and(|value| matches!(self.kind(value), Kind::Ref(_)));
                heads.extend(words.iter().filter(|word| is_ref || !word.starts_with("return ref")));
                match words {
                    VALUE if is_dispatched => {
                        heads.extend(["switch ($v)", "$v switch { … }", "return $v switch { … };"]);
                    }
                    VALUE if is_protected => heads.extend(["lock ($v)", "using ($v)"]),
                    IF | LOOP if is_hidden(self.point.checked_sub(1).and_then(|before| points.get(before))) => {
                        heads.extend(["when ($v)", "when $v"]);
                    }
                    _ => {}
                }
            }
        }
        (heads, usual)
    }

    /// The own field that an effect of a constructor gives its first value.
    fn initialized(&self, effect: Id) -> Option<(&FieldMember, Id)> {
        let (target, value) = self.assigned(effect)?;
        let Kind::Field(field) = self.kind(target) else { return None };
        (field.row > 0 && self.body.member.name.ends_with("ctor")).then_some((field, value))
    }

    /// The words for the body that the compiler gives to `get;` and `set;`; empty for others.
    fn accessors(&self, sentence: &Sentence) -> Vec<&'static str> {
        let (value, words) = match (&sentence.effects[..], sentence.heads, self.body.member.role) {
            ([], RETURN, "get_") => (sentence.value, vec!["get;", "$aget;"]),
            ([only], [], "set_") => (self.kid(*only, 0), vec!["set;", "init;", "$aset;", "$ainit;"]),
            _ => return Vec::new(),
        };
        let is_backing =
            |value| matches!(self.bare_kind(value), Kind::Field(field) if field.name.ends_with("k__BackingField"));
        if value.is_some_and(is_backing) { words } else { Vec::new() }
    }

    /// Learns the habits of the author from a text that fits: also whether the method writes `var` or the type, where both are not
    /// equally wide.
    fn learn(&self, sentence: &Sentence, is_first: bool, spelling: Spelling, found: &Rendered) {
        let mut style = self.style.get();
        for axis in [SPACE, THIS].into_iter().filter(|axis| found.used & 1 << axis != 0) {
            style[axis] = spelling[axis];
            self.settled.set(self.settled.get() | 1 << axis);
        }
        let target = sentence.effects.first().and_then(|effect| self.kid(*effect, 0));
        if is_first && target.is_some_and(|target| *self.get(target).ty != Type::Primitive(Primitive::I4)) {
            style[DECLARE] = u8::from(found.text.starts_with("var "));
        }
        self.style.set(style);
    }

    /// Returns true if the statement gives a local variable its first value.
    fn note_declarations(&mut self, sentence: &Sentence) -> bool {
        let mut is_first = false;
        let offset = self.ends.get(self.point).map_or(0, |range| range.1.saturating_sub(1));
        for effect in &sentence.effects {
            let Some(Kind::Name(name)) = self.assigned(*effect).map(|(target, _)| self.kind(target)) else { continue };
            let is_argument = self.body.view.arguments.iter().any(|argument| **argument == **name);
            let declared = (name.clone(), self.body.scope_of(name, offset));
            if !is_argument && !self.declared.contains(&declared) {
                self.declared.push(declared);
                is_first = true;
            }
        }
        is_first
    }

    /// Returns true for the call of a constructor of the base type that no source has.
    fn is_implicit_base(&self, effect: Id) -> bool {
        let node = self.get(effect);
        matches!(&node.kind, Kind::Call(member) if member.role == ".ctor" && member.parameters.is_empty())
            && matches!(node.kids.first().map(|object| self.kind(*object)), Some(Kind::Name(name)) if &**name == "base")
    }
}

impl Writer<'_, '_, '_> {
    fn render(mut self, sentence: &Sentence, heads: &[&'static str], is_first: bool) -> Rendered {
        let choice = self.choice(HEAD) as usize;
        let template = heads.get(choice).or(heads.first()).copied().unwrap_or_default();
        self.whole = !template.contains('…');
        let mut pieces = template.split('$');
        if !sentence.heads.is_empty() && !sentence.effects.is_empty() {
            self.effects(sentence, is_first).push("; ");
        }
        self.push(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (slot, rest) = piece.split_at(1);
            self.slot(sentence, slot, is_first).push(rest);
        }
        Rendered { whole: self.whole, used: self.used, text: self.out }
    }

    /// Writes the part of the sentence that a slot of the template names: `$e`, `$v`, `$a`, `$m`, `$t`, `$n` or `$c`.
    fn slot(&mut self, sentence: &Sentence, slot: &str, is_first: bool) -> &mut Self {
        let from = self.from;
        let initialized = sentence.effects.first().and_then(|effect| from.initialized(*effect));
        let flags = initialized.map(|(field, ..)| from.library.cell(TableId::FIELD, field.row, 0));
        match (slot, sentence.value, initialized) {
            ("e", ..) => self.effects(sentence, is_first),
            ("v", Some(value), _) if sentence.heads == RETURN => {
                let returns = from.body.returns();
                let value = if let Kind::Ref(_) = from.kind(value) { from.get(value).kids[0] } else { value };
                let is_typed = *returns != Type::Primitive(Primitive::Void);
                self.write(value, if is_typed { Some(&returns) } else { None }, LOWEST)
            }
            ("v", Some(value), _) => self.write(value, None, LOWEST),
            ("v", _, Some((field, value))) => self.write(value, Some(&field.ty), LOWEST),
            ("a", ..) => {
                let own = || from.library.cell(TableId::METHOD_DEF, from.body.member.row, 2);
                self.push(ACCESS[(flags.unwrap_or_else(own) & 7) as usize])
            }
            ("m", ..) => {
                let has = |flag| flags.is_some_and(|flags| flags & flag != 0);
                self.push(if has(0x10) { "static " } else { "" }).push(if has(0x20) { "readonly " } else { "" })
            }
            ("t", Some(value), _) => self.ty(&from.get(value).ty),
            ("t", _, Some((field, _))) => self.ty(&field.ty),
            ("n", _, Some((field, _))) => self.name(&plain_name(&field.name)),
            _ => self.constructor(),
        }
    }

    /// Writes a constructor without `base(…)`: its point is on its own head.
    fn constructor(&mut self) -> &mut Self {
        let (member, names) = (&self.from.body.member, &self.from.body.view.arguments);
        self.push(self.from.library.name_of(&member.owner).0.split('`').next().unwrap_or_default()).open("(");
        let parameters: Vec<(&Ty, &String)> = member.parameters.iter().zip(names.iter().skip(1)).collect();
        let write = |this: &mut Self, (ty, name): (&Ty, &String)| {
            this.push(if let Type::Reference(_) = **ty { "ref " } else { "" }).ty(ty).push(" ").name(name);
        };
        self.separated(&parameters, ", ", write).push(")")
    }

    fn effects(&mut self, sentence: &Sentence, is_first: bool) -> &mut Self {
        let from = self.from;
        self.separated(&sentence.effects, "; ", |this, effect| {
            let target = from.assigned(effect).map(|(target, _)| from.get(target));
            let target = target.filter(|target| is_first && matches!(target.kind, Kind::Name(_)));
            match target.map(|target| (&target.ty, this.choice(DECLARE))) {
                Some((ty, 0)) => this.ty(ty).push(" "),
                Some((_, 1)) => this.push("var "),
                _ => this,
            }
            .write(effect, None, LOWEST);
        })
    }
}

/// Words for the access of a member, by its flags.
const ACCESS: [&str; 8] = [
    "public ",
    "private ",
    "private protected ",
    "internal ",
    "protected ",
    "protected internal ",
    "public ",
    "public ",
];
