//! The hash of a symbol file, as the image's PDB checksum entry has it.
//!
//! It is taken with zeros where the id is: twenty bytes in a portable PDB, GUID and stamp in a Windows PDB. The reader of each
//! format knows where those bytes are.

use super::digest::Algorithm;
use crate::session::Session;
use pdblens_formats::bytes::{Error, Result, SpaceId, Spaces, Span};

/// Bytes hashed at a time.
const CHUNK: u64 = 1 << 20;

/// The hash of the symbol file with zeros where its id is; nothing where the format has no such hash, or its id is unknown.
pub fn symbol_hash(session: &Session, algorithm: Algorithm) -> Option<Result<Vec<u8>>> {
    let file = session.symbol_file()?;
    hash_without_id(session.spaces(), file.space, file.content.id_spans(), algorithm)
}

/// Hash of a file with zeros in place of its id; `None` without an id.
fn hash_without_id(spaces: &Spaces, file: SpaceId, id: Vec<Span>, algorithm: Algorithm) -> Option<Result<Vec<u8>>> {
    let mut zeros: Vec<Span> = Vec::new();
    for span in id {
        if span.space == file {
            zeros.push(span);
        } else {
            // In a stream of an MSF file: the pages that it is in.
            zeros.extend(spaces.resolve(span).into_iter().filter(|piece| piece.exact).map(|piece| piece.span));
        }
    }
    if zeros.is_empty() {
        return None;
    }
    let whole = Span::new(file, 0, spaces.get(file)?.len());
    if zeros.iter().any(|zero| !whole.covers(*zero)) {
        return Some(Err(Error::invalid("the id is not in the file", whole)));
    }
    let mut failed = None;
    let parts = (0..whole.len.div_ceil(CHUNK)).map_while(|number| {
        let from = number * CHUNK;
        let part = whole.part(from, CHUNK.min(whole.len - from));
        read_zeroed(spaces, part, &zeros).map_err(|error| failed = Some(error)).ok()
    });
    let hash = algorithm.digest(parts);
    Some(failed.map_or(Ok(hash), Err))
}

/// The bytes of `part`, with zeros in place of `zeros`.
fn read_zeroed(spaces: &Spaces, part: Span, zeros: &[Span]) -> Result<Vec<u8>> {
    let mut bytes = spaces.read(part)?.into_owned();
    for zero in zeros {
        let from = zero.start.saturating_sub(part.start).min(part.len) as usize;
        let to = zero.end().saturating_sub(part.start).min(part.len) as usize;
        if let Some(bytes) = bytes.get_mut(from..to) {
            bytes.fill(0);
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{Origin, Storage};

    #[test]
    fn an_id_in_a_stream_is_zeroed_in_the_pages_of_the_file() {
        let mut spaces = Spaces::default();
        let file = spaces.add_bytes("f", Origin::File("f".into()), (1..=16).collect::<Vec<u8>>()).span().space;
        let pages = Origin::Pages { file, page_size: 4, pages: [3, 1].into(), first: 0 };
        let stream = spaces.add("stream 1", pages, 8, Storage::Derived);
        // Bytes 2 to 5 of the stream: the last two of page 3, the first two of page 1.
        let hash = |spans: Vec<Span>| hash_without_id(&spaces, file, spans, Algorithm::Sha256);
        let zeroed: Vec<u8> = vec![1, 2, 3, 4, 0, 0, 7, 8, 9, 10, 11, 12, 13, 14, 0, 0];
        let wanted = Algorithm::Sha256.digest([&zeroed]);
        assert_eq!(hash(vec![Span::new(stream, 2, 4)]), Some(Ok(wanted)));
        assert_eq!(hash(Vec::new()), None);
        assert!(matches!(hash(vec![Span::new(file, 10, 20)]), Some(Err(_))));
    }
}
