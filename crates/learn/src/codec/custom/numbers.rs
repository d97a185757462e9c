//! Kinds whose blobs are numbers.

use super::super::{Codec, EncodeError, Encoded, each, items, number, put_signed, put_unsigned};
use super::{codec, explained};
use pdblens_formats::bytes::Error;
use pdblens_formats::portable::custom::lambda_map::{Closure, Lambda};
use pdblens_formats::portable::custom::{
    async_stepping, dynamic_locals, hoisted_scopes, lambda_map, state_map, type_documents,
};

const NONE: &str = "none";

pub(in super::super) const HOISTED_SCOPES: Codec = codec(
    "hoisted-scopes",
    "scopes of hoisted variables, slot by slot, each end exclusive: IL_0000..IL_001b",
    ("00 00 00 00 1b 00 00 00", "IL_0000..IL_001b"),
    |c| {
        let blob = explained(hoisted_scopes::GUID, c)?;
        let scopes = hoisted_scopes::decode(&mut blob.cursor())?;
        let one = |scope: &hoisted_scopes::HoistedScope| {
            let too_large = || Error::invalid("the end of the scope exceeds 32 bits", scope.span);
            let end = scope.start_offset.checked_add(scope.length).ok_or_else(too_large)?;
            Ok(format!("IL_{:04x}..IL_{end:04x}", scope.start_offset))
        };
        Ok(scopes.iter().map(one).collect::<Result<Vec<_>, Error>>()?.join("; "))
    },
    |text| {
        let one = |item: &str| {
            let form = || EncodeError::new(item, "a scope is expected, such as IL_0000..IL_001b");
            let (start, end) = item.split_once("..").ok_or_else(form)?;
            let (start, end) = (offset(start)?, offset(end)?);
            let length = end.checked_sub(start).ok_or_else(|| EncodeError::new(item, "the end is before the start"))?;
            Ok([narrowed(item, start)?.to_le_bytes(), narrowed(item, length)?.to_le_bytes()].concat())
        };
        items(text).map(one).collect::<Encoded<Vec<_>>>().map(|all| all.concat())
    },
);

pub(in super::super) const ASYNC_STEPPING: Codec = codec(
    "async-stepping",
    "catch handler and awaits: catch none; yield IL_002a resume IL_0045 method 3",
    ("00 00 00 00 2a 00 00 00 45 00 00 00 03", "catch none; yield IL_002a resume IL_0045 method 3"),
    |c| {
        let blob = explained(async_stepping::GUID, c)?;
        let found = async_stepping::decode(&mut blob.cursor())?;
        let catch = found.catch_handler.map_or_else(|| NONE.to_owned(), |offset| format!("IL_{offset:04x}"));
        let awaits = found.awaits.iter().map(|at| {
            format!("; yield IL_{:04x} resume IL_{:04x} method {}", at.yield_offset, at.resume_offset, at.move_next)
        });
        Ok(format!("catch {catch}") + &awaits.collect::<String>())
    },
    |text| {
        let mut out = Vec::new();
        for (index, item) in items(text).enumerate() {
            let words: Vec<&str> = item.split_whitespace().collect();
            match (index, words.as_slice()) {
                (0, ["catch", NONE]) => out.extend([0; 4]),
                (0, ["catch", handler]) => {
                    let stored = u32::try_from(offset(handler)? + 1);
                    out.extend(
                        stored.map_err(|_| EncodeError::new(*handler, "the offset is too large"))?.to_le_bytes(),
                    );
                }
                (1.., ["yield", from, "resume", to, "method", row]) => {
                    out.extend(narrowed(from, offset(from)?)?.to_le_bytes());
                    out.extend(narrowed(to, offset(to)?)?.to_le_bytes());
                    put_unsigned(&mut out, number(row)?)?;
                }
                (0, _) => {
                    return Err(EncodeError::new(item, "the handler is expected first: catch none, or catch IL_036a"));
                }
                _ => return Err(EncodeError::new(item, "an await is expected: yield IL_002a resume IL_0045 method 3")),
            }
        }
        Ok(out)
    },
);

pub(in super::super) const LAMBDA_MAP: Codec = codec(
    "lambda-map",
    "Edit and Continue: method 0; closure 8; lambda 13 static; lambda -3 this; lambda 20 closure 0",
    ("01 01 00 0e 01", "method 0; lambda 13 static"),
    |c| {
        let blob = explained(lambda_map::GUID, c)?;
        let map = lambda_map::decode(&mut blob.cursor())?;
        let closures = map.closures.iter().map(|offset| format!("; closure {offset}"));
        let lambdas = map.lambdas.iter().map(|lambda| match lambda.closure {
            Closure::This => format!("; lambda {} this", lambda.syntax_offset),
            Closure::Static => format!("; lambda {} static", lambda.syntax_offset),
            Closure::Index(index) => format!("; lambda {} closure {index}", lambda.syntax_offset),
        });
        Ok(format!("method {}", map.method_ordinal) + &closures.chain(lambdas).collect::<String>())
    },
    encode_lambdas,
);

fn encode_lambdas(text: &str) -> Encoded {
    let (mut ordinal, mut closures, mut lambdas) = (None, Vec::<i32>::new(), Vec::<Lambda>::new());
    for item in items(text) {
        let words: Vec<&str> = item.split_whitespace().collect();
        let mut lambda =
            |offset, closure| number(offset).map(|syntax_offset| lambdas.push(Lambda { syntax_offset, closure }));
        match words.as_slice() {
            ["method", found] if ordinal.is_none() => ordinal = Some(number::<i32>(found)?),
            ["closure", offset] => closures.push(number(offset)?),
            ["lambda", offset, "this"] => lambda(offset, Closure::This)?,
            ["lambda", offset, "static"] => lambda(offset, Closure::Static)?,
            ["lambda", offset, "closure", index] => lambda(offset, Closure::Index(number(index)?))?,
            _ => {
                let reason = "method 0, closure 8, lambda 13 static, lambda 13 this or lambda 13 closure 0 is expected";
                return Err(EncodeError::new(item, reason));
            }
        }
    }
    let Some(ordinal) = ordinal else {
        return Err(EncodeError::new(text, "the ordinal of the method is missing: method 0, or method -1 for none"));
    };
    let mut out = Vec::new();
    let method = u32::try_from(i64::from(ordinal) + 1);
    put_unsigned(&mut out, method.map_err(|_| EncodeError::new(ordinal.to_string(), "is below -1"))?)?;
    // Roslyn's baseline is the smallest offset, and at most -1.
    let baseline = closures.iter().copied().chain(lambdas.iter().map(|lambda| lambda.syntax_offset)).fold(-1, i32::min);
    put_unsigned(&mut out, baseline.unsigned_abs())?;
    put_unsigned(&mut out, closures.len() as u32)?;
    closures.iter().try_for_each(|offset| put_distance(&mut out, *offset, baseline))?;
    for Lambda { syntax_offset, closure } in lambdas {
        put_distance(&mut out, syntax_offset, baseline)?;
        let stored = match closure {
            Closure::This => 0,
            Closure::Static => 1,
            Closure::Index(index) if (index as usize) < closures.len() => index + 2,
            Closure::Index(index) => {
                return Err(EncodeError::new(
                    format!("closure {index}"),
                    "there is no such closure; they count from 0",
                ));
            }
        };
        put_unsigned(&mut out, stored)?;
    }
    Ok(out)
}

pub(in super::super) const STATE_MAP: Codec = codec(
    "state-map",
    "Edit and Continue: states of a state machine, by the position of their await or yield: state 0 at 13",
    ("01 00 00 0d", "state 0 at 13"),
    |c| {
        let blob = explained(state_map::GUID, c)?;
        let states = state_map::decode(&mut blob.cursor())?;
        let all: Vec<_> =
            states.iter().map(|state| format!("state {} at {}", state.number, state.syntax_offset)).collect();
        Ok(if all.is_empty() { NONE.to_owned() } else { all.join("; ") })
    },
    |text| {
        let mut states = Vec::<(i32, i32)>::new();
        for item in items(text).filter(|item| *item != NONE) {
            let words: Vec<&str> = item.split_whitespace().collect();
            let ["state", state, "at", at] = words.as_slice() else {
                return Err(EncodeError::new(item, "a state is expected, such as `state 0 at 13`, or `none`"));
            };
            let (state, at) = (number(state)?, number(at)?);
            if states.last().is_some_and(|(_, last)| *last > at) {
                return Err(EncodeError::new(item, "states are sorted by their position"));
            }
            states.push((state, at));
        }
        let mut out = Vec::new();
        put_unsigned(&mut out, states.len() as u32)?;
        // Roslyn's baseline is the smallest position, and at most 0.
        let baseline = states.iter().map(|(_, at)| *at).fold(0, i32::min);
        if !states.is_empty() {
            put_unsigned(&mut out, baseline.unsigned_abs())?;
        }
        for (state, at) in states {
            put_signed(&mut out, state)?;
            put_distance(&mut out, at, baseline)?;
        }
        Ok(out)
    },
);

pub(in super::super) const DYNAMIC_LOCALS: Codec = codec(
    "dynamic",
    "elements of a type in the order of its signature, 1 where the source says dynamic: 01",
    ("02", "01"),
    |c| {
        let blob = explained(dynamic_locals::GUID, c)?;
        let flags = dynamic_locals::decode(&mut blob.cursor())?.flags();
        let text: String = flags.iter().map(|flag| if *flag { '1' } else { '0' }).collect();
        Ok(if text.is_empty() { "0".to_owned() } else { text })
    },
    |text| {
        let bits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
        if let Some(other) = bits.iter().find(|bit| !matches!(bit, '0' | '1')) {
            return Err(EncodeError::new(other.to_string(), "0 or 1 is expected for each element"));
        }
        let byte = |bits: &[char]| (0..).zip(bits).fold(0_u8, |byte, (bit, c)| byte | u8::from(*c == '1') << bit);
        let mut out: Vec<u8> = bits.chunks(8).map(byte).collect();
        while out.len() > 1 && out.last() == Some(&0) {
            out.pop();
        }
        Ok(out)
    },
);

pub(in super::super) const TYPE_DOCUMENTS: Codec = codec(
    "type-documents",
    "rows of the documents that define a type without code: 2 256",
    ("02 81 00", "2 256"),
    |c| {
        let blob = explained(type_documents::GUID, c)?;
        let rows = type_documents::decode(&mut blob.cursor())?;
        Ok(rows.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))
    },
    |text| each(text.split_whitespace(), |out, word| put_unsigned(out, number(word)?)),
);

/// Parses an IL offset: `IL_002a`, or a number. A scope may end beyond 32 bits.
fn offset(word: &str) -> Encoded<u64> {
    match word.trim().strip_prefix("IL_") {
        Some(digits) => u64::from_str_radix(digits, 16)
            .map_err(|_| EncodeError::new(word, "hexadecimal digits are expected after IL_, such as IL_002a")),
        None => number(word.trim()),
    }
}

fn narrowed(word: &str, offset: u64) -> Encoded<u32> {
    u32::try_from(offset).map_err(|_| EncodeError::new(word, "the offset does not fit into 32 bits"))
}

/// Appends a syntax offset, which counts from the baseline.
fn put_distance(out: &mut Vec<u8>, offset: i32, baseline: i32) -> Encoded<()> {
    let distance = i64::from(offset) - i64::from(baseline);
    put_unsigned(out, u32::try_from(distance).unwrap_or(u32::MAX))
}
