//! Readers of the exercises: each makes the right answer of an input, out of the steps that the player shows.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::answer::{ExpectedAnswer, ReadAt};
use super::widths::{Counts, WidthRule, of_mask};
use crate::codec::Codec;
use crate::steps::steps;
use crate::{Step, Steps};
use pdblens_formats::bytes::Error;
use pdblens_formats::metadata::{Metadata, TableId};
use pdblens_nodes::{MethodPart, Place, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::hex;

/// The right answer to an input; it is refused with a reason where it is damaged.
pub(super) type AnswerFn = fn(&[u8]) -> ExpectedAnswer;
const NIL_STREAM: i64 = 0xffff_ffff;
/// Offset of the path in an RSDS record.
const RSDS_PATH_AT: usize = 24;
/// Place of a field in the JSON: its record, its name, and its path, in which `#` is the number of the record.
type FieldPath = (&'static str, &'static str, &'static str);

pub(super) fn unsigned(bytes: &[u8]) -> ExpectedAnswer {
    of_codec("uint", bytes, &[("", "number", "values/#")])
}

pub(super) fn signed(bytes: &[u8]) -> ExpectedAnswer {
    of_codec("sint", bytes, &[("", "number", "values/#")])
}

pub(super) fn guid(bytes: &[u8]) -> ExpectedAnswer {
    of_codec("guid", bytes, &[("", "GUID", "guid")])
}

pub(super) fn rsds(bytes: &[u8]) -> ExpectedAnswer {
    let mut answer = of_codec("rsds", bytes, &["guid", "age", "path"].map(|name| ("codeview", name, name)));
    let path = bytes.get(RSDS_PATH_AT..).unwrap_or_default();
    if answer.refusal.is_none() && !path.contains(&0) {
        answer = ExpectedAnswer::refused("the path has no NUL".to_owned(), answer.records);
    }
    answer
}

pub(super) fn points(bytes: &[u8]) -> ExpectedAnswer {
    let mut answer = of_codec("points", bytes, &[("header", "local signature", "localSignature")]);
    if answer.refusal.is_none() {
        add_points(&mut answer, 0, "", None);
    }
    answer
}

pub(super) fn root(bytes: &[u8]) -> ExpectedAnswer {
    const FIELDS: &[FieldPath] = &[
        ("metadata root", "version", "version"),
        ("stream header", "offset", "streams/#/offset"),
        ("stream header", "size", "streams/#/size"),
        ("stream header", "name", "streams/#/name"),
    ];
    in_portable(bytes, |session, _, answer| {
        let record = answer.record(at(session, "pdb/metadata")?);
        add_fields(answer, record, FIELDS);
        Some(())
    })
}

pub(super) fn pdb_stream(bytes: &[u8]) -> ExpectedAnswer {
    const FIELDS: &[FieldPath] =
        &[("PDB id", "GUID", "guid"), ("PDB id", "stamp", "stamp"), ("#Pdb stream", "entry point", "entryPoint")];
    in_portable(bytes, |session, _, answer| {
        let record = answer.record(at(session, "pdb/metadata/pdb")?);
        add_fields(answer, record, FIELDS);
        add_counts(answer, record, "referenced type system tables", "typeSystemTables");
        Some(())
    })
}

pub(super) fn tables(bytes: &[u8]) -> ExpectedAnswer {
    in_portable(bytes, |session, _, answer| {
        let record = answer.record(at(session, "pdb/metadata/tables")?);
        add_fields(answer, record, &[("tables header", "heap sizes", "heapSizes")]);
        add_counts(answer, record, "valid", "tables");
        Some(())
    })
}

pub(super) fn layout(bytes: &[u8]) -> ExpectedAnswer {
    in_portable(bytes, |session, metadata, answer| {
        let counts = Counts::of(session, metadata)?;
        let steps = at(session, "pdb/metadata/tables")?;
        let header = steps.list.iter().rfind(|step| step.record == "tables header")?;
        let mut offset = header.field.span.end();
        let record = answer.record(steps);
        answer.set("tables", json!([]));
        for (index, table) in counts.present().enumerate() {
            let is_count = |step: &Step| step.number > 0 && step.field.name == table.name();
            let read = answer.records.get(record)?.list.iter().position(is_count).map(|step| (record, step));
            let size = counts.row_size(table, WidthRule::Right);
            answer.put(format!("tables/{index}/table"), table.0, read);
            answer.put(format!("tables/{index}/rowSize"), size, read);
            answer.put(format!("tables/{index}/offset"), offset, read);
            offset += u64::from(size) * u64::from(counts.rows(table));
        }
        answer.counts = Some(counts);
        Some(())
    })
}

pub(super) fn documents(bytes: &[u8]) -> ExpectedAnswer {
    in_portable(bytes, |session, metadata, answer| {
        answer.set("documents", json!([]));
        for row in 1..=metadata.rows(TableId::DOCUMENT) {
            let record = answer.record(steps(session, Place::Document(row))?);
            let reads = ["separator", "HashAlgorithm", "hash", "Language"].map(|name| read_named(answer, record, name));
            let guid = |column| metadata.guid_cell(TableId::DOCUMENT, row, column).ok().flatten();
            let hash = metadata.blob_cell(TableId::DOCUMENT, row, 2).map(|hash| hex(hash.data)).unwrap_or_default();
            let values: [Value; 4] = [
                session.symbols()?.document(row).ok()?.name.into(),
                guid(1).map(|guid| guid.to_string()).into(),
                hash.into(),
                guid(3).map(|guid| guid.to_string()).into(),
            ];
            for ((name, value), read) in ["name", "hashAlgorithm", "hash", "language"].iter().zip(values).zip(reads) {
                answer.put(format!("documents/{}/{name}", row.saturating_sub(1)), value, read);
            }
        }
        Some(())
    })
}

pub(super) fn methods(bytes: &[u8]) -> ExpectedAnswer {
    in_portable(bytes, |session, metadata, answer| {
        answer.set("methods", json!([]));
        let mut index = 0_usize;
        for row in 1..=metadata.rows(TableId::METHOD_DEBUG_INFORMATION) {
            let points = Place::MethodPart(Token::new(TableId::METHOD_DEF, row), MethodPart::Points);
            let Some(steps) = steps(session, points) else { continue };
            if let Some(error) = steps.error.clone() {
                answer.records = vec![steps];
                refused_by(answer, session, &error);
                return Some(());
            }
            let document = metadata.table(TableId::METHOD_DEBUG_INFORMATION).cell(row, 0).ok()?;
            let record = answer.record(steps);
            answer.put(format!("methods/{index}/method"), row, None);
            add_points(answer, record, &format!("methods/{index}/"), Some(document));
            index += 1;
        }
        Some(())
    })
}

/// Frames of a trace up to an empty line, and the portable PDB that leads to their lines. A frame is `0x06000003+0xc`, or
/// `at Type.Method() +0xc` where a first line `image N` says that the image follows, which has the last N bytes.
pub(super) fn frames(bytes: &[u8]) -> ExpectedAnswer {
    let (text, mut pdb) = text_and_file(bytes);
    let (mut lines, mut files) = (text.lines().peekable(), Vec::new());
    let image = lines.next_if(|line| line.starts_with("image ")).map(|line| line.trim_start_matches("image ").parse());
    if let Some(size) = image {
        let split = size.ok().and_then(|size: usize| pdb.split_at_checked(pdb.len().checked_sub(size)?));
        let Some((first, image)) = split else {
            return ExpectedAnswer::refused("the image is longer than the input".to_owned(), Vec::new());
        };
        pdb = first;
        files.push((PathBuf::from("input.dll"), image.to_vec()));
    }
    files.push((PathBuf::from("input.pdb"), pdb.to_vec()));
    opened_pair(files, |session, answer| {
        let metadata = &session.portable_pdb()?.metadata;
        answer.set("frames", json!([]));
        for (index, line) in lines.enumerate() {
            let (method, offset) = frame(session, line)?;
            let found = method.and_then(|method| {
                let steps = steps(session, Place::MethodPart(method, MethodPart::Points))?;
                let document = metadata.table(TableId::METHOD_DEBUG_INFORMATION).cell(method.row(), 0).ok()?;
                let mut of_method = ExpectedAnswer::default();
                of_method.record(steps);
                add_points(&mut of_method, 0, "", Some(document));
                let points = of_method.at("points")?.as_array()?;
                let is_before = |point: &Value| point["offset"].as_i64().is_some_and(|at| at <= i64::from(offset));
                let at = points.iter().rposition(is_before)?;
                let line = of_method.leaves.iter().find(|leaf| leaf.path == format!("points/{at}/startLine"))?;
                let document = points[at]["document"].as_u64()? as u32;
                let (line, step) = (line.value.clone(), line.read?.1);
                let record = answer.record(of_method.records.remove(0));
                Some((session.symbols()?.document(document).ok()?.name, line, (record, step)))
            });
            let Some((name, line, read)) = found else {
                answer.put(format!("frames/{index}"), Value::Null, None);
                continue;
            };
            answer.put(format!("frames/{index}/document"), name, None);
            answer.put(format!("frames/{index}/line"), line, Some(read));
        }
        Some(())
    })
}

/// The method of a frame and its IL offset; no method where none has the name, or several have it.
fn frame(session: &Session, line: &str) -> Option<(Option<Token>, u32)> {
    let number = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let Some(named) = line.strip_prefix("at ") else {
        let (token, offset) = line.split_once('+')?;
        return Some((Some(Token(number(token)?)), number(offset)?));
    };
    let (name, offset) = named.split_once("() +")?;
    let rows = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    let mut found = (1..=rows).map(|row| Token::new(TableId::METHOD_DEF, row));
    let mut found = found.by_ref().filter(|method| method_name(session, *method).is_some_and(|found| found == name));
    let method = found.next();
    Some((method.filter(|_| found.next().is_none()), number(offset)?))
}

/// Name of a method as a trace has it, `Ticker.Clock.Since`, unless its type is nested.
pub(super) fn method_name(session: &Session, method: Token) -> Option<String> {
    let names = session.names()?;
    let owner = names.owner(method.row());
    let mut name = String::new();
    names.write_reflection_type(owner, &mut name).ok()?;
    (owner > 0 && names.enclosing(owner) == 0).then(|| format!("{name}.{}", names.method_name(method)))
}

pub(super) fn msf(bytes: &[u8]) -> ExpectedAnswer {
    opened("input.pdb", bytes, |session, answer| {
        let pdb = session.windows_pdb()?;
        let header = answer.record(at(session, "header")?);
        add_fields(answer, header, &[("superblock", "page size", "pageSize")]);
        for page in &pdb.msf.superblock.page_list {
            answer.record(at(session, &format!("page/{page}"))?);
        }
        if let Some(problem) = pdb.msf.problems.first() {
            refused_by(answer, session, problem);
            return Some(());
        }
        let record = answer.record(at(session, "directory")?);
        add_fields(answer, record, &[("stream directory", "stream count", "streamCount")]);
        answer.set("streams", json!([]));
        let list = answer.records.get(record)?.list.clone();
        let (mut stream, mut page, mut sizes) = (0, 0, 0_usize);
        for (index, step) in list.iter().enumerate() {
            let Some(number) = step.field.number else { continue };
            match step.record.as_str() {
                "stream sizes" => {
                    let size = if number == NIL_STREAM { Value::Null } else { number.into() };
                    answer.put(format!("streams/{sizes}/size"), size, Some((record, index)));
                    answer.set(&format!("streams/{sizes}/pages"), json!([]));
                    sizes += 1;
                }
                "stream pages" => {
                    for change in &step.field.changes {
                        match change.state.name {
                            "stream" => stream = change.after,
                            "page of the stream" => page = change.after,
                            _ => {}
                        }
                    }
                    answer.put(format!("streams/{stream}/pages/{page}"), number, Some((record, index)));
                }
                _ => {}
            }
        }
        Some(())
    })
}

/// The answer of a codec whose reads have a place in the JSON.
fn of_codec(name: &str, bytes: &[u8], fields: &[FieldPath]) -> ExpectedAnswer {
    let Some(codec) = Codec::named(name) else { return ExpectedAnswer::default() };
    let found = codec.decode(bytes);
    if found.text.is_err() {
        let text = found.error_text(bytes).unwrap_or_default();
        return ExpectedAnswer::refused(text, vec![found.steps]);
    }
    let mut answer = ExpectedAnswer::default();
    let record = answer.record(found.steps);
    add_fields(&mut answer, record, fields);
    answer
}

/// Lines up to an empty one, and the bytes of the file after it.
pub(super) fn text_and_file(bytes: &[u8]) -> (String, &[u8]) {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned();
    (text, bytes.get(end + 2..).unwrap_or_default())
}

/// The first read of a record whose field has a name.
pub(super) fn read_named(answer: &ExpectedAnswer, record: usize, name: &str) -> Option<ReadAt> {
    let list = &answer.records.get(record)?.list;
    list.iter().position(|step| !step.field.group && step.field.name == name).map(|step| (record, step))
}

/// Refuses the input, with the records that were read so far.
pub(super) fn refused_by(answer: &mut ExpectedAnswer, session: &Session, error: &Error) {
    *answer = ExpectedAnswer::refused(session.spaces().error_text(error), std::mem::take(&mut answer.records));
}

/// The answer about a file; it is refused where `read` returns nothing.
pub(super) fn opened(
    name: &str,
    bytes: &[u8],
    read: impl FnOnce(&Session, &mut ExpectedAnswer) -> Option<()>,
) -> ExpectedAnswer {
    opened_pair(vec![(PathBuf::from(name), bytes.to_vec())], read)
}

fn opened_pair(
    files: Vec<(PathBuf, Vec<u8>)>,
    read: impl FnOnce(&Session, &mut ExpectedAnswer) -> Option<()>,
) -> ExpectedAnswer {
    let mut answer = ExpectedAnswer::default();
    let done = match Session::from_bytes(files) {
        Ok(session) => read(&session, &mut answer).ok_or_else(|| "the file has no such record".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let failed = answer.records.iter().position(|record| record.error.is_some());
    match (done, failed) {
        (Err(reason), _) => ExpectedAnswer::refused(reason, answer.records),
        (Ok(()), Some(failed)) => {
            let text = answer.records.get(failed).and_then(|record| record.error.as_ref()).map(ToString::to_string);
            ExpectedAnswer::refused(text.unwrap_or_default(), answer.records)
        }
        (Ok(()), None) => answer,
    }
}

fn in_portable(
    bytes: &[u8],
    read: impl FnOnce(&Session, &Metadata, &mut ExpectedAnswer) -> Option<()>,
) -> ExpectedAnswer {
    opened("input.pdb", bytes, |session, answer| read(session, &session.portable_pdb()?.metadata, answer))
}

pub(super) fn at(session: &Session, place: &str) -> Option<Steps> {
    steps(session, place.parse().ok()?)
}

pub(super) fn add_fields(answer: &mut ExpectedAnswer, record: usize, fields: &[FieldPath]) {
    let list = answer.records.get(record).map(|steps| steps.list.clone()).unwrap_or_default();
    for list in fields.iter().filter_map(|(.., path)| path.split_once("/#")) {
        answer.set(list.0, json!([]));
    }
    let mut seen = vec![0_usize; fields.len()];
    for (index, step) in list.iter().enumerate().filter(|(_, step)| !step.field.group) {
        let field = fields.iter().position(|(group, name, _)| *group == step.record && *name == step.field.name);
        let Some((number, (.., path))) = field.and_then(|field| Some((seen.get_mut(field)?, fields.get(field)?)))
        else {
            continue;
        };
        let path = path.replace('#', &number.to_string());
        *number += 1;
        let value = step.field.number.map_or_else(|| step.field.value.clone().into(), Value::from);
        answer.put(path, value, Some((record, index)));
    }
}

/// Adds the tables of a mask and the row counts that follow it.
fn add_counts(answer: &mut ExpectedAnswer, record: usize, mask: &str, path: &str) {
    answer.set(path, json!([]));
    let list = answer.records.get(record).map(|steps| steps.list.clone()).unwrap_or_default();
    let Some(at) = list.iter().position(|step| step.field.name == mask) else { return };
    let bits = list.get(at).and_then(|step| step.raw).unwrap_or(0);
    for (index, table) in of_mask(bits).enumerate() {
        let is_count = |(index, step): &(usize, &Step)| *index > at && step.field.name == table.name();
        let Some((read, step)) = list.iter().enumerate().find(is_count) else { continue };
        answer.put(format!("{path}/{index}/table"), table.0, Some((record, at)));
        answer.put(format!("{path}/{index}/rows"), step.field.number.unwrap_or(0), Some((record, read)));
    }
}

/// Adds the sequence points of a record, in the document of its row unless the blob names others.
pub(super) fn add_points(answer: &mut ExpectedAnswer, record: usize, prefix: &str, document: Option<u32>) {
    answer.set(&format!("{prefix}points"), json!([]));
    let list = answer.records.get(record).map(|steps| steps.list.clone()).unwrap_or_default();
    let mut now = document.map(i64::from);
    let mut point = 0_usize;
    for (index, step) in list.iter().enumerate() {
        let read = Some((record, index));
        let mut is_complete = false;
        let path = |name: &str| format!("{prefix}points/{point}/{name}");
        for change in &step.field.changes {
            match change.state.name {
                "document" => now = document.and(Some(change.after)),
                "IL offset" => {
                    answer.put(path("offset"), change.after, read);
                    if let Some(document) = now {
                        answer.put(path("document"), document, read);
                    }
                }
                "columns spanned" => answer.put(path("hidden"), step.record == "hidden point", read),
                "start line" => answer.put(path("startLine"), change.after, read),
                "start column" => answer.put(path("startColumn"), change.after, read),
                "points" => is_complete = true,
                _ => {}
            }
        }
        if is_complete {
            add_ends(answer, &list, (record, index), &path);
            point += 1;
        }
    }
}

/// Adds the end of the visible point that is complete with a step.
fn add_ends(
    answer: &mut ExpectedAnswer,
    list: &[Step],
    (record, last): (usize, usize),
    path: &impl Fn(&str) -> String,
) {
    for (field, from, to) in [("Δ lines", "startLine", "endLine"), ("Δ columns", "startColumn", "endColumn")] {
        let read = list.get(..last).and_then(|before| before.iter().rposition(|step| step.field.name == field));
        let distance = read.and_then(|read| list.get(read)?.field.number);
        let Some((distance, start)) = distance.zip(answer.number_at(&path(from))) else { continue };
        answer.set(&path(to), start.saturating_add(distance));
        answer.distance(path(to), path(from), distance, read.map(|read| (record, read)));
    }
}
