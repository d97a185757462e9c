//! One-line descriptions of the records of streams.

use crate::stream::{PartKind, PdbView, StreamPart};
use pdblens_formats::bytes::{Slice, Span};
use pdblens_formats::codeview::c13::LinesHeader;
use pdblens_formats::codeview::c13::SUBSECTION_HEADER;
use pdblens_formats::codeview::{Leaf, c13, symbols as native_symbols};
use pdblens_formats::managed::symbols::ManagedSymbol;
use pdblens_formats::metadata::Token;
use pdblens_formats::pdb::StreamKind;
use pdblens_formats::pdb::dbi::Contributions;
use pdblens_session::text::cpp_types;
use pdblens_session::text::safe::{count, utf8};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Symbols and lines of modules.
    Modules,
    /// Types and ids, and the hashes that find them.
    Types,
    /// Global and public symbols, and the hashes that find them.
    Symbols,
    /// Identity of the file, and its modules.
    Information,
    /// Streams with a name.
    Named,
    /// Nothing says.
    Unknown,
}

impl Family {
    pub const ALL: [Self; 6] =
        [Self::Modules, Self::Types, Self::Symbols, Self::Information, Self::Named, Self::Unknown];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Modules => "modules",
            Self::Types => "types",
            Self::Symbols => "symbols",
            Self::Information => "information",
            Self::Named => "named",
            Self::Unknown => "unknown",
        }
    }
}

impl PdbView<'_> {
    pub fn family(&self, stream: u32) -> Family {
        match self.pdb.kind_of(stream) {
            StreamKind::Module(_) => Family::Modules,
            StreamKind::Types | StreamKind::Ids | StreamKind::TypeHashes | StreamKind::IdHashes => Family::Types,
            StreamKind::Globals | StreamKind::Publics | StreamKind::SymbolRecords => Family::Symbols,
            StreamKind::OldDirectory | StreamKind::Info | StreamKind::Dbi | StreamKind::Debug(_) => Family::Information,
            StreamKind::Named(_) => Family::Named,
            StreamKind::Unknown => Family::Unknown,
        }
    }

    /// The pages of the directory, of its page list, and the first: those that only the file itself needs.
    pub fn own_pages(&self) -> Vec<u32> {
        let msf = &self.pdb.msf;
        let page_size = u64::from(msf.page_size()).max(1);
        let spans = [msf.directory, msf.page_list].into_iter().filter(|space| *space != msf.file);
        let pieces = spans.filter_map(|space| self.span_of(space)).flat_map(|span| self.spaces.resolve(span));
        let pages = pieces.flat_map(|piece| {
            let Span { start, len, .. } = piece.span;
            start.checked_div(page_size).unwrap_or_default()..(start + len).div_ceil(page_size)
        });
        pages.filter_map(|page| u32::try_from(page).ok()).chain([0]).collect()
    }

    /// Content of a part, cut to a line. `slice` is its bytes, of stream `stream`.
    pub(crate) fn part_text(&self, stream: u32, part: StreamPart, slice: Slice<'_>) -> String {
        match part.kind {
            PartKind::Module(number) => self.module_name(number),
            PartKind::Contribution => {
                let found = Contributions::decode_record(&mut slice.cursor());
                found.map_or(String::new(), |found| {
                    let name = self.module_name(u32::from(found.module));
                    format!("{}:{:08x}+{:x}  {name}", found.section, found.offset, found.size)
                })
            }
            PartKind::Type(number) => self.type_text(stream, number),
            PartKind::Symbol(kind) => self.symbol_text(kind, slice),
            PartKind::Subsection(c13::LINES) => {
                let header = LinesHeader::decode(&mut slice.rest(SUBSECTION_HEADER).cursor());
                header.map_or(String::new(), |header| {
                    format!("{}:{:08x}+{:x}", header.section, header.offset, header.size)
                })
            }
            PartKind::ImageSection => {
                let found = pdblens_formats::pe::SectionHeader::decode(&mut slice.cursor());
                found.map_or(String::new(), |found| format!("{} at {:#x}", found.name.to_text(), found.virtual_address))
            }
            PartKind::Info => count(self.pdb.info.names.len() as u64, "named stream"),
            PartKind::Names if stream == pdblens_formats::pdb::streams::DBI => "edit and continue".to_owned(),
            PartKind::Names => count(u64::from(self.pdb.names.count), "string"),
            PartKind::HeaderBlock => count(self.pdb.header_block.headers.len() as u64, "source file"),
            PartKind::Text => utf8(slice.data).chars().take(200).collect(),
            kind => self.table_text(kind, slice),
        }
    }

    fn type_text(&self, stream: u32, number: u32) -> String {
        let Some((native, names)) = self.native.zip(self.type_names()) else { return String::new() };
        let is_id = stream == pdblens_formats::pdb::streams::IPI;
        let types = if is_id { native.ids(self.pdb, self.spaces) } else { native.types(self.pdb, self.spaces) };
        let Some(record) = types.get(number) else { return String::new() };
        let name = if is_id { names.of_id(number) } else { names.of(number) };
        let kind = record.read().map_or("", |data| cpp_types::kind(record.kind, &data));
        match name.as_str() {
            "?" => kind.to_owned(),
            name => format!("{kind}  {name}"),
        }
    }

    /// Name of a symbol, and the thing that it names.
    pub fn symbol_text(&self, kind: u16, slice: Slice<'_>) -> String {
        let text = |slice: Slice<'_>| utf8(slice.data).into_owned();
        match ManagedSymbol::decode(&mut slice.cursor()) {
            Ok(ManagedSymbol::Procedure(found)) => {
                let token = self.pdb.image_token(self.spaces, found.token);
                let is_mapped = token != found.token;
                let mapped = if is_mapped { format!(" → {}", Token(token)) } else { String::new() };
                format!("{}  {}{mapped}", text(found.name), Token(found.token))
            }
            Ok(ManagedSymbol::Slot(found)) => format!("{}  slot {}", text(found.name), found.index),
            Ok(ManagedSymbol::Constant(found)) => format!("{} = {}", text(found.name), leaf_text(found.value.value)),
            Ok(ManagedSymbol::Namespace(name)) => text(name),
            Ok(ManagedSymbol::Oem(oem)) => pdblens_session::text::safe::utf16(oem.name.data),
            Ok(ManagedSymbol::Reference(found)) if self.native.is_none() => {
                // Modules count from 1 there; 0 is none.
                let module = found.module.checked_sub(1).map_or_else(|| "none".to_owned(), |module| module.to_string());
                format!("{}  module {module}", text(found.name))
            }
            Ok(ManagedSymbol::Public(found)) if self.native.is_none() => {
                format!("{}  {}", text(found.name), Token(found.offset))
            }
            _ => self.native_text(kind, slice),
        }
    }

    fn native_text(&self, kind: u16, slice: Slice<'_>) -> String {
        let Ok(found) = native_symbols::Symbol::decode(&mut slice.cursor()) else { return String::new() };
        let mut words = vec![utf8(found.name.data).into_owned()];
        if let (Some(names), true) = (self.type_names(), found.of > 0) {
            words.push(if found.is_id() { names.of_id(found.of) } else { names.of(found.of) });
        }
        if let Some(value) = found.value {
            words.push(format!("= {}", leaf_text(value)));
        }
        if found.section > 0 && native_symbols::columns(kind).iter().any(|column| column.doc.name == "section") {
            words.push(format!("{}:{:08x}", found.section, found.offset));
        }
        words.retain(|word| !word.is_empty() && word != "?");
        words.join("  ")
    }
}

pub fn leaf_text(leaf: Leaf<'_>) -> String {
    match leaf {
        Leaf::Signed(number) => number.to_string(),
        Leaf::Unsigned(number) => number.to_string(),
        Leaf::Single(bits) => f32::from_bits(bits).to_string(),
        Leaf::Double(bits) | Leaf::Date(bits) => f64::from_bits(bits).to_string(),
        Leaf::Text(text) => format!("{:?}", utf8(text.data)),
        Leaf::Decimal(found) => format!("{} ÷ 10^{}", found.bits, found.scale),
        Leaf::Other(kind, _) => format!("({kind:#06x})"),
    }
}
