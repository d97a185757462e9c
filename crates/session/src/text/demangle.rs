//! Source names of decorated ones: those of Visual C++ (`?f@@YAHH@Z`), and of Rust, legacy (`_ZN…E`) and v0 (`_R…`).

use msvc_demangler::DemangleFlags;

/// Limit on the bytes of a decorated name and of its source name.
const MAX_NAME: usize = 4096;
/// Limit on templates and on nested local names in one decorated name.
const MAX_TEMPLATES: usize = 200;
/// Limit on pointers to pointers in a row.
const MAX_RUN: usize = 120;
/// Limit on the parts that back references may multiply a name to.
const MAX_PARTS: f64 = 100_000.0;

/// Source name of a decorated one: a function with its parameters, a variable without its type. `None` for a
/// name that is not decorated, or that cannot be read.
pub fn demangled(name: &str) -> Option<String> {
    let found = match name.as_bytes() {
        [b'?', ..] if is_bounded(name) => {
            let flags = DemangleFlags::NO_ACCESS_SPECIFIERS
                | DemangleFlags::NO_FUNCTION_RETURNS
                | DemangleFlags::NO_MEMBER_TYPE
                | DemangleFlags::NO_MS_KEYWORDS
                | DemangleFlags::NO_THISTYPE
                | DemangleFlags::NO_CLASS_TYPE
                | DemangleFlags::SPACE_AFTER_COMMA;
            msvc_demangler::demangle(name, flags).ok()?
        }
        [b'_', b'R' | b'Z', ..] if name.len() <= MAX_NAME => {
            format!("{:#}", rustc_demangle::try_demangle(name).ok()?)
        }
        _ => return None,
    };
    (found.len() <= MAX_NAME).then_some(found)
}

/// Source name of a decorated one, or the name itself.
pub fn readable(name: &str) -> String {
    demangled(name).unwrap_or_else(|| name.to_owned())
}

/// Returns true if decoding the name of Visual C++ takes neither deep recursion nor more than [`MAX_PARTS`] parts: back
/// references inside the parameters of function types multiply.
fn is_bounded(name: &str) -> bool {
    let bytes = name.as_bytes();
    let pairs = |wanted: &[u8]| bytes.windows(2).filter(|pair| *pair == wanted).count();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let functions = bytes.windows(2).filter(|pair| matches!(pair, [b'A'..=b'Z', b'6' | b'8'])).count();
    let mut runs =
        bytes.split(|byte| !matches!(byte, b'A'..=b'F' | b'I' | b'P'..=b'S' | b'Y' | b'0'..=b'9' | b'?' | b'$'));
    let parts = (digits as f64 / functions.max(1) as f64).powi(functions.min(64) as i32);
    bytes.len() <= MAX_NAME
        && pairs(b"?$") + pairs(b"??") <= MAX_TEMPLATES
        && runs.all(|run| run.len() <= MAX_RUN)
        && parts <= MAX_PARTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decorated_names_are_read() {
        for (decorated, name) in [
            ("?first_copy@parcel@@YAHH@Z", Some("parcel::first_copy(int)")),
            ("?moved@Box@parcel@@UEAAXH@Z", Some("parcel::Box::moved(int)")),
            ("_ZN8geometry6square17hdbbe6f491e250efbE", Some("geometry::square")),
            ("_RNvCsdj8umbvlwlW_8geometry6square", Some("geometry::square")),
            (
                "_RNvXCsdj8umbvlwlW_8geometryNtB2_5ShapeNtB2_4Area4area",
                Some("<geometry::Shape as geometry::Area>::area"),
            ),
            ("entry", None),
            ("_fltused", None),
            ("?", None),
        ] {
            assert_eq!(demangled(decorated).as_deref(), name, "{decorated}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_no_reason_to_panic() {
        for escape in ["?$A\x01", "?$\x01\x01", "?$zz", "?$99"] {
            let name = format!("??_C@_09PMOBCHIC@{escape}{escape}{escape}@");
            assert!(demangled(&name).is_none_or(|found| !found.is_empty()), "{name}");
        }
        assert_eq!(demangled(&format!("??_B?{}@?f@@YAXH@Z@5{}", "9".repeat(30), "9".repeat(30))), None);
    }

    #[test]
    fn hostile_names_stay_as_they_are() {
        let level = |back: usize| format!("P6A{}@Z", back.to_string().repeat(30));
        let bomb = format!("?f@@YAXH{}@Z", (0..9).map(level).collect::<String>());
        for name in [bomb, format!("?f@@YAX{}H@Z", "PA".repeat(1000)), format!("?{}", "?$a@V".repeat(700))] {
            assert_eq!(demangled(&name), None, "{name}");
            assert_eq!(readable(&name), name);
        }
    }
}
