//! Parts of symbol files that are written out as files of their own.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use pdblens_formats::bytes::{Space, SpaceId, Span};
use pdblens_formats::reason::Reason;
use pdblens_nodes::{self as nodes, MetadataPart, Place, Side};
use pdblens_session::session::Session;
use pdblens_session::source::Extraction;
use pdblens_session::store::new_file::Existing;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The PDB inside an image.
    Pdb,
    Sources,
    /// The text that says where a debugger gets the sources.
    SrcSrv,
    /// Streams of the PDB, whole.
    Streams,
}

/// Outcome of one part.
#[derive(Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "extracted"))]
pub struct Extracted {
    /// The document or the stream; the bytes of a PDB.
    pub place: Place,
    /// Its name in the symbols.
    pub name: String,
    /// The file it was written to, or would have been.
    #[serde(serialize_with = "pdblens_formats::serialize::path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// Bytes written, or the reason why not.
    #[serde(flatten, serialize_with = "written")]
    #[cfg_attr(feature = "schema", schemars(flatten, with = "Written"))]
    pub written: Result<u64, Reason>,
}

/// Schema of [`Extracted::written`].
#[cfg(feature = "schema")]
#[allow(dead_code)]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "kebab-case", inline)]
enum Written {
    /// Bytes that were written.
    Bytes(u64),
    /// Reason why it was not written.
    Error(Reason),
}

fn written<S: serde::Serializer>(written: &Result<u64, Reason>, serializer: S) -> Result<S::Ok, S::Error> {
    match written {
        Ok(bytes) => serializer.collect_map([("bytes", bytes)]),
        Err(reason) => serializer.collect_map([("error", reason)]),
    }
}

/// Writes the parts of these kinds into `folder`, which is made if it is not there; each kind into its subfolder, if that has a name.
pub fn extract(
    session: &Session,
    kinds: &[(Part, &str)],
    folder: &Path,
    existing: Existing,
) -> io::Result<Vec<Extracted>> {
    let mut extraction = Extraction::to(folder, existing)?;
    Ok(extract_into(&mut extraction, session, kinds, ""))
}

/// Writes the parts of one of several pairs into the folder of an extraction, below the path `pair` in it.
pub fn extract_into(
    extraction: &mut Extraction,
    session: &Session,
    kinds: &[(Part, &str)],
    pair: &str,
) -> Vec<Extracted> {
    let mut done = Vec::new();
    for (kind, subfolder) in kinds {
        let subfolder = [pair, subfolder].map(|step| step.trim_matches('/')).join("/");
        each(session, *kind, &mut |place, name, bytes| {
            let (path, written) = extraction.write(subfolder.trim_matches('/'), &name, bytes);
            done.push(Extracted { place, name, path, written });
        });
    }
    done
}

/// Receives a part: its place, its name, and its bytes or the reason why there are none.
type Each<'e> = dyn FnMut(Place, String, Result<Cow<'_, [u8]>, Reason>) + 'e;

fn each(session: &Session, kind: Part, part: &mut Each<'_>) {
    let (Some(file), Some(symbols)) = (session.symbol_file(), session.symbols()) else { return };
    match kind {
        Part::Pdb if file.embedded => {
            let image = session.image().and_then(|image| Path::new(&image.name).file_stem()).unwrap_or_default();
            let span = Span::new(file.space, 0, len(session, file.space));
            part(Place::Bytes(span), format!("{}.pdb", image.to_string_lossy()), read(session, span));
        }
        Part::Pdb => {}
        Part::Sources => {
            for document in 1..=symbols.documents() {
                let Some(source) = symbols.embedded_source(document) else { continue };
                let name = symbols.document(document).map(|found| found.name).unwrap_or_default();
                let text = source.text().map(Cow::Owned).map_err(|error| not_read(error.to_string()));
                part(Place::Document(document), name, text);
            }
        }
        Part::SrcSrv => {
            let stream = session.windows_pdb().and_then(|pdb| pdb.info.stream("srcsrv")).map(Place::Stream);
            if let Some((place, span)) = stream.and_then(|place| Some((place, nodes::bytes(session, place)?))) {
                part(place, "srcsrv.txt".to_owned(), read(session, span));
            }
        }
        Part::Streams => streams(session, file.space, part),
    }
}

/// Streams of an MSF file, or of metadata. Those over the same pages are together no longer than twice their file.
fn streams(session: &Session, file: SpaceId, part: &mut Each<'_>) {
    let mut left = len(session, file) * 2;
    let list = [Place::Streams, Place::Metadata(Side::Pdb, MetadataPart::Streams)];
    let Some(rows) = list.into_iter().find_map(|list| nodes::rows(session, list)) else { return };
    for row in rows.iter() {
        let Some((place, span)) = row.place.zip(row.span) else { continue };
        // The number of a stream and what it is, or the name of a stream of metadata.
        let number = matches!(place, Place::Stream(_)).then(|| row.cells.get(..2)).flatten();
        let cells = number.or_else(|| row.cells.get(..1)).unwrap_or_default();
        let name = cells.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" ");
        let bytes = match left.checked_sub(span.len) {
            Some(rest) => {
                left = rest;
                read(session, span)
            }
            None => Err(not_read("streams over the same pages are longer than their file")),
        };
        part(place, name.replace(['/', '\\'], "_"), bytes);
    }
}

fn len(session: &Session, space: SpaceId) -> u64 {
    session.spaces().get(space).map_or(0, Space::len)
}

fn read(session: &Session, span: Span) -> Result<Cow<'_, [u8]>, Reason> {
    session.spaces().read(span).map_err(|error| not_read(session.spaces().error_text(&error)))
}

fn not_read(text: impl Into<String>) -> Reason {
    Reason::new("not-read", text)
}
