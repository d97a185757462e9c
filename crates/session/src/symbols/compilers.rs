//! Compilers of a native PDB, counted by module: the first module may come from an assembler or a resource converter.

use std::collections::HashMap;

use crate::text::cpp_types::TypeNames;
use crate::text::safe::{count, utf8};
use pdblens_formats::bytes::{Region, Spaces, Span};
use pdblens_formats::codeview::languages::language;
use pdblens_formats::codeview::symbols::{Record, Records, Symbol, kind};
use pdblens_formats::managed::WindowsPdb;
use std::sync::Arc;

/// The records in which a compiler says what it is.
const COMPILE_2: u16 = 0x1116;
const COMPILE_3: u16 = 0x113c;
/// The record with the environment of the linker: pairs of texts, among them `cmd`.
const ENVIRONMENT: u16 = 0x113d;
/// The record with the id of the build information: folder, compiler, source file and arguments.
const BUILD_INFO: u16 = 0x114c;
/// Bytes of each module's symbols that are looked at first: most compilers say what they are before anything else.
const HEAD: u64 = 16 << 10;
const MAX_RECORDS: usize = 32;
/// Limit on the bytes of the flags that are kept.
const MAX_FLAGS: usize = 4096;
/// Limit on the bytes of symbols that are read for the flags of the compiler.
const MAX_READ: u64 = 32 << 20;
/// Place of the arguments among the texts of the build information.
const ARGUMENTS: usize = 4;

/// A compiler, an assembler or a linker, by name, version and language.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "module_compiler"))]
pub struct Compiler {
    /// Name, such as `Microsoft (R) Optimizing Compiler`.
    pub name: String,
    /// Version of the front end, or of the back end where it has no front end.
    pub version: String,
    /// Source language.
    pub language: &'static str,
    /// Flags of the record above the language: Edit and Continue, link-time code generation, security checks.
    pub flags: u32,
}

/// Records at the start of a module that describe its build.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModuleBuild {
    /// Compiler, assembler or linker.
    pub compiler: Option<Compiler>,
    /// Environment of the build (`S_ENVBLOCK`): `cwd`, `exe`, `pdb`, `cmd`.
    #[serde(serialize_with = "pdblens_formats::serialize::named_texts", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<pdblens_formats::json_schema::NamedText>"))]
    pub environment: Vec<(String, String)>,
    /// Id of the build information in the IPI stream (`S_BUILDINFO`).
    #[serde(skip)]
    pub build_info: Option<u32>,
}

impl ModuleBuild {
    /// Reads the records of a module, wherever they are in its symbols; empty for a module without symbols.
    pub fn read(pdb: &WindowsPdb, spaces: &Spaces, module: usize) -> Self {
        // The build information follows the variables of the module, of which there may be many.
        Self::of(symbols_of(pdb, spaces, module, u64::MAX))
    }

    /// Reads the compiler of a module and the environment of a linker; all symbols only where the first ones do not have them.
    fn read_compiler(pdb: &WindowsPdb, spaces: &Spaces, module: usize) -> Self {
        let build = Self::of(symbols_of(pdb, spaces, module, HEAD));
        let is_long = pdb.modules().get(module).is_some_and(|module| u64::from(module.symbols_size) > HEAD);
        let is_whole = match &build.compiler {
            Some(compiler) => compiler.language != "linker" || !build.environment.is_empty(),
            None => false,
        };
        if is_long && !is_whole { Self::read(pdb, spaces, module) } else { build }
    }

    fn of(symbols: Option<Region>) -> Self {
        let mut build = Self::default();
        let Some(symbols) = symbols else { return build };
        for record in Records::of_module(&symbols).map_while(Result::ok) {
            match record.kind {
                COMPILE_2 | COMPILE_3 if build.compiler.is_none() => build.compiler = read(record),
                ENVIRONMENT if build.environment.is_empty() => build.environment = environment(record),
                BUILD_INFO => build.build_info = build.build_info.or_else(|| Some(record.read().ok()?.of)),
                _ => {}
            }
        }
        build
    }

    fn command_line(&self) -> Option<&str> {
        let (_, flags) = self.environment.iter().find(|(name, _)| name == "cmd")?;
        (!flags.is_empty() && flags.len() <= MAX_FLAGS).then_some(flags)
    }
}

/// Flags of a compiler's record: managed code is present, and the module is all IL.
const MANAGED: u32 = 0x110;

/// Returns true if a module of a native PDB has methods of managed code (C++/CLI), by its first records.
pub(super) fn has_methods(pdb: &WindowsPdb, spaces: &Spaces) -> bool {
    (0..pdb.modules().len()).any(|number| {
        let Some(symbols) = symbols_of(pdb, spaces, number, HEAD) else { return false };
        let mut records = Records::of_module(&symbols).map_while(Result::ok).take(MAX_RECORDS);
        records.any(|record| match record.kind {
            kind::METHOD | kind::LOCAL_METHOD => true,
            COMPILE_2 | COMPILE_3 => read(record).is_some_and(|compiler| compiler.flags & MANAGED != 0),
            _ => false,
        })
    })
}

/// Names and values of the options that the modules say: `compiler-version` and `language` of the compiler of most modules,
/// `compilers` with the number of modules of each if there are several, `compiler-flags`, and `linker-flags`.
pub(super) fn options(pdb: &WindowsPdb, spaces: &Spaces, names: TypeNames<'_>) -> Vec<(String, String)> {
    let mut modules: HashMap<Compiler, Vec<usize>> = HashMap::new();
    let mut flags = None;
    for number in 0..pdb.modules().len() {
        let build = ModuleBuild::read_compiler(pdb, spaces, number);
        flags = flags.or_else(|| build.command_line().map(str::to_owned));
        if let Some(compiler) = build.compiler {
            modules.entry(Compiler { flags: 0, ..compiler }).or_default().push(number);
        }
    }
    let mut found: Vec<(Compiler, Vec<usize>)> = modules.into_iter().collect();
    let is_tool = |language: &str| matches!(language, "linker" | "resource compiler" | "MASM");
    found.sort_by(|(a, many), (b, more)| more.len().cmp(&many.len()).then_with(|| a.cmp(b)));
    let main = found.iter().find(|(compiler, _)| !is_tool(compiler.language)).or_else(|| found.first());
    let mut options: Vec<(&str, String)> = Vec::new();
    if let Some((compiler, modules)) = main {
        options.push(("compiler-version", compiler.text()));
        options.push(("language", compiler.language.to_owned()));
        options.extend(compiler_flags(pdb, spaces, names, modules).map(|flags| ("compiler-flags", flags)));
    }
    // One compiler and its linker need no list.
    if found.iter().filter(|(compiler, _)| compiler.language != "linker").count() > 1 {
        let each = found.iter().map(|(compiler, modules)| {
            format!("{} ({}): {}", compiler.text(), compiler.language, count(modules.len() as u64, "module"))
        });
        options.push(("compilers", each.collect::<Vec<_>>().join("; ")));
    }
    // Visual Studio writes a space first.
    options.extend(flags.map(|flags| ("linker-flags", flags.trim_start().to_owned())));
    options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Arguments of the compiler in most of its modules, and in how many where they are not the same in all (`S_BUILDINFO`).
fn compiler_flags(pdb: &WindowsPdb, spaces: &Spaces, names: TypeNames<'_>, modules: &[usize]) -> Option<String> {
    let (mut ids, mut left): (HashMap<u32, usize>, u64) = (HashMap::new(), MAX_READ);
    for number in modules {
        let size = pdb.modules().get(*number).map_or(0, |module| u64::from(module.symbols_size));
        let Some(rest) = left.checked_sub(size) else { break };
        left = rest;
        if let Some(id) = ModuleBuild::read(pdb, spaces, *number).build_info {
            ids.entry(id).and_modify(|count| *count += 1).or_insert(1);
        }
    }
    // Records differ by the name of the source too, their arguments seldom.
    let mut flags: HashMap<String, usize> = HashMap::new();
    for (id, modules) in &ids {
        let text = names.build_info(*id).get(ARGUMENTS).map_or_else(String::new, |id| names.text_of_id(*id));
        if !text.trim().is_empty() {
            flags.entry(text).and_modify(|count| *count += *modules).or_insert(*modules);
        }
    }
    let (text, number) = flags.into_iter().max_by(|(a, few), (b, many)| few.cmp(many).then_with(|| b.cmp(a)))?;
    let text = text.trim();
    Some(match modules.len() {
        all if all == number => text.to_owned(),
        all => format!("in {number} of {}: {text}", count(all as u64, "module")),
    })
}

/// Symbols of a module, `most` bytes of them.
fn symbols_of(pdb: &WindowsPdb, spaces: &Spaces, module: usize, most: u64) -> Option<Region> {
    let module = pdb.modules().get(module)?;
    let stream = pdb.msf.stream(module.stream()?)?;
    let len = u64::from(module.symbols_size).min(most).min(spaces.get(stream.space)?.len());
    let bytes = spaces.read(Span::new(stream.space, 0, len)).ok()?.into_owned();
    Some(Region::whole(stream.space, Arc::new(bytes)))
}

fn read(record: Record<'_>) -> Option<Compiler> {
    let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
    let len = if record.kind == COMPILE_3 { 8 } else { 6 };
    // The version of the front end follows flags and machine, that of the back end comes next; an assembler has only that.
    let version = |at: usize| {
        let numbers = record.slice.data.get(at..)?.get(..len)?.chunks_exact(2);
        let numbers = numbers.filter_map(|pair| pair.first_chunk().map(|bytes| u16::from_le_bytes(*bytes)));
        Some(numbers.collect::<Vec<_>>())
    };
    let numbers = version(10).filter(|numbers| numbers.iter().any(|number| *number > 0));
    let numbers = numbers.or_else(|| version(len + 10))?;
    Some(Compiler {
        name: utf8(symbol.name.data).trim_end().to_owned(),
        version: numbers.iter().map(u16::to_string).collect::<Vec<_>>().join("."),
        language: language((symbol.flags & 0xff).into())?,
        flags: record.slice.rest(5).data.first_chunk().map_or(0, |[a, b, c]| u32::from_le_bytes([*a, *b, *c, 0])),
    })
}

fn environment(record: Record<'_>) -> Vec<(String, String)> {
    let Ok(symbol) = record.read() else { return Vec::new() };
    let texts: Vec<&[u8]> = symbol.rest.data.split(|byte| *byte == 0).collect();
    let pairs = texts.as_chunks::<2>().0.iter().take_while(|[name, _]| !name.is_empty());
    pairs.map(|[name, value]| (utf8(name).into_owned(), utf8(value).into_owned())).collect()
}

impl Compiler {
    /// Name and version; the version once, where the name has it, and not where it is all zeros.
    fn text(&self) -> String {
        let is_known = self.version.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        let is_named = self.name.bytes().any(|byte| byte.is_ascii_digit());
        if is_named || !is_known { self.name.clone() } else { format!("{} {}", self.name, self.version) }
    }
}
