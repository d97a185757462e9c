//! The text of a sentence: the words around its expressions, in the spelling that fits the span.

use pdblens_formats::il::RegionKind;
use pdblens_formats::metadata::TableId;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};

use super::braces::brace;
use super::evaluate::Evaluator;
use super::library::{FieldMember, Ty};
use super::line::Statement;
use super::node::{Id, Kind};
use super::sentence::{IF, LOOP, RETURN, Sentence, VALUE};
use super::sentences::Sentences;
use super::spelling::{DECLARE, HEAD, Rendered, Spelling, fitting, width, width_of, with};
use super::write::{LOWEST, Writer};

/// Texts that are written for one method in search of one that fits: a method of thousands of points is not shown at once.
const MAX_SPELLINGS: u32 = 8000;

/// Words around the initializer of a field or property: `$e` is the assignment, `$v` the value, `$a` the access, `$m` the modifiers,
/// `$t` the type and `$n` the name.
const INITIALIZER: [&str; 7] = ["$e;", "$e", "$v", "$a$m$t $n = $v;", "$a$m$t $n = $v", "$m$t $n = $v;", "$t $n"];

impl Sentences<'_, '_> {
    pub fn spelled(&mut self, mut sentence: Sentence) -> Statement {
        let is_first = self.note_declarations(&sentence);
        if sentence.effects.len() > 1 {
            sentence.effects.retain(|effect| !self.is_implicit_base(*effect));
        }
        let point = *self.values.span();
        let wanted = width_of(&point);
        if wanted == 2 && matches!(sentence.heads, IF | LOOP) {
            return Statement { text: "in".to_owned(), whole: true, fits: true, ..Statement::default() };
        }
        let (heads, head) = self.heads(&sentence);
        let usual = with(Spelling::default(), HEAD, head);
        let usual = with(usual, DECLARE, if is_first { self.declares.get() } else { 2 });
        let render = |spelling: Spelling| {
            self.spellings.set(self.spellings.get() + 1);
            Writer::new(&self.values, spelling).render(&sentence, &heads, is_first)
        };
        let is_searched = wanted > 0 && self.spellings.get() < MAX_SPELLINGS;
        let first = render(usual);
        let usual_text = first.text.clone();
        let found = if is_searched { fitting(usual, &first, (wanted, heads.len()), &render) } else { None };
        let fits = found.is_some();
        let (spelling, found) = match found {
            Some((spelling, found)) => {
                self.learn(&sentence, is_first, &found);
                (spelling, found)
            }
            None if !is_searched => (usual, first),
            None => {
                // The head whose width is nearest.
                let all = (head..heads.len() as u8).map(|head| with(usual, HEAD, head));
                let all = all.map(|spelling| (spelling, render(spelling)));
                all.min_by_key(|(_, found)| (width(&found.text) - wanted).abs()).unwrap_or((usual, first))
            }
        };
        let whole = found.whole && !found.text.is_empty();
        // The names of the calls, where nothing else is known.
        let names = self.values.calls.iter().map(|name| format!("{name}(…)"));
        let text = if found.text.is_empty() { names.collect::<Vec<_>>().join(" ") } else { found.text };
        // A point of one column is a brace, whatever the compiler clears at the end of a block.
        let text = match brace(self.values.body, self.values.nodes.point) {
            Some(opens) if wanted == 1 && width(&text) != 1 => if opens { "{" } else { "}" }.to_owned(),
            None if wanted == 1 && width(&text) != 1 => "}".to_owned(),
            _ => text,
        };
        let opposite = sentence.opposite.map(|value| {
            let sentence = Sentence { value: Some(value), ..sentence.clone() };
            Writer::new(&self.values, spelling).render(&sentence, &heads, is_first).text
        });
        let usual = if usual_text == text || wanted == 1 { None } else { Some(usual_text) };
        Statement { text, whole, fits, opposite, usual, ..Statement::default() }
    }

    /// Words around a sentence, `$v` its value, and which of them are tried first.
    fn heads(&self, sentence: &Sentence) -> (Vec<&'static str>, u8) {
        let end = self.values.body.ranges.get(self.values.nodes.point).map_or(0, |range| range.1);
        let mut regions = self.values.body.regions.iter();
        let is_protected =
            regions.any(|region| matches!(region.kind, RegionKind::Finally) && region.tried.start == end);
        let points = &self.values.body.view.points;
        let is_hidden = |point: Option<&SequencePoint>| point.is_some_and(SequencePoint::is_hidden);
        let is_dispatched = is_hidden(points.get(self.values.nodes.point + 1));
        let mut heads = self.accessors(sentence);
        let usual = heads.len() as u8;
        match (sentence.heads, &sentence.effects[..]) {
            ([], [only]) if self.is_implicit_base(*only) => {
                heads.extend(["$a$c", "$c", "{", "base()", "base();"]);
            }
            ([], [only]) if self.values.initialized(*only).is_some_and(|(field, _)| self.is_property_value(field)) => {
                heads.push("$v");
            }
            ([], [only]) if !self.is_in_constructor() && self.values.initialized(*only).is_some() => {
                heads.extend(INITIALIZER);
            }
            ([], [only]) => {
                heads.extend(["$e;", "$e"]);
                let is_variable = |(variable, _)| matches!(self.values.nodes.kind(variable), Kind::Name(_));
                if is_protected && self.values.nodes.assigned(*only).is_some_and(is_variable) {
                    heads.extend(["using $e;", "await using $e;"]);
                }
            }
            ([], _) => heads.push("$e;"),
            (words, _) => {
                let is_ref = sentence.value.is_some_and(|value| matches!(self.values.nodes.kind(value), Kind::Ref(_)));
                // An expression without `return` is all of its method.
                let is_block = words == RETURN && points.iter().filter(|point| !point.is_hidden()).count() > 1;
                let is_word = |word: &&&str| {
                    (is_ref || !word.starts_with("return ref")) && (!is_block || word.starts_with("return"))
                };
                heads.extend(words.iter().filter(is_word));
                match words {
                    VALUE if is_dispatched => {
                        heads.extend(["switch ($v)", "$v switch { … }", "return $v switch { … };"]);
                    }
                    VALUE if is_protected => heads.extend(["lock ($v)", "using ($v)"]),
                    IF | LOOP
                        if is_hidden(self.values.nodes.point.checked_sub(1).and_then(|before| points.get(before))) =>
                    {
                        heads.extend(["when ($v)", "when $v"]);
                    }
                    _ => {}
                }
            }
        }
        (heads, usual)
    }

    /// Returns true for the field of a property whose declaration has the value: its point is the value alone.
    fn is_property_value(&self, field: &FieldMember) -> bool {
        field.name.ends_with("k__BackingField") && self.initializes() == Some(true)
    }

    /// Returns true for the body of a constructor, whose assignments are no declarations.
    fn is_in_constructor(&self) -> bool {
        self.initializes() == Some(false)
    }

    fn initializes(&self) -> Option<bool> {
        let start = self.values.body.ranges.get(self.values.nodes.point).map_or(0, |range| range.0);
        self.values.body.initializes(self.values.library, start)
    }

    /// The words for the body that the compiler gives to `get;` and `set;`; empty for others.
    fn accessors(&self, sentence: &Sentence) -> Vec<&'static str> {
        let (value, words) = match (&sentence.effects[..], sentence.heads, self.values.body.member.role) {
            ([], RETURN, "get_") => (sentence.value, vec!["get;", "$aget;"]),
            ([only], [], "set_") => (self.values.nodes.kid(*only, 0), vec!["set;", "init;", "$aset;", "$ainit;"]),
            _ => return Vec::new(),
        };
        let is_backing = |value| matches!(self.values.nodes.bare_kind(value), Kind::Field(field) if field.name.ends_with("k__BackingField"));
        if value.is_some_and(is_backing) { words } else { Vec::new() }
    }

    /// Learns from a text that fits whether the method writes `var` or the type, where both are not equally wide.
    fn learn(&self, sentence: &Sentence, is_first: bool, found: &Rendered) {
        let target = sentence.effects.first().and_then(|effect| self.values.nodes.kid(*effect, 0));
        if is_first && target.is_some_and(|target| *self.values.nodes.get(target).ty != Type::Primitive(Primitive::I4))
        {
            self.declares.set(u8::from(found.text.starts_with("var ")));
        }
    }

    /// Returns true if the statement gives a local variable its first value.
    fn note_declarations(&mut self, sentence: &Sentence) -> bool {
        let mut is_first = false;
        let offset = self.values.body.ranges.get(self.values.nodes.point).map_or(0, |range| range.1.saturating_sub(1));
        for effect in &sentence.effects {
            let Some(Kind::Name(name)) =
                self.values.nodes.assigned(*effect).map(|(target, _)| self.values.nodes.kind(target))
            else {
                continue;
            };
            let body = self.values.body;
            let is_argument = body.view.arguments.iter().any(|argument| **argument == **name);
            // A variable that a lambda captures is declared outside of it.
            let is_captured = body.is_closure && self.values.library.has_field(body.type_row, name);
            let declared = (name.clone(), body.scope_of(name, offset));
            if !is_argument && !is_captured && !self.declared.contains(&declared) {
                self.declared.push(declared);
                is_first = true;
            }
        }
        is_first
    }

    /// Returns true for the call of a constructor of the base type that no source has.
    fn is_implicit_base(&self, effect: Id) -> bool {
        let node = self.values.nodes.get(effect);
        matches!(&node.kind, Kind::Call(member) if member.role == ".ctor" && member.parameters.is_empty())
            && matches!(node.kids.first().map(|object| self.values.nodes.kind(*object)), Some(Kind::Name(name)) if &**name == "base")
    }
}

impl Evaluator<'_, '_> {
    /// The own field that an effect of a constructor gives its first value.
    fn initialized(&self, effect: Id) -> Option<(&FieldMember, Id)> {
        let (target, value) = self.nodes.assigned(effect)?;
        let Kind::Field(field) = self.nodes.kind(target) else { return None };
        let is_own = self.nodes.kid(target, 0).is_none_or(|object| matches!(self.nodes.kind(object), Kind::This));
        (is_own && field.row > 0 && self.body.member.name.ends_with("ctor")).then_some((field, value))
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
                let value =
                    if let Kind::Ref(_) = from.nodes.kind(value) { from.nodes.get(value).kids[0] } else { value };
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
            ("t", Some(value), _) => self.ty(&from.nodes.get(value).ty),
            ("t", _, Some((field, _))) => self.ty(&field.ty),
            ("n", _, Some((field, _))) => self.name(&field.shown),
            _ => self.constructor(),
        }
    }

    /// Writes a constructor without `base(…)`: its point is on its own head.
    fn constructor(&mut self) -> &mut Self {
        let (member, names) = (&self.from.body.member, &self.from.body.view.arguments);
        self.push(self.from.library.name_of(&member.owner).0.split('`').next().unwrap_or_default()).push("(");
        let parameters: Vec<(&Ty, &String)> = member.parameters.iter().zip(names.iter().skip(1)).collect();
        let write = |this: &mut Self, (ty, name): (&Ty, &String)| {
            this.push(if let Type::Reference(_) = **ty { "ref " } else { "" }).ty(ty).push(" ").name(name);
        };
        self.separated(&parameters, ", ", write).push(")")
    }

    fn effects(&mut self, sentence: &Sentence, is_first: bool) -> &mut Self {
        let from = self.from;
        self.separated(&sentence.effects, "; ", |this, effect| {
            let target = from.nodes.assigned(effect).map(|(target, _)| from.nodes.get(target));
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
