//! Paragraphs of the specifications that describe a record or the form of a value.

use pdblens_formats::bytes::ReadAs;
use pdblens_nodes::{Heap, MetadataPart, MethodPart, PePart, Place, TableId};

const POINTS: &str = "Portable PDB › Sequence Points Blob";
const CUSTOM: &str = "Portable PDB › CustomDebugInformation Table: 0x37";
const GSI: &str = "LLVM › The PDB Global Symbol Stream";
const PSI: &str = "LLVM › The PDB Public Symbol Stream";
const C13: &str = "microsoft/pdb-rs › docs/codeview/line_data.md";

/// Groups that one specification describes, at whatever place they are: name of the group, paragraph.
const GROUPS: &[(&str, &str)] = &[
    ("header", POINTS),
    ("point", POINTS),
    ("hidden point", POINTS),
    ("document", POINTS),
    ("import", "Portable PDB › Imports Blob"),
    ("document name", "Portable PDB › Document Name Blob"),
    ("local constant", "Portable PDB › LocalConstantSig Blob"),
    ("custom debug information", CUSTOM),
    ("superblock", "LLVM › The MSF File Format › The Superblock"),
    ("free page map", "LLVM › The MSF File Format › The Free Block Map"),
    ("block map", "LLVM › The MSF File Format › The Superblock"),
    ("named streams", "LLVM › The PDB Info Stream › Named Stream Map"),
    ("named stream", "LLVM › The PDB Info Stream › Named Stream Map"),
    ("used slots", "LLVM › The PDB Serialized Hash Table Format"),
    ("deleted slots", "LLVM › The PDB Serialized Hash Table Format"),
    ("string table", "microsoft/pdb-rs › docs/pdb/names_stream.md"),
    ("string slots", "microsoft/pdb-rs › docs/pdb/names_stream.md"),
    ("gsi header", GSI),
    ("hash record", GSI),
    ("bucket bitmap", GSI),
    ("buckets", GSI),
    ("psi header", PSI),
    ("address map entry", PSI),
    ("line record", C13),
    ("column record", C13),
    ("line block", C13),
    ("lines header", C13),
    ("inlinee", C13),
    ("type hash", "LLVM › The PDB TPI and IPI Streams › Stream Header"),
    ("index offset", "LLVM › The PDB TPI and IPI Streams › Stream Header"),
];

/// Paragraph that describes the record at `place`, or the group `record` in it; `None` where no specification does.
pub fn paragraph(place: Place, record: &str) -> Option<&'static str> {
    if let Some((_, paragraph)) = GROUPS.iter().find(|(group, _)| *group == record) {
        return Some(paragraph);
    }
    Some(match place {
        Place::MethodPart(_, MethodPart::Points | MethodPart::Point(_)) => POINTS,
        Place::MethodPart(_, MethodPart::Il | MethodPart::Instruction(_)) => "ECMA-335 III",
        Place::MethodPart(_, MethodPart::Region(_) | MethodPart::Regions) => "ECMA-335 II.25.4.6",
        Place::MethodPart(_, MethodPart::Body) => "ECMA-335 II.25.4",
        Place::Row(_, table, _) | Place::Table(_, table) => of_table(table),
        Place::Method(_) => "ECMA-335 II.22.26",
        Place::Metadata(_, MetadataPart::PdbStream) => "Portable PDB › #Pdb stream",
        Place::Metadata(_, MetadataPart::TablesHeader) => "ECMA-335 II.24.2.6",
        Place::Metadata(_, MetadataPart::Root) => "ECMA-335 II.24.2.1",
        Place::Metadata(_, MetadataPart::Stream(_) | MetadataPart::Streams) => "ECMA-335 II.24.2.2",
        Place::HeapEntry(_, Heap::Strings, _) => "ECMA-335 II.24.2.3",
        Place::HeapEntry(_, Heap::Guids, _) => "ECMA-335 II.24.2.5",
        Place::HeapEntry(..) => "ECMA-335 II.24.2.4",
        Place::PePart(part) => of_image(part),
        Place::Header | Place::Page(_) | Place::Pages => "LLVM › The MSF File Format",
        Place::Directory => "LLVM › The MSF File Format › The Stream Directory",
        Place::Stream(1) => "LLVM › The PDB Info Stream",
        Place::ReadyToRun | Place::R2r(_) | Place::MethodPart(_, MethodPart::Native | MethodPart::NativeAt(_)) => {
            "dotnet/runtime › docs/design/coreclr/botr/readytorun-format.md"
        }
        Place::Stream(2 | 4) | Place::Type(_) | Place::TypeLayout(_) | Place::Id(_) => {
            "LLVM › The PDB TPI and IPI Streams"
        }
        Place::Stream(3) | Place::SectionMap | Place::Contributions | Place::Contribution(_) => {
            "LLVM › The PDB DBI (Debug Info) Stream"
        }
        Place::Module(_) => "LLVM › The PDB DBI (Debug Info) Stream › Module Info Substream",
        Place::Record(..) | Place::FunctionPart(..) | Place::Function(_) => "LLVM › CodeView Symbol Records",
        Place::Publics | Place::Globals => "microsoft/pdb-rs › docs/pdb/globals.md",
        _ => return None,
    })
}

pub const fn of_form(read: ReadAs) -> Option<&'static str> {
    match read {
        ReadAs::Compressed | ReadAs::CompressedSigned => Some("ECMA-335 II.23.2"),
        _ => None,
    }
}

fn of_image(part: PePart) -> &'static str {
    match part {
        PePart::Cli => "ECMA-335 II.25.3.3",
        PePart::Coff => "PE Format › COFF File Header",
        PePart::Optional => "PE Format › Optional Header",
        PePart::Directories | PePart::Directory(_) => "PE Format › Optional Header Data Directories",
        PePart::Sections | PePart::Section(_) => "PE Format › Section Table (Section Headers)",
        PePart::Debug(_) | PePart::DebugDirectory => "PE-COFF › Debug Directory",
        _ => "PE Format",
    }
}

fn of_table(table: TableId) -> &'static str {
    if table.is_debug() {
        return match table {
            TableId::DOCUMENT => "Portable PDB › Document Table: 0x30",
            TableId::METHOD_DEBUG_INFORMATION => "Portable PDB › MethodDebugInformation Table: 0x31",
            TableId::LOCAL_SCOPE => "Portable PDB › LocalScope Table: 0x32",
            TableId::LOCAL_VARIABLE => "Portable PDB › LocalVariable Table: 0x33",
            TableId::LOCAL_CONSTANT => "Portable PDB › LocalConstant Table: 0x34",
            TableId::IMPORT_SCOPE => "Portable PDB › ImportScope Table: 0x35",
            TableId::STATE_MACHINE_METHOD => "Portable PDB › StateMachineMethod Table: 0x36",
            _ => CUSTOM,
        };
    }
    match table {
        TableId::MODULE => "ECMA-335 II.22.30",
        TableId::TYPE_REF => "ECMA-335 II.22.38",
        TableId::TYPE_DEF => "ECMA-335 II.22.37",
        TableId::FIELD => "ECMA-335 II.22.15",
        TableId::METHOD_DEF => "ECMA-335 II.22.26",
        TableId::MEMBER_REF => "ECMA-335 II.22.25",
        TableId::STAND_ALONE_SIG => "ECMA-335 II.22.36",
        TableId::TYPE_SPEC => "ECMA-335 II.22.39",
        TableId::METHOD_SPEC => "ECMA-335 II.22.29",
        _ => "ECMA-335 II.22",
    }
}
