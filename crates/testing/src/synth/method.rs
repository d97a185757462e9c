//! A method: everything that the files contain about it, computed before any file is written.

use std::ops::Range;
use std::sync::LazyLock;

use super::names;
use super::recipe::Recipe;
use super::rng::Rng;
use super::statements::{CLOSE, HIDDEN, LEAVE, OPEN, STATEMENTS, weighted};

/// Lines and columns, both ends, as a compiler counts them: from one, and the end column is the first beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    pub start_line: u32,
    pub start_column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// A sequence point. Without lines it is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub il: u32,
    pub document: u32,
    pub lines: Option<Lines>,
}

/// A method.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its row in MethodDef.
    pub row: u32,
    /// Its name alone.
    pub name: String,
    /// Its sequence points; none when it is abstract.
    pub points: Vec<Point>,
    /// The statement at each point.
    pub statements: Vec<usize>,
    /// Size of its IL in bytes; 0 if it is abstract.
    pub code_size: u32,
    /// Rows of Param.
    pub params: Range<u32>,
    /// Rows of LocalVariable; they are its local slots too.
    pub variables: Range<u32>,
    /// Rows of LocalConstant.
    pub constants: Range<u32>,
}

/// Number of lines in a document before its first method.
const HEAD: u32 = 12;

impl Method {
    pub(super) fn of(recipe: &Recipe, row: u32) -> Self {
        let (variables, constants) = (recipe.variables_of(row), recipe.constants_of(row));
        let mut method = Self {
            row,
            name: names::method_name(recipe, row),
            points: Vec::new(),
            statements: Vec::new(),
            code_size: 0,
            params: recipe.params_of(row),
            variables,
            constants,
        };
        let mut rng = Rng::of(recipe.seed, "method", row);
        let is_abstract = rng.chance(3) && method.variables.is_empty() && method.constants.is_empty();
        if !is_abstract {
            method.fill(recipe, &mut rng);
        }
        method
    }

    /// Its metadata token.
    pub fn token(&self) -> u32 {
        0x0600_0000 | self.row
    }

    /// Returns whether it has no body.
    pub fn is_abstract(&self) -> bool {
        self.statements.is_empty()
    }

    /// Returns whether its last statement is in a finally block.
    pub fn has_finally(&self) -> bool {
        self.statements.contains(&LEAVE)
    }

    fn fill(&mut self, recipe: &Recipe, rng: &mut Rng) {
        static ALL: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [weighted(false).collect(), weighted(true).collect()]);
        let choices = &ALL[usize::from(!self.variables.is_empty())];
        let count = rng.between(recipe.points / 2, recipe.points * 3 / 2 + 1).max(2);
        let mut document = recipe.document_of(recipe.type_of(self.row));
        let mut position = Position::at(HEAD + recipe.before_in_document(self.row) % 100_000 * (recipe.points * 2 + 3));
        // A partial class or a `#line`: the rest of the method is in another document.
        let moves = recipe.documents > 1 && count > 4 && rng.chance(2);
        let hidden_start = rng.chance(2);
        for index in 0..count {
            let last = index == count - 1;
            let statement = match index {
                0 if hidden_start => HIDDEN,
                0 => OPEN,
                _ if last => CLOSE,
                _ if index == count - 2 && count > 6 && rng.chance(6) => LEAVE,
                _ if rng.chance(7) => HIDDEN,
                _ => rng.one(choices) as usize,
            };
            if moves && index == count / 2 {
                document = document % recipe.documents + 1;
            }
            let lines = match statement {
                HIDDEN => None,
                OPEN | CLOSE => Some(position.brace()),
                _ => Some(position.statement(rng)),
            };
            self.points.push(Point { il: self.code_size, document, lines });
            self.statements.push(statement);
            self.code_size += STATEMENTS[statement].size();
        }
    }
}

/// Current line and column of the compiler in the text.
struct Position {
    line: u32,
    level: u32,
}

impl Position {
    fn at(line: u32) -> Self {
        Self { line, level: 0 }
    }

    /// A brace on a line of its own.
    fn brace(&mut self) -> Lines {
        let line = self.line;
        self.line += 1;
        Lines { start_line: line, start_column: 9, end_line: line, end_column: 10 }
    }

    /// A statement: most often on the next line and within it.
    fn statement(&mut self, rng: &mut Rng) -> Lines {
        match rng.between(0, 100) {
            0..8 => self.level = (self.level + 1).min(5),
            8..16 => self.level = self.level.saturating_sub(1),
            16..22 => self.line += rng.between(1, 3),
            // The condition of a loop comes after its body.
            22..25 => self.line -= rng.between(1, 4).min(self.line - 1),
            25 => self.line += 70,
            _ => {}
        }
        let (start_line, start_column) = (self.line, 13 + 4 * self.level);
        let (lines, end_column) = match rng.between(0, 100) {
            // A lambda or an argument list over several lines, which ends left or right of where it began.
            0..4 => (rng.between(1, 6), (start_column + rng.between(0, 50)).saturating_sub(20).max(2)),
            // A line that is not wrapped.
            4 => (0, start_column + rng.between(130, 400)),
            _ => (0, start_column + rng.between(5, 70)),
        };
        self.line += lines + 1;
        Lines { start_line, start_column, end_line: start_line + lines, end_column }
    }
}
