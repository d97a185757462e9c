//! Expansion of `%names%` and functions in a value.

use super::expansion::Expansion;
use super::{Evaluator, MAX_DEPTH, MAX_STEPS, MAX_TEXT, Problem};

/// Evaluation of one value.
pub(super) struct Run<'r, 'a> {
    pub(super) of: &'r Evaluator<'a>,
    /// Variables of the file, `var1` first.
    pub(super) parts: &'r [String],
    /// Names of the variables being evaluated, outermost first.
    pub(super) open: Vec<String>,
    pub(super) steps: usize,
    pub(super) out: String,
    pub(super) problems: &'r mut Vec<Problem>,
    /// Names that were replaced, if they are asked for.
    pub(super) expansions: Option<&'r mut Vec<Expansion>>,
}

impl Run<'_, '_> {
    fn problem(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) && self.problems.len() < 100 {
            self.problems.push(problem);
        }
    }

    fn push(&mut self, text: &str) {
        if self.out.len().saturating_add(text.len()) > MAX_TEXT {
            return self.problem(Problem::TooLong);
        }
        self.out.push_str(text);
    }

    /// Appends the value of the variable with `name`, in lower case; `false` where it has none.
    pub(super) fn variable(&mut self, name: &str) -> bool {
        let at = self.begin(name);
        let known = self.value_of(name);
        self.end(at, known);
        known
    }

    fn value_of(&mut self, name: &str) -> bool {
        self.steps = self.steps.saturating_add(1);
        let number = name.strip_prefix("var").and_then(|digits| digits.parse::<usize>().ok());
        if let Some(part) = number.and_then(|n| self.parts.get(n.wrapping_sub(1))) {
            self.push(part);
            return true;
        }
        if let ("targ", Some(root)) = (name, &self.of.root) {
            self.push(&root.clone());
            return true;
        }
        let Some(assignment) = self.of.variables.get(name).copied() else { return name == "targ" && self.keep(name) };
        if self.open.iter().any(|open| open == name) {
            self.problem(Problem::Circular(name.to_owned()));
        } else if self.open.len() >= MAX_DEPTH {
            self.problem(Problem::TooDeep);
        } else if self.steps > MAX_STEPS {
            self.problem(Problem::TooMuch);
        } else if self.out.len() < MAX_TEXT {
            self.open.push(name.to_owned());
            let value = self.of.srcsrv.text(assignment.value);
            self.text(&value);
            self.open.pop();
        }
        true
    }

    /// Appends a name unchanged, with its percent signs.
    fn keep(&mut self, name: &str) -> bool {
        self.push("%");
        self.push(name);
        self.push("%");
        true
    }

    /// Appends the value of `text`.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('%') {
            self.push(before);
            if self.steps > MAX_STEPS {
                return self.problem(Problem::TooMuch);
            }
            let Some((name, after)) = behind.split_once('%') else {
                self.push("%");
                rest = behind;
                continue;
            };
            let key = name.to_lowercase();
            if let "fnvar" | "fnbksl" | "fnfile" = key.as_str() {
                rest = self.function(&key, after);
            } else if self.variable(&key) {
                rest = after;
            } else {
                // Not a name after all, as in `%20%var2%`: the second % may begin one.
                if !name.is_empty() {
                    self.problem(Problem::Unknown(name.chars().take(64).collect()));
                }
                self.push("%");
                self.push(name);
                rest = behind.get(name.len()..).unwrap_or_default();
                if name.is_empty() {
                    rest = after;
                }
            }
        }
        self.push(rest);
    }

    /// Appends the value of function `name` for the parenthesis that `rest` begins with; returns the text after it.
    fn function<'t>(&mut self, name: &str, rest: &'t str) -> &'t str {
        self.steps = self.steps.saturating_add(1);
        let Some((argument, after)) = parenthesis(rest) else {
            self.problem(Problem::NoArgument(name.to_owned()));
            self.keep(name);
            return rest;
        };
        if self.open.len() >= MAX_DEPTH {
            self.problem(Problem::TooDeep);
            return after;
        }
        // The value of the argument is taken off the end again; a function is a level like a variable.
        let start = self.out.len();
        let at = self.begin_function(name, argument);
        self.open.push(String::new());
        self.text(argument);
        let value = self.out.split_off(start);
        match name {
            "fnbksl" => self.push(&value.replace('/', "\\")),
            "fnfile" => self.push(value.rsplit(['\\', '/']).next().unwrap_or_default()),
            _ => {
                if !self.variable(&value.trim().to_lowercase()) {
                    self.problem(Problem::Unknown(value.chars().take(64).collect()));
                }
            }
        }
        self.open.pop();
        self.end(at, true);
        after
    }
}

/// Splits `text` after the parenthesis that it begins with, into content and rest; parentheses may nest.
fn parenthesis(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('(')?;
    let mut depth = 0_usize;
    for (at, c) in inner.char_indices().take(MAX_TEXT) {
        match c {
            '(' => depth = depth.saturating_add(1),
            ')' if depth == 0 => return Some((&inner[..at], &inner[at.saturating_add(1)..])),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
