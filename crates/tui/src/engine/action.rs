//! Everything the screens can do, each with its name and one line of help.
//!
//! Help, hints, command palette, configuration, docs/keys.md and the man page are made from [`ACTIONS`] and
//! [`KEYS`](crate::engine::keymap::KEYS).

#[derive(Clone, Copy, Debug)]
pub struct ActionDef {
    pub action: Action,
    /// Name in the configuration and the command palette.
    pub name: &'static str,
    /// Label in the key hints: a word or two.
    pub short: &'static str,
    pub help: &'static str,
}

const fn def(action: Action, (name, short, help): (&'static str, &'static str, &'static str)) -> ActionDef {
    ActionDef { action, name, short, help }
}

/// Makes [`Action`] and [`ACTIONS`] of one table, in the order of the help: of each action its name in the configuration and the command
/// palette, its label in the key hints, and its help.
macro_rules! actions {
    ([$($first:ident $first_texts:tt)+] View [$($number:literal $view_texts:tt)+] [$($last:ident $last_texts:tt)+]) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($first,)+
            View(u8),
            $($last,)+
        }

        pub const ACTIONS: &[ActionDef] = &[
            $(def(Action::$first, $first_texts),)+
            $(def(Action::View($number), $view_texts),)+
            $(def(Action::$last, $last_texts),)+
        ];
    };
}

actions! {
    [
        Up("up", "up", "Move up")
        Down("down", "down", "Move down")
        Left("left", "left", "Fold; in a row, to the cell, the lane or the bit to the left")
        Right("right", "right", "Unfold; in a row, to the cell, the lane or the bit to the right")
        PageUp("page-up", "page up", "Move up a screenful")
        PageDown("page-down", "page down", "Move down a screenful")
        ScrollUp("scroll-up", "scroll up", "Scroll up; the selection stays while it is visible")
        ScrollDown("scroll-down", "scroll down", "Scroll down; the selection stays while it is visible")
        Top("top", "top", "Go to the first row")
        Bottom("bottom", "bottom", "Go to the last row")
        PreviousPoint("previous-point", "previous", "Step to the previous sequence point or change, from any pane")
        NextPoint("next-point", "next", "Step to the next sequence point or change, from any pane")
        Follow("follow", "follow", "Follow the link under the cursor, or open what is selected")
        ExpandAll("expand-all", "unfold", "Expand everything")
        CollapseAll("collapse-all", "fold all", "Collapse everything")
        Back("back", "back", "Go back in the history")
        Forward("forward", "forward", "Go forward in the history")
        Parent("parent", "up", "Go out to what contains the selection")
        GoTo("ask", "ask",
            "Ask: a name, a token, Name+0xF, File.cs:21, #blob 0xb5, an address, a term, a pasted frame, a command")
        UsedBy("used-by", "used by", "List everything that refers to the selection: calls, reads, columns")
        Why("why", "why", "Say why a debugger stops here or does not, what is missing, and how to mend it")
        MachineCode("machine-code", "machine code",
            "Show or hide the machine code of a ReadyToRun image beside IL, in the colours of the points")
    ]
    View [
        1 ("view-1", "summary", "Summary: whether the two files match, and what a debugger makes of them")
        2 ("view-2", "file",
            "File: both files to scale, headers, tables, heaps, debug directory, streams; again for the other file")
        3 ("view-3", "code", "Code: source, sequence points and IL, names in scope, machine code")
        4 ("view-4", "trace", "Trace: a stack trace, resolved")
        5 ("view-5", "compare", "Compare: what differs between two builds, by cause")
        6 ("view-6", "learn", "Learn: lessons, and the decode of a record one step at a time")
    ]
    [
        Menu("menu", "menu", "Show what can be done with the thing under the cursor")
        Order("order", "order",
            "Show the same in another order: methods by type or by file, a file to scale or as a treemap, users by type or by file")
        Tables("tables", "tables", "File: a metadata table, which fills the view; `u` leads out to the file")
        ByType("methods", "methods", "Code: methods by type")
        ByFile("sources", "sources", "Code: source files, their hashes and their text")
        NextPane("next-pane", "pane", "Focus the next pane")
        PreviousPane("previous-pane", "pane back", "Focus the previous pane")
        FoldBytes("fold-bytes", "bytes", "Show bytes and fields of the selection, or fold them to one line")
        Zoom("zoom", "zoom", "Show the focused pane on the whole screen, or restore the layout")
        ResetSplits("reset-splits", "reset", "Reset the layout of the panes")
        Find("find", "find", "Find in the focused pane as you type, COLUMN:text in one column; ⇥ looks in all source text")
        FindInSources("find-in-sources", "in sources",
            "Find a text in all sources that are embedded, on this machine or fetched")
        NextMatch("next-match", "next", "Go to the next match")
        PreviousMatch("previous-match", "previous", "Go to the previous match")
        Filter("filter", "filter",
            "Show only rows that contain a text; COLUMN:text in one column, COLUMN=text for the whole cell. Esc shows all rows")
        Sort("sort", "sort",
            "Sort the list by the selected column; again to reverse it, and again for the order of the file")
        Findings("findings", "findings",
            "List the findings and notes about all open files, with rule, place and text; Enter goes there")
        RefusedPoints("refused-points", "refused",
            "List the points that a debugger refuses, with the reason; Enter goes there")
        Palette("commands", "commands", "Choose a command by name")
        Copy("copy", "copy", "Copy the thing under the cursor, or write it to a file: shows in which forms")
        CopyValue("copy-value", "value", "Copy the value")
        CopyHex("copy-hex", "hex", "Copy the bytes in hexadecimal")
        CopyAddress("copy-address", "address", "Copy the place as `pdblens --at` and Ask accept it")
        CopyRow("copy-row", "row", "Copy the row, its cells separated by tabs")
        CopyJson("copy-json", "JSON", "Copy the row or the fields as JSON")
        CopyCommand("copy-command", "command", "Copy the command that prints the selection")
        CopyLink("copy-link", "link", "Copy a link that opens the page here")
        CopyTrace("copy-trace", "trace", "Copy the whole stack trace, with its results")
        Explain("about", "about",
            "Say what the selection is: bits, derivation, paragraph, what refers to it; again for its terms")
        Glossary("glossary", "glossary", "Find a term, and go to an example of it in the open files")
        Coverage("coverage", "coverage",
            "Count the bytes of the open files that have a field, and list those that have none")
        WhatIf("what-if", "what if", "Change a byte of the record in memory, and see which values change")
        Handout("handout", "handout", "Write the steps of the record as a page: Markdown or HTML")
        Export("export", "export", "Write the focused list to a file, filtered and sorted as shown: TSV, CSV or JSON")
        Editor("editor", "editor",
            "Open the source in $PDBLENS_EDITOR, $VISUAL or $EDITOR, at the line of the selected point, frame or line")
        Learn("learn", "steps",
            "Step through the decode of the selected record: bytes, arithmetic, the decoder's state before and after")
        Programs("line-programs", "four programs",
            "Step one line through a portable PDB, C13 lines, an .mdb program and DWARF, side by side")
        HideAnswers("hide-answers", "hide answers",
            "Cover the values from the current step on, to answer with them; show them again")
        Restart("restart-lesson", "begin again", "Start the lesson again: forget its page and its answers; asks first")
        FetchSource("fetch-source", "fetch",
            "Fetch the source of the document from the URL in the PDB; asks before it contacts a host")
        Symbols("look-in", "where to look",
            "Say where to look for sources and PDBs: a folder, OLD=NEW, a PDB, a store, a server")
        OpenFile("open-file", "open", "Open another DLL, EXE or PDB, or a file with a stack trace, by its path")
        SwitchFile("files", "files", "List the open and the recent files; a typed path opens another one")
        CloseFile("close-file", "close", "Close the files on the screen")
        Compare("compare", "compare",
            "Compare with an older build: methods that changed, moved, came or went; again for another build")
        SetMark("mark", "mark", "Mark the selection with a letter")
        GoToMark("go-to-mark", "go to mark", "Go to what a letter marks")
        Mouse("mouse", "mouse", "Capture the mouse, or release it so that the terminal can select text")
        Theme("theme", "theme", "Choose a theme: dark, light, ansi, mono; each is previewed")
        Help("help", "keys", "Show the keys that work here")
        Redraw("redraw", "redraw", "Redraw the screen")
        Suspend("suspend", "suspend", "Go back to the shell; `fg` returns")
        Cancel("cancel", "cancel", "Close the topmost overlay, or cancel the running job")
        Quit("quit", "quit", "Quit")
        ReadAgain("read-again", "read again", "Trace: read the threads of the process again, and mark those that moved")
        PasteTrace("paste-trace", "paste trace", "Go to the Trace view, where a stack trace can be pasted")
        Accept("accept", "accept", "Accept the selected result")
        Complete("complete", "complete", "Complete the input from the selected result")
    ]
}

impl Action {
    pub fn def(self) -> Option<&'static ActionDef> {
        ACTIONS.iter().find(|def| def.action == self)
    }

    pub fn named(name: &str) -> Option<Self> {
        ACTIONS.iter().find(|def| def.name == name).map(|def| def.action)
    }
}
