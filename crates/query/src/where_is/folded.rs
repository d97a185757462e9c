//! Functions that the linker folded into one: of those at an address, the one that a question names.

use super::{Answer, position};
use crate::address::offset;
use pdblens_nodes::code_unit;
use pdblens_nodes::function::FoldedFunction;
use pdblens_session::session::Session;
use pdblens_session::text::demangle::readable;

impl Answer {
    /// The same answer with the line of that one of the folded functions which `asked` names; unchanged where it names none.
    #[must_use]
    pub fn for_name(mut self, asked: &str) -> Self {
        if self.folded.is_empty() {
            return self;
        }
        let name = function_name(asked);
        let mut named = self.folded.iter().enumerate().filter(|(_, function)| function.is_called(&name));
        let (Some((index, function)), None) = (named.next(), named.next()) else { return self };
        if name.is_empty() {
            return self;
        }
        if function.found.covering.is_some() {
            self.found = function.found.clone();
            self.position = position(&self.found, self.offset, self.code_size);
        }
        self.named = Some(index);
        self
    }

    /// Name of the method or function: of folded functions that which the question names.
    pub fn name(&self, session: &Session) -> String {
        match self.named.and_then(|index| self.folded.get(index)) {
            Some(function) => function.name.clone(),
            None => code_unit::name(session, self.of),
        }
    }

    /// Folded functions that may be meant as well, and whose line is another one; empty where the question names one.
    pub fn alternatives(&self) -> impl Iterator<Item = &FoldedFunction> {
        let shown = self.shown().map(|point| (point.document, point.start_line));
        let line = |function: &FoldedFunction| function.found.shown().map(|point| (point.document, point.start_line));
        let is_open = self.named.is_none();
        self.folded.iter().filter(move |function| is_open && line(function).is_some() && line(function) != shown)
    }
}

/// Name in a question, without label, module, offset and parameters: of `tally!ns::f+0x5` it is `ns::f`.
fn function_name(asked: &str) -> String {
    let text = asked.rsplit_once(": ").map_or(asked, |(_, text)| text).trim();
    let text = text.rsplit_once('!').map_or(text, |(_, name)| name);
    let text =
        text.rsplit_once('+').filter(|(_, at)| offset::parse(at).is_some()).map_or(text, |(name, _)| name).trim();
    let name = readable(text);
    name.split_once('(').map_or(name.as_str(), |(name, _)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::function_name;

    #[test]
    fn the_name_is_what_is_left_of_a_question() {
        for (asked, name) in [
            ("parcel::second_copy+1", "parcel::second_copy"),
            ("parcel!parcel::second_copy+0x1", "parcel::second_copy"),
            ("crash 1: second_copy", "second_copy"),
            ("ns::T::operator+=+0x1f", "ns::T::operator+="),
            ("ns::f(int) + 0x2", "ns::f"),
        ] {
            assert_eq!(function_name(asked), name, "{asked}");
        }
    }
}
