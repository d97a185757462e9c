//! The smallest named structure around a byte: a heap, a stream, a section.

use crate::place::Side;
use crate::stream::PdbView;
use pdblens_formats::bytes::{Space, SpaceId, Span};
use pdblens_session::session::Session;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Within {
    /// The file, and what in it: `App.pdb #Blob`.
    pub name: String,
    pub span: Span,
    /// Offset of the byte in its file; `None` where the space is the file, or where no file has the byte as it is.
    pub in_file: Option<u64>,
}

pub fn within(session: &Session, space: SpaceId, offset: u64) -> Within {
    let byte = Span::new(space, offset, 1);
    let file = |space| session.spaces().get(space).map_or("".into(), Space::name);
    let whole = Span::new(space, 0, session.spaces().get(space).map_or(0, Space::len));
    if let Some(view) = PdbView::of(session).filter(|view| view.pdb.msf.file != space) {
        let of_msf = session
            .spaces()
            .get(space)
            .is_some_and(|space| matches!(space.origin, pdblens_formats::bytes::Origin::Pages { .. }));
        if of_msf {
            let in_file = session.spaces().resolve(byte).first().map(|piece| piece.span.start);
            let name = format!("{} {}", file(view.pdb.msf.file), file(space));
            return Within { name, span: whole, in_file };
        }
    }
    let named = named_stream(session, byte).or_else(|| named_section(session, byte));
    match named {
        Some((name, span)) => Within { name: format!("{} {name}", file(space)), span, in_file: Some(offset) },
        None => Within { name: file(space).into_owned(), span: whole, in_file: None },
    }
}

/// The bytes that [`within`] calls by a name: `App.pdb #Blob`, `App.pdb stream 6`, `App.dll .text`.
pub fn named(session: &Session, name: &str) -> Option<Span> {
    let spaces = || session.spaces().iter();
    let parts = spaces().filter_map(|(id, space)| {
        let part = name.strip_prefix(&*space.name())?.strip_prefix(' ')?;
        Some((id, part))
    });
    parts.into_iter().find_map(|(id, part)| {
        let stream = || {
            let mut streams = Side::loaded(session).flat_map(|(_, metadata)| &metadata.root.streams);
            streams
                .find(|stream| stream.name == part && stream.region.span().space == id)
                .map(|found| found.region.span())
        };
        let section = || {
            let mut sections = session.image()?.pe.sections.iter();
            sections.find(|section| section.name == part && section.data.space == id).map(|found| found.data)
        };
        let of_msf = || session.spaces().named(part).map(|(id, space)| Span::new(id, 0, space.len()));
        stream().or_else(section).or_else(of_msf)
    })
}

fn named_stream(session: &Session, byte: Span) -> Option<(&str, Span)> {
    let mut streams = Side::loaded(session).flat_map(|(_, metadata)| &metadata.root.streams);
    let found = streams.find(|stream| stream.region.span().covers(byte))?;
    Some((found.name.as_str(), found.region.span()))
}

fn named_section(session: &Session, byte: Span) -> Option<(&str, Span)> {
    let found = session.image()?.pe.sections.iter().find(|section| section.data.covers(byte))?;
    Some((found.name.as_str(), found.data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_bytes() {
        let sample = |name: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/").to_owned() + name;
        for (files, wanted) in [
            (["ticker/Ticker.dll", "ticker/Ticker.pdb"], ["Ticker.dll #~", "Ticker.dll .text", "Ticker.pdb #Blob"]),
            (
                ["parcel/parcel.exe", "parcel/parcel.pdb"],
                ["parcel.exe .text", "parcel.pdb stream 3", "parcel.pdb stream 1"],
            ),
        ] {
            let session = Session::open(&files.map(|file| sample(file).into())).unwrap();
            for name in wanted {
                let span = named(&session, name).unwrap_or_else(|| panic!("{name}"));
                // The last byte of a section is in no stream of metadata.
                let found = within(&session, span.space, span.end() - 1);
                assert_eq!((found.name.as_str(), found.span), (name, span));
            }
            assert_eq!(named(&session, "Ticker.dll #None"), None);
        }
    }
}
