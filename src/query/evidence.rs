//! Evidence beside ids: whether the symbols are about this code.
//!
//! An id says which build the files are of; it survives a rewriter that merges or weaves the image and leaves the PDB. The
//! code tells: a point begins at an instruction, a scope ends inside the code, a variable has a slot of the local signature,
//! and the outermost scope is as long as the code.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use crate::formats::il::Body;
use crate::formats::metadata::{TableId, Token};
use crate::formats::signature::{self, Signature};
use crate::nodes::method;
use crate::session::{PdbMatch, Session};
use crate::symbols::{Format, Scope, SymbolReader};
use crate::text::safe::count;

/// Limit on the methods examined: they are spread evenly over the image.
const MAX_METHODS: u32 = 2000;

/// Limit on the points and bytes of code examined: methods may share them, so that a small file can have any number.
const MAX_WORK: u64 = 1 << 24;

/// One kind of evidence: so many of so many agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Number that agree with the code.
    pub good: u64,
    /// Number examined.
    pub all: u64,
}

impl Score {
    fn add(&mut self, good: bool) -> bool {
        self.all += 1;
        self.good += u64::from(good);
        good
    }
}

/// Agreement of symbols and code, over the methods that have both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Methods in which everything agrees.
    pub methods: Score,
    /// Points at the start of an instruction.
    pub points: Score,
    /// Scopes that end inside the code.
    pub scopes: Score,
    /// Variables with a slot of the local signature.
    pub slots: Score,
    /// Outermost scopes as long as the code.
    pub sizes: Score,
}

impl Evidence {
    /// Returns whether the symbols are about the code: nothing if no method has both, or the two contradict each other in a few
    /// methods, as a faulty compiler would have them.
    pub const fn agrees(&self) -> Option<bool> {
        let wrong = self.methods.all - self.methods.good;
        match wrong {
            0 if self.methods.all == 0 => None,
            0 => Some(true),
            // One in twenty, and more than a single one where there are many.
            _ if wrong * 20 > self.methods.all => Some(false),
            _ => None,
        }
    }

    /// Counts, as one phrase.
    pub fn counts(&self) -> String {
        let parts = [
            (self.points, "points at instructions"),
            (self.scopes, "scopes inside the code"),
            (self.slots, "locals in the signature"),
            (self.sizes, "code sizes"),
        ];
        let parts = parts.iter().filter(|(score, _)| score.all > 0);
        let parts: Vec<String> = parts
            .map(|(score, what)| match score.all - score.good {
                0 => format!("{} {what}", score.all),
                _ => format!("{} of {} {what}", score.good, score.all),
            })
            .collect();
        parts.join(", ")
    }

    /// Verdict in one sentence; nothing where there is nothing to tell.
    pub fn sentence(&self, pdb_match: PdbMatch) -> Option<String> {
        let methods = count(self.methods.all, "method");
        let wrong = self.methods.all - self.methods.good;
        Some(match (self.agrees(), pdb_match.is_mismatch()) {
            (Some(true), false) => format!("the code agrees in {methods}: {}", self.counts()),
            (Some(true), true) => format!("the ids differ, yet the code agrees in {methods}: {}", self.counts()),
            (Some(false), false) => format!(
                "ids agree, the code does not: merged or rewritten after compilation (in {wrong} of {methods}: {})",
                self.counts()
            ),
            (Some(false), true) => format!("the code differs too, in {wrong} of {methods}: {}", self.counts()),
            (None, _) if wrong > 0 => format!("the code disagrees in {wrong} of {methods}: {}", self.counts()),
            (None, _) => return None,
        })
    }
}

/// Evidence of the open files, examined once.
#[derive(Debug, Default)]
struct Examined(OnceLock<Evidence>);

/// Scores points, scopes, slots and sizes of at most two thousand methods against the code; kept with the session.
pub fn evidence(session: &Session) -> &Evidence {
    session.cache().get::<Examined>().0.get_or_init(|| examine(session))
}

fn examine(session: &Session) -> Evidence {
    let mut evidence = Evidence::default();
    let (Some(symbols), Some(_)) = (session.symbols(), session.metadata()) else { return evidence };
    if symbols.methods() == 0 {
        return evidence;
    }
    let rows = symbols.methods();
    let step = rows.div_ceil(MAX_METHODS).max(1) as usize;
    let mut left = MAX_WORK;
    for row in (1..=rows).step_by(step) {
        // The code of a method that a delta changed is in the delta's IL, which is not open.
        if session.portable_pdb().is_some_and(|pdb| pdb.newest(row).is_some()) {
            continue;
        }
        left =
            left.saturating_sub(method_evidence(session, symbols, Token::new(TableId::METHOD_DEF, row), &mut evidence));
        if left == 0 {
            break;
        }
    }
    evidence
}

/// Adds the evidence of one method; returns the work that it took.
fn method_evidence(session: &Session, symbols: &dyn SymbolReader, token: Token, evidence: &mut Evidence) -> u64 {
    let mut points = Vec::new();
    let _ = symbols.points(token, &mut |point| {
        points.push(point.offset);
        ControlFlow::Continue(())
    });
    let scopes = symbols.scopes(token, &|token| token.to_string()).unwrap_or_default();
    if points.is_empty() && scopes.is_empty() {
        return 1;
    }
    let variables: usize = scopes.iter().map(|scope| scope.variables.len() + scope.constants.len()).sum();
    let mut work = 8 * (points.len() + scopes.len() + variables) as u64;
    let Ok(Some(body)) = method::body(session, token) else {
        evidence.methods.add(false);
        return work;
    };
    work += body.code.len;
    let starts: Vec<u32> = method::instructions(session, &body).map_while(Result::ok).map(|one| one.offset).collect();
    let mut good = true;
    for point in &points {
        good &= evidence.points.add(starts.binary_search(point).is_ok());
    }
    good &= scope_evidence(&scopes, &body, symbols.format(), evidence);
    if let Some(slots) = slots(session, &body) {
        for variable in scopes.iter().flat_map(|scope| &scope.variables) {
            good &= evidence.slots.add(usize::from(variable.slot) < slots);
        }
    }
    evidence.methods.add(good);
    work
}

fn scope_evidence(scopes: &[Scope], body: &Body, format: Format, evidence: &mut Evidence) -> bool {
    let mut good = true;
    let end = |scope: &Scope| u64::from(scope.start) + u64::from(scope.length);
    for scope in scopes {
        good &= evidence.scopes.add(end(scope) <= body.code.len);
    }
    // Only these formats give the outermost scope to all of the code.
    if let Some(first) = scopes.first().filter(|_| format == Format::Portable) {
        good &= evidence.sizes.add(first.start == 0 && end(first) == body.code.len);
    }
    good
}

/// Number of local variables of the code; nothing where their signature cannot be read.
fn slots(session: &Session, body: &Body) -> Option<usize> {
    if body.local_signature.is_nil() {
        return Some(0);
    }
    let blob = session.metadata()?.blob_cell(TableId::STAND_ALONE_SIG, body.local_signature.row(), 0).ok()?;
    match signature::decode(&mut blob.cursor()).ok()? {
        Signature::Locals(types) => Some(types.len()),
        _ => None,
    }
}
