//! Content of the files by size: parts that add up to the file. Tables by rows, heaps by the columns that refer to their entries, IL by
//! namespace and type, sequence points and custom debug information by type or document, a Windows PDB by streams.

use crate::code_unit::document_name;
use crate::place::{MetadataPart, PePart, Place, Side};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::heap::refs::{self, HeapRef};
use crate::native::functions_in;
use crate::regions::{self, FileRegion, FileRegionKind};
use crate::rows::{Cell, Data, Head, Row, Rows, Tone};
use crate::stream::PdbView;
use crate::table::blobs::custom_kind;
use crate::table::context::label_of;
use crate::{mdb, method};
use pdblens_formats::bytes::{SpaceId, Span};
use pdblens_formats::metadata::Heap;
use pdblens_formats::metadata::schema::HAS_CUSTOM_DEBUG_INFORMATION;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;

/// Parts of a part that are told apart; the smaller ones are counted together.
const MAX_PARTS: usize = 500;
/// A list has the parts that are at least this fraction of their file.
const MIN_LISTED: u64 = 500;

/// A part of a file, and the parts that it consists of, the largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePart {
    /// Name: a stream, a table, a column, a namespace, a type.
    pub name: String,
    /// Size; that of its parts together where it has parts.
    pub bytes: u64,
    pub place: Option<Place>,
    pub parts: Vec<FilePart>,
    /// Bytes that it has more than in another build; what grew and what shrank is added up in `bytes`.
    pub growth: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Type of the method, without the types in it.
    #[default]
    Type,
    Document,
}

type Step = (String, Option<Place>);

#[derive(Default)]
struct Sizes {
    bytes: u64,
    place: Option<Place>,
    parts: HashMap<String, Sizes>,
}

impl Sizes {
    /// Adds bytes to the part at a path, and to those around it.
    fn add(&mut self, path: &[Step], bytes: u64) {
        self.bytes += bytes;
        if let [(name, place), rest @ ..] = path
            && bytes > 0
        {
            let part = self.parts.entry(name.clone()).or_default();
            part.place = part.place.or(*place);
            part.add(rest, bytes);
        }
    }

    /// Adds the part of `bytes` that the parts below a path do not account for.
    fn add_rest(&mut self, path: &[Step], bytes: u64, name: &str) {
        let known = path.iter().try_fold(&*self, |sizes, (name, _)| sizes.parts.get(name));
        let rest = bytes.saturating_sub(known.map_or(0, |sizes| sizes.bytes));
        self.add(&[path, &[step(name)]].concat(), rest);
    }

    fn part(self, name: String) -> FilePart {
        let mut parts: Vec<FilePart> = self.parts.into_iter().map(|(name, part)| part.part(name)).collect();
        parts.sort_by(|a, b| (Reverse(a.bytes), &a.name).cmp(&(Reverse(b.bytes), &b.name)));
        if parts.len() > MAX_PARTS {
            let more = parts.split_off(MAX_PARTS);
            let bytes = more.iter().map(|part| part.bytes).sum();
            parts.push(FilePart { name: format!("{} more", more.len()), bytes, ..FilePart::default() });
        }
        parts.shrink_to_fit();
        FilePart { name, bytes: self.bytes, place: self.place, parts, growth: None }
    }
}

fn step(name: impl Into<String>) -> Step {
    (name.into(), None)
}

pub fn of(session: &Session, by: By) -> Vec<FilePart> {
    let mut files = Vec::new();
    let fill = Fill { session, by };
    let len = |space: SpaceId| session.spaces().get(space).map_or(0, pdblens_formats::bytes::Space::len);
    if let Some(image) = session.image() {
        let mut sizes = fill.image();
        sizes.add_rest(&[], len(image.space), "not told apart");
        sizes.place = Some(Place::Pe);
        files.push(sizes.part(image.name.clone()));
    }
    if let Some(file) = session.symbol_file() {
        let mut sizes = fill.symbols();
        sizes.add_rest(&[], len(file.space), "free pages and unused ends of pages");
        files.push(sizes.part(file.name.clone()));
    }
    files
}

/// The files as one part.
pub fn whole(session: &Session, by: By) -> FilePart {
    let parts = of(session, by);
    let bytes = parts.iter().map(|part| part.bytes).sum();
    FilePart { name: "both files".to_owned(), bytes, parts, ..FilePart::default() }
}

/// Parts whose sizes differ between two builds, each as large as what grew and what shrank in it, with the places of the new build.
/// Files are paired by their order, the parts of a file by name.
pub fn difference([before, after]: [&Session; 2], by: By) -> FilePart {
    let [mut before, after] = [before, after].map(|session| whole(session, by));
    for (old, new) in before.parts.iter_mut().zip(&after.parts) {
        old.name.clone_from(&new.name);
    }
    FilePart { name: "what differs in size".to_owned(), ..differs(Some(before), Some(after)) }
}

fn differs(before: Option<FilePart>, after: Option<FilePart>) -> FilePart {
    let size = |part: &Option<FilePart>| part.as_ref().map_or(0, |part| part.bytes) as i64;
    let growth = size(&after) - size(&before);
    let (name, place) = after
        .as_ref()
        .or(before.as_ref())
        .map_or_else(Default::default, |part| (part.name.clone(), after.as_ref().and(part.place)));
    let mut old: HashMap<String, FilePart> =
        before.into_iter().flat_map(|part| part.parts).map(|part| (part.name.clone(), part)).collect();
    let new = after.into_iter().flat_map(|part| part.parts);
    let mut parts: Vec<FilePart> = new.map(|part| differs(old.remove(&part.name), Some(part))).collect();
    parts.extend(old.into_values().map(|part| differs(Some(part), None)));
    parts.retain(|part| part.bytes > 0);
    parts.sort_by(|a, b| (Reverse(a.bytes), &a.name).cmp(&(Reverse(b.bytes), &b.name)));
    let inner: u64 = parts.iter().map(|part| part.bytes).sum();
    FilePart {
        name,
        bytes: if parts.is_empty() { growth.unsigned_abs() } else { inner },
        place,
        parts,
        growth: Some(growth),
    }
}

/// The parts that are large enough to be listed, with the path of each.
pub fn rows(session: &Session, by: By) -> Rows<'static> {
    let mut rows = Vec::new();
    for file in of(session, by) {
        add_rows(&file, &file.name, file.bytes, 0, &mut rows);
    }
    Rows::of("sizes", vec![Head::text("part"), Head::number("bytes"), Head::number("percent")], rows)
}

fn add_rows(part: &FilePart, path: &str, whole: u64, depth: u8, rows: &mut Vec<Row>) {
    let percent = percent(part.bytes, whole);
    let name = Cell { tone: if depth == 0 { Tone::Strong } else { Tone::Text }, to: part.place, ..Cell::new(path) };
    let cells = vec![name, Cell::new(part.bytes.to_string()).data(Data::Number(part.bytes)), Cell::new(percent)];
    rows.push(Row { place: part.place, ..Row::plain(cells) });
    for inner in part.parts.iter().filter(|inner| inner.bytes * MIN_LISTED >= whole) {
        add_rows(inner, &format!("{path} › {}", inner.name), whole, depth.saturating_add(1), rows);
    }
}

/// A share in percent: `31`, `<1`.
pub fn percent(bytes: u64, whole: u64) -> String {
    let rounded = (bytes * 100 + whole / 2).checked_div(whole).unwrap_or(0);
    if rounded == 0 && bytes > 0 { "<1".to_owned() } else { rounded.to_string() }
}

/// The kinds of the entries of a heap, the largest first.
#[must_use]
pub fn kinds(session: &Session, side: Side, heap: Heap) -> Vec<FilePart> {
    let mut sizes = Sizes::default();
    each_entry(session, side, heap, &mut |kind, _, bytes| sizes.add(&[kind], bytes));
    sizes.part(String::new()).parts
}

/// Kind of the entries of a heap that a column refers to: `method signatures`.
fn kind_of_entry(table: TableId, column: &str) -> String {
    let noun = label_of(table).noun;
    match (table, column) {
        (TableId::STAND_ALONE_SIG, _) => "local signatures".to_owned(),
        (TableId::TYPE_SPEC, _) => "type specifications".to_owned(),
        (TableId::METHOD_SPEC, _) => "generic arguments".to_owned(),
        (TableId::CUSTOM_ATTRIBUTE, _) => "attribute values".to_owned(),
        (TableId::CONSTANT, _) => "constant values".to_owned(),
        (TableId::IMPORT_SCOPE, _) => "imports".to_owned(),
        (TableId::DOCUMENT, "Hash") => "document hashes".to_owned(),
        (TableId::DOCUMENT, "Name") => "document names".to_owned(),
        (_, "TypeNamespace" | "Namespace") => "namespaces".to_owned(),
        (_, "Signature") if noun != "row" => format!("{noun} signatures"),
        (_, "Name" | "TypeName") if noun != "row" => format!("{noun} names"),
        _ => format!("{}.{column}", table.name()),
    }
}

/// Calls `found` for each entry of a heap that a column refers to, with its kind, its first user and its length.
fn each_entry(session: &Session, side: Side, heap: Heap, found: &mut dyn FnMut(Step, HeapRef, u64)) {
    let Some(metadata) = side.metadata(session) else { return };
    let users = refs::all_users(session, side, heap);
    for (entry, span) in metadata.heaps.entries(heap) {
        let Some(user) = refs::users_of(&users, entry).first() else { continue };
        let column = metadata.table(user.table()).columns().get(user.column()).map_or("", |def| def.name);
        let place = Some(Place::Table(side, user.table()));
        let kind = match user.table() {
            TableId::CUSTOM_DEBUG_INFORMATION if heap == Heap::Blobs => step(custom_kind(session, side, user.row())),
            TableId::METHOD_DEBUG_INFORMATION => ("sequence points".to_owned(), place),
            table => (kind_of_entry(table, column), place),
        };
        found(kind, *user, span.len);
    }
}

struct Fill<'s> {
    session: &'s Session,
    by: By,
}

impl Fill<'_> {
    fn image(&self) -> Sizes {
        let mut sizes = Sizes::default();
        let add = |sizes: &mut Sizes, region: &FileRegion| {
            let own = (region.name.clone(), region.place);
            let path = match region.kind {
                FileRegionKind::Header => vec![step("headers"), own],
                FileRegionKind::Gap => vec![step("gaps")],
                FileRegionKind::Data => vec![own],
            };
            sizes.add(&path, region.span.len);
        };
        let sections = regions::of_sections(self.session);
        for region in regions::of_image(self.session) {
            let whole = region;
            let section = match whole.place {
                Some(Place::PePart(PePart::Section(index))) => sections.get(usize::from(index)),
                _ => None,
            };
            let Some(section) = section else {
                add(&mut sizes, &whole);
                continue;
            };
            let functions = functions_in(self.session, whole.span);
            for region in section {
                match region.place {
                    Some(Place::Methods) => self.add_il(&mut sizes, region.span.len),
                    Some(Place::Metadata(Side::Image, MetadataPart::Root)) => {
                        self.add_metadata(&mut sizes, Side::Image);
                    }
                    Some(Place::Contribution(_)) => {
                        Self::add_module(&mut sizes, step(&whole.name), region, &functions);
                    }
                    _ => add(&mut sizes, region),
                }
            }
        }
        sizes
    }

    /// Adds the functions of a module, and the rest of what comes from it.
    fn add_module(sizes: &mut Sizes, section: Step, region: &FileRegion, functions: &[(String, Span, Place)]) {
        let module = [section, (region.name.clone(), region.place)];
        let mut at = region.span.start;
        let mut add = |last: Step, bytes: u64| sizes.add(&[module.as_slice(), &[last]].concat(), bytes);
        let from = functions.partition_point(|(_, span, _)| span.start < at);
        for (name, span, place) in functions[from..].iter().take_while(|(_, span, _)| span.end() <= region.span.end()) {
            // Functions may share their code.
            if let Some(before) = span.start.checked_sub(at) {
                add(step("data and padding"), before);
                add((name.clone(), Some(*place)), span.len);
                at = span.end();
            }
        }
        add(step("data and padding"), region.span.end() - at);
    }

    /// IL by namespace and type; what lies between two bodies aligns them.
    fn add_il(&self, sizes: &mut Sizes, len: u64) {
        let il = ("IL".to_owned(), Some(Place::Methods));
        let mut seen = HashSet::new();
        for row in 1..=self.session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF)) {
            let token = Token::new(TableId::METHOD_DEF, row);
            // Methods may share a body.
            if let Ok(Some(body)) = method::body(self.session, token)
                && seen.insert(body.span.start)
            {
                let mut path = vec![il.clone()];
                path.extend(self.owner(row));
                sizes.add(&path, body.span.len);
            }
        }
        sizes.add_rest(&[il], len, "between bodies");
    }

    fn owner(&self, method: u32) -> Vec<Step> {
        if self.by == By::Document {
            let place = Place::Row(Side::Pdb, TableId::METHOD_DEBUG_INFORMATION, method);
            let cell = self
                .session
                .portable_pdb()
                .and(Side::Pdb.metadata(self.session))
                .and_then(|metadata| metadata.table(TableId::METHOD_DEBUG_INFORMATION).cell(method, 0).ok());
            return vec![match cell {
                Some(row @ 1..) => self.document(row),
                _ => ("no document, or several".to_owned(), Some(place)),
            }];
        }
        let Some(names) = self.session.names() else { return Vec::new() };
        let mut owner = names.owner(method);
        for _ in 0..16 {
            match names.enclosing(owner) {
                0 => break,
                outer => owner = outer,
            }
        }
        let name = names.type_name(Token::new(TableId::TYPE_DEF, owner));
        let place = Some(Place::row(TableId::TYPE_DEF, owner));
        match name.rsplit_once('.') {
            Some((namespace, name)) => vec![step(namespace), (name.to_owned(), place)],
            None => vec![(name, place)],
        }
    }

    fn document(&self, row: u32) -> Step {
        let name = document_name(self.session, row).unwrap_or_else(|| format!("document {row}"));
        (name, Some(Place::Document(row)))
    }

    fn symbols(&self) -> Sizes {
        let mut sizes = Sizes::default();
        if self.session.portable_pdb().is_some() {
            self.add_metadata(&mut sizes, Side::Pdb);
        } else if let Some(view) = PdbView::of(self.session) {
            for stream in 0..view.pdb.msf.stream_count() {
                let name = view.stream_name(stream);
                let name = match name.strip_prefix("module ") {
                    Some(module) => module.to_owned(),
                    None if name.is_empty() => format!("stream {stream}"),
                    None => name,
                };
                let len = view.span(stream).map_or(0, |span| span.len);
                sizes.add(&[step(view.family(stream).name()), (name, Some(Place::Stream(stream)))], len);
            }
            let pages = view.own_pages().len() as u64;
            sizes.add(&[step("directory")], pages * u64::from(view.pdb.msf.page_size()));
        } else {
            for region in mdb::file_regions(self.session) {
                sizes.add(&[(region.name, region.place)], region.span.len);
            }
        }
        sizes
    }

    fn add_metadata(&self, sizes: &mut Sizes, side: Side) {
        let Some(metadata) = side.metadata(self.session) else { return };
        for region in regions::of_metadata(self.session, side) {
            let stream = (region.name.clone(), region.place);
            let heap = Heap::ALL.into_iter().find(|heap| heap.stream() == region.name && *heap != Heap::UserStrings);
            if let Some(heap) = heap {
                self.add_heap(sizes, side, heap, &stream);
            } else if matches!(region.name.as_str(), "#~" | "#-") {
                for table in metadata.tables.present() {
                    let len = u64::from(table.rows()) * u64::from(table.row_size());
                    sizes.add(&[stream.clone(), (table.id.name().to_owned(), Some(Place::Table(side, table.id)))], len);
                }
            }
            let is_apart = heap.is_some() || matches!(region.name.as_str(), "#~" | "#-");
            match region.kind {
                FileRegionKind::Data if is_apart => {
                    sizes.add_rest(&[stream], region.span.len, "other entries, and padding");
                }
                FileRegionKind::Header => sizes.add(&[step("headers"), stream], region.span.len),
                _ => sizes.add(&[stream], region.span.len),
            }
        }
    }

    /// The entries of a heap by the columns that refer to them; one that several refer to counts for the first.
    fn add_heap(&self, sizes: &mut Sizes, side: Side, heap: Heap, stream: &Step) {
        each_entry(self.session, side, heap, &mut |kind, user, bytes| {
            let owner = match user.table() {
                TableId::CUSTOM_DEBUG_INFORMATION if heap == Heap::Blobs => self.custom_owner(side, user.row()),
                TableId::METHOD_DEBUG_INFORMATION => self.owner(user.row()),
                _ => Vec::new(),
            };
            sizes.add(&[&[stream.clone(), kind], owner.as_slice()].concat(), bytes);
        });
    }

    /// The document or the type that a row of CustomDebugInformation is about.
    fn custom_owner(&self, side: Side, row: u32) -> Vec<Step> {
        let cell = side
            .metadata(self.session)
            .and_then(|metadata| metadata.table(TableId::CUSTOM_DEBUG_INFORMATION).cell(row, 0).ok());
        match cell.and_then(|cell| HAS_CUSTOM_DEBUG_INFORMATION.decode(cell)) {
            Some((TableId::DOCUMENT, row)) => vec![self.document(row)],
            Some((TableId::METHOD_DEF, row)) => self.owner(row),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of parts add up, down to the last level.
    fn adds_up(part: &FilePart) {
        let sum: u64 = part.parts.iter().map(|part| part.bytes).sum();
        assert!(part.parts.is_empty() || sum == part.bytes, "{}: {sum} of {}", part.name, part.bytes);
        part.parts.iter().for_each(adds_up);
    }

    #[test]
    fn parts_add_up_to_the_file() {
        let session = Session::sample();
        for by in [By::Type, By::Document] {
            let files = of(&session, by);
            let sizes: Vec<u64> = files.iter().map(|file| file.bytes).collect();
            let len = |space| session.spaces().get(space).unwrap().len();
            let expected = [len(session.image().unwrap().space), len(session.symbol_file().unwrap().space)];
            assert_eq!(sizes, expected);
            files.iter().for_each(adds_up);
        }
        for heap in [Heap::Blobs, Heap::Strings] {
            let kinds = kinds(&session, Side::Image, heap);
            assert!(kinds.iter().any(|kind| kind.name.starts_with("method ")), "{kinds:?}");
            kinds.iter().for_each(adds_up);
        }
        let rows = rows(&session, By::Document);
        let paths: Vec<String> = rows.iter().map(|row| row.cells[0].text.clone()).collect();
        let of_document = |path: &&String| path.contains("sequence points › ") && path.contains("Clock.cs");
        assert!(paths.iter().any(|path| of_document(&path)), "{paths:?}");
    }

    #[test]
    fn differences_of_sizes_add_up() {
        let session = Session::sample();
        assert!(difference([&session, &session], By::Type).parts.is_empty());
        let added = differs(None, Some(whole(&session, By::Type)));
        let len: u64 = of(&session, By::Type).iter().map(|file| file.bytes).sum();
        assert_eq!((added.bytes, added.growth), (len, Some(len as i64)));
        let removed = differs(Some(whole(&session, By::Type)), None);
        assert_eq!((removed.bytes, removed.growth, removed.place), (len, Some(-(len as i64)), None));
        adds_up(&added);
        adds_up(&removed);
    }
}
