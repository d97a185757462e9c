//! The bits of flag columns, in the words of the IL assembler where it has one. A part is a mask, a value under it, and what
//! that means.

/// A mask, a value under it, and its meaning.
type MaskedValue = (u64, u64, &'static str);

/// II.23.1.15, `TypeAttributes`
pub(crate) const TYPE: &[MaskedValue] = &[
    (0x7, 0x0, "private"),
    (0x7, 0x1, "public"),
    (0x7, 0x2, "nested public"),
    (0x7, 0x3, "nested private"),
    (0x7, 0x4, "nested family"),
    (0x7, 0x5, "nested assembly"),
    (0x7, 0x6, "nested famandassem"),
    (0x7, 0x7, "nested famorassem"),
    (0x18, 0x00, "auto"),
    (0x18, 0x08, "sequential"),
    (0x18, 0x10, "explicit"),
    (0x18, 0x18, "extended"),
    (0x20, 0x20, "interface"),
    (0x80, 0x80, "abstract"),
    (0x100, 0x100, "sealed"),
    (0x400, 0x400, "specialname"),
    (0x800, 0x800, "rtspecialname"),
    (0x1000, 0x1000, "import"),
    (0x2000, 0x2000, "serializable"),
    (0x4000, 0x4000, "windowsruntime"),
    (0x3_0000, 0x0_0000, "ansi"),
    (0x3_0000, 0x1_0000, "unicode"),
    (0x3_0000, 0x2_0000, "autochar"),
    (0x3_0000, 0x3_0000, "custom strings"),
    (0x4_0000, 0x4_0000, "has security"),
    (0x10_0000, 0x10_0000, "beforefieldinit"),
    (0x20_0000, 0x20_0000, "forwarder"),
];

/// II.23.1.10, `MethodAttributes`
pub(crate) const METHOD: &[MaskedValue] = &[
    (0x7, 0x0, "privatescope"),
    (0x7, 0x1, "private"),
    (0x7, 0x2, "famandassem"),
    (0x7, 0x3, "assembly"),
    (0x7, 0x4, "family"),
    (0x7, 0x5, "famorassem"),
    (0x7, 0x6, "public"),
    (0x8, 0x8, "unmanaged export"),
    (0x10, 0x10, "static"),
    (0x20, 0x20, "final"),
    (0x40, 0x40, "virtual"),
    (0x80, 0x80, "hidebysig"),
    (0x100, 0x100, "newslot"),
    (0x200, 0x200, "strict"),
    (0x400, 0x400, "abstract"),
    (0x800, 0x800, "specialname"),
    (0x1000, 0x1000, "rtspecialname"),
    (0x2000, 0x2000, "pinvokeimpl"),
    (0x4000, 0x4000, "has security"),
    (0x8000, 0x8000, "requires security object"),
];

/// II.23.1.11, `MethodImplAttributes`, with those that the runtime added since
pub(crate) const METHOD_IMPL: &[MaskedValue] = &[
    (0x3, 0x0, "cil"),
    (0x3, 0x1, "native"),
    (0x3, 0x2, "optil"),
    (0x3, 0x3, "runtime"),
    (0x4, 0x0, "managed"),
    (0x4, 0x4, "unmanaged"),
    (0x8, 0x8, "noinlining"),
    (0x10, 0x10, "forwardref"),
    (0x20, 0x20, "synchronized"),
    (0x40, 0x40, "nooptimization"),
    (0x80, 0x80, "preservesig"),
    (0x100, 0x100, "aggressiveinlining"),
    (0x200, 0x200, "aggressiveoptimization"),
    (0x1000, 0x1000, "internalcall"),
    (0x2000, 0x2000, "async"),
];

/// II.23.1.5, `FieldAttributes`
pub(crate) const FIELD: &[MaskedValue] = &[
    (0x7, 0x0, "privatescope"),
    (0x7, 0x1, "private"),
    (0x7, 0x2, "famandassem"),
    (0x7, 0x3, "assembly"),
    (0x7, 0x4, "family"),
    (0x7, 0x5, "famorassem"),
    (0x7, 0x6, "public"),
    (0x10, 0x10, "static"),
    (0x20, 0x20, "initonly"),
    (0x40, 0x40, "literal"),
    (0x80, 0x80, "notserialized"),
    (0x100, 0x100, "has an RVA"),
    (0x200, 0x200, "specialname"),
    (0x400, 0x400, "rtspecialname"),
    (0x1000, 0x1000, "is marshalled"),
    (0x2000, 0x2000, "pinvokeimpl"),
    (0x8000, 0x8000, "has a constant"),
];

/// II.23.1.13, `ParamAttributes`
pub(crate) const PARAM: &[MaskedValue] = &[
    (0x1, 0x1, "in"),
    (0x2, 0x2, "out"),
    (0x10, 0x10, "opt"),
    (0x1000, 0x1000, "has a default"),
    (0x2000, 0x2000, "is marshalled"),
];

/// II.23.1.14 and II.23.1.4, `PropertyAttributes` and `EventAttributes`
pub(crate) const MEMBER: &[MaskedValue] =
    &[(0x200, 0x200, "specialname"), (0x400, 0x400, "rtspecialname"), (0x1000, 0x1000, "has a constant")];

/// II.23.1.12, `MethodSemanticsAttributes`
pub(crate) const SEMANTICS: &[(u64, &str)] =
    &[(0x1, "setter"), (0x2, "getter"), (0x4, "other"), (0x8, "adder"), (0x10, "remover"), (0x20, "raiser")];

/// II.23.1.7, `GenericParamAttributes`
pub(crate) const GENERIC_PARAM: &[MaskedValue] = &[
    (0x3, 0x1, "out"),
    (0x3, 0x2, "in"),
    (0x4, 0x4, "class"),
    (0x8, 0x8, "struct"),
    (0x10, 0x10, "new()"),
    (0x20, 0x20, "allows ref struct"),
];

/// II.23.1.8, `PInvokeAttributes`
pub(crate) const PINVOKE: &[MaskedValue] = &[
    (0x1, 0x1, "nomangle"),
    (0x6, 0x2, "ansi"),
    (0x6, 0x4, "unicode"),
    (0x6, 0x6, "autochar"),
    (0x30, 0x10, "bestfit on"),
    (0x30, 0x20, "bestfit off"),
    (0x40, 0x40, "lasterr"),
    (0x700, 0x100, "winapi"),
    (0x700, 0x200, "cdecl"),
    (0x700, 0x300, "stdcall"),
    (0x700, 0x400, "thiscall"),
    (0x700, 0x500, "fastcall"),
    (0x3000, 0x1000, "charmaperror on"),
    (0x3000, 0x2000, "charmaperror off"),
];

/// II.23.1.2, `AssemblyFlags`
pub(crate) const ASSEMBLY: &[MaskedValue] = &[
    (0x1, 0x1, "public key"),
    (0x100, 0x100, "retargetable"),
    (0xe00, 0x200, "windowsruntime"),
    (0x4000, 0x4000, "jit optimizer off"),
    (0x8000, 0x8000, "jit tracking on"),
];

/// II.23.1.1, `AssemblyHashAlgorithm`, with those that came since
pub(crate) const HASHES: &[(u64, &str)] =
    &[(0, "none"), (0x8003, "MD5"), (0x8004, "SHA-1"), (0x800c, "SHA-256"), (0x800d, "SHA-384"), (0x800e, "SHA-512")];

/// II.23.1.6, `FileAttributes`
pub(crate) const FILE: &[(u64, &str)] = &[(0, "has metadata"), (1, "has no metadata")];
/// II.23.1.9, `ManifestResourceAttributes`
pub(crate) const RESOURCE: &[(u64, &str)] = &[(1, "public"), (2, "private")];

/// `SecurityAction` (ECMA-335 II.22.11).
pub(crate) const SECURITY: &[(u64, &str)] = &[
    (1, "request"),
    (2, "demand"),
    (3, "assert"),
    (4, "deny"),
    (5, "permit only"),
    (6, "link demand"),
    (7, "inheritance demand"),
    (8, "request minimum"),
    (9, "request optional"),
    (10, "request refuse"),
];

/// `System.Reflection.Metadata.Ecma335.EditAndContinueOperation`
pub(crate) const ENC: &[(u64, &str)] = &[
    (0, "new or changed"),
    (1, "a method is added to it"),
    (2, "a field is added to it"),
    (3, "a parameter is added to it"),
    (4, "a property is added to it"),
    (5, "an event is added to it"),
];

/// `LocalVariableAttributes`
pub(crate) const LOCAL: &[(u64, &str)] = &[(0x1, "hidden from the debugger")];
