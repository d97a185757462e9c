//! Checks for a build pipeline: do the files match, can a debugger find the sources, is the symbol file
//! well-formed.
//!
//! Each answer is a [`Remark`] with the rule it answers to. A remark is as it should be, worth knowing, or a finding; one
//! finding is enough for the check to fail. What a rule is about is data: [`RULES`] for the pair, [`PORTABLE_RULES`] and [`METHOD_RULES`] for the
//! symbols themselves.

mod build;
mod checksum;
mod cross_check;
mod lint;
mod pair;
mod sources;

pub use lint::{METHOD_RULES, RULES as PORTABLE_RULES, Rule as PortableRule};

use crate::bytes::{Error, Span};
use crate::nodes::Place;
use crate::session::Session;
use crate::source::SourceOptions;

/// Limit on the remarks kept per rule; the others are counted.
const MAX_REMARKS: usize = 20;

/// Severity of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Wrong.
    Finding,
}

impl Grade {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Finding => "finding",
        }
    }

    /// One character for it.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Note => "·",
            Self::Finding => "✗",
        }
    }
}

/// One verdict, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The rule that it answers to.
    pub rule: &'static str,
    /// Severity.
    pub grade: Grade,
    /// The verdict and the reason, in one sentence.
    pub sentence: String,
    /// Place it is about.
    pub place: Option<Place>,
    /// The bytes that say so.
    pub span: Option<Span>,
    /// Number of remarks it stands for: more than one for those that were not kept.
    pub count: usize,
}

/// Number of findings among the remarks.
pub fn findings(remarks: &[Remark]) -> usize {
    remarks.iter().filter(|remark| remark.grade == Grade::Finding).map(|remark| remark.count).sum()
}

/// A rule of the pair.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which does not change.
    pub id: &'static str,
    /// Condition that the rule checks.
    pub about: &'static str,
    run: fn(&Question<'_>, &mut Report),
}

/// Every rule about the pair, in the order of the answers.
pub const RULES: &[Rule] = &[
    Rule { id: "read", about: "everything in the files can be read", run: pair::read },
    Rule { id: "format", about: "the symbols have the format that the image says they have", run: pair::format },
    Rule { id: "id", about: "image and symbols have the same id", run: pair::id },
    Rule { id: "age", about: "the age in the image is one that its symbols can have", run: pair::age },
    Rule { id: "embedded", about: "symbols inside the image and beside it do not compete", run: pair::embedded },
    Rule { id: "checksum", about: "the symbols hash to what the image says", run: checksum::checksum },
    Rule {
        id: "cross-check",
        about: "the `pdb` crate reads the same from a Windows PDB",
        run: cross_check::cross_check,
    },
    Rule { id: "source-link", about: "Source Link maps every document to a URL", run: sources::source_link },
    Rule { id: "embedded-source", about: "embedded sources are the ones that were compiled", run: sources::embedded },
    Rule { id: "untracked", about: "a debugger can find the source of every document", run: sources::untracked },
    Rule {
        id: "document-hash",
        about: "every document has a hash that its text can be verified by",
        run: sources::hashes,
    },
    Rule { id: "deterministic", about: "the same sources build to the same bytes", run: build::deterministic },
    Rule { id: "paths", about: "no path tells about the machine that compiled", run: build::paths },
    Rule { id: "compiler", about: "the symbols say what compiled them, and with what options", run: build::compiler },
];

/// Input of the rules.
pub struct Question<'s> {
    session: &'s Session,
    sources: &'s SourceOptions,
    /// Progress callback (done, total); returns false to stop.
    go_on: &'s dyn Fn(u64, u64) -> bool,
}

/// Remarks in the making.
#[derive(Debug, Default)]
pub struct Report {
    rule: &'static str,
    /// The remarks so far.
    pub remarks: Vec<Remark>,
    /// Number of remarks of the rule, and the worst grade among those that were not kept.
    count: usize,
    surplus: Option<Grade>,
    /// The caller stopped the check: the remarks are incomplete.
    stopped: bool,
}

impl Report {
    /// Begins the remarks of a rule.
    fn begin(&mut self, rule: &'static str) {
        self.end();
        (self.rule, self.count, self.surplus) = (rule, 0, None);
    }

    /// Says how many remarks were too many.
    fn end(&mut self) {
        if let Some(grade) = self.surplus.take() {
            self.others(grade, self.count - MAX_REMARKS);
        }
    }

    /// Adds a remark that stands for so many.
    fn others(&mut self, grade: Grade, count: usize) {
        let sentence = format!("and {count} more");
        self.remarks.push(Remark { rule: self.rule, grade, sentence, place: None, span: None, count });
    }

    /// Adds a remark.
    fn add(&mut self, grade: Grade, sentence: impl Into<String>) -> &mut Self {
        self.at(grade, sentence, None, None)
    }

    fn at(&mut self, grade: Grade, sentence: impl Into<String>, place: Option<Place>, span: Option<Span>) -> &mut Self {
        self.count += 1;
        if self.count > MAX_REMARKS {
            self.surplus = self.surplus.max(Some(grade));
        } else {
            self.remarks.push(Remark { rule: self.rule, grade, sentence: sentence.into(), place, span, count: 1 });
        }
        self
    }

    fn good(&mut self, sentence: impl Into<String>) {
        self.add(Grade::Good, sentence);
    }

    fn note(&mut self, sentence: impl Into<String>) {
        self.add(Grade::Note, sentence);
    }

    /// Adds a finding at a place, with its bytes.
    fn finding(&mut self, sentence: impl Into<String>, place: Place, span: Option<Span>) {
        self.at(Grade::Finding, sentence, Some(place), span);
    }

    /// Adds a finding that is an error, at a place.
    fn error(&mut self, error: &Error, place: Place) {
        self.finding(error.to_string(), place, Some(error.span));
    }
}

/// Everything there is to say about the pair and its symbols, rule by rule.
pub fn check(session: &Session, sources: &SourceOptions) -> Vec<Remark> {
    check_while(session, sources, &|_, _| true).unwrap_or_default()
}

/// The same, as long as `go_on` says so of how much was looked at, of how much: modules, then methods.
pub fn check_while(
    session: &Session,
    sources: &SourceOptions,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Option<Vec<Remark>> {
    let question = Question { session, sources, go_on };
    let mut report = Report::default();
    for rule in RULES {
        report.begin(rule.id);
        (rule.run)(&question, &mut report);
        if report.stopped {
            return None;
        }
    }
    lint::run(session, &mut report, go_on)?;
    report.end();
    Some(report.remarks)
}
