//! The tables, heaps and method bodies of the image.

use super::il::{self, Targets};
use super::names;
use super::recipe::Recipe;
use super::rng::Rng;
use super::tables::{
    ASSEMBLY, ASSEMBLY_REF, FIELD, MEMBER_REF, METHOD_DEF, MODULE, NESTED_CLASS, PARAM, STAND_ALONE_SIG, TYPE_DEF,
    TYPE_REF, Tables,
};
use super::{Method, bytes::Put, heaps::Heaps};

/// An image before it is laid out.
pub struct Module {
    pub tables: Tables,
    pub heaps: Heaps,
    /// The method bodies, one after the other; they follow the CLI header.
    pub bodies: Vec<u8>,
    /// The StandAloneSig row for so many local variables.
    pub local_signatures: Vec<u32>,
}

/// The RVA of the first method body.
pub const BODIES_RVA: u32 = super::image::TEXT_RVA + super::image::CLI_HEADER_SIZE;

/// The types that are referred to: the first of them by IL.
const TYPES: [(&str, &str); 8] = [
    ("System", "Object"),
    ("System", "Console"),
    ("System", "String"),
    ("System", "GC"),
    ("System.Threading.Tasks", "Task"),
    ("System", "IDisposable"),
    ("System", "ValueType"),
    ("System.IO", "Stream"),
];

/// The members that IL calls: the row of their type, their name, their signature.
pub const MEMBERS: [(u32, &str, &[u8]); 4] = [
    (1, ".ctor", &[0x20, 0, 0x01]),
    (2, "WriteLine", &[0, 1, 0x01, 0x0e]),
    (3, "Concat", &[0, 2, 0x0e, 0x0e, 0x0e]),
    (4, "Collect", &[0, 0, 0x01]),
];

const RUNTIME_SCOPE: u32 = 1 << 2 | 2;
const OBJECT: u32 = 1 << 2 | 1;

impl Module {
    /// Counts of the recipe.
    pub fn of(recipe: &Recipe) -> Self {
        let mut module =
            Self { tables: Tables::new(), heaps: Heaps::new(), bodies: Vec::new(), local_signatures: vec![0] };
        module.identity(recipe);
        module.references(recipe);
        let mut targets = Targets { user_strings: module.user_strings(recipe), local_signature: 0 };
        module.type_def(recipe, 1, false);
        for row in 2..=recipe.types {
            let mut is_abstract = false;
            for method in recipe.methods_of(row).map(|row| recipe.method(row)) {
                is_abstract |= method.is_abstract();
                targets.local_signature = module.local_signature(method.variables.len());
                module.method_def(recipe, &method, &targets);
            }
            module.type_def(recipe, row, is_abstract);
        }
        module
    }

    fn identity(&mut self, recipe: &Recipe) {
        let Self { tables, heaps, .. } = self;
        let name = heaps.string(&format!("{}.dll", names::assembly(recipe)));
        let mvid = heaps.guid(Rng::of(recipe.seed, "mvid", 0).bytes());
        tables.add(MODULE, [0, name, mvid, 0, 0]);
        let name = heaps.string(&names::assembly(recipe));
        tables.add(ASSEMBLY, [0x8004, 1, 0, 0, 0, 0, 0, name, 0]);
        let key = heaps.blob_once(&[0xb0, 0x3f, 0x5f, 0x7f, 0x11, 0xd5, 0x0a, 0x3a]);
        let name = heaps.string("System.Runtime");
        tables.add(ASSEMBLY_REF, [8, 0, 0, 0, 0, key, name, 0, 0]);
    }

    fn references(&mut self, recipe: &Recipe) {
        assert!(recipe.type_refs as usize >= TYPES.len(), "IL refers to types");
        assert!(recipe.member_refs as usize >= MEMBERS.len(), "IL calls members");
        let Self { tables, heaps, .. } = self;
        for index in 0..recipe.type_refs {
            let (namespace, name) = match TYPES.get(index as usize) {
                Some((namespace, name)) => (heaps.string(namespace), heaps.string(name)),
                None => (heaps.string("System.Numerics"), heaps.string(&format!("Vector{index}"))),
            };
            tables.add(TYPE_REF, [RUNTIME_SCOPE, name, namespace]);
        }
        for index in 0..recipe.member_refs {
            let row = if let Some((parent, name, signature)) = MEMBERS.get(index as usize) {
                [parent << 3 | 1, heaps.string(name), heaps.blob_once(signature)]
            } else {
                let parent = index % recipe.type_refs + 1;
                [parent << 3 | 1, heaps.string(&names::field(recipe, index)), heaps.blob_once(&[0x06, 0x08])]
            };
            tables.add(MEMBER_REF, row);
        }
    }

    fn user_strings(&mut self, recipe: &Recipe) -> Vec<u32> {
        let count = (recipe.methods / 2).clamp(8, 20_000);
        (0..count).map(|index| self.heaps.user_string(&names::sentence(recipe, index))).collect()
    }

    fn type_def(&mut self, recipe: &Recipe, row: u32, is_abstract: bool) {
        let Self { tables, heaps, .. } = self;
        let (fields, methods) = (recipe.fields_of(row), recipe.methods_of(row));
        if row == 1 {
            let name = heaps.string("<Module>");
            tables.add(TYPE_DEF, [0, name, 0, 0, fields.start, methods.start]);
            return;
        }
        let enclosing = names::enclosing(row);
        let namespace = if enclosing.is_none() { heaps.string(&names::namespace(recipe, row)) } else { 0 };
        let name = heaps.string(&names::type_name(recipe, row));
        // BeforeFieldInit, public or nested public, perhaps abstract.
        let flags = 0x0010_0000 | if enclosing.is_none() { 1 } else { 2 } | if is_abstract { 0x80 } else { 0 };
        tables.add(TYPE_DEF, [flags, name, namespace, OBJECT, fields.start, methods.start]);
        if let Some(enclosing) = enclosing {
            tables.add(NESTED_CLASS, [row, enclosing]);
        }
        for field in fields {
            let name = heaps.string(&names::field(recipe, field));
            let signature = heaps.blob_once(&[0x06, TYPE_BYTES[field as usize % TYPE_BYTES.len()]]);
            // Private and static.
            tables.add(FIELD, [0x11, name, signature]);
        }
    }

    fn method_def(&mut self, recipe: &Recipe, method: &Method, targets: &Targets) {
        let flags = flags(recipe, method);
        let rva = if method.is_abstract() {
            0
        } else {
            BODIES_RVA + il::write(recipe, method, targets, &mut self.bodies) as u32
        };
        let Self { tables, heaps, .. } = self;
        let name = heaps.string(&method.name);
        let signature = heaps.blob_once(&signature(recipe, method, flags));
        tables.add(METHOD_DEF, [rva, 0, flags, name, signature, method.params.start]);
        for (sequence, param) in (1..).zip(method.params.clone()) {
            let name = heaps.string(&names::local(recipe, "param", param).0);
            tables.add(PARAM, [0, sequence, name]);
        }
    }

    /// The token of the signature of so many locals, which is written when it is first wanted.
    fn local_signature(&mut self, locals: usize) -> u32 {
        if locals == 0 {
            return 0;
        }
        if self.local_signatures.len() <= locals {
            self.local_signatures.resize(locals + 1, 0);
        }
        if self.local_signatures[locals] == 0 {
            let blob = self.heaps.blob_once(&locals_signature(locals));
            self.local_signatures[locals] = self.tables.add(STAND_ALONE_SIG, [blob]);
        }
        (STAND_ALONE_SIG as u32) << 24 | self.local_signatures[locals]
    }
}

/// int, string, object, bool, long: element types. A method's first local is an int, which its IL uses.
const TYPE_BYTES: [u8; 5] = [0x08, 0x0e, 0x1c, 0x02, 0x0a];
/// An array of what follows.
const SZARRAY: u8 = 0x1d;

/// The signature of so many local variables.
pub fn locals_signature(locals: usize) -> Vec<u8> {
    let mut signature = vec![0x07];
    signature.put_compressed(locals as u32);
    signature.extend(TYPE_BYTES.iter().cycle().take(locals));
    signature
}

/// The flags of a method: public and hiding by signature; then what goes with its kind.
pub fn flags(recipe: &Recipe, method: &Method) -> u32 {
    let is_constructor = method.name == ".ctor" && !method.is_abstract();
    let is_static = !is_constructor && !method.is_abstract() && Rng::of(recipe.seed, "flags", method.row).chance(30);
    0x86 | if is_static { STATIC } else { 0 }
        | if method.is_abstract() { 0x540 } else { 0 }
        | if is_constructor { 0x1800 } else { 0 }
        | if method.name.starts_with("get_") || method.name.starts_with("set_") { 0x800 } else { 0 }
}

const STATIC: u32 = 0x10;

/// The signature of a method; one that is not static says so.
pub fn signature(recipe: &Recipe, method: &Method, flags: u32) -> Vec<u8> {
    let mut signature = vec![if flags & STATIC == 0 { 0x20 } else { 0 }];
    signature.put_compressed(method.params.len() as u32);
    // It returns nothing.
    signature.push(0x01);
    for param in method.params.clone() {
        if param == 1 {
            signature.extend(std::iter::repeat_n(SZARRAY, recipe.depth as usize));
        }
        signature.push(TYPE_BYTES[param as usize % TYPE_BYTES.len()]);
    }
    signature
}
