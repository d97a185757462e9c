//! The metadata root (ECMA-335 II.24.2.1): a magic number, a version, and the list of streams.

use crate::bytes::{Cursor, Encoding, Error, ErrorKind, Recorder, Region, Result, Slice, Span, fields, or_problem};

/// `BSJB`, the signature at the start of every metadata root, and so of every portable PDB.
pub const MAGIC: u32 = 0x424a_5342;

fields! {
    /// The start of all metadata: a version, and the list of the streams.
    METADATA_ROOT: "metadata root";
    /// BSJB, the initials of its four authors; every portable PDB begins with it.
    SIGNATURE: "signature" as Hex;
    /// Always 1.
    MAJOR_VERSION: "major version";
    /// Always 1.
    MINOR_VERSION: "minor version";
    /// Reserved; must be 0.
    RESERVED: "reserved";
    /// The size of the version in bytes, padded to a multiple of 4.
    VERSION_LENGTH: "version length";
    /// The version of the runtime that the image is for (v4.0.30319 to this day), or PDB v1.0.
    VERSION: "version";
    /// Reserved; must be 0.
    FLAGS: "flags";
    /// The number of stream headers that follow.
    STREAMS: "streams";
    /// The location and name of one stream.
    STREAM_HEADER: "stream header";
    /// The offset of the stream from the start of the metadata root.
    OFFSET: "offset" as Hex;
    /// The size of the stream in bytes, a multiple of 4.
    SIZE: "size";
    /// The name of the stream: #~ contains the tables, #Strings names, #US string literals, #GUID GUIDs, #Blob all
    /// else, and #Pdb the id of a PDB.
    NAME: "name";
    /// Zero bytes that fill the header up to a multiple of 4.
    HEADER_PADDING: "padding";
}

/// Number of bytes that are read at first for the stream headers: no compiler writes more.
const MAX_HEADERS: u64 = 0x1000;
/// Streams that are listed: compilers write at most seven, obfuscators a few more, and every question costs their number.
const MAX_STREAMS: u16 = 256;

/// The metadata root (ECMA-335 II.24.2.1).
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Root {
    /// Bytes from the root on, which stream offsets are relative to.
    pub region: Region,
    /// Signature to last stream header.
    pub span: Span,
    /// `v4.0.30319` in images since .NET Framework 4, `PDB v1.0` in portable PDBs.
    pub version: String,
    /// In the order of the headers.
    pub streams: Vec<StreamHeader>,
    pub problems: Vec<Error>,
}

/// A stream header (ECMA-335 II.24.2.2).
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct StreamHeader {
    /// `#~`, `#Strings`, `#Pdb`, …
    pub name: String,
    /// Offset from the root.
    pub offset: u32,
    /// Size in bytes, as stated.
    pub size: u32,
    pub header: Span,
    /// Bytes of the stream, fewer than `size` if the file is truncated.
    pub region: Region,
}

impl Root {
    /// Reads the root at the start of `region`.
    pub fn parse(region: Region) -> Result<Self> {
        let mut problems = Vec::new();
        let start = region.near(0, MAX_HEADERS);
        let (version, headers, span) = match read(start, &mut problems) {
            Ok(read) if problems.is_empty() => read,
            // The headers of a hostile file may be longer, so all bytes are tried.
            _ => {
                problems.clear();
                read(region.slice(), &mut problems)?
            }
        };
        let streams: Vec<_> = headers.into_iter().map(|header| header.locate(&region, &mut problems)).collect();
        overlaps(&streams, span, &mut problems);
        Ok(Self { region, span, version, streams, problems })
    }

    /// Returns the stream of the tables: `#~`, or `#-` for uncompressed metadata.
    pub fn table_stream(&self) -> Option<&StreamHeader> {
        self.stream("#~").or_else(|| self.stream("#-"))
    }

    /// Returns true if the header of a stream is at fault: the stream extends past the end, or shares bytes with another.
    pub(crate) fn is_misplaced(&self, name: &str) -> bool {
        self.problems.iter().any(|problem| match problem.kind {
            ErrorKind::PastEnd { what, .. } => what == name,
            ErrorKind::Overlap { what, other, .. } => what == name || other == name,
            _ => false,
        })
    }

    /// Returns the first stream with this name.
    pub fn stream(&self, name: &str) -> Option<&StreamHeader> {
        self.streams.iter().find(|stream| stream.name == name)
    }
}

struct RootStream {
    name: String,
    offset: u32,
    size: u32,
    span: Span,
}

impl RootStream {
    fn locate(self, root: &Region, problems: &mut Vec<Error>) -> StreamHeader {
        let region = root.clip(self.offset as u64, self.size as u64);
        if region.len() < self.size as u64 {
            let (what, size) = (static_name(&self.name), self.size as u64);
            problems.push(Error::new(ErrorKind::PastEnd { what, size, left: region.len() }, self.span));
        }
        StreamHeader { name: self.name, offset: self.offset, size: self.size, header: self.span, region }
    }
}

/// Names of the streams that ECMA-335 II.24.2.2, Portable PDB v1.0 and Edit and Continue define.
const NAMES: [&str; 8] = ["#~", "#-", "#Strings", "#US", "#GUID", "#Blob", "#Pdb", "#JTD"];

/// Returns true if the format defines a stream of this name.
pub(super) fn is_known(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Returns the name of a stream, as far as the format defines it.
fn static_name(name: &str) -> &'static str {
    NAMES.into_iter().find(|known| *known == name).unwrap_or("a stream of an unknown name")
}

/// Adds a problem for each stream that begins before the one before it has ended, or inside the headers.
fn overlaps(streams: &[StreamHeader], headers: Span, problems: &mut Vec<Error>) {
    // One that extends past the end is a problem already.
    let fits = |stream: &&StreamHeader| stream.region.len() == u64::from(stream.size) && !stream.region.is_empty();
    let mut order: Vec<_> = streams.iter().filter(fits).collect();
    order.sort_by_key(|stream| stream.offset);
    let mut before = ("the list of streams", headers.end());
    let mut told = None;
    for stream in order {
        let (what, span) = (static_name(&stream.name), stream.region.span());
        let by = before.1.saturating_sub(span.start).min(span.len);
        // Streams inside one that is too long are told once.
        if by > 0 && (told != Some(before.0) || by < span.len) {
            told = Some(before.0);
            problems.push(Error::new(ErrorKind::Overlap { what, other: before.0, by }, stream.header));
        }
        before = if span.end() > before.1 { (what, span.end()) } else { before };
    }
}

/// Decodes a stream header; the recorded fields tile [`StreamHeader::header`].
pub fn explain_stream_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&STREAM_HEADER, stream_header).map(|_| ())
}

/// Reads version, stream headers, and the span of both.
fn read(slice: Slice<'_>, problems: &mut Vec<Error>) -> Result<(String, Vec<RootStream>, Span)> {
    let mut cursor = slice.cursor();
    let (version, headers) = decode(&mut cursor, problems)?;
    Ok((version, headers, cursor.since(slice.start)))
}

/// Decodes the root; the recorded fields tile [`Root::span`].
pub fn explain<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    decode(cursor, &mut Vec::new()).map(|_| ())
}

fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, problems: &mut Vec<Error>) -> Result<(String, Vec<RootStream>)> {
    cursor.group(&METADATA_ROOT, |cursor| {
        let start = cursor.position();
        if cursor.u32(&SIGNATURE)? != MAGIC {
            return Err(Error::invalid("the metadata does not begin with BSJB", cursor.since(start)));
        }
        cursor.u16(&MAJOR_VERSION)?;
        cursor.u16(&MINOR_VERSION)?;
        cursor.u32(&RESERVED)?;
        let length = cursor.u32(&VERSION_LENGTH)?;
        let version = cursor.text(&VERSION, length as u64, Encoding::Utf8)?;
        let version = version.data.split(|b| *b == 0).next().unwrap_or_default();
        cursor.u16(&FLAGS)?;
        let start = cursor.position();
        let count = cursor.u16(&STREAMS)?;
        if count > MAX_STREAMS {
            let left_out = u64::from(count.saturating_sub(MAX_STREAMS));
            let kind = ErrorKind::LeftOut { what: "streams", count: left_out, max: MAX_STREAMS.into() };
            problems.push(Error::new(kind, cursor.since(start)));
        }
        let headers = (0..count.min(MAX_STREAMS))
            .map_while(|_| or_problem(cursor.group(&STREAM_HEADER, stream_header), problems))
            .collect();
        Ok((String::from_utf8_lossy(version).into_owned(), headers))
    })
}

fn stream_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<RootStream> {
    let start = cursor.position();
    let (offset, size) = (cursor.u32(&OFFSET)?, cursor.u32(&SIZE)?);
    let name = cursor.text_z(&NAME)?.lossy();
    // Headers are padded to 4 bytes from their start, which is itself aligned.
    let len = cursor.since(start).len;
    let padding = len.next_multiple_of(4) - len;
    if padding > 0 {
        cursor.bytes(&HEADER_PADDING, padding.min(cursor.left()))?;
    }
    Ok(RootStream { name, offset, size, span: cursor.since(start) })
}
