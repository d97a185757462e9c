/// A built-in type, which has no record: it is encoded in the type index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// C++ name; `None` for an unassigned index.
    pub name: Option<&'static str>,
    /// Size of a value in bytes; 0 for `void` and other types without a size.
    pub size: u32,
    /// Size of the pointer in bytes; 0 if the index is the type itself rather than a pointer to it.
    pub pointer: u32,
}

/// Built-in types in ascending order: index without pointer bits, name, size.
#[rustfmt::skip]
const KINDS: &[(u32, &str, u32)] = &[
    (0x00, "<no type>", 0), (0x03, "void", 0), (0x07, "<not translated>", 0), (0x08, "HRESULT", 4),
    (0x10, "signed char", 1), (0x11, "short", 2), (0x12, "long", 4), (0x13, "__int64", 8), (0x14, "__int128", 16),
    (0x20, "unsigned char", 1), (0x21, "unsigned short", 2), (0x22, "unsigned long", 4), (0x23, "unsigned __int64", 8),
    (0x24, "unsigned __int128", 16),
    (0x30, "bool", 1), (0x31, "bool16", 2), (0x32, "bool32", 4), (0x33, "bool64", 8), (0x34, "bool128", 16),
    (0x40, "float", 4), (0x41, "double", 8), (0x42, "float80", 10), (0x43, "float128", 16), (0x44, "float48", 6),
    (0x45, "float (partial precision)", 4), (0x46, "float16", 2),
    (0x50, "complex float", 8), (0x51, "complex double", 16), (0x52, "complex float80", 20), (0x53, "complex float128", 32),
    (0x68, "int8_t", 1), (0x69, "uint8_t", 1),
    (0x70, "char", 1), (0x71, "wchar_t", 2), (0x72, "int16_t", 2), (0x73, "uint16_t", 2), (0x74, "int", 4),
    (0x75, "unsigned int", 4), (0x76, "int64_t", 8), (0x77, "uint64_t", 8), (0x78, "int128_t", 16), (0x79, "uint128_t", 16),
    (0x7a, "char16_t", 2), (0x7b, "char32_t", 4), (0x7c, "char8_t", 1),
];

/// Sizes of pointers in bytes, by bits 8 to 10 of the index.
const POINTERS: [u32; 8] = [0, 2, 4, 4, 4, 6, 8, 16];
/// `std::nullptr_t`, encoded as an otherwise unused combination of bits.
const NULLPTR: u32 = 0x103;

impl Builtin {
    /// Decodes a type index below that of the first record.
    pub fn of(index: u32) -> Self {
        if index == NULLPTR {
            return Self { name: Some("std::nullptr_t"), size: 0, pointer: 0 };
        }
        let found = KINDS.binary_search_by_key(&(index & 0xff), |(number, ..)| *number).ok();
        let kind = if index < 0x1000 { found.and_then(|at| KINDS.get(at)) } else { None };
        Self {
            name: kind.map(|(_, name, _)| *name),
            size: kind.map_or(0, |(.., size)| *size),
            pointer: POINTERS.get((index >> 8 & 7) as usize).copied().unwrap_or_default(),
        }
    }
}
