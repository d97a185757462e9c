//! The rules of the symbol formats themselves.
//!
//! Some apply to every method ([`METHOD_RULES`]), whatever the format; others to the tables and heaps of a portable PDB ([`RULES`]). The
//! rules are those of "Portable PDB v1.0" and of ECMA-335 II.22; what the specification leaves open is a note.

mod heaps;
mod methods;
mod points;
mod stepping;
mod tables;

pub(crate) use methods::examine;

use std::cell::OnceCell;

use super::report::{Grade, Report};
use pdblens_formats::metadata::{Metadata, TableId};
use pdblens_formats::portable::pdb_stream::PdbStream;
use pdblens_nodes::function::has_functions_only;
use pdblens_nodes::{Place, Side};
use pdblens_session::session::Session;
use pdblens_session::symbols::Format;
use pdblens_session::text::safe::count;

/// A rule about the tables and heaps of a portable PDB.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which does not change.
    pub id: &'static str,
    pub about: &'static str,
    run: fn(&Portable<'_>, &mut Report),
}

const fn rule(id: &'static str, about: &'static str, run: fn(&Portable<'_>, &mut Report)) -> Rule {
    Rule { id, about, run }
}

pub const RULES: &[Rule] = &[
    rule("tables-debug-only", "a standalone PDB has only debug tables", tables::debug_only),
    rule("tables-sorted", "tables with a key are sorted by it", tables::sorted),
    rule("tables-indexes", "every row that another row refers to exists", tables::indexes),
    rule("method-rows", "MethodDebugInformation has a row for each method, or is empty", tables::method_rows),
    rule("pdb-stream", "the #Pdb stream repeats the image's row counts and entry point", tables::pdb_stream),
    rule(
        "state-machine-unique",
        "a method is the body or the kickoff of at most one state machine",
        tables::state_machines,
    ),
    rule("import-scope", "imports can be read, and no import scope contains itself", tables::imports),
    rule("document-name", "the name of every document can be read", tables::document_names),
    rule("document-unique", "no two documents have the same name", tables::unique_documents),
    rule("document-hash-form", "a hash has the length that its algorithm produces", tables::document_hashes),
    rule("variable-unique", "no two variables of a scope share a slot or a name", tables::unique_variables),
    rule("constant-unique", "no two constants of a scope share a name", tables::unique_constants),
    rule("constant-signature", "every constant has a type and a value", tables::constant_signatures),
    rule("local-owner", "every variable and constant is in a scope", tables::local_owners),
    rule("custom-kind", "custom debug information has a kind, and a parent that the kind allows", tables::custom_kinds),
    rule("custom-value", "custom debug information of a known kind can be read", tables::custom_values),
    rule(
        "custom-unique",
        "a parent has at most one entry of each kind of custom debug information",
        tables::unique_customs,
    ),
    rule("heap-entries", "heaps consist of complete entries from start to end", heaps::entries),
    rule("blob-start", "an index into #Blob leads to where a blob starts", heaps::starts),
    rule("blob-orphan", "every blob is used", heaps::orphan_blobs),
    rule("string-orphan", "every string is used", heaps::orphan_strings),
    rule("guid-orphan", "every GUID is used", heaps::orphan_guids),
];

pub const METHOD_RULES: &[(&str, &str)] = &methods::RULES;

struct Portable<'s> {
    session: &'s Session,
    pdb: &'s Metadata,
    image: Option<&'s Metadata>,
    stream: Option<&'s PdbStream>,
    /// Strings, GUIDs and blobs, once a rule has asked.
    heaps: [OnceCell<heaps::Content>; 3],
}

impl Portable<'_> {
    /// Row count of a table of the PDB or the image; without an image, the count in the `#Pdb` stream.
    fn rows(&self, table: TableId) -> u32 {
        let own = self.pdb.rows(table);
        if own > 0 || table.is_debug() {
            return own;
        }
        let said = self.stream.as_ref().and_then(|stream| stream.rows.get(table.0 as usize).copied()).unwrap_or(0);
        self.image.map_or(said, |image| image.rows(table))
    }

    fn row(&self, report: &mut Report, table: TableId, row: u32, sentence: impl Into<String>) {
        let span = self.pdb.table(table).row_span(row).ok();
        report.finding(sentence, Place::Row(Side::Pdb, table, row), span);
    }

    fn cell(&self, report: &mut Report, (table, row, column): (TableId, u32, usize), sentence: impl Into<String>) {
        let span = self.pdb.table(table).cell_span(row, column).ok();
        report.finding(sentence, Place::Row(Side::Pdb, table, row), span);
    }
}

/// Metadata of the image, unless it is of another build: sequence points cannot be checked against the code of that.
fn own_image(session: &Session) -> Option<&Metadata> {
    if session.pdb_match().is_mismatch() { None } else { session.metadata() }
}

/// Returns true if the metadata headers are damaged, which then explains faults in rows and methods.
pub(crate) fn is_damaged(session: &Session) -> bool {
    Side::loaded(session).any(|(_, metadata)| metadata.problems().next().is_some())
}

/// Runs every rule that is for these symbols; the methods were examined before.
pub(crate) fn run(session: &Session, report: &mut Report, methods: &[Report]) {
    let Some(symbols) = session.symbols() else { return };
    let before = report.remarks.len();
    let image = own_image(session);
    if symbols.format() != Format::Native {
        methods.iter().cloned().for_each(|of_rule| report.append(of_rule));
    }
    let is_damaged = is_damaged(session);
    let mut rules = "the rules of methods";
    if let Some(file) = session.portable_pdb() {
        let (pdb, stream) = (&file.metadata, file.stream.as_ref());
        let portable = Portable { session, pdb, image, stream, heaps: Default::default() };
        for rule in RULES {
            report.begin(rule.id);
            (rule.run)(&portable, report);
        }
        rules = "all rules";
    }
    if is_damaged {
        report.gather(before);
    }
    let found = report.remarks.iter().skip(before).filter(|remark| remark.grade == Grade::Finding).count();
    report.begin("lint");
    if found == 0 && is_damaged {
        report.note("the metadata headers are damaged: rules about rows and methods cannot be checked");
    } else if found == 0 && has_functions_only(session) {
        report.good("native code has no IL, which these rules check");
    } else if found == 0 {
        let read = session.mdb().map_or(u64::MAX, |mdb| mdb.read_methods() as u64);
        let methods = count(read.min(symbols.methods().into()), "method");
        report.good(format!("{rules} hold, in {methods}"));
    }
}
