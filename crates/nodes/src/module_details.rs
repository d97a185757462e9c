//! Modules of a Windows PDB with their source files, their inlinees, and what built them.

use crate::native::NativeView;
use crate::stream::PdbView;
use pdblens_formats::bytes::{Error, Guid, Span};
use pdblens_formats::pdb::ModuleStream;
use pdblens_formats::reason::Reason;
use pdblens_formats::serialize::some_hexadecimal;
use pdblens_session::session::Session;
use pdblens_session::symbols::{ModuleBuild, checksum_algorithm};

/// Members of the build information, in the order of its ids.
const BUILD_INFO: [&str; 5] = ["directory", "compiler", "source", "type-server", "arguments"];

/// A module of a Windows PDB with everything about it but its functions: an object file, or a type of managed code.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "module"))]
pub struct ModuleDetails {
    /// Its number, from 0.
    #[serde(rename = "module")]
    pub number: u32,
    /// Name of the object file or the type.
    pub name: String,
    /// File that it was linked from.
    pub object: String,
    /// Stream with its symbols and lines.
    pub stream: Option<u32>,
    /// Bytes of symbols.
    pub symbols_size: u32,
    /// Bytes of lines and what belongs to them.
    pub lines_size: u32,
    /// Compiler and environment.
    #[serde(flatten)]
    pub build: ModuleBuild,
    /// Build information (`S_BUILDINFO`): `directory`, `compiler`, `source`, `type-server`, `arguments`.
    #[serde(serialize_with = "pdblens_formats::serialize::named_texts", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<pdblens_formats::json_schema::NamedText>"))]
    pub build_info: Vec<(&'static str, String)>,
    /// Source files with their checksums.
    pub files: Vec<ModuleFile>,
    /// Functions that were inlined somewhere in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlinees: Vec<ModuleInlinee>,
    /// Lines of native code that is in no function, such as hand-written assembly code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_lines: Vec<ModuleLine>,
    /// Errors in its stream.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Reason>,
    /// Bytes of its entry in the list of modules.
    pub span: Span,
}

/// A line of native code that is in no function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "other_line"))]
pub struct ModuleLine {
    /// Section of the code, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    /// Address in the image.
    #[serde(rename = "address", serialize_with = "some_hexadecimal", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::Address>"))]
    pub rva: Option<u32>,
    /// Row of the document, 0 for none.
    pub document: u32,
    /// Line of the source; `None` for hidden code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A source file of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "module_file"))]
pub struct ModuleFile {
    /// Row of the document, 0 for none.
    pub document: u32,
    /// Path of the file, if it is no document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Hash algorithm.
    #[serde(rename = "hash_algorithm")]
    pub algorithm: Option<Guid>,
    /// Hash of the file's content; empty for none.
    #[serde(serialize_with = "pdblens_formats::serialize::some_bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::Bytes>"))]
    pub hash: Vec<u8>,
    /// Bytes of the entry.
    pub span: Span,
}

/// A function that was inlined somewhere in a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "inlinee"))]
pub struct ModuleInlinee {
    /// Id of the function, in the IPI stream.
    #[serde(serialize_with = "pdblens_formats::serialize::hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::TypeIndex"))]
    pub id: u32,
    /// Name of the function.
    pub name: String,
    /// Row of the document, 0 for none.
    pub document: u32,
    /// First line of the function.
    pub line: u32,
    /// Bytes of the entry.
    pub span: Span,
}

/// Number of modules of a Windows PDB; 0 for other symbols.
pub fn module_count(session: &Session) -> u32 {
    PdbView::of(session).map_or(0, |view| view.pdb.modules().len() as u32)
}

/// The module with this number; its stream is not kept in memory.
pub fn module_details(session: &Session, number: u32) -> Option<ModuleDetails> {
    let view = PdbView::of(session)?;
    let module = *view.pdb.modules().get(number as usize)?;
    let (name, object) = view.module_names(number);
    let build = ModuleBuild::read(view.pdb, view.spaces, number as usize);
    let build_info = build.build_info.map_or_else(Vec::new, |id| build_texts(view, id));
    let mut details = ModuleDetails {
        number,
        name,
        object,
        stream: module.stream(),
        symbols_size: module.symbols_size,
        lines_size: module.c13_size,
        build,
        build_info,
        files: Vec::new(),
        inlinees: Vec::new(),
        other_lines: Vec::new(),
        errors: Vec::new(),
        span: module.span,
    };
    let mut errors = Vec::new();
    match ModuleStream::read_once(view.pdb, view.spaces, number) {
        Ok(Some(stream)) => {
            details.add_files(view, &stream, &mut errors);
            if let Some(native) = NativeView::of(session) {
                details.add_inlinees(&native, &stream, &mut errors);
                details.add_other_lines(&native, &stream, &mut errors);
            }
        }
        Ok(None) => {}
        Err(error) => errors.push(error),
    }
    details.errors = errors.iter().map(|error| view.spaces.reason(error)).collect();
    Some(details)
}

fn build_texts(view: PdbView<'_>, id: u32) -> Vec<(&'static str, String)> {
    let Some(names) = view.type_names() else { return Vec::new() };
    let texts = BUILD_INFO.into_iter().zip(names.build_info(id)).map(|(name, id)| (name, names.text_of_id(id)));
    texts.filter(|(_, text)| !text.is_empty()).collect()
}

impl ModuleDetails {
    fn add_files(&mut self, view: PdbView<'_>, stream: &ModuleStream, errors: &mut Vec<Error>) {
        for file in stream.source_files(&view.pdb.names) {
            let found = file.and_then(|file| {
                let hash = view.spaces.read(file.checksum.checksum)?.into_owned();
                let document = view.pdb.document_row(file.checksum.name).unwrap_or(0);
                let (algorithm, span) = (checksum_algorithm(file.checksum.kind), file.checksum.span);
                let path = if document == 0 { Some(file.path) } else { None };
                Ok(ModuleFile { document, path, algorithm, hash, span })
            });
            match found {
                Ok(file) => self.files.push(file),
                Err(error) => errors.push(error),
            }
        }
    }

    fn add_inlinees(&mut self, native: &NativeView<'_>, stream: &ModuleStream, errors: &mut Vec<Error>) {
        let (inlinees, error) = stream.inlinees();
        let (names, checksums) = (native.view.type_names(), stream.checksums());
        self.inlinees.extend(inlinees.into_iter().map(|inlinee| {
            let id = native.global_id(stream, inlinee.id);
            let name = names.map_or_else(String::new, |names| names.of_id(id));
            let document = native.row_of(checksums, inlinee.file);
            ModuleInlinee { id, name, document, line: inlinee.line, span: inlinee.span }
        }));
        errors.extend(error);
    }

    fn add_other_lines(&mut self, native: &NativeView<'_>, stream: &ModuleStream, errors: &mut Vec<Error>) {
        let checksums = stream.checksums();
        let found = stream.each_line(|line| {
            if !native.is_in_function((line.section, line.offset)) {
                self.other_lines.push(ModuleLine {
                    section: line.section,
                    offset: line.offset,
                    rva: native.view.rva(line.section, line.offset),
                    document: native.row_of(checksums, line.file),
                    line: (!line.is_hidden()).then_some(line.start_line),
                });
            }
        });
        errors.extend(found);
    }
}
