//! Values of both readers in words.

use pdblens_formats::codeview::symbols::{Record, kind, kind_name};
use pdblens_formats::cross_check::{Line, Symbol, TypeRecord};

pub(super) fn described(symbol: Symbol) -> String {
    let name = kind_name(symbol.kind).map_or_else(|| format!("{:#06x}", symbol.kind), str::to_owned);
    format!("{name} of {} bytes at {:#x}", symbol.len, symbol.at)
}

pub(super) fn line_text(line: &Line) -> String {
    let Line { section, offset, file, start_line, columns: (start, end) } = line;
    format!("{start_line} at {section:04x}:{offset:08x} in file {file:#x}, columns {start} to {end}")
}

pub(super) fn type_text(record: TypeRecord) -> String {
    format!("{:#x} of kind {:#06x}, {} bytes", record.index, record.kind, record.len)
}

/// A count and what is counted, with the digits in groups of three: `14 201 types`.
pub(super) fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// The record as `pdb` has it.
pub(super) fn of(record: &Record<'_>) -> Symbol {
    Symbol { at: record.span().start as u32, kind: record.kind, len: record.slice.len() as u32 - 2 }
}

pub(super) const fn is_method(of: u16) -> bool {
    matches!(of, kind::METHOD | kind::LOCAL_METHOD)
}
