//! The prompt: goes to whatever is typed or pasted, finds names in all open files, and runs commands; ranked in one list, with a
//! preview.

mod direct;
mod merge;
mod parts;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::engine::action::ActionDef;
use crate::overlays::OverlayContext;
use crate::overlays::ask::direct::{Direct, NamedCode};
use crate::overlays::ask::parts::{
    about_steps, breakpoint_sign, command_row, commands, direct_row, in_other, location, noun, other_row, overload_row,
    reach_text, rules, split_name, steps_row, term_row,
};
use crate::overlays::finder::{Finder, MAX_RESULTS, Names};
use crate::overlays::goto::{by_name, completion_hint, effects, examples, here, visit};
use crate::overlays::palette::is_view;
use crate::overlays::picker::{Choices, Picker, path_text};
use crate::panes::preview::ChosenPreview;
use crate::state::effect::Effect;
use crate::state::message::chain_job;
use crate::state::paths::session_name;
use crate::ui::fuzzy;
use crate::ui::theme::Role;
use pdblens_learn::chain::Asked;
use pdblens_learn::glossary::{self, Term};
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::resolve::MAX_TEXT;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{self as nodes, Place, document};
use pdblens_query::address::{AddressError, LineQuery, OffsetQuery, name_part};
use pdblens_query::ask::{code_at, line_of, typed_offset};
use pdblens_query::breakpoint::Sign;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

const MAX_FIELDS: usize = 6;
/// Lines of the screen that are neither list nor preview, and the most lines of a preview.
const BOX: u16 = 6;
const MAX_BELOW: u16 = 16;

pub struct Ask {
    finder: Finder,
    /// The other open files, with their names.
    others: Vec<(Arc<Session>, Finder)>,
    direct: Arc<Mutex<Direct>>,
    /// The choices of the last input, which a frame looks at several times.
    made: Mutex<Option<(String, Arc<[Choice]>)>>,
    preview: ChosenPreview,
}

/// Names of places, with what is said beside them; of other files by their index.
type ChoiceNames = HashMap<(Option<usize>, Place), (String, String)>;

enum Choice {
    /// A place that the input means, in another of the open files by its index, and what is said about it.
    Meant(Option<usize>, Place, String),
    /// A name, in another of the open files by its index.
    Name(Option<usize>, u32),
    /// The typed offset in one of the methods of the typed name.
    AtOffset(NamedCode),
    /// The steps from the input to that place.
    Steps(Asked),
    Command(&'static ActionDef),
    /// A rule of the check, with its description.
    Rule(&'static str, &'static str),
    Term(&'static Term),
}

pub fn ask(names: Names, others: Vec<(Arc<Session>, Names)>) -> Picker<Ask> {
    let others = others.into_iter().map(|(session, names)| (session, Finder::new(names))).collect();
    let (direct, made, preview) = Default::default();
    Picker::new(Ask { finder: Finder::new(names), others, direct, made, preview })
}

impl Ask {
    /// The name to look for: of an offset or a line that leads nowhere, the name before it.
    fn name_in(&self, typed: &str) -> String {
        let name = if matches!(self.direct(typed), Some(Err(_))) { name_part(typed) } else { None };
        name.unwrap_or(typed).to_owned()
    }

    /// The names of the shown files, or of others.
    fn finder(&self, file: Option<usize>) -> Option<&Finder> {
        file.map_or(Some(&self.finder), |index| self.others.get(index).map(|(_, finder)| finder))
    }

    /// The file and the place of a choice, and what is said of it; of a name that is not the only one, with what is typed after it: the
    /// offset in a method, the line of a document. `None` for a choice without a place.
    fn answer_of(
        &self,
        choice: &Choice,
        typed: &str,
        cx: &OverlayContext<'_>,
    ) -> Option<(Option<usize>, (Place, String))> {
        let (file, place) = match choice {
            Choice::Meant(file, place, said) => return Some((*file, (*place, said.clone()))),
            Choice::Name(file, name) => (*file, self.finder(*file)?.place(*name)?),
            Choice::AtOffset(code) => (code.file, code.place),
            _ => return None,
        };
        Some((file, self.with_rest(self.session_of(file, cx)?, place, typed)))
    }

    /// A place with the offset or the line that is typed after its name, and what is said about that.
    fn with_rest(&self, session: &Session, place: Place, typed: &str) -> (Place, String) {
        self.rest_of(session, place, typed).unwrap_or((place, String::new()))
    }

    /// The offset or the line that is typed after a name that is not the only one.
    fn rest_of(&self, session: &Session, place: Place, typed: &str) -> Option<(Place, String)> {
        if !matches!(self.direct(typed), Some(Err(_))) {
            return None;
        }
        let Place::Document(row) = place else {
            let query = OffsetQuery { of: place.code_unit()?, offset: typed_offset(typed)? };
            return Some(code_at(session, query, ""));
        };
        let (_, digits) = typed.rsplit_once(':')?;
        // The line of another document is that of nothing that was typed.
        if self.is_other_document(place, typed, session) {
            return None;
        }
        let line = nodes::number(digits).filter(|line| *line > 0)?;
        let query = LineQuery::of(row, line, None);
        Some(line_of(session, &query))
    }

    /// Returns whether a document is only like the one that was typed, of which a line is wanted.
    fn is_other_document(&self, place: Place, typed: &str, session: &Session) -> bool {
        let (Place::Document(row), Some(Err(_)), Some((name, _))) = (place, self.direct(typed), typed.rsplit_once(':'))
        else {
            return false;
        };
        let plain = |text: &str| text.replace('\\', "/").to_lowercase();
        !document::name(session, row).is_some_and(|path| plain(&path).ends_with(&plain(name)))
    }

    /// The choices of an input, made once.
    fn choices(&self, typed: &str) -> Arc<[Choice]> {
        let typed = typed.trim();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.as_ref().is_none_or(|(of, _)| of != typed) {
            *made = Some((typed.to_owned(), self.make_choices(typed).into()));
        }
        made.as_ref().map_or_else(Arc::default, |(_, choices)| Arc::clone(choices))
    }

    /// Drops the choices, once more is known of the input.
    fn forget_choices(&self) {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The place of the input, names, commands: in this order, but a command of exactly that name precedes names.
    fn make_choices(&self, typed: &str) -> Vec<Choice> {
        let mut choices = Vec::new();
        // Pasted bytes, which are explained.
        if typed.len() > MAX_TEXT {
            return choices;
        }
        let direct = self.direct(typed).and_then(Result::ok);
        let place = direct.as_ref().map(|(place, _)| *place);
        let (exact, others): (Vec<_>, Vec<_>) =
            commands(typed).into_iter().partition(|def| def.name == typed || is_view(def, typed));
        choices.extend(direct.map(|(place, said)| Choice::Meant(None, place, said)));
        choices.extend(self.asked(typed).map(Choice::Steps));
        let further = self.further(typed, place).into_iter();
        choices.extend(further.map(|place| Choice::Meant(None, place, String::new())));
        let in_others = self.direct_in_others(typed).into_iter();
        choices.extend(in_others.map(|(index, place, said)| Choice::Meant(Some(index), place, said)));
        choices.extend(exact.into_iter().map(Choice::Command));
        // No name of code has a hyphen; a rule without one is found after the names.
        let is_rule = typed.contains('-');
        if is_rule {
            choices.extend(rules(typed));
        }
        if !typed.starts_with([':', '>']) {
            choices.extend(self.names(typed, &self.name_in(typed), place));
        }
        choices.extend(others.into_iter().map(Choice::Command));
        if !is_rule {
            choices.extend(rules(typed));
        }
        // A word of the field, once the names are known: Enter waits for them.
        if self.pending().is_none() {
            choices.extend(glossary::named(typed).map(Choice::Term));
        }
        choices
    }

    /// The session that a choice is in, its place, and what is said of it; `None` for a choice without a place.
    fn target(&self, choice: &Choice, typed: &str, cx: &OverlayContext<'_>) -> Option<(Arc<Session>, (Place, String))> {
        let (file, (place, said)) = self.answer_of(choice, typed, cx)?;
        let session = self.session_of(file, cx)?;
        let answer = match file {
            Some(_) => (place, in_other(session, &said)),
            None => (self.landing(typed, place).place, said),
        };
        Some((Arc::clone(session), answer))
    }

    /// The shown session, or one of the others.
    fn session_of<'s>(&'s self, file: Option<usize>, cx: &OverlayContext<'s>) -> Option<&'s Arc<Session>> {
        file.map_or(cx.session, |index| self.others.get(index).map(|(session, _)| session))
    }

    /// The number of results; empty until the names are known. Of methods of a name, the number that has the typed offset.
    fn count_text(&self, choices: &[Choice], typed: &str) -> String {
        let overloads: Vec<&NamedCode> = choices.iter().filter_map(Choice::overload).collect();
        if !overloads.is_empty() {
            return reach_text(&overloads, typed);
        }
        let results = choices.len();
        let names = choices.iter().filter(|choice| matches!(choice, Choice::Name(..))).count();
        match self.finder.all() {
            None => String::new(),
            Some(all) if names >= MAX_RESULTS => format!("{MAX_RESULTS}+ of {all}"),
            Some(_) => count(results as u64, if names == results { "name" } else { "result" }),
        }
    }
}

impl Choices for Ask {
    const TITLE: &'static str = "Ask";

    fn size(&self, screen: Rect) -> (u16, u16) {
        // The source of the choice takes as many lines as the list.
        (u16::MAX, (screen.height.saturating_sub(BOX) / 2).clamp(3, MAX_BELOW))
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let (session, keymap, ascii) = (cx.session.map(Arc::clone), cx.keymap.clone(), cx.look.glyphs.ascii);
        let choices = self.choices(typed);
        let shown = self.count_text(&choices, typed.trim());
        let (sign, glyphs) = (cx.look.glyphs.step, *cx.look.glyphs);
        let why = self.why(typed.trim());
        let (typed, finder, others) = (typed.trim().to_owned(), self.finder.clone(), self.others.clone());
        let path = |place| cx.session.map_or_else(String::new, |session| path_text(session, place, cx));
        let named = |choice: &Choice| match choice {
            Choice::Meant(None, place, said) => Some(((None, *place), self.named(&typed, *place, said, &path))),
            Choice::Meant(Some(index), place, _) => {
                let (session, finder) = self.others.get(*index)?;
                let name =
                    finder.name_of(*place).and_then(|name| finder.row(name, Some(session)).cells.into_iter().next());
                let name = name.map_or_else(|| path_text(session, *place, cx), |cell| cell.text);
                Some(((Some(*index), *place), (name, String::new())))
            }
            _ => None,
        };
        let mut paths: ChoiceNames = choices.iter().filter_map(named).collect();
        paths.extend(self.names_of_overloads(&choices, cx));
        let columns = Head::list(["", "", ""]);
        Rows::new(shown, columns, choices.len(), move |row| match choices.get(row) {
            Some(Choice::Meant(None, place, _)) => {
                let (path, said) = paths.get(&(None, *place)).cloned().unwrap_or_default();
                let breakpoint =
                    why.as_ref().filter(|_| row == 0).map_or("", |why| breakpoint_sign(Some(why), &glyphs));
                let said = location(session.as_deref(), *place, &said);
                direct_row(*place, path, format!("{breakpoint} {said}").trim_start().to_owned(), sign)
            }
            Some(Choice::Meant(Some(index), place, _)) => {
                others.get(*index).map_or_else(Row::default, |(session, _)| {
                    let (path, _) = paths.get(&(Some(*index), *place)).cloned().unwrap_or_default();
                    Row::plain(vec![
                        Cell::toned(path, Tone::Strong),
                        Cell::toned(format!("{} {sign}", noun(*place)), Tone::Ok),
                        Cell::toned(format!("in {}  {place}", session_name(session)), Tone::Warn),
                    ])
                })
            }
            Some(Choice::Name(None, name)) => finder.row(*name, session.as_deref()),
            Some(Choice::AtOffset(code)) => {
                let name = paths.get(&(code.file, code.place)).map_or("", |(name, _)| name);
                let file = code.file.and_then(|index| others.get(index)).map(|(session, _)| session_name(session));
                overload_row(code, name, file, &glyphs)
            }
            Some(Choice::Name(Some(index), name)) => others
                .get(*index)
                .map_or_else(Row::default, |(session, finder)| other_row(finder.row(*name, Some(session)), session)),
            Some(Choice::Steps(asked)) => steps_row(*asked, &typed, sign),
            Some(Choice::Command(def)) => command_row(def, &keymap.keys_text(def.action, ascii)),
            Some(Choice::Rule(id, about)) => Row::plain(vec![
                Cell::new(*id),
                Cell::toned("rule of the check", Tone::Dim),
                Cell::toned(*about, Tone::Dim),
            ]),
            Some(Choice::Term(term)) => term_row(term),
            None => Row::default(),
        })
    }

    fn match_positions(&self, typed: &str, column: usize, text: &str) -> Vec<usize> {
        if column == 0 { fuzzy::match_positions(typed.trim_start_matches([':', '>']), text) } else { Vec::new() }
    }

    fn accept(&self, row: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        match self.choices(typed).get(row) {
            Some(Choice::Steps(asked)) => {
                cx.session.map(|session| Effect::Start(chain_job(session, *asked))).into_iter().collect()
            }
            Some(Choice::Command(def)) => vec![Effect::Dispatch(def.action)],
            Some(Choice::Rule(id, about)) => {
                let told = format!("rule {id}: {about}; what it found is among the findings");
                vec![Effect::Go(Place::Overview.into()), Effect::SetStatus(Tone::Text, told)]
            }
            Some(Choice::Term(term)) => {
                let example = cx.session.and_then(|session| glossary::example(session, term).ok());
                let told = Effect::SetStatus(Tone::Text, format!("{}: {}", term.term, term.meaning));
                example.map(|place| Effect::Go(place.into())).into_iter().chain([told]).collect()
            }
            Some(choice) => self.go(choice, typed, cx),
            None => Vec::new(),
        }
    }

    fn pending(&self) -> Option<&'static str> {
        self.finder.all().is_none().then_some("collecting names")
    }

    fn empty_text(&self, typed: &str) -> String {
        let explained = self.explained(typed.trim());
        if !explained.is_empty() {
            return explained;
        }
        match self.direct(typed.trim()) {
            // A tip to run a command is for the command line: here the prompt finds names.
            Some(Err(why)) => match why.to_string().split_once(" · tip: ") {
                Some((what, tip)) if tip.contains("`pdblens ") => format!("nothing: {what}"),
                _ => format!("nothing: {why}"),
            },
            None if !typed.trim().is_empty() => "looking \u{2026}".to_owned(),
            _ => "nothing".to_owned(),
        }
    }

    fn wrong_part(&self, typed: &str) -> Option<Range<usize>> {
        let Some(Err(why)) = self.direct(typed.trim()) else { return None };
        // A name that nothing has yet may go on.
        if why.is_unknown() {
            return None;
        }
        Some(why.after(typed.len() - typed.trim_start().len()).at)
    }

    fn settle(&mut self, typed: &str, cx: &OverlayContext<'_>) {
        let typed = typed.trim();
        if typed.is_empty() || self.direct(typed).is_some() {
            return;
        }
        let Some(session) = cx.session else { return };
        let direct = Direct::of(session, &self.other_sessions(), typed, here(cx), &cx.paths.sources);
        *self.direct.lock().unwrap_or_else(PoisonError::into_inner) = direct;
        self.forget_choices();
    }

    fn query_changed(&mut self, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let typed = typed.trim();
        self.forget_choices();
        let mut effects: Vec<Effect> = self.direct_job(typed, cx).into_iter().collect();
        effects.extend(self.finder.query_changed(&self.name_in(typed)));
        effects
    }

    fn preview(&self, row: usize, typed: &str, cx: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        if typed.trim().is_empty() {
            return Some(vec![(format!("Type a name, or: {} · : commands", examples(cx)), Role::Mute)]);
        }
        if let Some(hint) = completion_hint(typed) {
            return Some(vec![(hint.to_owned(), Role::Mute)]);
        }
        let choices = self.choices(typed);
        let choice = choices.get(row)?;
        let Some((session, (place, said))) = self.target(choice, typed.trim(), cx) else {
            return Some(match choice {
                Choice::Steps(asked) => vec![(about_steps(*asked).to_owned(), Role::Dim)],
                Choice::Command(def) => vec![(def.help.to_owned(), Role::Dim)],
                Choice::Rule(_, about) => vec![((*about).to_owned(), Role::Dim)],
                Choice::Term(term) => {
                    vec![(term.meaning.clone(), Role::Text), (term.specified_in.clone(), Role::Comment)]
                }
                _ => return None,
            });
        };
        let mut lines: Vec<(String, Role)> = Vec::new();
        // The names are like the one in it.
        let is_alike = self.name_in(typed.trim()) != typed.trim();
        let why = self.direct(typed.trim()).and_then(Result::err);
        let is_other = self.is_other_overload(place, typed.trim());
        let own = choice.overload().and_then(|code| code.at.as_ref()?.why.clone());
        let breakpoint = own.or_else(|| self.why(typed.trim()).filter(|_| row == 0));
        let why = why.filter(|why| {
            if why.is_no_overload() {
                is_alike && self.is_no_overload(place, typed.trim(), why)
            } else {
                is_alike && (said.is_empty() || is_other)
            }
        });
        lines.extend(why.map(|why| (why.to_string(), Role::Warn)));
        lines.push((path_text(&session, place, cx), Role::Ok));
        lines.extend((!said.is_empty()).then_some((said, Role::Text)));
        lines.extend(breakpoint.map(|why| {
            let role = if why.verdict.sign() == Sign::Never { Role::Warn } else { Role::Dim };
            (format!("{} breakpoint: {}", breakpoint_sign(Some(&why), cx.look.glyphs), why.sentence), role)
        }));
        if !self.preview.has_rows(place)
            && nodes::required_index(&session, place).is_none()
            && let Some(fields) = nodes::fields(&session, place).or_else(|| nodes::summary(&session, place))
        {
            let field = |row: &FieldRow| {
                let value = if row.meaning.is_empty() { &row.value } else { &row.meaning };
                format!("{} {value}", row.name)
            };
            let text: Vec<String> = fields.leaves().take(MAX_FIELDS).map(field).collect();
            lines.push((text.join(&format!(" {} ", cx.look.glyphs.dot)), Role::Dim));
        }
        Some(lines)
    }

    fn draw_source(&self, row: usize, typed: &str, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> bool {
        let choices = self.choices(typed);
        let Some((_, (place, _))) = choices.get(row).and_then(|choice| self.target(choice, typed.trim(), cx)) else {
            return false;
        };
        self.preview.draw(place, area, buf, &cx.look)
    }

    fn moved(&self, row: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let choices = self.choices(typed);
        let Some((session, (place, _))) = choices.get(row).and_then(|choice| self.target(choice, typed.trim(), cx))
        else {
            return Vec::new();
        };
        self.preview.read(&session, place, cx.paths)
    }

    fn completion(&self, row: usize, typed: &str, cx: &OverlayContext<'_>) -> Option<String> {
        let choices = self.choices(typed);
        let code = choices.get(row)?.overload()?;
        let (before, after) = split_name(self.session_of(code.file, cx)?, code.place.code_unit()?);
        Some(format!("{before}{after}+{:#x}", typed_offset(typed)?))
    }
}

impl Ask {
    /// Goes to the place of a choice.
    fn go(&self, choice: &Choice, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let name = typed.trim();
        let Some((file, (place, said))) = self.answer_of(choice, name, cx) else { return Vec::new() };
        let Some(session) = self.session_of(file, cx) else { return Vec::new() };
        match (file, choice) {
            (Some(_), _) => visit(session, (place, said)),
            (None, _) if matches!(place, Place::Bytes(_)) => vec![Effect::Go(self.landing(name, place))],
            (None, Choice::Name(_, at)) => {
                let other = self.is_other_document(place, name, session) || self.is_other_overload(place, name);
                let is_refused = |why: &AddressError| other || self.is_no_overload(place, name, why);
                match self.direct(name).and_then(Result::err).filter(is_refused) {
                    Some(why) => vec![Effect::Go(place.into()), Effect::SetStatus(Tone::Warn, why.to_string())],
                    None => by_name(session, &self.finder.full_name(*at), effects(typed, Ok((place, said)))),
                }
            }
            (None, _) => by_name(session, name, effects(typed, Ok((place, said)))),
        }
    }

    /// The names of methods of a name: only parameters, where all are of one type.
    fn names_of_overloads(&self, choices: &[Choice], cx: &OverlayContext<'_>) -> ChoiceNames {
        let split = |code: &NamedCode| {
            let (before, after) = split_name(self.session_of(code.file, cx)?, code.place.code_unit()?);
            Some(((code.file, code.place), before, after))
        };
        let names: Vec<_> = choices.iter().filter_map(Choice::overload).filter_map(split).collect();
        let is_one = names.iter().all(|(_, before, _)| names.first().is_some_and(|(_, first, _)| first == before));
        let name =
            |(key, before, after)| (key, (if is_one { after } else { format!("{before}{after}") }, String::new()));
        names.into_iter().map(name).collect()
    }
}

impl Choice {
    /// The method of a choice that is an offset in one of several.
    const fn overload(&self) -> Option<&NamedCode> {
        match self {
            Self::AtOffset(code) => Some(code),
            _ => None,
        }
    }
}
