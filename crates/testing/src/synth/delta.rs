//! Deltas of Edit and Continue: metadata, IL and a Portable PDB of the changes alone.
//!
//! How Roslyn's `DeltaMetadataWriter` writes it and System.Reflection.Metadata's `MetadataReader` reads it:
//!
//! * The tables are in `#-` instead of `#~`, and a stream `#JTD` (of no bytes; whatever it has is ignored) says that every
//!   index to a table takes four bytes, simple or coded. `#JTD` without `#-` is an error.
//! * Indexes to heaps are as wide as the bits of the table header say, here too: the writer sets all three, and with them bit 5
//!   ("EnC deltas") and bit 7 ("deleted marks").
//! * In the metadata an index to a heap counts on from the end of the base's heap (see `Heaps::after`): alone, the delta cannot
//!   be read; `MetadataAggregator` puts the two together. In the PDB indexes count from its own heaps: it is complete in itself.
//! * A table has only the rows that changed, and EncMap says which rows of the whole they are, sorted. In the PDB it names rows
//!   of MethodDebugInformation (0x31), in the metadata all others. Tokens in cells and in IL are those of the whole.
//! * EncLog is the order of what was done: a token, and 0 for "this row is new or changed" or, before a new member, the token of
//!   its type and what is added to it (1: a method). A new method's row comes next.
//! * An RVA is an offset in the IL, which begins with four bytes of nothing because an RVA of 0 means no body.
//! * The row counts in `#Pdb` are those of the delta; EncLog and EncMap are not allowed there. Nothing depends on them:
//!   every index takes four bytes anyway.

use super::heaps::Heaps;
use super::il::{self, Targets};
use super::metadata::{self, Layout, PdbStream};
use super::method::Method;
use super::module::{self, Module};
use super::portable::{self, Portable};
use super::recipe::Recipe;
use super::rng::Rng;
use super::tables::{
    ENC_LOG, ENC_MAP, METHOD_DEBUG_INFORMATION, METHOD_DEF, MODULE, STAND_ALONE_SIG, TYPE_DEF, Tables,
};

/// A delta to the pair of the recipe, and where everything is in it.
pub struct Delta {
    pub metadata: Vec<u8>,
    pub il: Vec<u8>,
    pub pdb: Vec<u8>,
    pub metadata_at: Layout,
    pub pdb_at: Layout,
    /// The methods as they are now. Documents, variables and constants are rows of the delta's PDB.
    pub methods: Vec<Method>,
}

/// Something is new or has changed.
const CHANGED: u32 = 0;
/// Marks the next entry as a new method of this type.
const ADD_METHOD: u32 = 1;

fn token(table: u8, row: u32) -> u32 {
    (table as u32) << 24 | row
}

impl Recipe {
    /// The delta for edited bodies of the methods `rows` and a new method of the last type.
    pub fn delta(&self, rows: &[u32]) -> Delta {
        let edited = Self { seed: !self.seed, imports: 1, ..self.clone() };
        let mut documents = Vec::new();
        let (mut variables, mut constants) = (1, 1);
        let mut methods: Vec<Method> = Vec::new();
        for row in rows.iter().copied().chain([self.methods + 1]) {
            let mut method = edited.method(row.min(self.methods));
            assert!(
                !method.is_abstract() && methods.last().is_none_or(|last| last.row < row),
                "no body, or not in order"
            );
            method.name = if row > self.methods { "AddedLater".to_owned() } else { self.method(row).name };
            method.row = row;
            for point in &mut method.points {
                let known = documents.iter().position(|document| *document == point.document);
                let index = known.unwrap_or_else(|| {
                    documents.push(point.document);
                    documents.len() - 1
                });
                point.document = 1 + index as u32;
            }
            method.variables = variables..variables + method.variables.len() as u32;
            method.constants = constants..constants + method.constants.len() as u32;
            (variables, constants) = (method.variables.end, method.constants.end);
            methods.push(method);
        }
        let base = Module::of(self);
        let (tables, heaps, il) = changes(self, &base, &edited, &methods);
        let mut metadata = Vec::new();
        let metadata_at = metadata::write("v4.0.30319", None, &tables, &heaps, &mut metadata);
        let mut pdb = (Tables::of_delta(), Heaps::new());
        portable::documents(self, documents.into_iter(), &mut pdb.0, &mut pdb.1);
        let pdb = debug_changes(&edited, &base, &tables, pdb, &methods);
        Delta { metadata, il, pdb: pdb.bytes, metadata_at, pdb_at: pdb.layout, methods }
    }
}

/// The metadata and the IL.
fn changes(recipe: &Recipe, base: &Module, edited: &Recipe, methods: &[Method]) -> (Tables, Heaps, Vec<u8>) {
    let (mut tables, mut heaps, mut il) = (Tables::of_delta(), Heaps::after(&base.heaps), vec![0; 4]);
    let name = heaps.string("Synth.dll");
    let mvid = heaps.guid(Rng::of(recipe.seed, "mvid", 0).bytes());
    let id = heaps.guid(Rng::of(recipe.seed, "generation", 1).bytes());
    tables.add(MODULE, [1, name, mvid, id, 0]);
    let user_strings = vec![heaps.user_string("edited"), heaps.user_string("and continued")];
    let mut log = Vec::new();
    for method in methods {
        let mut targets = Targets { user_strings: user_strings.clone(), local_signature: 0 };
        if !method.variables.is_empty() {
            let blob = heaps.blob_once(&module::locals_signature(method.variables.len()));
            let row = base.tables.rows(STAND_ALONE_SIG) + tables.add(STAND_ALONE_SIG, [blob]);
            targets.local_signature = token(STAND_ALONE_SIG, row);
            log.push((targets.local_signature, CHANGED));
        }
        let rva = il::write(edited, method, &targets, &mut il) as u32;
        if method.row > recipe.methods {
            log.push((token(TYPE_DEF, recipe.types), ADD_METHOD));
        }
        log.push((token(METHOD_DEF, method.row), CHANGED));
        let flags = module::flags(recipe, method);
        let name = heaps.string(&method.name);
        let signature = heaps.blob_once(&module::signature(recipe, method, flags));
        // Parameters are as they were: no list.
        tables.add(METHOD_DEF, [rva, 0, flags, name, signature, 0]);
    }
    for (token, what) in &log {
        tables.add(ENC_LOG, [*token, *what]);
    }
    let mut map: Vec<_> = log.iter().filter(|(_, what)| *what == CHANGED).map(|(token, _)| *token).collect();
    map.sort_unstable();
    for token in map {
        tables.add(ENC_MAP, [token]);
    }
    (tables, heaps, il)
}

/// The Portable PDB.
fn debug_changes(
    edited: &Recipe,
    base: &Module,
    image: &Tables,
    (mut tables, mut heaps): (Tables, Heaps),
    methods: &[Method],
) -> Portable {
    portable::imports(edited, &mut tables, &mut heaps);
    let (mut blob, mut signature) = (Vec::new(), base.tables.rows(STAND_ALONE_SIG));
    for method in methods {
        let has_locals = !method.variables.is_empty();
        signature += u32::from(has_locals);
        let signature = if has_locals { signature } else { 0 };
        portable::debug_information(method, signature, &mut blob, &mut tables, &mut heaps);
        portable::scopes(edited, method, &mut tables, &mut heaps);
        tables.add(ENC_MAP, [token(METHOD_DEBUG_INFORMATION, method.row)]);
    }
    let image_rows = image.present().filter(|(table, _)| ![ENC_LOG, ENC_MAP].contains(table)).collect();
    Portable::finish(&PdbStream { image_rows }, &tables, &heaps)
}
