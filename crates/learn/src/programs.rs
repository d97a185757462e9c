//! The line table of one method in four formats, as state machines that are stepped side by side: `Ticker.Program.Main` as the points of a
//! portable PDB, as the C13 lines of a Windows PDB, as the line program of an `.mdb` file, and as DWARF.
//!
//! The first three are built-in samples. The DWARF program is the section `.debug_line` that Mono's ahead-of-time compiler writes for the
//! `.exe` of the third: its places are addresses of machine code, and it has no columns.

use std::sync::LazyLock;

use crate::lesson::samples;
use crate::{Step, Steps, steps};
use pdblens_formats::dwarf;

const DEBUG_LINE: &[u8] = include_bytes!("../assets/samples/ticker-mono/Ticker.debug_line");
/// Line of a hidden record in C13.
const HIDDEN: i64 = 0xfe_efee;

/// Registers of a machine, in the order of [`REGISTERS`]; `None` before the first value.
pub type Registers = [Option<i64>; 4];

pub const REGISTERS: [&str; 4] = ["offset", "line", "column", "document"];
const OFFSET: usize = 0;
const LINE: usize = 1;
const COLUMN: usize = 2;

/// A line table as a program: the reads of its bytes, and the rows that they emit.
#[derive(Debug, Default)]
pub struct LineProgram {
    pub format: &'static str,
    /// File that has the bytes.
    pub file: &'static str,
    pub ticks: Vec<Tick>,
    pub rows: Vec<EmittedRow>,
    /// True if the places are addresses of machine code, not offsets of IL.
    is_native: bool,
}

/// A read, and the registers after it.
#[derive(Debug)]
pub struct Tick {
    pub bytes: Vec<u8>,
    /// Name of the number that was read, and its value.
    pub field: String,
    pub value: String,
    pub registers: Registers,
    /// Rows that were emitted so far, with this read.
    pub rows: usize,
}

/// An emitted row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmittedRow {
    pub registers: Registers,
    pub hidden: bool,
    /// True for the end of the code, which has no line.
    pub ends: bool,
    /// Number of reads up to the one that emits it.
    pub ticks: usize,
}

/// Names by which the reads of a format tell the machine.
struct Form {
    format: &'static str,
    file: &'static str,
    /// State of the decoder that each register is.
    registers: [&'static str; 4],
    start: Registers,
    /// State that counts the rows; empty where a field emits a row.
    counter: &'static str,
    emits: &'static [&'static str],
    /// Records whose reads are part of the program only if they change a register.
    skipped: &'static [&'static str],
    /// Record and field of the list of columns behind the program; empty where the machine has the column.
    columns: (&'static str, &'static str),
}

const FORMS: [Form; 4] = [
    Form {
        format: "portable PDB",
        file: "Ticker.pdb",
        registers: ["IL offset", "start line", "start column", "document"],
        // The row of the method names the document, and the blob does not.
        start: [None, None, None, Some(1)],
        counter: "points",
        emits: &[],
        skipped: &["header"],
        columns: ("", ""),
    },
    Form {
        format: "C13 lines",
        file: "Ticker.pdb (Windows)",
        registers: ["code offset", "start line", "", ""],
        start: [None; 4],
        counter: "",
        emits: &["lines"],
        skipped: &["subsection", "lines header"],
        columns: ("column record", "start column"),
    },
    Form {
        format: ".mdb program",
        file: "Ticker.exe.mdb",
        registers: ["IL offset", "line", "", "file"],
        start: [Some(0), Some(1), None, Some(1)],
        counter: "",
        emits: &["special opcode", "copy"],
        skipped: &[],
        columns: ("mdb columns", "column"),
    },
    Form {
        format: "DWARF",
        file: ".debug_line of Ticker.exe.so",
        registers: ["address", "line", "column", "file"],
        start: [Some(0), Some(1), Some(0), Some(1)],
        counter: "rows",
        emits: &[],
        skipped: &["dwarf line program", "dwarf header", "dwarf file"],
        columns: ("", ""),
    },
];

/// The four programs, in the order in which they are shown; empty if a sample cannot be read.
pub fn programs() -> &'static [LineProgram] {
    static PROGRAMS: LazyLock<Vec<LineProgram>> = LazyLock::new(|| {
        let of_sample = |index| steps(samples::session(index)?, "method/0x06000001/points".parse().ok()?);
        let dwarf = Steps::recorded("line program", DEBUG_LINE, |c| dwarf::decode(c).map(drop));
        let all = [of_sample(0), of_sample(2), of_sample(5), Some(dwarf)];
        FORMS.iter().zip(all).filter_map(|(form, steps)| Some(LineProgram::of(form, &steps?))).collect()
    });
    &PROGRAMS
}

impl LineProgram {
    fn of(form: &Form, steps: &Steps) -> Self {
        let columns: Vec<i64> =
            steps.reads().filter(|step| form.is_column(step)).filter_map(|step| step.field.number).collect();
        let mut program = Self {
            format: form.format,
            file: form.file,
            is_native: form.registers[OFFSET] == "address",
            ..Self::default()
        };
        let mut registers = form.start;
        let of_program = |step: &&Step| !step.field.changes.is_empty() || !form.skipped.contains(&step.record.as_str());
        for step in steps.reads().take_while(|step| !form.is_in_columns(step)).filter(of_program) {
            let column = columns.get(program.rows.len()).copied();
            for change in &step.field.changes {
                let name = change.state.name;
                if name == form.counter {
                    program.emit(registers, step, column);
                } else if let Some(register) = form.registers.iter().position(|known| *known == name) {
                    registers[register] = Some(change.after);
                }
            }
            if step.field.name == "file" && step.record == "line block" {
                registers[3] = step.field.number;
            }
            if form.emits.contains(&step.field.name.as_str()) {
                registers[COLUMN] = column;
                program.emit(registers, step, column);
            }
            program.ticks.push(Tick {
                bytes: step.bytes.clone(),
                field: step.field.name.clone(),
                value: step.field.stored_and_decoded().into_owned(),
                registers,
                rows: program.rows.len(),
            });
            // The next rows are of another method.
            if program.rows.last().is_some_and(|row| row.ends) {
                break;
            }
        }
        program
    }

    fn emit(&mut self, mut registers: Registers, step: &Step, column: Option<i64>) {
        registers[COLUMN] = registers[COLUMN].or(column);
        let hidden = step.record == "hidden point" || registers[LINE] == Some(HIDDEN);
        let ends = step.record == "dwarf extended instruction";
        self.rows.push(EmittedRow { registers, hidden, ends, ticks: self.ticks.len() + 1 });
    }

    /// EmittedRow in words: `IL_0016  14:17`.
    pub fn row_text(&self, row: &EmittedRow) -> String {
        let [offset, line, column, _] = row.registers.map(Option::unwrap_or_default);
        let place = if self.is_native { format!("{offset:#x}") } else { format!("IL_{offset:04x}") };
        match (row.ends, row.hidden, column) {
            (true, ..) => format!("{place}  end"),
            (_, true, _) => format!("{place}  hidden"),
            (_, _, 0) => format!("{place}  {line}"),
            _ => format!("{place}  {line}:{column}"),
        }
    }

    /// Value of a register after a read, in its notation.
    pub fn register_text(&self, register: usize, value: Option<i64>) -> String {
        match value {
            None => "–".to_owned(),
            Some(offset) if register == OFFSET && self.is_native => format!("{offset:#x}"),
            Some(offset) if register == OFFSET => format!("IL_{offset:04x}"),
            Some(HIDDEN) if register == LINE => "0xfeefee".to_owned(),
            Some(value) => value.to_string(),
        }
    }

    /// Line of a row, and the number of rows before it with the same line; `None` for a row without a line.
    fn occurrence(&self, row: usize) -> Option<(i64, usize)> {
        let line_of = |row: &EmittedRow| if row.hidden || row.ends { None } else { row.registers[LINE] };
        let line = line_of(self.rows.get(row)?)?;
        Some((line, self.rows.iter().take(row).filter(|row| line_of(row) == Some(line)).count()))
    }

    /// The next row with a line after `ticks` reads, or the one before the last that was emitted.
    pub fn neighbour(&self, ticks: usize, forward: bool) -> Option<usize> {
        let mut rows = 0..self.rows.len();
        let has_line = |row: &usize| self.occurrence(*row).is_some();
        let at = |row: &usize| self.rows.get(*row).map_or(0, |row| row.ticks);
        match forward {
            true => rows.find(|row| has_line(row) && at(row) > ticks),
            false => rows.rfind(|row| has_line(row) && at(row) < ticks),
        }
    }

    /// The row of this program for the line of a row of another one: that line as often as there; `None` if this program has fewer rows of it.
    pub fn same_line(&self, other: &Self, row: usize) -> Option<usize> {
        let wanted = other.occurrence(row)?;
        (0..self.rows.len()).find(|row| self.occurrence(*row) == Some(wanted))
    }
}

impl Form {
    fn is_in_columns(&self, step: &Step) -> bool {
        !self.columns.0.is_empty() && step.record == self.columns.0
    }

    fn is_column(&self, step: &Step) -> bool {
        self.is_in_columns(step) && step.field.name == self.columns.1
    }
}

/// Rows of the four programs side by side, for each line of the portable PDB, as a drawing of a lesson.
pub fn table() -> String {
    let Some(first) = programs().first() else { return String::new() };
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:18}")).collect();
        format!("    {}", cells.concat().trim_end())
    };
    let head = line(programs().iter().map(|program| program.format.to_owned()).collect());
    let visible = (0..first.rows.len()).filter(|row| first.occurrence(*row).is_some());
    let lines = visible.map(|index| {
        let text = |program: &LineProgram| {
            let row = program.same_line(first, index).and_then(|own| program.rows.get(own));
            row.map_or_else(|| "–".to_owned(), |row| program.row_text(row))
        };
        line(programs().iter().map(text).collect())
    });
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::{Place, code_unit};

    #[test]
    fn the_machines_emit_the_points_of_the_readers() {
        let programs = programs();
        assert_eq!(programs.len(), 4);
        for (program, sample) in programs.iter().zip([0, 2, 5]) {
            let main = "method/0x06000001".parse::<Place>().unwrap().code_unit().unwrap();
            let points = code_unit::points(samples::session(sample).unwrap(), main);
            let emitted: Vec<_> = program.rows.iter().filter(|row| !row.ends).collect();
            assert_eq!(emitted.len(), points.len(), "{}", program.format);
            for (row, point) in emitted.iter().zip(&points) {
                assert_eq!((row.registers[OFFSET], row.hidden), (Some(point.offset.into()), point.is_hidden()));
                if !row.hidden {
                    let [_, line, column, _] = row.registers;
                    assert_eq!((line, column), (Some(point.start_line.into()), Some(point.start_column.into())));
                }
            }
        }
    }

    #[test]
    fn one_line_is_found_in_all_four() {
        let programs = programs();
        let first = &programs[0];
        let at = |line| first.rows.iter().position(|row| row.registers[LINE] == Some(line)).unwrap();
        let texts = |line| -> Vec<String> {
            let own = |program: &LineProgram| {
                program.same_line(first, at(line)).map(|row| program.row_text(&program.rows[row]))
            };
            programs.iter().map(|program| own(program).unwrap_or_default()).collect()
        };
        assert_eq!(texts(14), ["IL_0016  14:17", "IL_0016  14:17", "IL_0021  14:37", "0x1084  14"]);
        // The comparison of the loop has a row of its own in three of them.
        let last = first.rows.iter().rposition(|row| !row.hidden && row.registers[LINE] == Some(12)).unwrap();
        let found: Vec<bool> = programs.iter().map(|program| program.same_line(first, last).is_some()).collect();
        assert_eq!(found, [true, true, true, false]);
    }
}
