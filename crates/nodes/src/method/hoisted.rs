//! Variables that the compiler made fields of a state machine.

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{self, Signature};
use pdblens_session::session::Session;
use pdblens_session::symbols::RESUMABLE_LOCAL;
use pdblens_session::text::safe::utf8;

/// A field that is a variable of the source method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoistedField {
    /// The FieldDef.
    pub token: Token,
    /// Name of the field: `<i>5__2`.
    pub field: String,
    /// Name in the source: `i`.
    pub name: String,
    /// Position among the hoisted variables, from 0.
    pub slot: usize,
    pub type_name: String,
}

pub fn hoisted_fields(session: &Session, move_next: Token) -> Vec<HoistedField> {
    let Some((names, metadata)) = session.names().zip(session.metadata()) else { return Vec::new() };
    let owner = names.owner(move_next.row());
    let fields = metadata.list(TableId::TYPE_DEF, owner, 4, TableId::FIELD).filter_map(|row| {
        let token = Token::new(TableId::FIELD, metadata.through_pointer(TableId::FIELD, row));
        let field = utf8(metadata.string_cell(TableId::FIELD, token.row(), 1).ok()?.data).into_owned();
        let (name, slot) = hoisted_name(&field).map(|(name, slot)| (name.to_owned(), slot))?;
        let blob = metadata.blob_cell(TableId::FIELD, token.row(), 2).ok()?;
        let type_name = match signature::decode(&mut blob.cursor()) {
            Ok(Signature::Field(at)) => names.type_text(&at.value),
            _ => String::new(),
        };
        Some(HoistedField { token, field, name, slot, type_name })
    });
    fields.collect()
}

/// Source name and slot of a hoisted field of a state machine: `<i>5__2` of C# is `i` in slot 1,
/// `$VB$ResumableLocal_i$1` of Visual Basic too.
pub fn hoisted_name(field: &str) -> Option<(&str, usize)> {
    if let Some((name, number)) = field.strip_prefix('<').and_then(|rest| rest.split_once(">5__")) {
        return Some((name, number.parse::<usize>().ok()?.checked_sub(1)?)).filter(|(name, _)| !name.is_empty());
    }
    let (name, slot) = field.strip_prefix(RESUMABLE_LOCAL)?.rsplit_once('$')?;
    Some((name, slot.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::hoisted_name;

    #[test]
    fn names_of_hoisted_locals_are_read() {
        assert_eq!(hoisted_name("<i>5__2"), Some(("i", 1)));
        assert_eq!(hoisted_name("$VB$ResumableLocal_total$0"), Some(("total", 0)));
        for other in ["<>1__state", "<>7__wrap1", "<>5__2", "<i>5__0", "<i>5__x", "count", "<"] {
            assert_eq!(hoisted_name(other), None, "{other}");
        }
    }
}
