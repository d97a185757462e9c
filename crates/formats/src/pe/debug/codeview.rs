use super::Payload;
use super::kind::{Decode, path};
use crate::bytes::{Cursor, Encoding, Error, FieldDoc, Guid, Recorder, Result, fields, record};

fields! {
    /// The PDB that belongs to the image: its id, and the path it was written to.
    RECORD: "codeview";
    /// The form of the record: RSDS names a PDB by GUID, NB10 by time stamp, and the other NB forms contain symbols.
    SIGNATURE: "signature";
    /// The offset of the symbols in the file; 0 if they are in a PDB.
    OFFSET: "offset" as Hex;
}

record! {
    /// The id of the PDB in an RSDS record.
    struct RsdsId: "rsds id" {
        /// The id of the PDB, which must be equal to the one in the PDB; the id of a portable PDB also has the time stamp of
        /// the debug directory entry.
        guid: Guid as Guid,
        /// The number of times the PDB had been written when the image was linked; always 1 for a portable PDB.
        age: u32,
    }
}

record! {
    /// The id of the PDB in an NB10 record.
    struct Nb10Id: "nb10 id" {
        /// When the PDB was created; the PDB has the same time stamp.
        time_stamp: u32 as Time,
        /// The number of times the PDB had been written when the image was linked; always 1 for a portable PDB.
        age: u32,
    }
}

/// The PDB that belongs to an image, as linkers and compilers have named it since Visual Studio .NET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rsds {
    /// The PDB's id.
    pub guid: Guid,
    /// Number of times that the PDB was written; always 1 for a portable one.
    pub age: u32,
    /// Path of the PDB when the image was built.
    pub path: String,
}

/// The PDB that belongs to an image, as Visual C++ up to 6.0 named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nb10 {
    /// When the PDB was made, in seconds since 1970; it is the PDB's id too.
    pub stamp: u32,
    /// Number of times that the PDB was written.
    pub age: u32,
    /// Path of the PDB when the image was built.
    pub path: String,
}

/// A CodeView record; its first four bytes say of which form. Most hold symbols, and only RSDS and NB10 name a PDB.
pub(super) struct CodeView;

impl Decode for CodeView {
    const RECORD: &'static FieldDoc = &RECORD;

    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Payload> {
        let start = c.position();
        match c.text(&SIGNATURE, 4, Encoding::Utf8)?.data {
            b"RSDS" => {
                let RsdsId { guid, age, .. } = RsdsId::decode_fields(c)?;
                Ok(Payload::Rsds(Rsds { guid, age, path: path(c)? }))
            }
            b"NB10" => {
                c.u32(&OFFSET)?;
                let Nb10Id { time_stamp, age, .. } = Nb10Id::decode_fields(c)?;
                Ok(Payload::Nb10(Nb10 { stamp: time_stamp, age, path: path(c)? }))
            }
            [b'N', b'B', b'0' | b'1', b'0'..=b'9'] => {
                c.u32(&OFFSET)?;
                Ok(Payload::Other)
            }
            _ => Err(Error::invalid(
                "the CodeView record begins with neither RSDS nor NB and two digits",
                c.since(start),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{KINDS, kind};
    use super::*;
    use crate::bytes::{Slice, SpaceId};

    fn read(bytes: &[u8]) -> Result<Payload> {
        (kind::of(2).read)(&mut Slice::new(bytes, SpaceId(0), 0).cursor())
    }

    #[test]
    fn the_four_forms() {
        assert_eq!(KINDS[2].name, "CodeView");
        let rsds = b"RSDS\x28\xa8\x22\x32\xba\xd6\x0f\x47\xac\x43\xbb\xba\x90\x7b\x2f\x03\x01\0\0\0/a/b.pdb\0\0\0";
        let guid = "3222a828-d6ba-470f-ac43-bbba907b2f03".parse().unwrap();
        assert_eq!(read(rsds), Ok(Payload::Rsds(Rsds { guid, age: 1, path: "/a/b.pdb".into() })));
        let nb10 = b"NB10\0\0\0\0\x44\x33\x22\x11\x02\0\0\0c:\\b.pdb\0";
        assert_eq!(read(nb10), Ok(Payload::Nb10(Nb10 { stamp: 0x1122_3344, age: 2, path: "c:\\b.pdb".into() })));
        assert_eq!(read(b"NB09\x08\0\0\0symbols"), Ok(Payload::Other));
        assert!(read(b"MTOC0123456789abcdef").is_err());
    }

    #[test]
    fn a_path_may_lack_its_end_but_not_be_missing() {
        let mut bytes = [b"RSDS".as_slice(), &[7; 20], b"x.pdb"].concat();
        assert!(matches!(read(&bytes), Ok(Payload::Rsds(Rsds { path, .. })) if path == "x.pdb"));
        bytes.truncate(24);
        assert!(read(&bytes).is_err());
    }
}
