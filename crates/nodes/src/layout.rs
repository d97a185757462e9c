//! Layouts of native types, as lists.

use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::native::NativeView;
use crate::native::symbols_index;
use crate::rows::{Cell, Data, Head, Row, Rows, Tone};
use crate::type_layout::{self, LayoutKind, LayoutRow, TypeLayout, place_of};
use crate::types;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

pub(crate) const LAYOUT: Kind<u32> = Kind {
    label: |_| Label::new("layout", 0),
    absence: |session, number| {
        NativeView::of(session)?.types(false).get(number)?;
        Some(format!("type/{number:#x} is not a class, structure or union with a definition"))
    },
    rows: |session, number| {
        let native = NativeView::of(session)?;
        let layout = TypeLayout::of(native, number)?;
        let columns = Head::list(["name", "offset:", "size:", "bits", "type", "kind"]);
        let title = title(&layout);
        let mut rows = Rows::new(title, columns, layout.rows.len(), move |index| {
            layout.rows.get(index).map_or_else(Row::default, |row| layout_row(native, row))
        });
        // Virtual functions, after the members, have longer offsets and types.
        rows.steady = true;
        Some(rows)
    },
    summary: definition,
    bytes: |session, number| definition(session, number).map(|fields| fields.span),
    indexes: |_, _| vec![symbols_index()],
    ..Kind::NEW
};

fn definition(session: &Session, number: u32) -> Option<Fields> {
    let number = type_layout::definition_of(NativeView::of(session)?, number)?;
    types::explain_type(session, number, false)
}

/// Name and size, and the bytes that belong to no member: `Box: class of 24 bytes · 3 members · 1 hole of 4 bytes`.
fn title(layout: &TypeLayout) -> String {
    let mut title = format!("{}: {} of {}", layout.name, layout.keyword, count(layout.size, "byte"));
    let of = |kind: LayoutKind| layout.total(kind);
    title = format!("{title} · {}", count(of(LayoutKind::Member).1 as u64, "member"));
    let (bytes, holes) = of(LayoutKind::Hole);
    title = match holes {
        0 => format!("{title} · no holes"),
        _ => format!("{title} · {} of {}", count(holes as u64, "hole"), count(bytes, "byte")),
    };
    let (bytes, _) = of(LayoutKind::Padding);
    if bytes > 0 {
        title = format!("{title} · {} of padding", count(bytes, "byte"));
    }
    match &layout.error {
        Some(error) => format!("{title}, and then {error}"),
        None => title,
    }
}

/// Offset in the object; that of a virtual function is one in its table, which is not in the object: the
/// object has a pointer to it, whose offset is named where there are several.
fn offset_text(row: &LayoutRow, offset: u64) -> String {
    match row.table {
        _ if !row.kind.is_virtual() => format!("{offset:#x}"),
        None => format!("vtable+{offset:#x}"),
        Some(table) => format!("vtable@{table:#x}+{offset:#x}"),
    }
}

fn layout_row(native: NativeView<'_>, row: &LayoutRow) -> Row {
    let names = native.view.type_names();
    let tone = match row.kind {
        LayoutKind::Hole | LayoutKind::Padding | LayoutKind::UnusedBits => Tone::Warn,
        LayoutKind::Member | LayoutKind::Base => Tone::Strong,
        _ => Tone::Text,
    };
    let name = if row.name.is_empty() { format!("({})", row.kind.word()) } else { row.name.clone() };
    let is_named = matches!(row.kind, LayoutKind::Base | LayoutKind::VirtualBase) || row.of == 0;
    let type_name = match names {
        Some(names) if !is_named => names.of(row.of),
        _ => String::new(),
    };
    let to = if row.of == 0 { None } else { place_of(native, row.of) };
    let (of_name, of_type) = if is_named { (to, None) } else { (None, to) };
    let bits = row.bits.map_or_else(Cell::default, |(first, len)| {
        let last = u16::from(first) + u16::from(len).max(1) - 1;
        let text = if len > 1 { format!("{first}–{last}") } else { first.to_string() };
        Cell::new(text).data(Data::Range(first.into(), last.into()))
    });
    let cells = vec![
        Cell::toned(name, tone).to(of_name),
        Cell::new(row.offset.map_or(String::new(), |offset| offset_text(row, offset))),
        Cell::new(row.size.map_or(String::new(), |size| size.to_string())),
        bits,
        Cell::new(if type_name == "?" { String::new() } else { type_name }).to(of_type),
        Cell::toned(row.kind.word(), if row.kind.is_unused() { Tone::Warn } else { Tone::Dim }),
    ];
    Row { depth: row.depth, span: row.span, ..Row::plain(cells) }
}
