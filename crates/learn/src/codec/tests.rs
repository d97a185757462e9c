use proptest::prelude::*;

use super::*;

fn codec(name: &str) -> &'static Codec {
    Codec::named(name).unwrap()
}

fn decoded(name: &str, hex: &str) -> String {
    let found = codec(name).decode(&parse_hex(hex).unwrap());
    found.text.unwrap_or_else(|error| panic!("{name} {hex}: {error}"))
}

fn encoded(name: &str, text: &str) -> Vec<u8> {
    codec(name).encode(text).unwrap_or_else(|error| panic!("{name} {text}: {error}"))
}

fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn examples_decode_and_encode() {
    for codec in CODECS {
        let (hex, text) = codec.example;
        assert_eq!(decoded(codec.name, hex), text, "{}", codec.name);
        assert_eq!(spaced(&encoded(codec.name, text)), hex, "{}", codec.name);
        // Bit fields share their bytes.
        if codec.name == "r2r-bounds" {
            continue;
        }
        let steps = codec.decode(&parse_hex(hex).unwrap()).steps;
        let bytes: Vec<u8> = steps.reads().flat_map(|step| step.bytes.clone()).collect();
        assert_eq!(bytes, parse_hex(hex).unwrap(), "the steps of {} cover its bytes", codec.name);
    }
}

#[test]
fn published_sequence_points() {
    // The example of a blog post about the format: it begins after the header.
    let records = "00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79";
    let points = "IL_0000 46:9-46:33; IL_0006 48:13-48:31; IL_000c 49:9-49:10";
    assert_eq!(decoded("records", records), points);
    let bytes = parse_hex(records).unwrap();
    let first = codec("points").decode(&bytes);
    let advice = first.advice.unwrap_or_default();
    assert!(first.text.is_err() && advice.contains("`records`"), "{:?} {advice}", first.text);
    assert_eq!(encoded("points", points), [&[0], bytes.as_slice()].concat());

    let whole = "02 00 00 01 13 05 01 00 26 02 04 0e 00 25 02 00 04 00 0d 02 00 04 00 01 02 7d";
    let text =
        "locals 2; IL_0000 19:5-19:6; IL_0001 20:7-20:45; IL_000f 21:7-21:44; IL_0013 22:7-22:20; IL_0017 23:5-23:6";
    assert_eq!(decoded("points", whole), text);
    assert_eq!(spaced(&encoded("points", text)), whole);
}

/// `Uri.CreateThis` of .NET 10 for x64 Linux.
#[test]
fn bounds_of_a_framework_method() {
    let hex = "69 75 02 01 8e 03 1a 21 66 31 16 34 3a 4a 1a 53 3a 81 92 8b 1e 90 02 00 36 0b dc 20 2a 8e";
    let text = "prolog +0x0 empty; IL_0000 +0x23 empty; IL_001e +0x29 empty; IL_002e +0x42 empty; IL_0031 +0x47 empty; IL_0047 +0x55 empty; IL_0050 +0x5b empty; IL_007e +0x69 empty; IL_0088 +0x8d empty; IL_008d +0x94 empty; epilog +0x94 empty; IL_0008 +0xa1 empty; IL_001d +0xd8; IL_008b +0xe2 empty";
    assert_eq!(decoded("r2r-bounds", hex), text);
    assert_eq!(spaced(&encoded("r2r-bounds", text)), hex);
    for wrong in ["IL_0000 +0x4; IL_0001 +0x3", "IL_0000", "start +0x0", "IL_0000 +0x0 async"] {
        assert!(codec("r2r-bounds").encode(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn published_slot_maps() {
    for hex in ["01 2a 01 80 83 00 02 09", "01 0d 01 3a 00 16 01"] {
        let text = decoded("slots", hex);
        assert_eq!(spaced(&encoded("slots", &text)), hex, "{text}");
    }
    assert_eq!(decoded("slots", "01 0d 01 3a 00 16 01"), "0@12 0@57 temporary 21@0");
}

#[test]
fn errors_say_the_byte_or_the_word() {
    let error = codec("sint").decode(&[0x77, 0xff]).text.unwrap_err();
    assert_eq!((error.span.start, error.to_string().contains("first byte")), (1, true), "{error}");
    let error = codec("points").decode(&[0x00, 0x00, 0x00, 0x01]).text.unwrap_err();
    assert_eq!(error.span.start, 4, "{error}");
    let error = codec("points").encode("IL_0003 1:1-1:2; IL_0001 2:1-2:2").unwrap_err();
    assert_eq!(error.word, "IL_0001 2:1-2:2");
    assert!(codec("guid").decode(&[0; 17]).text.unwrap_err().to_string().contains("record ends here"));
    assert_eq!(parse_hex("0a 1").unwrap_err(), HexError::Half { at: 4 });
    assert_eq!(parse_hex("0a zz").unwrap_err(), HexError::Digit { at: 4, character: 'z' });
    assert_eq!(parse_hex("0x0A,0X1b - 2C2d").unwrap(), [0x0a, 0x1b, 0x2c, 0x2d]);
}

#[test]
fn encoders_name_the_value_that_is_wrong() {
    for (kind, text, word, reason) in [
        ("signature", "locals (int32, nonsense)", "nonsense)", "a type is expected"),
        ("signature", "int32", "int32", "begins with its kind"),
        ("signature", "method void (int32", "the end", "`,` is expected"),
        ("type", "class 0x06000001", "0x06000001", "TypeDef"),
        ("type", "int32[0...4", "0...4", "`]` is expected"),
        ("type", "int32[,0...]", "0...", "no lower bound"),
        ("hoisted-scopes", "IL_0000..IL_0004; IL_0009..IL_0008", "IL_0009..IL_0008", "end is before"),
        ("async-stepping", "yield IL_0000 resume IL_0001 method 1", "yield IL_0000 resume IL_0001 method 1", "handler"),
        ("lambda-map", "method 0; lambda 4 closure 0", "closure 0", "no such closure"),
        ("state-map", "state 0 at 9; state 1 at 8", "state 1 at 8", "sorted"),
        ("dynamic", "012", "2", "0 or 1"),
        ("tuple-names", "a \"b", "\"b", "closing quote"),
        ("options", "language", "language", "an option is expected"),
        ("references", "a.dll flags=1", "a.dll", "`aliases=`"),
        ("srcsrv", "ini VERSION=2; a.c*b.c", "a.c*b.c", "its section"),
        ("constant", "decimal 0x01000004 79228162514264337593543950336", "79228162514264337593543950336", "96 bits"),
        ("embedded-source", "format 9 7x", "7x", "half a byte"),
    ] {
        let error = codec(kind).encode(text).unwrap_err();
        assert!(error.word == word && error.reason.contains(reason), "{kind} {text}: {error:?}");
    }
}

#[test]
fn signatures_of_every_form_return() {
    for text in [
        "method instance void ()",
        "method instance explicit vararg native int (string, ..., int32, object)",
        "method unmanaged stdcall generic 2 !!1 (!!0, class 0x02000004<!!0, int32>[])",
        "property instance int32 (string)",
        "field class 0x01000003 modreq(0x01000007) modopt(0x01000008)",
        "locals ()",
        "methodspec <int32, valuetype 0x1b000002*&>",
        "locals (uint8& pinned, int32[0...4,1...][][,][...][5,7], method unmanaged cdecl void* (int32))",
    ] {
        let bytes = encoded("signature", text);
        assert_eq!(decoded("signature", &spaced(&bytes)), text, "{bytes:02x?}");
    }
    assert_eq!(spaced(&encoded("signature", "locals (int, string[])")), "07 02 08 1d 0e", "C#'s words are read too");
}

/// Points in order, as text.
fn points() -> impl Strategy<Value = String> {
    let point = (1_u32..2000, 0_u32..40, -30_i32..200, 1_u32..9000, 40_u32..300, any::<bool>());
    prop::collection::vec(point, 1..20).prop_map(|points| {
        let mut offset = 0;
        let one = |(delta, lines, columns, line, column, hidden): (u32, u32, i32, u32, u32, bool)| {
            offset += delta;
            let end =
                if lines == 0 { column + columns.unsigned_abs() + 1 } else { column.saturating_add_signed(columns) };
            if hidden {
                return format!("IL_{offset:04x} hidden");
            }
            format!("IL_{offset:04x} {line}:{column}-{}:{end}", line + lines)
        };
        points.into_iter().map(one).collect::<Vec<_>>().join("; ")
    })
}

/// Types as text, nested.
fn types() -> impl Strategy<Value = String> {
    let token =
        (prop::sample::select(vec!["class", "valuetype"]), 0_u32..3, 1_u32..0x1_0000).prop_map(|(kind, table, row)| {
            let table = [0x0200_0000, 0x0100_0000, 0x1b00_0000_u32][table as usize];
            format!("{kind} 0x{:08x}", table | row)
        });
    let words =
        prop::sample::select(vec!["int32", "string", "void", "native uint", "typedref", "!3", "!!0", "float64"]);
    let leaf = prop_oneof![words.prop_map(str::to_owned), token.clone()];
    let suffixes = vec![
        "*",
        "&",
        "[]",
        "[,]",
        "[...]",
        "[0...,0...]",
        "[-3...9]",
        "[4]",
        " pinned",
        " modreq(0x02000009)",
        " modopt(0x01000004)",
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let suffix = prop::sample::select(suffixes.clone());
        let list = prop::collection::vec(inner.clone(), 0..3).prop_map(|types| types.join(", "));
        prop_oneof![
            (inner.clone(), suffix).prop_map(|(ty, suffix)| ty + suffix),
            (token.clone(), list.clone()).prop_map(|(token, types)| format!("{token}<{types}>")),
            (inner, list).prop_map(|(returns, types)| format!("method instance {returns} ({types})")),
        ]
    })
}

/// A word of any characters, as it is typed.
fn words() -> impl Strategy<Value = String> {
    "[^\u{0}]{0,8}".prop_map(|word| tokens::quoted(&word))
}

#[test]
fn a_line_below_zero_is_shown_as_it_is() {
    let (bytes, text) = ("00 00 00 01 0a 09 01 00 01 41 00", "IL_0000 10:9-10:10; IL_0001 -22:9--22:10");
    assert_eq!(decoded("points", bytes), text);
    assert_eq!(spaced(&encoded("points", text)), bytes);
}

proptest! {
    #[test]
    fn types_and_signatures_return(types in prop::collection::vec(types(), 1..4)) {
        for ty in &types {
            prop_assert_eq!(&decoded("type", &spaced(&encoded("type", ty))), ty);
        }
        let list = types.join(", ");
        for text in [
            format!("locals ({list})"), format!("methodspec <{list}>"), format!("field {}", types[0]),
            format!("property instance {} ({list})", types[0]),
            format!("method vararg generic 1 {} ({list}, ..., int32)", types[0]),
        ] {
            prop_assert_eq!(decoded("signature", &spaced(&encoded("signature", &text))), text);
        }
    }

    #[test]
    fn custom_numbers_return(
        numbers in prop::collection::vec((0_u32..0x1000, 0_u32..0x1000, -30_i32..3000), 1..6), bits in "[01]{0,20}1",
    ) {
        let join = |one: &dyn Fn(&(u32, u32, i32)) -> String| numbers.iter().map(one).collect::<Vec<_>>().join("; ");
        let (mut sorted, last) = (numbers.clone(), numbers.len() - 1);
        sorted.sort_by_key(|(.., at)| *at);
        let states = sorted.iter().map(|(state, _, at)| format!("state {} at {at}", *state as i32 - 9));
        for (kind, text) in [
            ("hoisted-scopes", join(&|(start, length, _)| format!("IL_{start:04x}..IL_{:04x}", start + length))),
            ("async-stepping", "catch IL_0007; ".to_owned() + &join(&|(from, to, _)| format!("yield IL_{from:04x} resume IL_{to:04x} method 3"))),
            ("lambda-map", "method -1; ".to_owned() + &join(&|(.., at)| format!("closure {at}"))
                + &format!("; lambda 4 static; lambda -2 this; lambda 5 closure {last}")),
            ("state-map", states.collect::<Vec<_>>().join("; ")),
            ("dynamic", bits.clone()),
            ("type-documents", join(&|(row, ..)| row.to_string()).replace(';', "")),
        ] {
            prop_assert_eq!(decoded(kind, &spaced(&encoded(kind, &text))), text);
        }
    }

    #[test]
    fn custom_texts_return(names in prop::collection::vec(words(), 1..5), text in "[^\u{0}]{1,20}", flags: u8, stamp: u32) {
        let pairs = names.iter().map(|name| format!("{name}={name}")).collect::<Vec<_>>().join("; ");
        let reference = format!(
            "{} aliases={} flags={flags:#x} stamp={stamp:#x} size=0x2000 mvid=6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            names[0], names[names.len() - 1]
        );
        for (kind, text) in [
            ("tuple-names", names.join(" ")),
            ("options", pairs),
            ("references", [reference.clone(), reference].join("; ")),
            ("namespace", text.clone()),
            ("source-link", text.clone()),
            ("name-snapshot", [names.join(" "), names.join(" ")].join("; ")),
            ("embedded-source", format!("text {}", serde_json::Value::String(text.clone()))),
            ("embedded-source", format!("format {stamp} 616263").replace("format 0 ", "format 1 ")),
        ] {
            if kind == "embedded-source" && stamp > i32::MAX as u32 {
                continue;
            }
            prop_assert_eq!(decoded(kind, &spaced(&encoded(kind, &text))), text);
        }
    }

    #[test]
    fn srcsrv_lines_return(files in prop::collection::vec("[a-z]{1,8}", 1..5)) {
        let files = files.iter().map(|file| format!("\nfile c:\\{file}.c*{file} → http://x/{file}"));
        let text = "ini VERSION=2\nvariable SRCSRVTRG=http://x/%var2%".to_owned() + &files.collect::<String>();
        prop_assert_eq!(decoded("srcsrv", &spaced(&encoded("srcsrv", &text))), text);
    }

    #[test]
    fn numbers_return(unsigned in 0_u32..0x2000_0000, signed in -0x1000_0000_i32..0x1000_0000) {
        prop_assert_eq!(decoded("uint", &spaced(&encoded("uint", &unsigned.to_string()))), unsigned.to_string());
        prop_assert_eq!(decoded("sint", &spaced(&encoded("sint", &signed.to_string()))), signed.to_string());
    }

    #[test]
    fn points_return(text in points()) {
        for name in ["points", "records"] {
            prop_assert_eq!(&decoded(name, &spaced(&encoded(name, &text))), &text);
        }
    }

    #[test]
    fn slots_return(slots in prop::collection::vec((0_u8..63, -40_i32..5000, 0_u32..4), 1..12)) {
        let one = |(kind, offset, ordinal): (u8, i32, u32)| match ordinal {
            0 => format!("{kind}@{offset}"),
            ordinal => format!("{kind}@{offset}#{ordinal}"),
        };
        let text = slots.into_iter().map(one).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(decoded("slots", &spaced(&encoded("slots", &text))), text);
    }

    #[test]
    fn constants_return(number in any::<i64>(), real in any::<f64>(), string in ".{0,12}", row in 1_u32..0xff_ffff) {
        let quoted = serde_json::Value::String(string).to_string();
        for text in [
            format!("long {number}"), format!("string {quoted}"), format!("enum 0x{:08x} int 5", 0x0100_0000 | row),
            format!("modopt 0x{:08x} bool true", 0x0200_0000 | row), format!("class 0x{:08x} null", 0x0200_0000 | row),
            format!("datetime 0x{:08x} {number}", 0x0100_0000 | row),
            format!("modreq 0x01000002 decimal 0x{:08x} {}{}.{:02}", 0x0100_0000 | row, if number < 0 { "-" } else { "" },
                number.unsigned_abs(), row % 100),
        ] {
            prop_assert_eq!(decoded("constant", &spaced(&encoded("constant", &text))), text);
        }
        if real.is_finite() {
            let text = format!("double {real:?}");
            prop_assert_eq!(decoded("constant", &spaced(&encoded("constant", &text))), text);
        }
    }

    #[test]
    fn arbitrary_bytes_decode_or_say_where(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        for codec in CODECS {
            let found = codec.decode(&bytes);
            if let Err(error) = &found.text {
                prop_assert!(error.span.start <= bytes.len() as u64, "{} {bytes:02x?}: {error}", codec.name);
            }
        }
    }
}

const BLOB: &str = "02 00 00 01 13 05 01 00 26 02 04 0e 00 25 02 00 04 00 0d 02 00 04 00 01 02 7d";

#[test]
fn lines_of_a_dump_are_their_bytes() {
    let wanted = parse_hex(BLOB).unwrap();
    for dump in [
        "00000000: 0200 0001 1305 0100 2602 040e 0025 0200  ........&....%..\n00000010: 0400 0d02 0004 0001 027d                 .........}\n",
        "00000000  02 00 00 01 13 05 01 00  26 02 04 0e 00 25 02 00  |........&....%..|\n\
         00000010  04 00 0d 02 00 04 00 01  02 7d                    |.........}|\n0000001a\n",
        "┌────────┬─────────────────────────┬─────────────────────────┬────────┬────────┐\n\
         │00000000│ 02 00 00 01 13 05 01 00 ┊ 26 02 04 0e 00 25 02 00 │•⋄⋄•••••┊&••••%•⋄│\n\
         │00000010│ 04 00 0d 02 00 04 00 01 ┊ 02 7d                   │•⋄•••••••┊•}      │\n\
         └────────┴─────────────────────────┴─────────────────────────┴────────┴────────┘\n",
        "00000000`00401000  02 00 00 01 13 05 01 00-26 02 04 0e 00 25 02 00  ........&....%..\n\
         00000000`00401010  04 00 0d 02 00 04 00 01-02 7d                    .........}\n",
        " 0005a0  02 00 00 01 13 05 01 00  26 02 04 0e 00 25 02 00  •⋄⋄••••⋄ &••⋄⋄%•⋄ │  10•\n\
         ▌0005b0  04 00 0d 02 00 04 00 01  02 7d\n",
        // Characters that look like bytes, and blanks that a shell has taken.
        "00000000: 0200 0001 1305 0100 2602 040e 0025 0200  abcdef0123456789\n00000010: 0400 0d02 0004 0001 027d                 beefbeefbe\n",
    ] {
        assert_eq!(parse_hex(dump).as_ref(), Ok(&wanted), "{dump}");
        assert_eq!(one_line(dump, " "), BLOB, "{dump}");
    }
    assert_eq!(
        parse_hex("00000000 02 00 00 01 13 05 01 00 26 02 04 0e 00 25 02 00 ........&....%..").unwrap(),
        wanted[..16]
    );
    let gap = parse_hex("00000000: 0200 0001\n00000010: 0400\n").unwrap_err();
    assert_eq!(gap, HexError::Gap { expected: 4, found: 16 });
    // Text that looks like a dump but is not one.
    for (text, bytes) in [
        ("02000001 13 05", 6),
        ("0200 0001 1305", 6),
        ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", 16),
        ("020000011305010026", 9),
    ] {
        assert_eq!(parse_hex(text).map(|found| found.len()), Ok(bytes), "{text}");
    }
}

#[test]
fn bytes_from_the_middle_of_a_blob_say_where_a_first_reading_fails() {
    let advice = |hex: &str| codec("points").decode(&parse_hex(hex).unwrap()).advice;
    // The fourth point and the last, from the middle of BLOB: the column of the fourth is a difference of 0.
    let middle = advice("04 0e 00 25 02 00 04 00 0d 02 00 04 00 01 02 7d").unwrap();
    assert!(middle.starts_with("after byte 0x5 (00), read 6, start column, the start column is 0"), "{middle}");
    assert!(middle.contains("middle of a blob"), "{middle}");
    assert_eq!(advice(BLOB), None);
}
