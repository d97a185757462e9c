//! The statements of a body, and the text of a lambda from those of its own.

use std::rc::Rc;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::symbols::StateMachine;

use super::body::Body;
use super::library::{Library, Member, cached};
use super::line::Statement;
use super::sentences::Sentences;

/// Points of one method that get statements; those of a larger one have none.
const MAX_POINTS: usize = 20_000;

pub(super) fn of_body(library: &Library<'_>, body: &Body<'_>, lambdas: usize) -> Vec<Option<Statement>> {
    if body.view.points.len() > MAX_POINTS {
        return Vec::new();
    }
    let mut sentences = Sentences::new(library, body, lambdas);
    let mut done = 0;
    let statement = |(index, range): (usize, &(u32, u32))| {
        // A hidden point may continue the one before it.
        let is_new = range.0 >= done;
        done = done.max(range.1);
        if is_new { sentences.statement(index, *range) } else { None }
    };
    body.ranges.iter().enumerate().map(statement).collect()
}

/// The text of a lambda, from its own points; false if a part of it is left out.
pub(super) fn lambda(library: &Library<'_>, member: &Member, lambdas: usize) -> (Rc<str>, bool) {
    cached(&library.lambdas, (member.row, lambdas), || {
        let token = Token::new(TableId::METHOD_DEF, member.row);
        let symbols = library.session.symbols();
        let moved = symbols.and_then(|symbols| symbols.state_machine(StateMachine::Kickoff(token)));
        let body = Body::read(library, moved.unwrap_or(token));
        let found = body.map(|body| of_body(library, &body, lambdas)).unwrap_or_default();
        let found: Vec<Statement> = found.into_iter().flatten().collect();
        let name = |number| {
            let name = library.parameter(member.row, number).map(|row| library.string(TableId::PARAM, row, 2));
            name.filter(|name| !name.starts_with('<')).unwrap_or_else(|| "_".into())
        };
        let names: Vec<Rc<str>> = (0..member.parameters.len()).map(name).collect();
        let names = if let [one] = &names[..] { one.to_string() } else { format!("({})", names.join(", ")) };
        let head = format!("{}{names} =>", if moved.is_some() { "async " } else { "" });
        let body: Vec<&Statement> = found.iter().filter(|statement| !matches!(&*statement.text, "{" | "}")).collect();
        let has_braces = found.len() > body.len();
        let (text, whole) = match body[..] {
            [] if found.is_empty() => (format!("{head} {{ … }}"), false),
            [] => (format!("{head} {{ }}"), true),
            [one] if !has_braces => {
                let text = one.text.strip_prefix("return ").unwrap_or(&one.text);
                (format!("{head} {}", text.trim_end_matches(';')), one.whole)
            }
            [one] => (format!("{head} {{ {} }}", one.text), one.whole),
            _ => (format!("{head} {{ … }}"), false),
        };
        (text.into(), whole)
    })
}
