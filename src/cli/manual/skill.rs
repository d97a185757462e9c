use std::fmt::Write as _;

use super::{Examples, SECTIONS};
use crate::cli::command::Example;

const BEFORE: &str = "\
---
name: pdblens
description: Answers questions about .NET symbol files (PDB, portable PDB, .mdb) and their images. Use it when a stack trace has no line numbers, \
a breakpoint does not bind, a PDB does not match its DLL, a package lacks symbols or Source Link, or two builds differ.
---

# pdblens

Reads images, portable PDBs (beside the image or embedded), Windows PDBs of managed and native code, and `.mdb`. It needs no .NET, and writes,
downloads and runs nothing unless an option says so.

- Name a command: without one the screens open, which need a terminal.
- A DLL is enough: its PDB is searched for inside it and beside it. FILE is also a package, a folder or a pattern; one file of a package is
  `Acme.1.2.0.nupkg!lib/net8.0/Acme.dll`.
- PLACE is a path that `pdblens list FILE` prints, such as `method/Clock.Since/points/2`. What a command prints as a place, every command accepts.
- A method is a name, `Type.Method`, or a token such as `0x06000002`; an offset follows it: `Clock.Since+0xF`.
- `--json` prints one document whose schema is `pdblens dump --schema`; `points`, `lines`, `methods` and `documents` print one row a line.
- An answer that depends on files which do not match says so. Do not repeat it without that.
";

/// The page for coding agents: when to use pdblens, and its commands with examples, in Markdown.
pub fn skill(command: &clap::Command, examples: &Examples) -> String {
    let mut text = String::from(BEFORE);
    text.push_str("\n## Commands\n");
    for (name, examples) in examples.iter().filter(|(name, _)| !name.is_empty()) {
        let mut steps = name.split(' ');
        let about = steps.try_fold(command, |command, step| command.find_subcommand(step));
        let about = about.and_then(clap::Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        let _ = write!(text, "\n### {name}\n\n{about}.\n\n```sh\n");
        for Example { purpose, line } in *examples {
            let _ = writeln!(text, "# {purpose}\n{line}");
        }
        text.push_str("```\n");
    }
    for (heading, rows) in SECTIONS {
        let _ = write!(text, "\n## {heading}\n\n");
        for (term, meaning) in *rows {
            let _ = writeln!(text, "- `{term}`: {meaning}.");
        }
    }
    text
}
