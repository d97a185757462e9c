//! The steps that lead from an input to its answer: line to code, offset to line.

use std::sync::Arc;

use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use pdblens_learn::chain::Asked;
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_query::address::Address;
use pdblens_query::ask::{Answer, parse_address};
use pdblens_session::session::Session;

/// The question whose steps lead to an answer: a line of a document, or an offset of code; `None` for other inputs.
pub(super) fn asked(session: &Session, typed: &str, answer: &Answer) -> Option<Asked> {
    answer.as_ref().ok()?;
    match parse_address(session, typed).ok()? {
        Address::Line(query) => query.documents.first().map(|row| Asked::Line(*row, query.line)),
        // The answer may be in MoveNext: the steps begin with the method that was typed.
        Address::Code(query) if typed.contains('+') => Some(Asked::Code(query.of, query.offset)),
        Address::Code(_) | Address::Place(_) => None,
    }
}

pub(super) fn row(asked: Asked, typed: &str, sign: &str) -> Row {
    Row::plain(vec![
        Cell::toned(typed, Tone::Strong),
        Cell::toned(format!("steps {sign}"), Tone::Ok),
        Cell::toned(about(asked), Tone::Dim),
    ])
}

/// Subject of the steps.
pub(super) const fn about(asked: Asked) -> &'static str {
    match asked {
        Asked::Line(..) => "Step through the breakpoint: line, document, methods, point, code",
        _ => "Step through the answer: code, sequence points, point, document, line",
    }
}

/// The job that makes the steps, which the player shows.
pub(super) fn play(session: Option<&Arc<Session>>, asked: Asked) -> Vec<Effect> {
    let Some(session) = session.cloned() else { return Vec::new() };
    vec![Effect::Start(Job::new("following the answer", "chain", move |_| {
        let steps = pdblens_learn::chain::answer(&session, asked);
        Msg::ChainFollowed(session, steps.map(Box::new))
    }))]
}
