//! The code of one method in two builds.

use std::borrow::Cow;
use std::fmt::Write;

use super::generated::{shared_in, without_ordinals};
use pdblens_formats::il::{Body, Instruction, Operand};
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::method::{self, MethodView, il_label};
use pdblens_session::session::Session;
use pdblens_session::text::names::{NameCache, Names};
use pdblens_session::text::safe::count;

/// Length of the longest text of code; methods that differ after it alone are paired as if they were equal.
const MAX_TEXT: usize = 1 << 14;

/// One build: its session, and the names of its image, which are cached.
#[derive(Clone, Copy)]
pub(crate) struct Build<'s> {
    session: &'s Session,
    names: Option<Names<'s>>,
}

impl<'s> Build<'s> {
    pub(crate) fn new(session: &'s Session, cache: &'s NameCache) -> Self {
        Self { session, names: session.names().map(|names| names.with_cache(cache)) }
    }

    fn name(&self, token: Token) -> Cow<'s, str> {
        match self.names {
            Some(names) => names.cached_token(token),
            None => token.to_string().into(),
        }
    }

    /// Types of the local variables of a method, without ordinals.
    fn locals(&self, body: &Body) -> Vec<String> {
        let types = self.session.names().map(|names| names.locals(body.local_signature)).unwrap_or_default();
        types.iter().map(|name| without_ordinals(name)).collect()
    }

    /// Members that compilers make once for several methods, as far as the code of a method names them.
    pub(crate) fn shared_of(&self, method: Token) -> Vec<String> {
        let Ok(Some(body)) = method::body(self.session, method) else { return Vec::new() };
        let tokens = method::instructions(self.session, &body).filter_map(|read| match read.ok()?.operand {
            Operand::Token(token) => Some(token),
            _ => None,
        });
        tokens.filter_map(|token| shared_in(&self.name(token)).map(str::to_owned)).collect()
    }
}

/// Text of the code of a method and of its locals, without tokens and ordinals. The work is deducted from `left`.
pub(crate) fn code_text((build, method): Of<'_>, left: &mut u64) -> String {
    let Ok(Some(body)) = method::body(build.session, method) else { return String::new() };
    *left = left.saturating_sub(body.code.len);
    let mut text = build.locals(&body).concat();
    for instruction in method::instructions(build.session, &body).map_while(Result::ok) {
        if text.len() > MAX_TEXT {
            break;
        }
        let targets = match instruction.operand {
            Operand::Switch(targets) => targets.iter().collect(),
            Operand::Branch(target) => vec![target],
            _ => Vec::new(),
        };
        push(&mut text, build, &instruction);
        for target in targets {
            let _ = write!(text, "{target} ");
        }
    }
    text
}

/// Text of the code that each point of a method covers. It leaves out branch targets, so that equal code at another offset has equal text.
/// A point without code has its columns instead.
pub(super) fn point_texts((build, method): Of<'_>, points: &[SequencePoint]) -> Vec<String> {
    let columns = |point: &SequencePoint| {
        if point.is_hidden() { "hidden".to_owned() } else { format!("{}–{} ", point.start_column, point.end_column) }
    };
    let mut texts: Vec<String> = points.iter().map(columns).collect();
    let Ok(Some(body)) = method::body(build.session, method) else { return texts };
    for instruction in method::instructions(build.session, &body).map_while(Result::ok) {
        let at = points.partition_point(|point| point.offset <= instruction.offset).checked_sub(1);
        if let Some(text) = at.and_then(|at| texts.get_mut(at)).filter(|text| text.len() <= MAX_TEXT) {
            push(text, build, &instruction);
        }
    }
    texts
}

/// Adds an instruction, without the targets of a jump.
fn push(text: &mut String, build: Build<'_>, instruction: &Instruction<'_>) {
    text.push_str(instruction.opcode.name);
    match instruction.operand {
        Operand::Token(token) => text.push_str(&without_ordinals(&build.name(token))),
        Operand::Switch(_) | Operand::Branch(_) => {}
        operand => _ = write!(text, "{operand:?}"),
    }
}

type Of<'s> = (Build<'s>, Token);

/// Differences in the code of a method, one sentence each. The work is deducted from `left`.
pub(crate) fn differences(a: Of<'_>, b: Of<'_>, left: &mut u64) -> Vec<String> {
    let body = |of: Of<'_>| method::body(of.0.session, of.1).ok().flatten();
    match (body(a), body(b)) {
        (None, None) => Vec::new(),
        (Some(_), None) => vec!["no longer has code".to_owned()],
        (None, Some(_)) => vec!["has code now".to_owned()],
        (Some(before), Some(after)) => {
            *left = left.saturating_sub(before.code.len + after.code.len);
            let mut details: Vec<String> = instructions((a, &before), (b, &after)).into_iter().collect();
            let regions =
                |body: &Body| body.regions.iter().map(|region| (region.tried, region.handler)).collect::<Vec<_>>();
            // A change of the code moves its regions: that is no news.
            if details.is_empty() && regions(&before) != regions(&after) {
                details.push("exception regions differ".to_owned());
            }
            if a.0.locals(&before) != b.0.locals(&after) {
                details.push("local variables differ".to_owned());
            }
            details
        }
    }
}

/// The first instruction that is different, and how much code there is.
fn instructions(a: (Of<'_>, &Body), b: (Of<'_>, &Body)) -> Option<String> {
    let (mut before, mut after) = (method::instructions(a.0.0.session, a.1), method::instructions(b.0.0.session, b.1));
    loop {
        let (at, one, other) = match (before.next(), after.next()) {
            (None, None) => return None,
            (Some(Ok(one)), Some(Ok(other))) => {
                if same(&one, a.0.0, &other, b.0.0) {
                    continue;
                }
                (one.offset, shown(a.0, &one), shown(b.0, &other))
            }
            (Some(Err(one)), Some(Err(other))) if one.kind == other.kind => continue,
            (Some(Ok(one)), _) => (one.offset, shown(a.0, &one), "nothing".to_owned()),
            (_, Some(Ok(other))) => (other.offset, "nothing".to_owned(), shown(b.0, &other)),
            _ => return Some("code other than IL differs".to_owned()),
        };
        let size = match (a.1.code_size, b.1.code_size) {
            (a, b) if a == b => count(a, "byte"),
            (a, b) => format!("{a} → {}", count(b, "byte")),
        };
        return Some(format!("IL, {size}: from {} on, {one} → {other}", il_label(at.into())));
    }
}

fn same(one: &Instruction<'_>, a: Build<'_>, other: &Instruction<'_>, b: Build<'_>) -> bool {
    if one.offset != other.offset || one.opcode.name != other.opcode.name {
        return false;
    }
    match (one.operand, other.operand) {
        (Operand::Token(one), Operand::Token(other)) => {
            let (one, other) = (a.name(one), b.name(other));
            one == other || without_ordinals(&one) == without_ordinals(&other)
        }
        (one, other) => one == other,
    }
}

fn shown((build, _): Of<'_>, instruction: &Instruction<'_>) -> String {
    // Names of variables are of no weight here: an empty view has none.
    let operand = MethodView::default().operand(build.session, instruction);
    let text = format!("{} {operand}", instruction.opcode.name);
    let text: String = text.trim_end().chars().take(80).collect();
    text
}
