//! Document names.

use super::{Codec, EncodeError, number, put_unsigned};
use pdblens_formats::portable::document::DocumentName;
use pdblens_session::text::safe::utf8;

/// Separator in a text where the blob has none.
const NO_SEPARATOR: &str = "none";

pub(super) const NAME: Codec = Codec {
    name: "name",
    about: "a document name, its separator and the #Blob offsets of its parts: / 0x0 0x2a 0x31",
    paragraph: "Portable PDB › Document Name Blob",
    example: ("2f 00 2a 31", "/ 0x0 0x2a 0x31"),
    decode: |c| {
        let name = DocumentName::decode(c)?;
        let separator = if name.separator.data.is_empty() { NO_SEPARATOR.into() } else { utf8(name.separator.data) };
        let parts = name.parts().map(|part| format!(" {:#x}", part.value));
        Ok(separator.into_owned() + &parts.collect::<String>())
    },
    encode: |text| {
        let mut words = text.split_whitespace();
        let separator = words.next().unwrap_or_default();
        let mut out = match separator {
            NO_SEPARATOR => vec![0],
            one if one.chars().count() == 1 => one.as_bytes().to_vec(),
            _ => return Err(EncodeError::new(separator, "one character is expected as separator, or `none`")),
        };
        words.try_for_each(|word| put_unsigned(&mut out, number(word)?))?;
        Ok(out)
    },
};
