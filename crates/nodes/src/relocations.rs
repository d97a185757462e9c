//! Base relocations of the image, block by block.

use crate::fields::{Fields, Meaning};
use crate::kind::Kind;
use crate::owner::Turn;
use crate::pe;
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::Directory;
use pdblens_formats::pe::relocations::{RelocationBlock, block, blocks};
use pdblens_session::session::Session;

pub(crate) const RELOCATIONS: Kind = Kind {
    listed: |session| table(session).map(|_| Place::Relocations).into_iter().collect(),
    exists: |session, ()| table(session).is_some(),
    absence: |session, ()| {
        let sentence = "the image has no base relocations: nothing in it depends on the address that it is loaded at";
        session.image().map(|_| sentence.to_owned())
    },
    rows: |session, ()| {
        let image = &session.image()?.pe;
        table(session)?;
        let row = |(index, block): (u32, &RelocationBlock)| {
            let place = Place::RelocationBlock(index);
            let section = image.section_of(block.page).map_or("", |section| section.name.as_str());
            let cells = vec![
                Cell::new(index.to_string()).to(place),
                Cell::new(format!("{:#x}", block.page)),
                Cell::new(block.count.to_string()),
                Cell::toned(section, Tone::Dim),
            ];
            Row::at(place, cells).from(block.span)
        };
        let columns = Head::list(["block:", "page rva:", "entries:", "section"]);
        Some(Rows::of("base relocations".to_owned(), columns, (0..).zip(blocks(image)).map(row).collect()))
    },
    bytes: |session, ()| table(session),
    ..Kind::NEW
};

pub(crate) const BLOCK: Kind<u32> = Kind {
    owners: &[(Turn::Records, |search| {
        if !table(search.session).is_some_and(|table| table.covers(search.byte)) {
            return;
        }
        let Some(image) = search.session.image() else { return };
        for (index, block) in (0..).zip(blocks(&image.pe)) {
            search.add(Place::RelocationBlock(index), block.span);
        }
    })],
    exists: |session, number| block_at(session, number).is_some(),
    fields: |session, number| {
        let (found, image) = (block_at(session, number)?, &session.image()?.pe);
        let bytes = image.bytes(found.span).ok()?;
        let title = Place::RelocationBlock(number).to_string();
        Some(Fields::explain(
            title,
            bytes,
            |c| block(c).map(drop),
            |_, field| {
                let number = field.value.number().unwrap_or(0) as u32;
                if field.name() != "relocation" || number >> 12 == 0 {
                    return pe::pe_meaning(session, field);
                }
                let rva = found.page.wrapping_add(number & 0xfff);
                let len = if number >> 12 == 0xa { 8 } else { 4 };
                let text = format!("the {len} bytes at rva {rva:#x}");
                Some(match image.at_rva(rva, len) {
                    Ok(at) => Meaning::to(text, Place::Bytes(at.span())),
                    Err(_) => Meaning::text(text),
                })
            },
        ))
    },
    ..Kind::NEW
};

fn block_at(session: &Session, number: u32) -> Option<RelocationBlock> {
    blocks(&session.image()?.pe).get(number as usize).copied()
}

fn table(session: &Session) -> Option<Span> {
    session.image()?.pe.directory(Directory::RELOCATIONS)?.data
}
