//! Versions of a method that hot reload changed; an offset does not show which version it belongs to.

use std::cell::LazyCell;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use pdblens_formats::points_around::PointsAround;
use pdblens_formats::portable::{Generation, PortablePdb};
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{self, NamedMethod};
use pdblens_nodes::method::il_label;
use pdblens_nodes::{CodeUnit, SequencePoint, TableId, Token};
use pdblens_session::session::{Session, closed_deltas, missing_delta};

const MAX_VERSIONS: usize = 8;

/// Returns whether a delta is open alone and does not have a method.
pub(super) fn is_absent(session: &Session, of: CodeUnit) -> bool {
    let (CodeUnit::Method(method), Some(pdb)) = (of, session.portable_pdb()) else { return false };
    pdb.is_delta() && session.symbols().is_some_and(|symbols| symbols.mapping(method).is_none())
}

/// The sentences about the versions of a method at an offset: a delta that is missing, and other lines of older versions.
pub fn sentences(session: &Session, of: CodeUnit, offset: u32) -> Vec<Reason> {
    let CodeUnit::Method(method) = of else { return Vec::new() };
    let shown = LazyCell::new(|| super::points_around(session, method, offset).shown());
    let line = |point: &SequencePoint| point.start_line;
    let others: Vec<String> = older(session, method, offset)
        .filter(|(_, found)| found.as_ref().map(line) != shown.as_ref().map(line))
        .map(|(file, found)| match found {
            Some(point) => format!("line {} ({file})", point.start_line),
            None => format!("no line ({file})"),
        })
        .take(MAX_VERSIONS)
        .collect();
    let other = (!others.is_empty()).then(|| {
        let text = format!(
            "this is the newest version of the method among the files named; in an older version it would be {}",
            others.join(", ")
        );
        Reason::new("older-version", text)
    });
    // Any method may be changed by a delta that was not named, those too that no later delta has.
    let deltas = session.portable_pdb().map(PortablePdb::generations).unwrap_or_default();
    let missing = deltas.iter().find_map(missing_delta).or_else(|| missing_by_name(deltas));
    let missing = missing.map(|text| Reason::new("missing-delta", text));
    let closed = closed_text(session, method).map(|text| Reason::new("closed-delta", text));
    missing.into_iter().chain(other).chain(closed).collect()
}

/// Sentence about deltas that change a method and are not open.
fn closed_text(session: &Session, method: Token) -> Option<String> {
    let closed = closed_deltas(session).iter().filter(|delta| delta.changes(method.row()));
    let names: Vec<&str> = closed.take(MAX_VERSIONS).map(|delta| delta.name.as_str()).collect();
    let are = if names.len() > 1 { "are" } else { "is" };
    (!names.is_empty()).then(|| {
        format!(
            "hot reload changed the method in {}, which {are} not open: the line is that before it",
            names.join(", ")
        )
    })
}

/// Files with older versions of a method, the newest first, and the point that each shows for an offset.
fn older(session: &Session, method: Token, offset: u32) -> impl Iterator<Item = (&str, Option<SequencePoint>)> {
    let base = session.symbol_file().map_or("", |file| file.name.as_str());
    let versions = session.portable_pdb().into_iter().flat_map(move |pdb| pdb.versions(method.row()));
    versions.skip(1).map(move |version| {
        let mut found = PointsAround::default();
        // A version whose points cannot be read has no line.
        if let Ok(Some(points)) = version.pdb.points(method.row()) {
            let _ = points.map_while(Result::ok).try_for_each(|point| found.see(offset, point));
        }
        (version.file.unwrap_or(base), found.shown())
    })
}

/// A version of a method that hot reload changed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "method_version"))]
pub struct MethodVersion {
    /// Name of the file with it.
    pub file: String,
    /// Its first line; `null` where its points cannot be read, or all are hidden.
    pub start_line: Option<u32>,
    /// Its last line.
    pub end_line: Option<u32>,
}

impl fmt::Display for MethodVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.start_line, self.end_line) {
            (Some(first), Some(last)) => write!(f, "{} {first}–{last}", self.file),
            _ => write!(f, "{} no lines", self.file),
        }
    }
}

/// The versions of a method, the one that is taken first; empty unless there are several.
pub fn versions_of(session: &Session, method: Token) -> Vec<MethodVersion> {
    let base = session.symbol_file().map_or("", |file| file.name.as_str());
    let reloaded = session.portable_pdb().filter(|pdb| !pdb.generations().is_empty());
    let versions = reloaded.into_iter().flat_map(|pdb| pdb.versions(method.row()));
    let found: Vec<MethodVersion> = versions
        .take(MAX_VERSIONS)
        .map(|version| {
            let points = version.pdb.points(method.row()).ok().flatten();
            let points = points.into_iter().flatten().map_while(Result::ok).filter(|point| !point.is_hidden());
            let lines = points.fold(None::<(u32, u32)>, |lines, point| {
                let (first, last) = lines.unwrap_or((point.start_line, point.end_line));
                Some((first.min(point.start_line), last.max(point.end_line)))
            });
            let (start_line, end_line) = lines.unzip();
            MethodVersion { file: version.file.unwrap_or(base).to_owned(), start_line, end_line }
        })
        .collect();
    if found.len() < 2 { Vec::new() } else { found }
}

/// A line in the versions of a method that hot reload changed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "line_generations"))]
pub struct LineGenerations {
    /// The method.
    pub method: NamedMethod,
    /// Its versions, the one that is taken first.
    pub versions: Vec<LineVersion>,
}

/// A line in a version of a method.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "line_version"))]
pub struct LineVersion {
    /// Name of the file with it.
    pub file: String,
    /// IL offset of the first point on the line; `null` where it has no code.
    pub il: Option<u32>,
}

impl fmt::Display for LineGenerations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, LineVersion { file, il }) in self.versions.iter().enumerate() {
            let at = il.map_or_else(|| "no code".to_owned(), |il| il_label(il.into()));
            let (comma, taken) = if index == 0 { ("", " (taken)") } else { (", ", "") };
            write!(f, "{comma}{at} in {file}{taken}")?;
        }
        Ok(())
    }
}

/// The generations of a line of documents: each method that hot reload changed and that has code on the line in some version.
pub fn generations_of_line(session: &Session, documents: &[u32], line: u32) -> Vec<LineGenerations> {
    let Some(pdb) = session.portable_pdb().filter(|pdb| !pdb.generations().is_empty()) else { return Vec::new() };
    let base = session.symbol_file().map_or("", |file| file.name.as_str());
    let is_on = |point: &SequencePoint| !point.is_hidden() && (point.start_line..=point.end_line).contains(&line);
    let mut all = Vec::new();
    for method in
        (1..=session.methods()).filter(|row| pdb.newest(*row).is_some()).map(|row| Token::new(TableId::METHOD_DEF, row))
    {
        let mut is_of_documents = false;
        let _ = code_unit::each_point(session, method.into(), &mut |point| {
            is_of_documents |= documents.contains(&point.document);
            if is_of_documents { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if !is_of_documents {
            continue;
        }
        let version = |version: pdblens_formats::portable::MethodVersion<'_>| {
            let mut points =
                version.pdb.points(method.row()).ok().flatten().into_iter().flatten().map_while(Result::ok);
            LineVersion {
                file: version.file.unwrap_or(base).to_owned(),
                il: points.find(is_on).map(|point| point.offset),
            }
        };
        let versions: Vec<LineVersion> = pdb.versions(method.row()).take(MAX_VERSIONS).map(version).collect();
        if versions.iter().any(|version| version.il.is_some()) {
            all.push(LineGenerations { method: NamedMethod::of(session, method), versions });
        }
    }
    all
}

/// Sentence about deltas whose names are numbered, and not from 1 on without a gap: `App.2.pdb` after `App.pdb`.
fn missing_by_name(generations: &[Generation]) -> Option<String> {
    let mut next = 1;
    for delta in generations {
        let stem = Path::new(&delta.name).file_stem()?.to_str()?;
        let number: u32 = stem.rsplit_once('.')?.1.parse().ok()?;
        // Some count from 0.
        if number > next {
            let name = &delta.name;
            return Some(format!(
                "a delta before {name} may be missing: judging by the names, number {next} was not opened"
            ));
        }
        next = number.checked_add(1)?;
    }
    None
}
