//! Names of the addresses that machine code jumps to, calls and uses; and the image that has the code.

use super::disassembly::{Disassembly, Instruction};
use crate::code_unit::view::MethodView;
use crate::native::{NativeView, NearestSymbol, name_or_address};
use crate::pe::imports;
use crate::place::Place;
use crate::stream::PdbView;
use pdblens_session::session::Session;
use pdblens_session::symbols::{ModuleBuild, SymbolReader};
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{utf8, utf16};

/// Bytes or units of a string literal that are shown.
const MAX_LITERAL: usize = 60;
const LINKER: &str = "* Linker *";

/// Address that an instruction jumps to, calls or uses, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// `+0x1c` in the function itself, `clamp`, `KERNEL32.dll!ExitProcess`.
    pub text: String,
    pub place: Option<Place>,
}

impl Disassembly {
    /// Name of what an instruction jumps to, calls or uses; `None` if no symbol is exactly there. Code that only public symbols
    /// describe is named after the one before it.
    pub fn target(&self, session: &Session, view: &MethodView, instruction: &Instruction) -> Option<Target> {
        let target = if instruction.is_page { None } else { self.rva_of_target(instruction) };
        let Some(rva) = target else {
            return self.rva_of_number(instruction).and_then(|rva| exactly_at(session, rva));
        };
        let into = rva.wrapping_sub(view.of.address());
        if into < view.size? {
            return Some(Target { text: view.of.label(into.into()), place: Some(view.of.code(into)) });
        }
        if let Some((text, place)) = imports::by_slot(session, rva) {
            return Some(Target { text, place: Some(place) });
        }
        let native = NativeView::of(session)?;
        if let Some(function) = native.function_at(rva) {
            let offset = rva.wrapping_sub(native.rva_of(&function)?);
            let name = name_or_address(session, rva);
            let text = if offset == 0 { name } else { format!("{name}+{offset:#x}") };
            return Some(Target { text, place: Some(Place::Function(rva)) });
        }
        let statics = format!("at {rva:#x}");
        if let Some(symbol) = view.records.iter().find(|symbol| symbol.kept == statics) {
            return Some(Target { text: symbol.name.clone(), place: view.symbol_place(symbol) });
        }
        exactly_at(session, rva).or_else(|| {
            if !instruction.is_transfer() {
                return None;
            }
            let symbol = native.nearest(rva)?;
            Some(Target { text: symbol.text(), place: Some(symbol.place) })
        })
    }
}

/// The import or the symbol of the same section, other than that at `from`, that a jump leads to.
pub(super) fn beyond(session: &Session, from: u32, to: u32) -> Option<Target> {
    if let Some((text, place)) = imports::by_slot(session, to) {
        return Some(Target { text, place: Some(place) });
    }
    let section = |rva: u32| Some(NativeView::of(session)?.addresses().section_offset(rva)?.0);
    if from == to || section(from) != section(to) {
        return None;
    }
    exactly_at(session, to)
}

/// Function, string literal or data that begins at an address.
fn exactly_at(session: &Session, rva: u32) -> Option<Target> {
    let native = NativeView::of(session)?;
    let address = native.addresses().section_offset(rva)?;
    if native.function_at(rva).is_some_and(|function| native.rva_of(&function) == Some(rva)) {
        return Some(Target { text: name_or_address(session, rva), place: Some(Place::Function(rva)) });
    }
    if let Some(symbol) = native.nearest(rva).filter(|symbol| symbol.offset == 0) {
        let text = literal(session, &symbol).unwrap_or_else(|| symbol.text());
        return Some(Target { text, place: Some(symbol.place) });
    }
    let record = native.globals().data_at(address)?;
    let stream = u32::from(native.view.pdb.dbi.as_ref()?.header.symbol_record_stream);
    let text = utf8(record.read().ok()?.name.data).into_owned();
    let place = Place::Record(stream, record.span().start as u32);
    Some(Target { text, place: Some(place) }).filter(|target| !target.text.is_empty())
}

/// Text of a string literal (`??_C@_0…` of bytes, `??_C@_1…` of UTF-16), cut if it is long.
fn literal(session: &Session, symbol: &NearestSymbol) -> Option<String> {
    let kind = symbol.decorated.strip_prefix("??_C@_")?.chars().next()?;
    let bytes = session.image()?.pe.rest_at_rva(symbol.rva).ok()?.data;
    let (len, text) = match kind {
        '1' => {
            let units = bytes.chunks_exact(2).take(MAX_LITERAL).take_while(|unit| *unit != [0, 0]).count();
            (units, utf16(bytes.get(..units * 2)?))
        }
        _ => {
            let len = bytes.iter().take(MAX_LITERAL).take_while(|byte| **byte != 0).count();
            (len, utf8(bytes.get(..len)?).into_owned())
        }
    };
    let more = if len < MAX_LITERAL { "" } else { "…" };
    Some(format!("\"{text}{more}\""))
}

/// Sentence that says which image has the code of a PDB.
pub(super) fn image_needed(session: &Session) -> String {
    let pdb = session.symbol_file().map_or("the PDB", |file| file.name.as_str());
    let id = session.symbols().and_then(SymbolReader::id).map_or(String::new(), |id| format!(" with the id {id}"));
    match linked_to(session) {
        Some(output) => format!("open {output}, whose CodeView entry names {pdb}{id}"),
        None => format!("open the EXE or DLL whose CodeView entry names {pdb}{id}"),
    }
}

/// File name of the image that the linker wrote, by the command line that it recorded.
fn linked_to(session: &Session) -> Option<String> {
    let view = PdbView::of(session)?;
    let count = view.pdb.modules().len() as u32;
    let linker = (0..count).rev().find(|number| view.module_name(*number) == LINKER)?;
    let build = ModuleBuild::read(view.pdb, view.spaces, linker as usize);
    let (_, command) = build.environment.iter().find(|(name, _)| name == "cmd")?;
    output_of(command)
}

/// File name after `/OUT:` in a command line.
fn output_of(command: &str) -> Option<String> {
    let (at, option) = command.match_indices(['/', '-']).find_map(|(at, _)| {
        let option = command.get(at + 1..at + 5)?;
        let begins = at == 0 || command[..at].ends_with([' ', '"']);
        (begins && option.eq_ignore_ascii_case("out:")).then_some((at, option))
    })?;
    let path = &command[at + 1 + option.len()..];
    let is_quoted = path.starts_with('"') || command[..at].ends_with('"');
    let path = path.trim_start_matches('"');
    let end = path.find(if is_quoted { '"' } else { ' ' }).unwrap_or(path.len());
    let name = file_name(&path[..end]);
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_linker_is_a_file_name() {
        for (command, expected) in [
            ("lld-link /out:parcel.exe /debug", Some("parcel.exe")),
            (r#"/ERRORREPORT:QUEUE "/OUT:C:\a b\x.dll" /INC"#, Some("x.dll")),
            (r#"-OUT:"C:\a b\x.dll""#, Some("x.dll")),
            ("/debug c:/layout:1", None),
            ("/out:", None),
        ] {
            assert_eq!(output_of(command).as_deref(), expected, "{command}");
        }
    }
}
