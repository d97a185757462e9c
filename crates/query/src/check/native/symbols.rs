//! Symbols of native modules: scopes, types and code.

use super::Faults;
use pdblens_formats::bytes::{Region, Slice, Span};
use pdblens_formats::codeview::c13::cross_scope;
use pdblens_formats::codeview::symbols::{Record, Records, Role, Symbol, columns, is_function, kind, kind_name};
use pdblens_formats::pdb::ModuleStream;
use pdblens_nodes::Place;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::stream::PdbView;

/// First number that is no built-in type.
const FIRST_TYPE: u32 = 0x1000;
/// Symbol of a PDB of /DEBUG:FASTLINK, whose types are in object files.
const FASTLINK: u16 = 0x1167;
/// Kinds with a scope that are no functions: an inlined call, separated code, `with`.
const OTHER_SCOPES: [u16; 4] = [0x114d, 0x115d, 0x1132, 0x1104];
const ENDS: [u16; 3] = [kind::END, 0x114e, 0x114f];

/// Types, ids and code that symbols may refer to.
struct Referents {
    /// Number of the first type and of the first id that are not there; `None` where they cannot be counted.
    types: Option<u32>,
    ids: Option<u32>,
    /// Section, start and end of each contribution, by address.
    contributions: Vec<(u16, u32, u64)>,
}

struct Open {
    kind: u16,
    at: u32,
    end: u32,
    /// Span of the number that says where it ends.
    said: Span,
}

/// Faults of every module and of the global symbols, as long as `go_on` says so.
pub(super) fn check(native: &NativeView<'_>, go_on: &dyn Fn(u64, u64) -> bool, faults: &mut Faults) {
    let known = Referents::of(native);
    let count = native.view.pdb.modules().len() as u32;
    for number in 0..count {
        if faults.is_full() || !go_on(number.into(), count.into()) {
            return;
        }
        if let Ok(Some(module)) = ModuleStream::read_once(native.view.pdb, native.view.spaces, number) {
            of_module(&module, &known, faults);
        }
    }
    let stream = native.view.pdb.dbi.as_ref().map_or(0, |dbi| u32::from(dbi.header.symbol_record_stream));
    for row in 0..native.globals().counts().1 {
        let Some(record) = native.globals().global(row) else { continue };
        if let Ok(symbol) = record.read() {
            known.check_type(stream, record, &symbol, faults);
        }
    }
}

/// References of the global symbols: each has to name a module, which are counted from 1.
pub(super) fn check_references(view: PdbView<'_>, faults: &mut Faults) {
    let stream = view.pdb.dbi.as_ref().map_or(0, |dbi| u32::from(dbi.header.symbol_record_stream));
    let (Some(symbols), modules) = (view.region(stream), view.pdb.modules().len()) else { return };
    // An error of a record is told by the rule about reading.
    for record in Records::new(symbols.slice(), 0).map_while(Result::ok) {
        let Some(span) = field(record, Role::Module) else { continue };
        let Ok(bytes) = symbols.slice().part(span.start, span.len) else { continue };
        let Some(module) = bytes.data.first_chunk().map(|bytes| u16::from_le_bytes(*bytes)) else { continue };
        if !faults.is_full() && !(1..=modules).contains(&usize::from(module)) {
            let name = kind_name(record.kind).unwrap_or("symbol");
            let sentence = format!("{name} refers to module {module}, counted from 1: there are {modules}");
            faults.add(place(stream, record), Some(span), sentence);
        }
    }
}

impl Referents {
    fn of(native: &NativeView<'_>) -> Self {
        let end = |ids: bool| {
            let types = native.types(ids);
            (types.header.is_some() && types.problems.is_empty()).then(|| types.first().saturating_add(types.len()))
        };
        let all = native.view.pdb.dbi.as_ref().map(|dbi| &dbi.contributions);
        let all = all.into_iter().flat_map(|all| (0..all.len()).filter_map(|index| all.get(index)));
        let range = |found: pdblens_formats::pdb::dbi::Contribution| {
            (found.section, found.offset, u64::from(found.offset) + u64::from(found.size))
        };
        let mut contributions: Vec<_> = all.map(range).collect();
        contributions.sort_unstable();
        Self { types: end(false), ids: end(true), contributions }
    }

    /// The type or id of a symbol, which has to be there.
    fn check_type(&self, stream: u32, record: Record<'_>, symbol: &Symbol<'_>, faults: &mut Faults) {
        if record.kind == FASTLINK {
            return;
        }
        let Some(span) = field(record, Role::Type) else { return };
        let (end, what) = if symbol.is_id() { (self.ids, "id") } else { (self.types, "type") };
        // A type that is imported from another module has its number there.
        if symbol.of < FIRST_TYPE || cross_scope::imported(symbol.of).is_some() {
            return;
        }
        if let Some(end) = end.filter(|end| symbol.of >= *end) {
            let name = kind_name(record.kind).unwrap_or("symbol");
            let last = end.saturating_sub(1);
            let sentence = format!("{name} has the {what} {:#x}, but the last {what} is {last:#x}", symbol.of);
            faults.add(place(stream, record), Some(span), sentence);
        }
    }

    /// The code of a function, which has to be within one contribution.
    fn check_code(&self, stream: u32, record: Record<'_>, symbol: &Symbol<'_>, faults: &mut Faults) {
        // The linker left the code of those without a section out.
        if symbol.section == 0 || self.contributions.is_empty() {
            return;
        }
        let name = kind_name(record.kind).unwrap_or("symbol");
        let (section, offset) = (symbol.section, symbol.offset);
        let after = self.contributions.partition_point(|(other, start, _)| (*other, *start) <= (section, offset));
        let found = after.checked_sub(1).and_then(|index| self.contributions.get(index));
        let found = found.filter(|(other, _, end)| *other == section && u64::from(offset) < *end);
        let Some((.., end)) = found else {
            let sentence =
                format!("the code of {name} is at {section:04x}:{offset:08x}, where no module contributes code");
            faults.add(place(stream, record), field(record, Role::Offset), sentence);
            return;
        };
        let own = u64::from(offset) + u64::from(symbol.len);
        if own > *end {
            let sentence = format!(
                "the code of {name} ends at {section:04x}:{own:08x}, and its section contribution at {section:04x}:{end:08x}"
            );
            faults.add(place(stream, record), field(record, Role::Length), sentence);
        }
    }
}

fn of_module(module: &ModuleStream, known: &Referents, faults: &mut Faults) {
    let Some(stream) = module.module.stream() else { return };
    let symbols: Region = module.symbols();
    let (mut open, mut is_known): (Vec<Open>, bool) = (Vec::new(), true);
    // An error of a record is told by the rule about reading.
    for record in Records::of_module(&symbols).map_while(Result::ok) {
        if faults.is_full() {
            return;
        }
        is_known &= kind_name(record.kind).is_some();
        let Ok(symbol) = record.read() else { continue };
        known.check_type(stream, record, &symbol, faults);
        if is_function(record.kind) || record.kind == kind::THUNK {
            known.check_code(stream, record, &symbol, faults);
        }
        if opens(record.kind) {
            open.extend(opened(stream, record, open.last(), faults));
        } else if ENDS.contains(&record.kind) {
            // One of an unknown kind may have begun it.
            if let Some(scope) = open.pop() {
                closed(stream, &scope, record, faults);
            } else if is_known {
                let sentence = format!("{} ends no scope", kind_name(record.kind).unwrap_or("a record"));
                faults.add(place(stream, record), Some(record.span()), sentence);
            }
        }
    }
    if is_known && let Some(scope) = open.first() {
        let sentence = format!("the scope of {} is not ended", kind_name(scope.kind).unwrap_or("a record"));
        faults.add(Place::Record(stream, scope.at), Some(scope.said), sentence);
    }
}

fn opens(of: u16) -> bool {
    is_function(of)
        || [kind::THUNK, kind::BLOCK, kind::METHOD, kind::LOCAL_METHOD].contains(&of)
        || OTHER_SCOPES.contains(&of)
}

/// The scope that a record begins: its number of the scope around it has to be that of `outer`.
fn opened(stream: u32, record: Record<'_>, outer: Option<&Open>, faults: &mut Faults) -> Option<Open> {
    let (said, end) = (number(record.slice, 4)?, number(record.slice, 8)?);
    let around = outer.map_or(0, |outer| outer.at);
    if said != around {
        let name = kind_name(record.kind).unwrap_or("a record");
        let truth = if around == 0 { "it is in none".to_owned() } else { format!("it is in that at {around:#x}") };
        let sentence = format!("{name} says that it is in the scope at {said:#x}, and {truth}");
        faults.add(place(stream, record), Some(record.span().part(4, 4)), sentence);
    }
    Some(Open { kind: record.kind, at: record.span().start as u32, end, said: record.span().part(8, 4) })
}

/// The end of a scope: its number of the record that ends it has to be that of `record`.
fn closed(stream: u32, scope: &Open, record: Record<'_>, faults: &mut Faults) {
    let at = record.span().start as u32;
    if scope.end != at {
        let name = kind_name(scope.kind).unwrap_or("a record");
        let sentence = format!("{name} says that its scope ends at {:#x}, but it ends at {at:#x}", scope.end);
        faults.add(Place::Record(stream, scope.at), Some(scope.said), sentence);
    }
}

fn number(slice: Slice<'_>, at: u64) -> Option<u32> {
    slice.part(at, 4).ok()?.data.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Span of the field with this role, where those before it have a fixed size.
fn field(record: Record<'_>, role: Role) -> Option<Span> {
    let (at, size) = columns(record.kind)
        .iter()
        .try_fold((4_u64, None), |(at, found), column| {
            let size = column.read.size().ok_or(found)?;
            if column.role == role { Err(Some((at, size))) } else { Ok((at + size, found)) }
        })
        .err()
        .flatten()?;
    Some(record.span().part(at, size))
}

fn place(stream: u32, record: Record<'_>) -> Place {
    Place::Record(stream, record.span().start as u32)
}
