//! Course: exercises that build a reader of portable PDBs, then of native formats, and a corpus for readers that are built already.
//!
//! [`difference`] finds the first value of a reader that differs, the read that it comes from, and the mistake that makes it.

mod against;
mod answer;
mod cases;
mod compare;
mod native;
mod readers;
mod slips;
#[cfg(test)]
mod tests;
mod widths;

pub use against::{expected_reads, reads_json};
pub use answer::ExpectedAnswer;
pub use cases::{CaseResult, ExerciseCase, InputKind, built_in, of_session};
pub use compare::{Difference, difference, first_explained};

use std::collections::HashMap;
use std::sync::LazyLock;

use InputKind::{Addresses, Bytes, Frames, Mdb, Msf, Portable};

#[derive(Debug)]
pub struct Exercise {
    pub number: u32,
    /// Name on the command line, and of the folder of its inputs.
    pub name: &'static str,
    pub title: &'static str,
    pub input: InputKind,
    pub paragraph: &'static str,
    read: readers::AnswerFn,
}

impl Exercise {
    pub fn answer(&self, bytes: &[u8]) -> ExpectedAnswer {
        (self.read)(bytes)
    }

    /// Hints, the weakest first.
    pub fn hints(&self) -> &'static [String] {
        static HINTS: LazyLock<HashMap<String, Vec<String>>> =
            LazyLock::new(|| toml::from_str(include_str!("../../assets/course/hints.toml")).unwrap_or_default());
        HINTS.get(self.name).map_or(&[], Vec::as_slice)
    }

    /// The task, as Markdown.
    pub fn task(&self) -> &'static str {
        let after = TASKS.split_once(&format!("\n## {} {}\n", self.number, self.title)).map_or("", |(_, after)| after);
        after.split("\n## ").next().unwrap_or(after).trim()
    }
}

/// Page that is printed once every answer is right.
pub const LAST_PAGE: &str = include_str!("../../assets/course/last_page.md");

/// All tasks, with the form of the input and of the answer.
pub const TASKS: &str = include_str!("../../assets/course/tasks.md");

const fn exercise(
    number: u32,
    (name, title): (&'static str, &'static str),
    input: InputKind,
    paragraph: &'static str,
    read: readers::AnswerFn,
) -> Exercise {
    Exercise { number, name, title, input, paragraph, read }
}

const II_23_2: &str = "ECMA-335 II.23.2";
const II_24_2_6: &str = "ECMA-335 II.24.2.6";
const METHOD_POINTS: &str = "Portable PDB › MethodDebugInformation Table: 0x31";

/// The exercises in the order of the code that they take; the last six are the second course.
pub static EXERCISES: [Exercise; 19] = [
    exercise(1, ("guid", "GUIDs"), Bytes, "ECMA-335 II.24.2.5", readers::guid),
    exercise(2, ("rsds", "The CodeView record"), Bytes, "PE-COFF › CodeView Debug Directory Entry", readers::rsds),
    exercise(3, ("unsigned", "Compressed unsigned integers"), Bytes, II_23_2, readers::unsigned),
    exercise(4, ("signed", "Compressed signed integers"), Bytes, II_23_2, readers::signed),
    exercise(5, ("root", "The metadata root"), Portable, "ECMA-335 II.24.2.1", readers::root),
    exercise(6, ("msf", "The directory of a Windows PDB"), Msf, "LLVM › The MSF File Format", readers::msf),
    exercise(7, ("pdb", "The #Pdb stream"), Portable, "Portable PDB › #Pdb stream", readers::pdb_stream),
    exercise(8, ("tables", "The header of the #~ stream"), Portable, II_24_2_6, readers::tables),
    exercise(9, ("points", "Sequence points"), Bytes, "Portable PDB › Sequence Points Blob", readers::points),
    exercise(10, ("layout", "Sizes of rows"), Portable, II_24_2_6, readers::layout),
    exercise(11, ("documents", "Documents"), Portable, "Portable PDB › Document Table: 0x30", readers::documents),
    exercise(12, ("methods", "The points of every method"), Portable, METHOD_POINTS, readers::methods),
    exercise(13, ("frames", "Frames of a trace"), Frames, METHOD_POINTS, readers::frames),
    exercise(14, ("bounds", "Bounds of machine code"), Bytes, "ReadyToRun › DebugInfo", native::bounds),
    exercise(15, ("symbols", "Symbols of a module"), Bytes, "LLVM › CodeView Symbol Records", native::symbols),
    exercise(16, ("mdb", "The sources of an .mdb file"), Mdb, "Mono.CompilerServices.SymbolWriter", native::mdb),
    exercise(17, ("c13", "C13 lines"), Bytes, "microsoft-pdb › cvinfo.h", native::c13),
    exercise(
        18,
        ("program", "The line programs of an .mdb file"),
        Mdb,
        "Mono.CompilerServices.SymbolWriter",
        native::program,
    ),
    exercise(19, ("addresses", "From an address to a line"), Addresses, "LLVM › The PDB DBI Stream", native::addresses),
];

/// Finds an exercise by its name or number.
pub fn named(word: &str) -> Option<&'static Exercise> {
    EXERCISES.iter().find(|exercise| exercise.name == word || exercise.number.to_string() == word)
}

#[derive(Debug)]
pub struct Language {
    pub name: &'static str,
    /// Name of the stub's file.
    pub file: &'static str,
    pub stub: &'static str,
    pub run: &'static str,
}

pub const LANGUAGES: [Language; 5] = [
    language("python", "reader.py", include_str!("../../assets/course/reader.py"), "python3 reader.py"),
    language("javascript", "reader.js", include_str!("../../assets/course/reader.js"), "node reader.js"),
    language("rust", "reader.rs", include_str!("../../assets/course/reader.rs"), "./reader"),
    language("csharp", "Reader.cs", include_str!("../../assets/course/Reader.cs"), "dotnet run --project ."),
    language("go", "reader.go", include_str!("../../assets/course/reader.go"), "go run reader.go"),
];

const fn language(name: &'static str, file: &'static str, stub: &'static str, run: &'static str) -> Language {
    Language { name, file, stub, run }
}
