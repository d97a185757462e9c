//! Lines of C# that should have a sequence point: those with a statement.
//!
//! A line counts if it lies between the first and the last point of a method, and has tokens other than braces, comments, directives,
//! attributes, labels, and keywords that compile to nothing. A line that a point spans has one. Members of a type stand between the
//! initialisers that a constructor has points for, so the lines between those of a constructor are not counted.

use pdblens_formats::points_around::PointList;
use pdblens_session::source::SourceText;

/// Lines of one document, as the points of all methods name them.
#[derive(Debug, Default)]
pub(super) struct DocumentLines {
    /// First and last line of each visible point, or of several that follow on each other.
    points: Vec<[u32; 2]>,
    /// First and last line of each method.
    methods: Vec<[u32; 2]>,
    /// Number of points at which they are joined next.
    full: usize,
}

/// Number of points that are not worth joining.
const FEW_POINTS: usize = 256;

/// Counts of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineCounts {
    pub(super) all: u32,
    pub(super) with_points: u32,
}

impl DocumentLines {
    /// Adds the points of a method that are in the document.
    pub(super) fn add(&mut self, points: &PointList, document: u32, is_constructor: bool) {
        let own = points.iter().filter(|point| !point.is_hidden() && point.document == document);
        let own: Vec<[u32; 2]> = own.map(|point| [point.start_line, point.end_line.max(point.start_line)]).collect();
        let (first, last) = (own.iter().map(|[start, _]| *start).min(), own.iter().map(|[_, end]| *end).max());
        if let (Some(first), Some(last), false) = (first, last, is_constructor) {
            self.methods.push([first, last]);
        }
        self.points.extend(own);
        if self.points.len() >= self.full.max(FEW_POINTS) {
            self.points = joined(std::mem::take(&mut self.points));
            self.methods.sort_unstable();
            self.methods.dedup();
            self.full = self.points.len() * 2;
        }
    }

    /// Counts the lines of a text.
    pub(super) fn count(&self, text: &SourceText) -> LineCounts {
        let statements = statements(text);
        let (points, methods) = (covered(&self.points, text.lines()), covered(&self.methods, text.lines()));
        let mut counts = LineCounts::default();
        for (index, is_statement) in statements.iter().enumerate() {
            let [has_point, is_inside] = [&points, &methods].map(|lines| lines.get(index) == Some(&true));
            if is_inside && *is_statement && (has_point || !self.is_header(index, &statements)) {
                counts.all += 1;
                counts.with_points += u32::from(has_point);
            }
        }
        counts
    }

    /// Returns true if a method begins after a line: the line is the header of a local function or of a lambda.
    fn is_header(&self, index: usize, statements: &[bool]) -> bool {
        let after = statements.iter().skip(index + 1).position(|is_statement| *is_statement);
        let (from, to) = (index + 2, after.map(|after| index + 2 + after));
        self.methods.iter().any(|[first, _]| {
            let first = *first as usize;
            first >= from && to.is_none_or(|to| first <= to)
        })
    }
}

/// The same lines as fewer ranges.
fn joined(mut ranges: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    ranges.sort_unstable();
    let mut kept: Vec<[u32; 2]> = Vec::new();
    for [first, last] in ranges {
        match kept.last_mut() {
            Some([_, end]) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => kept.push([first, last]),
        }
    }
    kept
}

/// Lines that ranges cover, from index 0 for line 1.
fn covered(ranges: &[[u32; 2]], lines: u32) -> Vec<bool> {
    let mut changes = vec![0_i64; lines as usize + 1];
    for [first, last] in ranges {
        for (line, change) in [(first.saturating_sub(1), 1), (*last, -1)] {
            if let Some(sum) = changes.get_mut(line.min(lines) as usize) {
                *sum += change;
            }
        }
    }
    let mut open = 0_i64;
    let is_open = |change: i64| {
        open += change;
        open > 0
    };
    changes.into_iter().take(lines as usize).map(is_open).collect()
}

/// Part of a text that goes on in the next line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Code,
    Comment,
    /// `@"…"`, in which a quote is written twice.
    Verbatim,
    /// A raw string, which ends with as many quotes as it began with.
    Raw(usize),
}

/// Returns for each line whether it has a statement.
fn statements(text: &SourceText) -> Vec<bool> {
    let mut within = Within::Code;
    (1..=text.lines()).map(|line| is_statement(&code_of(text.line(line).unwrap_or_default(), &mut within))).collect()
}

/// The line without comments, with `""` in the place of strings and characters.
fn code_of(line: &str, within: &mut Within) -> String {
    let (mut code, mut rest) = (String::new(), line);
    loop {
        let (end, len) = match *within {
            Within::Code => {
                let Some(at) = rest.find(['"', '\'', '/']) else { return code + rest };
                let (before, from) = rest.split_at(at);
                code.push_str(before);
                let quotes = from.len() - from.trim_start_matches('"').len();
                let is_verbatim = before.ends_with('@') || before.ends_with("@$");
                rest = from.get(1..).unwrap_or_default();
                if from.starts_with("//") {
                    return code;
                } else if from.starts_with("/*") {
                    *within = Within::Comment;
                } else if quotes >= 3 && !is_verbatim {
                    *within = Within::Raw(quotes);
                    rest = from.get(quotes..).unwrap_or_default();
                } else if is_verbatim {
                    *within = Within::Verbatim;
                } else if from.starts_with(['"', '\'']) {
                    rest = rest.get(end_of_string(from)..).unwrap_or_default();
                } else {
                    code.push('/');
                    continue;
                }
                if *within != Within::Comment {
                    code.push_str("\"\"");
                }
                continue;
            }
            Within::Comment => (rest.find("*/"), 2),
            Within::Verbatim => (end_of_verbatim(rest), 1),
            Within::Raw(quotes) => (rest.find(&"\"".repeat(quotes)), quotes),
        };
        let Some(end) = end else { return code };
        *within = Within::Code;
        rest = rest.get(end + len..).unwrap_or_default();
    }
}

/// Length of a string or character after its first quote; to the end of the line where it is not closed.
fn end_of_string(from: &str) -> usize {
    let quote = from.bytes().next();
    let mut is_escaped = false;
    let end = from.bytes().skip(1).position(|byte| {
        let is_end = !is_escaped && Some(byte) == quote;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(from.len(), |end| end + 1)
}

/// Offset of the quote that ends a verbatim string.
fn end_of_verbatim(rest: &str) -> Option<usize> {
    let mut from = 0_usize;
    loop {
        let at = from + rest.get(from..)?.find('"')?;
        if rest.get(at + 1..).is_none_or(|after| !after.starts_with('"')) {
            return Some(at);
        }
        from = at + 2;
    }
}

/// Keywords that compile to nothing where they stand alone.
const EMPTY: [&str; 7] = ["else", "try", "finally", "do", "checked", "unchecked", "unsafe"];

/// Keywords that a declaration without a value does not begin with.
const WITH_CODE: [&str; 5] = ["return", "throw", "goto", "await", "yield"];

/// Returns true if code without comments has a statement that a sequence point belongs to.
fn is_statement(code: &str) -> bool {
    let code = code.trim();
    if code.starts_with(['#', '[']) || code.starts_with("case ") && code.ends_with(':') {
        return false;
    }
    let words: Vec<&str> = code.split(|c: char| c.is_whitespace() || "{}();,".contains(c)).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [] | ["const", ..] => false,
        [only] if code.ends_with(':') => !only.ends_with(':'),
        [only] => !EMPTY.contains(only),
        // A declaration without a value.
        [first, _] => WITH_CODE.contains(first) || !code.ends_with(';') || code.contains(|c: char| "(=+-.".contains(c)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_statement_are_told_from_others() {
        let text = "x = 1; // a\n/* b\n c */ y();\n{ }\n} else {\nint z;\nreturn z;\ncase 1:\ndefault:\n#if A\n\
            f(\"//\", '\"');\nvar s = @\"a\nb\"\"c\nd\";\nvar r = \"\"\"\n \"x\"\n \"\"\"; g();\nelse\nlabel:\nconst int c = 1;\n\n});\na / b;\n";
        let found = statements(&SourceText::decode(text.as_bytes()));
        let numbers: Vec<usize> = (1..).zip(found).filter(|(_, is)| *is).map(|(line, _)| line).collect();
        assert_eq!(numbers, [1, 3, 7, 11, 12, 15, 17, 23]);
    }

    #[test]
    fn lines_are_counted_inside_methods() {
        let text = SourceText::decode(b"class C {\nvoid M()\n{\na();\nb();\nvoid L()\n{\nc();\n}\n}\nint x;\n}");
        // `b();` has no point, `void L()` needs none, and `int x;` is outside.
        let lines =
            DocumentLines { points: vec![[3, 3], [4, 4], [7, 7], [8, 8]], methods: vec![[3, 10], [7, 9]], full: 0 };
        assert_eq!(lines.count(&text), LineCounts { all: 3, with_points: 2 });
        let hostile = DocumentLines { points: vec![[0, u32::MAX], [9, 2]], methods: vec![[u32::MAX, 0]], full: 0 };
        assert_eq!(hostile.count(&text), LineCounts::default());
    }
}
