//! Kinds of records that streams are made of: a row has the name of a kind and the decoder of its bytes.

use pdblens_formats::bytes::{Cursor, Encoding, Recording, Result, fields};
use pdblens_formats::codeview::symbols::{Symbol, columns, kind, kind_name, signature};
use pdblens_formats::codeview::{c13, types as native_types};
use pdblens_formats::managed::SourceFile;
use pdblens_formats::managed::source_file::HeaderBlock;
use pdblens_formats::managed::symbols::ManagedSymbol;
use pdblens_formats::msf::Directory;
use pdblens_formats::pdb::TpiHeader;
use pdblens_formats::pdb::dbi::{self, Contributions, ModuleInfo, SectionMap, SourceInfo};
use pdblens_formats::pdb::frames::{self, FrameData};
use pdblens_formats::pdb::gsi::{self, GsiHeader, HashRecord, PsiHeader, ThunkSection};
use pdblens_formats::pdb::info::Info;
use pdblens_formats::pdb::names::Names;
use pdblens_formats::pdb::tpi::{IndexOffset, adjusters, type_hash};
use pdblens_formats::pe::SectionHeader;
use pdblens_formats::pe::debug::{FpoData, OmapEntry};
use pdblens_formats::srcsrv::SrcSrv;

/// Properties of the file that the decoders of some kinds need.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileForm {
    pub native: bool,
    pub page_size: u32,
}

macro_rules! part_kinds {
    ($($(#[$doc:meta])* $kind:ident $(($value:ident: $of:ty))? = $name:expr, |$c:ident, $form:pat_param| $note:expr;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PartKind {
            $($(#[$doc])* $kind $(($of))?,)*
        }

        #[allow(unused_variables, reason = "a name needs the value of its kind, or its decoder does")]
        impl PartKind {
            pub(crate) fn name(self) -> String {
                match self {
                    $(Self::$kind $(($value))? => String::from($name),)*
                }
            }

            /// Reads the bytes of a record, all of which `cursor` has, for what is noted of them.
            pub(super) fn note(self, form: FileForm, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
                match self {
                    $(Self::$kind $(($value))? => {
                        let ($c, $form) = (cursor, form);
                        $note.map(drop)
                    })*
                }
            }
        }
    };
}

part_kinds! {
    /// Bytes without a finer structure, or with one that is not known; the text describes them.
    Bytes(what: &'static str) = what, |c, _| c.group(&STREAM_BYTES, |c| c.bytes(&CONTENT, c.left()));
    Text = "text", |c, _| c.group(&STREAM_BYTES, |c| c.text(&TEXT, c.left(), Encoding::Utf8));
    /// The directory of an earlier commit.
    Directory = "directory", |c, form| Directory::decode(c, form.page_size);
    /// The identity of the file, and the names of streams.
    Info = "PDB info", |c, _| Info::decode(c);
    Names = "string table", |c, _| Names::decode(c);
    /// The list of source files.
    HeaderBlock = "source header block", |c, _| HeaderBlock::decode(c);
    /// Properties of one source file.
    SourceFile = "source file", |c, _| SourceFile::decode(c);
    /// Source server commands.
    SrcSrv = "srcsrv", |c, _| SrcSrv::decode(c);
    DbiHeader = "DBI header", |c, _| dbi::DbiHeader::decode(c);
    /// A module: its number.
    Module(number: u32) = format!("module {number}"), |c, _| ModuleInfo::decode(c);
    ContributionsVersion = "section contributions", |c, _| Contributions::decode_version(c);
    Contribution = "section contribution", |c, _| Contributions::decode_record(c);
    SectionMap = "section map", |c, _| SectionMap::decode(c);
    SourceInfo = "source info", |c, _| SourceInfo::decode(c);
    /// Streams with copies of parts of the image.
    DebugHeader = "debug header", |c, _| dbi::debug_header(c);
    TypesHeader = "TPI header", |c, _| TpiHeader::decode(c);
    /// A type or an id: its number.
    Type(number: u32) = format!("{number:#x}"), |c, _| native_types::TypeData::decode(c);
    /// Signature at the start of a module's symbols.
    Signature = "signature", |c, _| signature(c);
    /// A symbol: its kind.
    Symbol(kind: u16) = symbol_name(kind), |c, form| symbol(kind, form.native, c);
    /// A subsection of a module: its kind.
    Subsection(kind: u32) = subsection_name(kind), |c, _| c13::decode(c);
    ImageSection = "section header", |c, _| SectionHeader::decode(c);
    Omap = "omap entry", |c, _| OmapEntry::decode(c);
    /// Header of GSI, or of the hash table in PSI.
    GsiHeader = "GSI header", |c, _| GsiHeader::decode(c);
    PsiHeader = "PSI header", |c, _| PsiHeader::decode(c);
    /// A symbol in the list of its bucket.
    HashRecord = "hash record", |c, _| HashRecord::decode(c);
    /// The buckets that have records.
    Bitmap = "bucket bitmap", |c, _| gsi::bitmap(c);
    Buckets = "buckets", |c, _| gsi::buckets(c);
    /// A public symbol in the order of addresses.
    Address = "address map entry", |c, _| gsi::address_map_entry(c);
    Thunk = "thunk map entry", |c, _| gsi::thunk_map_entry(c);
    ThunkSection = "thunk section", |c, _| ThunkSection::decode(c);
    /// Hash of a type or an id: its number.
    TypeHash(number: u32) = "type hash", |c, _| type_hash(c);
    /// A type or an id, and its offset.
    IndexOffset = "index offset", |c, _| IndexOffset::decode(c);
    /// Names with the type that a lookup finds first.
    Adjusters = "hash adjusters", |c, _| adjusters(c);
    /// Row of a method in the image.
    TokenMapEntry = "token map entry", |c, _| frames::token_map_entry(c);
    /// References of a module to global symbols.
    GlobalReferences = "references to global symbols", |c, _| frames::global_references(c);
    /// Frame of a function.
    FrameData = "frame data", |c, _| FrameData::decode(c);
    /// Frame of a function, in the first form.
    FpoData = "fpo entry", |c, _| FpoData::decode(c);
}

fields! {
    /// A range of a stream without finer structure.
    STREAM_BYTES: "stream bytes";
    /// Bytes whose layout is not known, or was lost.
    CONTENT: "content";
    /// Text whose meaning depends on the name of the stream.
    TEXT: "text";
}

fn symbol_name(kind: u16) -> String {
    kind_name(kind).map_or_else(|| format!("symbol {kind:#06x}"), str::to_owned)
}

fn subsection_name(kind: u32) -> String {
    let name = c13::KINDS.iter().find(|(number, _)| *number == u64::from(kind & !c13::IGNORED));
    name.map_or_else(|| format!("subsection {kind:#x}"), |(_, name)| (*name).to_owned())
}

/// Reads a symbol as one of managed code where only that has the kind, or where the PDB is one of managed code: blocks, references and
/// publics are in both.
fn symbol(symbol: u16, native: bool, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
    use kind::{BLOCK, CONSTANT, LOCAL_METHOD, LOCAL_PROCEDURE_REFERENCE, METHOD, NAMESPACE, OEM, PROCEDURE_REFERENCE};
    let is_managed = match symbol {
        METHOD | LOCAL_METHOD | kind::SLOT | CONSTANT | NAMESPACE | OEM | kind::TOKEN_REFERENCE => true,
        BLOCK | kind::PUBLIC | PROCEDURE_REFERENCE | LOCAL_PROCEDURE_REFERENCE => !native,
        _ => columns(symbol).is_empty(),
    };
    if is_managed { ManagedSymbol::decode(cursor).map(drop) } else { Symbol::decode(cursor).map(drop) }
}
