//! Methods as traces write them, compared with methods as metadata has them.

use std::borrow::Cow;

use super::library::{Pair, last_part};
use pdblens_formats::metadata::Token;
use pdblens_session::text::parameters::{types_of, types_written};

/// A name with dots for every kind of separator, and without type arguments: `Ns.Outer.Inner.M` of `Ns.Outer+Inner.M[T]`.
pub(crate) fn plain(name: &str) -> String {
    let mut depth = 0usize;
    let kept = name.chars().filter(|c| {
        match c {
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    });
    kept.map(|c| if matches!(c, '+' | '/') { '.' } else { c }).collect()
}

/// A name with the number of type arguments in the place of those that a debugger writes: `` Ns.A`2.M `` of `Ns.A<int,string>.M<T>`.
/// The angle brackets of names that the compiler makes follow no name.
fn with_arity(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let (mut depth, mut arguments, mut before) = (0usize, 0usize, '.');
    for c in written.chars() {
        match c {
            '<' if depth > 0 || before.is_alphanumeric() => {
                depth += 1;
                arguments += usize::from(depth == 1);
            }
            '>' if depth > 0 => {
                depth = depth.saturating_sub(1);
                before = c;
                continue;
            }
            ',' if depth == 1 => arguments += 1,
            _ if depth > 0 => {}
            c => {
                // Those of the method are no part of its name.
                if arguments > 0 && c == '.' {
                    out.push('`');
                    out.push_str(&arguments.to_string());
                }
                arguments = 0;
                out.push(c);
            }
        }
        before = c;
    }
    out
}

/// Returns whether `written` (made [`plain`]) can be the method that metadata calls `full`.
pub(crate) fn agree(full: &str, written: &str) -> bool {
    let full = full.replace(['+', '/'], ".");
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    // A name with spaces in it is cut short where it is read: only its end is there.
    full == written || ends(&full, written) || full.strip_suffix(written).is_some_and(|rest| rest.ends_with(' '))
}

/// Returns false if `written` cannot [`agree`] with the full name of a method, by the name of its type and its own: a full name is longer
/// to make, and a thousand methods may be called `MoveNext`.
fn may_agree([of, own]: &[Cow<'_, str>; 2], written: &str) -> bool {
    let same_end = |one: &str, other: &str| {
        let mut both = one.bytes().rev().zip(other.bytes().rev());
        both.all(|(a, b)| a == b || matches!((a, b), (b'+' | b'/', b'.')))
    };
    let before = written.len().checked_sub(own.len()).and_then(|end| written.get(..end));
    same_end(own, written)
        && before.and_then(|before| before.strip_suffix('.')).is_none_or(|before| same_end(of, before))
}

/// The type, and the name in metadata, of a lambda or a local function that Visual Studio names by its method:
/// `T.M.AnonymousMethod__0_1` is `<M>b__0_1` of `T`, and `T.M.__Check|2_0` is `<M>g__Check|2_0`.
fn debugger_form(written: &str) -> Option<(&str, String)> {
    let (rest, own) = written.rsplit_once('.')?;
    let (of, method) = rest.rsplit_once('.')?;
    let name = match own.strip_prefix("AnonymousMethod__") {
        Some(number) => format!("<{method}>b__{number}"),
        None => format!("<{method}>g__{}", own.strip_prefix("__").filter(|own| own.contains('|'))?),
    };
    Some((of, name))
}

/// Returns whether the text before a method's own name is a type, or a closure class that the compiler made in it.
fn is_of_type(before: &str, of: &str) -> bool {
    let before = before.strip_suffix('.').unwrap_or(before);
    let own = match before.rsplit_once('.') {
        Some((own, closure)) if closure.starts_with("<>c") => own,
        _ => before,
    };
    own == of || own.strip_suffix(of).is_some_and(|rest| rest.ends_with('.'))
}

impl Pair {
    /// The methods that a frame may mean: by name, and among overloads by the types of the parameters.
    pub(crate) fn methods_meant(&self, name: &str, parameters: Option<&str>) -> Vec<Token> {
        let Some(names) = self.session.names() else { return Vec::new() };
        let written = with_arity(&plain(name));
        let called = self.methods_called(last_part(&written)).iter().copied();
        let called = called.filter(|method| may_agree(&names.own_names(*method), &written));
        let mut found: Vec<Token> = called.filter(|method| agree(&names.reflection_name(*method), &written)).collect();
        if found.is_empty()
            && let Some((of, own)) = debugger_form(&written)
        {
            let is_of = |method: &Token| {
                let full = plain(&names.reflection_name(*method));
                full.strip_suffix(own.as_str()).is_some_and(|rest| is_of_type(rest, of))
            };
            found = self.methods_called(last_part(&own)).iter().copied().filter(is_of).collect();
        }
        if found.len() < 2 {
            return found;
        }
        let Some(parameters) = parameters else { return found };
        let wanted = types_written(parameters);
        let types = |method: &Token| types_of(&names.method_short(*method));
        let exact: Vec<Token> = found.iter().copied().filter(|method| types(method) == wanted).collect();
        if exact.is_empty() { found } else { exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_by_their_ends() {
        assert_eq!(plain("Ns.A`1+B.M[TKey,TValue[]]"), "Ns.A`1.B.M");
        assert!(agree("Ns.A+B.M", "Ns.A.B.M"));
        assert!(agree("Ns.A+B.M", "B.M"));
        assert!(agree("Ns.Tests.it adds up", "up"));
        assert!(!agree("Ns.A.M", "Other.A.M"));
        assert!(!agree("Ns.A.CM", "M"));
    }

    #[test]
    fn names_that_agree_may_agree() {
        for (full, [of, own], written, may) in [
            ("Ns.A+B.M", ["B", "M"], "Ns.A.B.M", true),
            ("Ns.A+B.M", ["B", "M"], "B.M", true),
            ("Ns.A+B.M", ["B", "M"], "M", true),
            ("Ns.A.System.I.M", ["A", "System.I.M"], "I.M", true),
            ("Ns.A.it adds up", ["A", "it adds up"], "up", true),
            ("Ns.A.M", ["A", "M"], "Ns.B.M", false),
            ("Ns.A.M", ["A", "M"], "A.N", false),
        ] {
            assert_eq!(may_agree(&[of.into(), own.into()], written), may, "{full} {written}");
            assert!(may || !agree(full, written), "{full} {written}");
        }
    }

    #[test]
    fn visual_studio_names_lambdas_by_their_method() {
        assert_eq!(debugger_form("Ns.P.Main.AnonymousMethod__0_1"), Some(("Ns.P", "<Main>b__0_1".to_owned())));
        assert_eq!(debugger_form("Ns.P.Main.__Check|2_0"), Some(("Ns.P", "<Main>g__Check|2_0".to_owned())));
        assert_eq!(with_arity("Ns.A<int,B<C>>.M.__Check|2_0"), "Ns.A`2.M.__Check|2_0");
        assert_eq!(with_arity("Ns.P.<>c<T>.<M>b__0_1"), "Ns.P.<>c`1.<M>b__0_1");
        assert_eq!(with_arity("Ns.P.ToList<T>"), "Ns.P.ToList");
        assert_eq!((debugger_form("Ns.P.Main"), debugger_form("Ns.P.Main.__arglist")), (None, None));
        assert!(is_of_type("Ns.P.<>c.", "Ns.P") && is_of_type("Ns.P.", "P") && !is_of_type("Ns.Q.<>c.", "Ns.P"));
    }
}
