//! Sections of the help and the man page that clap does not know: exit codes, environment, files.

/// Heading and its rows: a term, and what it means.
pub type Section = (&'static str, &'static [(&'static str, &'static str)]);

/// Sections in the order of man-pages(7).
pub const SECTIONS: &[Section] = &[
    (
        "Exit status",
        &[
            ("0", "Success; for check and other judgements: no finding"),
            (
                "1",
                "A file cannot be read or written, or the question has no answer: break --why of a breakpoint that does not bind",
            ),
            ("2", "Wrong arguments, a place that does not exist, or nothing to open"),
            ("3", "Success, with findings: a mismatch, a rule that fails, a difference"),
        ],
    ),
    (
        "Environment",
        &[
            (
                "_NT_SYMBOL_PATH",
                "Folders, stores and servers to search for symbols; its servers are asked only by find and store get",
            ),
            (
                "NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR",
                "Without colours; with colours where standard output is no terminal. --color counts before them",
            ),
            ("PDBLENS_THEME", "Theme of the screens: dark, light, ansi, mono"),
            ("PDBLENS_CONFIG", "Path of the configuration file"),
            ("NUGET_PACKAGES", "Folder of the packages that nuget: addresses are in"),
            ("DOTNET_ROOT", "Folder of the runtimes that platform: addresses are in"),
        ],
    ),
    (
        "Files",
        &[
            ("~/.config/pdblens/config.toml", "Keys, theme, symbol path and source folders of the screens"),
            ("~/.local/state/pdblens", "Layout of the screens, progress of the lessons"),
            ("~/.cache/pdblens/symbols", "Downloaded symbols, where no other store is named"),
            (
                "pdblens.toml",
                "Rules of check for a project; in the current folder or one above it, up to the repository",
            ),
        ],
    ),
];
