//! Source languages of modules (`CV_CFL_LANG`).

/// Language numbers in the flags of compiler records.
pub const LANGUAGES: &[(u64, &str)] = &[
    (0, "C"),
    (1, "C++"),
    (2, "Fortran"),
    (3, "MASM"),
    (4, "Pascal"),
    (5, "Basic"),
    (6, "COBOL"),
    (7, "linker"),
    (8, "resource compiler"),
    (9, "PGO"),
    (10, "C#"),
    (11, "Visual Basic"),
    (12, "IL"),
    (13, "Java"),
    (14, "JScript"),
    (15, "MSIL"),
    (16, "HLSL"),
    (21, "Rust"),
];

/// Name of a language; `None` for an unknown number.
pub fn language(number: u64) -> Option<&'static str> {
    LANGUAGES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}
