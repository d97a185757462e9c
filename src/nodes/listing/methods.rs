//! Methods and what they are made of: points, instructions, exception regions, scopes. And documents.

use crate::formats::il::{ExceptionRegion, RegionKind};
use crate::formats::metadata::{TableId, Token};
use crate::nodes::Place;
use crate::nodes::document;
use crate::nodes::method;
use crate::nodes::method::MethodView;
use crate::nodes::method::{il_label, range_text, region_kind};
use crate::nodes::place::MethodPart;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::text::guids;
use crate::text::paths::file_name;
use crate::text::safe::{count, hex, spaced_hex};

/// All methods, by token.
pub(crate) fn method_list(session: &Session) -> Rows<'_> {
    let columns = vec![
        Head::text("token"),
        Head::text("method"),
        Head::number("rva"),
        Head::number("points"),
        Head::text("document"),
    ];
    let title = count(session.methods(), "method");
    Rows::new(title, columns, session.methods() as usize, |index| {
        method_row(session, Token::new(TableId::METHOD_DEF, index as u32 + 1))
    })
}

fn method_row(session: &Session, method: Token) -> Row {
    let place = Place::Method(method);
    let rva = session.metadata().and_then(|metadata| metadata.table(TableId::METHOD_DEF).cell(method.row(), 0).ok());
    let (points, first) = method::point_count(session, method);
    let document = first.map_or(Cell::default(), |row| {
        let name = session.symbols().and_then(|symbols| symbols.document(row).ok()).map(|found| found.name);
        Cell::new(file_name(&name.unwrap_or_default())).to(Place::Document(row))
    });
    let mut name = Cell::new(session.method_name(method)).to(place);
    if let Some(kickoff) = session.symbols().and_then(|symbols| symbols.kickoff(method)) {
        name = name.beside(format!("body of {}", session.method_name(kickoff)));
    }
    Row::at(
        place,
        vec![
            Cell::toned(method.to_string(), Tone::Dim),
            name,
            Cell::new(rva.filter(|rva| *rva > 0).map_or(String::new(), |rva| format!("{rva:#x}"))),
            Cell::new(if points > 0 { points.to_string() } else { String::new() }),
            document,
        ],
    )
}

/// The sequence points of a method, beside the bytes that encode them.
pub(crate) fn point_list(session: &Session, method: Token) -> Rows<'_> {
    let view = MethodView::of(session, method);
    let title = format!("{} · {}", session.method_name(method), count(view.points.len() as u64, "sequence point"));
    let columns = vec![
        Head::number("#"),
        Head::text("il"),
        Head::text("source"),
        Head::text("document"),
        Head::text("blob bytes"),
    ];
    let names: Vec<String> = {
        let mut rows: Vec<u32> = view.points.iter().map(|point| point.document).collect();
        rows.sort_unstable();
        rows.dedup();
        let last =
            rows.last().copied().unwrap_or(0).min(session.symbols().map_or(0, crate::symbols::SymbolReader::documents));
        (0..=last)
            .map(|row| match rows.binary_search(&row) {
                Ok(_) => document::name(session, row).unwrap_or_default(),
                Err(_) => String::new(),
            })
            .collect()
    };
    let bytes = |span: Option<crate::bytes::Span>| {
        span.and_then(|span| session.spaces().read(span).ok()).map_or(String::new(), |bytes| spaced_hex(&bytes, 16))
    };
    Rows::new(title, columns, view.points.len(), move |index| {
        let Some(point) = view.points.get(index) else { return Row::default() };
        let place = Place::MethodPart(method, MethodPart::Point(index as u32 + 1));
        let tone = if point.is_hidden() { Tone::Dim } else { Tone::Text };
        let span = method::point_span(&view, point);
        let name = names.get(point.document as usize).map_or("", |name| file_name(name));
        let cells = vec![
            Cell::toned((index + 1).to_string(), Tone::Dim),
            Cell::new(il_label(point.il.into())).to(Place::MethodPart(method, MethodPart::Instruction(point.il))),
            Cell::toned(range_text(point), tone),
            Cell::toned(name, Tone::Dim).to(Place::Document(point.document)),
            Cell::new(bytes(span))
                .beside(bytes(session.symbol_file().and_then(|file| file.content.columns_of(method, point)))),
        ];
        Row { span, ..Row::at(place, cells) }
    })
}

/// The instructions of a method.
pub(crate) fn il_list(session: &Session, method: Token) -> Rows<'_> {
    let view = MethodView::of(session, method);
    let size = view.body.as_ref().map_or(0, |body| body.code_size);
    let title = format!("{} · {} of IL", session.method_name(method), count(size, "byte"));
    let columns =
        vec![Head::number("point"), Head::text("il"), Head::text("bytes"), Head::text("opcode"), Head::text("operand")];
    Rows::new(title, columns, view.instructions.len(), move |index| {
        let Some((offset, span)) = view.instructions.get(index).copied() else { return Row::default() };
        let place = Place::MethodPart(method, MethodPart::Instruction(offset));
        let begins = view.point_at(offset).filter(|point| view.points.get(*point).is_some_and(|p| p.il == offset));
        let bytes = method::image_bytes(session, span).map_or(&[][..], |slice| slice.data);
        let (opcode, operand) = match method::instruction(session, offset, span) {
            Ok(found) => (Cell::new(found.opcode.name), operand_cell(session, method, &view, &found)),
            Err(error) => (Cell::toned("?", Tone::Bad), Cell::toned(error.to_string(), Tone::Bad)),
        };
        let cells = vec![
            Cell::toned(begins.map_or(String::new(), |point| (point + 1).to_string()), Tone::Dim),
            Cell::new(il_label(offset.into())).to(place),
            Cell::toned(spaced_hex(bytes, 9), Tone::Dim),
            opcode,
            operand,
        ];
        Row::at(place, cells).from(span)
    })
}

fn operand_cell(
    session: &Session,
    method: Token,
    view: &crate::nodes::method::MethodView,
    found: &crate::formats::il::Instruction<'_>,
) -> Cell {
    let mut cell = Cell::new(view.operand(session, found));
    cell.to = method::operand_place(method, found);
    cell
}

/// The exception regions of a method.
pub(crate) fn region_list(session: &Session, method: Token) -> Rows<'_> {
    let body = method::body(session, method).ok().flatten().unwrap_or_default();
    let columns =
        vec![Head::number("#"), Head::text("kind"), Head::text("try"), Head::text("handler"), Head::text("catches")];
    let rows = body.regions.iter().enumerate().map(|(index, region)| {
        let place = Place::MethodPart(method, MethodPart::Region(index as u32));
        let range = |range: crate::formats::il::IlRange| {
            Cell::new(format!("{}–{}", il_label(range.start.into()), il_label(range.end() as i64)))
                .to(Place::MethodPart(method, MethodPart::Instruction(range.start)))
        };
        let cells = vec![
            Cell::toned(index.to_string(), Tone::Dim),
            Cell::new(region_kind(region)).to(place),
            range(region.tried),
            range(region.handler),
            catches(session, method, region),
        ];
        Row::at(place, cells).from(region.span)
    });
    Rows::of(format!("{} · exception regions", session.method_name(method)), columns, rows.collect())
}

fn catches(session: &Session, method: Token, region: &ExceptionRegion) -> Cell {
    match region.kind {
        RegionKind::Catch { class } => {
            let name = session.names().map_or_else(|| class.to_string(), |names| names.type_name(class));
            Cell::new(name).to(Place::row(class.table(), class.row()))
        }
        RegionKind::Filter { filter } => Cell::new(format!("filter at {}", il_label(filter.into())))
            .to(Place::MethodPart(method, MethodPart::Instruction(filter))),
        _ => Cell::default(),
    }
}

/// The scopes of a method, and in each its variables and constants.
pub(crate) fn scope_list(session: &Session, method: Token) -> Rows<'_> {
    let view = MethodView::of(session, method);
    let mut rows = Vec::new();
    for scope in &view.scopes {
        let range =
            format!("{}–{}", il_label(scope.start.into()), il_label(i64::from(scope.start) + i64::from(scope.length)));
        let mut cell = Cell::new("scope");
        let place = scope.record.map(Place::from);
        cell.to = place;
        rows.push(Row {
            place,
            span: Some(scope.span),
            depth: scope.depth,
            cells: vec![cell, Cell::new(range), Cell::default(), Cell::default(), Cell::default()],
        });
        for variable in &scope.variables {
            let kind = view.local_types.get(variable.slot as usize).cloned().unwrap_or_default();
            let hidden = if variable.hidden { "hidden from the debugger" } else { "" };
            rows.push(Row {
                place: variable.record.map(Place::from),
                span: Some(variable.span),
                depth: scope.depth.saturating_add(1),
                cells: vec![
                    Cell::new("local"),
                    Cell::toned(format!("slot {}", variable.slot), Tone::Dim),
                    Cell::new(kind),
                    Cell::toned(variable.name.clone(), Tone::Strong),
                    Cell::toned(hidden, Tone::Dim),
                ],
            });
        }
        for constant in &scope.constants {
            rows.push(Row {
                place: constant.record.map(Place::from),
                span: Some(constant.span),
                depth: scope.depth.saturating_add(1),
                cells: vec![
                    Cell::new("const"),
                    Cell::default(),
                    Cell::new(constant.type_name.clone()),
                    Cell::toned(constant.name.clone(), Tone::Strong),
                    Cell::new(constant.value.clone()),
                ],
            });
        }
    }
    let columns =
        vec![Head::text("kind"), Head::text("where"), Head::text("type"), Head::text("name"), Head::text("value")];
    Rows::of(format!("{} · scopes", session.method_name(method)), columns, rows)
}

/// The documents that the symbols name.
pub(crate) fn documents_rows(session: &Session) -> Rows<'_> {
    let len = session.symbols().map_or(0, crate::symbols::SymbolReader::documents);
    let columns = vec![
        Head::number("row"),
        Head::text("document"),
        Head::text("language"),
        Head::text("algorithm"),
        Head::text("hash"),
    ];
    Rows::new(count(len, "document"), columns, len as usize, move |index| {
        let (row, place) = (index as u32 + 1, Place::Document(index as u32 + 1));
        let name = |guid: Option<crate::bytes::Guid>| {
            guid.map_or(String::new(), |guid| guids::name(guid).map_or_else(|| guid.to_string(), str::to_owned))
        };
        let number = Cell::toned(row.to_string(), Tone::Dim);
        match session.symbols().map(|symbols| symbols.document(row)) {
            Some(Ok(document)) => Row::at(
                place,
                vec![
                    number,
                    Cell::new(document.name).to(place),
                    Cell::new(name(document.language)),
                    Cell::new(name(document.hash_algorithm)),
                    Cell::toned(hex(&document.hash), Tone::Dim),
                ],
            )
            .from(document.span),
            Some(Err(error)) => Row::at(place, vec![number, Cell::toned(format!("({error})"), Tone::Bad)]),
            None => Row::default(),
        }
    })
}
