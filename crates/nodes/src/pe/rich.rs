//! The Rich header: the build tools of the objects that were linked.

use crate::fields::Fields;
use crate::pe::linker::{self, part};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::pe::RichHeader;
use pdblens_formats::pe::rich::{RichEntry, product_name};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

const START: (&str, &str) = ("start", "The text DanS and zeros, combined with the key by exclusive or.");
const TOOL: (&str, &str) = (
    "tool",
    "A build tool and the number of objects it made that were linked into the image, combined with the key by exclusive or.",
);
const END: (&str, &str) = (
    "end marker and key",
    "The text Rich, and the key: a checksum of DOS header, stub and entries, so that a change of any of them shows.",
);

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
    let columns = Head::list(["product", "tool", "build:", "objects:"]);
    Some(Rows::of(format!("Rich header · {}", verdict(rich)), columns, rows.collect()))
}

/// Result of comparing the key with the checksum.
pub(crate) fn verdict(rich: &RichHeader) -> &'static str {
    if rich.is_intact() { "checksum verified" } else { "checksum differs" }
}

/// The header, with the numbers that the key hides.
pub(super) fn fields(session: &Session) -> Option<Fields> {
    let rich = linker::tables(session)?.1.rich.as_ref()?;
    let tool = |entry: &RichEntry| {
        let name = product_name(entry.product).unwrap_or_default();
        let objects = count(u64::from(entry.count), "object");
        part(TOOL, format!("{:#06x} {name}, build {}, {objects}", entry.product, entry.build), entry.span)
    };
    let verdict =
        if rich.is_intact() { verdict(rich).to_owned() } else { format!("{}: {:#x}", verdict(rich), rich.checksum) };
    let mut end = part(END, format!("{:#x}", rich.key), rich.end());
    end.mean(verdict);
    let parts = [part(START, "", rich.start())].into_iter().chain(rich.entries.iter().map(tool)).chain([end]);
    let fields = linker::fields("pe/rich", parts)?;
    Some(Fields { span: rich.span, ..fields })
}
