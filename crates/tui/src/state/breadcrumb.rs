//! Breadcrumbs: `Code › Ticker.Clock › Since(long) › point 3`.

use crate::state::view::{Tab, View, ViewDef, view_of};
use pdblens_formats::bytes::Space;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::{self, FunctionSymbol};
use pdblens_nodes::method::MethodView;
use pdblens_nodes::pe::linker_parts;
use pdblens_nodes::{FunctionPart, MetadataPart, MethodPart, PePart, Place, Side, document};
use pdblens_session::session::Session;

/// The steps to a place, outermost first, with their places.
pub fn breadcrumb(session: &Session, place: Place, views: &[ViewDef]) -> Vec<(String, Place)> {
    let mut steps: Vec<(String, Place)> = Vec::new();
    let mut at = Some(place);
    while let Some(step) = at {
        // The lists inside of methods and functions are no steps.
        let list = matches!(
            step,
            Place::MethodPart(_, MethodPart::Points | MethodPart::Il | MethodPart::Regions)
                | Place::FunctionPart(_, FunctionPart::Lines | FunctionPart::Code | FunctionPart::Symbols)
        );
        if steps.is_empty() || (step != Place::Overview && !list) {
            // Functions are a list of the file, and what the view of code begins with.
            let is_root = step == Place::Functions && !steps.is_empty();
            steps.push((if is_root { plain("Code") } else { label(session, step) }, step));
        }
        if let Place::Method(method) = step
            && let Some((owner, _)) = owner_and_name(session, step)
        {
            steps.push((owner, Place::Method(method)));
        }
        if let Place::Function(rva) = step
            && let Some((module, name)) = function::module_of(session, rva)
        {
            steps.push((name, Place::Module(module)));
        }
        at = step.parent();
    }
    steps.reverse();
    // Places of the File view begin with its name.
    if let (Some(Tab::File), Some((_, to))) = (view_of(views, place).map(View::tab), steps.first()) {
        let to = *to;
        steps.insert(0, (plain("File"), to));
    }
    steps
}

/// The type of a method, and its name with parameters.
fn owner_and_name(session: &Session, place: Place) -> Option<(String, String)> {
    let method = place.method()?;
    let Some(names) = session.names() else { return session.symbols()?.method_name(method) };
    let full = session.method_name(method);
    let owner = full.strip_suffix(names.method_short(method).as_str())?.strip_suffix('.')?;
    // Parameter types are abbreviated.
    Some((owner.to_owned(), names.brief().method_short(method)))
}

/// The step of a method with all of its signature, for where there is room.
pub(crate) fn full_label(session: &Session, place: Place) -> Option<String> {
    let Place::Method(token) = place else { return None };
    Some(session.names()?.method_short(token))
}

pub fn label(session: &Session, place: Place) -> String {
    match place {
        Place::Pe => plain("PE"),
        Place::ReadyToRun => plain("ReadyToRun"),
        Place::R2r(_) => place.to_string().rsplit('/').next().unwrap_or_default().replace('-', " "),
        Place::Overview => plain("Summary"),
        Place::Documents | Place::Methods => plain("Code"),
        Place::PePart(part) => pe_part_label(part),
        Place::Metadata(of, part) => metadata_part_label(of, part),
        Place::Table(_, table) => plain(table.name()),
        Place::Row(.., row) | Place::MdbRow(_, row) => format!("row {row}"),
        Place::Heap(of, _) => format!("{}{}", side(of), place.to_string().rsplit('/').next().unwrap_or_default()),
        Place::Method(_) => owner_and_name(session, place).map_or_else(|| place.to_string(), |(_, name)| name),
        Place::MethodPart(_, part) => method_part_label(part),
        Place::Document(row) => {
            let name = document::name(session, row).unwrap_or_else(|| row.to_string());
            plain(name.rsplit(['/', '\\']).next().unwrap_or(&name))
        }
        Place::Line(_, line) => format!("line {line}"),
        Place::Stream(number) => format!("stream {number}"),
        Place::Page(number) => format!("page {number}"),
        Place::HeapEntry(.., at) | Place::Part(at) | Place::Record(_, at) | Place::Type(at) | Place::Id(at) => {
            format!("{at:#x}")
        }
        Place::TypeLayout(_) => plain("layout"),
        Place::Function(rva) => code_unit::name(session, CodeUnit::Function(rva)),
        Place::FunctionPart(rva, part) => function_part_label(session, rva, part),
        Place::Module(number) => format!("module {number}"),
        Place::Contributions => plain("Section contributions"),
        Place::Contribution(index) => format!("contribution {index}"),
        Place::Mdb(table) => plain(table.name()),
        Place::Bytes(span) => {
            let name = session.spaces().get(span.space).map_or("bytes".into(), Space::name);
            format!("{name} {:#x}+{}", span.start, span.len)
        }
        _ => path_label(place),
    }
}

/// The path as a title: `section-map` is "Section map". A new kind of node needs no label here.
fn path_label(place: Place) -> String {
    let mut label = place.to_string().replace('-', " ");
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    label
}

const fn side(side: Side) -> &'static str {
    match side {
        Side::Image => "image ",
        Side::Pdb => "PDB ",
    }
}

fn plain(text: &str) -> String {
    text.to_owned()
}

fn pe_part_label(part: PePart) -> String {
    match part {
        PePart::Dos => plain("DOS header"),
        PePart::Coff => plain("COFF header"),
        PePart::Optional => plain("optional header"),
        PePart::Directories => plain("data directories"),
        PePart::Directory(number) => format!("directory {number}"),
        PePart::Sections => plain("sections"),
        PePart::Section(number) => format!("section {number}"),
        PePart::Cli => plain("CLI header"),
        PePart::DebugDirectory => plain("debug directory"),
        PePart::Debug(number) => format!("entry {number}"),
        PePart::Import(number) | PePart::DelayImport(number) => format!("import {number}"),
        PePart::Export(number) => format!("export {number}"),
        PePart::Resource(number) => format!("entry {number}"),
        PePart::Imports
        | PePart::DelayImports
        | PePart::Exports
        | PePart::Resources
        | PePart::Version
        | PePart::Manifest
        | PePart::Rich => plain(linker_parts::name(part)),
    }
}

fn metadata_part_label(of: Side, part: MetadataPart) -> String {
    match part {
        MetadataPart::Root => format!("{}metadata", side(of)),
        MetadataPart::Streams => plain("streams"),
        MetadataPart::Stream(number) => format!("stream {number}"),
        MetadataPart::TablesHeader => plain("tables header"),
        MetadataPart::PdbStream => plain("#Pdb"),
    }
}

fn method_part_label(part: MethodPart) -> String {
    match part {
        MethodPart::Points => plain("points"),
        MethodPart::Point(number) => format!("point {number}"),
        MethodPart::Il => plain("IL"),
        MethodPart::Instruction(at) => format!("IL_{at:04x}"),
        MethodPart::Body => plain("body"),
        MethodPart::Regions => plain("exception regions"),
        MethodPart::Region(number) => format!("region {number}"),
        MethodPart::Scopes => plain("scopes"),
        MethodPart::Native => plain("machine code"),
        MethodPart::NativeAt(rva) => format!("rva {rva:#x}"),
        MethodPart::Source => plain("source"),
    }
}

fn function_part_label(session: &Session, rva: u32, part: FunctionPart) -> String {
    match part {
        FunctionPart::Lines => plain("lines"),
        FunctionPart::Line(number) => format!("line {number}"),
        FunctionPart::Code => plain("machine code"),
        FunctionPart::CodeAt(at) => format!("+{at:#x}"),
        FunctionPart::Symbols => plain("symbols"),
        FunctionPart::Symbol(at) => {
            let view = MethodView::of(session, CodeUnit::Function(rva));
            view.symbol(at).map_or_else(|| format!("symbol {at:#x}"), FunctionSymbol::text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::{TableId, Token};

    #[test]
    fn a_method_is_in_its_type_whatever_its_parameters_are() {
        let file =
            |name: &str| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(name);
        let (mut seen, mut cut) = (0, 0);
        for name in ["workshop/Workshop.dll", "faults/Faults.dll", "shapes/Shapes.dll"] {
            let session = Session::open(&[file(name)]).unwrap();
            for row in 1..=session.methods() {
                let method = Token::new(TableId::METHOD_DEF, row);
                let steps = breadcrumb(&session, Place::Method(method), &[]);
                let last = &steps.last().unwrap().0;
                // Global methods have no type.
                assert!(
                    !last.contains('/') && (steps.len() == 3 || !session.method_name(method).contains('.')),
                    "{steps:?}"
                );
                seen += 1;
                cut += u32::from(!session.method_name(method).ends_with(last.as_str()));
            }
        }
        assert!(seen > 100 && cut > 10, "{seen} {cut}");
    }
}
