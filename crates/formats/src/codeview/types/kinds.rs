/// Kinds of type records, with their names in the CodeView headers.
#[rustfmt::skip]
pub const KINDS: &[(u64, &str)] = &[
    (0x000a, "LF_VTSHAPE"), (0x000e, "LF_LABEL"), (0x0014, "LF_ENDPRECOMP"), (0x1001, "LF_MODIFIER"),
    (0x1002, "LF_POINTER"), (0x1008, "LF_PROCEDURE"), (0x1009, "LF_MFUNCTION"), (0x1201, "LF_ARGLIST"),
    (0x1203, "LF_FIELDLIST"), (0x1205, "LF_BITFIELD"), (0x1206, "LF_METHODLIST"), (0x1400, "LF_BCLASS"),
    (0x1401, "LF_VBCLASS"), (0x1402, "LF_IVBCLASS"), (0x1404, "LF_INDEX"), (0x1409, "LF_VFUNCTAB"),
    (0x140a, "LF_FRIENDCLS"), (0x140c, "LF_VFUNCOFF"), (0x1502, "LF_ENUMERATE"), (0x1503, "LF_ARRAY"),
    (0x1504, "LF_CLASS"), (0x1505, "LF_STRUCTURE"), (0x1506, "LF_UNION"), (0x1507, "LF_ENUM"),
    (0x1509, "LF_PRECOMP"), (0x150a, "LF_ALIAS"), (0x150c, "LF_FRIENDFCN"), (0x150d, "LF_MEMBER"),
    (0x150e, "LF_STMEMBER"), (0x150f, "LF_METHOD"), (0x1510, "LF_NESTTYPE"), (0x1511, "LF_ONEMETHOD"),
    (0x1512, "LF_NESTTYPEEX"), (0x1513, "LF_MEMBERMODIFY"), (0x1515, "LF_TYPESERVER2"), (0x1519, "LF_INTERFACE"),
    (0x151a, "LF_BINTERFACE"), (0x151d, "LF_VFTABLE"), (0x1601, "LF_FUNC_ID"), (0x1602, "LF_MFUNC_ID"),
    (0x1603, "LF_BUILDINFO"), (0x1604, "LF_SUBSTR_LIST"), (0x1605, "LF_STRING_ID"), (0x1606, "LF_UDT_SRC_LINE"),
    (0x1607, "LF_UDT_MOD_SRC_LINE"), (0x1608, "LF_CLASS2"), (0x1609, "LF_STRUCTURE2"), (0x160a, "LF_UNION2"),
    (0x160b, "LF_INTERFACE2"),
];

/// Kinds of type records, members and ids (`LEAF_ENUM_e`).
pub(super) mod lf {
    pub(in crate::codeview::types) const VTSHAPE: u16 = 0x000a;
    pub(in crate::codeview::types) const MODIFIER: u16 = 0x1001;
    pub(in crate::codeview::types) const POINTER: u16 = 0x1002;
    pub(in crate::codeview::types) const PROCEDURE: u16 = 0x1008;
    pub(in crate::codeview::types) const MFUNCTION: u16 = 0x1009;
    pub(in crate::codeview::types) const ARGLIST: u16 = 0x1201;
    pub(in crate::codeview::types) const FIELDLIST: u16 = 0x1203;
    pub(in crate::codeview::types) const BITFIELD: u16 = 0x1205;
    pub(in crate::codeview::types) const METHODLIST: u16 = 0x1206;
    pub(in crate::codeview::types) const BCLASS: u16 = 0x1400;
    pub(in crate::codeview::types) const VBCLASS: u16 = 0x1401;
    pub(in crate::codeview::types) const IVBCLASS: u16 = 0x1402;
    pub(in crate::codeview::types) const INDEX: u16 = 0x1404;
    pub(in crate::codeview::types) const VFUNCTAB: u16 = 0x1409;
    pub(in crate::codeview::types) const FRIENDCLS: u16 = 0x140a;
    pub(in crate::codeview::types) const VFUNCOFF: u16 = 0x140c;
    pub(in crate::codeview::types) const ENUMERATE: u16 = 0x1502;
    pub(in crate::codeview::types) const ARRAY: u16 = 0x1503;
    pub(in crate::codeview::types) const CLASS: u16 = 0x1504;
    pub(in crate::codeview::types) const STRUCTURE: u16 = 0x1505;
    pub(in crate::codeview::types) const UNION: u16 = 0x1506;
    pub(in crate::codeview::types) const ENUM: u16 = 0x1507;
    pub(in crate::codeview::types) const ALIAS: u16 = 0x150a;
    pub(in crate::codeview::types) const FRIENDFCN: u16 = 0x150c;
    pub(in crate::codeview::types) const MEMBER: u16 = 0x150d;
    pub(in crate::codeview::types) const STMEMBER: u16 = 0x150e;
    pub(in crate::codeview::types) const METHOD: u16 = 0x150f;
    pub(in crate::codeview::types) const NESTTYPE: u16 = 0x1510;
    pub(in crate::codeview::types) const ONEMETHOD: u16 = 0x1511;
    pub(in crate::codeview::types) const NESTTYPEEX: u16 = 0x1512;
    pub(in crate::codeview::types) const MEMBERMODIFY: u16 = 0x1513;
    pub(in crate::codeview::types) const TYPESERVER2: u16 = 0x1515;
    pub(in crate::codeview::types) const INTERFACE: u16 = 0x1519;
    pub(in crate::codeview::types) const BINTERFACE: u16 = 0x151a;
    pub(in crate::codeview::types) const VFTABLE: u16 = 0x151d;
    pub(in crate::codeview::types) const FUNC_ID: u16 = 0x1601;
    pub(in crate::codeview::types) const MFUNC_ID: u16 = 0x1602;
    pub(in crate::codeview::types) const BUILDINFO: u16 = 0x1603;
    pub(in crate::codeview::types) const SUBSTR_LIST: u16 = 0x1604;
    pub(in crate::codeview::types) const STRING_ID: u16 = 0x1605;
    pub(in crate::codeview::types) const UDT_SRC_LINE: u16 = 0x1606;
    pub(in crate::codeview::types) const UDT_MOD_SRC_LINE: u16 = 0x1607;
    pub(in crate::codeview::types) const CLASS2: u16 = 0x1608;
    pub(in crate::codeview::types) const STRUCTURE2: u16 = 0x1609;
    pub(in crate::codeview::types) const UNION2: u16 = 0x160a;
    pub(in crate::codeview::types) const INTERFACE2: u16 = 0x160b;
}

/// Returns the name of a kind of type record or member in the CodeView headers.
pub fn kind_name(kind: u16) -> Option<&'static str> {
    let index = KINDS.binary_search_by_key(&(kind as u64), |(number, _)| *number).ok()?;
    KINDS.get(index).map(|(_, name)| *name)
}
