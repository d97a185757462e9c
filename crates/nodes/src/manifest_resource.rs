//! Content of manifest resources: files that a compiler put into the image, by row of ManifestResource (ECMA-335 II.24.2.1).

use crate::fields::{Fields, Meaning};
use crate::kind::Kind;
use crate::owner::Turn;
use crate::place::{Place, Side};
use pdblens_formats::bytes::{Slice, fields};
use pdblens_formats::metadata::TableId;
use pdblens_session::session::Session;
use pdblens_session::text::safe::utf8;

/// First bytes of the `.resources` files of .NET.
const RESOURCES_MAGIC: [u8; 4] = [0xce, 0xca, 0xef, 0xbe];
/// Column of the offset, the name, and the other file that has the resource.
const OFFSET: usize = 0;
const NAME: usize = 2;
const IMPLEMENTATION: usize = 3;

fields! {
    /// A file in the image, which the runtime finds by its name.
    RESOURCE: "manifest resource";
    /// The size of the resource in bytes.
    LENGTH: "length";
    /// The bytes of the resource; their format is that of the compiler or the program that reads them.
    RESOURCE_BYTES: "resource bytes";
}

pub(crate) const MANIFEST_RESOURCE: Kind<u32> = Kind {
    owners: &[(Turn::Records, |search| {
        if search.is_in_image() {
            for row in 1..=count(search.session) {
                let span = bytes(search.session, row).map(Slice::span);
                search.add(Place::ManifestResource(row), span.unwrap_or_default());
            }
        }
    })],
    parent: |row| Some(Place::Row(Side::Image, TableId::MANIFEST_RESOURCE, row)),
    exists: |session, row| bytes(session, row).is_some(),
    absence: |session, _| {
        let count = count(session);
        session
            .image()
            .map(|_| format!("the image has {count} manifest resources, and the content of this one is not in it"))
    },
    fields: |session, row| {
        let content = bytes(session, row)?;
        let metadata = Side::Image.metadata(session)?;
        let name = metadata.string_cell(TableId::MANIFEST_RESOURCE, row, NAME).map(|name| utf8(name.data)).ok()?;
        let title = format!("{} · {name}", Place::ManifestResource(row));
        let format = if name.starts_with("FSharpSignatureData") {
            "F# signatures, as the F# compiler pickles them"
        } else if name.starts_with("FSharpOptimizationData") {
            "F# code that can be inlined, as the F# compiler pickles it"
        } else if content.data.get(4..8) == Some(&RESOURCES_MAGIC) {
            "a .resources file of .NET: names and values"
        } else {
            "a file of the program"
        };
        let decode = |c: &mut pdblens_formats::bytes::Cursor<'_, pdblens_formats::bytes::Recording>| {
            c.group(&RESOURCE, |c| {
                c.u32(&LENGTH)?;
                c.bytes(&RESOURCE_BYTES, c.left()).map(drop)
            })
        };
        Some(Fields::explain(title, content, decode, |_, field| {
            (field.name() == RESOURCE_BYTES.name).then(|| Meaning::text(format))
        }))
    },
    ..Kind::NEW
};

pub fn count(session: &Session) -> u32 {
    Side::Image.metadata(session).map_or(0, |metadata| metadata.rows(TableId::MANIFEST_RESOURCE))
}

/// Length and content of a resource; `None` where another file has it.
fn bytes(session: &Session, row: u32) -> Option<Slice<'_>> {
    let (image, metadata) = (session.image()?, Side::Image.metadata(session)?);
    let cell = |column| metadata.table(TableId::MANIFEST_RESOURCE).cell(row, column).ok();
    if cell(IMPLEMENTATION)? != 0 {
        return None;
    }
    let directory = image.pe.cli?.resources();
    let offset = cell(OFFSET)?;
    if offset >= directory.size {
        return None;
    }
    let rva = directory.rva.checked_add(offset)?;
    let head = image.pe.at_rva(rva, 4).ok()?;
    let len = u32::from_le_bytes(head.data.try_into().ok()?);
    image.pe.at_rva(rva, len.checked_add(4)?).ok()
}
