//! Paths of steps as the line under the tabs prints them: `Methods › Ticker.Clock › Since(long) › point 3`.

use super::{Answer, Here, ask, cells, code, cut, numbered, offset_here, plain, row, type_number};
use pdblens_nodes::method::MethodView;
use pdblens_nodes::resolve::resolve_exactly;
use pdblens_nodes::{Place, exists};
use pdblens_session::session::Session;

/// Sign between steps.
const STEP: &str = " \u{203a} ";

/// The place of a path: by its last two steps, or by the last one inside of what is before it.
pub(super) fn breadcrumb(session: &Session, typed: &str, here: Here) -> Option<Answer> {
    let (before, last) = typed.rsplit_once(STEP)?;
    let (before, last) = (before.trim(), last.trim());
    let parent = before.rsplit(STEP).next().unwrap_or(before);
    // Types and ids are numbers, as offsets are.
    if let Some(found) = type_number::named(session, typed, here).or_else(|| of_table(session, parent, last, here)) {
        return Some(found);
    }
    let method = format!("{parent}.{last}");
    let named = code(session, &method).ok().or_else(|| cut::cut(session, &method, here)?.ok());
    let above = || step(session, before, here).and_then(|place| inside(session, place, last, here));
    let alone = || step(session, last, here);
    named.or_else(|| above().or_else(alone).map(plain)).or_else(|| cells::by_name(session, last, here)).map(Ok)
}

/// A row, `LocalScope › row 300`, or a table of Mono's format, which is named like a list.
fn of_table(session: &Session, parent: &str, last: &str, here: Here) -> Option<Answer> {
    let known = |path: String| resolve_exactly(session, &path).ok().filter(|place| exists(session, *place));
    let Some(number) = last.strip_prefix("row ") else {
        let table = (parent == "Tables").then(|| known(format!("mdb/{last}"))).flatten();
        return table.map(|place| Ok(plain(place)));
    };
    let of_mono = || known(format!("mdb/{parent}/{number}")).map(|place| Ok(plain(place)));
    of_mono().or_else(|| row::row(session, &format!("{parent}/{number}"), here))
}

/// The place of a path, or of a step that is the name of a list or of a structure.
fn step(session: &Session, steps: &str, here: Here) -> Option<Place> {
    let place = |answer: Answer| answer.ok().map(|(place, _)| place);
    if steps.contains(STEP) {
        return place(breadcrumb(session, steps, here)?);
    }
    let path = steps.to_lowercase().replace(' ', "-");
    place(ask(session, steps, here)).or_else(|| resolve_exactly(session, &path).ok())
}

/// A part of a place: a point, an offset, a line, a variable, or whatever the path of the place goes on to.
fn inside(session: &Session, of: Place, last: &str, here: Here) -> Option<Place> {
    let at = Here { code: of.code_unit(), place: Some(of), ..here };
    if let (Place::Document(row), Some(line)) = (of, last.strip_prefix("line ").and_then(|line| line.parse().ok())) {
        return Some(Place::Line(row, line));
    }
    if let Some((place, _)) = [numbered::numbered, offset_here].iter().find_map(|form| form(session, last, at)?.ok()) {
        return Some(place);
    }
    if let Some(unit) = of.code_unit() {
        let view = MethodView::of(session, unit);
        let symbol = view.records.iter().find(|symbol| symbol.text() == last);
        if let Some(place) = symbol.and_then(|symbol| view.symbol_place(symbol)) {
            return Some(place);
        }
    }
    let number = last.rsplit_once(' ').map_or(last, |(_, number)| number);
    let path = of.to_string();
    // A list has the plural of its records' name.
    let paths = [Some(path.as_str()), path.strip_suffix('s')];
    let mut places =
        paths.into_iter().flatten().filter_map(|path| resolve_exactly(session, &format!("{path}/{number}")).ok());
    places.find(|place| exists(session, *place))
}
