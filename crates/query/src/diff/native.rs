//! Functions, types, publics and modules of native symbols, compared by name.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use super::points::shift;
use super::{Change, ChangeKind, Diff, Moved, Subject};
use pdblens_formats::bytes::{Resource, Share};
use pdblens_formats::codeview::types::TypeData;
use pdblens_formats::pe::Pe;
use pdblens_formats::reason::Reason;
use pdblens_machine::Machine;
use pdblens_nodes::function::{FunctionDetails, NativeView, each_details};
use pdblens_nodes::global_symbols::each_symbol;
use pdblens_nodes::module_details::{module_count, module_details};
use pdblens_nodes::stream::leaf_text;
use pdblens_nodes::{Place, code_unit};
use pdblens_session::session::Session;
use pdblens_session::text::cpp_types;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{count, utf8};

/// Bytes that an item or a value takes besides its text.
const PER_ITEM: usize = 96;
const MAX_DETAILS: usize = 16;
/// Names of values that are hashes.
const MACHINE_CODE: &str = "machine code";
const LINE_RECORDS: &str = "line records";
/// Names of values that a function's place in its file decides.
const LINES: &str = "lines";
const FIRST_LINE: &str = "first line";

/// An item: its place, and the values that are compared, by name.
type ComparedItem = (Option<Place>, Vec<(String, String)>);

/// Items by name; several may have one name.
struct Items {
    by_name: BTreeMap<String, Vec<ComparedItem>>,
    share: Share,
    /// Name of the first item that there was no room for.
    left_out: Option<String>,
}

impl Items {
    /// Adds an item; false once there are too many.
    fn add(&mut self, name: String, place: Option<Place>, values: Vec<(String, String)>) -> bool {
        let size = |name: &str, value: &str| name.len() + value.len() + PER_ITEM;
        let texts: usize = values.iter().map(|(name, value)| size(name, value)).sum();
        let has_room = self.share.take((texts + size(&name, "")) as u64);
        if has_room {
            self.by_name.entry(name).or_default().push((place, values));
        } else {
            self.share.leave_out("native symbols to compare", name.clone(), None);
            self.left_out = Some(name);
        }
        has_room
    }

    /// The items of one subject; those of functions have their code where that is to be compared.
    fn of(session: &Session, subject: Subject, with_code: bool) -> Self {
        let share = session.spaces().budget().share(Resource::Names);
        let mut items = Self { by_name: BTreeMap::new(), share, left_out: None };
        match (subject, NativeView::of(session)) {
            (Subject::Function, Some(native)) => items.add_functions(session, native, with_code),
            (Subject::Type, Some(native)) => items.add_types(native),
            (Subject::Module, _) => items.add_modules(session),
            (Subject::Public, _) => {
                let dbi = session.windows_pdb().and_then(|pdb| pdb.dbi.as_ref());
                let stream = dbi.map_or(0, |dbi| dbi.header.symbol_record_stream.into());
                let _ = each_symbol(session, true, |symbol| {
                    let values = vec![("record".to_owned(), symbol.kind.to_owned())];
                    let place = Place::Record(stream, symbol.span.start as u32);
                    if items.add(symbol.name, Some(place), values) { Ok(()) } else { Err(()) }
                });
            }
            _ => {}
        }
        items
    }

    fn add_functions(&mut self, session: &Session, native: NativeView<'_>, with_code: bool) {
        let mut codes = if with_code { Codes::of(session, native) } else { None };
        each_details(session, &mut |details| {
            let place = native.place_of(&details.function);
            let values = function_values(native, &details, codes.as_mut());
            let name = details.source_name.unwrap_or(details.name);
            if self.add(name, Some(place), values) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }

    fn add_types(&mut self, native: NativeView<'_>) {
        let Some(names) = native.view.type_names() else { return };
        let types = native.types(false);
        for record in types.iter() {
            let Ok(data) = record.read() else { continue };
            let (TypeData::Class { fields, .. }
            | TypeData::Union { fields, .. }
            | TypeData::Enumeration { fields, .. }) = data
            else {
                continue;
            };
            // A forward reference has no members: the definition is compared.
            if fields == 0 {
                continue;
            }
            let text = |value: &str| value.to_owned();
            let mut values =
                vec![(text("size"), names.size_of(record.index).map_or_else(String::new, |n| n.to_string()))];
            for member in types.members(fields).0 {
                let value = member.value.map_or_else(String::new, |value| format!(" at {}", leaf_text(value)));
                values.push((format!("member {}", utf8(member.name.data)), names.of(member.of) + &value));
            }
            let name = format!("{} {}", cpp_types::kind(record.kind, &data), names.of(record.index));
            if !self.add(name, Some(Place::Type(record.index)), values) {
                return;
            }
        }
    }

    fn add_modules(&mut self, session: &Session) {
        for details in (0..module_count(session)).filter_map(|number| module_details(session, number)) {
            let place = Some(Place::Module(details.number));
            let named = |name: &str, value: String| (name.to_owned(), value);
            let mut values = vec![named("object", details.object), named("files", details.files.len().to_string())];
            if let Some(compiler) = details.build.compiler {
                values.push(named("compiler", format!("{} {}", compiler.name, compiler.version)));
                values.push(named("compiler flags", format!("{:#x}", compiler.flags)));
            }
            values.extend(details.build.environment.into_iter().filter(|(name, _)| name == "cmd"));
            values.extend(details.build_info.into_iter().map(|(name, value)| named(name, value)));
            if !self.add(details.name, place, values) {
                return;
            }
        }
    }
}

/// Size, module, type, lines and machine code of a function, in words that tell two builds apart.
fn function_values(
    native: NativeView<'_>,
    details: &FunctionDetails,
    codes: Option<&mut Codes<'_>>,
) -> Vec<(String, String)> {
    let points = details.lines.points.iter().filter(|point| !point.is_hidden());
    let lines: Vec<u32> = points.map(|point| point.start_line).collect();
    let first = lines.iter().min().copied().unwrap_or(0);
    let mut records = DefaultHasher::new();
    for point in &details.lines.points {
        // Rows of documents differ from build to build, and lines move with the function.
        let from = if point.is_hidden() { 0 } else { first };
        (point.offset, point.document == 0, point.is_hidden()).hash(&mut records);
        (point.start_line.wrapping_sub(from), point.end_line.wrapping_sub(from)).hash(&mut records);
        (point.start_column, point.end_column).hash(&mut records);
    }
    let range = match lines.iter().max() {
        _ if details.lines.error.is_some() => "that cannot be read".to_owned(),
        Some(last) => format!("{first}–{last}, {}", count(lines.len() as u64, "record")),
        None => "none".to_owned(),
    };
    let module = file_name(&native.view.module_name(details.function.module)).to_owned();
    let mut values = vec![
        ("bytes", details.function.len.to_string()),
        ("module", module),
        ("type", details.type_name.clone()),
        (LINES, range),
        (FIRST_LINE, first.to_string()),
        (LINE_RECORDS, format!("{:08x}", records.finish() as u32)),
        ("inlined calls", details.inlined.len().to_string()),
    ];
    if let Some(code) = codes.and_then(|codes| codes.hash(details.rva?, details.function.len)) {
        values.push((MACHINE_CODE, format!("{code:08x}")));
    }
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Number of lines by which a function has moved that is the same but for that; `None` for any other difference.
fn moved(before: &[(String, String)], after: &[(String, String)]) -> Option<i64> {
    let first = |values: &[(String, String)]| {
        values.iter().find(|(name, _)| name == FIRST_LINE).and_then(|(_, line)| line.parse::<i64>().ok())
    };
    let is_same = |((name, one), (other_name, other)): (&(String, String), &(String, String))| {
        name == other_name && (one == other || name == LINES || name == FIRST_LINE)
    };
    let has_moved = before.len() == after.len() && before.iter().zip(after).all(is_same);
    Some(first(after)?.saturating_sub(first(before)?)).filter(|by| has_moved && *by != 0)
}

/// Compares the native symbols of two builds; nothing if one of them has none.
pub(crate) fn compare(a: &Session, b: &Session, diff: &mut Diff) {
    if a.native_pdb().is_none() || b.native_pdb().is_none() {
        return;
    }
    let with_code = a.image().is_some() && b.image().is_some();
    if !with_code && (a.image().is_some() || b.image().is_some()) {
        let which = if a.image().is_some() { "second" } else { "first" };
        let text = format!("the {which} has no image: machine code is not compared");
        diff.notes.push(Reason::new("no-image", text));
    }
    for subject in [Subject::Function, Subject::Type, Subject::Public, Subject::Module] {
        let (before, mut after) = (Items::of(a, subject, with_code), Items::of(b, subject, with_code));
        if let Some(first) = before.left_out.as_ref().or(after.left_out.as_ref()) {
            let text = format!("{}s from {first} on are not compared: there are too many", subject.name());
            diff.notes.push(Reason::new("limit", text));
        }
        for (name, ones) in before.by_name {
            let mut others = after.by_name.remove(&name).unwrap_or_default().into_iter();
            for (place, values) in ones {
                match others.next() {
                    None => {
                        let change = Change::new(subject, ChangeKind::Removed, &name);
                        diff.changes.push(change.places(place, None));
                    }
                    Some((_, other)) if other == values => diff.same_native += 1,
                    Some((at, other)) => {
                        let by = moved(&values, &other);
                        let (how, details) = match by {
                            Some(by) => (ChangeKind::Moved, vec![shift(by)]),
                            None => (ChangeKind::Changed, details(&values, other)),
                        };
                        let mut change = Change::new(subject, how, &name).details(details).places(place, at);
                        let document = || document_of(b, at?);
                        change.moved = by.and_then(|by| Some(Moved { document: document()?, by }));
                        diff.changes.push(change);
                    }
                }
            }
            added(subject, &name, others, diff);
        }
        for (name, others) in after.by_name {
            added(subject, &name, others.into_iter(), diff);
        }
    }
    let text = format!("{} of native symbols are the same", count(diff.same_native as u64, "record"));
    diff.notes.push(Reason::new("same-records", text));
}

/// Differences between the values of two items, by name.
fn details(before: &[(String, String)], after: Vec<(String, String)>) -> Vec<String> {
    let mut others: BTreeMap<String, String> = after.iter().cloned().collect();
    let mut found = Vec::new();
    for (name, one) in before {
        match others.remove(name) {
            Some(other) if other == *one || name == FIRST_LINE => {}
            Some(_) if name == MACHINE_CODE => found.push("machine code differs".to_owned()),
            Some(_) if name == LINE_RECORDS => found.push("line records differ".to_owned()),
            Some(other) => found.push(format!("{name} {one} → {other}")),
            None => found.push(format!("{name} {one} removed")),
        }
    }
    for (name, other) in after.into_iter().filter(|(name, _)| others.contains_key(name)) {
        found.push(format!("{name} {other} added"));
    }
    if found.is_empty() {
        found.push("the order of the members".to_owned());
    }
    if found.len() > MAX_DETAILS {
        let more = found.len() - MAX_DETAILS;
        found.truncate(MAX_DETAILS);
        found.push(format!("and {more} more"));
    }
    found
}

fn document_of(session: &Session, place: Place) -> Option<Place> {
    Some(Place::Document(code_unit::first_visible(session, place.code_unit()?)?.document))
}

fn added(subject: Subject, name: &str, others: impl Iterator<Item = ComparedItem>, diff: &mut Diff) {
    for (place, _) in others {
        diff.changes.push(Change::new(subject, ChangeKind::Added, name).places(None, place));
    }
}

const MAX_NAMES: usize = 1 << 16;

/// The machine code of a build, compared without what moves: a call is the name of what it calls, whatever the distance.
pub(super) struct Codes<'s> {
    native: NativeView<'s>,
    pe: &'s Pe,
    /// Preferred address of the image.
    base: u64,
    machine: Option<Machine>,
    /// Hashes of the names of public symbols, by address; `None` where none begins.
    names: HashMap<u32, Option<u64>>,
}

impl<'s> Codes<'s> {
    /// The code of an image; nothing without one.
    pub(super) fn of(session: &'s Session, native: NativeView<'s>) -> Option<Self> {
        let image = session.image()?;
        let base = image.pe.image_base();
        Some(Self { native, pe: &image.pe, base, machine: Machine::of(image.machine()), names: HashMap::new() })
    }

    /// Hash of the code of a function, with the names of what it refers to in place of the distances; as it is where the instructions are
    /// of another machine.
    pub(super) fn hash(&mut self, rva: u32, len: u32) -> Option<u32> {
        let rest = self.pe.rest_at_rva(rva).ok()?;
        let code = rest.part(0, u64::from(len).min(rest.len())).ok()?;
        let mut hasher = DefaultHasher::new();
        let Some(machine) = self.machine else {
            code.data.hash(&mut hasher);
            return Some(hasher.finish() as u32);
        };
        let base = self.base;
        let mut targets = Vec::new();
        let code = machine.without_distances(code.data, base.wrapping_add(rva.into()), &mut |to| targets.push(to));
        code.hash(&mut hasher);
        for target in targets {
            u32::try_from(target.wrapping_sub(base)).ok().and_then(|rva| self.name(rva)).hash(&mut hasher);
        }
        Some(hasher.finish() as u32)
    }

    fn name(&mut self, rva: u32) -> Option<u64> {
        if self.names.len() > MAX_NAMES {
            self.names.clear();
        }
        *self.names.entry(rva).or_insert_with(|| {
            let symbol = self.native.nearest(rva).filter(|symbol| symbol.offset == 0)?;
            let mut hasher = DefaultHasher::new();
            symbol.decorated.hash(&mut hasher);
            Some(hasher.finish())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_whose_lines_alone_are_others_has_moved() {
        let values = |lines: &str, first: &str, code: &str| {
            let values = [("bytes", "26"), (LINES, lines), (FIRST_LINE, first), (MACHINE_CODE, code)];
            values.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
        };
        let before = values("5–9, 3 records", "5", "1234abcd");
        assert_eq!(moved(&before, &values("12–16, 3 records", "12", "1234abcd")), Some(7));
        assert_eq!(moved(&before, &values("12–16, 3 records", "12", "00000000")), None);
        assert_eq!(moved(&before, &before), None);
        let changed = details(&before, values("12–16, 3 records", "12", "00000000"));
        assert_eq!(changed, ["lines 5–9, 3 records → 12–16, 3 records", "machine code differs"]);
    }
}
