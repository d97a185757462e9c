//! Readers of the second course: native formats, and maps of machine code.

use std::fmt::Write;

use serde_json::{Value, json};

use super::answer::{ExpectedAnswer, ReadAt};
use super::readers::{add_fields, at, opened, read_named, refused_by, text_and_file};
use crate::Steps;
use crate::codec::Codec;
use crate::steps::steps;
use pdblens_formats::bytes::{Slice, SpaceId};
use pdblens_formats::codeview::c13::{self, Subsections};
use pdblens_formats::codeview::symbols::{Records, SIGNATURE, Symbol, kind, signature};
use pdblens_formats::managed::symbols::ManagedSymbol;
use pdblens_formats::mdb::Mdb;
use pdblens_nodes::native::NativeView;
use pdblens_nodes::{FunctionPart, MethodPart, Place, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::hex;

/// Lines of C13 that are no lines: hidden, and never to be stepped into.
const NO_LINES: [u64; 2] = [0xfe_efee, 0xf0_0f00];
/// Functions of a file that inputs are made of.
pub(super) const MAX_FUNCTIONS: usize = 64;
/// Addresses that no function has.
const NO_FUNCTIONS: &str = "0x10\n0xfffffff0\n";
/// Procedures of native code, S_LPROC32, S_GPROC32, S_LPROC32_ID and S_GPROC32_ID, and of managed code.
const PROCEDURES: [u16; 6] = [0x110f, 0x1110, 0x1146, 0x1147, kind::METHOD, kind::LOCAL_METHOD];

pub(super) fn mdb(bytes: &[u8]) -> ExpectedAnswer {
    in_mdb(bytes, |session, mdb, answer| {
        let header = answer.record(at(session, "header")?);
        add_fields(answer, header, &[("mdb header", "guid", "guid")]);
        answer.set("sources", json!([]));
        for (index, source) in mdb.documents().iter().enumerate() {
            let record = answer.record(at(session, &format!("document/{}", index + 1))?);
            let (path, hash) = (read_named(answer, record, "path"), read_named(answer, record, "hash"));
            answer.put(format!("sources/{index}/path"), mdb.path(source).into_owned(), path);
            answer.put(format!("sources/{index}/hash"), hex(&source.hash), hash);
        }
        Some(())
    })
}

pub(super) fn symbols(bytes: &[u8]) -> ExpectedAnswer {
    let steps = Steps::recorded("symbols", bytes, |c| {
        signature(c)?;
        for record in Records::new(Slice::new(bytes, SpaceId(0), 0), u64::from(SIGNATURE)) {
            let record = record?;
            c.within(record.slice.len(), |c| match record.kind {
                kind::METHOD | kind::LOCAL_METHOD => ManagedSymbol::decode(c).map(drop),
                _ => Symbol::decode(c).map(drop),
            })?;
        }
        Ok(())
    });
    of_reads(steps, |answer, steps| {
        answer.set("symbols", json!([]));
        let (mut count, mut kind) = (0_usize, 0);
        for (read, step) in steps.list.iter().enumerate().filter(|(_, step)| !step.field.group) {
            let value = step.field.number.map_or_else(|| step.field.value.clone().into(), Value::from);
            let member = match (step.record.as_str(), step.field.name.as_str()) {
                ("symbol", "length") => "size",
                ("symbol", "kind") => "kind",
                (_, "length of code") if PROCEDURES.contains(&kind) => "codeSize",
                (_, name @ ("offset" | "section" | "name")) if PROCEDURES.contains(&kind) => name,
                _ => continue,
            };
            count += usize::from(member == "size");
            kind = if member == "kind" { step.field.number.unwrap_or_default() as u16 } else { kind };
            answer.put(format!("symbols/{}/{member}", count - 1), value, Some((0, read)));
        }
    })
}

pub(super) fn bounds(bytes: &[u8]) -> ExpectedAnswer {
    let Some(codec) = Codec::named("r2r-bounds") else { return ExpectedAnswer::default() };
    of_reads(codec.decode(bytes).steps, |answer, steps| {
        answer.set("bounds", json!([]));
        let mut count = 0;
        for (read, step) in steps.list.iter().enumerate().filter(|(_, step)| step.record == "bound") {
            let mut put =
                |name: &str, value: Value| answer.put(format!("bounds/{count}/{name}"), value, Some((0, read)));
            if step.field.name == "source" {
                let source = step.raw.unwrap_or_default();
                put("call", (source & 1 != 0).into());
                put("empty", (source & 2 != 0).into());
            }
            for change in &step.field.changes {
                put(if change.state.name == "IL offset" { "il" } else { "native" }, change.after.into());
            }
            count += usize::from(step.field.name == "il offset plus 3");
        }
    })
}

pub(super) fn c13(bytes: &[u8]) -> ExpectedAnswer {
    let steps = Steps::recorded("C13", bytes, |c| {
        let mut all = Subsections::new(Slice::new(bytes, SpaceId(0), 0));
        all.try_for_each(|subsection| c.within(subsection?.span.len, c13::decode))
    });
    of_reads(steps, add_c13)
}

fn add_c13(answer: &mut ExpectedAnswer, steps: &Steps) {
    answer.set("lines", json!([]));
    answer.set("files", json!([]));
    let (mut files, mut lines, mut columns) = (0_usize, 0_usize, 0_usize);
    let (mut base, mut section, mut file, mut start) = (0, 0, 0, 0);
    for (read, step) in steps.list.iter().enumerate() {
        let (number, raw) = (step.field.number.unwrap_or_default(), step.raw.unwrap_or_default());
        let mut put = |path: String, value: Value| answer.put(path, value, Some((0, read)));
        match (step.record.as_str(), step.field.name.as_str()) {
            (_, "file checksums") if step.field.group => start = step.field.span.start,
            ("file checksums", "checksum") => {
                put(format!("files/{files}/file"), (step.field.span.start - start).into());
                files += 1;
            }
            ("checksum", "file name") => put(format!("files/{}/name", files - 1), number.into()),
            ("checksum", "checksum kind") => put(format!("files/{}/kind", files - 1), number.into()),
            ("checksum", "checksum") => put(format!("files/{}/checksum", files - 1), hex(&step.bytes).into()),
            ("lines header", "offset") => base = number,
            ("lines header", "section") => section = number,
            ("line block", "file") => (file, columns) = (number, lines),
            ("line record", "offset") => {
                for (name, value) in [("section", section), ("offset", base + number), ("file", file)] {
                    put(format!("lines/{lines}/{name}"), value.into());
                }
            }
            ("line record", "lines") => {
                let (line, more) = (raw & 0xff_ffff, raw >> 24 & 0x7f);
                put(format!("lines/{lines}/hidden"), NO_LINES.contains(&line).into());
                if !NO_LINES.contains(&line) {
                    put(format!("lines/{lines}/startLine"), line.into());
                    put(format!("lines/{lines}/endLine"), (line + more).into());
                }
                lines += 1;
            }
            ("column record", name @ ("start column" | "end column")) => {
                let member = if name == "start column" { "startColumn" } else { "endColumn" };
                if answer.at(&format!("lines/{columns}/hidden")) == Some(&Value::Bool(false)) {
                    answer.put(format!("lines/{columns}/{member}"), number, Some((0, read)));
                }
                columns += usize::from(name == "end column");
            }
            _ => {}
        }
    }
}

pub(super) fn program(bytes: &[u8]) -> ExpectedAnswer {
    in_mdb(bytes, |session, mdb, answer| {
        answer.set("methods", json!([]));
        let methods = mdb.methods().iter().filter(|method| method.line_table_offset > 0);
        for (index, method) in methods.enumerate() {
            let points = match mdb.points_of(method) {
                Ok(points) => points,
                Err(error) => {
                    refused_by(answer, session, &error);
                    return Some(());
                }
            };
            let record = answer.record(steps(session, Place::MethodPart(Token(method.token), MethodPart::Points))?);
            answer.put(format!("methods/{index}/token"), method.token, None);
            answer.set(&format!("methods/{index}/points"), json!([]));
            for (number, point) in points.iter().enumerate() {
                let list = &answer.records.get(record)?.list;
                let emits = |step: &crate::Step| !step.field.group && point.span.contains(step.field.span.start);
                let read = list.iter().rposition(emits).map(|step| (record, step));
                let path = |name: &str| format!("methods/{index}/points/{number}/{name}");
                answer.put(path("offset"), point.offset, read);
                answer.put(path("file"), point.document, read);
                answer.put(path("hidden"), point.hidden, read);
                if !point.hidden {
                    answer.put(path("line"), point.start_line, read);
                }
            }
        }
        Some(())
    })
}

/// Addresses, `0x1010` a line up to an empty one, and the Windows PDB that leads to their functions and lines.
pub(super) fn addresses(bytes: &[u8]) -> ExpectedAnswer {
    let (text, pdb) = text_and_file(bytes);
    opened("input.pdb", pdb, |session, answer| {
        let native = NativeView::of(session)?;
        answer.set("addresses", json!([]));
        for (index, line) in text.lines().enumerate() {
            let rva = u32::from_str_radix(line.strip_prefix("0x")?, 16).ok()?;
            let (found, path) = (native.at(rva), |name: &str| format!("addresses/{index}{name}"));
            let Some(function) = found.function else {
                answer.put(path(""), Value::Null, None);
                continue;
            };
            let symbol = Place::Record(native.stream_of(&function)?, function.symbol);
            let record = answer.record(steps(session, symbol)?);
            let name = read_named(answer, record, "name")?;
            let text = answer.read(name).map(|(_, step)| step.field.value.clone());
            answer.put(path("/function"), text, Some(name));
            let lines = Place::FunctionPart(native.rva_of(&function)?, FunctionPart::Lines);
            let (line, read) = match found.line.filter(|line| !NO_LINES.contains(&line.start_line.into())) {
                Some(line) => (Some(line), read_at(answer, steps(session, lines)?, line.at)),
                None => (None, None),
            };
            let document = line.and_then(|line| session.symbols()?.document(line.document).ok());
            answer.put(path("/document"), document.map(|document| document.name), None);
            answer.put(path("/line"), line.map(|line| line.start_line), read);
        }
        Some(())
    })
}

/// Addresses at the start of functions, inside them and at their ends, and in none.
pub(super) fn addresses_in(session: &Session) -> Option<String> {
    let native = NativeView::of(session)?;
    let mut text = NO_FUNCTIONS.to_owned();
    for function in native.functions().iter().take(MAX_FUNCTIONS) {
        for inside in [0, function.len / 2, function.len] {
            let _ = writeln!(text, "{:#x}", native.rva_in(function, inside)?);
        }
    }
    Some(text)
}

/// The packed lines of the line record at an offset of its stream.
fn read_at(answer: &mut ExpectedAnswer, steps: Steps, at: u32) -> Option<ReadAt> {
    let is_it = |step: &crate::Step| step.record == "line record" && step.field.span.start == u64::from(at) + 4;
    let step = steps.list.iter().position(is_it)?;
    Some((answer.record(steps), step))
}

fn in_mdb(bytes: &[u8], read: impl FnOnce(&Session, &Mdb, &mut ExpectedAnswer) -> Option<()>) -> ExpectedAnswer {
    opened("input.mdb", bytes, |session, answer| {
        let mdb = session.mdb()?;
        let Some(problem) = mdb.problems().first() else { return read(session, mdb, answer) };
        refused_by(answer, session, problem);
        Some(())
    })
}

/// The answer that `add` makes of reads; it is refused where they ended with an error.
fn of_reads(steps: Steps, add: impl FnOnce(&mut ExpectedAnswer, &Steps)) -> ExpectedAnswer {
    if let Some(error) = &steps.error {
        return ExpectedAnswer::refused(error.to_string(), vec![steps.clone()]);
    }
    let mut answer = ExpectedAnswer::default();
    add(&mut answer, &steps);
    answer.record(steps);
    answer
}
