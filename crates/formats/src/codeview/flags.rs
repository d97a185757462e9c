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
