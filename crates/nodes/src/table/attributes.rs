//! Custom attributes in the image.

use pdblens_formats::fields;
use pdblens_formats::metadata::schema::{CUSTOM_ATTRIBUTE_TYPE, HAS_CUSTOM_ATTRIBUTE, MEMBER_REF_PARENT};
use pdblens_formats::metadata::{LowerBounds, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::utf8;
use std::sync::OnceLock;

fields! {
    /// Always 1 (ECMA-335 II.23.3).
    PROLOG: "prolog";
    /// Modes of the just-in-time compiler.
    MODES: "debugging modes" as Hex;
    /// JIT tracking, the first of two booleans of the older constructor.
    TRACKING: "tracking enabled";
    /// Optimiser, the second of the two.
    OPTIMIZER: "optimizer disabled";
}

/// Rows of attributes by their parents, whose table takes five bits.
#[derive(Default)]
struct Parents(LowerBounds<5>);

/// The attributes of something: the row of each, and its type's name without the namespace.
pub fn of(session: &Session, of: Token) -> impl Iterator<Item = (u32, String)> {
    let table = session.metadata().map(|metadata| metadata.table(TableId::CUSTOM_ATTRIBUTE));
    let parent = HAS_CUSTOM_ATTRIBUTE.encode(of.table(), of.row());
    let bounds = &session.cache().get::<Parents>().0;
    let rows = table.zip(parent).map_or(0..0, |(table, parent)| bounds.equal_range(table, 0, parent));
    rows.filter_map(|row| Some((row, attribute_name(session, row)?)))
}

/// The answer for the assembly: it is asked for every method.
#[derive(Default)]
struct Optimized(OnceLock<Option<bool>>);

/// Returns whether the assembly's `DebuggableAttribute` leaves the optimiser on; without the attribute it is.
/// Nothing without an image.
pub fn is_optimized(session: &Session) -> Option<bool> {
    *session.cache().get::<Optimized>().0.get_or_init(|| read_optimized(session))
}

fn read_optimized(session: &Session) -> Option<bool> {
    let metadata = session.metadata()?;
    let assembly = Token::new(TableId::ASSEMBLY, 1);
    let debuggable = of(session, assembly).find(|(_, name)| name == "DebuggableAttribute");
    let Some((row, _)) = debuggable else { return Some(true) };
    let value = metadata.blob_cell(TableId::CUSTOM_ATTRIBUTE, row, 2).ok()?;
    let mut cursor = value.cursor();
    cursor.u16(&PROLOG).ok()?;
    // The older constructor has two booleans, the newer one four bytes; the number of named arguments ends both.
    if value.len() <= 6 {
        cursor.u8(&TRACKING).ok()?;
        return Some(cursor.u8(&OPTIMIZER).ok()? == 0);
    }
    Some(cursor.u32(&MODES).ok()? & 0x100 == 0)
}

/// Target framework of the assembly as a project file writes it (`net8.0`, `netstandard2.0`, `net472`); `None` where the image has none.
pub fn target_framework(session: &Session) -> Option<String> {
    let mut all = of(session, Token::new(TableId::ASSEMBLY, 1));
    let (row, _) = all.find(|(_, name)| name == "TargetFrameworkAttribute")?;
    let value = session.metadata()?.blob_cell(TableId::CUSTOM_ATTRIBUTE, row, 2).ok()?;
    // The text follows a prolog of two bytes and its length.
    let text = value.data.get(3..)?.get(..usize::from(*value.data.get(2)?))?;
    Some(moniker(&utf8(text)))
}

/// Short name of a framework: `net8.0` of `.NETCoreApp,Version=v8.0`.
fn moniker(name: &str) -> String {
    match name.split_once(",Version=v") {
        Some((".NETCoreApp", version)) if version < "4" && version.as_bytes().get(1) == Some(&b'.') => {
            format!("netcoreapp{version}")
        }
        Some((".NETCoreApp", version)) => format!("net{version}"),
        Some((".NETStandard", version)) => format!("netstandard{version}"),
        Some((".NETFramework", version)) => format!("net{}", version.replace('.', "")),
        _ => name.to_owned(),
    }
}

fn attribute_name(session: &Session, row: u32) -> Option<String> {
    let metadata = session.metadata()?;
    let constructor = metadata.table(TableId::CUSTOM_ATTRIBUTE).cell(row, 1).ok()?;
    let (table, class) = match CUSTOM_ATTRIBUTE_TYPE.decode(constructor)? {
        (TableId::MEMBER_REF, row) => {
            MEMBER_REF_PARENT.decode(metadata.table(TableId::MEMBER_REF).cell(row, 0).ok()?)?
        }
        (_, method) => (TableId::TYPE_DEF, session.names()?.owner(method)),
    };
    // Both tables of types have the name in the second column.
    let known = [TableId::TYPE_REF, TableId::TYPE_DEF].contains(&table);
    known.then(|| metadata.string_cell(table, class, 1).ok()).flatten().map(|name| utf8(name.data).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_have_the_names_of_project_files() {
        for (name, short) in [
            (".NETCoreApp,Version=v8.0", "net8.0"),
            (".NETCoreApp,Version=v10.0", "net10.0"),
            (".NETCoreApp,Version=v3.1", "netcoreapp3.1"),
            (".NETStandard,Version=v2.0", "netstandard2.0"),
            (".NETFramework,Version=v4.7.2", "net472"),
            ("Silverlight,Version=v5.0", "Silverlight,Version=v5.0"),
        ] {
            assert_eq!(moniker(name), short);
        }
        assert_eq!(target_framework(&Session::sample()), None);
    }
}
