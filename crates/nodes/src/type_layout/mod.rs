//! Layout of an object of a native class, structure or union: its members in the order of their offsets, with bases unfolded
//! and with the bytes that belong to none of them.

mod vtable;

use crate::native::NativeView;
use crate::place::Place;
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::Leaf;
use pdblens_formats::codeview::types::{Member, Property, TypeData, kind_name};
use pdblens_formats::pdb::TypeStream;
use pdblens_session::text::cpp_types::{self, TypeNames};
use pdblens_session::text::safe::utf8;
use vtable::Virtual;

const MAX_ROWS: usize = 5_000;
/// Bases in bases that are unfolded.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Debug, Default)]
pub struct TypeLayout {
    pub number: u32,
    pub name: String,
    /// Keyword: `struct`, `class`, `union`.
    pub keyword: &'static str,
    /// Size of an object in bytes.
    pub size: u64,
    /// Parts of an object, in the order of the offsets; virtual functions and static members after that.
    pub rows: Vec<LayoutRow>,
    pub error: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutRow {
    pub kind: LayoutKind,
    /// Number of bases around it.
    pub depth: u8,
    /// Offset in the object in bytes; of a virtual function, in its table. `None` if the symbols do not record it.
    pub offset: Option<u64>,
    /// Offset in the object of the pointer to that table, where the object has several.
    pub table: Option<u64>,
    /// Size in bytes.
    pub size: Option<u64>,
    /// First bit and number of bits of a bit field.
    pub bits: Option<(u8, u8)>,
    /// Type index; 0 for none.
    pub of: u32,
    pub name: String,
    pub span: Option<Span>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LayoutKind {
    #[default]
    Member,
    Base,
    VirtualBase,
    TablePointer,
    /// Pointer to the table of virtual bases.
    BasePointer,
    /// Bytes between two members that belong to none.
    Hole,
    /// Bits of a bit field's integer that belong to none.
    UnusedBits,
    Padding,
    /// Virtual bases of the object and what aligns them, whose offsets are in a table of the image.
    VirtualBases,
    VirtualFunction,
    PureVirtualFunction,
    /// Made by the compiler: it calls the destructor whose slot it fills, and frees the object.
    DeletingDestructor,
    Static,
}

impl LayoutKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Base => "base",
            Self::VirtualBase => "virtual base",
            Self::TablePointer => "vtable pointer",
            Self::BasePointer => "virtual base table pointer",
            Self::Hole => "hole",
            Self::UnusedBits => "unused bits",
            Self::Padding => "padding",
            Self::VirtualBases => "virtual bases",
            Self::VirtualFunction => "virtual function",
            Self::PureVirtualFunction => "pure virtual function",
            Self::DeletingDestructor => "deleting destructor",
            Self::Static => "static member",
        }
    }

    /// Returns true for what is in a virtual function table.
    pub const fn is_virtual(self) -> bool {
        matches!(self, Self::VirtualFunction | Self::PureVirtualFunction | Self::DeletingDestructor)
    }

    /// Returns true for bytes or bits that belong to no member.
    pub(crate) const fn is_unused(self) -> bool {
        matches!(self, Self::Hole | Self::UnusedBits | Self::Padding)
    }
}

impl TypeLayout {
    /// Layout of a class, structure or union, by the number of its record or of a forward reference to it.
    pub fn of(native: NativeView<'_>, number: u32) -> Option<Self> {
        let types = native.types(false);
        let (number, class) = definition(types, number)?;
        let names = native.view.type_names()?;
        let machine = native.view.pdb.dbi.as_ref().map_or(0, |dbi| dbi.header.machine);
        let pointer = if machine == 0x014c { 4 } else { 8 };
        let (rows, virtuals, statics, open) = (Vec::new(), Vec::new(), Vec::new(), vec![number]);
        let mut builder = Builder { types, names, pointer, rows, virtuals, statics, open };
        let error = builder.class(&class, 0, 0);
        let Builder { mut rows, virtuals, statics, .. } = builder;
        rows.extend(vtable::rows(names, &virtuals));
        rows.extend(statics);
        let record = types.get(number)?;
        let keyword = record.read().map_or("", |data| cpp_types::kind(record.kind, &data));
        Some(Self { number, name: names.of(number), keyword, size: class.size, rows, error })
    }

    /// Bytes of all rows of a kind, and the number of those rows.
    pub fn total(&self, kind: LayoutKind) -> (u64, usize) {
        let rows = self.rows.iter().filter(|row| row.kind == kind);
        rows.fold((0, 0), |(bytes, count), row| (bytes.saturating_add(row.size.unwrap_or(0)), count + 1))
    }
}

/// Number of the record that defines a class, structure or union; `None` for another type, or without a definition.
pub(super) fn definition_of(native: NativeView<'_>, number: u32) -> Option<u32> {
    definition(native.types(false), number).map(|(number, _)| number)
}

/// A class, structure or union that is defined.
#[derive(Clone, Copy)]
struct Class {
    number: u32,
    fields: u32,
    size: u64,
    is_union: bool,
}

fn definition(types: &TypeStream, number: u32) -> Option<(u32, Class)> {
    let mut number = number;
    for _ in 0..2 {
        let data = types.get(number)?.read().ok()?;
        if data.property().is_some_and(Property::is_forward) {
            number = types.definition_of(&data)?;
            continue;
        }
        let (fields, is_union) = match data {
            TypeData::Class { fields, .. } => (fields, false),
            TypeData::Union { fields, .. } => (fields, true),
            _ => return None,
        };
        return Some((number, Class { number, fields, size: data.size()?, is_union }));
    }
    None
}

struct Builder<'t> {
    types: &'t TypeStream,
    names: TypeNames<'t>,
    /// Size of a pointer.
    pointer: u64,
    rows: Vec<LayoutRow>,
    virtuals: Vec<Virtual>,
    statics: Vec<LayoutRow>,
    /// The classes that are being added, the outermost first.
    open: Vec<u32>,
}

/// A bit field's integer, whose fields are next to each other.
struct Unit {
    offset: u64,
    bits: u64,
    used: u64,
}

impl Builder<'_> {
    /// Adds the parts of a class that begins at an offset of the object; returns the error that ended its members.
    fn class(&mut self, class: &Class, at: u64, depth: usize) -> Option<String> {
        let (members, error) = if class.fields == 0 { Default::default() } else { self.types.members(class.fields) };
        let mut parts: Vec<LayoutRow> = Vec::new();
        for member in members.iter().take(MAX_ROWS) {
            self.add(member, depth, &mut parts);
        }
        Self::drop_inherited_pointers(&mut parts);
        parts.sort_by_key(|row| (row.offset.unwrap_or(u64::MAX), row.bits));
        let has_virtual_bases = parts.iter().any(|row| row.kind == LayoutKind::VirtualBase);
        let (mut end, mut unit) = (Some(0_u64), None);
        for mut part in parts {
            if self.rows.len() >= MAX_ROWS {
                break;
            }
            let Some(offset) = part.offset else {
                self.rows.push(part);
                continue;
            };
            self.end_unit(&mut unit, Some(&part), at, depth);
            if let Some(before) = end.filter(|before| *before < offset && !class.is_union) {
                self.unused(LayoutKind::Hole, at.saturating_add(before), offset.saturating_sub(before), depth);
            }
            if let (Some((first, len)), Some(size), false) = (part.bits, part.size, class.is_union) {
                let unit = unit.get_or_insert(Unit { offset, bits: size.saturating_mul(8), used: 0 });
                unit.used = unit.used.saturating_add(u64::from(len).min(64_u64.saturating_sub(first.into())));
            }
            let part_end = part.size.and_then(|size| offset.checked_add(size));
            end = end.zip(part_end).map(|(end, part)| end.max(part));
            let start = at.saturating_add(offset);
            part.offset = Some(start);
            let base = if part.kind == LayoutKind::Base { definition(self.types, part.of) } else { None };
            self.rows.push(part);
            if let Some((_, base)) = base.filter(|(_, base)| self.is_unfolded(base)) {
                self.open.push(base.number);
                self.class(&base, start, depth.saturating_add(1));
                self.open.pop();
            }
        }
        self.end_unit(&mut unit, None, at, depth);
        if let Some(end) = end.filter(|end| *end < class.size) {
            let kind = if has_virtual_bases { LayoutKind::VirtualBases } else { LayoutKind::Padding };
            self.unused(kind, at.saturating_add(end), class.size.saturating_sub(end), depth);
        }
        let ends = at.saturating_add(class.size.max(1));
        let pointers = self.rows.iter().filter(|row| row.kind == LayoutKind::TablePointer).filter_map(|row| row.offset);
        let table = pointers.filter(|offset| (at..ends).contains(offset)).min();
        vtable::add(&mut self.virtuals, self.types, class.number, &members, table);
        error.map(|error| error.to_string())
    }

    /// Adds a row for bytes that belong to no member.
    fn unused(&mut self, kind: LayoutKind, offset: u64, size: u64, depth: usize) {
        let (offset, size) = (Some(offset), Some(size));
        self.rows.push(LayoutRow { kind, depth: depth as u8, offset, size, ..LayoutRow::default() });
    }

    /// Ends the integer of bit fields where `next` is in another one.
    fn end_unit(&mut self, unit: &mut Option<Unit>, next: Option<&LayoutRow>, at: u64, depth: usize) {
        let goes_on = |unit: &Unit| next.is_some_and(|row| row.bits.is_some() && row.offset == Some(unit.offset));
        let Some(ended) = unit.take_if(|unit| !goes_on(unit)) else { return };
        let left = ended.bits.saturating_sub(ended.used);
        if left > 0 {
            let bits = Some((ended.used.min(255) as u8, left.min(255) as u8));
            let offset = Some(at.saturating_add(ended.offset));
            let row =
                LayoutRow { kind: LayoutKind::UnusedBits, depth: depth as u8, offset, bits, ..LayoutRow::default() };
            self.rows.push(row);
        }
    }

    /// Returns whether the members of a base are listed: an empty base takes no room.
    fn is_unfolded(&self, base: &Class) -> bool {
        let has_parts = || {
            let (members, _) = self.types.members(base.fields);
            let is_part = |kind: u16| matches!(kind_name(kind), Some("LF_MEMBER" | "LF_BCLASS" | "LF_VFUNCTAB"));
            members.iter().any(|member| is_part(member.kind))
        };
        self.open.len() < MAX_DEPTH && !self.open.contains(&base.number) && (base.size > 1 || has_parts())
    }

    /// Adds the parts that a member is; offsets count from the start of its class.
    fn add(&mut self, member: &Member<'_>, depth: usize, parts: &mut Vec<LayoutRow>) {
        let mut row = LayoutRow {
            depth: depth as u8,
            offset: member.value.and_then(number),
            of: member.of,
            name: utf8(member.name.data).into_owned(),
            span: Some(member.slice.span()),
            ..LayoutRow::default()
        };
        match kind_name(member.kind).unwrap_or_default() {
            "LF_MEMBER" => {
                row.size = self.names.size_of(member.of);
                let data = self.types.get(member.of).and_then(|record| record.read().ok());
                if let Some(TypeData::BitField { of, length, position }) = data {
                    (row.size, row.bits) = (self.names.size_of(of), Some((position, length)));
                }
                parts.push(row);
            }
            "LF_BCLASS" | "LF_BINTERFACE" => {
                (row.kind, row.name) = (LayoutKind::Base, self.names.of(member.of));
                row.size = self.names.size_of(member.of);
                parts.push(row);
            }
            "LF_VBCLASS" | "LF_IVBCLASS" => {
                let pointer =
                    LayoutRow { kind: LayoutKind::BasePointer, of: 0, size: Some(self.pointer), ..row.clone() };
                // Virtual bases of a class share the pointer.
                if !parts.iter().any(|part| part.kind == pointer.kind && part.offset == pointer.offset) {
                    parts.push(pointer);
                }
                (row.kind, row.offset, row.name) = (LayoutKind::VirtualBase, None, self.names.of(member.of));
                row.size = self.names.size_of(member.of);
                parts.push(row);
            }
            "LF_VFUNCTAB" | "LF_VFUNCOFF" => {
                row.offset = row.offset.or(Some(0));
                (row.kind, row.size) = (LayoutKind::TablePointer, Some(self.pointer));
                parts.push(row);
            }
            "LF_STMEMBER" => {
                (row.kind, row.offset) = (LayoutKind::Static, None);
                if depth == 0 {
                    self.statics.push(row);
                }
            }
            _ => {}
        }
    }

    /// Drops pointers that a base has already.
    fn drop_inherited_pointers(parts: &mut Vec<LayoutRow>) {
        let range = |row: &LayoutRow| Some(row.offset?..row.offset?.saturating_add(row.size?));
        let bases: Vec<_> = parts.iter().filter(|row| row.kind == LayoutKind::Base).filter_map(range).collect();
        parts.retain(|row| {
            let is_pointer = matches!(row.kind, LayoutKind::BasePointer | LayoutKind::TablePointer);
            !is_pointer || !bases.iter().any(|base| row.offset.is_some_and(|offset| base.contains(&offset)))
        });
    }
}

/// Value of a leaf that is an offset.
fn number(leaf: Leaf<'_>) -> Option<u64> {
    match leaf {
        Leaf::Unsigned(number) => Some(number),
        Leaf::Signed(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// Layout of a type where it has one; else its record.
pub(crate) fn place_of(native: NativeView<'_>, number: u32) -> Option<Place> {
    let layout = definition_of(native, number).map(Place::TypeLayout);
    layout.or_else(|| native.view.type_place(number, false))
}
