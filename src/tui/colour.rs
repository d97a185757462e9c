//! Colouring source: lines in, pieces with roles out. The only place that knows syntect.
//!
//! A colourist goes through a text from the top and remembers its state every `STEP` lines, so that it can go on from
//! near anywhere. Where the window is far beyond what is known, it begins shortly before it: that is right nearly always, and
//! is made good when the exact state arrives.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::texts::Text;
use super::theme::Role;
use super::vb;

/// How many lines there are between two remembered states.
const STEP: usize = 256;
/// How many lines before a window a guess begins.
const BEFORE: usize = 120;
/// A line longer than this stays plain: one line must not stop everything.
const LONGEST: usize = 4096;
/// How long one piece of work may take.
const SLICE: Duration = Duration::from_millis(25);

/// The pieces of a line: where each ends, and its role.
pub type Pieces = Vec<(u32, Role)>;

/// What is known of the colours of a text.
#[derive(Clone, Debug)]
pub struct Colours {
    language: Language,
    /// The pieces of each line; nothing where they are not known yet.
    lines: Vec<Option<Arc<Pieces>>>,
    /// The states before lines 0, STEP, 2 STEP, ….
    states: Vec<State>,
    /// Up to here lines are coloured exactly, with the state at that line.
    exact: usize,
    at: State,
}

/// What the colourist knows between two lines.
#[derive(Clone, Debug)]
enum State {
    Syntect(Box<(ParseState, ScopeStack)>),
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// One that syntect knows, by name.
    Named(&'static str),
    VisualBasic,
}

/// Extensions and languages. F# goes by name: its extension is also that of a shader.
const LANGUAGES: &[(&str, Language)] = &[
    ("cs", Language::Named("C#")),
    ("csx", Language::Named("C#")),
    ("vb", Language::VisualBasic),
    ("fs", Language::Named("F#")),
    ("fsi", Language::Named("F#")),
    ("fsx", Language::Named("F#")),
    ("c", Language::Named("C")),
    ("h", Language::Named("C++")),
    ("cc", Language::Named("C++")),
    ("cpp", Language::Named("C++")),
    ("cxx", Language::Named("C++")),
    ("hpp", Language::Named("C++")),
    ("inl", Language::Named("C++")),
];

/// The beginnings of scopes and what they look like; the innermost scope that is here decides, and of several the first.
const SCOPES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("constant.numeric", Role::Number),
    ("constant.character", Role::String),
    ("constant.language", Role::Keyword),
    ("string", Role::String),
    ("keyword.operator.word", Role::Keyword),
    ("keyword.operator", Role::Text),
    ("keyword", Role::Keyword),
    ("storage", Role::Keyword),
    ("variable.language", Role::Keyword),
    ("entity.name.function", Role::Function),
    ("variable.function", Role::Function),
    ("support.function", Role::Function),
    ("entity.name", Role::Type),
    ("support.type", Role::Type),
    ("support.class", Role::Type),
    ("meta.preprocessor", Role::Keyword),
    ("meta.interpolation", Role::Text),
];

struct Known {
    syntaxes: SyntaxSet,
    scopes: Vec<(Scope, Role)>,
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let scopes = SCOPES.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role)));
        Known { syntaxes: two_face::syntax::extra_no_newlines(), scopes: scopes.collect() }
    })
}

fn syntax(name: &str) -> Option<&'static SyntaxReference> {
    known().syntaxes.find_syntax_by_name(name)
}

impl State {
    fn of(language: Language) -> Self {
        match language {
            Language::Named(name) => match syntax(name) {
                Some(syntax) => Self::Syntect(Box::new((ParseState::new(syntax), ScopeStack::new()))),
                None => Self::Plain,
            },
            Language::VisualBasic => Self::Plain,
        }
    }

    /// Goes through one line.
    fn line(&mut self, language: Language, line: &str) -> Pieces {
        if line.len() > LONGEST {
            return Pieces::new();
        }
        if language == Language::VisualBasic {
            return vb::pieces(line);
        }
        let Self::Syntect(state) = self else { return Pieces::new() };
        let (parse, stack) = state.as_mut();
        let Ok(operations) = parse.parse_line(line, &known().syntaxes) else { return Pieces::new() };
        let mut pieces = Pieces::new();
        for (at, operation) in operations {
            push(&mut pieces, at as u32, role(stack));
            if stack.apply(&operation).is_err() {
                break;
            }
        }
        push(&mut pieces, line.len() as u32, role(stack));
        pieces
    }
}

fn push(pieces: &mut Pieces, end: u32, role: Role) {
    let begin = pieces.last().map_or(0, |(end, _)| *end);
    if end <= begin {
        return;
    }
    match pieces.last_mut() {
        Some((last, same)) if *same == role => *last = end,
        _ => pieces.push((end, role)),
    }
}

fn role(stack: &ScopeStack) -> Role {
    let of =
        |scope: &Scope| known().scopes.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, role)| *role);
    stack.as_slice().iter().rev().find_map(of).unwrap_or(Role::Text)
}

impl Colours {
    /// What is known at first of a document of that name; nothing where its language is none of ours.
    pub fn new(name: &str, text: &Text) -> Option<Self> {
        let extension = name.rsplit('.').next()?.to_ascii_lowercase();
        let (_, language) = LANGUAGES.iter().find(|(known, _)| *known == extension)?;
        Some(Self {
            language: *language,
            lines: vec![None; text.lines()],
            states: Vec::new(),
            exact: 0,
            // Made on the worker: the first use of a language takes its time.
            at: State::Plain,
        })
    }

    /// The pieces of a line, as far as they are known.
    pub fn line(&self, index: usize) -> &[(u32, Role)] {
        self.lines.get(index).and_then(Option::as_ref).map_or(&[], |pieces| pieces)
    }

    /// Whether there is anything to do so that lines up to `end` are coloured exactly.
    pub fn wants(&self, end: usize) -> bool {
        self.exact < end.min(self.lines.len())
    }

    /// Works for a while: the window first, by a guess where it is far; then exactly, from where it left off.
    #[must_use]
    pub fn work(mut self, text: &Text, window: std::ops::Range<usize>, stop: &dyn Fn() -> bool) -> Self {
        let until = Instant::now() + SLICE;
        if self.exact == 0 && self.states.is_empty() {
            self.at = State::of(self.language);
        }
        let end = window.end.min(self.lines.len());
        let unseen = (window.start..end).any(|line| self.lines.get(line).is_some_and(Option::is_none));
        if unseen && window.start > self.exact + STEP {
            let mut state = State::of(self.language);
            for line in window.start.saturating_sub(BEFORE)..end {
                let pieces = state.line(self.language, text.line(line));
                if let Some(slot) = self.lines.get_mut(line) {
                    *slot = Some(Arc::new(pieces));
                }
            }
        }
        while self.exact < end && !stop() {
            if self.exact.is_multiple_of(STEP) {
                self.states.push(self.at.clone());
            }
            let pieces = self.at.line(self.language, text.line(self.exact));
            if let Some(slot) = self.lines.get_mut(self.exact) {
                *slot = Some(Arc::new(pieces));
            }
            self.exact += 1;
            if self.exact.is_multiple_of(16) && Instant::now() > until {
                break;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(name: &str, source: &str) -> Vec<(String, Role)> {
        let text = Text::new(source);
        let mut colours = Colours::new(name, &text).unwrap();
        while colours.wants(text.lines()) {
            colours = colours.work(&text, 0..text.lines(), &|| false);
        }
        let mut out = Vec::new();
        for index in 0..text.lines() {
            let (line, mut begin) = (text.line(index), 0);
            for (end, role) in colours.line(index) {
                out.push((line[begin..*end as usize].trim().to_owned(), *role));
                begin = *end as usize;
            }
        }
        out.retain(|(text, role)| !text.is_empty() && *role != Role::Text);
        out
    }

    #[test]
    fn every_language_has_keywords_strings_and_comments() {
        let seen = |name, source| {
            let found = coloured(name, source);
            for role in [Role::Keyword, Role::String, Role::Comment] {
                assert!(found.iter().any(|(_, r)| *r == role), "{name}: no {role:?} in {found:?}");
            }
        };
        seen("A.cs", "class A { string s = \"x\"; // said\n}");
        seen("A.vb", "Dim s As String = \"x\" ' said");
        seen("A.fs", "let s = \"x\" // said");
        seen("a.c", "static char *s = \"x\"; // said");
        seen("a.cpp", "class A { const char *s = \"x\"; /* said */ };");
        assert!(Colours::new("readme.txt", &Text::new("")).is_none());
    }

    #[test]
    fn a_comment_over_many_lines_is_one_whatever_window_is_looked_at() {
        let source = format!("/*\n{}*/\nclass A {{}}\n", "inside\n".repeat(2000));
        let text = Text::new(&source);
        let mut colours = Colours::new("a.cs", &text).unwrap();
        let window = 1990..2010;
        colours = colours.work(&text, window.clone(), &|| true);
        assert!(!colours.line(2000).is_empty(), "the window is coloured by a guess at once");
        while colours.wants(window.end) {
            colours = colours.work(&text, window.clone(), &|| false);
        }
        assert_eq!(colours.line(1995), [(6, Role::Comment)]);
    }
}
