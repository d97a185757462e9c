//! Questions about a trace that names a kickoff method: looked up wrongly, then rightly.

use super::Question;
use super::lines::{OffsetQuestion, line, points};
use crate::lesson::Example;
use pdblens_nodes::{CodeUnit, TableId, Token, code_unit};
use pdblens_query::where_is::state_machine::move_next;
use pdblens_session::session::Session;

/// Kickoff method and MoveNext of a row of StateMachineMethod.
fn methods(example: &Example, session: &Session) -> Option<(Token, Token)> {
    let row = &example.steps;
    let token = |name: &str| super::field(row, name)?.field.to?.method();
    let of_row = |name: &str| {
        let number = super::field(row, name)?.field.number?;
        Some(Token::new(TableId::METHOD_DEF, u32::try_from(number).ok()?))
    };
    let kickoff = token("KickoffMethod").or_else(|| of_row("KickoffMethod"))?;
    Some((kickoff, move_next(session, kickoff)?))
}

/// The question about the line of an offset in MoveNext, with the offset as the trace names it.
fn right(example: &Example, session: &Session) -> Option<(Question, String)> {
    let (kickoff, body) = methods(example, session)?;
    let of = CodeUnit::Method(body);
    let OffsetQuestion { question, offset } = line(of, &points(of, session)?)?;
    let frame = format!("at {} + {offset:#x}", session.method_name(kickoff));
    Some((question, frame))
}

fn visible(session: &Session, method: Token) -> usize {
    code_unit::points(session, method.into()).iter().filter(|point| !point.is_hidden()).count()
}

/// Line that the kickoff method has for the offset: none.
pub(super) fn kickoff_line(example: &Example, session: &Session) -> Option<Question> {
    let (kickoff, _) = methods(example, session)?;
    let (body, frame) = right(example, session)?;
    if visible(session, kickoff) > 0 {
        return None;
    }
    let any = ["none", "no line", "0", "no lines", "nothing"].map(str::to_owned).to_vec();
    let prompt =
        "A trace has this frame. Which line do you find if you look the offset up in the method that it names?";
    let mut question = Question::of_text(prompt, any)
        .fact("frame", frame)
        .fact("method", format!("{kickoff} {}", session.method_name(kickoff)))
        .fact("sequence points", visible(session, kickoff).to_string())
        .hint("A line needs a sequence point; how many has the method?")
        .solved("none: the kickoff method has no sequence points, and its body was moved to MoveNext");
    let text = "That is the line of the same offset in MoveNext, which has the body: the next question asks for it. The method that the \
         frame names has no sequence points, and so no line.";
    question.wrong(body.answer(), text);
    for (line, because) in body.known_mistakes() {
        let text = "The method that the frame names has no line.";
        question.wrong(line, format!("That is a number of MoveNext, which has the body ({because}) {text}"));
    }
    question.wrong("1".to_owned(), "That is no line of this method: it has no sequence points.");
    let text = "That is the row of the method: its line is asked for, and it has none.";
    question.wrong(kickoff.row().to_string(), text);
    Some(question)
}

pub(super) fn move_next_line(example: &Example, session: &Session) -> Option<Question> {
    let (_, body) = methods(example, session)?;
    let (mut question, frame) = right(example, session)?;
    "The same frame, looked up where the body is. Which line does it mean?".clone_into(&mut question.prompt);
    let method = format!("{body} {}", session.method_name(body));
    question.given.splice(0..0, [("frame".to_owned(), frame), ("body".to_owned(), method)]);
    Some(question)
}
