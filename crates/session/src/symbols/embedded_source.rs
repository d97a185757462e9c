//! Source text inside a symbol file.

use pdblens_formats::bytes::{Error, Result, SOURCES, Slice, Spaces, Span};
use pdblens_formats::inflate::{ceiling, inflate};
use pdblens_formats::portable::PortablePdb;
use pdblens_formats::portable::custom::embedded_source::{self, Format};

/// The largest embedded source that is inflated.
const MAX_SOURCE: u64 = 256 << 20;

/// Text of a document inside the symbol file; [`EmbeddedSource::text`] inflates it.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedSource<'s> {
    pub span: Span,
    document: u32,
    content: Content<'s>,
}

#[derive(Clone, Copy, Debug)]
enum Content<'s> {
    /// Value of an EmbeddedSource record of a portable PDB.
    Record(&'s PortablePdb, Slice<'s>),
    /// Bytes of a Windows PDB: the same form from C# and Visual Basic, plain text from others.
    Any(&'s Spaces),
}

impl<'s> EmbeddedSource<'s> {
    pub(super) const fn of_record(pdb: &'s PortablePdb, document: u32, value: Slice<'s>) -> Self {
        Self { span: value.span(), document, content: Content::Record(pdb, value) }
    }

    pub(super) const fn of_span(spaces: &'s Spaces, document: u32, span: Span) -> Self {
        Self { span, document, content: Content::Any(spaces) }
    }

    /// The text, inflated if it is compressed.
    pub fn text(&self) -> Result<Vec<u8>> {
        match self.content {
            Content::Record(pdb, value) => {
                pdb.budget.take_bytes(SOURCES, size(value), self.span, self.document)?;
                inflated(value).transpose().unwrap_or_else(|| Ok(value.data.to_vec()))
            }
            Content::Any(spaces) => {
                let bytes = spaces.read(self.span)?;
                let slice = Slice::new(&bytes, self.span.space, self.span.start);
                spaces.budget().take_bytes(SOURCES, size(slice), self.span, self.document)?;
                Ok(inflated(slice).ok().flatten().unwrap_or_else(|| slice.data.to_vec()))
            }
        }
    }
}

/// Size of the text, as far as the record says one.
fn size(value: Slice<'_>) -> u64 {
    match embedded_source::decode(&mut value.cursor()).map(|source| source.format) {
        Ok(Format::Deflate(size)) => size.into(),
        _ => value.len(),
    }
}

fn inflated(value: Slice<'_>) -> Result<Option<Vec<u8>>> {
    let source = embedded_source::decode(&mut value.cursor())?;
    match source.format {
        Format::Raw => Ok(Some(source.content.data.to_vec())),
        Format::Deflate(size) => {
            inflate(source.content, u64::from(size), ceiling(source.content.len(), MAX_SOURCE)).map(Some)
        }
        Format::Reserved(format) => {
            Err(Error::unknown("format of the embedded source", format.cast_unsigned(), value.span()))
        }
    }
}
