//! The text of a sentence: the words around its expressions, in the spelling that fits the span.

use pdblens_formats::il::RegionKind;
use pdblens_formats::metadata::TableId;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};

use super::Statement;
use super::evaluate::{Evaluator, plain_name};
use super::library::{FieldMember, Role};
use super::node::{Id, Kind};
use super::sentence::{Ending, IF, LOOP, RETURN, Sentence, VALUE};
use super::spelling::{DECLARE, HEAD, Rendered, Spelling, fitting, width};
use super::types::Ty;
use super::write::Writer;

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
        if wanted == 2 && matches!(sentence.ending, Ending::Value(_, IF | LOOP)) {
            return Statement { text: "in".to_owned(), whole: true, fits: true };
        }
        let (heads, head) = self.heads(&sentence);
        let style = self.style.get().usual;
        let usual = style.with(HEAD, head).with(DECLARE, if is_first { style.get(DECLARE) } else { 2 });
        let render = |spelling: Spelling| {
            self.spellings.set(self.spellings.get().saturating_add(1));
            Writer::new(self, spelling).render(&sentence, &heads, is_first)
        };
        let is_searched = wanted > 0 && self.spellings.get() < MAX_SPELLINGS;
        let first = render(usual);
        let found =
            if is_searched { fitting(usual, &first, (wanted, heads.len()), self.style.get(), &render) } else { None };
        let fits = found.is_some();
        let found = match found {
            Some((spelling, found)) => {
                self.learn(&sentence, is_first, spelling, &found);
                found
            }
            None if !is_searched => first,
            None => {
                // The head whose width is nearest.
                let all = (head..heads.len() as u8).map(|head| render(usual.with(HEAD, head)));
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
        match (&sentence.ending, &sentence.effects[..]) {
            (Ending::Nothing, [only]) if self.is_implicit_base(*only) => {
                heads.extend(["$a$c", "$c", "{", "base()", "base();"]);
            }
            (Ending::Nothing, [only]) if self.initialized(*only).is_some() => heads.extend(INITIALIZER),
            (Ending::Nothing, [only]) => {
                heads.extend(["$e;", "$e"]);
                let is_variable = matches!(self.kind(*only), Kind::Assign("="))
                    && matches!(self.kind(self.get(*only).kids[0]), Kind::Name(_));
                if is_variable && is_protected {
                    heads.extend(["using $e;", "await using $e;"]);
                }
            }
            (Ending::Nothing, _) => heads.push("$e;"),
            (Ending::Value(value, words), _) => {
                let is_ref = matches!(self.kind(*value), Kind::Ref(_));
                heads.extend(words.iter().filter(|word| is_ref || !word.starts_with("return ref")));
                match *words {
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
            (Ending::Variable(..), _) if self.body.caught(self.span().offset).is_some() => {
                heads.extend(["catch ($t $n)", "catch"]);
            }
            (Ending::Variable(_, ty), _) if **ty == Type::Primitive(Primitive::Void) => heads.push("var $n"),
            (Ending::Variable(..), _) => heads.extend(["$t $n", "var $n"]),
            (Ending::Word(word), _) => heads.push(word),
        }
        (heads, usual)
    }

    /// The own field that an effect of a constructor gives its first value.
    fn initialized(&self, effect: Id) -> Option<(&FieldMember, Id)> {
        let ([target, value], Kind::Assign("=")) = (&self.get(effect).kids[..], self.kind(effect)) else { return None };
        let Kind::Field(field) = self.kind(*target) else { return None };
        (field.row > 0 && self.body.member.name.ends_with("ctor")).then_some((field, *value))
    }

    /// The words for the body that the compiler gives to `get;` and `set;`; empty for others.
    fn accessors(&self, sentence: &Sentence) -> Vec<&'static str> {
        let (value, words) = match (&sentence.effects[..], &sentence.ending, self.body.member.role) {
            ([], Ending::Value(value, RETURN), Role::Getter) => (Some(*value), vec!["get;", "$aget;"]),
            ([only], Ending::Nothing, Role::Setter) => (self.kid(*only, 0), vec!["set;", "init;", "$aset;", "$ainit;"]),
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
        style.learn(spelling, found.used);
        let target = sentence.effects.first().and_then(|effect| self.kid(*effect, 0));
        if is_first && target.is_some_and(|target| *self.get(target).ty != Type::Primitive(Primitive::I4)) {
            style.usual = style.usual.with(DECLARE, u8::from(found.text.starts_with("var ")));
        }
        self.style.set(style);
    }

    /// Returns true if the statement gives a local variable its first value.
    fn note_declarations(&mut self, sentence: &Sentence) -> bool {
        let mut is_first = false;
        let offset = self.ends.get(self.point).map_or(0, |range| range.1.saturating_sub(1));
        for effect in &sentence.effects {
            let (Kind::Assign("="), Some(target)) = (self.kind(*effect), self.kid(*effect, 0)) else { continue };
            let Kind::Name(name) = self.kind(target) else { continue };
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
        matches!(&node.kind, Kind::Call(member) if member.role == Role::Constructor && member.parameters.is_empty())
            && matches!(node.kids.first().map(|object| self.kind(*object)), Some(Kind::Name(name)) if &**name == "base")
    }
}

impl Writer<'_, '_, '_> {
    fn render(mut self, sentence: &Sentence, heads: &[&'static str], is_first: bool) -> Rendered {
        let choice = self.choice(HEAD) as usize;
        let template = heads.get(choice).or(heads.first()).copied().unwrap_or_default();
        self.whole = !template.contains('…');
        let mut pieces = template.split('$');
        if !matches!(sentence.ending, Ending::Nothing) && !sentence.effects.is_empty() {
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
        match (slot, &sentence.ending, initialized) {
            ("e", ..) => self.effects(sentence, is_first),
            ("v", Ending::Value(value, RETURN), _) => {
                let returns = from.body.returns();
                let value = if let Kind::Ref(_) = from.kind(*value) { from.get(*value).kids[0] } else { *value };
                let is_typed = *returns != Type::Primitive(Primitive::Void);
                self.expression(value, if is_typed { Some(&returns) } else { None })
            }
            ("v", Ending::Value(value, _), _) => self.expression(*value, None),
            ("v", _, Some((field, value))) => self.expression(value, Some(&field.ty)),
            ("a", ..) => {
                let own = || from.library.cell(TableId::METHOD_DEF, from.body.member.row, 2);
                self.push(access(flags.unwrap_or_else(own)))
            }
            ("m", ..) => {
                let has = |flag| flags.is_some_and(|flags| flags & flag != 0);
                self.push(if has(0x10) { "static " } else { "" }).push(if has(0x20) { "readonly " } else { "" })
            }
            ("t", Ending::Variable(_, ty), _) => self.ty(ty),
            ("t", _, Some((field, _))) => self.ty(&field.ty),
            ("n", Ending::Variable(name, _), _) if name.is_empty() => {
                self.out.truncate(self.out.trim_end().len());
                self
            }
            ("n", Ending::Variable(name, _), _) => self.name(name),
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
            let is_variable = is_first && matches!(from.kind(effect), Kind::Assign("="));
            let target =
                from.kid(effect, 0).filter(|target| is_variable && matches!(from.kind(*target), Kind::Name(_)));
            match target.map(|target| (&from.get(target).ty, this.choice(DECLARE))) {
                Some((ty, 0)) => this.ty(ty).push(" "),
                Some((_, 1)) => this.push("var "),
                _ => this,
            }
            .expression(effect, None);
        })
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
