//! Evidence in addition to ids: whether the symbols describe this code.
//!
//! An id identifies the build, but it stays the same when a tool merges or weaves the image without rewriting the PDB. The code reveals
//! that: in a matching pair a point begins at an instruction, a scope ends inside the code, a variable has a slot of the local signature,
//! and the outermost scope is as long as the code.

use std::sync::OnceLock;

use super::method_facts::MethodFacts;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::reason::Reason;
use pdblens_session::session::{PdbMatch, Session, refused_partner};
use pdblens_session::symbols::SymbolReader;
use pdblens_session::text::safe::count;

/// Limit on the methods examined: they are spread evenly over the image.
const MAX_METHODS: u32 = 1000;
/// Limit on the points and bytes of code examined: methods may share them, so that a small file can have any number.
const MAX_WORK: u64 = 1 << 24;

/// One kind of evidence: the number that agrees, and the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "score"))]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "evidence_scores"))]
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
    /// First method in which something disagrees.
    #[serde(skip)]
    pub first_wrong: Option<Token>,
    /// True if not all methods were examined.
    #[serde(skip)]
    pub is_sample: bool,
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
        let methods = count(self.methods.all, if self.is_sample { "sampled method" } else { "method" });
        let wrong = self.methods.all - self.methods.good;
        Some(match (self.agrees(), pdb_match.is_mismatch()) {
            (Some(true), false) => format!("the code agrees in {methods}: {}", self.counts()),
            (Some(true), true) => format!("the ids differ, yet the code agrees in {methods}: {}", self.counts()),
            (Some(false), false) => format!(
                "ids agree, the code does not: merged or rewritten after compilation (in {wrong} of {methods}; what fits: {})",
                self.counts()
            ),
            (Some(false), true) => {
                format!("the code differs too, in {wrong} of {methods}; what fits: {}", self.counts())
            }
            (None, _) if wrong > 0 => {
                format!("the code disagrees in {wrong} of {methods}; what fits: {}", self.counts())
            }
            (None, _) => return None,
        })
    }
}

/// Runs of methods that show whether a thousand need be examined, and methods in each.
const GLANCES: u32 = 8;
const GLANCE_RUN: u32 = 8;
/// Number of consecutive methods in a run: their rows, blobs and bodies are adjacent in the files, so few blocks are read.
const RUN: u32 = 64;

#[derive(Debug, Default)]
struct Examined(OnceLock<Evidence>);

/// Scores points, scopes, slots and sizes of at most a thousand methods against the code; kept with the session.
pub fn evidence(session: &Session) -> &Evidence {
    session.cache().get::<Examined>().0.get_or_init(|| examine(session))
}

/// Warning before an answer from symbols of another build: the ids that differ, then the evidence of the code; `None` if everything
/// agrees. Of a large image whose ids agree, the evidence is examined only if one of a few methods disagrees.
pub fn mismatch_warning(session: &Session) -> Option<String> {
    let ids = id_warning(session);
    if ids.is_none() && agree_at_a_glance(session) {
        return None;
    }
    let evidence = evidence(session);
    let sentence = evidence.sentence(session.pdb_match());
    match ids {
        Some(ids) => Some(sentence.map_or(ids.clone(), |sentence| format!("{ids}; {sentence}"))),
        None if evidence.agrees() == Some(false) => sentence,
        None => None,
    }
}

/// Returns true if the image has more methods than are examined, and symbols and code agree in a few of them, all over the image.
fn agree_at_a_glance(session: &Session) -> bool {
    let Some(symbols) = symbols_of_code(session).filter(|symbols| symbols.methods() > MAX_METHODS) else {
        return false;
    };
    let (mut found, mut facts, mut left) = (Evidence::default(), MethodFacts::new(symbols), MAX_WORK);
    let starts = (1..=symbols.methods()).step_by((symbols.methods() / GLANCES) as usize);
    let end = symbols.methods() + 1;
    for row in starts.flat_map(|first| first..(first + GLANCE_RUN).min(end)) {
        facts.read(session, symbols, Token::new(TableId::METHOD_DEF, row), true, &mut |_, _| {});
        left = left.saturating_sub(found.add(&facts));
        if left == 0 || found.methods.good < found.methods.all {
            return false;
        }
    }
    found.methods.all > 0
}

/// Warning that the ids of image and symbols differ, or of the only file and the one of its name beside it; without a look at the code.
pub fn id_warning(session: &Session) -> Option<String> {
    let pdb_match = session.pdb_match();
    if let Some(refused) = refused_partner(session) {
        return Some(format!("{}: {refused}", pdb_match.summary()));
    }
    let reason = session.match_reasons().first().map_or(String::new(), |reason| format!(": {reason}"));
    pdb_match.is_mismatch().then(|| format!("{}{reason}", pdb_match.summary()))
}

/// Sentence about a method that its code contradicts: which of its points, scopes, variables do not fit.
pub fn contradiction(session: &Session, method: Token) -> Option<Reason> {
    let (mut evidence, symbols) = (Evidence::default(), symbols_of_code(session)?);
    let mut facts = MethodFacts::new(symbols);
    facts.read(session, symbols, method, true, &mut |_, _| {});
    evidence.add(&facts);
    if evidence.methods.good == evidence.methods.all {
        return None;
    }
    let counts = evidence.counts();
    let counts = if counts.is_empty() { "it has no code" } else { &counts };
    Some(Reason::new("method", format!("the code contradicts the symbols of this method: {counts}")))
}

/// The symbols, where they are of IL that is open too.
fn symbols_of_code(session: &Session) -> Option<&dyn SymbolReader> {
    session.metadata()?;
    session.symbols().filter(|symbols| symbols.methods() > 0)
}

fn examine(session: &Session) -> Evidence {
    let Some(symbols) = symbols_of_code(session) else { return Evidence::default() };
    let (mut sample, mut facts) = (Sample::of(session), MethodFacts::new(symbols));
    let starts = (1..=symbols.methods()).step_by((RUN * sample.step) as usize);
    for row in starts.flat_map(|first| first..(first + RUN).min(symbols.methods() + 1)) {
        facts.read(session, symbols, Token::new(TableId::METHOD_DEF, row), true, &mut |_, _| {});
        sample.add(&facts);
        if sample.left == 0 {
            break;
        }
    }
    sample.evidence
}

/// Evidence collected so far, from methods that are read one after the other.
#[derive(Debug)]
pub(crate) struct Sample {
    evidence: Evidence,
    /// One in so many runs of methods is examined.
    step: u32,
    left: u64,
}

impl Sample {
    pub(crate) fn of(session: &Session) -> Self {
        let methods = symbols_of_code(session).map_or(0, SymbolReader::methods);
        let step = methods.div_ceil(MAX_METHODS).max(1);
        Self { evidence: Evidence { is_sample: step > 1, ..Evidence::default() }, step, left: MAX_WORK }
    }

    /// Adds a method that was read with its code, if it is one of the sample.
    pub(crate) fn add(&mut self, facts: &MethodFacts) {
        if self.left > 0 && ((facts.token.row() - 1) / RUN).is_multiple_of(self.step) {
            self.left = self.left.saturating_sub(self.evidence.add(facts));
            self.evidence.is_sample |= self.left == 0;
        }
    }

    /// Keeps the evidence with the session, to which every method was added.
    pub(crate) fn keep(self, session: &Session) {
        let _ = session.cache().get::<Examined>().0.set(self.evidence);
    }
}

impl Evidence {
    /// Adds the evidence of one method; returns the work that it took.
    fn add(&mut self, facts: &MethodFacts) -> u64 {
        // The IL of a method that a delta changed is in the delta, which is not open.
        if !facts.says_something() || facts.is_changed {
            return 1;
        }
        if facts.body.is_none() {
            self.add_method(facts.token, false);
            return facts.work();
        }
        let mut good = true;
        for point in &facts.points {
            good &= self.points.add(facts.is_start(point.offset.into()));
        }
        for scope in facts.scopes.iter().filter(|scope| !scope.is_whole) {
            good &= self.scopes.add(facts.is_inside(scope));
        }
        if let Some(is_all) = facts.first_is_all_of_code() {
            good &= self.sizes.add(is_all);
        }
        for is_there in facts.scopes.iter().flat_map(|scope| &scope.variables).filter_map(|one| facts.has_slot(one)) {
            good &= self.slots.add(is_there);
        }
        self.add_method(facts.token, good);
        facts.work()
    }

    fn add_method(&mut self, method: Token, good: bool) {
        if !self.methods.add(good) {
            self.first_wrong = self.first_wrong.or(Some(method));
        }
    }
}
