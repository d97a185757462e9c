//! Signatures as titles and headings print them: a type of the result before the name, `bool Clock.Since(long)`; for a function of native
//! code parameters after it.

use super::{Answer, code};
use pdblens_nodes::function::{self, NativeView};
use pdblens_nodes::{Place, resolve};
use pdblens_session::session::Session;

/// The code that is named after the type of its result; `None` where no part of the input names any.
pub(super) fn after_result(session: &Session, typed: &str) -> Option<Answer> {
    let open = typed.find('(')?;
    let head = typed.get(..open)?;
    let starts = head.match_indices(' ').map(|(at, _)| at + 1).filter(|at| is_outside(head, *at));
    // A pointer may stand at the name: `char *Name::of()`.
    let rests = std::iter::once(0).chain(starts).filter_map(|at| typed.get(at..));
    rests.map(|rest| rest.trim_start_matches(['*', '&'])).find_map(|rest| match NativeView::of(session) {
        Some(_) => by_parameters(session, rest),
        None => code(session, rest).ok().map(Ok).filter(|_| rest.len() < typed.len()),
    })
}

/// Returns whether a byte of a name is outside of all brackets of types.
fn is_outside(name: &str, at: usize) -> bool {
    let count = |sign| name.get(..at).unwrap_or_default().matches(sign).count();
    count('<') == count('>')
}

/// A function by its name and parameters, where they are those of one function.
fn by_parameters(session: &Session, typed: &str) -> Option<Answer> {
    // An offset after the parameters is no part of a signature.
    let is_whole =
        typed.rsplit_once(')').is_some_and(|(_, rest)| rest.chars().all(|c| c.is_alphabetic() || " &".contains(c)));
    let (name, written) = typed.split_at(typed.find('(').filter(|_| is_whole)?);
    let named = resolve::functions_named(session, name.trim());
    let spaceless = |text: &str| text.replace(' ', "");
    let own = |rva: &u32| function::parameters(session, *rva);
    let has = |rva: &&u32| own(rva).is_some_and(|own| spaceless(written).starts_with(&spaceless(&own)));
    // A function whose symbols have no type is the one that is meant if there is no other.
    let only = || named.first().filter(|rva| named.len() == 1 && own(rva).is_none());
    let rva = *named.iter().find(has).or_else(only)?;
    Some(Ok((Place::Function(rva), String::new())))
}
