//! The Portable PDB of a module: its tables, its heaps, its id.

use sha2::{Digest, Sha256};

use super::bytes::Put;
use super::heaps::Heaps;
use super::metadata::{self, Layout, PdbStream};
use super::module::Module;
use super::recipe::Recipe;
use super::tables::{
    DOCUMENT, IMPORT_SCOPE, LOCAL_CONSTANT, LOCAL_SCOPE, LOCAL_VARIABLE, METHOD_DEBUG_INFORMATION, Tables,
};
use super::{Method, custom, names, points};

/// A Portable PDB, and where everything is in it.
pub struct Portable {
    pub bytes: Vec<u8>,
    pub layout: Layout,
}

const CSHARP: [u8; 16] =
    [0xf8, 0x62, 0x51, 0x3f, 0xc6, 0x07, 0xd3, 0x11, 0x90, 0x53, 0x00, 0xc0, 0x4f, 0xa3, 0x02, 0xa1];
const SHA256: [u8; 16] =
    [0x0f, 0xd0, 0x29, 0x88, 0xb8, 0x11, 0x13, 0x42, 0x87, 0x8b, 0x77, 0x0e, 0x85, 0x97, 0xac, 0x16];

/// The text of a document; a few PDBs embed it.
pub fn text(recipe: &Recipe, document: u32) -> String {
    let name = names::document(recipe, document);
    format!("// {name}\n").repeat(1 + document as usize % 12)
}

impl Portable {
    /// The PDB of `module`, which was made from the same recipe.
    pub fn of(recipe: &Recipe, module: &Module) -> Self {
        let (mut tables, mut heaps) = (Tables::new(), Heaps::new());
        let image_rows: Vec<_> = module.tables.present().collect();
        for (table, rows) in &image_rows {
            tables.external[*table as usize] = *rows;
        }
        documents(recipe, 1..=recipe.documents, &mut tables, &mut heaps);
        imports(recipe, &mut tables, &mut heaps);
        let mut blob = Vec::new();
        for method in recipe.all() {
            debug_information(
                &method,
                module.local_signatures[method.variables.len()],
                &mut blob,
                &mut tables,
                &mut heaps,
            );
            scopes(recipe, &method, &mut tables, &mut heaps);
        }
        custom::write(recipe, &mut tables, &mut heaps);
        Self::finish(&PdbStream { image_rows }, &tables, &heaps)
    }

    /// Lays it out, and gives it the id that follows from its content, as a deterministic compiler does.
    pub(super) fn finish(stream: &PdbStream, tables: &Tables, heaps: &Heaps) -> Self {
        let mut bytes = Vec::new();
        let layout = metadata::write("PDB v1.0", Some(stream), tables, heaps, &mut bytes);
        let hash = Sha256::digest(&bytes);
        let id = &mut bytes[layout.stream("#Pdb").bytes.start..][..20];
        id.copy_from_slice(&hash[..20]);
        // What marks a random GUID, and a stamp that cannot be taken for a time.
        id[7] = id[7] & 0x0f | 0x40;
        id[8] = id[8] & 0x3f | 0x80;
        id[19] |= 0x80;
        Self { bytes, layout }
    }

    /// The 20 bytes that say which image it belongs to.
    pub fn id(&self) -> &[u8] {
        &self.bytes[self.layout.stream("#Pdb").bytes.start..][..20]
    }

    /// Hash of the file with its id zeroed, for a `PdbChecksum` entry.
    pub fn checksum(&self) -> [u8; 32] {
        let id = self.layout.stream("#Pdb").bytes.start;
        let hash = Sha256::new().chain_update(&self.bytes[..id]).chain_update([0; 20]);
        hash.chain_update(&self.bytes[id + 20..]).finalize().into()
    }
}

pub(super) fn documents(recipe: &Recipe, rows: impl Iterator<Item = u32>, tables: &mut Tables, heaps: &mut Heaps) {
    let (language, algorithm) = (heaps.guid(CSHARP), heaps.guid(SHA256));
    for row in rows {
        let path = names::document(recipe, row);
        // A separator, then the index of each part; parts are shared between documents.
        let mut name = vec![b'/'];
        for part in path.split('/') {
            let part = if part.is_empty() { 0 } else { heaps.blob_once(part.as_bytes()) };
            name.put_compressed(part);
        }
        let name = heaps.blob(&name);
        let hash = heaps.blob(&Sha256::digest(text(recipe, row)));
        tables.add(DOCUMENT, [name, algorithm, hash, language]);
    }
}

/// A scope of imports for the project, and one in it for each file.
pub(super) fn imports(recipe: &Recipe, tables: &mut Tables, heaps: &mut Heaps) {
    const IMPORT_NAMESPACE: u32 = 1;
    for row in 1..=recipe.imports {
        let (parent, wanted): (u32, &[&str]) = match row {
            1 => (0, &["System"]),
            _ => (1, [&["System.Linq"][..], &["System.IO", "System.Threading.Tasks"], &[]][row as usize % 3]),
        };
        let mut blob = Vec::new();
        for namespace in wanted {
            blob.put_compressed(IMPORT_NAMESPACE);
            blob.put_compressed(heaps.blob_once(namespace.as_bytes()));
        }
        let imports = if blob.is_empty() { 0 } else { heaps.blob_once(&blob) };
        tables.add(IMPORT_SCOPE, [parent, imports]);
    }
}

/// The points of a method. `blob` is only there to be used again.
pub(super) fn debug_information(
    method: &Method,
    local_signature: u32,
    blob: &mut Vec<u8>,
    tables: &mut Tables,
    heaps: &mut Heaps,
) {
    points::encode(method, local_signature, blob);
    let points = if blob.is_empty() { 0 } else { heaps.blob(blob) };
    tables.add(METHOD_DEBUG_INFORMATION, [points::document(method), points]);
}

/// One scope for the whole method, and when it has several variables and no constants a smaller one for the last.
pub(super) fn scopes(recipe: &Recipe, method: &Method, tables: &mut Tables, heaps: &mut Heaps) {
    if method.is_abstract() {
        return;
    }
    let (variables, constants) = (method.variables.clone(), method.constants.clone());
    let import = (1 + points::document(method).max(1)).min(recipe.imports);
    tables.add(LOCAL_SCOPE, [method.row, import, variables.start, constants.start, 0, method.code_size]);
    if let ([_, inner, .., last], 2.., 0) = (&*method.points, variables.len(), constants.len()) {
        tables.add(LOCAL_SCOPE, [method.row, import, variables.end - 1, constants.start, inner.il, last.il - inner.il]);
    }
    for (slot, row) in (0..).zip(variables) {
        let (name, is_hidden) = names::local(recipe, "variable", row);
        tables.add(LOCAL_VARIABLE, [u32::from(is_hidden), slot, heaps.string(&name)]);
    }
    for row in constants {
        let name = heaps.string(&names::local(recipe, "constant", row).0);
        // An int, a string, or a null string.
        let mut signature = vec![if row % 3 == 0 { 0x08 } else { 0x0e }];
        match row % 3 {
            0 => signature.put_u32(row),
            1 => signature.put_utf16(&format!("constant {row}")),
            _ => signature.push(0xff),
        }
        let signature = heaps.blob_once(&signature);
        tables.add(LOCAL_CONSTANT, [name, signature]);
    }
}
