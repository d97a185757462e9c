//! Lessons on MSF: the superblock, the directory, and the headers of its relatives.

use super::{Lesson, Show, lesson};

const MAP: &[(u64, &str)] = &[(1, "map 1"), (2, "map 2")];
const COMPRESSION: &[(u64, &str)] = &[(0, "none"), (1, "Zstandard"), (2, "Deflate")];

pub(crate) const LESSONS: &[Lesson] = &[
    lesson("page", "content", Show::Plain, "What the page holds: a piece of what its owner is."),
    lesson("page", "unused", Show::Plain, "Behind the end of a stream: whatever was there before, or zeros."),
    lesson("stream bytes", "content", Show::Plain, "Bytes of which the layout is not known, or was lost."),
    lesson(
        "stream bytes",
        "text",
        Show::Plain,
        "Text as it stands: what it says is for whoever asks for the stream by its name.",
    ),
    lesson(
        "superblock",
        "magic",
        Show::Plain,
        "Says that this is an MSF file, version 7.00; the 0x1A stops a DOS `type`.",
    ),
    lesson(
        "superblock",
        "page size",
        Show::Plain,
        "All of the file is pages of this many bytes: page N begins at N × page size.",
    ),
    lesson(
        "superblock",
        "active free page map",
        Show::OneOf(MAP),
        "Which of the two free page maps counts; a commit writes the other one and then changes this number.",
    ),
    lesson(
        "superblock",
        "page count",
        Show::Plain,
        "How many pages the file has: fewer bytes than that, and it was cut short.",
    ),
    lesson(
        "superblock",
        "directory size",
        Show::Plain,
        "How many bytes the stream directory has; its pages are in the page list.",
    ),
    lesson("superblock", "unused", Show::Hex, "Was a pointer in the memory of the program that wrote the file."),
    lesson(
        "superblock",
        "page of the directory's page list",
        Show::Plain,
        "The page with the numbers of the directory's pages: superblock → page list → directory → streams.",
    ),
    lesson(
        "stream directory",
        "stream count",
        Show::Plain,
        "How many streams there are, counting those that do not exist.",
    ),
    lesson(
        "stream sizes",
        "size of stream",
        Show::Plain,
        "How many bytes the stream has; 0xFFFFFFFF says that there is no such stream.",
    ),
    lesson(
        "stream pages",
        "page of stream",
        Show::Plain,
        "The next page of a stream: each has as many of these as its size needs, one stream after the other.",
    ),
    lesson(
        "stream directory",
        "left over",
        Show::Plain,
        "Bytes behind the pages of the last stream, which nothing should need.",
    ),
    lesson(
        "small header",
        "magic",
        Show::Plain,
        "Says that this is an MSF file, version 2.00: from before Visual C++ 7.",
    ),
    lesson("small header", "page size", Show::Plain, "All of the file is pages of this many bytes, 4096 at most."),
    lesson("small header", "active free page map", Show::Plain, "The first page of the free page map that counts."),
    lesson(
        "small header",
        "page count",
        Show::Plain,
        "How many pages the file has: 16 bits, hence the name small MSF.",
    ),
    lesson("small header", "directory size", Show::Plain, "How many bytes the stream directory has."),
    lesson("small header", "unused", Show::Hex, "Was a pointer in the memory of the program that wrote the file."),
    lesson(
        "small header",
        "page of the directory",
        Show::Plain,
        "A page of the stream directory: here without a page list between.",
    ),
    lesson(
        "msfz header",
        "magic",
        Show::Plain,
        "Says that this is an MSFZ file, the compressed form of a Windows PDB.",
    ),
    lesson("msfz header", "version", Show::Plain, "The version of the format; 0 is the first."),
    lesson("msfz header", "directory offset", Show::Offset, "Where the stream directory begins."),
    lesson("msfz header", "chunk table offset", Show::Offset, "Where the table of compressed chunks begins."),
    lesson("msfz header", "stream count", Show::Plain, "How many streams there are."),
    lesson("msfz header", "directory compression", Show::OneOf(COMPRESSION), "How the stream directory is compressed."),
    lesson(
        "msfz header",
        "directory compressed size",
        Show::Plain,
        "How many bytes the stream directory takes in the file.",
    ),
    lesson(
        "msfz header",
        "directory size",
        Show::Plain,
        "How many bytes the stream directory has once it is decompressed.",
    ),
    lesson(
        "msfz header",
        "chunk count",
        Show::Plain,
        "How many compressed chunks there are; streams are pieces of them.",
    ),
    lesson("msfz header", "chunk table size", Show::Plain, "How many bytes the table of chunks has: 20 a chunk."),
];

#[cfg(test)]
pub(crate) mod tests {
    use super::super::find;
    use crate::bytes::{Cursor, Field, Noted, Result, Slice, SpaceId, Value};
    use crate::formats::msf::{Directory, MAGIC, Superblock, msf2, msfz};

    /// The record and the name of each field that has no lesson.
    pub(crate) fn without_lesson(fields: &[Field]) -> Vec<(&'static str, &'static str)> {
        let mut groups = Vec::new();
        let mut found = Vec::new();
        for field in fields {
            groups.truncate(field.depth as usize);
            if field.value == Value::Group {
                groups.push(field.name);
            } else if let Some(record) = groups.last()
                && find(record, field.name).is_none()
            {
                found.push((*record, field.name));
            }
        }
        found
    }

    fn fields(bytes: &[u8], decode: impl FnOnce(&mut Cursor<'_, Noted>) -> Result<()>) -> Vec<Field> {
        let mut cursor = Cursor::noting(Slice::new(bytes, SpaceId(0), 0));
        decode(&mut cursor).unwrap();
        assert!(cursor.consumed() > 0);
        cursor.fields()
    }

    #[test]
    fn every_field_has_one() {
        let numbers = |magic: &[u8], numbers: &[u32]| -> Vec<u8> {
            magic.iter().copied().chain(numbers.iter().flat_map(|n| n.to_le_bytes())).collect()
        };
        let all = [
            fields(&numbers(MAGIC, &[512, 1, 8, 24, 0, 7]), |c| Superblock::decode(c).map(drop)),
            fields(&numbers(&[], &[1, 4, 5, 6]), |c| Directory::decode(c, 512).map(drop)),
            fields(&numbers(msf2::MAGIC, &[1024, 1, 8, 0, 7]), |c| msf2::Msf2Header::decode(c).map(drop)),
            fields(&numbers(msfz::MAGIC, &[0; 12]), |c| msfz::MsfzHeader::decode(c).map(drop)),
        ];
        assert_eq!(without_lesson(&all.concat()), []);
    }
}
