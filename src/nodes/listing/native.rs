//! Modules; and what only native code has: functions with their lines, types with their members, ids, symbols, sections.

use crate::formats::codeview::symbols;
use crate::formats::codeview::symbols::{Symbol, is_function};
use crate::formats::codeview::types::{Member, TypeData, kind_name};
use crate::formats::metadata::{TableId, Token};
use crate::formats::pdb::ModuleStream;
use crate::nodes::Place;
use crate::nodes::code_unit;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::document;
use crate::nodes::listing::streams;
use crate::nodes::method;
use crate::nodes::method::MethodView;
use crate::nodes::method::range_text;
use crate::nodes::native;
use crate::nodes::native::NativeView;
use crate::nodes::native_lines::{FunctionLines, line_kind};
use crate::nodes::pdb::{PdbView, leaf_text};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::session::Session;
use crate::text::cpp_types;
use crate::text::cpp_types::TypeNames;
use crate::text::paths::file_name;
use crate::text::safe::{count, spaced_hex, utf8};

/// The modules: object files, or types.
pub(crate) fn modules_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let columns = vec![
        Head::number("module"),
        Head::text("name"),
        Head::text("object"),
        Head::number("stream"),
        Head::number("symbols"),
        Head::number("lines"),
        Head::number("files"),
    ];
    let modules = view.pdb.modules();
    Some(Rows::new(count(modules.len() as u64, "module"), columns, modules.len(), move |index| {
        let (number, place) = (index as u32, Place::Module(index as u32));
        let Some(module) = modules.get(index) else { return Row::default() };
        let (name, object) = view.module_names(number);
        let stream = match module.stream() {
            Some(stream) => Cell::new(stream.to_string()).to(Place::Stream(stream)),
            None => Cell::toned("none", Tone::Dim),
        };
        let object = if object == name { String::new() } else { object };
        let cells = vec![
            Cell::toned(number.to_string(), Tone::Dim),
            Cell::new(name).to(place),
            Cell::toned(object, Tone::Dim),
            stream,
            Cell::new(module.symbols_size.to_string()),
            Cell::new(module.c13_size.to_string()),
            Cell::new(module.file_count.to_string()),
        ];
        Row::at(place, cells).from(module.span)
    }))
}

/// What is in the stream of a module.
pub(crate) fn module_rows(session: &Session, number: u32) -> Option<Rows<'_>> {
    let stream = PdbView::of(session)?.pdb.modules().get(number as usize)?.stream()?;
    streams::stream_rows(session, stream)
}

/// The functions, by address.
pub(crate) fn functions_rows(session: &Session) -> Option<Rows<'_>> {
    let native = NativeView::of(session)?;
    let functions = native.functions();
    let columns = vec![
        Head::number("rva"),
        Head::text("section"),
        Head::number("bytes"),
        Head::text("function"),
        Head::text("module"),
    ];
    Some(Rows::new(count(functions.len() as u64, "function"), columns, functions.len(), move |index| {
        let Some(function) = functions.get(index) else { return Row::default() };
        let place = native.place_of(function);
        let cells = vec![
            Cell::toned(rva_text(native.rva_of(function)), Tone::Dim),
            Cell::toned(format!("{}:{:08x}", function.section, function.offset), Tone::Dim),
            Cell::new(function.len.to_string()),
            Cell::new(native.name_of(function)).to(place),
            Cell::toned(file_name(&native.view.module_name(function.module)), Tone::Dim)
                .to(Place::Module(function.module)),
        ];
        Row::at(place, cells)
    }))
}

/// The lines of the function at an address, beside the bytes of their records.
pub(crate) fn function_lines(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let (native, function) = native::function_at(session, rva)?;
    let start = native.rva_of(&function)?;
    let of = CodeUnit::Function(start);
    let FunctionLines { points, stream, .. } = native.lines_of(&function);
    let title = format!("{} · {}", native.name_of(&function), count(points.len() as u64, "line"));
    let columns = vec![
        Head::number("#"),
        Head::number("rva"),
        Head::number("offset"),
        Head::text("source"),
        Head::text("document"),
        Head::text("line record"),
        Head::text("kind"),
        Head::text("inlined"),
    ];
    Some(Rows::new(title, columns, points.len(), move |index| {
        let Some(point) = points.get(index) else { return Row::default() };
        let rva = start.wrapping_add(point.il);
        let calls: Vec<String> = native
            .at(rva)
            .inlined
            .iter()
            .map(|call| format!("{} at {}:{}", call.name, file_name(&call.file), call.line))
            .collect();
        let hidden = point.is_hidden();
        let mut source = Cell::toned(range_text(point), if hidden { Tone::Dim } else { Tone::Text });
        let known = point.document > 0;
        source.to = (known && !hidden).then_some(Place::Line(point.document, point.start_line));
        let mut document =
            Cell::toned(file_name(&document::name(session, point.document).unwrap_or_default()), Tone::Dim);
        document.to = known.then_some(Place::Document(point.document));
        let span = stream.part(point.at.into(), point.len.into());
        let record = session.spaces().read(span).unwrap_or_default();
        let cells = vec![
            Cell::toned((index + 1).to_string(), Tone::Dim),
            Cell::new(format!("{rva:#x}")).to(of.code(point.il)),
            Cell::toned(of.label(point.il.into()), Tone::Dim),
            source,
            document,
            Cell::toned(spaced_hex(&record, 8), Tone::Dim),
            Cell::toned(line_kind(&record), Tone::Dim),
            Cell::toned(calls.join(", "), Tone::Dim),
        ];
        Row::at(of.point(index as u32 + 1), cells).from(span)
    }))
}

/// The machine code of the function at an address, a row a line.
pub(crate) fn function_code(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let view = MethodView::of(session, CodeUnit::Function(rva));
    let (of, Some(size)) = (view.of, view.size) else { return None };
    let CodeUnit::Function(start) = of else { return None };
    let columns = vec![
        Head::number("line"),
        Head::number("rva"),
        Head::number("offset"),
        Head::text("source"),
        Head::number("bytes"),
        Head::text("code"),
    ];
    // Code before the first line is a row too.
    let before = view.points.first().is_none_or(|point| point.il > 0);
    let title = format!("{} · {} of machine code", code_unit::name(session, of), count(size, "byte"));
    let len = view.points.len() + usize::from(before);
    Some(Rows::new(title, columns, len, move |row| {
        let index = row.checked_sub(usize::from(before));
        let point = index.and_then(|index| view.points.get(index));
        let range = match index {
            Some(index) => view.range_of(index),
            None => 0..view.points.first().map_or(size, |point| point.il),
        };
        let part = view.code.filter(|code| u64::from(range.end) <= code.len);
        let span = part.map(|code| code.part(range.start.into(), range.len() as u64));
        let bytes = span.and_then(|span| method::image_bytes(session, span).ok()).map_or(&[][..], |slice| slice.data);
        let number = index.map_or(String::new(), |index| (index + 1).to_string());
        let cells = vec![
            Cell::toned(number, Tone::Dim),
            Cell::new(format!("{:#x}", start.wrapping_add(range.start))),
            Cell::toned(of.label(range.start.into()), Tone::Dim),
            Cell::new(point.map_or(String::new(), range_text)),
            Cell::toned(range.len().to_string(), Tone::Dim),
            Cell::new(spaced_hex(bytes, 32)),
        ];
        Row { span, ..Row::at(of.code(range.start), cells) }
    }))
}

/// The parameters, variables and blocks of the function at an address.
pub(crate) fn function_symbols(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let view = MethodView::of(session, CodeUnit::Function(rva));
    view.size?;
    let columns = vec![
        Head::text("what"),
        Head::text("type"),
        Head::text("name"),
        Head::text("kept in"),
        Head::text("code"),
        Head::text("record"),
    ];
    let title = format!("{} · {}", code_unit::name(session, view.of), count(view.records.len() as u64, "symbol"));
    Some(Rows::new(title, columns, view.records.len(), move |index| {
        let Some(symbol) = view.records.get(index) else { return Row::default() };
        let range = format!("+{:#x}–+{:#x}", symbol.start, u64::from(symbol.start) + u64::from(symbol.len));
        let mut name = Cell::toned(symbol.name.clone(), Tone::Strong);
        name.to = view.symbol_place(symbol);
        let cells = vec![
            Cell::new(symbol.word),
            Cell::new(symbol.type_name.clone()),
            name,
            Cell::new(symbol.kept.clone()),
            Cell::toned(range, Tone::Dim),
            Cell::toned(symbol.kind, Tone::Dim),
        ];
        let place = view.symbol_place(symbol);
        Row { place, span: Some(symbol.span), depth: symbol.depth, cells }
    }))
}

/// The types, or the ids.
pub(crate) fn types_rows(session: &Session, ids: bool) -> Option<Rows<'_>> {
    let native = NativeView::of(session)?;
    let (types, names) = (native.types(ids), native.view.type_names()?);
    let columns = vec![
        Head::number("number"),
        Head::text("kind"),
        Head::text("name"),
        Head::number("size"),
        Head::text("record"),
    ];
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
            Cell::new(if name == "?" { String::new() } else { name }).to(place),
            Cell::new(size.map_or(String::new(), |size| size.to_string())),
            Cell::toned(kind_name(record.kind).unwrap_or_default(), Tone::Dim),
        ];
        Row::at(place, cells).from(record.span())
    }))
}

/// The members of a type; of what has none, the types that it is made of.
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
        title = format!("{title}, and then {error}");
    }
    let columns =
        vec![Head::number("at"), Head::number("size"), Head::text("type"), Head::text("name"), Head::text("record")];
    let rows = members.iter().map(|member| member_row(native.view, names, member));
    Some(Rows::of(title, columns, rows.collect()))
}

/// The public symbols by address, or the global ones in their order.
pub(crate) fn symbols_of_all(session: &Session, publics: bool) -> Option<Rows<'_>> {
    let (view, globals) = (PdbView::of(session)?, session.symbol_file()?.content.globals()?);
    let (public, global) = globals.counts();
    let (len, what) = if publics { (public, "public symbol") } else { (global, "global symbol") };
    let stream = u32::from(view.pdb.dbi.as_ref()?.header.symbol_records.value);
    let native = view.native.is_some();
    // Managed code has tokens where native code has addresses.
    let first = if native { Head::number("rva") } else { Head::text("token") };
    let columns = vec![first, Head::text("record"), Head::text("name"), Head::text("of")];
    Some(Rows::new(count(len, what), columns, len as usize, move |index| {
        let record = if publics { globals.public(index as u32) } else { globals.global(index as u32) };
        let Some(record) = record else { return Row::default() };
        let symbol = Symbol::decode(&mut record.slice.cursor()).unwrap_or_default();
        let kind = symbols::kind_name(record.kind).unwrap_or_default();
        let rva = view.rva(symbol.section, symbol.offset).filter(|_| symbol.section > 0);
        let token = token_of(record.kind, &symbol).filter(|_| !native);
        let first = token.map_or_else(|| rva_text(rva), |token| token.to_string());
        let mut name = utf8(symbol.name.data).into_owned();
        if let Some(value) = symbol.value {
            name = format!("{name} = {}", leaf_text(value));
        }
        let place = Place::Record(stream, record.span().start as u32);
        let of = match token {
            Some(token) => Cell::new(session.method_name(token)).to(Place::Method(token)),
            None => symbol_target(session, view, &symbol, rva),
        };
        let cells = vec![
            Cell::toned(first, Tone::Dim),
            Cell::toned(kind, Tone::Dim),
            Cell::toned(name, Tone::Strong).to(place),
            of,
        ];
        Row::at(place, cells).from(record.span())
    }))
}

/// What a symbol is one of, or refers to: a function, a record of a module, a type.
fn symbol_target(session: &Session, view: PdbView<'_>, symbol: &Symbol<'_>, rva: Option<u32>) -> Cell {
    let function = |rva: u32| {
        let (native, function) = native::function_at(session, rva)?;
        let start = native.rva_of(&function)?;
        Some(Cell::new(format!("function {start:#x}")).to(Place::Function(start)))
    };
    let (number, at) = symbol.reference;
    if let Some(number) = u32::from(number).checked_sub(1) {
        let module = ModuleStream::read(view.pdb, view.spaces, number);
        let target = module.as_ref().ok().and_then(|module| module.symbol(at).ok());
        let target = target.and_then(|record| Symbol::decode(&mut record.slice.cursor()).ok());
        let address = target.filter(|target| is_function(target.kind));
        let found = address.and_then(|target| function(view.rva(target.section, target.offset)?));
        let name = file_name(&view.module_name(number)).to_owned();
        let place = view.pdb.modules().get(number as usize).map(|_| Place::Module(number));
        return found.unwrap_or(Cell { to: place, ..Cell::new(name) });
    }
    if symbol.of > 0 {
        let name = view.type_names().map_or_else(String::new, |names| names.of(symbol.of));
        return Cell {
            to: view.type_place(symbol.of, false),
            ..Cell::new(if name == "?" { String::new() } else { name })
        };
    }
    rva.and_then(function).unwrap_or_default()
}

/// The strings that parts of the file refer to.
pub(crate) fn names_list(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    view.pdb.info.stream("/names")?;
    let offsets = view.pdb.names.offsets();
    let columns = vec![Head::number("offset"), Head::number("bytes"), Head::text("string"), Head::text("document")];
    Some(Rows::new(count(offsets.len() as u64, "string"), columns, offsets.len(), move |index| {
        let found = offsets.get(index).and_then(|offset| Some((*offset, view.pdb.names.get(*offset)?)));
        let Some((offset, text)) = found else { return Row::default() };
        let row = view.pdb.document_row(offset);
        let mut document = Cell::toned(row.map_or(String::new(), |row| row.to_string()), Tone::Dim);
        document.to = row.map(Place::Document);
        let cells = vec![
            Cell::toned(format!("{offset:#x}"), Tone::Dim),
            Cell::toned(text.len().to_string(), Tone::Dim),
            Cell::new(utf8(text.data).into_owned()),
            document,
        ];
        // With the NUL that ends it.
        Row::plain(cells).from(crate::bytes::Span { len: text.len() + 1, ..text.span() })
    }))
}

/// The sections of the image.
pub(crate) fn section_map_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let map = &view.pdb.dbi.as_ref()?.section_map;
    let sections = view.native.map_or(&[][..], |native| &native.addresses(view.pdb, view.spaces).sections);
    let columns = vec![
        Head::number("section"),
        Head::text("name"),
        Head::number("rva"),
        Head::number("offset"),
        Head::number("bytes"),
        Head::text("flags"),
    ];
    let rows = map.entries.iter().map(|entry| {
        // Sections count from 1; the last entry, for absolute symbols, is of none.
        let section = (entry.frame as usize).checked_sub(1).and_then(|index| sections.get(index));
        Row::plain(vec![
            Cell::new(entry.frame.to_string()),
            Cell::new(section.map_or("", |section| section.name.as_str())),
            Cell::new(section.map_or(String::new(), |section| format!("{:#x}", section.rva))),
            Cell::new(format!("{:#x}", entry.offset)),
            Cell::new(format!("{:#x}", entry.length)),
            Cell::toned(format!("{:#06x}", entry.flags), Tone::Dim),
        ])
    });
    Some(Rows::of("section map", columns, rows.collect()))
}

/// Which bytes of the image come from which module.
pub(crate) fn contributions_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let contributions = &view.pdb.dbi.as_ref()?.contributions;
    let columns = vec![Head::number("rva"), Head::text("section"), Head::number("bytes"), Head::text("module")];
    let len = contributions.len();
    Some(Rows::new(count(len, "section contribution"), columns, len as usize, move |index| {
        let (found, span) = (contributions.get(index as u64), contributions.span(index as u64));
        let Some((found, span)) = found.zip(span) else { return Row::default() };
        let module = u32::from(found.module);
        let place = Place::Record(crate::formats::pdb::streams::DBI, span.start as u32);
        let cells = vec![
            Cell::toned(rva_text(view.rva(found.section, found.offset)), Tone::Dim),
            Cell::new(format!("{}:{:08x}", found.section, found.offset)),
            Cell::new(found.size.to_string()),
            Cell::new(view.module_name(module)).to(Place::Module(module)),
        ];
        Row::at(place, cells).from(span)
    }))
}

/// The method that a symbol of managed code is about.
fn token_of(kind: u16, symbol: &Symbol<'_>) -> Option<Token> {
    let number = match kind {
        symbols::kind::PUBLIC => symbol.offset,
        // The name is the token, in hexadecimal.
        symbols::kind::TOKEN_REFERENCE => u32::from_str_radix(std::str::from_utf8(symbol.name.data).ok()?, 16).ok()?,
        _ => return None,
    };
    Some(Token(number)).filter(|token| token.table() == TableId::METHOD_DEF && !token.is_nil())
}

fn rva_text(rva: Option<u32>) -> String {
    rva.map_or(String::new(), |rva| format!("{rva:#x}"))
}

fn member_row(view: PdbView<'_>, names: TypeNames<'_>, member: &Member<'_>) -> Row {
    // The value of an enumerator has no type of its own, and no size.
    let is_enumerator = member.of == 0;
    let type_name = if is_enumerator { String::new() } else { names.of(member.of) };
    let has_size = !is_enumerator && member.value.is_some();
    let size = names.size_of(member.of).filter(|_| has_size);
    let mut of = Cell::new(if type_name == "?" { String::new() } else { type_name });
    of.to = view.type_place(member.of, false);
    let cells = vec![
        Cell::new(member.value.map_or(String::new(), leaf_text)),
        Cell::toned(size.map_or(String::new(), |size| size.to_string()), Tone::Dim),
        of,
        Cell::toned(utf8(member.name.data).into_owned(), Tone::Strong),
        Cell::toned(kind_name(member.kind).unwrap_or_default(), Tone::Dim),
    ];
    Row::plain(cells).from(member.slice.span())
}
