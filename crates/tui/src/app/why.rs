//! Reasons: why a debugger stops where the cursor is, or does not.

use std::sync::Arc;

use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::state::paths::Paths;
use crate::state::selection::SelectionContext;
use crate::ui::glyphs::Glyphs;
use pdblens_nodes::{Place, code_unit, document};
use pdblens_query::breakpoint::{Judge, LineQuery, Sign, why_of_module};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

/// A job that judges what is selected: the point, the line or the code, else the module.
pub(super) fn why_job(session: Arc<Session>, here: &SelectionContext, paths: &Arc<Paths>, glyphs: &Glyphs) -> Effect {
    let point = here.method.as_ref().zip(here.point).and_then(|(view, index)| {
        let point = view.points.get(index)?;
        Some((view.of, index as u32 + 1, *point))
    });
    let (place, unit) = (here.selection.place, here.selection.place.code_unit());
    let document = here.document.and_then(|row| document::name(&session, row));
    let name = unit.map(|of| code_unit::name(&session, of));
    let within = name.or_else(|| document.map(|path| file_name(&path).to_owned())).unwrap_or_default();
    let (paths, glyphs) = (Arc::clone(paths), *glyphs);
    let is_whole = matches!(place, Place::Method(_) | Place::Function(_));
    Effect::Start(Job::new("judging", "why", move |_| {
        let judge = Judge::of(&session, &paths.sources);
        let why = match (place, point) {
            (Place::Line(row, line), _) => Some(judge.why(Ok(&LineQuery::of(row, line, None)))),
            (_, Some((of, number, point))) if !is_whole => Some(judge.why_of_point(of, number, point)),
            _ => None,
        };
        let verdict = why.as_ref().map_or_else(|| judge.of_module(), |why| why.verdict);
        let why = why.or_else(|| why_of_module(&session)).filter(|_| verdict.sign() != Sign::Stops);
        let title = format!("{} {}", glyphs.breakpoint(verdict.sign()), verdict.words());
        let text = match why {
            Some(why) => vec![why.sentence, why.fix],
            None => vec!["A breakpoint here stops with the usual settings of a debugger.".to_owned()],
        };
        Msg::VerdictKnown(title, text, within)
    }))
}
