//! Kinds whose blobs are texts.

use super::super::tokens::{Token, items, plain, quoted, tokens};
use super::super::{Codec, EncodeError, Encoded, each, number, put_unsigned};
use super::{codec, explained};
use pdblens_formats::bytes::{Guid, Slice, hex};
use pdblens_formats::portable::custom::{
    compilation_options, compilation_references, default_namespace, embedded_source, name_snapshot, source_link,
    tuple_names,
};

pub(in super::super) const TUPLE_NAMES: Codec = codec(
    "tuple-names",
    "element names of the tuples of a variable, \"\" for none: low \"\" high",
    ("61 00 00 62 00", "a \"\" b"),
    |c| {
        let blob = explained(tuple_names::GUID, c)?;
        let names = tuple_names::decode(&mut blob.cursor())?;
        Ok(names.iter().map(word).collect::<Vec<_>>().join(" "))
    },
    |text| each(plain(tokens(text)?)?, |out, name| put_z(out, &name)),
);

pub(in super::super) const OPTIONS: Codec = codec(
    "options",
    "compilation options: language=C#; nullable=Enable",
    ("6c 61 6e 67 75 61 67 65 00 43 23 00", "language=C#"),
    |c| {
        let blob = explained(compilation_options::GUID, c)?;
        let options = compilation_options::decode(&mut blob.cursor())?;
        let all = options.iter().map(|option| format!("{}={}", word(&option.name), word(&option.value)));
        Ok(all.collect::<Vec<_>>().join("; "))
    },
    |text| {
        each(items(text)?, |out, item| {
            let [Token::Word(name), Token::Equals, value @ ..] = item.as_slice() else {
                return Err(EncodeError::new(shown(&item), "an option is expected, such as language=C#"));
            };
            put_z(out, name)?;
            put_z(out, &plain(value.to_vec())?.join(" "))
        })
    },
);

pub(in super::super) const REFERENCES: Codec = codec(
    "references",
    "references of the compilation: a.dll aliases=\"\" flags=0x1 stamp=0x1 size=0x2000 mvid=GUID",
    (
        "61 2e 64 6c 6c 00 00 01 01 00 00 00 00 20 00 00 10 b8 a7 6b ad 9d d1 11 80 b4 00 c0 4f d4 30 c8",
        "a.dll aliases=\"\" flags=0x1 stamp=0x1 size=0x2000 mvid=6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    ),
    |c| {
        let blob = explained(compilation_references::GUID, c)?;
        let references = compilation_references::decode(&mut blob.cursor())?;
        let one = |found: &compilation_references::Reference<'_>| {
            let (file, aliases) = (word(&found.file), word(&found.aliases));
            let (flags, stamp, size) = (found.flags, found.time_stamp, found.size_of_image);
            format!("{file} aliases={aliases} flags={flags:#x} stamp={stamp:#x} size={size:#x} mvid={}", found.mvid)
        };
        Ok(references.iter().map(one).collect::<Vec<_>>().join("; "))
    },
    |text| each(items(text)?, |out, item| put_reference(out, &item)),
);

fn put_reference(out: &mut Vec<u8>, item: &[Token]) -> Encoded<()> {
    let [Token::Word(file), members @ ..] = item else {
        return Err(EncodeError::new(shown(item), "the file name of a reference is expected"));
    };
    let member = |name: &str| {
        let found = members.windows(3).find_map(|window| match window {
            [Token::Word(given), Token::Equals, Token::Word(value)] if given == name => Some(value.as_str()),
            _ => None,
        });
        found.ok_or_else(|| EncodeError::new(file.as_str(), format!("the reference has no `{name}=`")))
    };
    put_z(out, file)?;
    put_z(out, member("aliases")?)?;
    out.push(number(member("flags")?)?);
    out.extend(number::<u32>(member("stamp")?)?.to_le_bytes());
    out.extend(number::<u32>(member("size")?)?.to_le_bytes());
    let mvid = member("mvid")?;
    out.extend(mvid.parse::<Guid>().map_err(|()| EncodeError::new(mvid, "a GUID is expected"))?.0);
    Ok(())
}

pub(in super::super) const DEFAULT_NAMESPACE: Codec = codec(
    "namespace",
    "root namespace of a Visual Basic project: Ledger",
    ("4c 65 64 67 65 72", "Ledger"),
    |c| {
        let blob = explained(default_namespace::GUID, c)?;
        Ok(text(&default_namespace::decode(&mut blob.cursor())?))
    },
    |text| Ok(text.as_bytes().to_vec()),
);

pub(in super::super) const SOURCE_LINK: Codec = codec(
    "source-link",
    "Source Link, as JSON: {\"documents\":{\"/_/*\":\"https://example.com/*\"}}",
    ("7b 22 64 6f 63 75 6d 65 6e 74 73 22 3a 7b 7d 7d", "{\"documents\":{}}"),
    |c| {
        let blob = explained(source_link::GUID, c)?;
        Ok(text(&source_link::decode(&mut blob.cursor())?))
    },
    |text| Ok(text.as_bytes().to_vec()),
);

pub(in super::super) const NAME_SNAPSHOT: Codec = codec(
    "name-snapshot",
    "F#'s generated names by the name they derive from: clo@5 clo@5-1; \"\"",
    ("01 02 01 6b 02 03 6b 2d 31 03 6b 2d 32 00 00", "k k-1 k-2; \"\""),
    |c| {
        let blob = explained(name_snapshot::GUID, c)?;
        let buckets = name_snapshot::decode(&mut blob.cursor())?;
        let one = |bucket: &name_snapshot::Bucket<'_>| {
            let names = std::iter::once(&bucket.key).chain(&bucket.names);
            names.map(word).collect::<Vec<_>>().join(" ")
        };
        Ok(buckets.iter().map(one).collect::<Vec<_>>().join("; "))
    },
    |text| {
        let buckets = items(text)?.into_iter().map(plain).collect::<Encoded<Vec<_>>>()?;
        let mut out = vec![1];
        put_unsigned(&mut out, buckets.len() as u32)?;
        for names in buckets {
            for (index, name) in names.iter().enumerate() {
                put_unsigned(&mut out, name.len() as u32)?;
                out.extend(name.bytes());
                if index == 0 {
                    put_unsigned(&mut out, names.len() as u32 - 1)?;
                }
            }
        }
        Ok(out)
    },
);

pub(in super::super) const EMBEDDED_SOURCE: Codec = codec(
    "embedded-source",
    "embedded source: text \"int x;\", or its format (the inflated size) and its bytes: format 9 78 9c",
    ("00 00 00 00 69 6e 74 20 78 3b", "text \"int x;\""),
    |c| {
        let blob = explained(embedded_source::GUID, c)?;
        let source = embedded_source::decode(&mut blob.cursor())?;
        let number = match source.format {
            embedded_source::Format::Raw => 0,
            embedded_source::Format::Deflate(size) => i64::from(size),
            embedded_source::Format::Reserved(number) => i64::from(number),
        };
        Ok(match std::str::from_utf8(source.content.data) {
            Ok(text) if number == 0 => format!("text {}", serde_json::Value::String(text.to_owned())),
            _ => format!("format {number} {}", hex(source.content.data)),
        })
    },
    |text| {
        let form = || EncodeError::new(text, "`text \"…\"`, or `format 9 78 9c` is expected");
        let (kind, rest) = text.trim().split_once(char::is_whitespace).ok_or_else(form)?;
        match kind {
            "text" => {
                let content: String = serde_json::from_str(rest.trim())
                    .map_err(|_| EncodeError::new(rest, "text in double quotes is expected"))?;
                Ok([&[0; 4], content.as_bytes()].concat())
            }
            "format" => {
                let (format, bytes) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
                let bytes =
                    super::super::parse_hex(bytes).map_err(|error| EncodeError::new(bytes, error.to_string()))?;
                Ok([number::<i32>(format)?.to_le_bytes().to_vec(), bytes].concat())
            }
            _ => Err(form()),
        }
    },
);

fn text(slice: &Slice<'_>) -> String {
    String::from_utf8_lossy(slice.data).into_owned()
}

/// A name as it can be typed again.
fn word(slice: &Slice<'_>) -> String {
    quoted(&text(slice))
}

fn shown(item: &[Token]) -> String {
    let one = |token: &Token| match token {
        Token::Word(word) => quoted(word),
        Token::Equals => "=".to_owned(),
        Token::Next => ";".to_owned(),
    };
    item.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Appends a text and the NUL that ends it.
fn put_z(out: &mut Vec<u8>, text: &str) -> Encoded<()> {
    if text.contains('\0') {
        return Err(EncodeError::new(quoted(text), "a NUL would end the text"));
    }
    out.extend(text.bytes());
    out.push(0);
    Ok(())
}
