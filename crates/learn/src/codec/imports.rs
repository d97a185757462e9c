//! Imports.

use super::{Codec, EncodeError, Encoded, each, items, number, put_unsigned};
use pdblens_formats::metadata::Token;
use pdblens_formats::metadata::schema::TYPE_DEF_OR_REF;
use pdblens_formats::portable::imports::{self, Import, ImportKind};

pub(super) const IMPORTS: Codec = Codec {
    name: "imports",
    about: "imports, by kind: 1 namespace=0x11; 3 type=0x01000003; 6 alias=0x12 assembly=3",
    paragraph: "Portable PDB › Imports Blob",
    example: ("01 11 03 0d 06 12 03", "1 namespace=0x11; 3 type=0x01000003; 6 alias=0x12 assembly=3"),
    decode: |c| {
        let mut all = Vec::new();
        imports::decode(c, |import| all.push(one(&import)))?;
        Ok(all.join("; "))
    },
    encode: |text| each(items(text), put),
};

fn one(import: &Import) -> String {
    let mut text = (import.kind as u32).to_string();
    text.extend(import.alias.map(|offset| format!(" alias={offset:#x}")));
    text.extend(import.assembly.map(|row| format!(" assembly={row}")));
    text.extend(import.namespace.map(|offset| format!(" namespace={offset:#x}")));
    text.extend(import.target.map(|token| format!(" type={token}")));
    text
}

fn put(out: &mut Vec<u8>, item: &str) -> Encoded<()> {
    let (kind, members) = item.split_once(char::is_whitespace).unwrap_or((item, ""));
    let number_of_kind: u32 = number(kind)?;
    let kind =
        ImportKind::of(number_of_kind).ok_or_else(|| EncodeError::new(kind, "the kind of an import is 1 to 9"))?;
    put_unsigned(out, number_of_kind)?;
    let mut members: Vec<(&str, &str)> = members.split_whitespace().filter_map(|word| word.split_once('=')).collect();
    let mut member = |name: &str| {
        let found = members.iter().position(|(given, _)| *given == name).map(|at| members.remove(at).1);
        found.ok_or_else(|| EncodeError::new(item, format!("an import of this kind has `{name}=`")))
    };
    for (there, name) in
        [(kind.has_alias(), "alias"), (kind.has_assembly(), "assembly"), (kind.has_namespace(), "namespace")]
    {
        if there {
            put_unsigned(out, number(member(name)?)?)?;
        }
    }
    if kind.has_type() {
        let word = member("type")?;
        put_unsigned(out, coded(word)?)?;
    }
    match members.first() {
        Some((name, _)) => Err(EncodeError::new(item, format!("an import of this kind has no `{name}=`"))),
        None => Ok(()),
    }
}

/// The coded index of a token of TypeDef, TypeRef or TypeSpec.
pub(super) fn coded(word: &str) -> Encoded<u32> {
    let token = Token(number(word)?);
    let coded = TYPE_DEF_OR_REF.encode(token.table(), token.row());
    coded.ok_or_else(|| {
        EncodeError::new(word, "a token of TypeDef (0x02…), TypeRef (0x01…) or TypeSpec (0x1b…) is expected")
    })
}
