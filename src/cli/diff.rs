use std::io;
use std::path::PathBuf;

use super::json::Json;
use super::output::Out;
use super::symbols::SymbolArgs;
use super::{Error, Exit, Run};
use crate::nodes::rows::Tone;
use crate::query::diff::{Change, Diff, How, Subject, diff};
use crate::session::Session;
use crate::text::safe::count;

/// `pdblens diff A B`
#[derive(Debug, clap::Args)]
pub(super) struct DiffCommand {
    /// A file of the first build: its partner is found by itself.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// A file of the second build.
    #[arg(value_name = "B")]
    b: PathBuf,
    #[command(flatten)]
    symbols: SymbolArgs,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl Run for DiffCommand {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let open = |path: &PathBuf| self.symbols.complete(Session::open(std::slice::from_ref(path))?);
        let found = diff(&open(&self.a)?, &open(&self.b)?);
        if self.json {
            diff_json(&mut Json::new(&mut *out), &found)?;
        } else {
            print(out, &found)?;
        }
        Ok(if found.changes.is_empty() { Exit::Done } else { Exit::Findings })
    }
}

fn print(out: &mut Out, found: &Diff) -> Result<(), Error> {
    for subject in Subject::ALL {
        let changes: Vec<&Change> = found.changes.iter().filter(|change| change.subject == subject).collect();
        let same = match subject {
            Subject::Method => found.same_methods,
            Subject::Document => found.same_documents,
            Subject::Option | Subject::Reference => 0,
        };
        if changes.is_empty() && same == 0 {
            continue;
        }
        let how_many = |how: How| changes.iter().filter(|change| change.how == how).count();
        let parts = [How::Changed, How::Moved, How::Added, How::Removed].map(|how| (how_many(how), how.name()));
        let mut parts: Vec<String> =
            parts.iter().filter(|(many, _)| *many > 0).map(|(many, name)| format!("{many} {name}")).collect();
        if same > 0 {
            parts.push(format!("{same} the same"));
        }
        out.parts(&[
            (&format!("{}s", subject.name()), Tone::Strong),
            ("  ", Tone::Text),
            (&parts.join(", "), Tone::Dim),
        ])?;
        for change in changes {
            let tone = match change.how {
                How::Added => Tone::Ok,
                How::Removed => Tone::Bad,
                How::Changed => Tone::Warn,
                How::Moved => Tone::Dim,
            };
            let place = change.after.or(change.before).map_or(String::new(), |place| format!("  {place}"));
            out.parts(&[
                ("  ", Tone::Text),
                (change.how.mark(), tone),
                (" ", Tone::Text),
                (&change.name, Tone::Text),
                (&place, Tone::Dim),
            ])?;
            for detail in &change.details {
                out.parts(&[("      ", Tone::Text), (detail, Tone::Dim)])?;
            }
        }
    }
    for note in &found.notes {
        out.parts(&[("! ", Tone::Warn), (note, Tone::Warn)])?;
    }
    if found.changes.is_empty() {
        out.line(&format!("no difference in {}", count(found.same_methods as u64, "method")))?;
    }
    Ok(())
}

fn diff_json<W: io::Write>(json: &mut Json<W>, found: &Diff) -> io::Result<()> {
    json.object(|json| {
        json.number("schema", crate::nodes::SCHEMA)?;
        json.number("same methods", found.same_methods)?;
        json.number("same documents", found.same_documents)?;
        json.key("notes")?.list(|json| found.notes.iter().try_for_each(|note| json.string(note)))?;
        json.key("changes")?.list(|json| found.changes.iter().try_for_each(|change| change_json(json, change)))
    })
}

fn change_json<W: io::Write>(json: &mut Json<W>, change: &Change) -> io::Result<()> {
    json.object(|json| {
        json.text("subject", change.subject.name())?;
        json.text("how", change.how.name())?;
        json.text("name", &change.name)?;
        json.key("details")?.list(|json| change.details.iter().try_for_each(|detail| json.string(detail)))?;
        json.key("before")?.maybe(change.before.map(|place| place.to_string()).as_deref())?;
        json.key("after")?.maybe(change.after.map(|place| place.to_string()).as_deref())
    })
}
