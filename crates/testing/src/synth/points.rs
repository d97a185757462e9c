//! The blob of sequence points (Portable PDB specification, "Sequence Points Blob").

use super::bytes::Put;
use super::method::{Lines, Method, Point};

/// The document that the row of MethodDebugInformation names: none when the points are in several.
pub fn document(method: &Method) -> u32 {
    match method.points.first() {
        Some(first) if method.points.iter().all(|point| point.document == first.document) => first.document,
        _ => 0,
    }
}

/// Writes the blob of `method` over what `out` held.
pub fn encode(method: &Method, local_signature: u32, out: &mut Vec<u8>) {
    out.clear();
    let Some(first) = method.points.first() else { return };
    out.put_compressed(local_signature);
    if document(method) == 0 {
        out.put_compressed(first.document);
    }
    let mut before: Option<Point> = None;
    let mut shown: Option<Lines> = None;
    for point in &method.points {
        if before.is_some_and(|before| before.document != point.document) {
            out.put_compressed(0);
            out.put_compressed(point.document);
        }
        out.put_compressed(point.il - before.map_or(0, |before| before.il));
        record(point.lines, shown, out);
        shown = point.lines.or(shown);
        before = Some(*point);
    }
}

/// The rest of a record after its IL offset. `shown` is the last point that was not hidden.
fn record(lines: Option<Lines>, shown: Option<Lines>, out: &mut Vec<u8>) {
    let Some(lines) = lines else { return out.put(&[0, 0]) };
    let down = lines.end_line - lines.start_line;
    out.put_compressed(down);
    match down {
        0 => out.put_compressed(lines.end_column - lines.start_column),
        _ => out.put_compressed_signed(lines.end_column as i32 - lines.start_column as i32),
    }
    if let Some(shown) = shown {
        out.put_compressed_signed(lines.start_line as i32 - shown.start_line as i32);
        out.put_compressed_signed(lines.start_column as i32 - shown.start_column as i32);
    } else {
        out.put_compressed(lines.start_line);
        out.put_compressed(lines.start_column);
    }
}
