//! Sections of the help and the man page that clap does not know: exit codes, environment, files.

/// Heading and its rows: a term, and what it means.
pub type ManualSection = (&'static str, &'static [(&'static str, &'static str)]);

/// Exit codes, which mean the same in every command.
pub const EXIT_STATUS: ManualSection = (
    "Exit status",
    &[
        ("0", "Answered"),
        ("1", "An error of the input or of the machine: a file cannot be read or written"),
        ("2", "Misuse: the arguments are wrong, whatever is in the files"),
        (
            "3",
            "No answer, or a finding: no such place, no line, no symbols, an answer from symbols of another build; a mismatch, a violated rule, a difference",
        ),
    ],
);

/// Sections in the order of man-pages(7).
pub const SECTIONS: &[ManualSection] = &[
    EXIT_STATUS,
    (
        "Environment",
        &[
            (
                "_NT_SYMBOL_PATH",
                "Folders, stores and servers to search for symbols; only find and store get contact its servers",
            ),
            (
                "PDBLENS_TOKEN",
                "HOST=TOKEN, several separated by ;: sent to that host by https in the header Authorization, as Bearer TOKEN, or as it is if it has a space (Basic …)",
            ),
            (
                "NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR",
                "NO_COLOR disables colour; the others enable it even if standard output is not a terminal. --color takes precedence",
            ),
            ("PDBLENS_THEME", "Theme of the screens: dark, light, ansi, mono, or one of your own"),
            ("PDBLENS_CONFIG", "Path of the configuration file"),
            (
                "PDBLENS_LOG",
                "Level of the log on standard error: debug says why a file was refused, a job did not run, a frame was drawn. Screens need a redirection: 2>log.txt",
            ),
            ("NUGET_PACKAGES", "Folder of the packages for nuget: addresses"),
            ("DOTNET_ROOT", "Folder of the .NET runtimes for platform: addresses"),
        ],
    ),
    (
        "Files",
        &[
            ("~/.config/pdblens/config.toml", "Keys, theme, symbol path and source folders of the screens"),
            ("~/.local/state/pdblens", "Layout of the screens, progress of the lessons"),
            ("~/.cache/pdblens/symbols", "Downloaded symbols, if no other store is named"),
            (
                "pdblens.toml",
                "Rules of check for a project, in the current folder or a parent folder, up to the root of the repository",
            ),
        ],
    ),
];
