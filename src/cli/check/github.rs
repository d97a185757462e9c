//! Workflow commands of GitHub Actions: an annotation for each finding, and for each note on request.

use std::io::{self, Write};

use super::Checked;
use super::report::CheckOutcome;
use crate::query::check::Grade;
use crate::text::safe::visible;

pub(super) fn write(out: &mut impl Write, checked: &Checked, notes: bool) -> io::Result<()> {
    let own = checked.path.display().to_string().replace('\\', "/");
    let own = own.trim_start_matches("./");
    let pair = match &checked.outcome {
        CheckOutcome::Unreadable(why) => return writeln!(out, "::error file={}::{}", property(own), data(&why.text)),
        CheckOutcome::Skipped(_) => return Ok(()),
        CheckOutcome::Pair(pair) | CheckOutcome::Package(pair) => pair,
    };
    for located in pair.worse_than_good() {
        let level = match located.remark.grade {
            Grade::Finding => "error",
            _ if notes => "notice",
            _ => continue,
        };
        let at = located.source.as_ref().map_or_else(
            || format!("file={}", property(own)),
            |source| {
                let ((line, column), (end_line, end_column)) = (source.start, source.end);
                let path = property(&source.path);
                format!("file={path},line={line},endLine={end_line},col={column},endColumn={end_column}")
            },
        );
        let rule = property(located.remark.rule);
        let text = data(&format!("{own}: {}", located.remark.sentence));
        writeln!(out, "::{level} {at},title={rule}::{text}")?;
    }
    Ok(())
}

/// Escapes the text after a command; what a terminal would act on is spelled out, as in text.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
