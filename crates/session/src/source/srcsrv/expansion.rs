//! The names that an evaluation replaces, one by one.

use super::Evaluator;
use super::expand::Run;
use crate::text::safe::cut;
use pdblens_formats::bytes::Span;

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

/// Kind of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpansionKind {
    /// Part of the file's line: `%var1%`.
    Field,
    /// Variable of the stream.
    Variable,
    /// `%targ%`, the folder of the debugger.
    Target,
    /// `%fnvar%`, `%fnbksl%` or `%fnfile%`.
    Function,
    /// Name without a value.
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
            let mut run = Run {
                of: self,
                parts: &parts,
                open: Vec::new(),
                steps: 0,
                out: String::new(),
                problems: &mut problems,
                expansions: Some(&mut expansions),
            };
            run.variable(name);
        }
        let mut at = file.span;
        let spans: Vec<Span> = parts
            .iter()
            .map(|part| {
                let span = Span { len: part.len() as u64, ..at };
                at = Span { start: span.end().saturating_add(1), ..at };
                span
            })
            .collect();
        for expansion in expansions.iter_mut().filter(|expansion| expansion.kind == ExpansionKind::Field) {
            let number = expansion.name.trim_matches('%').get(3..).and_then(|digits| digits.parse::<usize>().ok());
            let span = number.and_then(|number| spans.get(number.wrapping_sub(1)));
            expansion.source = span.copied().unwrap_or_default();
        }
        Some(expansions)
    }
}

impl Run<'_, '_> {
    /// Notes that a variable is being replaced; returns where, and the length of the text before it.
    pub(super) fn begin(&mut self, name: &str) -> Option<(usize, usize)> {
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

    /// Notes that a function is being evaluated.
    pub(super) fn begin_function(&mut self, name: &str, argument: &str) -> Option<(usize, usize)> {
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
    pub(super) fn end(&mut self, at: Option<(usize, usize)>, known: bool) {
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
