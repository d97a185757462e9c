//! Section contributions: bytes of the image by the module that they come from, and what each places there: machine code, constants,
//! pointers, unwind information.
//!
//! The contributions of a PDB list the bytes of each section by the module that they come from, so that what no symbol describes still
//! has an owner. Public symbols divide them into parts; base relocations and the exception table identify data.

use crate::fields::{Fields, Meaning};
use crate::kind::Kind;
use crate::module;
use crate::native::{NativeView, function_at, name_or_address, rva_text, symbols_index};
use crate::owner::{OwnerSearch, Turn};
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use pdblens_formats::bytes::{Cursor, Field, Recording, Result, Span, fields, is_inside};
use pdblens_formats::pdb::streams;
use pdblens_formats::pe::relocations::relocated;
use pdblens_formats::pe::unwind::unwind_info;
use pdblens_formats::pe::{Exceptions, Pe};
use pdblens_formats::serialize::some_hexadecimal;
use pdblens_machine::{Machine, is_filler};
use pdblens_session::session::Session;
use pdblens_session::text::demangle::readable;
use pdblens_session::text::safe::{count, utf8};
use std::sync::OnceLock;

pub(crate) const CONTRIBUTIONS: Kind = Kind {
    listed: |_| vec![Place::Contributions],
    rows: |session, ()| contributions_rows(session),
    row_of: |session, place, ()| match place {
        Place::Contribution(number) => Some(number as usize),
        Place::Record(streams::DBI, at) => {
            let contributions = &PdbView::of(session)?.pdb.dbi.as_ref()?.contributions;
            let first = contributions.span(0)?;
            let row = u64::from(at).checked_sub(first.start)?.checked_div(first.len)?;
            contributions.span(row).filter(|span| span.start == u64::from(at)).map(|_| row as usize)
        }
        _ => None,
    },
    summary: |session, ()| module::debug_information_facts(session, Place::Contributions),
    bytes: |session, ()| Some(PdbView::of(session)?.pdb.dbi.as_ref()?.contributions.region.span()),
    ..Kind::NEW
};

pub(crate) fn contributions_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    view.pdb.dbi.as_ref()?;
    let columns = Head::list(["rva:", "section", "bytes:", "module"]);
    let len = contribution_count(session);
    Some(Rows::new(count(len, "section contribution"), columns, len as usize, move |index| {
        let Some(found) = contribution_at(session, index as u32) else { return Row::default() };
        let (ContributionDetails { rva, span, .. }, module) = (found, u32::from(found.module));
        let address = Cell::toned(rva_text(rva), Tone::Dim);
        let cells = vec![
            if has_bytes(session, rva, found.size) { address.to(Place::Contribution(index as u32)) } else { address },
            Cell::new(format!("{}:{:08x}", found.section, found.offset)),
            Cell::new(found.size.to_string()),
            Cell::new(view.module_name(module)).to(Place::Module(module)),
        ];
        Row::at(Place::Record(streams::DBI, span.start as u32), cells).from(span)
    }))
}

/// A range of the image, and the module that it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "contribution"))]
pub struct ContributionDetails {
    /// Section, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    /// Address in the image; `None` for code that was removed from it, and for managed code.
    #[serde(rename = "address", serialize_with = "some_hexadecimal", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::Address>"))]
    pub rva: Option<u32>,
    /// Bytes of the range.
    pub size: u32,
    /// Module, from 0.
    pub module: u16,
    /// Characteristics of the section, as in an image.
    pub characteristics: u32,
    /// Bytes of the record.
    pub span: Span,
}

/// Returns true if the image has bytes at an address, which it has not for data that begins as zeros.
pub(crate) fn has_bytes(session: &Session, rva: Option<u32>, size: u32) -> bool {
    let image = session.image().zip(rva);
    size > 0 && image.is_some_and(|(image, rva)| image.pe.at_rva(rva, size).is_ok())
}

pub fn contribution_count(session: &Session) -> u64 {
    let all = PdbView::of(session).and_then(|view| Some(&view.pdb.dbi.as_ref()?.contributions));
    all.map_or(0, pdblens_formats::pdb::dbi::Contributions::len)
}

/// The contribution at a position of the DBI stream, from 0.
pub(crate) fn contribution_at(session: &Session, index: u32) -> Option<ContributionDetails> {
    let view = PdbView::of(session)?;
    let all = &view.pdb.dbi.as_ref()?.contributions;
    let (found, span) = (all.get(index.into())?, all.span(index.into())?);
    Some(ContributionDetails {
        section: found.section,
        offset: found.offset,
        rva: view.rva(found.section, found.offset),
        size: found.size,
        module: found.module,
        characteristics: found.characteristics,
        span,
    })
}

/// The stream of the module that a contribution is of; `None` for another place.
pub fn module_stream(session: &Session, place: Place) -> Option<u32> {
    let Place::Contribution(index) = place else { return None };
    let module = contribution_at(session, index)?.module;
    PdbView::of(session)?.pdb.modules().get(usize::from(module))?.stream()
}

/// The section contributions, in the order of the DBI stream.
pub fn contribution_list(session: &Session) -> impl Iterator<Item = ContributionDetails> {
    (0..contribution_count(session) as u32).filter_map(move |index| contribution_at(session, index))
}

/// Bytes between contributions of one module that align the second.
const MAX_ALIGNED: u64 = 64;

/// Stretches of the image by the module that they come from, with the number of their first contribution, in the order of the file.
pub(crate) fn stretches(session: &Session) -> Vec<(Span, u32, u16)> {
    let Some(image) = session.image() else { return Vec::new() };
    let numbered = (0..contribution_count(session) as u32)
        .filter_map(|index| contribution_at(session, index).map(|found| (index, found)));
    let in_file = |(index, found): (u32, ContributionDetails)| {
        let span = image.pe.span_at_rva(found.rva?, found.size).ok().filter(|span| !span.is_empty())?;
        Some((span, index, found.module))
    };
    let mut all: Vec<_> = numbered.filter_map(in_file).collect();
    all.sort_by_key(|(span, ..)| span.start);
    all.dedup_by(|(next, _, module), (last, _, before)| {
        let is_next = module == before && next.space == last.space && next.start <= last.end() + MAX_ALIGNED;
        if is_next && next.end() > last.end() {
            *last = last.to(*next);
        }
        is_next
    });
    all
}

const CODE_SECTION: u32 = 0x20;
const MAX_SEARCHED: u64 = 1 << 14;
/// Beginning of the decorated name of a string literal.
const STRING_LITERAL: &[u8] = b"??_C@_0";

fields! {
    /// Bytes of a section that come from one module.
    RECORD: "contribution";
    /// Instructions that no function of the symbols has, up to the next symbol.
    CODE: "machine code";
    /// Instructions of a function.
    FUNCTION: "function";
    /// Instructions that do nothing or trap, or zeros, which align what follows.
    FILLER: "padding";
    /// An address, which the loader adjusts by a base relocation if the image is loaded elsewhere.
    POINTER: "pointer" as Hex;
    /// The characters of a string literal, up to the NUL.
    STRING: "string literal";
    /// A constant that a public symbol names.
    CONSTANT: "constant";
    /// Bytes that no symbol names.
    DATA: "data";
}

pub(crate) const CONTRIBUTION: Kind<u32> = Kind {
    owners: &[(Turn::Gaps, owners)],
    exists: |session, index| {
        contribution_at(session, index).is_some_and(|found| has_bytes(session, found.rva, found.size))
    },
    fields: |session, index| {
        let (found, image) = (contribution_at(session, index)?, &session.image()?.pe);
        if found.size == 0 {
            return None;
        }
        let rva = found.rva?;
        let bytes = image.at_rva(rva, found.size).ok()?;
        let parts = parts(session, &found, rva, bytes.data)?;
        let wide = image.optional.as_ref().is_some_and(|optional| optional.is_wide);
        let decode = |c: &mut Cursor<'_, Recording>| {
            c.group(&RECORD, |c| parts.iter().try_for_each(|(part, len)| read(c, *part, *len, wide)))
        };
        let base = image.image_base();
        let start = bytes.start;
        Some(Fields::explain(Place::Contribution(index).to_string(), bytes, decode, |_, field| {
            meaning(session, field, rva.saturating_add(field.span.start.saturating_sub(start) as u32), base)
        }))
    },
    ..Kind::NEW
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContentPart {
    Function,
    Code,
    Filler,
    Pointer,
    String,
    Constant,
    Unwind,
    Data,
}

fn read(c: &mut Cursor<'_, Recording>, part: ContentPart, len: u64, wide: bool) -> Result<()> {
    match part {
        ContentPart::Function => c.bytes(&FUNCTION, len).map(drop),
        ContentPart::Code => c.bytes(&CODE, len).map(drop),
        ContentPart::Filler => c.bytes(&FILLER, len).map(drop),
        ContentPart::Pointer if wide => c.u64(&POINTER).map(drop),
        ContentPart::Pointer => c.u32(&POINTER).map(drop),
        ContentPart::String => c.text_z(&STRING).map(drop),
        ContentPart::Constant => c.bytes(&CONSTANT, len).map(drop),
        ContentPart::Unwind => c.within(len, unwind_info),
        ContentPart::Data => c.bytes(&DATA, len).map(drop),
    }
}

fn meaning(session: &Session, field: &Field, rva: u32, base: u64) -> Option<Meaning> {
    let to = |rva: u32| {
        let text = name_or_address(session, rva);
        match function_at(session, rva) {
            Some(_) => Meaning::to(text, Place::Function(rva)),
            None => Meaning::text(text),
        }
    };
    match field.name() {
        "function" => Some(to(rva)),
        "machine code" | "constant" | "string literal" => Some(Meaning::text(public_name(session, rva)?)),
        "pointer" => {
            let target = u32::try_from(field.value.number()?.cast_unsigned().checked_sub(base)?).ok()?;
            Some(to(target))
        }
        _ => None,
    }
}

fn public_name(session: &Session, rva: u32) -> Option<String> {
    let native = NativeView::of(session)?;
    let at = native.addresses().section_offset(rva)?;
    let symbol = native.globals().public_at(at)?;
    ((symbol.section, symbol.offset) == at).then(|| readable(&utf8(symbol.name.data)))
}

/// Parts of a contribution, in the order of its bytes, with their sizes.
fn parts(session: &Session, found: &ContributionDetails, rva: u32, bytes: &[u8]) -> Option<Vec<(ContentPart, u64)>> {
    let (native, image) = (NativeView::of(session)?, &session.image()?.pe);
    let mut parts: Vec<(ContentPart, u64)> = Vec::new();
    let is_code = found.characteristics & CODE_SECTION != 0;
    let walk = Walk { native, image, rva, bytes, section: found.section, offset: found.offset };
    let marks = if is_code { Marks::default() } else { Marks::of(session, image, rva, bytes.len() as u32) };
    let (mut at, mut end) = (0, 0);
    while at < bytes.len() {
        let (part, len) = if is_code { walk.code(at) } else { walk.data(at, &marks, &mut end) };
        let len = len.clamp(1, bytes.len().saturating_sub(at));
        parts.push((part, len as u64));
        at += len;
    }
    Some(parts)
}

/// Pointers and unwind information in a range, by base relocations and the exception table: offsets in it.
#[derive(Debug, Default)]
struct Marks {
    pointers: Vec<u32>,
    unwind: Vec<u32>,
}

/// Marks of the whole image in the order of their RVAs: each contribution has a range of them.
#[derive(Debug, Default)]
struct ImageMarks(OnceLock<Marks>);

impl Marks {
    fn of_image(image: &Pe) -> Self {
        let table = if image.machine() == 0x8664 { Exceptions::of(image) } else { None };
        let entries = table.iter().flat_map(|table| (0..table.len()).filter_map(|index| table.get(index).ok()));
        let mut marks = Self {
            pointers: relocated(image).collect(),
            unwind: entries.filter_map(|entry| entry.unwind_rva).collect(),
        };
        marks.pointers.sort_unstable();
        marks.unwind.sort_unstable();
        marks
    }

    fn of(session: &Session, image: &Pe, rva: u32, len: u32) -> Self {
        let all = session.cache().get::<ImageMarks>().0.get_or_init(|| Self::of_image(image));
        let inside = |all: &[u32]| {
            let rest = all.get(all.partition_point(|at| *at < rva)..).unwrap_or_default();
            rest.iter().map(|at| at.saturating_sub(rva)).take_while(|at| *at < len).collect()
        };
        Self { pointers: inside(&all.pointers), unwind: inside(&all.unwind) }
    }
}

struct Walk<'s> {
    native: NativeView<'s>,
    image: &'s Pe,
    rva: u32,
    bytes: &'s [u8],
    section: u16,
    offset: u32,
}

impl Walk<'_> {
    /// RVA of an offset of the contribution. A damaged section header may put its end beyond 32 bits.
    fn rva(&self, at: usize) -> u32 {
        self.rva.saturating_add(at as u32)
    }

    /// The same address in its section, as records of the PDB give it.
    fn in_section(&self, at: usize) -> u32 {
        self.offset.saturating_add(at as u32)
    }

    /// Row of the last public symbol at or before an offset of the contribution.
    fn public(&self, at: usize) -> Option<u32> {
        self.native.globals().public_row_at((self.section, self.in_section(at)))
    }

    /// Bytes from `at` up to where `ends` is true, or the next public symbol begins.
    fn until(&self, at: usize, ends: impl Fn(usize) -> bool) -> usize {
        let public = self.public(at);
        let mut behind = at + 1..self.bytes.len();
        let end = behind.find(|next| ends(*next) || self.public(*next) != public);
        end.unwrap_or(self.bytes.len()).saturating_sub(at)
    }

    fn code(&self, at: usize) -> (ContentPart, usize) {
        let rva = self.rva(at);
        if let Some(function) = self.native.function_at(rva) {
            let start = self.native.rva_of(&function).unwrap_or(rva);
            return (ContentPart::Function, start.saturating_add(function.len).saturating_sub(rva) as usize);
        }
        let len = self.until(at, |next| self.native.function_at(self.rva(next)).is_some());
        let bytes = self.bytes.get(at..at + len).unwrap_or_default();
        let machine = Machine::of(self.image.machine());
        let fills = machine.is_some_and(|machine| is_filler(machine, bytes));
        (if fills { ContentPart::Filler } else { ContentPart::Code }, len)
    }

    /// The part of data at an offset. `end` is that of the bytes without a mark or a symbol that were found last: a pool of strings has many
    /// parts before it.
    fn data(&self, at: usize, marks: &Marks, end: &mut usize) -> (ContentPart, usize) {
        let mark = |at: usize| {
            marks.pointers.binary_search(&(at as u32)).is_ok() || marks.unwind.binary_search(&(at as u32)).is_ok()
        };
        if marks.pointers.binary_search(&(at as u32)).is_ok() {
            let wide = self.image.optional.as_ref().is_some_and(|optional| optional.is_wide);
            return (ContentPart::Pointer, if wide { 8 } else { 4 });
        }
        let rest = self.bytes.get(at..).unwrap_or_default();
        if marks.unwind.binary_search(&(at as u32)).is_ok() {
            let codes = usize::from(rest.get(2).copied().unwrap_or(0));
            let len = codes.next_multiple_of(2) * 2 + 4;
            return if len <= rest.len() { (ContentPart::Unwind, len) } else { (ContentPart::Data, rest.len()) };
        }
        if *end <= at {
            *end = at + self.until(at, mark);
        }
        let len = end.saturating_sub(at);
        let bytes = rest.get(..len).unwrap_or_default();
        let row = self.public(at);
        let begins = at == 0 || self.public(at - 1) != row;
        let record = if begins { row.and_then(|row| self.native.globals().public(row)) } else { None };
        let symbol = record.and_then(|record| record.read().ok());
        let symbol = symbol.filter(|symbol| symbol.offset == self.in_section(at));
        let nul = bytes.iter().position(|byte| *byte == 0);
        let string = (ContentPart::String, nul.map_or(len, |nul| nul + 1));
        match (symbol, nul) {
            (Some(symbol), Some(_)) if symbol.name.data.starts_with(STRING_LITERAL) => string,
            (Some(_), _) => (ContentPart::Constant, len),
            (None, _) if bytes.iter().all(|byte| *byte == 0) => (ContentPart::Filler, len),
            (None, Some(nul)) if is_text(bytes.get(..nul).unwrap_or_default()) => string,
            (None, _) => (ContentPart::Data, len),
        }
    }
}

/// Returns true for three or more characters of ASCII, which a linker has merged from string literals without a symbol.
fn is_text(bytes: &[u8]) -> bool {
    bytes.len() >= 3 && bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'))
}

fn owners(search: &mut OwnerSearch<'_>) {
    if !search.is_in_image() || !search.has_index(symbols_index()) {
        return;
    }
    let session = search.session;
    let Some(image) = session.image() else { return };
    let Some(rva) = image.pe.offset_to_rva(search.byte.start) else { return };
    let has = |index: &u32| {
        let found = contribution_at(session, *index);
        found.is_some_and(|found| found.rva.is_some_and(|start| is_inside(rva, start, found.size)))
    };
    let count = contribution_count(session).min(MAX_SEARCHED);
    if let Some(index) = (0..count as u32).find(has)
        && let Some(found) = contribution_at(session, index)
        && let Some(Ok(bytes)) = found.rva.map(|rva| image.pe.at_rva(rva, found.size))
    {
        search.add(Place::Contribution(index), bytes.span());
    }
}
