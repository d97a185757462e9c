//! The signature of a method or function, in the title of its code.

use ratatui::layout::Rect;

use crate::ui::text::without_namespaces;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function;
use pdblens_session::session::Session;

/// The name with the type of the result and the parameters, without namespaces.
pub(super) fn brief(session: &Session, of: CodeUnit) -> String {
    match of {
        CodeUnit::Method(token) => session.names().map_or_else(String::new, |names| {
            let result = result(&names.token(token), &names.method(token));
            format!("{result}{}", names.brief().method_short(token))
        }),
        CodeUnit::Function(rva) => {
            function::full_signature(session, rva).unwrap_or_else(|| code_unit::name(session, of))
        }
    }
}

/// The type of the result without its namespaces, and a space; empty where `full` does not end with the method.
fn result(full: &str, method: &str) -> String {
    without_namespaces(full.strip_suffix(method).unwrap_or_default())
}

/// The part of a pane below `lines` at its top.
pub(super) fn below(pane: Rect, lines: usize) -> Rect {
    let lines = (lines as u16).min(pane.height);
    Rect { y: pane.y + lines, height: pane.height - lines, ..pane }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes::Token;

    #[test]
    fn a_result_has_no_namespaces() {
        for (full, method, expected) in [
            ("int A.B.C(int)", "A.B.C(int)", "int "),
            ("System.Threading.Tasks.Task<A.B<C.D>, E[]> X.M()", "X.M()", "Task<B<D>, E[]> "),
            ("? X.M()", "Y", ""),
        ] {
            assert_eq!(result(full, method), expected);
        }
    }

    #[test]
    fn a_signature_has_its_result() {
        let of = CodeUnit::Method(Token(0x0600_0003));
        assert_eq!(brief(&Session::sample(), of), "long Since(long)");
    }
}
