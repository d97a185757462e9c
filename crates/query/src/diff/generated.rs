//! Compiler-generated names: their ordinals change whenever a member is added, but the member that they are generated for does not.

use std::collections::HashMap;

use super::{Change, ChangeKind, Subject};
use crate::where_is::state_machine;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

/// Prefixes of Visual Basic's names, after which an ordinal stands.
const VISUAL_BASIC: [&str; 3] = ["VB$StateMachine_", "_Closure$__", "_Lambda$__"];

/// A name without the ordinals that compilers number their members with: `<Main>d__3` becomes `<Main>d`,
/// `<>c__DisplayClass3_0.<Main>b__1` becomes `<>c__DisplayClass.<Main>b`. Other names stay as they are.
pub(super) fn without_ordinals(name: &str) -> String {
    if !name.contains(['>', '@', '$']) {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if let 'V' | '_' = c
            && let Some(prefix) = VISUAL_BASIC.iter().find(|prefix| rest.starts_with(**prefix))
        {
            out.push_str(prefix);
            rest = rest.get(prefix.len()..).unwrap_or_default().trim_start_matches(is_ordinal);
            continue;
        }
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        // F# numbers closures with their line: `clo@12-1`.
        if c == '@' {
            rest = rest.trim_start_matches(is_ordinal);
        }
        if c == '>' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '|'))).unwrap_or(rest.len());
            let (kind, after) = rest.split_at(end);
            out.push_str(if is_numbered(kind) { kind.trim_end_matches(is_ordinal) } else { kind });
            rest = after;
        }
    }
    out
}

const fn is_ordinal(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '_' | '-')
}

/// Returns whether what stands after `<…>` ends with the ordinal of a member: of a state machine, lambda, local function,
/// closure, cached delegate or anonymous type. That of a hoisted local counts within its method.
fn is_numbered(kind: &str) -> bool {
    let Some((letter, _)) = kind.split_once("__") else { return false };
    matches!(letter, "d" | "b" | "g" | "c" | "9" | "O" | "f" | "o")
}

/// Folds what the compiler made for a method that is added, or removed, into that: a method is one change, whatever it takes. `uses`
/// returns what the code of a method names of the members that methods share.
pub(super) fn fold(changes: Vec<Change>, uses: &dyn Fn(&Change) -> Vec<String>) -> Vec<Change> {
    let is_made = |change: &Change| {
        let is_whole = matches!(change.how, ChangeKind::Added | ChangeKind::Removed);
        is_whole && (made_for(&change.name).is_some() || shared(&change.name).is_some())
    };
    let (made, mut own): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_made);
    let mut by_name: Vec<(&str, usize)> = own.iter().map(|change| change.name.as_str()).zip(0..).collect();
    by_name.sort_unstable();
    let owners: Vec<Option<usize>> = made.iter().map(|change| owner(change, &own, &by_name)).collect();
    let users = if made.iter().any(|change| shared(&change.name).is_some()) {
        users(&own, &made, &owners, uses)
    } else {
        HashMap::new()
    };
    let mut members: HashMap<usize, u64> = HashMap::new();
    for (change, owner) in made.into_iter().zip(owners) {
        let user = || users.get(&(change.how, shared(&change.name)?.to_owned())).copied();
        match owner.or_else(user) {
            Some(index) => _ = members.entry(index).and_modify(|count| *count += 1).or_insert(1),
            None => own.push(change),
        }
    }
    for (index, number) in members {
        if let Some(change) = own.get_mut(index) {
            change.details.push(format!("with {} that the compiler made", count(number, "method")));
        }
    }
    own
}

/// Index of the method that a member was made for; `by_name` has the names of `own`, sorted, with their indices.
fn owner(change: &Change, own: &[Change], by_name: &[(&str, usize)]) -> Option<usize> {
    let (owner, method) = made_for(&change.name)?;
    let matching = |bracket| {
        let head = format!("{owner}.{bracket}{method}");
        let start = by_name.partition_point(|(name, _)| *name < head.as_str());
        let rest = by_name[start..].iter().map_while(|(name, index)| Some((name.strip_prefix(head.as_str())?, *index)));
        let is_it = |rest: &str| method.is_empty() || rest.is_empty() || rest.starts_with(['(', '<', '>']);
        rest.filter(|(rest, index)| is_it(rest) && own[*index].how == change.how).map(|(_, index)| index).min()
    };
    ["", "<"].into_iter().filter_map(matching).min()
}

/// The first method that uses each member that methods share, itself or in what was made for it.
fn users(
    own: &[Change],
    made: &[Change],
    owners: &[Option<usize>],
    uses: &dyn Fn(&Change) -> Vec<String>,
) -> HashMap<(ChangeKind, String), usize> {
    let mut users = HashMap::new();
    let made = made.iter().zip(owners).filter_map(|(change, owner)| Some((change, (*owner)?)));
    let own = own.iter().enumerate().map(|(index, change)| (change, index));
    for (change, owner) in own.chain(made).filter(|(change, _)| change.subject == Subject::Method) {
        for name in uses(change) {
            users.entry((change.how, name)).or_insert(owner);
        }
    }
    users
}

/// Type and name of the method that a member was made for, by the member's name; the name is empty for a closure, which several
/// methods may share. What was made for a lambda or local function, which was made for a method, is that method's.
fn made_for(name: &str) -> Option<(&str, &str)> {
    let name = name.split('(').next().unwrap_or(name);
    let mut parts = name.split(".<");
    let owner = parts.next()?;
    let mut found = None;
    for part in parts {
        // A name in brackets of its own is that of a method of top-level statements.
        let (method, rest) = part.trim_start_matches('<').split_once('>')?;
        if rest.starts_with('$') && !part.starts_with('<') {
            return None;
        }
        found = found.filter(|known: &&str| !known.is_empty()).or(Some(method));
    }
    Some((owner, found?))
}

/// Member that the compiler makes once for all methods that need it: an anonymous type, or a helper of a `switch`.
pub(super) fn shared(name: &str) -> Option<&str> {
    const NUMBERED: [&str; 3] = ["<>f__AnonymousType", "<>f__AnonymousDelegate", "VB$AnonymousType_"];
    let end = match NUMBERED.iter().find(|prefix| name.starts_with(**prefix)) {
        Some(prefix) => {
            let digits = name.bytes().skip(prefix.len()).take_while(u8::is_ascii_digit);
            prefix.len() + digits.count()
        }
        None if name.starts_with("<PrivateImplementationDetails>.") => name.find('(').unwrap_or(name.len()),
        None => return None,
    };
    name.get(..end)
}

/// The first such member in the text of a token, which begins with a return type.
pub(super) fn shared_in(text: &str) -> Option<&str> {
    const STARTS: [&str; 3] = ["<>f__Anonymous", "VB$AnonymousType_", "<PrivateImplementationDetails>."];
    let at = STARTS.iter().filter_map(|start| text.find(start)).min()?;
    shared(text.get(at..)?)
}

pub(super) struct PairNames<'s> {
    session: &'s Session,
    /// Name of the kickoff of each type that is a state machine, by its row.
    kickoffs: HashMap<u32, String>,
}

impl<'s> PairNames<'s> {
    pub(super) fn new(session: &'s Session) -> Self {
        let mut kickoffs = HashMap::new();
        if let Some(names) = session.names() {
            for method in (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row)) {
                let owner = names.owner(method.row());
                if names.enclosing(owner) != 0
                    && names.method_name(method) == "MoveNext"
                    && let Some(kickoff) = state_machine::kickoff(session, method)
                {
                    kickoffs.insert(owner, without_ordinals(&session.method_name(kickoff)));
                }
            }
        }
        Self { session, kickoffs }
    }

    /// Name of a method: of a member of a state machine by its kickoff, which tells overloads apart.
    pub(super) fn name(&self, method: Token) -> String {
        let full = without_ordinals(&self.session.method_name(method));
        let owner = self.session.names().map_or(0, |names| names.owner(method.row()));
        match self.kickoffs.get(&owner) {
            Some(kickoff) => format!("{full} of {kickoff}"),
            None => full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_of_compilers_are_left_out() {
        for (name, want) in [
            ("A.C.<Main>d__3.MoveNext()", "A.C.<Main>d.MoveNext()"),
            ("C.<>c__DisplayClass3_0.<Main>b__1(int)", "C.<>c__DisplayClass.<Main>b(int)"),
            ("C.<>c.<Main>b__3_0()", "C.<>c.<Main>b()"),
            ("C.<Main>g__Local2|3_0()", "C.<Main>g__Local2|()"),
            ("C.<>c.<>9__3_0", "C.<>c.<>"),
            ("C.VB$StateMachine_3_Main.MoveNext()", "C.VB$StateMachine_Main.MoveNext()"),
            ("M.clo@12-1.Invoke(int)", "M.clo@.Invoke(int)"),
            ("C.<x>5__2", "C.<x>5__2"),
            ("List<int>.Add_1(T)", "List<int>.Add_1(T)"),
        ] {
            assert_eq!(without_ordinals(name), want);
        }
    }

    #[test]
    fn an_added_method_is_one_change_with_all_that_is_made_for_it() {
        let added = |name: &str| Change::new(Subject::Method, ChangeKind::Added, name);
        let names = ["A.P.Zero(string)", "A.P.<Zero>d__0.MoveNext()", "A.P.<>c__DisplayClass0_0.<Zero>b__0()"];
        let mut changes: Vec<Change> = names.into_iter().map(added).collect();
        changes.push(added("A.P.<>c__DisplayClass0_0..ctor()"));
        changes.push(added("A.P.<Other>d__1.MoveNext()"));
        let folded = fold(changes, &|_| Vec::new());
        let names: Vec<&str> = folded.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["A.P.Zero(string)", "A.P.<Other>d__1.MoveNext()"]);
        assert_eq!(folded[0].details, ["with 3 methods that the compiler made"]);
    }

    #[test]
    fn what_is_made_for_lambdas_and_local_functions_is_their_methods() {
        for (name, want) in [
            ("M.<>c__DisplayClass1_0.<<N>b__0>d.MoveNext()", Some(("M", "N"))),
            ("M.<>c.<<N>b__1_0>d.SetStateMachine(IAsyncStateMachine)", Some(("M", "N"))),
            ("M.<<N>g__L|1_0>d..ctor()", Some(("M", "N"))),
            ("M.<>c__DisplayClass1_0.<<N>g__L|0>d.IEnumerator<System.Int32>.get_Current()", Some(("M", "N"))),
            ("Program.<>c.<<Main>$>b__0_0()", Some(("Program", "Main"))),
            ("Program.<Main>$(string[])", None),
            ("M.N(int)", None),
        ] {
            assert_eq!(made_for(name), want, "{name}");
        }
    }

    #[test]
    fn what_methods_share_is_the_first_ones_that_uses_it() {
        for (text, want) in [
            ("void <>f__AnonymousType0<int, int>..ctor(!0, !1)", Some("<>f__AnonymousType0")),
            (
                "uint <PrivateImplementationDetails>.ComputeStringHash(string)",
                Some("<PrivateImplementationDetails>.ComputeStringHash"),
            ),
            ("void A.B()", None),
        ] {
            assert_eq!(shared_in(text), want, "{text}");
        }
        let added = |name: &str| Change::new(Subject::Method, ChangeKind::Added, name);
        let type_of = "<>f__AnonymousType0<<d>j__TPar>";
        let mut names = vec!["M.Other()", "M.N(int)", "<PrivateImplementationDetails>.ComputeStringHash(string)"];
        let (get, hash) = (format!("{type_of}.get_d()"), format!("{type_of}.GetHashCode()"));
        names.extend([get.as_str(), hash.as_str(), "M.<>c.<N>b__0_0()"]);
        let uses = |change: &Change| match change.name.as_str() {
            "M.<>c.<N>b__0_0()" => vec!["<>f__AnonymousType0".to_owned()],
            "M.N(int)" => vec!["<PrivateImplementationDetails>.ComputeStringHash".to_owned()],
            _ => Vec::new(),
        };
        let folded = fold(names.into_iter().map(added).collect(), &uses);
        let names: Vec<&str> = folded.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["M.Other()", "M.N(int)"]);
        assert_eq!(folded[1].details, ["with 4 methods that the compiler made"]);
    }
}
