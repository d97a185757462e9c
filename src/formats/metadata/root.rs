//! The metadata root (ECMA-335 II.24.2.1): a magic number, a version, and the list of streams.

use crate::bytes::{Cursor, Encoding, Error, ErrorKind, Recorder, Region, Result, Span};

/// `BSJB`, which begins every metadata root — and so every portable PDB.
pub const MAGIC: u32 = 0x424a_5342;

/// The metadata root.
#[derive(Clone, Debug)]
pub struct Root {
    /// All the bytes that the root's offsets count in.
    pub region: Region,
    /// The root itself, up to the end of its stream headers.
    pub span: Span,
    /// `v4.0.30319` in images, `PDB v1.0` in portable PDBs.
    pub version: String,
    /// The streams, in the order of their headers.
    pub streams: Vec<StreamHeader>,
    /// What is wrong with it.
    pub problems: Vec<Error>,
}

/// What the root says of a stream.
#[derive(Clone, Debug)]
pub struct StreamHeader {
    /// Its name: `#~`, `#Strings`, `#Pdb` …
    pub name: String,
    /// Where it begins, from the root.
    pub offset: u32,
    /// How many bytes it takes.
    pub size: u32,
    /// Where this is said.
    pub header: Span,
    /// Its bytes, as far as the file has them.
    pub region: Region,
}

impl Root {
    /// Reads the root that begins `region`.
    pub fn parse(region: Region) -> Result<Self> {
        let mut cursor = region.cursor();
        let mut problems = Vec::new();
        let (version, headers) = decode(&mut cursor, &mut problems)?;
        let span = cursor.since(region.span().start);
        let streams = headers.into_iter().map(|header| header.locate(&region, &mut problems)).collect();
        Ok(Self { region, span, version, streams, problems })
    }

    /// The first stream with this name.
    pub fn stream(&self, name: &str) -> Option<&StreamHeader> {
        self.streams.iter().find(|stream| stream.name == name)
    }
}

struct Header {
    name: String,
    offset: u32,
    size: u32,
    span: Span,
}

impl Header {
    fn locate(self, root: &Region, problems: &mut Vec<Error>) -> StreamHeader {
        let region = root.clip(self.offset as u64, self.size as u64);
        if region.len() < self.size as u64 {
            problems
                .push(Error::new(ErrorKind::UnexpectedEnd { wanted: self.size as u64, left: region.len() }, self.span));
        }
        StreamHeader { name: self.name, offset: self.offset, size: self.size, header: self.span, region }
    }
}

/// Reads one stream header; noting, its fields tile [`StreamHeader::header`].
pub fn explain_stream_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group("stream header", stream_header).map(|_| ())
}

/// Reads the root; noting, its fields tile [`Root::span`].
pub fn explain<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    decode(cursor, &mut Vec::new()).map(|_| ())
}

fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, problems: &mut Vec<Error>) -> Result<(String, Vec<Header>)> {
    cursor.group("metadata root", |cursor| {
        let start = cursor.position();
        if cursor.u32("signature")? != MAGIC {
            return Err(Error::invalid("metadata begins with BSJB, and this does not", cursor.since(start)));
        }
        cursor.u16("major version")?;
        cursor.u16("minor version")?;
        cursor.u32("reserved")?;
        let length = cursor.u32("version length")?;
        let version = cursor.text("version", length as u64, Encoding::Utf8)?;
        let version = version.data.split(|b| *b == 0).next().unwrap_or_default();
        cursor.u16("flags")?;
        let count = cursor.u16("streams")?;
        let mut headers = Vec::new();
        for _ in 0..count {
            match cursor.group("stream header", stream_header) {
                Ok(header) => headers.push(header),
                Err(error) => {
                    problems.push(error);
                    break;
                }
            }
        }
        Ok((String::from_utf8_lossy(version).into_owned(), headers))
    })
}

fn stream_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Header> {
    let start = cursor.position();
    let (offset, size) = (cursor.u32("offset")?, cursor.u32("size")?);
    let name = cursor.text_z("name")?;
    let name = String::from_utf8_lossy(name.data).into_owned();
    // Names are padded to four bytes, counted from the header, which begins at a multiple of four.
    let padding = (4 - (cursor.position() - start) % 4) % 4;
    if padding > 0 {
        cursor.bytes("padding", padding.min(cursor.left()))?;
    }
    Ok(Header { name, offset, size, span: cursor.since(start) })
}
