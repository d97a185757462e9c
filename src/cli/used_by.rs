//! `pdblens used-by FILE… PLACE`

use super::command::{Example, Run, example};
use super::files::with_place;
use super::list::ListArgs;
use super::output::Out;
use super::sandbox::Access;
use super::{Error, Exit};
use crate::nodes::{resolve, used_by};
use crate::query::ask;

/// `pdblens used-by FILE… PLACE`
#[derive(Debug, clap::Args)]
#[command(mut_arg("files", |files| with_place(files, "FILE… PLACE")))]
pub(super) struct UsedBy {
    #[command(flatten)]
    list: ListArgs,
    /// Print the callers of a method or function, and theirs, as a tree.
    #[arg(long)]
    tree: bool,
}

impl Run for UsedBy {
    const EXAMPLES: &'static [Example] = &[
        example("List the calls of a method", "pdblens used-by App.dll Clock.Since"),
        example("List its callers, and theirs, as a tree", "pdblens used-by App.dll Clock.Since --tree"),
        example("List the methods with code in a document", "pdblens used-by App.dll document/Clock.cs"),
        example("List what refers to a row for a script", "pdblens used-by App.dll table/Field/3 --json"),
    ];

    fn access(&self) -> Access {
        self.list.files.symbols.access()
    }

    fn run(mut self, out: &mut Out) -> Result<Exit, Error> {
        let Some(text) = self.list.files.take_place() else {
            return Err(Error::Usage("which place? write FILE PLACE, such as `App.dll Clock.Since`".to_owned()));
        };
        self.list.print(used_by::no_users, out, &|session| {
            let place = ask::place(session, &text)
                .or_else(|why| resolve::type_or_field(session, &text).ok_or(why))
                .map_err(|why| Error::NoAnswer(why.text))?;
            let rows = if self.tree { used_by::callers(session, place) } else { used_by::rows(session, place) };
            Ok((place, rows.ok_or_else(|| Error::NoAnswer(format!("nothing can refer to {place}")))?))
        })
    }
}
