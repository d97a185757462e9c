//! What people write to mean an IL offset: `0x06000002+0xF`, `Clock.Since+15`, `2+15`, `method/2/il/0xf`.

use crate::formats::metadata::Token;
use crate::model::place::{MethodPart, number};
use crate::model::resolve::NoPlace;
use crate::model::symbols::Format;
use crate::model::{Place, Session};

/// A method and an IL offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetQuery {
    /// The method.
    pub method: Token,
    /// The IL offset.
    pub il: u32,
}

impl Session {
    /// What `text` means: a method by token, row or name, then `+` and an IL offset, decimal or hexadecimal after `0x`.
    /// Without an offset the beginning of the method is meant. A path is understood too.
    pub fn offset_query(&self, text: &str) -> Result<OffsetQuery, NoPlace> {
        self.must_be_managed()?;
        let text = text.trim();
        if let Some(query) = text.parse().ok().and_then(of_place) {
            return self.checked(query);
        }
        let (name, il) = split_offset(text);
        let path = if name.starts_with("method/") { name.to_owned() } else { format!("method/{name}") };
        match self.place(&path).map(of_place) {
            Ok(Some(query)) => self.checked(OffsetQuery { il: if il > 0 { il } else { query.il }, ..query }),
            Ok(None) => Err(NoPlace::Unknown(text.to_owned())),
            Err(error) => Err(error),
        }
    }

    /// Native code has no methods, no tokens and no IL.
    pub(in crate::model) fn must_be_managed(&self) -> Result<(), NoPlace> {
        match self.symbols() {
            Some(symbols) if symbols.format() == Format::Native => {
                Err(NoPlace::NotThere("these symbols are of native code, which has no IL offsets".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn checked(&self, query: OffsetQuery) -> Result<OffsetQuery, NoPlace> {
        if query.method.row() <= self.methods() {
            return Ok(query);
        }
        Err(NoPlace::NotThere(self.not_there(Place::Method(query.method))))
    }
}

fn of_place(place: Place) -> Option<OffsetQuery> {
    match place {
        Place::Method(method) => Some(OffsetQuery { method, il: 0 }),
        Place::MethodPart(method, MethodPart::Instruction(il)) => Some(OffsetQuery { method, il }),
        _ => None,
    }
}

/// A method and its offset. A `+` may also be part of a name: `Outer+Inner.Method`.
fn split_offset(text: &str) -> (&str, u32) {
    match text.rsplit_once('+') {
        Some((name, offset)) => match number(offset.trim()) {
            Some(il) => (name.trim(), il),
            None => (text, 0),
        },
        None => (text, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plus_is_an_offset_only_before_a_number() {
        assert_eq!(split_offset("0x06000002+0xF"), ("0x06000002", 15));
        assert_eq!(split_offset("A+B.M"), ("A+B.M", 0));
        assert_eq!(split_offset("A+B.M + 15"), ("A+B.M", 15));
    }

    #[test]
    fn methods_go_by_token_row_name_and_path() {
        let session = Session::sample();
        let wanted = OffsetQuery { method: Token(0x0600_0003), il: 2 };
        for text in
            ["0x06000003+0x2", "3+2", "Clock.Since+2", "Since(long)+0x2", "method/3/il/2", "Ticker.Clock.Since + 2"]
        {
            assert_eq!(session.offset_query(text), Ok(wanted), "{text}");
        }
        assert_eq!(session.offset_query("Since"), Ok(OffsetQuery { il: 0, ..wanted }));
        assert!(matches!(session.offset_query("Clock.Sinc+2"), Err(NoPlace::Near(_, near)) if near.contains("Since")));
        assert!(matches!(session.offset_query("0x06000009+2"), Err(NoPlace::NotThere(_))));
        assert!(session.offset_query("document/1").is_err());
    }
}
