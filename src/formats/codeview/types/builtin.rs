/// A type that needs no record: its number says what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// What C++ calls it; `None` for a number that stands for nothing.
    pub name: Option<&'static str>,
    /// How many bytes a value takes; 0 for `void` and what has no size.
    pub size: u32,
    /// How many bytes a pointer to it takes; 0 where the type is not a pointer to it but it itself.
    pub pointer: u32,
}

/// The numbers without their pointer bits, in order: number, name, size.
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

/// How many bytes a pointer takes, by bits 8 to 10 of the number.
const POINTERS: [u32; 8] = [0, 2, 4, 4, 4, 6, 8, 16];

/// `std::nullptr_t`: a pointer to nothing, for which a combination of bits is set aside.
const NULLPTR: u32 = 0x103;

impl Builtin {
    /// What `index` stands for, which is below the first record's number.
    pub fn of(index: u32) -> Self {
        if index == NULLPTR {
            return Self { name: Some("std::nullptr_t"), size: 0, pointer: 0 };
        }
        let found = KINDS.binary_search_by_key(&(index & 0xff), |(number, ..)| *number).ok();
        let kind = found.and_then(|at| KINDS.get(at)).filter(|_| index < 0x1000);
        Self {
            name: kind.map(|(_, name, _)| *name),
            size: kind.map_or(0, |(.., size)| *size),
            pointer: POINTERS.get((index >> 8 & 7) as usize).copied().unwrap_or_default(),
        }
    }
}
