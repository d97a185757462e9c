//! Base relocations of the image, block by block.

use std::fmt;

use crate::fields::{Fields, Meaning};
use crate::owner::{FindOwners, Turn};
use crate::path::Pattern;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::{Kind, Node, Place, pe};
use pdblens_formats::bytes::Span;
use pdblens_formats::pe::Directory;
use pdblens_formats::pe::relocations::{RelocationBlock, block, blocks};
use pdblens_session::session::Session;

/// The base relocations.
pub(crate) struct RelocationsNode;

/// One block, by its position.
pub(crate) struct BlockNode(pub u32);

impl Kind for RelocationsNode {
    const PATTERNS: &'static [Pattern] = &[("pe/relocations", |_| Ok(Place::Relocations))];

    fn listed(session: &Session) -> Vec<Place> {
        table(session).map(|_| Place::Relocations).into_iter().collect()
    }
}

impl Node for RelocationsNode {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pe/relocations")
    }

    fn parent(&self) -> Option<Place> {
        Some(Place::Pe)
    }

    fn exists(&self, session: &Session) -> bool {
        table(session).is_some()
    }

    fn absence(&self, session: &Session) -> Option<String> {
        let sentence = "the image has no base relocations: nothing in it depends on the address that it is loaded at";
        session.image().map(|_| sentence.to_owned())
    }

    fn rows<'s>(&self, session: &'s Session) -> Option<Rows<'s>> {
        let image = &session.image()?.pe;
        table(session)?;
        let row = |(index, block): (u32, RelocationBlock)| {
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
        let columns =
            vec![Head::number("block"), Head::number("page rva"), Head::number("entries"), Head::text("section")];
        Some(Rows::of("base relocations".to_owned(), columns, (0..).zip(blocks(image)).map(row).collect()))
    }

    fn bytes(&self, session: &Session) -> Option<Span> {
        table(session)
    }
}

impl Kind for BlockNode {
    const PATTERNS: &'static [Pattern] = &[("pe/relocations/N", |args| Ok(Place::RelocationBlock(args.number(0)?)))];

    const OWNERS: &'static [FindOwners] = &[(Turn::Records, |search| {
        let table = table(search.session).filter(|table| table.covers(search.byte));
        let Some(image) = search.session.image().filter(|_| table.is_some()) else { return };
        for (index, block) in (0..).zip(blocks(&image.pe)) {
            search.add(Place::RelocationBlock(index), block.span);
        }
    })];
}

impl Node for BlockNode {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pe/relocations/{}", self.0)
    }

    fn parent(&self) -> Option<Place> {
        Some(Place::Relocations)
    }

    fn exists(&self, session: &Session) -> bool {
        self.block(session).is_some()
    }

    fn fields(&self, session: &Session) -> Option<Fields> {
        let (found, image) = (self.block(session)?, &session.image()?.pe);
        let bytes = image.bytes(found.span).ok()?;
        let title = Place::RelocationBlock(self.0).to_string();
        Some(Fields::explain(
            title,
            bytes,
            |c| block(c).map(drop),
            |record, field| {
                let number = field.value.number().unwrap_or(0) as u32;
                if field.name() != "relocation" || number >> 12 == 0 {
                    return pe::pe_meaning(session, record, field);
                }
                let rva = found.page.wrapping_add(number & 0xfff);
                let len = if number >> 12 == 0xa { 8 } else { 4 };
                let text = format!("the {len} bytes at rva {rva:#x}");
                let at = image.at_rva(rva, len).ok();
                Some(at.map_or_else(
                    || Meaning::text(text.clone()),
                    |at| Meaning::to(text.clone(), Place::Bytes(at.span())),
                ))
            },
        ))
    }
}

impl BlockNode {
    fn block(&self, session: &Session) -> Option<RelocationBlock> {
        blocks(&session.image()?.pe).get(self.0 as usize).copied()
    }
}

/// Bytes of the table.
fn table(session: &Session) -> Option<Span> {
    session.image()?.pe.directory(Directory::RELOCATIONS)?.data
}
