//! Flags of more than one kind of record.

/// Attributes of a local variable (`CV_LVARFLAGS`).
pub(crate) const LOCAL_FLAGS: &[(u64, &str)] = &[
    (1, "parameter"),
    (2, "address is taken"),
    (4, "compiler-generated"),
    (8, "aggregate"),
    (0x10, "part of an aggregate"),
    (0x20, "aliased"),
    (0x40, "alias"),
    (0x80, "return value"),
    (0x100, "optimised away"),
    (0x200, "global"),
    (0x400, "static"),
];

/// Section characteristics (PE format, "Section Flags").
pub(crate) const SECTION_CHARACTERISTICS: &[(u64, &str)] = &[
    (0x20, "code"),
    (0x40, "initialised data"),
    (0x80, "uninitialised data"),
    (0x0200_0000, "can be discarded"),
    (0x2000_0000, "execute"),
    (0x4000_0000, "read"),
    (0x8000_0000, "write"),
];
