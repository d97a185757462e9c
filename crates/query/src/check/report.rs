//! Remarks, and the report that they are collected in.

use pdblens_formats::bytes::{Error, Spaces, Span};
use pdblens_nodes::Place;
use pdblens_nodes::finding::Finding;
use pdblens_session::text::safe::count;

/// Limit on the remarks of a rule that a report for reading at once keeps; the others are counted.
pub(super) const MAX_REMARKS: usize = 20;

/// Severity of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "grade"))]
pub enum Grade {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// Wrong.
    Finding,
}

impl Grade {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Finding => "finding",
        }
    }

    pub const fn mark(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Note => "·",
            Self::Finding => "✗",
        }
    }
}

/// Result of a rule, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "result"))]
pub struct Remark {
    /// The rule that it answers to.
    pub rule: &'static str,
    /// Severity.
    pub grade: Grade,
    /// The verdict and the reason, in one sentence.
    #[serde(rename = "text")]
    pub sentence: String,
    /// Place it is about.
    pub place: Option<Place>,
    /// The bytes it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// Number of results that it counts as: above one where it summarizes results that were not kept.
    pub count: usize,
}

/// Number of findings and notes, as all output formats write them: `1 finding, 6 notes`.
pub fn summary(remarks: &[Remark]) -> String {
    let notes = remarks.iter().filter(|remark| remark.grade == Grade::Note).map(|remark| remark.count).sum::<usize>();
    format!("{}, {}", count(findings(remarks) as u64, "finding"), count(notes as u64, "note"))
}

pub fn findings<'r>(remarks: impl IntoIterator<Item = &'r Remark>) -> usize {
    remarks.into_iter().filter(|remark| remark.grade == Grade::Finding).map(|remark| remark.count).sum()
}

#[derive(Clone, Debug)]
pub struct Report {
    /// Limit on the remarks kept per rule.
    limit: usize,
    rule: &'static str,
    pub remarks: Vec<Remark>,
    /// Number of remarks of the rule, and the worst grade among those that were not kept.
    count: usize,
    surplus: Option<Grade>,
    /// Errors among the remarks, by their index: their sentences want the name of the stream.
    errors: Vec<(usize, Error)>,
    /// The caller stopped the check: the remarks are incomplete.
    pub(super) stopped: bool,
}

impl Default for Report {
    fn default() -> Self {
        Self::with_limit(MAX_REMARKS)
    }
}

impl Report {
    pub(super) const fn with_limit(limit: usize) -> Self {
        Self { limit, rule: "", remarks: Vec::new(), count: 0, surplus: None, errors: Vec::new(), stopped: false }
    }

    pub(super) fn begin(&mut self, rule: &'static str) {
        self.end();
        (self.rule, self.count, self.surplus) = (rule, 0, None);
    }

    /// Returns true if the rule has no remark so far.
    pub(super) const fn is_clean(&self) -> bool {
        self.count == 0
    }

    /// Returns true if one more remark of the rule is kept.
    pub(super) const fn has_room(&self) -> bool {
        self.count < self.limit
    }

    /// All remarks, in which errors name the file or the stream that they are in.
    pub(super) fn into_remarks(mut self, spaces: &Spaces) -> Vec<Remark> {
        self.end();
        for (index, error) in &self.errors {
            if let Some(remark) = self.remarks.get_mut(*index) {
                remark.sentence = spaces.error_text(error);
            }
        }
        self.remarks
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.end();
        other.end();
        let before = self.remarks.len();
        self.errors.extend(other.errors.into_iter().map(|(index, error)| (before + index, error)));
        self.remarks.append(&mut other.remarks);
    }

    /// Leaves the worst remark of each rule among those from `from` on, with the number of the others, as a note: one fault of a header
    /// shows in every row, and is a finding already.
    pub(super) fn gather(&mut self, from: usize) {
        self.end();
        let mut kept: Vec<Remark> = Vec::new();
        for remark in self.remarks.drain(from.min(self.remarks.len())..) {
            match kept.iter_mut().find(|known| known.rule == remark.rule) {
                Some(known) if remark.grade == Grade::Good || known.grade == Grade::Good => kept.push(remark),
                Some(known) if known.grade < remark.grade => {
                    *known = Remark { count: known.count + remark.count, ..remark }
                }
                Some(known) => known.count += remark.count,
                None => kept.push(remark),
            }
        }
        for remark in kept.iter_mut().filter(|remark| remark.grade == Grade::Finding || remark.count > 1) {
            let others = remark.count - 1;
            let more = if others > 0 { format!("{others} more, ") } else { String::new() };
            remark.sentence = format!("{}; {more}probably caused by the damaged metadata headers", remark.sentence);
            (remark.grade, remark.count) = (remark.grade.min(Grade::Note), 1);
        }
        self.errors.retain(|(index, _)| *index < from);
        self.remarks.extend(kept);
    }

    /// Says how many remarks were too many.
    pub(super) fn end(&mut self) {
        if let Some(grade) = self.surplus.take() {
            self.others(grade, self.count - self.limit);
        }
    }

    /// Adds a remark that summarizes `count` others.
    pub(super) fn others(&mut self, grade: Grade, count: usize) {
        let sentence = format!("and {count} more");
        self.remarks.push(Remark { rule: self.rule, grade, sentence, place: None, span: None, count });
    }

    pub(super) fn add(&mut self, grade: Grade, sentence: impl Into<String>) {
        self.at(grade, sentence, None, None);
    }

    pub(super) fn at(&mut self, grade: Grade, sentence: impl Into<String>, place: Option<Place>, span: Option<Span>) {
        self.count += 1;
        if self.count > self.limit {
            self.surplus = self.surplus.max(Some(grade));
        } else {
            self.remarks.push(Remark { rule: self.rule, grade, sentence: sentence.into(), place, span, count: 1 });
        }
    }

    pub(super) fn good(&mut self, sentence: impl Into<String>) {
        self.add(Grade::Good, sentence);
    }

    pub(super) fn note(&mut self, sentence: impl Into<String>) {
        self.add(Grade::Note, sentence);
    }

    pub(super) fn finding(&mut self, sentence: impl Into<String>, place: Place, span: Option<Span>) {
        self.at(Grade::Finding, sentence, Some(place), span);
    }

    /// Adds findings as one where they differ in nothing but their numbers, as those of one cause do. Returns the number of causes.
    pub(super) fn causes(&mut self, findings: impl IntoIterator<Item = Finding>) -> usize {
        let cause = |finding: &Finding| -> (String, String) {
            let words = |text: &str| text.chars().filter(|c| !c.is_ascii_hexdigit()).collect();
            (words(&finding.place.to_string()), words(&finding.sentence))
        };
        let mut causes: Vec<((String, String), Finding, u64)> = Vec::new();
        for finding in findings {
            let key = cause(&finding);
            match causes.iter_mut().find(|(known, ..)| *known == key) {
                Some((.., others)) => *others += 1,
                None => causes.push((key, finding, 0)),
            }
        }
        for (_, finding, others) in &causes {
            let more = if *others > 0 { format!(" (and {others} more like it)") } else { String::new() };
            self.finding(format!("{}{more}", finding.sentence), finding.place, finding.span);
        }
        causes.len()
    }

    pub(super) fn error(&mut self, error: &Error, place: Place) {
        self.finding(error.to_string(), place, Some(error.span));
        if self.count <= self.limit {
            self.errors.push((self.remarks.len() - 1, error.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_keeps_as_many_remarks_of_a_rule_as_its_limit() {
        for (limit, kept) in [(2, 3), (5, 5)] {
            let mut report = Report::with_limit(limit);
            report.begin("rule");
            (1..=5).for_each(|at| report.note(format!("remark {at}")));
            report.end();
            let counts: usize = report.remarks.iter().map(|remark| remark.count).sum();
            assert_eq!((report.remarks.len(), counts), (kept, 5), "limit {limit}");
        }
    }
}
