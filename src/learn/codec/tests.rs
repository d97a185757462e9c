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
        if codec.has_encoder() {
            assert_eq!(spaced(&encoded(codec.name, text)), hex, "{}", codec.name);
        }
        let steps = codec.decode(&parse_hex(hex).unwrap()).steps;
        let bytes: Vec<u8> = steps.reads().flat_map(|step| step.bytes.clone()).collect();
        assert_eq!(bytes, parse_hex(hex).unwrap(), "the steps of {} cover its bytes", codec.name);
    }
}

#[test]
fn published_sequence_points() {
    // The example of a blog post about the format: it begins behind the header.
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

proptest! {
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
