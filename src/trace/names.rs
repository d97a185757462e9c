//! Methods as traces write them, compared with methods as metadata has them.

use super::library::{Pair, last_part};
use crate::formats::metadata::Token;
use crate::text::parameters::{types_of, types_written};

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

/// Returns whether `written` (made [`plain`]) can be the method that metadata calls `full`.
pub(crate) fn agree(full: &str, written: &str) -> bool {
    let full = full.replace(['+', '/'], ".");
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    // A name with spaces in it is cut short where it is read: only its end is there.
    full == written || ends(&full, written) || full.strip_suffix(written).is_some_and(|rest| rest.ends_with(' '))
}

impl Pair {
    /// The methods that a frame may mean: by name, and among overloads by the types of the parameters.
    pub(crate) fn methods_meant(&self, name: &str, parameters: Option<&str>) -> Vec<Token> {
        let Some(names) = self.session.names() else { return Vec::new() };
        let written = plain(name);
        let called = self.methods_called(last_part(&written)).iter().copied();
        let found: Vec<Token> = called.filter(|method| agree(&names.reflection_name(*method), &written)).collect();
        let Some(parameters) = parameters.filter(|_| found.len() > 1) else { return found };
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
}
