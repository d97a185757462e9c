//! The signature of the method or function above its code, where the title has no room for all of it.

use ratatui::layout::{Rect, Size};

use crate::ui::text::{width, wrap};
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::function;
use pdblens_session::session::Session;

/// Cells of the title of the code besides the signature.
pub(super) const TITLE: usize = 34;

/// The name with the type of the result and the parameters, without namespaces.
pub(super) fn brief(session: &Session, of: CodeUnit) -> String {
    match of {
        CodeUnit::Method(token) => session.names().map_or_else(String::new, |names| {
            let result = result(&names.token(token), &names.method(token));
            format!("{result}{}", names.brief().method_short(token))
        }),
        CodeUnit::Function(_) => full(session, of),
    }
}

/// The same with all namespaces and the type that it is of.
fn full(session: &Session, of: CodeUnit) -> String {
    match of {
        CodeUnit::Method(token) => session.names().map_or_else(String::new, |names| names.token(token)),
        CodeUnit::Function(rva) => {
            function::full_signature(session, rva).unwrap_or_else(|| code_unit::name(session, of))
        }
    }
}

/// The type of the result without its namespaces, and a space; empty where `full` does not end with the method.
fn result(full: &str, method: &str) -> String {
    let (mut out, mut word) = (String::new(), String::new());
    for c in full.strip_suffix(method).unwrap_or_default().chars() {
        match c {
            '.' => word.clear(),
            c if c.is_alphanumeric() || matches!(c, '_' | '`') => word.push(c),
            c => {
                out.push_str(&word);
                word.clear();
                out.push(c);
            }
        }
    }
    out + &word
}

/// The part of a pane below `lines` at its top.
pub(super) fn below(pane: Rect, lines: usize) -> Rect {
    let lines = (lines as u16).min(pane.height);
    Rect { y: pane.y + lines, height: pane.height - lines, ..pane }
}

/// The lines that the signature takes above the list of a pane: none where the title shows it beside `title` other cells; without
/// namespaces where all of it would leave too little of the list.
pub(super) fn lines(session: &Session, of: CodeUnit, size: Size, title: usize) -> Vec<String> {
    let wide = usize::from(size.width).saturating_sub(2).max(1);
    let brief = brief(session, of);
    if width(&brief) + title <= wide || size.height < 3 {
        return Vec::new();
    }
    let height = usize::from(size.height);
    let (all, short) = (wrap(&full(session, of), wide), wrap(&brief, wide));
    let mut lines = if all.len() <= height / 2 { all } else { short };
    // A line of code stays at least.
    lines.truncate(height - 1);
    lines
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
    fn what_the_title_cuts_is_above_the_code() {
        let session = Session::sample();
        let of = CodeUnit::Method(Token(0x0600_0003));
        assert_eq!(brief(&session, of), "long Since(long)");
        let lines = |width, height| lines(&session, of, Size { width, height }, TITLE);
        assert!(lines(60, 20).is_empty() && lines(20, 2).is_empty());
        assert_eq!(lines(29, 20).join(" "), full(&session, of));
        assert_eq!(lines(24, 3).join(" "), "long Since(long)");
        assert!(lines(6, 4).len() == 3);
    }
}
