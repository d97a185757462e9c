//! The code of one method in two builds.

use super::generated::{shared_in, without_ordinals};
use pdblens_nodes::method;
use std::borrow::Cow;

use pdblens_formats::il::{Body, Instruction, Operand};
use pdblens_formats::metadata::Token;
use pdblens_nodes::method::MethodView;
use pdblens_nodes::method::il_label;
use pdblens_session::session::Session;
use pdblens_session::text::names::{NameCache, Names};
use pdblens_session::text::safe::count;

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

/// One method of one build.
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
            let locals = |of: Of<'_>, body: &Body| {
                of.0.session.names().map(|names| names.locals(body.local_signature)).unwrap_or_default()
            };
            let plain = |list: Vec<String>| list.iter().map(|name| without_ordinals(name)).collect::<Vec<_>>();
            if plain(locals(a, &before)) != plain(locals(b, &after)) {
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
