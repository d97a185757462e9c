//! The first thirteen exercises of `pdblens course`, solved without any crate: `rustc reader.rs` compiles it.

use std::path::Path;

/// An answer, as JSON text.
type Answer = Result<String, String>;

/// Bytes that are read from front to back.
struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).ok_or("a length of more than the memory")?;
        let taken = self.data.get(self.at..end).ok_or_else(|| format!("{count} bytes needed at {:#x}", self.at))?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self, size: usize) -> Result<u64, String> {
        Ok(self.take(size)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn is_done(&self) -> bool {
        self.at >= self.data.len()
    }

    /// A compressed integer and its bits.
    fn with_bits(&mut self) -> Result<(i64, u32), String> {
        let first = i64::from(self.take(1)?[0]);
        let (mut number, more, bits) = match first {
            0x00..0x80 => (first, 0, 7),
            0x80..0xc0 => (first & 0x3f, 1, 14),
            0xc0..0xe0 => (first & 0x1f, 3, 29),
            _ => return Err(format!("{first:#x} begins no compressed integer")),
        };
        for byte in self.take(more)? {
            number = number << 8 | i64::from(*byte);
        }
        Ok((number, bits))
    }

    fn compressed(&mut self) -> Result<i64, String> {
        Ok(self.with_bits()?.0)
    }

    fn compressed_signed(&mut self) -> Result<i64, String> {
        let (number, bits) = self.with_bits()?;
        Ok((number >> 1) - if number & 1 == 1 { 1 << (bits - 1) } else { 0 })
    }

    fn guid(&mut self) -> Result<String, String> {
        let (a, b, c) = (self.number(4)?, self.number(2)?, self.number(2)?);
        let rest = hex(self.take(8)?);
        Ok(format!("{a:08x}-{b:04x}-{c:04x}-{}-{}", &rest[..4], &rest[4..]))
    }

    fn text(&mut self) -> Result<String, String> {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == 0).ok_or("a text without an end")?;
        let text = String::from_utf8_lossy(self.take(end)?).into_owned();
        self.at += 1;
        Ok(text)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn unsigned(data: &[u8]) -> Answer {
    let (mut reader, mut values) = (Reader::new(data), Vec::new());
    while !reader.is_done() {
        values.push(reader.compressed()?);
    }
    Ok(format!("{{\"values\": {values:?}}}"))
}

fn signed(data: &[u8]) -> Answer {
    let (mut reader, mut values) = (Reader::new(data), Vec::new());
    while !reader.is_done() {
        values.push(reader.compressed_signed()?);
    }
    Ok(format!("{{\"values\": {values:?}}}"))
}

fn guid(data: &[u8]) -> Answer {
    Ok(format!("{{\"guid\": {}}}", quoted(&Reader::new(data).guid()?)))
}

fn rsds(data: &[u8]) -> Answer {
    let mut reader = Reader::new(data);
    if reader.take(4)? != b"RSDS" {
        return Err("no RSDS record".into());
    }
    let (guid, age) = (reader.guid()?, reader.number(4)?);
    Ok(format!("{{\"guid\": {}, \"age\": {age}, \"path\": {}}}", quoted(&guid), quoted(&reader.text()?)))
}

/// Version, and offset, size and name of each stream.
fn streams(data: &[u8]) -> Result<(String, Vec<(usize, usize, String)>), String> {
    let mut reader = Reader::new(data);
    if reader.take(4)? != b"BSJB" {
        return Err("no metadata".into());
    }
    reader.take(8)?;
    let length = reader.number(4)? as usize;
    let version = String::from_utf8_lossy(reader.take(length)?).trim_end_matches('\0').to_owned();
    reader.take(2)?;
    let mut found = Vec::new();
    for _ in 0..reader.number(2)? {
        let (offset, size) = (reader.number(4)? as usize, reader.number(4)? as usize);
        found.push((offset, size, reader.text()?));
        reader.at = (reader.at + 3) & !3;
    }
    Ok((version, found))
}

fn root(data: &[u8]) -> Answer {
    let (version, found) = streams(data)?;
    let one = |(offset, size, name): &(usize, usize, String)| {
        format!("{{\"offset\": {offset}, \"size\": {size}, \"name\": {}}}", quoted(name))
    };
    Ok(format!("{{\"version\": {}, \"streams\": {}}}", quoted(&version), list(found.iter().map(one))))
}

fn stream<'d>(data: &'d [u8], wanted: &str) -> Result<(usize, &'d [u8]), String> {
    let found = streams(data)?.1.into_iter().find(|(.., name)| name == wanted);
    let (offset, size, _) = found.ok_or_else(|| format!("no stream {wanted}"))?;
    Ok((offset, data.get(offset..offset + size).ok_or("a stream past the end")?))
}

/// Table and rows for each bit of a mask.
fn counts(reader: &mut Reader<'_>, mask: u64) -> Result<Vec<(u8, u64)>, String> {
    (0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| Ok((bit, reader.number(4)?))).collect()
}

fn counts_json(counts: &[(u8, u64)]) -> String {
    list(counts.iter().map(|(table, rows)| format!("{{\"table\": {table}, \"rows\": {rows}}}")))
}

/// GUID, stamp, entry point and row counts.
fn pdb_stream(data: &[u8]) -> Result<(String, u64, u64, Vec<(u8, u64)>), String> {
    let mut reader = Reader::new(stream(data, "#Pdb")?.1);
    let (guid, stamp, entry) = (reader.guid()?, reader.number(4)?, reader.number(4)?);
    let mask = reader.number(8)?;
    Ok((guid, stamp, entry, counts(&mut reader, mask)?))
}

fn pdb(data: &[u8]) -> Answer {
    let (guid, stamp, entry, rows) = pdb_stream(data)?;
    let rows = counts_json(&rows);
    Ok(format!(
        "{{\"guid\": {}, \"stamp\": {stamp}, \"entryPoint\": {entry}, \"typeSystemTables\": {rows}}}",
        quoted(&guid)
    ))
}

/// The header of the `#~` stream.
struct Header {
    heap_sizes: u64,
    own: Vec<(u8, u64)>,
    /// Place of the first row in the file.
    rows: usize,
}

fn header(data: &[u8]) -> Result<Header, String> {
    let (start, content) = stream(data, "#~")?;
    let mut reader = Reader::new(content);
    reader.take(6)?;
    let heap_sizes = reader.number(1)?;
    reader.take(1)?;
    let valid = reader.number(8)?;
    reader.take(8)?;
    let own = counts(&mut reader, valid)?;
    Ok(Header { heap_sizes, own, rows: start + reader.at })
}

fn tables(data: &[u8]) -> Answer {
    let header = header(data)?;
    Ok(format!("{{\"heapSizes\": {}, \"tables\": {}}}", header.heap_sizes, counts_json(&header.own)))
}

/// A column of a table.
enum Column {
    Bytes(usize),
    Heap(u64),
    Row(u8),
    /// A coded index with so many bits of tag.
    Coded(u32, &'static [u8]),
}

const CUSTOM_PARENTS: &[u8] = &[
    0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00, 0x0e, 0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23, 0x26, 0x27, 0x28,
    0x2a, 0x2c, 0x2b, 0x30, 0x32, 0x33, 0x34, 0x35,
];

fn columns(table: u8) -> &'static [Column] {
    use Column::{Bytes, Coded, Heap, Row};
    const STRING: Column = Heap(1);
    const GUID: Column = Heap(2);
    const BLOB: Column = Heap(4);
    match table {
        0x00 => &[Bytes(2), STRING, GUID, GUID, GUID],
        0x01 => &[Coded(2, &[0x00, 0x1a, 0x23, 0x01]), STRING, STRING],
        0x02 => &[Bytes(4), STRING, STRING, Coded(2, &[0x02, 0x01, 0x1b]), Row(0x04), Row(0x06)],
        0x03 => &[Row(0x04)],
        0x04 => &[Bytes(2), STRING, BLOB],
        0x05 => &[Row(0x06)],
        0x06 => &[Bytes(4), Bytes(2), Bytes(2), STRING, BLOB, Row(0x08)],
        0x30 => &[BLOB, GUID, BLOB, GUID],
        0x31 => &[Row(0x30), BLOB],
        0x32 => &[Row(0x06), Row(0x35), Row(0x33), Row(0x34), Bytes(4), Bytes(4)],
        0x33 => &[Bytes(2), Bytes(2), STRING],
        0x34 => &[STRING, BLOB],
        0x35 => &[Row(0x35), BLOB],
        0x36 => &[Row(0x06), Row(0x06)],
        0x37 => &[Coded(5, CUSTOM_PARENTS), GUID, BLOB],
        _ => &[],
    }
}

fn widths(data: &[u8], table: u8) -> Result<Vec<usize>, String> {
    let header = header(data)?;
    // An image has no #Pdb stream.
    let image = if stream(data, "#Pdb").is_ok() { pdb_stream(data)?.3 } else { Vec::new() };
    let all: Vec<(u8, u64)> = image.into_iter().chain(header.own).collect();
    let rows = |wanted: u8| all.iter().find(|(table, _)| *table == wanted).map_or(0, |(_, rows)| *rows);
    let width = |column: &Column| {
        let is_wide = match column {
            Column::Bytes(bytes) => return *bytes,
            Column::Heap(bit) => header.heap_sizes & bit != 0,
            Column::Row(table) => rows(*table) > 0xffff,
            Column::Coded(tag, tables) => tables.iter().any(|table| rows(*table) > 0xffff >> tag),
        };
        if is_wide { 4 } else { 2 }
    };
    Ok(columns(table).iter().map(width).collect())
}

/// Table, size of a row, place of the first row, and rows.
fn places(data: &[u8]) -> Result<Vec<(u8, usize, usize, usize)>, String> {
    let header = header(data)?;
    let mut offset = header.rows;
    let mut found = Vec::new();
    for (table, rows) in header.own {
        let size = widths(data, table)?.iter().sum();
        found.push((table, size, offset, rows as usize));
        offset += size * rows as usize;
    }
    Ok(found)
}

fn layout(data: &[u8]) -> Answer {
    let one = |(table, size, offset, _): (u8, usize, usize, usize)| {
        format!("{{\"table\": {table}, \"rowSize\": {size}, \"offset\": {offset}}}")
    };
    Ok(format!("{{\"tables\": {}}}", list(places(data)?.into_iter().map(one))))
}

fn rows(data: &[u8], wanted: u8) -> Result<Vec<Vec<usize>>, String> {
    let Some((_, _, offset, count)) = places(data)?.into_iter().find(|(table, ..)| *table == wanted) else {
        return Ok(Vec::new());
    };
    let (mut reader, widths) = (Reader { data, at: offset }, widths(data, wanted)?);
    (0..count).map(|_| widths.iter().map(|size| Ok(reader.number(*size)? as usize)).collect()).collect()
}

fn blob(data: &[u8], offset: usize) -> Result<&[u8], String> {
    let mut reader = Reader { data: stream(data, "#Blob")?.1, at: offset };
    let length = reader.compressed()? as usize;
    reader.take(length)
}

fn document_name(data: &[u8], offset: usize) -> Result<String, String> {
    let mut reader = Reader::new(blob(data, offset)?);
    let separator = reader.take(1)?[0];
    let separator = if separator == 0 { String::new() } else { char::from(separator).to_string() };
    let mut parts = Vec::new();
    while !reader.is_done() {
        let part = reader.compressed()? as usize;
        parts.push(if part == 0 { String::new() } else { String::from_utf8_lossy(blob(data, part)?).into_owned() });
    }
    Ok(parts.join(&separator))
}

fn documents(data: &[u8]) -> Answer {
    let guid = |index: usize| match index {
        0 => Ok("null".to_owned()),
        _ => Ok::<_, String>(quoted(&Reader { data: stream(data, "#GUID")?.1, at: (index - 1) * 16 }.guid()?)),
    };
    let mut found = Vec::new();
    for row in rows(data, 0x30)? {
        let hash = if row[2] == 0 { String::new() } else { hex(blob(data, row[2])?) };
        found.push(format!(
            "{{\"name\": {}, \"hashAlgorithm\": {}, \"hash\": \"{hash}\", \"language\": {}}}",
            quoted(&document_name(data, row[0])?),
            guid(row[1])?,
            guid(row[3])?
        ));
    }
    Ok(format!("{{\"documents\": {}}}", list(found)))
}

struct Point {
    offset: i64,
    /// Row of its document, where that is asked for.
    document: Option<i64>,
    /// Line and column; `None` for a hidden point.
    start: Option<(i64, i64)>,
    lines: i64,
    columns: i64,
}

/// The local signature, and the points. `document` is that of the row, `None` where it is not asked for.
fn points_of(data: &[u8], mut document: Option<i64>) -> Result<(i64, Vec<Point>), String> {
    let mut reader = Reader::new(data);
    let signature = reader.compressed()?;
    if document == Some(0) {
        document = Some(reader.compressed()?);
    }
    let (mut offset, mut last, mut found) = (0, None, Vec::new());
    while !reader.is_done() {
        let delta = reader.compressed()?;
        if delta == 0 && !found.is_empty() {
            document = Some(reader.compressed()?);
            continue;
        }
        offset += delta;
        let lines = reader.compressed()?;
        let columns = if lines == 0 { reader.compressed()? } else { reader.compressed_signed()? };
        let start = match last {
            _ if lines == 0 && columns == 0 => None,
            None => Some((reader.compressed()?, reader.compressed()?)),
            Some((line, column)) => Some((line + reader.compressed_signed()?, column + reader.compressed_signed()?)),
        };
        last = start.or(last);
        found.push(Point { offset, document, start, lines, columns });
    }
    Ok((signature, found))
}

fn points_json(points: &[Point]) -> String {
    list(points.iter().map(|point| {
        let Point { offset, document, start, lines, columns } = point;
        let place = document.map_or_else(String::new, |document| format!(", \"document\": {document}"));
        match start {
            None => format!("{{\"offset\": {offset}{place}, \"hidden\": true}}"),
            Some((line, column)) => format!(
                "{{\"offset\": {offset}{place}, \"hidden\": false, \"startLine\": {line}, \"startColumn\": {column}, \
                 \"endLine\": {}, \"endColumn\": {}}}",
                line + lines,
                column + columns
            ),
        }
    }))
}

fn points(data: &[u8]) -> Answer {
    let (signature, found) = points_of(data, None)?;
    Ok(format!("{{\"localSignature\": {signature}, \"points\": {}}}", points_json(&found)))
}

fn methods(data: &[u8]) -> Answer {
    let mut found = Vec::new();
    for (index, row) in rows(data, 0x31)?.into_iter().enumerate().filter(|(_, row)| row[1] != 0) {
        let points = points_of(blob(data, row[1])?, Some(row[0] as i64))?.1;
        found.push(format!("{{\"method\": {}, \"points\": {}}}", index + 1, points_json(&points)));
    }
    Ok(format!("{{\"methods\": {}}}", list(found)))
}

fn msf(data: &[u8]) -> Answer {
    let mut reader = Reader::new(data);
    if reader.take(32)? != b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0" {
        return Err("no MSF file".into());
    }
    let mut numbers = [0; 5];
    for number in &mut numbers {
        *number = reader.number(4)? as usize;
    }
    let [page_size, _, pages_of_file, directory_size, _] = numbers;
    if page_size == 0 {
        return Err("the page size is 0".into());
    }
    let page_numbers = |reader: &mut Reader, count: u64| -> Result<Vec<u64>, String> {
        let number = |_| match reader.number(4)? {
            page if page < pages_of_file as u64 => Ok(page),
            page => Err(format!("page {page} of a file with {pages_of_file} pages")),
        };
        (0..count).map(number).collect()
    };
    let joined = |pages: Vec<u64>| -> Result<Vec<u8>, String> {
        let page = |page| Reader { data, at: page as usize * page_size }.take(page_size);
        Ok(pages.into_iter().map(page).collect::<Result<Vec<_>, _>>()?.concat())
    };
    let directory_pages = directory_size.div_ceil(page_size);
    let block_map = joined(page_numbers(&mut reader, (directory_pages * 4).div_ceil(page_size) as u64)?)?;
    let mut directory = joined(page_numbers(&mut Reader::new(&block_map), directory_pages as u64)?)?;
    directory.truncate(directory_size);
    let mut reader = Reader::new(&directory);
    let count = reader.number(4)?;
    let sizes: Vec<u64> = (0..count).map(|_| reader.number(4)).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for size in sizes {
        let is_nil = size == 0xffff_ffff;
        let pages = if is_nil { 0 } else { size.div_ceil(page_size as u64) };
        let pages = page_numbers(&mut reader, pages)?;
        let size = if is_nil { "null".to_owned() } else { size.to_string() };
        found.push(format!("{{\"size\": {size}, \"pages\": {pages:?}}}"));
    }
    Ok(format!("{{\"pageSize\": {page_size}, \"streamCount\": {count}, \"streams\": {}}}", list(found)))
}

/// The metadata of an image: by way of the CLI header, which directory 14 of the optional header leads to.
fn image_metadata(image: &[u8]) -> Result<&[u8], String> {
    let number = |at: usize, size: usize| Ok::<_, String>(Reader { data: image, at }.number(size)? as usize);
    let header = number(0x3c, 4)?;
    let (count, optional) = (number(header + 6, 2)?, number(header + 20, 2)?);
    let directories = header + 24 + if number(header + 24, 2)? == 0x10b { 96 } else { 112 };
    let place = |rva: usize| {
        for section in (0..count).map(|index| header + 24 + optional + index * 40) {
            let (start, size) = (number(section + 12, 4)?, number(section + 16, 4)?);
            if (start..start + size).contains(&rva) {
                return Ok(rva - start + number(section + 20, 4)?);
            }
        }
        Err(format!("no section has {rva:#x}"))
    };
    let cli = place(number(directories + 14 * 8, 4)?)?;
    let (at, size) = (place(number(cli + 8, 4)?)?, number(cli + 12, 4)?);
    Reader { data: image, at }.take(size)
}

/// Names of the methods, in the order of their rows.
fn method_names(metadata: &[u8]) -> Result<Vec<String>, String> {
    let strings = stream(metadata, "#Strings")?.1;
    let text = |at: usize| Reader { data: strings, at }.text();
    let (types, methods) = (rows(metadata, 0x02)?, rows(metadata, 0x06)?);
    let mut found = Vec::new();
    for (index, row) in types.iter().enumerate() {
        let space = text(row[2])?;
        let owner = if space.is_empty() { text(row[1])? } else { format!("{space}.{}", text(row[1])?) };
        let end = types.get(index + 1).map_or(methods.len() + 1, |next| next[5]);
        for method in methods.get(row[5].saturating_sub(1)..end.saturating_sub(1)).unwrap_or_default() {
            found.push(format!("{owner}.{}", text(method[3])?));
        }
    }
    Ok(found)
}

/// The row of a method, 0 if not exactly one has the name, and the IL offset.
fn frame(line: &str, names: &[String]) -> Result<(usize, i64), String> {
    let number = |text: &str| i64::from_str_radix(text.trim_start_matches("0x"), 16).map_err(|_| "no number");
    let Some((name, offset)) = line.strip_prefix("at ").and_then(|line| line.split_once("() +")) else {
        let (token, offset) = line.split_once('+').ok_or("a frame without an offset")?;
        return Ok(((number(token)? & 0xff_ffff) as usize, number(offset)?));
    };
    let mut rows = names.iter().enumerate().filter(|(_, found)| *found == name).map(|(index, _)| index + 1);
    let row = rows.next().filter(|_| rows.next().is_none());
    Ok((row.unwrap_or(0), number(offset)?))
}

fn frames(data: &[u8]) -> Answer {
    let end = data.windows(2).position(|pair| pair == b"\n\n").ok_or("no empty line")?;
    let (text, mut data) = (String::from_utf8_lossy(&data[..end]), &data[end + 2..]);
    let (mut lines, mut names) = (text.lines().peekable(), Vec::new());
    if let Some(line) = lines.next_if(|line| line.starts_with("image ")) {
        let size: usize = line[6..].parse().map_err(|_| "no size of the image")?;
        let (pdb, image) = data.split_at_checked(data.len().saturating_sub(size)).ok_or("no image")?;
        (data, names) = (pdb, method_names(image_metadata(image)?)?);
    }
    let (methods, documents) = (rows(data, 0x31)?, rows(data, 0x30)?);
    let mut found = Vec::new();
    for line in lines {
        let (row, offset) = frame(line, &names)?;
        let method = row.checked_sub(1).and_then(|index| methods.get(index)).filter(|method| method[1] > 0);
        let points = match method {
            Some(method) => points_of(blob(data, method[1])?, Some(method[0] as i64))?.1,
            None => Vec::new(),
        };
        let point = points.iter().rfind(|point| point.offset <= offset);
        found.push(match point.and_then(|point| Some((point.document?, point.start?))) {
            None => "null".to_owned(),
            Some((document, (line, _))) => {
                let row = documents.get(document as usize - 1).ok_or("no such document")?;
                format!("{{\"document\": {}, \"line\": {line}}}", quoted(&document_name(data, row[0])?))
            }
        });
    }
    Ok(format!("{{\"frames\": {}}}", list(found)))
}

/// Text as JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn main() {
    let mut answers = Vec::new();
    for file in std::env::args().skip(1) {
        let path = Path::new(&file);
        let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let exercise = name(path.parent().and_then(Path::file_name));
        let read: fn(&[u8]) -> Answer = match exercise.as_str() {
            "unsigned" => unsigned,
            "signed" => signed,
            "guid" => guid,
            "rsds" => rsds,
            "root" => root,
            "pdb" => pdb,
            "tables" => tables,
            "layout" => layout,
            "documents" => documents,
            "points" => points,
            "methods" => methods,
            "msf" => msf,
            "frames" => frames,
            _ => continue,
        };
        let data = std::fs::read(path).expect("the input is a file");
        let answer = read(&data).unwrap_or_else(|error| format!("{{\"error\": {}}}", quoted(&error)));
        answers.push(format!("{}: {answer}", quoted(&format!("{exercise}/{}", name(path.file_stem())))));
    }
    println!("{{{}}}", answers.join(",\n"));
}
