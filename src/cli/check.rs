use crate::nodes;
use crate::query::check;
use std::io;

use super::json::Json;
use super::output::Out;
use super::sources::SourceArgs;
use super::{Error, Exit, Files, Run};
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::query::check::{Grade, METHOD_RULES, PORTABLE_RULES, RULES, Remark, findings};
use crate::session::Session;
use crate::text::safe::count;

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
        let findings = findings(&remarks);
        if self.quiet {
            remarks.retain(|remark| remark.grade == Grade::Finding);
        }
        if self.json {
            check_json(&mut Json::new(out), &session, &remarks, findings)?;
        } else {
            out.headless(&remark_rows(&session, &remarks))?;
            if findings > 0 {
                out.parts(&[(&count(findings as u64, "finding"), Tone::Bad)])?;
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

fn check_json<W: io::Write>(
    json: &mut Json<W>,
    session: &Session,
    remarks: &[Remark],
    findings: usize,
) -> io::Result<()> {
    json.object(|json| {
        json.number("schema", nodes::SCHEMA)?;
        json.key("image")?.maybe(session.image().map(|image| image.name.as_str()))?;
        json.key("symbols")?.maybe(session.symbol_file().map(|file| file.name.as_str()))?;
        json.number("findings", findings)?;
        json.key("remarks")?.list(|json| {
            remarks.iter().try_for_each(|remark| {
                json.object(|json| {
                    json.text("rule", remark.rule)?;
                    json.text("grade", remark.grade.name())?;
                    json.text("sentence", &remark.sentence)?;
                    json.key("place")?.maybe(remark.place.map(|place| place.to_string()).as_deref())?;
                    match remark.span {
                        Some(span) => json.span("span", span),
                        None => Ok(()),
                    }
                })
            })
        })
    })
}
