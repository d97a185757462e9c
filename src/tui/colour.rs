//! Colouring source: lines in, pieces with roles out. The only place that knows syntect.
//!
//! A colourist goes through a text from the top. Where the window is far beyond what it has seen, it begins shortly before the
//! window: that is right nearly always. Then it begins further before it, which is right for a comment or a string of many
//! lines too; and whatever is wrong still is made good when it gets there from the top.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::texts::Text;
use super::theme::Role;

/// How many lines before a window a guess begins: the first, and the one after it.
const BEFORE: [usize; 2] = [12, 400];
/// A line longer than this stays plain: one line must not stop everything.
const LONGEST: usize = 1024;
/// How long one piece of work may take.
const SLICE: Duration = Duration::from_millis(25);

/// The pieces of a line: where each ends, and its role.
pub type Pieces = Vec<(u32, Role)>;

/// What is known of the colours of a text.
#[derive(Clone, Debug)]
pub struct Colours {
    /// Name of its syntax.
    language: &'static str,
    /// The pieces of each line; nothing where they are not known yet.
    lines: Vec<Option<Arc<Pieces>>>,
    /// Up to here lines are coloured exactly, with the state at that line.
    exact: usize,
    at: Option<State>,
    /// What is guessed around the window that was looked at last.
    guess: Option<Guess>,
}

/// Colours from somewhere in the middle.
#[derive(Clone, Debug)]
struct Guess {
    /// The line it began with, and the one it goes on with.
    from: usize,
    next: usize,
    state: State,
    /// Which of [`BEFORE`] it is.
    depth: usize,
}

/// What the colourist knows between two lines.
#[derive(Clone, Debug)]
enum State {
    Syntect(&'static SyntaxSet, Box<(ParseState, ScopeStack)>),
    Plain,
}

/// Extensions, and the names of their syntaxes. F# goes by name: its extension is also that of a shader.
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

/// Syntax set of Visual Basic, which two-face has no syntax for; made from the `.sublime-syntax` beside it by a test, because
/// reading that needs a YAML parser.
const VISUAL_BASIC: &[u8] = include_bytes!("../../assets/syntaxes/VisualBasic.packdump");

struct Known {
    /// In the order in which a name is looked up.
    sets: [SyntaxSet; 2],
    scopes: Vec<(Scope, Role)>,
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let scopes = SCOPES.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role)));
        let own = syntect::dumps::from_uncompressed_data(VISUAL_BASIC).unwrap_or_default();
        Known { sets: [own, two_face::syntax::extra_no_newlines()], scopes: scopes.collect() }
    })
}

/// The syntax of that name, with the set that its contexts are in.
fn syntax(name: &str) -> Option<(&'static SyntaxSet, &'static SyntaxReference)> {
    known().sets.iter().find_map(|set| Some((set, set.find_syntax_by_name(name)?)))
}

impl State {
    fn of(language: &str) -> Self {
        match syntax(language) {
            Some((set, syntax)) => Self::Syntect(set, Box::new((ParseState::new(syntax), ScopeStack::new()))),
            None => Self::Plain,
        }
    }

    /// Goes through one line.
    fn line(&mut self, line: &str) -> Pieces {
        if line.len() > LONGEST {
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

impl Colours {
    /// What is known at first of a document of that name; nothing where its language is none of ours.
    pub fn new(name: &str, text: &Text) -> Option<Self> {
        let extension = name.rsplit('.').next()?.to_ascii_lowercase();
        let (_, language) = LANGUAGES.iter().find(|(known, _)| *known == extension)?;
        Some(Self {
            language,
            lines: vec![None; text.lines()],
            exact: 0,
            // Made on the worker: the first use of a language takes its time.
            at: None,
            guess: None,
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

    /// Works for a while: the window first, by guesses where it is far; then exactly, from where it left off.
    #[must_use]
    pub fn work(mut self, text: &Text, window: std::ops::Range<usize>, stop: &dyn Fn() -> bool) -> Self {
        let until = Instant::now() + SLICE;
        let end = window.end.min(self.lines.len());
        if window.start > self.exact + BEFORE[1] && self.guess(text, window.start..end, until) {
            // It can be shown: the rest is for later.
            return self;
        }
        let mut state = self.at.take().unwrap_or_else(|| State::of(self.language));
        while self.exact < end && !stop() && Instant::now() < until {
            let pieces = state.line(text.line(self.exact));
            self.lines[self.exact] = Some(Arc::new(pieces));
            self.exact += 1;
        }
        self.at = Some(state);
        self
    }

    /// Colours a window, beginning somewhere before it; returns whether it has just got all its colours.
    fn guess(&mut self, text: &Text, window: std::ops::Range<usize>, until: Instant) -> bool {
        let language = self.language;
        let begin = |depth: usize| {
            let from = window.start.saturating_sub(BEFORE[depth]);
            Guess { from, next: from, state: State::of(language), depth }
        };
        // Where the window has only been scrolled, the guess goes on; also where it has not come to the window yet.
        let reach = |guess: &Guess| guess.next.max(guess.from + BEFORE[guess.depth]);
        let before = self.guess.take().filter(|guess| (guess.from..=reach(guess)).contains(&window.start));
        let mut guess = before.unwrap_or_else(|| begin(0));
        if guess.next >= window.end && guess.depth + 1 < BEFORE.len() {
            guess = begin(guess.depth + 1);
        }
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
        let mut colours = Colours::new("a.cs", &text).unwrap();
        let window = 1990..2010;
        while colours.line(2000).is_empty() {
            colours = colours.work(&text, window.clone(), &|| true);
        }
        assert!(colours.line(BEFORE[1]).is_empty(), "the window is coloured by a guess, and not from the top");
        while colours.wants(window.end) {
            colours = colours.work(&text, window.clone(), &|| false);
        }
        assert_eq!(colours.line(1995), [(6, Role::Comment)]);
    }

    #[test]
    fn a_guess_that_began_too_late_is_made_good_by_the_next_one() {
        let code = "int a = 1;\n".repeat(5000);
        let text = Text::new(&format!("{code}/*\n{}*/\n{code}", "inside\n".repeat(300)));
        let (mut colours, window) = (Colours::new("a.cs", &text).unwrap(), 5200..5210);
        let comment = |colours: &Colours| colours.line(5209) == [(6, Role::Comment)];
        while colours.line(5205).is_empty() {
            colours = colours.work(&text, window.clone(), &|| true);
        }
        while !comment(&colours) {
            colours = colours.work(&text, window.clone(), &|| true);
        }
        assert_eq!(colours.exact, 0, "nothing was coloured from the top");
        // Scrolling goes on from there.
        while colours.line(5219).is_empty() {
            colours = colours.work(&text, 5210..5220, &|| true);
        }
        assert_eq!(colours.line(5219), [(6, Role::Comment)]);
    }
}
