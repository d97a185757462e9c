//! Statements from IL: one line of C# for each visible point of a method, without its source.
//!
//! A point is a statement. The PDB names local variables, and the metadata names everything else. The instructions of a point are
//! evaluated to expressions, and the patterns that compilers emit are written as the C# that they come from. This is not a decompiler:
//! it writes one line for each point.
//!
//! The width of a span is a checksum: a text exactly as wide as its span is likely the original one. The width also decides between
//! spellings with the same meaning.

mod assign;
mod binding;
mod body;
mod braces;
mod branch;
mod calls;
mod evaluate;
mod lambda;
mod library;
mod line;
mod literal;
mod native;
mod node;
mod operators;
mod readback;
mod sentence;
mod sentences;
mod spelled;
mod spelling;
#[cfg(test)]
mod tests;
mod values;
mod write;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::code_unit::{CodeUnit, MethodView, each_point};
use pdblens_nodes::function::NativeView;
use pdblens_session::session::Session;
use pdblens_session::text::guids;

use body::Body;
use lambda::of_body;
use library::Library;
pub use line::Statement;
pub use readback::Proof;
use spelling::{width, width_of};

/// A point with its statement; none for a hidden one.
type Stated = (SequencePoint, Option<Statement>);

/// Statements of a session, for a caller that asks for those of many methods.
pub struct Statements<'s> {
    session: &'s Session,
    /// None for native code.
    library: Option<Library<'s>>,
    /// The code that was asked for last.
    last: RefCell<Option<(CodeUnit, Vec<Stated>)>>,
}

impl fmt::Debug for Statements<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statements").finish_non_exhaustive()
    }
}

/// Points of the largest method whose statements are read while a screen is drawn: a few thousandths of a second.
const MAX_DRAWN: usize = 1000;
/// Methods whose statements are kept.
const MAX_KEPT: usize = 256;

/// Statements of the methods that were asked for last.
#[derive(Debug, Default)]
struct KeptStatements(Mutex<HashMap<CodeUnit, Arc<[Option<Statement>]>>>);

/// The statements of [`Statements::of`] for a screen, which asks for them with each frame; none of a method that would take too long.
pub fn kept(session: &Session, of: CodeUnit) -> Arc<[Option<Statement>]> {
    let kept = || session.cache().get::<KeptStatements>().0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept().get(&of) {
        return Arc::clone(known);
    }
    let mut points = 0_usize;
    let _ = each_point(session, of, &mut |_| {
        points += 1;
        if points > MAX_DRAWN { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let statements = if points > MAX_DRAWN { None } else { Statements::new(session) };
    let found: Arc<[_]> = statements.map(|statements| statements.of(of)).unwrap_or_default().into();
    let mut kept = kept();
    if kept.len() >= MAX_KEPT {
        kept.clear();
    }
    kept.insert(of, Arc::clone(&found));
    found
}

impl<'s> Statements<'s> {
    /// The statements of a session; none without an image with metadata and without native code.
    pub fn new(session: &'s Session) -> Option<Self> {
        let library = Library::new(session);
        let has_code = library.is_some() || NativeView::of(session).is_some();
        has_code.then(|| Self { session, library, last: RefCell::default() })
    }

    /// The statements of a method or the calls of a function, one for each point; none for a hidden point, and no list without code.
    pub fn of(&self, of: impl Into<CodeUnit>) -> Vec<Option<Statement>> {
        match (of.into(), &self.library) {
            (CodeUnit::Method(method), Some(library)) => {
                Body::read(library, method).map_or_else(Vec::new, |body| proved(library, &body))
            }
            (CodeUnit::Method(_), None) => Vec::new(),
            (of @ CodeUnit::Function(_), _) => native::calls(self.session, of),
        }
    }

    /// The one statement that all of a short method without sequence points is, if it is proved. `None` for other methods:
    /// without points, neither the start of a statement nor the sense of a condition is known.
    pub fn of_unpointed(&self, method: Token) -> Option<Statement> {
        let library = self.library.as_ref()?;
        let statement = proved(library, &Body::unpointed(library, method)?).pop()??;
        statement.whole.then_some(statement)
    }

    /// The statement of the point at an offset. Those of the method or function are kept until another is asked for.
    pub fn at(&self, of: CodeUnit, offset: u32) -> Option<Statement> {
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|last| last.0 != of) {
            *last = Some((of, MethodView::of(self.session, of).points.iter().copied().zip(self.of(of)).collect()));
        }
        let mut points = last.iter().flat_map(|last| &last.1);
        points.find(|(point, _)| point.offset == offset && !point.is_hidden())?.1.clone()
    }
}

/// The statements of a method, each checked against its IL.
fn proved(library: &Library<'_>, body: &Body<'_>) -> Vec<Option<Statement>> {
    let mut found = of_body(library, body, 0);
    let mut language = (0, None);
    for (point, statement) in found.iter_mut().enumerate() {
        let Some(statement) = statement else { continue };
        let wanted = width_of(&body.view.points[point]);
        let check = |text: &str| readback::check(library, body, point, text);
        let mut opposite = statement.opposite.take();
        let (mut proof, mut rule) = check(&statement.text);
        for other in [&mut opposite, &mut statement.usual] {
            if let (Some(text), Proof::Refused) = (other, proof)
                && let found @ (Proof::Proved, _) = check(text)
            {
                (proof, rule) = found;
                std::mem::swap(text, &mut statement.text);
                statement.fits = width(&statement.text) == wanted;
            }
        }
        // The layout does not tell an empty body from one that is a bare jump.
        if let (Some(opposite), Proof::Proved) = (&opposite, proof)
            && width(opposite) == wanted
            && width(&statement.text) != wanted
        {
            (proof, rule) = (Proof::Undecided, Some("a condition whose opposite has the width".into()));
        }
        let SequencePoint { document, start_column, .. } = body.view.points[point];
        // Optimised code stores the arm of a `switch` expression at once: no statement begins in its column.
        let value = statement.text.split_once(" = ").map(|(_, value)| value.trim_end_matches(';'));
        let is_statement = || {
            let unit = library.unit(body.member.row, document);
            unit.is_some_and(|unit| unit > 1 && start_column % unit == 1)
        };
        if proof == Proof::Proved
            && !statement.fits
            && value.is_some_and(|value| width(value) == wanted)
            && !is_statement()
        {
            (proof, rule) = (Proof::Undecided, Some("an assignment whose value has the width".into()));
        }
        // The point of `return kind switch { … }` has the IL of `kind`, that of `lock (cache)` the IL of `cache`.
        let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        if proof == Proof::Proved && !statement.fits && is_name(&statement.text) {
            (proof, rule) = (Proof::Undecided, Some("a name that is not the span".into()));
        }
        if language.0 != document {
            language = (document, foreign(library, document));
        }
        if let (Some(language), Proof::Proved) = (&language.1, proof) {
            (proof, rule) = (Proof::Undecided, Some(language.clone()));
        }
        statement.whole &= proof == Proof::Proved;
        (statement.proof, statement.rule) = (proof, rule);
    }
    found
}

/// The language of a document that is not C#. Compilers have read back texts in C# documents alone, so that nothing proves the rules
/// elsewhere.
fn foreign(library: &Library<'_>, document: u32) -> Option<Cow<'static, str>> {
    let Some(language) = library.session.symbols()?.document(document).ok()?.language else {
        return Some("a document without a language".into());
    };
    let name = guids::name(language).unwrap_or("another language");
    (language != guids::CSHARP).then(|| format!("a document in {name}").into())
}
