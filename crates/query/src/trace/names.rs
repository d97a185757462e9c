//! Methods as traces write them, compared with methods as metadata has them.

use super::index::MethodIndex;
use super::library::Pair;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{self, CallKind, Signature, Type};
use pdblens_session::session::Session;
use pdblens_session::text::names::Names;
use pdblens_session::text::parameters::{types_of, types_written};
use pdblens_session::text::safe::utf8;
use pdblens_session::text::signature::keyword;

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

/// A name with dots for every kind of separator; after that, where it differs, without type arguments. The name of an explicit implementation has
/// those of the interface in it.
pub(crate) fn spellings(name: &str) -> Vec<String> {
    let dotted = name.replace(['+', '/'], ".");
    let plain = if dotted.contains(['<', '[']) { Some(with_arity(&plain(&dotted))) } else { None };
    [dotted].into_iter().chain(plain).collect()
}

/// Returns whether `written`, with any kind of separator, can be a method. Its full name is not made: the parts are compared from the
/// last one on. A name with spaces in it is cut short where it is read, so that only its end is there.
pub(super) fn is_written(names: &Names<'_>, method: Token, written: &str) -> bool {
    let own = names.own_name(method).unwrap_or_default();
    let dotted = |byte: u8| if matches!(byte, b'+' | b'/') { b'.' } else { byte };
    let mut rest = written;
    for part in std::iter::once(own).chain(names.scopes(method)) {
        let mut both = part.bytes().rev().zip(rest.bytes().rev());
        if rest.is_empty() || !both.all(|(a, b)| dotted(a) == dotted(b)) {
            return false;
        }
        let Some(before) = rest.len().checked_sub(part.len()) else {
            let end = part.len() - rest.len();
            return matches!(part.as_bytes().get(end - 1), Some(b'.' | b'+' | b'/' | b' '));
        };
        match rest.get(..before) {
            Some("") => return true,
            before => match before.and_then(|before| before.strip_suffix(['.', '+', '/'])) {
                Some(before) => rest = before,
                None => return false,
            },
        }
    }
    false
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

/// Methods of a session by the names that other tools write.
pub(crate) struct NamedMethods<'s> {
    names: Names<'s>,
    index: MethodIndex,
}

impl<'s> NamedMethods<'s> {
    /// None without an image.
    pub(crate) fn of(session: &'s Session) -> Option<Self> {
        let names = session.names()?;
        let index = MethodIndex::of(&names);
        Some(Self { names, index })
    }

    /// The methods that a name may mean; of overloads, those with the types of the parameters.
    pub(crate) fn find(&self, name: &str, parameters: Option<&str>) -> Vec<Token> {
        let written = |written: &String| written_methods(&self.names, &self.index, written);
        let mut found = spellings(name).iter().map(written).find(|found| !found.is_empty()).unwrap_or_default();
        if let Some(wanted) = parameters.map(types_written).filter(|_| found.len() > 1) {
            let is_exact = |method: &Token| types_of(&self.names.method_short(*method)) == wanted;
            if found.iter().any(is_exact) {
                found.retain(is_exact);
            }
        }
        found
    }
}

/// The methods that can be `written`, which has dots for every kind of separator.
fn written_methods(names: &Names<'_>, index: &MethodIndex, written: &str) -> Vec<Token> {
    let mut found = index.written(names, written);
    found.retain(|method| is_written(names, *method, written));
    found
}

impl Pair {
    /// The methods that a frame may mean: by the [`spellings`] of its name, and among overloads by the types of the parameters.
    pub(crate) fn methods_meant(&self, spellings: &[String], parameters: Option<&str>) -> Vec<Token> {
        let Some(names) = self.session.names() else { return Vec::new() };
        let index = self.methods.get_or_init(|| MethodIndex::of(&names));
        let called = |written: &String| written_methods(&names, index, written);
        let mut found = spellings.iter().map(called).find(|found| !found.is_empty()).unwrap_or_default();
        if found.is_empty()
            && let Some((of, own)) = spellings.last().and_then(|written| debugger_form(written))
        {
            let is_of = |method: &Token| {
                let full = plain(&names.reflection_name(*method));
                full.strip_suffix(own.as_str()).is_some_and(|rest| is_of_type(rest, of))
            };
            found = index.named(&names, &own).filter(is_of).collect();
        }
        if found.len() < 2 {
            return found;
        }
        let Some(parameters) = parameters else { return found };
        let wanted = types_written(parameters);
        let types = |method: &Token| {
            self.names_made.set(self.names_made.get() + 1);
            types_of(&names.method_short(*method))
        };
        let is_exact = |method: &Token| self.may_have(*method, &wanted) && types(method) == wanted;
        let exact: Vec<Token> = found.iter().copied().filter(is_exact).collect();
        if exact.is_empty() { found } else { exact }
    }

    /// Returns false if the metadata of a method has a parameter of another type than `wanted`, or another number of them; no name is made.
    fn may_have(&self, method: Token, wanted: &[String]) -> bool {
        let blob = self.session.metadata().and_then(|of| of.blob_cell(TableId::METHOD_DEF, method.row(), 4).ok());
        match blob.map(|blob| signature::decode(&mut blob.cursor())) {
            Some(Ok(Signature::Method(found))) if found.call != CallKind::VarArg => {
                let mut both = found.parameters.iter().zip(wanted);
                found.parameters.len() == wanted.len() && both.all(|(found, wanted)| self.may_be(&found.value, wanted))
            }
            _ => true,
        }
    }

    fn may_be(&self, found: &Type, wanted: &str) -> bool {
        match found {
            Type::Primitive(primitive) => keyword(*primitive) == wanted,
            Type::Array(of) => wanted.strip_suffix("[]").is_some_and(|wanted| self.may_be(of, wanted)),
            Type::Reference(of) => wanted.strip_suffix('&').is_some_and(|wanted| self.may_be(of, wanted)),
            Type::Named { token, .. } | Type::Generic { token, .. } if token.table() != TableId::TYPE_SPEC => {
                let name = self.session.metadata().and_then(|of| of.string_cell(token.table(), token.row(), 1).ok());
                name.is_none_or(|name| types_of(&format!("({})", utf8(name.data))) == [wanted])
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Returns whether `written` can be the method that metadata calls `full`.
    fn agree(full: &str, written: &str) -> bool {
        let full = full.replace(['+', '/'], ".");
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        full == written || ends(&full, written) || full.strip_suffix(written).is_some_and(|rest| rest.ends_with(' '))
    }

    #[test]
    fn names_agree_by_their_ends() {
        assert_eq!(plain("Ns.A`1+B.M[TKey,TValue[]]"), "Ns.A`1.B.M");
        assert!(agree("Ns.A+B.M", "Ns.A.B.M"));
        assert!(agree("Ns.A+B.M", "B.M"));
        assert!(agree("Ns.Tests.it adds up", "up"));
        assert!(!agree("Ns.A.M", "Other.A.M"));
        assert!(!agree("Ns.A.CM", "M"));
    }

    fn sample(path: &str) -> Pair {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(path);
        Pair::new(Arc::new(Session::open(&[path]).unwrap()), 0)
    }

    /// Every end of every full name that begins with a part, and that end behind another part: the index finds what a look at all methods does.
    #[test]
    fn the_index_finds_all_methods_that_agree() {
        for path in ["workshop/Workshop.dll", "faults/Faults.dll"] {
            let pair = sample(path);
            let names = pair.session.names().unwrap();
            let index = MethodIndex::of(&names);
            let methods = (1..=pair.session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
            let all: Vec<(Token, String)> = methods.map(|method| (method, names.reflection_name(method))).collect();
            for (method, full) in &all {
                let dotted = full.replace(['+', '/'], ".");
                let starts = dotted.match_indices('.').map(|(at, _)| at + 1).chain([0]);
                for written in starts.flat_map(|at| [dotted[at..].to_owned(), format!("X.{}", &dotted[at..])]) {
                    let mut found = index.written(&names, &written);
                    found.retain(|method| is_written(&names, *method, &written));
                    let wanted = all.iter().filter(|(_, full)| agree(full, &written)).map(|(method, _)| *method);
                    assert_eq!(found, wanted.collect::<Vec<_>>(), "{written}");
                }
                assert!(pair.methods_meant(&spellings(full), None).contains(method), "{full}");
            }
        }
    }

    /// The sample has 5 000 methods, among them constructors and overloads.
    #[test]
    fn few_names_are_made_to_find_a_method() {
        let pair = sample("warehouse/Acme.Warehouse.dll");
        let names = pair.session.names().unwrap();
        let mut most = 0;
        for row in 1..=pair.session.methods() {
            let method = Token::new(TableId::METHOD_DEF, row);
            let parameters = types_of(&names.method_short(method)).join(", ");
            pair.names_made.set(0);
            let found = pair.methods_meant(&spellings(&names.reflection_name(method)), Some(&parameters));
            assert!(
                found.contains(&method) && pair.may_have(method, &types_written(&parameters)),
                "{}",
                names.method(method)
            );
            most = pair.names_made.get().max(most);
        }
        assert!(most <= 4, "{most}");
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
