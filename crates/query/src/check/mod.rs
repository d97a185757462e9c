//! Checks for a build pipeline: do the files match, can a debugger find the sources, is the symbol file
//! well-formed.
//!
//! Each result is a [`Remark`] of a rule. Its grade is good, note or finding; a single finding makes the check fail. The descriptions of
//! the rules are data: `RULES` for the pair, `PORTABLE_RULES` and `METHOD_RULES` for the symbols themselves.

mod build;
#[cfg(feature = "cross-check")]
mod cross_check;
mod lint;
mod native;
pub mod package;
mod pair;
mod policy;
mod precompiled;
mod reachable;
mod report;
mod sources;

pub use lint::{METHOD_RULES, RULES as PORTABLE_RULES, Rule as PortableRule};
pub use policy::{GROUPS, Group, Level, Policy, all_rules, group_of};
use report::MAX_REMARKS;
pub use report::{Grade, Remark, Report, findings, summary};

use std::cell::OnceCell;

use self::reachable::Answers;
use pdblens_formats::pe::DebugEntry;
use pdblens_formats::reason::Reason;
use pdblens_nodes::finding::{self, Finding, Known};
use pdblens_nodes::{PePart, Place};
use pdblens_session::parallel::join;
use pdblens_session::session::{self, Session};
use pdblens_session::source::SourceOptions;
use pdblens_session::symbols::{Document, SymbolReader};
use pdblens_session::text::safe::count;

#[derive(Debug)]
pub struct Rule {
    /// Its name, which does not change.
    pub id: &'static str,
    pub about: &'static str,
    run: fn(&Question<'_>, &mut Report),
}

const fn rule(id: &'static str, about: &'static str, run: fn(&Question<'_>, &mut Report)) -> Rule {
    Rule { id, about, run }
}

/// Every rule about the pair, in the order of the report.
pub(crate) const RULES: &[Rule] = &[
    rule("read", "everything in the files can be read", pair::read),
    rule("metadata-header", "the metadata headers match the streams and tables that follow", pair::metadata_headers),
    rule("format", "the symbols have the format that the image names", pair::format),
    rule("pdb-format", "the symbols are a portable PDB, which tools on every system read", pair::pdb_format),
    rule("id", "image and symbols have the same id", pair::id),
    rule("symbols", "the symbols that the image names are found", pair::symbols),
    rule("id-nil", "neither file has an all-zero id", pair::id_nil),
    rule(
        "native-streams",
        "a native PDB matches its image, and its contributions, modules and hash records refer to existing data",
        native::streams,
    ),
    rule("native-symbols", "the scopes, types and code of native symbols exist", native::symbols),
    rule("native-lines", "the code of every object file has lines", native::coverage),
    rule("symbol-references", "the references of a Windows PDB to symbols name modules that exist", native::references),
    rule("age", "the age in the image is valid for its symbols", pair::age),
    rule("usable", "the symbols have an id to be found by, and lines for a debugger or crash reporter", pair::usable),
    rule("embedded", "the PDB inside the image and the one beside it do not conflict", pair::embedded),
    rule(
        "ready-to-run",
        "the tables of precompiled code are in order, inside the image, and lead to code",
        precompiled::tables,
    ),
    rule("evidence", "points, scopes and variables fit the code", pair::evidence),
    rule("checksum", "the checksum of the symbols matches the one in the image", pair::checksum),
    #[cfg(feature = "cross-check")]
    rule("cross-check", "the `pdb` crate reads the same values from a Windows PDB", cross_check::cross_check),
    rule("source-link", "Source Link maps every document to a URL", sources::source_link),
    rule("embedded-source", "embedded sources are the ones that were compiled", sources::embedded),
    rule("untracked", "a debugger can find the source of every document", sources::untracked),
    rule(
        "source-reachable",
        "the URL of every document can be fetched; checked only with --fetch",
        reachable::reachable,
    ),
    rule(
        "source-hash",
        "the text at the URL of every document is the one that was compiled; checked only with --fetch",
        reachable::source_hash,
    ),
    rule(
        "source-line-ends",
        "the text at the URL of every document has the line ends that were compiled; checked only with --fetch",
        reachable::line_ends,
    ),
    rule("generated-source", "the documents that the build wrote are embedded", sources::generated),
    rule("document-hash", "every document has a hash that its text can be verified by", sources::hashes),
    rule(
        "source-hash-strong",
        "no document has a weak hash, which another text could be made to match",
        sources::strong_hashes,
    ),
    rule("deterministic", "the same sources build to the same bytes", build::deterministic),
    rule("paths", "no path reveals the machine that compiled", build::paths),
    rule("compiler", "the symbols say what compiled them, and with what options", build::compiler),
    rule(
        "compiler-flags",
        "the symbols have the options and metadata references that are needed to repeat the compilation",
        build::flags,
    ),
];

/// Rules that evaluate what the other rules encountered.
pub(crate) const LAST_RULES: &[Rule] =
    &[rule("budget", "nothing is left out because the files expand to too much for their size", pair::budget)];

pub struct Question<'s> {
    session: &'s Session,
    sources: &'s SourceOptions,
    /// Progress callback (done, total); returns false to stop.
    go_on: &'s dyn Fn(u64, u64) -> bool,
    /// Answers of the servers of the sources, once a rule has asked; `None` where no server may be asked.
    answers: OnceCell<Option<Answers>>,
}

impl<'s> Question<'s> {
    fn new(session: &'s Session, sources: &'s SourceOptions, go_on: &'s dyn Fn(u64, u64) -> bool) -> Self {
        Self { session, sources, go_on, answers: OnceCell::new() }
    }

    fn answers(&self) -> Option<&Answers> {
        self.answers.get_or_init(|| Answers::of(self)).as_ref()
    }

    /// Entries of the debug directory of the image, with their places.
    fn debug_entries(&self) -> impl Iterator<Item = (Place, &'s DebugEntry)> + use<'s> {
        let entries = self.session.image().into_iter().flat_map(|image| image.pe.debug.iter().enumerate());
        entries.map(|(index, entry)| (Place::PePart(PePart::Debug(index as u16)), entry))
    }
}

/// Calls `each` with every document that can be read, and its row; returns whether these are all documents, and any.
fn each_document(symbols: &dyn SymbolReader, mut each: impl FnMut(u32, &Document)) -> bool {
    let mut number = 0_u32;
    for row in 1..=symbols.documents() {
        if let Ok(document) = symbols.document(row) {
            number += 1;
            each(row, &document);
        }
    }
    number > 0 && number == symbols.documents()
}

/// Reason of a native file without symbols.
pub const NATIVE_CODE: &str = "native code without symbols";

/// The reason why a file among many is not checked: it has no code that symbols are for. Only intact files are left out.
pub fn left_out(session: &Session) -> Option<Reason> {
    let is_native = session.metadata().is_none() && session.image().is_none_or(|image| image.pe.cli.is_none());
    if session.symbol_file().is_some() {
        return None;
    }
    if is_native {
        return Some(Reason::new("native-code", NATIVE_CODE));
    }
    let has_none = session.methods() == 0 && session.problems().is_empty();
    has_none.then(|| Reason::new("no-methods", "no methods, as in resources and facades"))
}

/// Remarks on the pair and its symbols, rule by rule.
pub fn check(session: &Session, sources: &SourceOptions) -> Vec<Remark> {
    check_while(session, sources, &|_, _| true).unwrap_or_default()
}

pub(crate) fn checksum_remarks(session: &Session, sources: &SourceOptions) -> Vec<Remark> {
    let question = Question::new(session, sources, &|_, _| true);
    let mut report = Report::default();
    report.begin("checksum");
    pair::checksum(&question, &mut report);
    report.into_remarks(session.spaces())
}

/// Remarks on the match of the files and on what was read of them when they were opened: no method, document or record is read for them.
pub fn check_headers(session: &Session) -> Vec<Remark> {
    let (sources, mut report) = (SourceOptions::default(), Report::default());
    let question = Question::new(session, &sources, &|_, _| true);
    report.begin("read");
    pair::opened(&question, &mut report);
    // The rules that compare headers and ids, and read nothing else.
    for rule in RULES.iter().filter(|rule| matches!(rule.id, "format" | "id" | "id-nil" | "age")) {
        report.begin(rule.id);
        (rule.run)(&question, &mut report);
    }
    report.into_remarks(session.spaces())
}

/// As [`check`]; `go_on` receives the progress (done, total) over methods, then over modules, and returns false to stop.
pub fn check_while(
    session: &Session,
    sources: &SourceOptions,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Option<Vec<Remark>> {
    check_listing(session, sources, MAX_REMARKS, go_on)
}

/// The same, with up to `limit` remarks of each rule: for a list in which the reader looks up one of many.
pub fn check_listing(
    session: &Session,
    sources: &SourceOptions,
    limit: usize,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Option<Vec<Remark>> {
    session::hold(session);
    let question = Question::new(session, sources, go_on);
    let mut report = Report::with_limit(limit);
    // First: they leave the evidence with the session, for which methods would be read again.
    let methods = lint::examine(session, limit, go_on)?;
    // The rules about the symbols alone run beside those about the pair: both only read the session.
    let of_pair = || {
        RULES.iter().all(|rule| {
            report.begin(rule.id);
            (rule.run)(&question, &mut report);
            !report.stopped
        })
    };
    let (is_whole, of_symbols) = join(of_pair, || {
        let mut report = Report::with_limit(limit);
        lint::run(session, &mut report, &methods);
        report
    });
    if !is_whole {
        return None;
    }
    report.append(of_symbols);
    for rule in LAST_RULES {
        report.begin(rule.id);
        (rule.run)(&question, &mut report);
    }
    let mut remarks = report.into_remarks(session.spaces());
    fold(&mut remarks, "id", OF_BUILD, 0);
    fold(&mut remarks, "evidence", OF_CODE, 1);
    finding::keep(session, known(&remarks));
    Some(remarks)
}

/// Rules that compare the symbols with an image of the same build.
const OF_BUILD: &[&str] =
    &["evidence", "checksum", "age", "pdb-stream", "method-rows", "native-streams", "native-symbols"];

/// Rules that compare the symbols of a method with its code.
const OF_CODE: &[&str] = &[
    "point-range",
    "point-boundary",
    "local-signature",
    "method-code",
    "scope-range",
    "scope-first",
    "scope-boundary",
    "variable-slot",
];

/// Counts findings of `effects` under the finding `cause` that they follow from. The first `kept` of each rule stay, as examples.
fn fold(remarks: &mut Vec<Remark>, cause: &str, effects: &[&str], kept: usize) {
    let is_cause = |remark: &Remark| remark.rule == cause && remark.grade == Grade::Finding;
    if !remarks.iter().any(is_cause) {
        return;
    }
    let (mut rules, mut number, mut seen) = (Vec::new(), 0_usize, Vec::new());
    remarks.retain(|remark| {
        let mut is_effect = remark.grade == Grade::Finding && effects.contains(&remark.rule);
        if is_effect && seen.iter().filter(|rule| **rule == remark.rule).count() < kept {
            seen.push(remark.rule);
            is_effect = false;
        }
        if is_effect {
            number += remark.count;
            if !rules.contains(&remark.rule) {
                rules.push(remark.rule);
            }
        }
        !is_effect
    });
    let first = remarks.iter_mut().find(|remark| is_cause(remark));
    if let (Some(first), 1..) = (first, number) {
        let (follow, rules) = (if number == 1 { "follows" } else { "follow" }, rules.join(", "));
        first.sentence = format!("{}; {} of {rules} {follow} from it", first.sentence, count(number as u64, "finding"));
    }
}

/// Findings among the remarks, for the lists that show them; a rule's surplus is an entry of its own.
fn known(remarks: &[Remark]) -> Known {
    let findings = remarks.iter().filter(|remark| remark.grade == Grade::Finding).map(|remark| Finding {
        place: remark.place.unwrap_or(Place::Overview),
        span: remark.span,
        sentence: remark.sentence.clone(),
    });
    Known { heading: summary(remarks), findings: findings.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A merged image has hundreds of findings about its methods, and one cause.
    #[test]
    fn findings_that_follow_are_counted_under_their_cause() {
        let finding = |rule, count| Remark {
            rule,
            grade: Grade::Finding,
            sentence: String::from("it differs"),
            place: None,
            span: None,
            count,
        };
        let folded = |mut remarks: Vec<Remark>| {
            fold(&mut remarks, "id", OF_BUILD, 0);
            fold(&mut remarks, "evidence", OF_CODE, 1);
            remarks.into_iter().map(|remark| (remark.rule, remark.sentence)).collect::<Vec<_>>()
        };
        let own = |rule| (rule, String::from("it differs"));
        let of_code = || vec![finding("point-boundary", 1), finding("point-boundary", 600), finding("scope-range", 1)];
        let merged = [vec![finding("evidence", 1)], of_code()].concat();
        let cause = ("evidence", "it differs; 600 findings of point-boundary follow from it".to_owned());
        assert_eq!(folded(merged), [cause, own("point-boundary"), own("scope-range")]);
        assert_eq!(folded(of_code()).len(), 3, "without a cause each stays");
        let wrong_pair = vec![finding("id", 1), finding("checksum", 1), finding("heap-entries", 1)];
        let cause = ("id", "it differs; 1 finding of checksum follows from it".to_owned());
        assert_eq!(folded(wrong_pair), [cause, own("heap-entries")]);
    }
}
