//! Syntax highlighting; the only module that uses syntect.
//!
//! A text is highlighted from the top. Where the window is far below, highlighting starts some hundred lines above it, which
//! is nearly always right; what is wrong is corrected when the exact pass reaches the window.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::ui::theme::Role;

/// Lines above a distant window at which its guess starts.
const GUESS_DISTANCE: usize = 400;
/// Longer lines, in bytes, are not highlighted: one line must not block the worker.
const MAX_LINE: usize = 1024;
/// The time of one call of [`Highlighter::work`].
const TIME_SLICE: Duration = Duration::from_millis(25);

pub trait TextLines {
    fn lines(&self) -> usize;

    /// A line, counted from 0, without its line break.
    fn line(&self, index: usize) -> &str;
}

/// Pieces of a line: the byte where each ends, and its role.
pub type Pieces = Vec<(u32, Role)>;

#[derive(Clone, Debug)]
pub struct Highlighter {
    language: &'static str,
    /// Pieces by line; `None` until they are known.
    lines: Vec<Option<Arc<Pieces>>>,
    /// The number of lines that are exact, from the top; `at` is the state there.
    exact: usize,
    at: Option<ParserState>,
    guess: Option<Guess>,
}

/// Highlighting that started above a window instead of at the top.
#[derive(Clone, Debug)]
struct Guess {
    /// The first line, and the next one to do.
    from: usize,
    next: usize,
    state: ParserState,
}

#[derive(Clone, Debug)]
enum ParserState {
    Syntect(&'static SyntaxSet, Box<(ParseState, ScopeStack)>),
    Plain,
}

/// File extensions and names of syntaxes. F# is found by name: syntect takes its extension for a shader.
const LANGUAGES: &[(&str, &str)] = &[
    ("cs", "C#"),
    ("csx", "C#"),
    ("vb", "Visual Basic"),
    ("fs", "F#"),
    ("fsi", "F#"),
    ("fsx", "F#"),
    ("c", "C"),
    ("h", "C++"),
    ("cc", "C++"),
    ("cpp", "C++"),
    ("cxx", "C++"),
    ("hpp", "C++"),
    ("inl", "C++"),
];

/// Scope prefixes and roles: the innermost scope that is listed decides.
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

/// Syntax set of Visual Basic, which two-face has no syntax for; made from the `.sublime-syntax` beside it by a test, because
/// reading that needs a YAML parser.
const VISUAL_BASIC: &[u8] = include_bytes!("../../assets/syntaxes/VisualBasic.packdump");

struct KnownSyntaxes {
    /// In the order in which a name is looked up.
    sets: [SyntaxSet; 2],
    scopes: Vec<(Scope, Role)>,
}

fn known() -> &'static KnownSyntaxes {
    static KNOWN: OnceLock<KnownSyntaxes> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let scopes = SCOPES.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role)));
        let own = syntect::dumps::from_uncompressed_data(VISUAL_BASIC).unwrap_or_default();
        KnownSyntaxes { sets: [own, two_face::syntax::extra_no_newlines()], scopes: scopes.collect() }
    })
}

/// The syntax of that name, with the set that its contexts are in.
fn syntax(name: &str) -> Option<(&'static SyntaxSet, &'static SyntaxReference)> {
    known().sets.iter().find_map(|set| Some((set, set.find_syntax_by_name(name)?)))
}

impl ParserState {
    fn of(language: &str) -> Self {
        match syntax(language) {
            Some((set, syntax)) => Self::Syntect(set, Box::new((ParseState::new(syntax), ScopeStack::new()))),
            None => Self::Plain,
        }
    }

    fn line(&mut self, line: &str) -> Pieces {
        if line.len() > MAX_LINE {
            return Pieces::new();
        }
        let Self::Syntect(set, state) = self else { return Pieces::new() };
        let (parse, stack) = state.as_mut();
        let Ok(operations) = parse.parse_line(line, set) else { return Pieces::new() };
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

impl Highlighter {
    /// The initial state for a document; `None` where its language is not supported.
    pub fn new(name: &str, text: &dyn TextLines) -> Option<Self> {
        let extension = name.rsplit('.').next()?.to_ascii_lowercase();
        let (_, language) = LANGUAGES.iter().find(|(known, _)| *known == extension)?;
        Some(Self {
            language,
            lines: vec![None; text.lines()],
            exact: 0,
            // Created by the job: the first use of a language is slow.
            at: None,
            guess: None,
        })
    }

    /// The pieces of a line; empty until they are known.
    pub fn line(&self, index: usize) -> &[(u32, Role)] {
        self.lines.get(index).and_then(Option::as_ref).map_or(&[], |pieces| pieces)
    }

    /// Returns whether lines before `end` are not exact yet.
    pub fn is_unfinished(&self, end: usize) -> bool {
        self.exact < end.min(self.lines.len())
    }

    /// Works for one time slice: guesses for a distant window first, then the exact pass.
    #[must_use]
    pub fn work(mut self, text: &dyn TextLines, window: std::ops::Range<usize>, stop: &dyn Fn() -> bool) -> Self {
        let until = Instant::now() + TIME_SLICE;
        let end = window.end.min(self.lines.len());
        if window.start > self.exact + GUESS_DISTANCE && self.guess(text, window.start..end, until) {
            // The window is complete: the exact pass can wait.
            return self;
        }
        let mut state = self.at.take().unwrap_or_else(|| ParserState::of(self.language));
        while self.exact < end && !stop() && Instant::now() < until {
            let pieces = state.line(text.line(self.exact));
            self.lines[self.exact] = Some(Arc::new(pieces));
            self.exact += 1;
        }
        self.at = Some(state);
        self
    }

    /// Guesses the pieces of a window; true where that has just become complete.
    fn guess(&mut self, text: &dyn TextLines, window: std::ops::Range<usize>, until: Instant) -> bool {
        let (from, language) = (window.start.saturating_sub(GUESS_DISTANCE), self.language);
        // Continue the last guess where the window was only scrolled, or not yet reached.
        let reach = |guess: &Guess| guess.next.max(guess.from + GUESS_DISTANCE);
        let before = self.guess.take().filter(|guess| (guess.from..=reach(guess)).contains(&window.start));
        let mut guess = before.unwrap_or_else(|| Guess { from, next: from, state: ParserState::of(language) });
        let was_done = guess.next >= window.end;
        while guess.next < window.end && Instant::now() < until {
            self.lines[guess.next] = Some(Arc::new(guess.state.line(text.line(guess.next))));
            guess.next += 1;
        }
        let done = guess.next >= window.end;
        self.guess = Some(guess);
        done && !was_done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text(Vec<String>);

    impl Text {
        fn new(text: &str) -> Self {
            Self(text.lines().map(str::to_owned).collect())
        }
    }

    impl TextLines for Text {
        fn lines(&self) -> usize {
            self.0.len()
        }

        fn line(&self, index: usize) -> &str {
            &self.0[index]
        }
    }

    fn coloured(name: &str, source: &str) -> Vec<(String, Role)> {
        let text = Text::new(source);
        let mut colours = Highlighter::new(name, &text).unwrap();
        while colours.is_unfinished(text.lines()) {
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
        assert!(Highlighter::new("readme.txt", &Text::new("")).is_none());
    }

    #[test]
    fn visual_basic_is_taken_apart() {
        use Role::{Comment, Function, Keyword, Number, String, Type};
        let cases: &[(&str, &[(&str, Role)])] = &[
            (
                "Dim x As Integer = F(\"a\"\"b\", 12) ' it's said",
                &[
                    ("Dim", Keyword),
                    ("As", Keyword),
                    ("Integer", Keyword),
                    ("F", Function),
                    ("\"a\"\"b\"", String),
                    ("12", Number),
                    ("' it's said", Comment),
                ],
            ),
            ("größe \"offen", &[("\"offen", String)]),
            ("s = \"one\ntwo\" ' end", &[("\"one", String), ("two\"", String), ("' end", Comment)]),
            ("#Region \"a\"", &[("#Region", Keyword), ("\"a\"", String)]),
            ("  #If DEBUG Then\nx", &[("#If DEBUG Then", Keyword)]),
            (
                "<Serializable, Obsolete(\"x\")> Class A",
                &[("Obsolete", Function), ("\"x\"", String), ("Class", Keyword), ("A", Type)],
            ),
            ("D = #8/23/1970 3:45:39 AM#", &[("#8/23/1970 3:45:39 AM#", Number)]),
            ("a = &HFF_FFUL + &B10 + 1.5E-3R", &[("&HFF_FFUL", Number), ("&B10", Number), ("1.5E-3R", Number)]),
            ("c = \"x\"c", &[("\"x\"c", String)]),
            (
                "s$ = $\"a {line,5:N2}!\"",
                &[("$", Keyword), ("$\"a", String), ("5", Number), ("N2", String), ("!\"", String)],
            ),
            ("REM all of it", &[("REM all of it", Comment)]),
            ("remark = 1", &[("1", Number)]),
            ("''' <summary>said</summary>\nx", &[("''' <summary>said</summary>", Comment)]),
            ("Sub [Next](Of T)()", &[("Sub", Keyword), ("[Next]", Function), ("Of", Keyword)]),
            ("x.End(Me.New)", &[("End", Function), ("Me", Keyword), ("New", Keyword)]),
            ("Exit Function Else b()", &[("Exit", Keyword), ("Function", Keyword), ("Else", Keyword), ("b", Function)]),
        ];
        for (source, expected) in cases {
            let seen = coloured("A.vb", source);
            let seen: Vec<_> = seen.iter().map(|(text, role)| (text.as_str(), *role)).collect();
            assert_eq!(seen, *expected, "{source}");
        }
    }

    #[test]
    fn a_comment_over_many_lines_is_one_whatever_window_is_looked_at() {
        let source = format!("/*\n{}*/\nclass A {{}}\n", "inside\n".repeat(2000));
        let text = Text::new(&source);
        let mut colours = Highlighter::new("a.cs", &text).unwrap();
        let window = 1990..2010;
        while colours.line(2000).is_empty() {
            colours = colours.work(&text, window.clone(), &|| true);
        }
        assert!(colours.line(GUESS_DISTANCE).is_empty(), "the window is coloured by a guess, and not from the top");
        while colours.is_unfinished(window.end) {
            colours = colours.work(&text, window.clone(), &|| false);
        }
        assert_eq!(colours.line(1995), [(6, Role::Comment)]);
    }

    #[test]
    fn a_distant_window_is_guessed_from_above_it() {
        let code = "int a = 1;\n".repeat(5000);
        let text = Text::new(&format!("{code}/*\n{}*/\n{code}", "inside\n".repeat(300)));
        let (mut colours, window) = (Highlighter::new("a.cs", &text).unwrap(), 5200..5210);
        let comment = |colours: &Highlighter| colours.line(5209) == [(6, Role::Comment)];
        while colours.line(5205).is_empty() {
            colours = colours.work(&text, window.clone(), &|| true);
        }
        assert!(comment(&colours));
        assert_eq!(colours.exact, 0, "nothing was coloured from the top");
        // Scrolling continues the guess.
        while colours.line(5219).is_empty() {
            colours = colours.work(&text, 5210..5220, &|| true);
        }
        assert_eq!(colours.line(5219), [(6, Role::Comment)]);
    }
}
