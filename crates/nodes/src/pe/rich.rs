//! The Rich header: the build tools of the objects that were linked.

use crate::fields::{Fields, Meaning};
use crate::pe::linker::{self, Record};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::pe::RichHeader;
use pdblens_formats::pe::rich::{masked, product_name};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

/// One row for each build tool.
pub(super) fn rows(session: &Session) -> Option<Rows<'_>> {
    let rich = linker::tables(session)?.1.rich.as_ref()?;
    let rows = rich.entries.iter().map(|entry| {
        let cells = vec![
            Cell::new(format!("{:#06x}", entry.product)),
            Cell::toned(product_name(entry.product).unwrap_or_default(), Tone::Strong),
            Cell::new(entry.build.to_string()),
            Cell::new(entry.count.to_string()),
        ];
        Row::plain(cells).from(entry.span)
    });
    let columns = vec![Head::text("product"), Head::text("tool"), Head::number("build"), Head::number("objects")];
    Some(Rows::of(format!("Rich header · {}", verdict(rich)), columns, rows.collect()))
}

/// Result of comparing the key with the checksum.
pub(crate) fn verdict(rich: &RichHeader) -> &'static str {
    if rich.is_intact() { "checksum verified" } else { "checksum differs" }
}

/// The header as it is in the file, with the numbers that the key hides.
pub(super) fn fields(session: &Session) -> Option<Fields> {
    let rich = linker::tables(session)?.1.rich.as_ref()?;
    let key = rich.key;
    let record: Record = (rich.span, masked);
    linker::explain(session, "pe/rich", [record], |_, field| {
        let number = field.value.number().unwrap_or_default() as u32;
        let text = match field.name() {
            "marker" => "DanS".to_owned(),
            "padding" => "zeros".to_owned(),
            "build" => format!("build {}", (number ^ key) as u16),
            "product id" => {
                let id = (number ^ key >> 16) as u16;
                product_name(id).map_or_else(|| format!("{id:#06x}"), |name| format!("{id:#06x} {name}"))
            }
            "count" => count(u64::from(number ^ key), "object"),
            "key" if rich.is_intact() => verdict(rich).to_owned(),
            "key" => format!("{}: {:#x}", verdict(rich), rich.checksum),
            _ => return None,
        };
        Some(Meaning::text(text))
    })
}
