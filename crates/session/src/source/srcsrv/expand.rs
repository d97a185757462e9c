//! Expansion of `%names%` and functions in a value, and the names that it replaces, one by one.

use super::{Evaluator, MAX_DEPTH, MAX_STEPS, MAX_TEXT, Problem};
use crate::text::safe::cut;
use pdblens_formats::bytes::Span;

pub(super) struct Run<'r, 'a> {
    of: &'r Evaluator<'a>,
    /// Variables of the file, `var1` first.
    parts: &'r [String],
    /// Names of the variables being evaluated, outermost first.
    open: Vec<String>,
    steps: usize,
    pub(super) out: String,
    problems: &'r mut Vec<Problem>,
    /// Names that were replaced, if they are asked for.
    expansions: Option<&'r mut Vec<Expansion>>,
}

impl<'r, 'a> Run<'r, 'a> {
    pub(super) fn new(of: &'r Evaluator<'a>, parts: &'r [String], problems: &'r mut Vec<Problem>) -> Self {
        Self { of, parts, open: Vec::new(), steps: 0, out: String::new(), problems, expansions: None }
    }

    fn problem(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) && self.problems.len() < 100 {
            self.problems.push(problem);
        }
    }

    fn push(&mut self, text: &str) {
        if self.out.len() + text.len() > MAX_TEXT {
            return self.problem(Problem::TooLong);
        }
        self.out.push_str(text);
    }

    /// Appends the value of the variable with `name`, in lower case; `false` where it has none.
    pub(super) fn variable(&mut self, name: &str) -> bool {
        let at = self.begin(name);
        let known = self.value_of(name);
        self.end(at, known);
        known
    }

    fn value_of(&mut self, name: &str) -> bool {
        self.steps += 1;
        let number = name.strip_prefix("var").and_then(|digits| digits.parse::<usize>().ok());
        if let Some(part) = number.and_then(|number| self.parts.get(number.checked_sub(1)?)) {
            self.push(part);
            return true;
        }
        if let ("targ", Some(root)) = (name, &self.of.root) {
            self.push(&root.clone());
            return true;
        }
        let Some(assignment) = self.of.variables.get(name).copied() else { return name == "targ" && self.keep(name) };
        if self.open.iter().any(|open| open == name) {
            self.problem(Problem::Circular(name.to_owned()));
        } else if self.open.len() >= MAX_DEPTH {
            self.problem(Problem::TooDeep);
        } else if self.steps > MAX_STEPS {
            self.problem(Problem::TooMuch);
        } else if self.out.len() < MAX_TEXT {
            self.open.push(name.to_owned());
            let value = self.of.srcsrv.text(assignment.value);
            self.text(&value);
            self.open.pop();
        }
        true
    }

    fn keep(&mut self, name: &str) -> bool {
        self.push("%");
        self.push(name);
        self.push("%");
        true
    }

    /// Appends the value of `text`.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('%') {
            self.push(before);
            if self.steps > MAX_STEPS {
                return self.problem(Problem::TooMuch);
            }
            let Some((name, after)) = behind.split_once('%') else {
                self.push("%");
                rest = behind;
                continue;
            };
            let key = name.to_lowercase();
            if let "fnvar" | "fnbksl" | "fnfile" = key.as_str() {
                rest = self.function(&key, after);
            } else if self.variable(&key) {
                rest = after;
            } else {
                // Not a name after all, as in `%20%var2%`: the second % may begin one.
                if !name.is_empty() {
                    self.problem(Problem::Unknown(name.chars().take(64).collect()));
                }
                self.push("%");
                self.push(name);
                rest = behind.get(name.len()..).unwrap_or_default();
                if name.is_empty() {
                    rest = after;
                }
            }
        }
        self.push(rest);
    }

    /// Appends the value of function `name` for the parenthesis that `rest` begins with; returns the text after it.
    fn function<'t>(&mut self, name: &str, rest: &'t str) -> &'t str {
        self.steps += 1;
        let Some((argument, after)) = parenthesis(rest) else {
            self.problem(Problem::NoArgument(name.to_owned()));
            self.keep(name);
            return rest;
        };
        if self.open.len() >= MAX_DEPTH {
            self.problem(Problem::TooDeep);
            return after;
        }
        // The value of the argument is taken off the end again; a function is a level like a variable.
        let start = self.out.len();
        let at = self.begin_function(name, argument);
        self.open.push(String::new());
        self.text(argument);
        let value = self.out.split_off(start);
        match name {
            "fnbksl" => self.push(&value.replace('/', "\\")),
            "fnfile" => self.push(value.rsplit(['\\', '/']).next().unwrap_or_default()),
            _ => {
                if !self.variable(&value.trim().to_lowercase()) {
                    self.problem(Problem::Unknown(value.chars().take(64).collect()));
                }
            }
        }
        self.open.pop();
        self.end(at, true);
        after
    }
}

/// Splits `text` after the parenthesis that it begins with, into content and rest; parentheses may nest.
fn parenthesis(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('(')?;
    let mut depth = 0_usize;
    for (at, c) in inner.char_indices().take(MAX_TEXT) {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((&inner[..at], &inner[at + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Limit on the expansions of one file that are kept.
const MAX_EXPANSIONS: usize = 1000;
/// Limit on the bytes of a text that is kept of an expansion.
const MAX_KEPT: usize = 4096;

/// A name of a value, and what took its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The name as the text has it: `%var2%`, `%fnfile%(%var1%)`.
    pub name: String,
    /// Kind of the name.
    pub kind: ExpansionKind,
    /// Number of values around it.
    pub depth: u8,
    /// Value before the names in it were replaced; empty for a function.
    pub template: String,
    /// Text that took the place of the name.
    pub value: String,
    /// All text up to and including the value.
    pub so_far: String,
    /// Bytes of the value in the stream; empty for a function, and for a name that is unknown.
    pub source: Span,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpansionKind {
    /// Part of the file's line: `%var1%`.
    Field,
    Variable,
    /// `%targ%`, the folder of the debugger.
    Target,
    Function,
    #[default]
    Unknown,
}

impl Evaluator<'_> {
    /// The names that are replaced for the file that the PDB calls `path`: those of the target first, then those of the command.
    pub fn expansions(&self, path: &str) -> Option<Vec<Expansion>> {
        let file = self.srcsrv.files.get(*self.files.get(&path.to_lowercase())?)?;
        let parts: Vec<String> = self.srcsrv.parts(file).map(Into::into).collect();
        let (mut expansions, mut problems) = (Vec::new(), Vec::new());
        for name in ["srcsrvtrg", "srcsrvcmd"].into_iter().filter(|name| self.variables.contains_key(*name)) {
            let mut run = Run { expansions: Some(&mut expansions), ..Run::new(self, &parts, &mut problems) };
            run.variable(name);
        }
        let mut at = file.span;
        let spans: Vec<Span> = parts
            .iter()
            .map(|part| {
                let span = Span { len: part.len() as u64, ..at };
                at = Span { start: span.end() + 1, ..at };
                span
            })
            .collect();
        for expansion in expansions.iter_mut().filter(|expansion| expansion.kind == ExpansionKind::Field) {
            let number = expansion.name.trim_matches('%').get(3..).and_then(|digits| digits.parse::<usize>().ok());
            let span = number.and_then(|number| spans.get(number.checked_sub(1)?));
            expansion.source = span.copied().unwrap_or_default();
        }
        Some(expansions)
    }
}

impl Run<'_, '_> {
    /// Notes that a variable is being replaced; returns where, and the length of the text before it.
    fn begin(&mut self, name: &str) -> Option<(usize, usize)> {
        let is_field = name.strip_prefix("var").and_then(|digits| digits.parse::<usize>().ok());
        let assignment = self.of.variables.get(name);
        let kind = match (is_field.filter(|n| (1..=self.parts.len()).contains(n)), assignment) {
            (Some(_), _) => ExpansionKind::Field,
            (_, Some(_)) => ExpansionKind::Variable,
            _ if name == "targ" => ExpansionKind::Target,
            _ => ExpansionKind::Unknown,
        };
        let is_variable = kind == ExpansionKind::Variable;
        let value = if is_variable { assignment.map(|found| found.value) } else { None };
        let template = value.map_or_else(String::new, |value| self.of.srcsrv.text(value).into_owned());
        self.note(Expansion {
            name: format!("%{name}%"),
            kind,
            template,
            source: value.unwrap_or_default(),
            ..Expansion::default()
        })
    }

    fn begin_function(&mut self, name: &str, argument: &str) -> Option<(usize, usize)> {
        let name = format!("%{name}%({argument})");
        self.note(Expansion { name, kind: ExpansionKind::Function, ..Expansion::default() })
    }

    fn note(&mut self, expansion: Expansion) -> Option<(usize, usize)> {
        let (depth, before) = (self.open.len() as u8, self.out.len());
        let list = self.expansions.as_deref_mut().filter(|list| list.len() < MAX_EXPANSIONS)?;
        list.push(Expansion { depth, ..expansion });
        Some((list.len().saturating_sub(1), before))
    }

    /// Notes the value of what was begun at `at`.
    fn end(&mut self, at: Option<(usize, usize)>, known: bool) {
        let Some((list, (index, before))) = self.expansions.as_deref_mut().zip(at) else { return };
        let kept = |from: usize| {
            let mut text = self.out.get(from..).unwrap_or_default().to_owned();
            cut(&mut text, MAX_KEPT);
            text
        };
        if known && let Some(expansion) = list.get_mut(index) {
            (expansion.value, expansion.so_far) = (kept(before), kept(0));
        }
    }
}
