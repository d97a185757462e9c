//! The list of the files in a folder or container: each image with its symbol file, their match and their size.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ratatui::layout::Rect;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::{Command, Effect};
use crate::state::message::{Job, Msg};
use crate::ui::theme::Role;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::session::PdbMatch;
use pdblens_session::session::inputs::{Unit, names_in};

/// Units that one job opens before the list is drawn again.
const BATCH: usize = 16;
/// Units that are opened; the others have a verdict when they are chosen.
const MAX_OPENED: usize = 2000;

/// Match of the files of a unit, once they were opened.
type UnitMatch = OnceLock<Result<PdbMatch, String>>;

/// The files of a folder or container that has several.
pub struct ContainerFiles {
    units: Arc<[Unit]>,
    /// Paths of the units, below the folder or in the container.
    names: Vec<String>,
    verdicts: Arc<[UnitMatch]>,
    /// Units whose verdict was asked for.
    asked: usize,
    /// True for the files of one folder or container.
    is_of_one: bool,
    /// True if nothing else is open: closing the list ends the program.
    is_only: bool,
}

/// A picker of the pairs in the folders, containers and files at `paths`, and the effect that begins to open them.
pub fn container_files(paths: &[PathBuf], units: Vec<Unit>, is_only: bool) -> (Picker<ContainerFiles>, Vec<Effect>) {
    let names = names_in(paths, &units);
    let verdicts = units.iter().map(|_| UnitMatch::new()).collect();
    let mut files =
        ContainerFiles { units: units.into(), names, verdicts, asked: 0, is_of_one: paths.len() == 1, is_only };
    let effects = files.next_batch();
    (Picker::new(files), effects)
}

impl ContainerFiles {
    /// Indices of the units whose paths have all words of the input.
    fn matching(&self, typed: &str) -> Vec<usize> {
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let matches = |name: &String| {
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        self.names.iter().enumerate().filter(|(_, name)| matches(name)).map(|(index, _)| index).collect()
    }

    fn is_batch_done(&self) -> bool {
        self.verdicts.iter().take(self.asked).all(|verdict| verdict.get().is_some())
    }

    /// A job that opens the next units, when those before are done.
    fn next_batch(&mut self) -> Vec<Effect> {
        let (from, to) = (self.asked, (self.asked + BATCH).min(self.units.len()).min(MAX_OPENED));
        if from == to || !self.is_batch_done() {
            return Vec::new();
        }
        self.asked = to;
        let (units, verdicts) = (Arc::clone(&self.units), Arc::clone(&self.verdicts));
        vec![Effect::Start(Job::new("opening the files of the list", "container", move |token| {
            for (unit, verdict) in units.iter().zip(verdicts.iter()).take(to).skip(from) {
                if token.is_cancelled() {
                    break;
                }
                let opened = unit.open().map(|session| session.pdb_match());
                // A second result would be the same.
                let _ = verdict.set(opened.map_err(|error| error.to_string()));
            }
            Msg::OverlayReady
        }))]
    }
}

impl Choices for ContainerFiles {
    fn title(&self) -> &'static str {
        if self.is_of_one { "Files in this container or folder" } else { "Files that were named" }
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let found = self.matching(typed);
        let (units, verdicts, names) = (Arc::clone(&self.units), Arc::clone(&self.verdicts), self.names.clone());
        let [ok, bad, warn] = [cx.look.glyphs.ok, cx.look.glyphs.bad, cx.look.glyphs.warn];
        let columns = Head::list(["file", "match", "bytes:"]);
        let title = format!("{} of {}", found.len(), units.len());
        Rows::new(title, columns, found.len(), move |index| {
            let Some((unit, (verdict, name))) =
                found.get(index).and_then(|at| Some((units.get(*at)?, (verdicts.get(*at)?, names.get(*at)?))))
            else {
                return Row::default();
            };
            let verdict = match verdict.get() {
                None => Cell::default(),
                Some(Ok(PdbMatch::Matched)) => Cell::toned(format!("{ok} {}", PdbMatch::Matched.summary()), Tone::Ok),
                Some(Ok(other @ PdbMatch::Mismatched(_))) => {
                    Cell::toned(format!("{bad} {}", other.summary()), Tone::Bad)
                }
                Some(Ok(other)) => Cell::toned(format!("{warn} {}", other.summary()), Tone::Warn),
                Some(Err(_)) => Cell::toned(format!("{bad} cannot be opened"), Tone::Bad),
            };
            let size = unit.size().map_or_else(String::new, |size| size.to_string());
            Row::plain(vec![Cell::new(name.as_str()), verdict, Cell::toned(size, Tone::Dim)])
        })
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        let unit = self.matching(typed).into_iter().nth(index).and_then(|at| self.units.get(at));
        unit.map(|unit| Effect::Update(Box::new(Msg::UnitChosen(unit.clone())))).into_iter().collect()
    }

    fn cancelled(&self) -> Vec<Effect> {
        if self.is_only { vec![Command::Quit.into()] } else { Vec::new() }
    }

    fn query_changed(&mut self, _typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.next_batch()
    }

    fn empty_text(&self, _typed: &str) -> String {
        "no path contains this text".to_owned()
    }

    fn size(&self, _: Rect) -> (u16, u16) {
        (120, 2)
    }

    fn preview(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Option<Vec<(String, Role)>> {
        let at = self.matching(typed).into_iter().nth(index)?;
        let files = self.units.get(at)?.files().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" + ");
        let why = match self.verdicts.get(at)?.get() {
            Some(Err(error)) => Some((error.clone(), Role::Bad)),
            _ => None,
        };
        Some([Some((files, Role::Dim)), why].into_iter().flatten().collect())
    }

    fn headless(&self) -> bool {
        false
    }
}
