//! Bytes of typed signatures.

use super::super::imports::coded;
use super::super::{EncodeError, Encoded, number, put_signed, put_unsigned};
use pdblens_formats::signature::element;

const MAX_DEPTH: u32 = 64;

/// Primitive types, as ECMA-335's assembler (II.7.1) and as C# call them.
pub(super) const WORDS: &[(&[&str], u8)] = &[
    (&["void"], element::VOID),
    (&["bool"], element::BOOLEAN),
    (&["char"], element::CHAR),
    (&["int8", "sbyte"], element::I1),
    (&["uint8", "byte"], element::U1),
    (&["int16", "short"], element::I2),
    (&["uint16", "ushort"], element::U2),
    (&["int32", "int"], element::I4),
    (&["uint32", "uint"], element::U4),
    (&["int64", "long"], element::I8),
    (&["uint64", "ulong"], element::U8),
    (&["float32", "float"], element::R4),
    (&["float64", "double"], element::R8),
    (&["string"], element::STRING),
    (&["typedref"], element::TYPEDBYREF),
    (&["native int", "nint"], element::I),
    (&["native uint", "nuint"], element::U),
    (&["object"], element::OBJECT),
];

pub(super) fn ty(text: &str) -> Encoded {
    let mut parser = Parser { rest: text.trim(), depth: 0 };
    let bytes = parser.ty()?;
    parser.end().map(|()| bytes)
}

pub(super) fn signature(text: &str) -> Encoded {
    let mut parser = Parser { rest: text.trim(), depth: 0 };
    let kind = parser.word();
    let bytes = match kind {
        "field" => [vec![0x06], parser.ty()?].concat(),
        "locals" => parser.types(0x07, '(', ')')?,
        "methodspec" => parser.types(0x0a, '<', '>')?,
        "property" => parser.method(0x08)?,
        "method" => parser.method(0)?,
        _ => {
            let reason = "a signature begins with its kind: method, field, locals, property or methodspec";
            return Err(EncodeError::new(if kind.is_empty() { text } else { kind }, reason));
        }
    };
    parser.end().map(|()| bytes)
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn error<T>(&self, reason: impl Into<String>) -> Encoded<T> {
        let word = if self.rest.is_empty() { "the end" } else { self.rest };
        Err(EncodeError::new(word, reason))
    }

    fn skip(&mut self, len: usize) {
        self.rest = self.rest.get(len..).unwrap_or_default().trim_start();
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest.starts_with(sign);
        if found {
            self.skip(sign.len());
        }
        found
    }

    fn expect(&mut self, sign: char) -> Encoded<()> {
        if self.eat(sign.encode_utf8(&mut [0; 4])) { Ok(()) } else { self.error(format!("`{sign}` is expected")) }
    }

    /// Takes letters, digits and a sign before them.
    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && !"_-−".contains(c)).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        self.skip(end);
        word
    }

    fn eat_word(&mut self, wanted: &str) -> bool {
        let rest = self.rest;
        let found = self.word() == wanted;
        if !found {
            self.rest = rest;
        }
        found
    }

    fn end(&self) -> Encoded<()> {
        if self.rest.is_empty() { Ok(()) } else { self.error("nothing can follow here") }
    }

    /// A count, and types between `open` and `close`.
    fn types(&mut self, first: u8, open: char, close: char) -> Encoded {
        let (mut out, mut types, mut count) = (vec![first], Vec::new(), 0_u32);
        self.expect(open)?;
        while !self.eat(close.encode_utf8(&mut [0; 4])) {
            if count > 0 {
                self.expect(',')?;
            }
            types.extend(self.ty()?);
            count += 1;
        }
        put_unsigned(&mut out, count)?;
        Ok([out, types].concat())
    }

    /// Convention, return type and parameters; `kind` is in the lowest bits of the first byte.
    fn method(&mut self, kind: u8) -> Encoded {
        let mut first = kind;
        first |= if self.eat_word("instance") { 0x20 } else { 0 };
        first |= if self.eat_word("explicit") { 0x40 } else { 0 };
        if self.eat_word("vararg") {
            first |= 0x05;
        } else if self.eat_word("unmanaged") {
            let names = ["cdecl", "stdcall", "thiscall", "fastcall"];
            first |= (1..).zip(names).find(|(_, name)| self.eat_word(name)).map_or(0x09, |(bits, _)| bits);
        }
        let generic = if self.eat_word("generic") { Some(number::<u32>(self.word())?) } else { None };
        let mut out = vec![first | if generic.is_some() { 0x10 } else { 0 }];
        generic.map_or(Ok(()), |count| put_unsigned(&mut out, count))?;
        let returns = self.ty()?;
        let (mut parameters, mut count) = (Vec::new(), 0_u32);
        self.expect('(')?;
        while !self.eat(")") {
            if count > 0 {
                self.expect(',')?;
            }
            if self.eat("...") {
                parameters.push(element::SENTINEL);
                self.expect(',')?;
            }
            parameters.extend(self.ty()?);
            count += 1;
        }
        put_unsigned(&mut out, count)?;
        Ok([out, returns, parameters].concat())
    }

    fn ty(&mut self) -> Encoded {
        if self.depth == MAX_DEPTH {
            return self.error("types are nested too deeply");
        }
        self.depth += 1;
        let mut bytes = self.innermost()?;
        let mut layers = 0_u32;
        while let Some(around) = self.suffix(&bytes)? {
            bytes = around;
            layers += 1;
            if layers > MAX_DEPTH {
                return self.error("types are nested too deeply");
            }
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(bytes)
    }

    fn innermost(&mut self) -> Encoded {
        for (sign, element) in [("!!", element::MVAR), ("!", element::VAR)] {
            if self.eat(sign) {
                let mut out = vec![element];
                put_unsigned(&mut out, number(self.word())?)?;
                return Ok(out);
            }
        }
        let before = self.rest;
        let word = self.word();
        match word {
            "class" => self.named(element::CLASS),
            "valuetype" => self.named(element::VALUETYPE),
            "method" => Ok([vec![element::FNPTR], self.method(0)?].concat()),
            "native" if self.eat_word("int") => Ok(vec![element::I]),
            "native" if self.eat_word("uint") => Ok(vec![element::U]),
            _ => match WORDS.iter().find(|(names, _)| names.contains(&word)) {
                Some((_, element)) => Ok(vec![*element]),
                None => {
                    self.rest = before;
                    self.error("a type is expected: int32, string, class 0x01000003, valuetype 0x02000002, !0 …")
                }
            },
        }
    }

    /// A class or value type by its token, with type arguments where it is generic.
    fn named(&mut self, kind: u8) -> Encoded {
        let (mut out, token) = (vec![kind], coded(self.word())?);
        put_unsigned(&mut out, token)?;
        if !self.rest.starts_with('<') {
            return Ok(out);
        }
        let arguments = self.types(element::GENERICINST, '<', '>')?;
        // The list begins with the element type; count and types follow the token.
        Ok([vec![element::GENERICINST], out, arguments.get(1..).unwrap_or_default().to_vec()].concat())
    }

    /// The type made of `of` by the next suffix; `None` if there is none.
    fn suffix(&mut self, of: &[u8]) -> Encoded<Option<Vec<u8>>> {
        for (sign, element) in [("*", element::PTR), ("&", element::BYREF), ("[]", element::SZARRAY)] {
            if self.eat(sign) {
                return Ok(Some([&[element], of].concat()));
            }
        }
        if self.eat_word("pinned") {
            return Ok(Some([&[element::PINNED], of].concat()));
        }
        for (word, element) in [("modreq", element::CMOD_REQD), ("modopt", element::CMOD_OPT)] {
            if self.eat_word(word) {
                let mut out = vec![element];
                self.expect('(')?;
                put_unsigned(&mut out, coded(self.word())?)?;
                self.expect(')')?;
                return Ok(Some([out, of.to_vec()].concat()));
            }
        }
        if self.eat("[") { self.shape(of).map(Some) } else { Ok(None) }
    }

    /// Dimensions up to the closing bracket.
    fn shape(&mut self, of: &[u8]) -> Encoded {
        let (Some(inside), from) = (self.rest.split(']').next().filter(|text| text.len() < self.rest.len()), self.rest)
        else {
            return self.error("`]` is expected");
        };
        let (mut rank, mut sizes, mut bounds) = (0_usize, Vec::new(), Vec::new());
        for dimension in inside.split(',').map(str::trim) {
            let (low, size) = bounds_of(dimension)?;
            let gap = (size.is_some() && sizes.len() < rank) || (low.is_some() && bounds.len() < rank);
            if gap {
                return Err(EncodeError::new(dimension, "a dimension before this one has no size or no lower bound"));
            }
            sizes.extend(size);
            bounds.extend(low);
            rank += 1;
        }
        let mut out = [&[element::ARRAY], of].concat();
        put_unsigned(&mut out, rank as u32)?;
        put_unsigned(&mut out, sizes.len() as u32)?;
        sizes.into_iter().try_for_each(|size| put_unsigned(&mut out, size))?;
        put_unsigned(&mut out, bounds.len() as u32)?;
        bounds.into_iter().try_for_each(|low| put_signed(&mut out, low))?;
        self.rest = from;
        self.skip(inside.len() + 1);
        Ok(out)
    }
}

fn bounds_of(dimension: &str) -> Encoded<(Option<i32>, Option<u32>)> {
    let Some((low, high)) = dimension.split_once("...") else {
        let size = if dimension.is_empty() { None } else { Some(number(dimension)?) };
        return Ok((None, size));
    };
    if low.is_empty() {
        return Ok((None, None));
    }
    let low: i32 = number(low)?;
    if high.is_empty() {
        return Ok((Some(low), None));
    }
    let size = number::<i64>(high)?.saturating_sub(i64::from(low)).saturating_add(1);
    let size =
        u32::try_from(size).map_err(|_| EncodeError::new(dimension, "the upper bound is below the lower one"))?;
    Ok((Some(low), Some(size)))
}
