//! Types and ids of native code.

use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::named::{self, NameList, Turn};
use crate::native::native_facts;
use crate::native::{NativeView, symbols_index};
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::{PdbView, leaf_text, record};
use crate::type_layout::place_of;
use pdblens_formats::codeview::types::{Member, Property, TypeData, kind_name};
use pdblens_formats::pdb::streams;
use pdblens_session::session::Session;
use pdblens_session::text::cpp_types::{self, TypeNames};
use pdblens_session::text::safe::{count, utf8};

/// Types of native code (TPI).
pub(crate) const TYPES: Kind = Kind {
    named: &[(Turn::Types, add_names)],
    listed: |_| vec![Place::Types],
    rows: |session, ()| types_rows(session, false),
    row_of: |session, place, ()| match place {
        Place::Type(number) | Place::TypeLayout(number) => row_of_number(session, number, false),
        _ => None,
    },
    summary: |session, ()| native_facts(session),
    bytes: |session, ()| PdbView::of(session)?.span(streams::TPI),
    indexes: |_, ()| vec![symbols_index()],
    ..Kind::NEW
};

/// Index of the first type that has a record.
const FIRST_INDEX: u32 = 0x1000;

pub(crate) const TYPE: Kind<u32> = Kind {
    label: |_| Label::new("type", 0),
    exists: |session, number| NativeView::of(session).is_some_and(|native| native.types(false).get(number).is_some()),
    absence: |_, number| Some(no_index("type", number)),
    rows: members_rows,
    fields: |session, number| explain_type(session, number, false),
    indexes: |_, _| vec![symbols_index()],
    ..Kind::NEW
};

fn no_index(what: &str, index: u32) -> String {
    if index < FIRST_INDEX {
        return format!("{what} {index:#x} has no record: indexes below {FIRST_INDEX:#x} are those of built-in types");
    }
    format!("there is no {what} {index:#x}: no record has this index")
}

/// Ids of native code (IPI): functions, strings, builds.
pub(crate) const IDS: Kind = Kind {
    named: &[(Turn::Types, |session, list| named::add_column(list, types_rows(session, true), "name"))],
    listed: |_| vec![Place::Ids],
    rows: |session, ()| types_rows(session, true),
    row_of: |session, place, ()| {
        if let Place::Id(number) = place { row_of_number(session, number, true) } else { None }
    },
    summary: |session, ()| native_facts(session),
    bytes: |session, ()| PdbView::of(session)?.span(streams::IPI),
    indexes: |_, ()| vec![symbols_index()],
    ..Kind::NEW
};

pub(crate) const ID: Kind<u32> = Kind {
    label: |_| Label::new("id", 2),
    exists: |session, number| NativeView::of(session).is_some_and(|native| native.types(true).get(number).is_some()),
    absence: |_, number| Some(no_index("id", number)),
    fields: |session, number| explain_type(session, number, true),
    indexes: |_, _| vec![symbols_index()],
    ..Kind::NEW
};

fn row_of_number(session: &Session, number: u32, ids: bool) -> Option<usize> {
    let types = NativeView::of(session)?.types(ids);
    number.checked_sub(types.first()).filter(|row| *row < types.len()).map(|row| row as usize)
}

pub(crate) fn types_rows(session: &Session, ids: bool) -> Option<Rows<'_>> {
    let native = NativeView::of(session)?;
    let (types, names) = (native.types(ids), native.view.type_names()?);
    let columns = Head::list(["number:", "kind", "name", "size:", "record"]);
    let title = count(types.len(), if ids { "id" } else { "type" });
    Some(Rows::new(title, columns, types.len() as usize, move |index| {
        let number = types.first().wrapping_add(index as u32);
        let place = if ids { Place::Id(number) } else { Place::Type(number) };
        let Some(record) = types.get(number) else { return Row::default() };
        let data = record.read();
        let kind = data.as_ref().map_or("broken", |data| cpp_types::kind(record.kind, data));
        let name = if ids { names.of_id(number) } else { names.of(number) };
        let size = if ids { None } else { names.size_of(number) };
        let cells = vec![
            Cell::toned(format!("{number:#x}"), Tone::Dim),
            Cell::new(kind),
            Cell::new(if name == "?" { String::new() } else { name }).to(if ids {
                place
            } else {
                place_of(native, number).unwrap_or(place)
            }),
            Cell::new(size.map_or(String::new(), |size| size.to_string())),
            Cell::toned(kind_name(record.kind).unwrap_or_default(), Tone::Dim),
        ];
        Row::at(place, cells).from(record.span())
    }))
}

/// Adds the types by name: what defines a class by its layout, and forward references after everything else.
fn add_names(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let Some(native) = NativeView::of(session) else { return Some(()) };
    let Some(names) = native.view.type_names() else { return Some(()) };
    let types = native.types(false);
    for forward in [false, true] {
        for record in types.iter() {
            let data = record.read().ok();
            let is_forward = data.as_ref().and_then(TypeData::property).is_some_and(Property::is_forward);
            if is_forward != forward {
                continue;
            }
            let has_layout = matches!(data, Some(TypeData::Class { .. } | TypeData::Union { .. })) && !forward;
            let number = record.index;
            let place = if has_layout { Place::TypeLayout(number) } else { Place::Type(number) };
            let name = names.of(number);
            if name != "?" {
                list.add(place, &name)?;
            }
        }
    }
    Some(())
}

pub(crate) fn named(native: NativeView<'_>, name: &str) -> Option<u32> {
    let is_it = |data: &TypeData<'_>| {
        let is_forward = data.property().is_some_and(Property::is_forward);
        !is_forward && data.name().is_some_and(|own| own.data == name.as_bytes())
    };
    native.types(false).iter().find(|record| record.read().is_ok_and(|data| is_it(&data))).map(|record| record.index)
}

/// The members of a type; for a type without members, the types that it refers to.
pub(crate) fn members_rows(session: &Session, number: u32) -> Option<Rows<'_>> {
    let native = NativeView::of(session)?;
    let (types, names) = (native.types(false), native.view.type_names()?);
    let list = match types.get(number)?.read().ok()? {
        TypeData::Class { fields, .. } | TypeData::Union { fields, .. } | TypeData::Enumeration { fields, .. } => {
            fields
        }
        TypeData::Fields(_) => number,
        _ => return None,
    };
    let (members, error) = if list == 0 { (Vec::new(), None) } else { types.members(list) };
    let name = Some(names.of(number)).filter(|name| name != "?").unwrap_or_else(|| format!("{number:#x}"));
    let mut title = format!("{name} · {}", count(members.len() as u64, "member"));
    if let Some(error) = error {
        title = format!("{title}, and then {}", session.spaces().error_text(&error));
    }
    let columns = Head::list(["at:", "size:", "type", "name", "record"]);
    let rows = members.iter().map(|member| member_row(native.view, names, member));
    Some(Rows::of(title, columns, rows.collect()))
}

pub(crate) fn member_row(view: PdbView<'_>, names: TypeNames<'_>, member: &Member<'_>) -> Row {
    // The value of an enumerator has no type of its own, and no size.
    let is_enumerator = member.of == 0;
    let type_name = if is_enumerator { String::new() } else { names.of(member.of) };
    let has_size = !is_enumerator && member.value.is_some();
    let size = if has_size { names.size_of(member.of) } else { None };
    let of = Cell::new(if type_name == "?" { String::new() } else { type_name });
    let cells = vec![
        Cell::new(member.value.map_or(String::new(), leaf_text)),
        Cell::toned(size.map_or(String::new(), |size| size.to_string()), Tone::Dim),
        of.to(view.type_place(member.of, false)),
        Cell::toned(utf8(member.name.data).into_owned(), Tone::Strong),
        Cell::toned(kind_name(member.kind).unwrap_or_default(), Tone::Dim),
    ];
    Row::plain(cells).from(member.slice.span())
}

pub(crate) fn explain_type(session: &Session, number: u32, ids: bool) -> Option<Fields> {
    let record = NativeView::of(session)?.types(ids).get(number)?;
    let stream = if ids { streams::IPI } else { streams::TPI };
    record::explain_record(session, stream, record.span().start as u32)
}
