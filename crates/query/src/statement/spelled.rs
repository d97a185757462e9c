//! The text of a sentence: the words around its expressions, in the spelling that fits the span.

use pdblens_formats::il::RegionKind;
use pdblens_formats::metadata::TableId;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};

use super::Statement;
use super::evaluate::{Evaluator, plain_name};
use super::library::{FieldMember, Role};
use super::node::{Id, Kind, Node};
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
            self.spellings.set(self.spellings.get() + 1);
            self.render(&sentence, spelling, &heads, is_first)
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
                all.min_by_key(|found| (width(&found.text) - wanted).abs()).unwrap_or(first)
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
        let is_dispatched = is_hidden(points.get(self.point + 1));
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

    fn render(&self, sentence: &Sentence, spelling: Spelling, heads: &[&'static str], is_first: bool) -> Rendered {
        let mut writer = Writer::new(self, spelling);
        let choice = writer.choice(HEAD) as usize;
        let head = heads.get(choice).or(heads.first()).copied().unwrap_or_default();
        if !matches!(sentence.ending, Ending::Nothing) && !sentence.effects.is_empty() {
            self.effects(&mut writer, sentence, is_first);
            writer.push("; ");
        }
        let mut pieces = head.split('$');
        writer.push(pieces.next().unwrap_or_default());
        for piece in pieces {
            let (slot, rest) = piece.split_at(1);
            self.slot(&mut writer, sentence, slot, is_first);
            writer.push(rest);
        }
        Rendered { whole: writer.whole, used: writer.used, text: writer.out }
    }

    /// Writes what stands for `$e`, `$v`, `$a`, `$m`, `$t`, `$n` or `$c`.
    fn slot<'w, 'x, 'b, 's>(
        &'x self,
        writer: &'w mut Writer<'x, 'b, 's>,
        sentence: &Sentence,
        slot: &str,
        is_first: bool,
    ) -> &'w mut Writer<'x, 'b, 's> {
        let initialized = sentence.effects.first().and_then(|effect| self.initialized(*effect));
        let flags = initialized.map(|(field, ..)| self.library.cell(TableId::FIELD, field.row, 0));
        match (slot, &sentence.ending, initialized) {
            ("e", ..) => self.effects(writer, sentence, is_first),
            ("v", Ending::Value(value, RETURN), _) => {
                let returns = self.body.returns();
                let value = if let Kind::Ref(_) = self.kind(*value) { self.get(*value).kids[0] } else { *value };
                let is_typed = *returns != Type::Primitive(Primitive::Void);
                writer.expression(value, if is_typed { Some(&returns) } else { None })
            }
            ("v", Ending::Value(value, _), _) => writer.expression(*value, None),
            ("v", _, Some((field, value))) => writer.expression(value, Some(&field.ty)),
            ("a", ..) => {
                let own = || self.library.cell(TableId::METHOD_DEF, self.body.member.row, 2);
                writer.push(access(flags.unwrap_or_else(own)))
            }
            ("m", ..) => {
                let has = |flag| flags.is_some_and(|flags| flags & flag != 0);
                writer.push(if has(0x10) { "static " } else { "" }).push(if has(0x20) { "readonly " } else { "" })
            }
            ("t", Ending::Variable(_, ty), _) => writer.ty(ty),
            ("t", _, Some((field, _))) => writer.ty(&field.ty),
            ("n", Ending::Variable(name, _), _) if name.is_empty() => {
                writer.out.truncate(writer.out.trim_end().len());
                writer
            }
            ("n", Ending::Variable(name, _), _) => writer.name(name),
            ("n", _, Some((field, _))) => writer.name(&plain_name(&field.name)),
            _ => self.constructor(writer),
        }
    }

    /// Writes a constructor without `base(…)`: its point is on its own head.
    fn constructor<'w, 'x, 'b, 's>(&'x self, writer: &'w mut Writer<'x, 'b, 's>) -> &'w mut Writer<'x, 'b, 's> {
        let member = &self.body.member;
        writer.push(self.library.name_of(&member.owner).0.split('`').next().unwrap_or_default()).open("(");
        let parameters: Vec<(&Ty, &String)> =
            member.parameters.iter().zip(self.body.view.arguments.iter().skip(1)).collect();
        let write = |writer: &mut Writer<'x, 'b, 's>, (ty, name): (&Ty, &String)| {
            writer.push(if let Type::Reference(_) = **ty { "ref " } else { "" }).ty(ty).push(" ").name(name);
        };
        writer.separated(&parameters, ", ", write).push(")")
    }

    fn effects<'w, 'x, 'b, 's>(
        &'x self,
        writer: &'w mut Writer<'x, 'b, 's>,
        sentence: &Sentence,
        is_first: bool,
    ) -> &'w mut Writer<'x, 'b, 's> {
        writer.separated(&sentence.effects, "; ", |writer, effect| {
            let variable = match self.kind(effect) {
                Kind::Assign("=") if is_first => Some(self.get(self.get(effect).kids[0])),
                _ => None,
            };
            if let Some(Node { kind: Kind::Name(_), ty, .. }) = variable {
                match writer.choice(DECLARE) {
                    0 => writer.ty(ty).push(" "),
                    1 => writer.push("var "),
                    _ => writer,
                };
            }
            writer.expression(effect, None);
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
