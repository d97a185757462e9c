//! Owners of a byte of the tables: its section, and of machine code the method.

use super::sections::{home, of};
use crate::owner::{FindOwners, OwnerSearch, Turn};
use crate::place::{MethodPart, Place, R2rPart};
use pdblens_formats::bytes::is_inside;

pub(super) const SECTIONS: &[FindOwners] = &[(Turn::Records, sections), (Turn::MachineCode, code)];

/// The section that has the byte.
fn sections(search: &mut OwnerSearch<'_>) {
    if !search.is_in_image() {
        return;
    }
    let Some(code) = of(search.session) else { return };
    search.add(Place::ReadyToRun, code.r2r.span);
    for entry in &code.r2r.sections {
        if let Some(Ok(bytes)) = code.r2r.bytes(&code.image.pe, entry.kind) {
            search.add(home(entry.kind), bytes.span());
        }
    }
}

/// The method whose machine code has the byte.
fn code(search: &mut OwnerSearch<'_>) {
    if !search.is_in_image() {
        return;
    }
    let Some(code) = of(search.session) else { return };
    let Some(rva) = code.image.pe.offset_to_rva(search.byte.start) else { return };
    let Some(body) = code.body_at(rva) else { return };
    let Some(fragment) = body.fragments.iter().find(|fragment| is_inside(rva, fragment.rva, fragment.size)) else {
        return;
    };
    let Ok(span) = code.image.pe.span_at_rva(fragment.rva, fragment.size) else { return };
    if let Some(token) = code.method_of(body.owner) {
        search.add(Place::MethodPart(token, MethodPart::Native), span);
    }
    search.add(Place::R2r(R2rPart::Function(fragment.function)), span);
}
