//! The exercise of the last lesson: a line to its document, method, point and code, and a frame of a trace back to its line.

use super::Question;
use super::lines::{OffsetQuestion, binding, line, points};
use pdblens_formats::bytes::Show;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::code_unit::{self, MethodView, Words};
use pdblens_nodes::function::functions_in_order;
use pdblens_nodes::resolve::documents_named;
use pdblens_nodes::{CodeUnit, TableId, Token, document};
use pdblens_query::breakpoint::{Hit, LineQuery, bind};
use pdblens_query::where_is::state_machine::kickoff;
use pdblens_session::session::Session;
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::paths::file_name;

/// Methods and functions that are tried for a line worth asking about.
const MAX_TRIED: u32 = 300;
/// Other documents whose choice is explained.
const MAX_OTHERS: u32 = 20;
/// Other methods of the document whose choice is explained.
const MAX_METHODS: usize = 8;

struct Task {
    /// Path of the document, and its rows.
    path: String,
    documents: Vec<u32>,
    line: u32,
    /// Method or function that is followed, and all that bind.
    of: CodeUnit,
    bound: Vec<CodeUnit>,
    /// Methods with points that only pass through the line.
    passing: Vec<CodeUnit>,
    points: Vec<SequencePoint>,
    hit: Hit,
}

/// Questions of the exercise, in their order; none where the files have no line with code.
pub(super) fn questions(session: &Session) -> Vec<Question> {
    let Some(task) = Task::of(session) else { return Vec::new() };
    let mut found = vec![task.document(session), task.method(session), task.point()];
    found.extend(task.code());
    found.push(task.end(session));
    found.extend(trace(session, task.of));
    found
}

fn units(session: &Session) -> impl Iterator<Item = CodeUnit> {
    let methods = (1..=session.methods().min(MAX_TRIED)).map(|row| Token::new(TableId::METHOD_DEF, row));
    let functions = functions_in_order(session, MAX_TRIED as usize);
    methods.map(CodeUnit::Method).chain(functions.into_iter().map(CodeUnit::Function))
}

/// Traps on the way to the point at `index`: other points of its line, hidden ones before and after it.
fn traps(points: &[SequencePoint], index: usize) -> u32 {
    let Some(point) = points.get(index) else { return 0 };
    let on_line = points.iter().filter(|other| !other.is_hidden() && other.start_line == point.start_line).count();
    let hidden_next = points.get(index + 1).is_some_and(SequencePoint::is_hidden);
    let hidden_before = points.iter().take(index).any(SequencePoint::is_hidden);
    let weights = [(on_line > 1, 2), (hidden_next, 2), (hidden_before, 1)];
    weights.into_iter().map(|(holds, weight)| if holds { weight } else { 0 }).sum()
}

/// Most traps that a point can have.
const ALL_TRAPS: u32 = 5;

impl Task {
    /// The first line of the files with the most traps.
    fn of(session: &Session) -> Option<Self> {
        let mut best: Option<(u32, CodeUnit, u32)> = None;
        for of in units(session) {
            for (traps, line) in points(of, session).map_or_else(Vec::new, |points| lines_of(&points)) {
                if best.is_none_or(|(most, ..)| traps > most) {
                    best = Some((traps, of, line));
                }
            }
            if best.is_some_and(|(most, ..)| most == ALL_TRAPS) {
                break;
            }
        }
        let (_, of, line) = best?;
        let points = points(of, session)?;
        let row = points.iter().find(|point| !point.is_hidden() && point.start_line == line)?.document;
        let path = document::name(session, row)?;
        let query = LineQuery { documents: documents_named(session, &path), ..LineQuery::of(row, line, None) };
        let found = bind(session, &query);
        let hit = found.hits.iter().find(|hit| hit.binds && hit.of == of)?.clone();
        let units = |binds: bool| {
            let mut units: Vec<CodeUnit> =
                found.hits.iter().filter(|hit| hit.binds == binds).map(|hit| hit.of).collect();
            units.dedup();
            units
        };
        let bound = units(true);
        let passing = units(false).into_iter().filter(|unit| !bound.contains(unit)).collect();
        Some(Self { path, documents: query.documents, line, of, bound, passing, points, hit })
    }

    /// The question with the line as a debugger's list of breakpoints has it.
    fn asked(&self, question: Question) -> Question {
        question.fact("breakpoint", format!("{}:{}", file_name(&self.path), self.line))
    }

    /// The same with the method, where the line binds in several.
    fn asked_in(&self, question: Question) -> Question {
        let question = self.asked(question);
        if self.bound.len() > 1 { question.fact(self.of.words().unit, self.of.to_string()) } else { question }
    }

    fn document(&self, session: &Session) -> Question {
        let mut any = vec![self.path.clone()];
        any.extend(
            self.documents.iter().flat_map(|row| [format!("document/{row}"), format!("#{row}"), row.to_string()]),
        );
        let first = self.documents.first().copied().unwrap_or_default();
        let prompt = "A breakpoint is set on this line. Which document of the PDB is it in? Its number, or its path.";
        let mut question = self
            .asked(Question::of_text(prompt, any))
            .hint("View 3 (Code), after its key `t`, or `pdblens list FILE documents`, has the documents.")
            .solved(format!("document {first}: {}", self.path));
        let text = "That is the file name: the PDB has a whole path, and a debugger compares how it ends.";
        question.wrong(file_name(&self.path).to_owned(), text);
        let last = session.symbols().map_or(0, SymbolReader::documents).min(MAX_OTHERS);
        for row in 1..=last {
            let path = document::name(session, row).unwrap_or_default();
            question.wrong(row.to_string(), format!("Document {row} is {path}."));
        }
        question.wrong("0".to_owned(), "Documents are counted from 1.");
        question
    }

    fn method(&self, session: &Session) -> Question {
        let noun = self.of.words().unit;
        let names = |of: CodeUnit| {
            let name = code_unit::name(session, of);
            let bare = name.split('(').next().unwrap_or_default().to_owned();
            [of.to_string(), name, bare]
        };
        let any: Vec<String> = self.bound.iter().flat_map(|of| names(*of)).collect();
        let words = self.of.words();
        let mut question = self
            .asked(Question::of_text(format!("In which {noun} does it bind? Its name, or its {}.", words.id), any))
            .hint(format!("A {noun} of the document with a point that begins on the line."))
            .hint(format!("View 3 (Code) lists the {noun}s; `]` steps from point to point."));
        for of in &self.bound {
            question = question.solved(format!("{of} {}", code_unit::name(session, *of)));
        }
        let mut add = |of: CodeUnit, because: &str| {
            for name in names(of) {
                question.wrong(name, because);
            }
        };
        if let CodeUnit::Method(token) = self.of
            && let Some(kickoff) = kickoff(session, token)
        {
            add(kickoff.into(), "That is the kickoff method: its body, and so the line, was moved to MoveNext.");
        }
        for of in &self.passing {
            add(*of, "A statement of it passes through the line, but no point of it begins there.");
        }
        let is_beside = |of: &CodeUnit| {
            let points = points(*of, session).unwrap_or_default();
            !self.bound.contains(of) && points.iter().any(|point| self.documents.contains(&point.document))
        };
        let others = units(session).filter(is_beside).take(MAX_METHODS);
        for of in others {
            add(of, &format!("No point of {} begins on the line.", code_unit::name(session, of)));
        }
        if let CodeUnit::Method(token) = self.of {
            let text = format!("That is the row. The token has the number of the table before it: {token}.");
            question.wrong(token.row().to_string(), text);
        }
        question
    }

    fn point(&self) -> Question {
        let (right, noun) = (i64::from(self.hit.number), self.of.words().point);
        let before = self.points.iter().take(right as usize);
        let visible = before.filter(|point| !point.is_hidden()).count() as i64;
        let prompt = format!("Which of its {noun}s does the breakpoint bind to? Count from 1, hidden ones too.");
        let mut question = self
            .asked_in(Question::of_number(prompt, right, Show::Plain))
            .hint("The first visible one that begins on the line.")
            .solved(format!("{noun} {right}, which begins at {}", self.of.label(self.hit.point.offset.into())));
        question.wrong(visible, "Hidden points count too: that is its number among the visible ones.");
        question.wrong(right - 1, "Points are counted from 1, not from 0.");
        for (number, point) in (1_i64..).zip(&self.points) {
            if !point.is_hidden() && point.start_line == self.line {
                let text = "The line has this point too, but a breakpoint without a column binds to the first.";
                question.wrong(number, text);
            }
        }
        question.wrong(i64::from(self.line), "That is the line: the number of the point is asked for.");
        question
    }

    fn code(&self) -> Option<Question> {
        let prompt = format!("At which {} does its code begin, where the breakpoint is set?", self.of.words().offset);
        binding(self.of, &self.points, self.line, prompt).map(|question| self.asked_in(question))
    }

    fn end(&self, session: &Session) -> Question {
        let Words { offset: noun, unit: owner, show, .. } = *self.of.words();
        let (right, start) = (i64::from(self.hit.range.end), i64::from(self.hit.range.start));
        let (from, to) = (self.of.label(start), self.of.label(right));
        let prompt = format!("And where does that code end? The {noun} of its end, which is exclusive.");
        let mut question = self
            .asked_in(Question::of_number(prompt, right, show))
            .hint("The code of a point ends where the next one begins.")
            .solved(format!("{from}..{to} (end exclusive): the next point, hidden or not, begins there"));
        if self.of.words().is_compiled_later {
            let text = "No file has the machine code of these offsets: from here the map of the just-in-time compiler takes over";
            question = question.solved(text);
        }
        let text = "That is the last byte of the code: the end is exclusive, the first offset after it.";
        question.wrong(right - 1, text);
        question.wrong(start, "That is where the code begins.");
        let after = self.points.iter().filter(|point| point.offset > self.hit.point.offset);
        if let Some(next) = after.clone().find(|point| !point.is_hidden()) {
            let text = "A hidden point is between them, and ends the code of the point before it too.";
            question.wrong(i64::from(next.offset), text);
        }
        let view = MethodView::of(session, self.of);
        if let Some(size) = view.body.as_ref().map(|body| body.code_size) {
            let text = format!("That is where the {owner} ends: another point begins before.");
            question.wrong(i64::from(size), text);
        }
        let mut inside = view.instructions.iter().map(|(at, _)| i64::from(*at)).filter(|at| *at < right);
        if let Some(last) = inside.next_back().filter(|last| *last > start) {
            let text = "That is where the last instruction of the code begins: the end is after it.";
            question.wrong(last, text);
        }
        question
    }
}

/// Traps and line of each visible point that is the first of its line and has another one after it.
fn lines_of(points: &[SequencePoint]) -> Vec<(u32, u32)> {
    let visible = points.iter().enumerate().filter(|(_, point)| !point.is_hidden());
    let is_first = |(index, point): &(usize, &SequencePoint)| {
        points.iter().take(*index).all(|other| other.is_hidden() || other.start_line != point.start_line)
            && points.get(index + 1).is_some_and(|next| next.offset > point.offset)
    };
    visible.filter(is_first).map(|(index, point)| (traps(points, index), point.start_line)).collect()
}

/// The way back: a frame of a trace of another method than `task`, if there is one.
fn trace(session: &Session, task: CodeUnit) -> Option<Question> {
    let asked = |of: CodeUnit| Some((of, line(of, &points(of, session)?)?));
    let others = units(session).filter(|of| *of != task);
    let (of, OffsetQuestion { mut question, offset }) = others.into_iter().find_map(asked).or_else(|| asked(task))?;
    let image = session.image().map(|image| &image.name).or_else(|| session.symbol_file().map(|file| &file.name));
    let image = image.map_or("", |name| file_name(name));
    let name = code_unit::name(session, of);
    let frame = match of {
        CodeUnit::Method(token) => format!("at {name} in {image}:token {:#x}+{offset:#x}", token.0),
        CodeUnit::Function(_) => {
            format!("{}!{name}+{offset:#x}", image.rsplit_once('.').map_or(image, |(name, _)| name))
        }
    };
    "And back: a production trace, written where there was no PDB, has this frame. Which line is it?"
        .clone_into(&mut question.prompt);
    question.given = vec![("frame".to_owned(), frame)];
    let Words { offset: noun, unit: owner, .. } = *of.words();
    question.hints.insert(0, format!("The frame names the {owner} and the {noun}: look up its points."));
    let text = "The frames of callers have return addresses: the call is before the offset, perhaps on the line before";
    question.solution.push(text.to_owned());
    Some(question)
}
