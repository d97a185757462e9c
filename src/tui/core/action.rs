//! Everything the screens can do, each with its name and one line of help.
//!
//! Help, hints, command palette, configuration, docs/keys.md and the man page are made from [`ACTIONS`] and
//! [`KEYS`](crate::tui::core::keymap::KEYS).

/// An action of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // ACTIONS says what each one does.
pub enum Action {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    ScrollUp,
    ScrollDown,
    Top,
    Bottom,
    Center,
    PreviousPoint,
    NextPoint,
    Follow,
    Toggle,
    ExpandAll,
    CollapseAll,
    Back,
    Forward,
    Parent,
    GoTo,
    GoToken,
    GoOffset,
    GoInstruction,
    View(u8),
    NextPane,
    PreviousPane,
    Zoom,
    Wider,
    Narrower,
    Taller,
    Shorter,
    ResetSplits,
    Find,
    NextMatch,
    PreviousMatch,
    Filter,
    FindAnything,
    Palette,
    CopyValue,
    CopyHex,
    CopyAddress,
    CopyRow,
    CopyJson,
    CopyCommand,
    CopyTrace,
    Explain,
    Glossary,
    WhatIf,
    Handout,
    Learn,
    HideAnswers,
    Predict,
    Mouse,
    Theme,
    Help,
    Redraw,
    Suspend,
    Cancel,
    Quit,
    SourceRoot,
    FetchSource,
    Symbols,
    PasteTrace,
    OpenTrace,
    OpenFile,
    SwitchFile,
    CloseFile,
    SetMark,
    GoToMark,
    Accept,
    Complete,
}

/// Name and descriptions of an action.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct ActionDef {
    pub action: Action,
    /// Name in the configuration and the command palette.
    pub name: &'static str,
    /// Label in the key hints: a word or two.
    pub short: &'static str,
    /// Description in one line.
    pub help: &'static str,
}

const fn def(action: Action, name: &'static str, short: &'static str, help: &'static str) -> ActionDef {
    ActionDef { action, name, short, help }
}

/// All actions, in the order of the help.
pub const ACTIONS: &[ActionDef] = &[
    def(Action::Up, "up", "up", "Move up"),
    def(Action::Down, "down", "down", "Move down"),
    def(Action::Left, "left", "left", "Move left, or collapse"),
    def(Action::Right, "right", "right", "Move right, or expand"),
    def(Action::PageUp, "page-up", "page up", "Move up a screenful"),
    def(Action::PageDown, "page-down", "page down", "Move down a screenful"),
    def(Action::HalfUp, "half-page-up", "half up", "Move up half a screenful"),
    def(Action::HalfDown, "half-page-down", "half down", "Move down half a screenful"),
    def(Action::ScrollUp, "scroll-up", "scroll up", "Scroll up; the selection stays while it is visible"),
    def(Action::ScrollDown, "scroll-down", "scroll down", "Scroll down; the selection stays while it is visible"),
    def(Action::Top, "top", "top", "Go to the first row"),
    def(Action::Bottom, "bottom", "bottom", "Go to the last row"),
    def(Action::Center, "center", "center", "Scroll the selection to the middle"),
    def(
        Action::PreviousPoint,
        "previous-point",
        "previous point",
        "Step to the previous sequence point, from any pane",
    ),
    def(Action::NextPoint, "next-point", "next point", "Step to the next sequence point, from any pane"),
    def(Action::Follow, "follow", "follow", "Follow the link under the cursor, or open what is selected"),
    def(Action::Toggle, "toggle", "fold", "Expand or collapse"),
    def(Action::ExpandAll, "expand-all", "unfold", "Expand everything"),
    def(Action::CollapseAll, "collapse-all", "fold all", "Collapse everything"),
    def(Action::Back, "back", "back", "Go back in the history"),
    def(Action::Forward, "forward", "forward", "Go forward in the history"),
    def(Action::Parent, "parent", "up", "Go to the parent"),
    def(
        Action::GoTo,
        "goto",
        "ask",
        "Ask: go to a name, a token, Name+0xF, File.cs:21, #blob 0xb5, an address, a pasted frame; find; run a command",
    ),
    def(Action::GoToken, "goto-token", "token", "Go to a metadata token"),
    def(Action::GoOffset, "goto-offset", "offset", "Go to an offset of the file"),
    def(Action::GoInstruction, "goto-il", "IL offset", "Go to an IL offset of this method"),
    def(Action::View(1), "view-1", "overview", "Overview: the two files, and whether they match"),
    def(Action::View(2), "view-2", "PE", "PE: headers, sections, data directories, the debug directory"),
    def(
        Action::View(3),
        "view-3",
        "streams",
        "Streams: the page map and streams of an MSF file, or the streams of the metadata",
    ),
    def(Action::View(4), "view-4", "tables", "Tables: every metadata table and heap of both files"),
    def(Action::View(5), "view-5", "methods", "Methods: sequence points, IL and source side by side"),
    def(Action::View(6), "view-6", "sources", "Sources: documents, their hashes and their text"),
    def(Action::View(7), "view-7", "trace", "Trace: a stack trace, resolved"),
    def(Action::View(8), "view-8", "learn", "Learn: lessons, and the decode of a record one step at a time"),
    def(Action::NextPane, "next-pane", "pane", "Focus the next pane"),
    def(Action::PreviousPane, "previous-pane", "pane back", "Focus the previous pane"),
    def(Action::Zoom, "zoom", "zoom", "Show the focused pane on the whole screen, or restore the layout"),
    def(Action::Wider, "wider", "wider", "Make the focused column wider"),
    def(Action::Narrower, "narrower", "narrower", "Make the focused column narrower"),
    def(Action::Taller, "taller", "taller", "Make the focused pane taller"),
    def(Action::Shorter, "shorter", "shorter", "Make the focused pane shorter"),
    def(Action::ResetSplits, "reset-splits", "reset", "Reset the layout of the panes"),
    def(Action::Find, "find", "find", "Find in the focused pane as you type; COLUMN:text in one column"),
    def(Action::NextMatch, "next-match", "next", "Go to the next match"),
    def(Action::PreviousMatch, "previous-match", "previous", "Go to the previous match"),
    def(
        Action::Filter,
        "filter",
        "filter",
        "Show only rows that contain a text; COLUMN:text in one column, COLUMN=text for the whole cell. Esc shows all rows",
    ),
    def(Action::FindAnything, "find-anything", "find all", "Ask: find any name in both files"),
    def(Action::Palette, "commands", "commands", "Choose a command by name"),
    def(Action::CopyValue, "copy-value", "value", "Copy the value"),
    def(Action::CopyHex, "copy-hex", "hex", "Copy the bytes in hexadecimal"),
    def(
        Action::CopyAddress,
        "copy-address",
        "address",
        "Copy the place as `pdblens --at` and the goto prompt accept it",
    ),
    def(Action::CopyRow, "copy-row", "row", "Copy the row, its cells separated by tabs"),
    def(Action::CopyJson, "copy-json", "JSON", "Copy the row or the fields as JSON"),
    def(Action::CopyCommand, "copy-command", "command", "Copy the command that prints the selection"),
    def(Action::CopyTrace, "copy-trace", "trace", "Copy the whole stack trace, with its results"),
    def(
        Action::Explain,
        "about",
        "about",
        "Open or close the panel about the selected field: its bits, derivation, paragraph, and what refers to it",
    ),
    def(Action::Glossary, "glossary", "glossary", "Find a term, and go to an example of it in the open files"),
    def(Action::WhatIf, "what-if", "what if", "Change a byte of the record in memory, and see which values change"),
    def(Action::Handout, "handout", "handout", "Write the steps of the record as a page: Markdown, HTML, SVG or text"),
    def(
        Action::Learn,
        "learn",
        "steps",
        "Step through the decode of the selected record: bytes, arithmetic, the decoder's state before and after",
    ),
    def(
        Action::HideAnswers,
        "hide-answers",
        "hide answers",
        "Hide the values from the current step on, to predict them; show them again",
    ),
    def(
        Action::Predict,
        "predict",
        "predict",
        "Type the value of the current step before it is shown; a wrong answer is explained",
    ),
    def(
        Action::SourceRoot,
        "source-root",
        "source folder",
        "Set the source folder, or OLD=NEW, and search for all sources again",
    ),
    def(
        Action::FetchSource,
        "fetch-source",
        "fetch",
        "Fetch the source of the document from the URL in the PDB; asks before it contacts a host",
    ),
    def(
        Action::Symbols,
        "symbols",
        "symbols",
        "Set the symbol path, for the image and for stack traces: a folder, a store, a server",
    ),
    def(Action::OpenFile, "open-file", "open", "Open another DLL, EXE or PDB"),
    def(Action::SwitchFile, "files", "files", "Switch between the open files"),
    def(Action::CloseFile, "close-file", "close", "Close the files that are shown"),
    def(Action::SetMark, "mark", "mark", "Mark the selection with a letter"),
    def(Action::GoToMark, "go-to-mark", "go to mark", "Go to what a letter marks"),
    def(Action::OpenTrace, "open-trace", "open trace", "Open a file with a stack trace"),
    def(Action::Mouse, "mouse", "mouse", "Capture the mouse, or release it so that the terminal can select text"),
    def(Action::Theme, "theme", "theme", "Choose a theme: dark, light, ansi, mono; each is shown before it is kept"),
    def(Action::Help, "help", "keys", "Show all keys"),
    def(Action::Redraw, "redraw", "redraw", "Redraw the screen"),
    def(Action::Suspend, "suspend", "suspend", "Go back to the shell; `fg` returns"),
    def(Action::Cancel, "cancel", "cancel", "Close the topmost overlay, or cancel the running job"),
    def(Action::Quit, "quit", "quit", "Quit"),
    def(Action::PasteTrace, "paste-trace", "paste trace", "Go to the Trace view, where a stack trace can be pasted"),
    def(Action::Accept, "accept", "accept", "Accept the selected result"),
    def(Action::Complete, "complete", "complete", "Complete the input from the selected result"),
];

impl Action {
    /// The definition of the action.
    pub fn def(self) -> Option<&'static ActionDef> {
        ACTIONS.iter().find(|def| def.action == self)
    }

    /// Looks up an action by its name in the configuration.
    pub fn named(name: &str) -> Option<Self> {
        ACTIONS.iter().find(|def| def.name == name).map(|def| def.action)
    }
}
