//! Inputs of the prompt that lead to a place: examples, the rest of an initial text, and the effects of an answer.

use std::sync::Arc;

use crate::overlays::OverlayContext;
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method::MethodView;
use pdblens_nodes::rows::Tone;
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::{self as nodes, Place, Side, code_tree, document};
use pdblens_query::ask::{Answer, Here, ask};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

pub(super) fn examples(cx: &OverlayContext<'_>) -> String {
    let Some(session) = cx.session else { return String::new() };
    let mut all = Vec::new();
    let shown = cx.selected.and_then(|linked| linked.method.as_ref().map(|view| view.of));
    if let Some(of) = shown.or_else(|| code_tree::first_point(session)?.code_unit()) {
        let view = MethodView::of(session, of);
        let point = view.points.iter().rfind(|point| !point.is_hidden());
        let offset = point.map_or(0, |point| point.offset);
        all.push(format!("{of}+{offset:#x}"));
        let name = code_unit::name(session, of);
        let mut steps = name.split('(').next().unwrap_or_default().rsplit('.');
        let (method, owner) = (steps.next().unwrap_or_default(), steps.next());
        let short = owner.map_or_else(|| method.to_owned(), |owner| format!("{owner}.{method}"));
        // Unusual names make no good examples.
        if short.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_')) {
            all.push(format!("{short}+{offset:#x}"));
        }
        let document = point.and_then(|point| Some((point, document::name(session, point.document)?)));
        all.extend(document.map(|(point, name)| format!("{}:{}", file_name(&name), point.start_line)));
    }
    let has_heaps = Side::Pdb.metadata(session).is_some();
    all.extend(
        [has_heaps.then_some("#blob 0x1"), PdbView::of(session).map(|_| "stream 1")]
            .into_iter()
            .flatten()
            .map(String::from),
    );
    all.extend(["file 0x1a0".to_owned(), "a GUID".to_owned()]);
    all.join(" · ")
}

/// The index of one of the other files, the place there, and a remark on it.
pub(super) type InOther = (usize, Place, String);

/// Answers to an input: that of the shown files, and those of the others where it is an id or a token, or nothing in the shown ones.
pub(super) fn answers(session: &Session, others: &[Arc<Session>], typed: &str, at: Here) -> (Answer, Vec<InOther>) {
    let answer = ask(session, typed, at);
    let is_number = typed.starts_with("0x") || typed.len() == 8 || typed.len() >= 32;
    let is_id = is_number && typed.chars().all(|c| c.is_ascii_hexdigit() || "x-{}".contains(c));
    let is_elsewhere = answer.is_err();
    let of_other = |(index, other): (usize, &Arc<Session>)| {
        let (place, said) = ask(other, typed, Here::default()).ok()?;
        (is_elsewhere || nodes::fields(other, place).is_some()).then_some((index, place, said))
    };
    let is_asked = is_id || is_elsewhere;
    let found = if is_asked { others.iter().enumerate().filter_map(of_other).collect() } else { Vec::new() };
    (answer, found)
}

/// The selection, to which offsets without a file or a method refer.
pub(super) fn here(cx: &OverlayContext<'_>) -> Here {
    let Some(selected) = cx.selected else { return Here::default() };
    Here { span: selected.span(), code: selected.method.as_ref().map(|view| view.of), document: selected.document }
}

pub(super) fn completion_hint(typed: &str) -> Option<&'static str> {
    match typed {
        "0x06" => Some("six more digits: 0x06000001 is the first method, 0x02000001 the first type"),
        "file 0x" => Some("offset in the file, in hexadecimal: 1a0"),
        _ if typed.ends_with("+0x") => Some("offset in the code, in hexadecimal as debuggers write it: 1a"),
        _ => None,
    }
}

pub fn answer(typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
    let Some(session) = cx.session else { return Vec::new() };
    by_name(session, typed.trim(), effects(typed, ask(session, typed, here(cx))))
}

/// Effects that select the function of a name, where the linker folded several into one: its address means another of them.
pub(super) fn by_name(session: &Session, name: &str, effects: Vec<Effect>) -> Vec<Effect> {
    let native = NativeView::of(session);
    let folded = |selection: &Selection| match selection {
        Selection { place: Place::Function(rva), part: None } => Some((native?.folded_named(*rva, name)?, *rva)),
        _ => None,
    };
    let Some((part, rva)) = effects.iter().find_map(|effect| match effect {
        Effect::Go(selection) => folded(selection),
        _ => None,
    }) else {
        return effects;
    };
    let named = code_unit::name(session, CodeUnit::Function(rva));
    let said = format!("{name} has the code of {named}: the linker folded them into one");
    vec![Effect::Go(Selection { place: Place::Function(rva), part: Some(part) }), Effect::SetStatus(Tone::Text, said)]
}

/// Goes to a place of another file, and says what is to be said about it.
pub(super) fn visit(session: &Arc<Session>, (place, said): (Place, String)) -> Vec<Effect> {
    let remark = (!said.is_empty()).then_some(Effect::SetStatus(Tone::Text, said));
    [Effect::Visit(Arc::clone(session), place.into())].into_iter().chain(remark).collect()
}

pub(super) fn effects(typed: &str, answer: Answer) -> Vec<Effect> {
    match answer {
        Ok((place, said)) if said.is_empty() => vec![Effect::Go(place.into())],
        Ok((place, said)) => vec![Effect::Go(place.into()), Effect::SetStatus(Tone::Text, said)],
        Err(why) => vec![Effect::SetStatus(Tone::Warn, format!("{typed}: {why}"))],
    }
}
