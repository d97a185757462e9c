//! The rules of the symbol formats themselves.
//!
//! Some apply to every method ([`METHOD_RULES`]), whatever the format; others to the tables and heaps of a portable PDB ([`RULES`]). The
//! rules are those of "Portable PDB v1.0" and of ECMA-335 II.22; what the specification leaves open is a note.

mod custom;
mod documents;
mod heaps;
mod methods;
mod points;
mod scopes;
mod tables;

pub(crate) use methods::{MethodRemarks, examine};

use super::report::{Grade, Report};
use pdblens_formats::metadata::{Metadata, TableId};
use pdblens_formats::portable::pdb_stream::PdbStream;
use pdblens_nodes::Place;
use pdblens_nodes::Side;
use pdblens_nodes::function::NativeView;
use pdblens_session::session::Session;
use pdblens_session::symbols::Format;
use pdblens_session::text::safe::count;

/// A rule about the tables and heaps of a portable PDB.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which does not change.
    pub id: &'static str,
    /// Condition that the rule checks.
    pub about: &'static str,
    run: fn(&Portable<'_>, &mut Report),
}

/// Every rule about the tables and heaps of a portable PDB.
pub const RULES: &[Rule] = &[
    Rule { id: "tables-debug-only", about: "a standalone PDB has only debug tables", run: tables::debug_only },
    Rule { id: "tables-sorted", about: "tables with a key are sorted by it", run: tables::sorted },
    Rule { id: "tables-indexes", about: "every row that another row refers to exists", run: tables::indexes },
    Rule {
        id: "method-rows",
        about: "MethodDebugInformation has a row for each method, or is empty",
        run: tables::method_rows,
    },
    Rule {
        id: "pdb-stream",
        about: "the #Pdb stream repeats the image's row counts and entry point",
        run: tables::pdb_stream,
    },
    Rule {
        id: "state-machine-unique",
        about: "a method is the body or the kickoff of at most one state machine",
        run: tables::state_machines,
    },
    Rule {
        id: "import-scope",
        about: "imports can be read, and no import scope contains itself",
        run: tables::imports,
    },
    Rule { id: "document-name", about: "the name of every document can be read", run: documents::names },
    Rule { id: "document-unique", about: "no two documents have the same name", run: documents::unique },
    Rule {
        id: "document-hash-form",
        about: "a hash has the length that its algorithm produces",
        run: documents::hashes,
    },
    Rule { id: "variable-unique", about: "no two variables of a scope share a slot or a name", run: scopes::variables },
    Rule { id: "constant-unique", about: "no two constants of a scope share a name", run: scopes::constants },
    Rule { id: "constant-signature", about: "every constant has a type and a value", run: scopes::signatures },
    Rule { id: "local-owner", about: "every variable and constant is in a scope", run: scopes::owners },
    Rule {
        id: "custom-kind",
        about: "custom debug information has a kind, and a parent that the kind allows",
        run: custom::kinds,
    },
    Rule { id: "custom-value", about: "custom debug information of a known kind can be read", run: custom::values },
    Rule {
        id: "custom-unique",
        about: "a parent has at most one entry of each kind of custom debug information",
        run: custom::unique,
    },
    Rule { id: "heap-entries", about: "heaps consist of complete entries from start to end", run: heaps::entries },
    Rule { id: "blob-start", about: "an index into #Blob leads to where a blob starts", run: heaps::starts },
    Rule { id: "blob-orphan", about: "every blob is used", run: heaps::orphan_blobs },
    Rule { id: "string-orphan", about: "every string is used", run: heaps::orphan_strings },
    Rule { id: "guid-orphan", about: "every GUID is used", run: heaps::orphan_guids },
];

/// The rules about methods: their ids and descriptions.
pub const METHOD_RULES: &[(&str, &str)] = &methods::RULES;

/// Input of the rules about a portable PDB.
struct Portable<'s> {
    session: &'s Session,
    pdb: &'s Metadata,
    image: Option<&'s Metadata>,
    stream: Option<&'s PdbStream>,
    heaps: heaps::Contents,
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

    /// Adds a finding about a row.
    fn row(&self, report: &mut Report, table: TableId, row: u32, sentence: impl Into<String>) {
        let span = self.pdb.table(table).row_span(row).ok();
        report.finding(sentence, Place::Row(Side::Pdb, table, row), span);
    }

    /// Adds a finding about a cell.
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
pub(crate) fn run(session: &Session, report: &mut Report, methods: &MethodRemarks) {
    let Some(symbols) = session.symbols() else { return };
    let before = report.remarks.len();
    let image = own_image(session);
    if symbols.format() != Format::Native {
        methods.tell(report);
    }
    let is_damaged = is_damaged(session);
    let mut rules = "the rules of methods";
    if let Some(file) = session.portable_pdb() {
        let (pdb, stream) = (&file.metadata, file.stream.as_ref());
        let portable = Portable { session, pdb, image, stream, heaps: heaps::Contents::default() };
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
    } else if found == 0 && NativeView::of(session).is_some() && symbols.methods() == 0 {
        report.good("native code has no IL, which these rules check");
    } else if found == 0 {
        let read = session.mdb().map_or(u64::MAX, |mdb| mdb.read_methods() as u64);
        let methods = count(read.min(symbols.methods().into()), "method");
        report.good(format!("{rules} hold, in {methods}"));
    }
}
