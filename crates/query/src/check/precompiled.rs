//! Rules about the tables of a ReadyToRun image: counts, order and overlaps.

use super::Question;
use super::report::Report;
use pdblens_formats::bytes::Error;
use pdblens_formats::r2r::ImportSection;
use pdblens_nodes::{Place, R2rPart, TableId, Token};
use pdblens_session::precompiled::{self, NativeBody, Precompiled};
use pdblens_session::text::safe::count;

pub(super) fn tables(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    if let Some(Err(error)) = precompiled::header(session) {
        return report.error(error, Place::Pe);
    }
    let Some(code) = Precompiled::tables(session) else { return };
    sections(&code, report);
    functions(&code, report);
    entry_points(&code, report);
    let methods = debug_infos(&code, report);
    imports(&code, report);
    if report.is_clean() {
        let functions = count(code.functions(), "runtime function");
        report.good(format!("{functions}, {} with debug information", count(methods, "method")));
    }
}

/// Sections are sorted by type, inside the image, and apart.
fn sections(code: &Precompiled<'_>, report: &mut Report) {
    let mut ranges = Vec::new();
    let mut last = 0;
    for entry in &code.r2r.sections {
        let place = Place::R2r(R2rPart::Section(entry.kind));
        if entry.kind <= last {
            let sentence = format!("section {} follows section {last}: the runtime looks for it by type", entry.kind);
            report.finding(sentence, place, Some(entry.span));
        }
        last = entry.kind;
        match code.r2r.bytes(&code.image.pe, entry.kind) {
            Some(Err(error)) => report.error(&error, place),
            Some(Ok(_)) => ranges.push((entry.rva, entry.rva.saturating_add(entry.size), entry)),
            None => {}
        }
    }
    ranges.sort_unstable_by_key(|(start, end, _)| (*start, *end));
    for pair in ranges.windows(2) {
        if let [(_, end, one), (start, _, other)] = pair
            && start < end
        {
            let sentence = format!("sections {} and {} overlap", one.kind, other.kind);
            report.finding(sentence, Place::R2r(R2rPart::Section(other.kind)), Some(other.span));
        }
    }
}

/// Runtime functions ascend, do not overlap, and are inside the image.
fn functions(code: &Precompiled<'_>, report: &mut Report) {
    let mut end = 0;
    for index in 0..code.functions() {
        let place = Place::R2r(R2rPart::Function(index));
        let Some(function) = code.function(index) else {
            report.finding(format!("runtime function {index} cannot be read"), place, None);
            continue;
        };
        if function.begin < end {
            let sentence = format!(
                "runtime function {index} at {:#x} begins before {end:#x}, where the last one ends",
                function.begin
            );
            report.finding(sentence, place, Some(function.span));
        }
        let size = function.size.unwrap_or(0);
        if let Err(error) = code.image.pe.at_rva(function.begin, size) {
            report.error(&error, place);
        }
        end = end.max(function.begin.saturating_add(size));
    }
}

/// Entry points, and those of instances, lead to runtime functions, and their fixups to cells.
fn entry_points(code: &Precompiled<'_>, report: &mut Report) {
    let (image, functions) = (&code.image.pe, code.functions());
    let imports = code.r2r.imports(image).unwrap_or_default();
    let cells: Vec<u64> = imports.iter().map(ImportSection::cells).collect();
    let mut check = |place: Place, function: u32, fixups: &[(u32, u32)]| {
        if function >= functions {
            report.finding(format!("runtime function {function} of {functions} does not exist"), place, None);
        }
        let is_missing =
            |(section, cell): &&(u32, u32)| cells.get(*section as usize).is_none_or(|cells| u64::from(*cell) >= *cells);
        if let Some((section, cell)) = fixups.iter().find(is_missing) {
            report.finding(format!("cell {cell} of import section {section} does not exist"), place, None);
        }
    };
    let rows = code.r2r.entry_points(image).and_then(Result::ok).map_or(0, |array| array.len);
    let mut errors: Vec<(Error, Place)> = Vec::new();
    for row in 1..=rows {
        let token = Token::new(TableId::METHOD_DEF, row);
        let place = Place::R2r(R2rPart::EntryPoint(token));
        match code.r2r.entry_point(image, row) {
            Ok(Some(entry)) => check(place, entry.function, &entry.fixups),
            Ok(None) => {}
            Err(error) => errors.push((error, place)),
        }
    }
    for number in 0..code.instances() {
        let place = Place::R2r(R2rPart::Instance(number));
        match code.instance(number) {
            Some(instance) => check(place, instance.entry.function, &instance.entry.fixups),
            None => check(place, u32::MAX, &[]),
        }
    }
    for (error, place) in &errors {
        report.error(error, *place);
    }
}

/// Bounds ascend, and bounds and variables are inside the code of their methods. Returns the number of bodies with any. IL offsets are not
/// compared with the IL: the compiler has IL of its own for some methods of the runtime.
fn debug_infos(code: &Precompiled<'_>, report: &mut Report) -> u32 {
    let mut methods = 0_u32;
    for (function, owner) in code.starts() {
        let place = Place::R2r(R2rPart::DebugInfo(*function));
        let info = match code.r2r.debug_info(&code.image.pe, *function) {
            Ok(Some(info)) => info,
            Ok(None) => continue,
            Err(error) => {
                report.error(&error, place);
                continue;
            }
        };
        methods += 1;
        let size = code.body(*function, *owner).as_ref().map_or(0, NativeBody::size);
        let mut last = 0;
        for bound in &info.bounds {
            let sentence = if bound.native < last {
                format!("the bound at +{:#x} follows one at +{last:#x}", bound.native)
            } else if bound.native > size {
                format!("the bound at +{:#x} is past the {size:#x} bytes of code", bound.native)
            } else {
                last = bound.native;
                continue;
            };
            report.finding(sentence, place, Some(bound.span));
        }
        let is_outside = |start: u32, end: u32| end < start || start > size;
        if let Some(variable) = info.variables.iter().find(|variable| is_outside(variable.start, variable.end)) {
            let sentence = format!("a variable is at +{:#x} to +{:#x}, past the code", variable.start, variable.end);
            report.finding(sentence, place, Some(variable.span));
        }
    }
    methods
}

/// Cells and signatures of import sections are inside the image.
fn imports(code: &Precompiled<'_>, report: &mut Report) {
    let image = &code.image.pe;
    let imports = match code.r2r.imports(image) {
        Ok(imports) => imports,
        Err(error) => return report.error(&error, Place::R2r(R2rPart::Imports)),
    };
    for (number, import) in (0..).zip(&imports) {
        let place = Place::R2r(R2rPart::Import(number));
        if let Err(error) = image.at_rva(import.cells_rva, import.cells_size) {
            report.error(&error, place);
        }
        if import.cell_size == 0 || import.cells_size.checked_rem(import.cell_size.into()) != Some(0) {
            let sentence = format!("{} bytes are no whole number of cells of {}", import.cells_size, import.cell_size);
            report.finding(sentence, place, Some(import.span));
        }
        let failed = (0..import.cells()).find_map(|cell| Some((cell, import.fixup(image, cell).err()?)));
        if let Some((cell, error)) = failed {
            report.error(&error, Place::R2r(R2rPart::Cell(number, cell as u32)));
        }
    }
}
