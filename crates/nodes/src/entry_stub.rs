//! The instruction that a managed image for 32-bit x86 starts with: a jump into the runtime (ECMA-335 II.25.2.3.1).

use crate::fields::{Fields, Meaning};
use crate::kind::Kind;
use crate::owner::Turn;
use crate::place::{PePart, Place};
use pdblens_formats::bytes::{Span, fields};
use pdblens_session::session::Session;

/// `jmp` through a pointer, and the pointer's address.
const JUMP: [u8; 2] = [0xff, 0x25];
const SIZE: u32 = 6;

fields! {
    /// The first instruction of the image, which old versions of Windows run; later ones call the runtime themselves.
    STUB: "entry stub";
    /// The opcode of an indirect jump.
    OPCODE: "opcode" as Hex;
    /// The address of the import slot of _CorExeMain or _CorDllMain, with the image base.
    SLOT: "slot" as Hex;
}

pub(crate) const ENTRY_STUB: Kind = Kind {
    owners: &[(Turn::Records, |search| search.add(Place::EntryStub, span(search.session).unwrap_or_default()))],
    listed: |session| span(session).map(|_| Place::EntryStub).into_iter().collect(),
    exists: |session, ()| span(session).is_some(),
    absence: |session, ()| {
        let sentence =
            "the image has no entry stub: only managed images for 32-bit x86 begin with a jump into the runtime";
        session.image().map(|_| sentence.to_owned())
    },
    fields: |session, ()| {
        let image = session.image()?;
        let bytes = image.pe.bytes(span(session)?).ok()?;
        let base = image.pe.image_base();
        let meaning = |_: &str, field: &pdblens_formats::bytes::Field| {
            let rva = u32::try_from(u64::from(field.value.number()? as u32).checked_sub(base)?).ok()?;
            let mut slots = image.linker_tables().imports.libraries.iter().flat_map(|library| &library.functions);
            let index = slots.position(|function| field.name() == "slot" && function.slot_rva == rva)?;
            let place = Place::PePart(PePart::Import(index as u32));
            Some(Meaning::to("import slot that the loader fills with the address of the runtime's entry", place))
        };
        let decode = |c: &mut pdblens_formats::bytes::Cursor<'_, pdblens_formats::bytes::Recording>| {
            c.group(&STUB, |c| {
                c.u16(&OPCODE)?;
                c.u32(&SLOT).map(drop)
            })
        };
        Some(Fields::explain("pe/entry-stub", bytes, decode, meaning))
    },
    ..Kind::NEW
};

/// Bytes of the instruction; `None` for images that begin otherwise.
fn span(session: &Session) -> Option<Span> {
    let image = session.image().filter(|image| image.metadata.is_some())?;
    let entry = image.pe.optional.as_ref()?.standard.address_of_entry_point;
    let bytes = image.pe.at_rva(entry, SIZE).ok()?;
    (entry > 0 && bytes.data.starts_with(&JUMP)).then(|| bytes.span())
}
