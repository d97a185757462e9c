use schemars::JsonSchema;
use serde::Serialize;

use super::command::Run;
use super::json;
use super::output::Out;
use super::source_args::SourceArgs;
use super::values::{PlaceText, SpanText, Version, words};
use super::{Error, Exit, Files};
use crate::nodes;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::check;
use crate::query::check::{Grade, METHOD_RULES, PORTABLE_RULES, RULES, Remark, findings};
use crate::session::Session;

/// `pdblens check FILE…`
#[derive(Debug, clap::Args)]
pub struct Check {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    sources: SourceArgs,
    /// Print findings alone.
    #[arg(long, short)]
    quiet: bool,
    /// List the rules instead of checking.
    #[arg(long)]
    rules: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for Check {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        if self.rules {
            out.headless(&rule_rows())?;
            return Ok(Exit::Done);
        }
        let session = self.files.open()?;
        let mut remarks = check::check(&session, &self.sources.options());
        let (findings, summary) = (findings(&remarks), check::summary(&remarks));
        if self.quiet {
            remarks.retain(|remark| remark.grade == Grade::Finding);
        }
        if self.json {
            json::write(out, &Document::of(&session, &remarks, findings))?;
        } else {
            out.headless(&remark_rows(&session, &remarks))?;
            let tone = if findings > 0 { Tone::Bad } else { Tone::Dim };
            if findings > 0 || !self.quiet {
                out.parts(&[(&summary, tone)])?;
            }
        }
        Ok(if findings > 0 { Exit::Findings } else { Exit::Done })
    }
}

fn rule_rows() -> Rows<'static> {
    let pair = RULES.iter().map(|rule| (rule.id, rule.about));
    let symbols = METHOD_RULES.iter().copied().chain(PORTABLE_RULES.iter().map(|rule| (rule.id, rule.about)));
    let rows = pair.chain(symbols).map(|(id, about)| Row::plain(vec![Cell::toned(id, Tone::Strong), Cell::new(about)]));
    Rows::of("rules", vec![Head::text("rule"), Head::text("about")], rows.collect())
}

const fn tone(grade: Grade) -> Tone {
    match grade {
        Grade::Good => Tone::Ok,
        Grade::Note => Tone::Warn,
        Grade::Finding => Tone::Bad,
    }
}

fn remark_rows<'s>(session: &'s Session, remarks: &[Remark]) -> Rows<'s> {
    let rows = remarks.iter().map(|remark| {
        // Where what is wrong is; what is right needs no such thing.
        let place = remark.place.filter(|_| remark.grade != Grade::Good);
        let bytes = remark.span.filter(|_| remark.grade == Grade::Finding).map(|span| nodes::span_text(session, span));
        let detail = [place.map(|place| place.to_string()), bytes].into_iter().flatten().collect::<Vec<_>>().join("  ");
        Row {
            place: remark.place,
            span: remark.span,
            cells: vec![
                Cell::toned(remark.grade.mark(), tone(remark.grade)),
                Cell::toned(remark.rule, Tone::Dim),
                Cell::toned(
                    remark.sentence.clone(),
                    if remark.grade == Grade::Finding { Tone::Bad } else { Tone::Text },
                )
                .beside(detail),
            ],
            ..Row::default()
        }
    });
    Rows::of("check", ["", "rule", "verdict"].map(Head::text).to_vec(), rows.collect())
}

/// Verdicts, rule by rule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "check")]
pub(super) struct Document<'c> {
    schema: Version,
    /// Name of the image.
    image: Option<&'c str>,
    /// Name of the symbols.
    symbols: Option<&'c str>,
    /// Number of findings; remarks list at most twenty per rule. If there are any, the exit code is 3.
    findings: usize,
    remarks: Vec<RemarkJson<'c>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "remark")]
struct RemarkJson<'c> {
    /// Id of the rule: `check --rules` lists them.
    rule: &'static str,
    grade: GradeJson,
    /// Verdict and reason.
    sentence: &'c str,
    /// Number of remarks it stands for: 1, or those of the rule that are not listed.
    count: usize,
    place: Option<PlaceText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<SpanText>,
}

words! {
    GradeJson = "grade", Grade {
        /// As it should be.
        Good,
        /// Worth knowing.
        Note,
        /// Wrong.
        Finding,
    }
}

impl<'c> Document<'c> {
    fn of(session: &'c Session, remarks: &'c [Remark], findings: usize) -> Self {
        Self {
            schema: Version,
            image: session.image().map(|image| image.name.as_str()),
            symbols: session.symbol_file().map(|file| file.name.as_str()),
            findings,
            remarks: remarks.iter().map(RemarkJson::of).collect(),
        }
    }
}

impl<'c> RemarkJson<'c> {
    fn of(remark: &'c Remark) -> Self {
        Self {
            rule: remark.rule,
            grade: remark.grade.into(),
            sentence: &remark.sentence,
            count: remark.count,
            place: remark.place.map(Into::into),
            span: remark.span.map(Into::into),
        }
    }
}
