//! A frame as the page reads it: for each cell its colours, modifiers and symbol.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};
use ratatui::text::Span;

/// The colour of the page, instead of one of the sixteen or RGB.
const DEFAULT: u32 = 0xff00_0000;

/// Writes each cell: foreground and background as little-endian 0x00RRGGBB, modifiers as 16 bits, the length of the symbol, the symbol.
pub fn cells(buffer: &Buffer, cursor: Option<Position>) -> Vec<u8> {
    let mut out = Vec::with_capacity(buffer.content.len() * 12);
    let mut is_covered = false;
    for (index, cell) in buffer.content.iter().enumerate() {
        let mut modifier = cell.modifier;
        if cursor == Some(buffer.pos_of(index).into()) {
            modifier.toggle(Modifier::REVERSED);
        }
        out.extend(colour(cell.fg).to_le_bytes());
        out.extend(colour(cell.bg).to_le_bytes());
        out.extend(modifier.bits().to_le_bytes());
        // The cell after a wide sign is its second half, not a blank.
        let symbol = if is_covered { "" } else { cell.symbol() };
        is_covered = Span::raw(symbol).width() > 1;
        // A symbol of more bytes is a stack of combining marks.
        let (length, symbol) = u8::try_from(symbol.len()).map_or((3, "\u{fffd}"), |length| (length, symbol));
        out.push(length);
        out.extend(symbol.as_bytes());
    }
    out
}

fn colour(colour: Color) -> u32 {
    match colour {
        Color::Rgb(red, green, blue) => u32::from_be_bytes([0, red, green, blue]),
        Color::Black => 0,
        Color::Red => 0x00cd_3131,
        Color::Green => 0x000d_bc79,
        Color::Yellow => 0x00c5_a500,
        Color::Blue => 0x0024_72c8,
        Color::Magenta => 0x00bc_3fbc,
        Color::Cyan => 0x0011_a8cd,
        Color::LightBlue => 0x003b_8eea,
        Color::Gray => 0x00cc_cccc,
        Color::DarkGray => 0x0066_6666,
        Color::White => 0x00ff_ffff,
        _ => DEFAULT,
    }
}
