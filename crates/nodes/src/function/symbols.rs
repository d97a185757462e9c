//! Symbols of a function: parameters, variables, blocks.

use crate::fields::Fields;
use crate::function::native::{NativeView, name_or_address};
use crate::function::view::function_view;
use crate::rows::{Cell, Data, Head, Row, Rows, Tone};
use crate::stream::{PartKind, StreamPart, record};
use pdblens_formats::codeview::symbols::Record;
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

/// The parameters, variables and blocks of the function at an address.
pub(crate) fn function_symbols(session: &Session, rva: u32) -> Option<Rows<'_>> {
    let view = function_view(session, rva);
    view.size?;
    let columns = Head::list(["what", "type", "name", "kept in", "code", "record"]);
    let title =
        format!("{} · {}", name_or_address(session, view.of.address()), count(view.records.len() as u64, "symbol"));
    Some(Rows::new(title, columns, view.records.len(), move |index| {
        let Some(symbol) = view.records.get(index) else { return Row::default() };
        let (start, end) = (u64::from(symbol.start), u64::from(symbol.start).saturating_add(u64::from(symbol.len)));
        let range = Cell::toned(format!("+{start:#x}–+{end:#x}"), Tone::Dim).data(Data::Range(start, end));
        let mut name = Cell::toned(symbol.name.clone(), Tone::Strong);
        name.to = view.symbol_place(symbol);
        let cells = vec![
            Cell::new(symbol.word),
            Cell::new(symbol.type_name.clone()),
            name,
            Cell::new(symbol.kept.clone()),
            range,
            Cell::toned(symbol.kind, Tone::Dim),
        ];
        let place = view.symbol_place(symbol);
        Row { place, span: Some(symbol.span), depth: symbol.depth, cells }
    }))
}

/// A symbol record of the module of a function. One is known to begin there.
pub(crate) fn explain_symbol(
    session: &Session,
    native: NativeView<'_>,
    function: &Function,
    at: u32,
) -> Option<Fields> {
    let module = native.module(function.module).ok()?;
    let Record { kind, slice } = module.symbol(at).ok()?;
    let part = StreamPart { kind: PartKind::Symbol(kind), at, len: slice.len() as u32, depth: 0 };
    record::explain_part(session, native.stream_of(function)?, part)
}
