//! Hashes, by the names that symbol files and images give them.

use sha2::Digest;

use crate::text::guids;
use pdblens_formats::bytes::Guid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// Each with the GUID that documents have for it, and the name that PDB checksums have.
const ALGORITHMS: [(Algorithm, Guid, &str); 5] = [
    (Algorithm::Md5, guids::MD5, "MD5"),
    (Algorithm::Sha1, guids::SHA1, "SHA1"),
    (Algorithm::Sha256, guids::SHA256, "SHA256"),
    (Algorithm::Sha384, guids::SHA384, "SHA384"),
    (Algorithm::Sha512, guids::SHA512, "SHA512"),
];

impl Algorithm {
    /// The one that documents mean by `guid`.
    pub fn of(guid: Guid) -> Option<Self> {
        ALGORITHMS.iter().find(|(_, known, _)| *known == guid).map(|(algorithm, ..)| *algorithm)
    }

    /// The one that a PDB checksum means by `name`, letter by letter.
    pub fn named(name: &str) -> Option<Self> {
        ALGORITHMS.iter().find(|(.., known)| *known == name).map(|(algorithm, ..)| *algorithm)
    }

    /// Name in a PDB checksum entry.
    pub fn name(self) -> &'static str {
        ALGORITHMS.iter().find(|(algorithm, ..)| *algorithm == self).map_or("?", |(.., name)| name)
    }

    /// Size of its hashes in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// Hash of the concatenated `parts`.
    pub fn digest(self, parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<u8> {
        match self {
            Self::Md5 => hash::<md5::Md5>(parts),
            Self::Sha1 => hash::<sha1::Sha1>(parts),
            Self::Sha256 => hash::<sha2::Sha256>(parts),
            Self::Sha384 => hash::<sha2::Sha384>(parts),
            Self::Sha512 => hash::<sha2::Sha512>(parts),
        }
    }
}

fn hash<D: Digest>(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<u8> {
    let mut digest = D::new();
    parts.into_iter().for_each(|part| digest.update(part.as_ref()));
    digest.finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::safe::hex;

    #[test]
    fn each_hashes_as_its_name_says() {
        // The hashes of "abc" that the algorithms' specifications give.
        for (algorithm, start) in [
            (Algorithm::Md5, "900150983cd24fb0"),
            (Algorithm::Sha1, "a9993e364706816a"),
            (Algorithm::Sha256, "ba7816bf8f01cfea"),
            (Algorithm::Sha384, "cb00753f45a35e8b"),
            (Algorithm::Sha512, "ddaf35a193617aba"),
        ] {
            let hash = algorithm.digest([b"a".as_slice(), b"bc"]);
            assert_eq!(hash.len(), algorithm.size());
            assert!(hex(&hash).starts_with(start), "{algorithm:?}");
            assert_eq!(Algorithm::named(algorithm.name()), Some(algorithm));
        }
        assert_eq!(Algorithm::named("sha256"), None);
        assert_eq!(Algorithm::of(guids::CSHARP), None);
    }
}
