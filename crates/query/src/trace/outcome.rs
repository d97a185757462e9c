//! Outcomes of frames, and their summary.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::frame::Edit;
use super::symbols::stem;
use crate::certainty::Certainty;
use crate::where_is::versions::MethodVersion;
use crate::where_is::{CallSite, Hop, Relation};
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{CodeOffset, NamedCode};
use pdblens_nodes::function::InlinedCall;
use pdblens_session::text::safe::{count, visible};
use serde::Serialize;

/// Limit on the causes that a summary tells apart, for a trace may name any number of modules.
const MAX_CAUSES: usize = 64;
const MAX_NAMED: usize = 6;

/// Outcome of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Outcome {
    /// The line was found.
    Resolved(Box<Resolved>),
    /// The text has the line already.
    Known,
    /// Several methods match, or one without an offset.
    Candidates {
        /// The methods.
        #[serde(rename = "candidates")]
        found: Vec<Candidate>,
        /// Reason that no one method is meant: `no-offset`, `ambiguous`.
        #[serde(flatten)]
        refusal: Refusal,
    },
    /// Reason that there is no line: `no-symbols`, `other-build`, `no-module`, `no-method`, `no-offset`, `machine-code`, `no-source`,
    /// `ambiguous`, `not-proved` or `damaged`.
    #[serde(rename = "unresolved")]
    No(Refusal),
}

impl Outcome {
    /// Certainty of the line, or that there is none.
    pub fn certainty(&self) -> Certainty {
        match self {
            Self::Resolved(found) => found.certainty(),
            Self::Known => Certainty::Known,
            Self::Candidates { found, refusal } => match found.as_slice() {
                [only] => only.certainty(&refusal.cause),
                _ => Certainty::Open,
            },
            Self::No(refusal) => refusal.cause.certainty(),
        }
    }

    /// Bytes of its texts.
    pub(super) fn text_size(&self) -> usize {
        let of_candidate = |of: &Candidate| {
            let versions = of.versions.iter().map(|version| version.file.len());
            let texts = of.lines.iter().map(|lines| lines.path.len()).chain(versions);
            2 * of.code.name().len() + of.symbols.len() + texts.sum::<usize>()
        };
        match self {
            Self::Known => 0,
            Self::No(refusal) => refusal.reason.len(),
            Self::Candidates { found, refusal } => refusal.reason.len() + found.iter().map(of_candidate).sum::<usize>(),
            Self::Resolved(found) => {
                let notes = found.notes.iter().map(|note| note.text.len());
                2 * found.code.name().len() + found.symbols.len() + found.path.len() + notes.sum::<usize>()
            }
        }
    }

    /// The methods that a frame could mean.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn of_candidates(found: Vec<Candidate>, refusal: Refusal) -> Result<Self, Refusal> {
        if found.is_empty() { Err(refusal) } else { Ok(Self::Candidates { found, refusal }) }
    }
}

/// The code of a frame, and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "resolved"))]
pub struct Resolved {
    /// The method or function.
    #[serde(flatten)]
    pub code: NamedCode,
    /// Offset in its code.
    #[serde(rename = "at")]
    pub offset: CodeOffset,
    /// Path of the document, as the symbols have it.
    #[serde(rename = "document")]
    pub path: String,
    /// First line of the sequence point.
    #[serde(rename = "start_line")]
    pub line: u32,
    /// Its first column.
    #[serde(rename = "start_column")]
    pub column: u32,
    /// Its last line.
    pub end_line: u32,
    /// Exclusive.
    pub end_column: u32,
    /// Evidence that the frame is of the build with these symbols, strongest first: `id` (MVID, or GUID and age), `stamp` (time stamp of the
    /// image), `code` (the offset is at a call of the method in the frame above: the code fits, its lines may be others), `name-and-row` (the
    /// token's row has the frame's name), `name`, `none`. Only `id` proves it.
    pub proof: Proof,
    /// A call is missing where the frame should be at one (`no-call`): the build may be another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Reason>,
    /// Symbols that the line comes from.
    pub symbols: String,
    /// The pair that they are of: [`Tracer::pair`](super::Tracer::pair) has it.
    #[serde(skip)]
    pub pair: usize,
    /// Call that the frame was at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// Calls that were inlined there, outermost first; of native code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlined: Vec<InlinedCall>,
    /// Functions that the linker folded into the same code and whose lines are others: any of them may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<Alternative>,
    /// Mappings that were applied between the frame and the record that answers, in their order; `notes` has their sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<Hop>,
    /// The code contradicts all of the symbols (`image`) or those of the method (`method`): the line may be another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<Reason>,
    /// A hot-reload delta that is not open changes the method: the line is that before it.
    #[serde(skip)]
    pub is_reloaded: bool,
    /// Reasons for the choice, one sentence each.
    pub notes: Vec<Reason>,
}

/// Function that may be meant in the place of the one that is named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "alternative"))]
pub struct Alternative {
    /// Its name.
    pub name: String,
    /// Line of its source.
    pub line: u32,
}

const MAX_FOLDED: usize = 3;
/// Code of the note on a line that is that of the last visible point before a hidden one.
pub(super) const HIDDEN: &str = "hidden";
/// Code of the note on a line that is that of the code before an epilog.
pub(super) const EPILOG: &str = "epilog";

impl Resolved {
    /// Returns whether the function goes by a name, or code inlined there does, with or without its namespaces.
    pub(super) fn is_of(&self, name: &str) -> bool {
        is_called(self.code.name(), name) || self.inlined.iter().any(|call| is_called(&call.name, name))
    }

    /// Certainty that the frame was at that line.
    fn certainty(&self) -> Certainty {
        match self.proof {
            _ if self.contradiction.is_some() || self.doubt.is_some() => {
                Certainty::NotKnown("the symbols of the build that ran")
            }
            _ if self.is_reloaded => Certainty::NotKnown("the deltas of hot reload"),
            _ if !self.folded.is_empty() => Certainty::Open,
            // Another path than that through the visible point may lead to the hidden one.
            Proof::Id if self.notes.iter().any(|note| note.reason == HIDDEN) => {
                Certainty::Derived("last-visible-point")
            }
            Proof::Id if self.notes.iter().any(|note| note.reason == EPILOG) => Certainty::Derived("map-before-epilog"),
            Proof::Id => Certainty::Known,
            Proof::None => Certainty::NotKnown("an id of the build in the trace"),
            evidence => Certainty::Derived(evidence.word()),
        }
    }

    /// Returns true for a line with the mark [`UNPROVED`]. A doubt about the build is written out instead.
    pub const fn is_marked(&self) -> bool {
        !self.proof.is_of_build() && self.doubt.is_none()
    }

    /// Text to insert into the trace, and the range that it replaces. Where folded functions have other lines, it names some.
    pub(super) fn edit(&self, edit: &Edit) -> Option<(Range<usize>, String)> {
        let (range, mut new) = edit.text(&visible(&self.path), self.line)?;
        let named = self.folded.iter().take(MAX_FOLDED);
        let named = named.map(|Alternative { name, line }| format!("line {line} of {}", visible(name)));
        let named = named.collect::<Vec<_>>().join(" or ");
        if !matches!(edit, Edit::Piped(_)) && self.doubt.is_some() {
            new.push_str(" (build in doubt)");
        }
        if matches!(edit, Edit::In(_)) && !named.is_empty() {
            let more = if self.folded.len() > MAX_FOLDED { " or others" } else { "" };
            new = format!("{new} (or {named}{more}: folded)");
        }
        Some((range, new))
    }
}

/// Returns whether a function goes by the name in a frame, with or without its namespaces.
pub(super) fn is_called(function: &str, name: &str) -> bool {
    function.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

/// Call that a frame was at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "call_of_frame"))]
pub struct Call {
    /// Position of the frame's offset: `after` the call, which is the address that it returns to, `at` it, or `before` it.
    pub relation: Relation,
    /// The call.
    #[serde(flatten)]
    pub site: CallSite,
    /// The frame above is of a method of the callee's name: evidence that this is the call.
    #[serde(rename = "is_frame_above")]
    pub is_above: bool,
}

impl Call {
    /// Returns true if it is the call of the frame above, and no other statement begins between the frame's offset and it.
    /// `end` is the offset of the first sequence point after the frame's offset.
    pub(super) fn fits_above(&self, end: Option<u32>) -> bool {
        let is_in_statement = end.is_none_or(|end| self.site.offset() < end);
        self.is_above && (self.relation != Relation::Before || is_in_statement)
    }

    /// `after the call to Int32.Parse at IL_0003`
    pub fn sentence(&self) -> String {
        let (relation, callee) = (self.relation.word(), &self.site.callee);
        let evidence = if self.is_above { ", the frame above: evidence that the frame is there" } else { "" };
        format!("{relation} the call to {callee} at {}{evidence}", self.site.label())
    }
}

/// A method or a function that a frame could mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "candidate"))]
pub struct Candidate {
    /// The method or function.
    #[serde(flatten)]
    pub code: NamedCode,
    /// Offset in its code, where the image has that and only symbols are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<CodeOffset>,
    /// Symbols that know it.
    pub symbols: String,
    /// The pair that they are of.
    #[serde(skip)]
    pub pair: usize,
    /// Its lines in each document, in the order of its code.
    #[serde(rename = "documents")]
    pub lines: Vec<CandidateLines>,
    /// Files with a version of the method that hot reload changed, and the lines of each, the one that is taken first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<MethodVersion>,
}

impl Candidate {
    /// Certainty of the line of a frame that can mean this method alone, and lacks an offset.
    fn certainty(&self, refused: &Cause) -> Certainty {
        let mut calls = self.lines.iter().flat_map(|of| &of.calls);
        match (refused, calls.next(), calls.next()) {
            (Cause::NoOffset | Cause::MachineCode, Some(_), None) => Certainty::Derived("only-call"),
            (Cause::Ambiguous, ..) => Certainty::NotKnown("an offset of IL, or the instantiation that ran"),
            _ => refused.certainty(),
        }
    }
}

/// Lines of a candidate in one document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "candidate_document"))]
pub struct CandidateLines {
    /// Path of the document.
    #[serde(rename = "document")]
    pub path: String,
    /// First line.
    #[serde(rename = "start_line")]
    pub first: u32,
    /// Last line.
    #[serde(rename = "end_line")]
    pub last: u32,
    /// Lines on which it calls the method of the frame above.
    #[serde(rename = "calls_on_lines", skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<u32>,
}

/// Reason for which a frame has no line.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "refusal"))]
pub struct Refusal {
    /// Kind of the reason, the same for frames that the same remedy would help.
    #[serde(rename = "reason", serialize_with = "word")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub cause: Cause,
    /// The sentence.
    #[serde(rename = "text")]
    pub reason: String,
}

fn word<S: serde::Serializer>(cause: &Cause, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(cause.word())
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// No symbols for a module, which is named.
    NoSymbols(String),
    /// The symbols at hand are those of another build of a module, which is named.
    OtherBuild(String),
    /// The frame names no module, or one that nothing at hand identifies.
    NoModule,
    /// The symbols have no such method or function.
    NoMethod,
    /// The frame has no offset, or none that the runtime knew.
    NoOffset,
    /// The offset is one of machine code, and the symbols are of IL.
    MachineCode,
    /// The code has no source: it is hidden, or made by the compiler.
    NoSource,
    /// Several methods, functions or builds remain.
    Ambiguous,
    /// A line was found, and less proof of the build than is required.
    NotProved,
    Damaged,
}

impl Cause {
    pub(crate) fn because(self, reason: impl Into<String>) -> Refusal {
        Refusal { cause: self, reason: reason.into() }
    }

    /// Name in JSON.
    pub const fn word(&self) -> &'static str {
        self.words().0
    }

    const fn certainty(&self) -> Certainty {
        Certainty::NotKnown(match self {
            Self::NoSymbols(_) => "the symbols of the module",
            Self::OtherBuild(_) => "the symbols of the build that ran",
            Self::NoModule => "the name or the id of the module",
            Self::NoMethod => "symbols that have the method",
            Self::NoOffset => "an offset in the frame",
            Self::MachineCode => "the machine code of the method",
            Self::NotProved => "more proof of the build",
            Self::Damaged => "symbols that can be read",
            Self::NoSource => return Certainty::Known,
            Self::Ambiguous => return Certainty::Open,
        })
    }

    /// Name in JSON, and the words of a summary; a module follows them where it is named.
    const fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::NoSymbols(_) => ("no-symbols", "no symbols for"),
            Self::OtherBuild(_) => ("other-build", "another build of"),
            Self::NoModule => ("no-module", "no module"),
            Self::NoMethod => ("no-method", "no such method"),
            Self::NoOffset => ("no-offset", "no IL offset"),
            Self::MachineCode => ("machine-code", "offset of machine code"),
            Self::NoSource => ("no-source", "no source"),
            Self::Ambiguous => ("ambiguous", "ambiguous"),
            Self::NotProved => ("not-proved", "not proved as required"),
            Self::Damaged => ("damaged", "damaged symbols"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.words().1;
        match self {
            Self::NoSymbols(module) | Self::OtherBuild(module) => write!(f, "{text} {module}"),
            _ => f.write_str(text),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub frames: u64,
    pub resolved: u64,
    /// Frames with a line that no id in the trace proves to be of this build.
    pub unproved: u64,
    /// Those of them with a caller that calls nothing there.
    pub doubtful: u64,
    /// Frames with a line whose code contradicts the symbols.
    pub contradicted: u64,
    /// Those of them that may be of another function, which the linker folded into the same code.
    pub folded: u64,
    /// Frames with a line in a method that was changed by a hot-reload delta, which is not open.
    pub reloaded: u64,
    pub known: u64,
    /// Frames with a line that no id proves, by the name of their symbols without its ending.
    unproved_by: BTreeMap<String, u64>,
    causes: BTreeMap<Cause, u64>,
    /// Frames without a line whose cause was dropped because there were too many causes.
    rest: u64,
}

impl Summary {
    /// Returns true if no frame has a line, or one was refused for its proof; false for a text without frames.
    pub fn lacks_answer(&self) -> bool {
        self.frames > 0 && self.resolved + self.known == 0 || self.causes.contains_key(&Cause::NotProved)
    }

    pub fn add(&mut self, outcome: &Outcome) {
        self.frames += 1;
        match outcome {
            Outcome::Resolved(found) => {
                self.resolved += 1;
                if !found.proof.is_of_build() {
                    self.unproved += 1;
                    let name = stem(&found.symbols);
                    let is_full = self.unproved_by.len() >= MAX_CAUSES;
                    match self.unproved_by.get_mut(name) {
                        Some(frames) => *frames += 1,
                        None if is_full => {}
                        None => drop(self.unproved_by.insert(name.to_owned(), 1)),
                    }
                }
                self.doubtful += u64::from(found.doubt.is_some());
                self.contradicted += u64::from(found.contradiction.is_some());
                self.folded += u64::from(!found.folded.is_empty());
                self.reloaded += u64::from(found.is_reloaded);
            }
            Outcome::Known => self.known += 1,
            Outcome::Candidates { refusal, .. } | Outcome::No(refusal) => {
                let is_full = self.causes.len() >= MAX_CAUSES;
                match self.causes.get_mut(&refusal.cause) {
                    Some(frames) => *frames += 1,
                    None if is_full => self.rest += 1,
                    None => drop(self.causes.insert(refusal.cause.clone(), 1)),
                }
            }
        }
    }
}

impl Summary {
    /// Frames with a line that no id proves, by symbols that other frames of the text cannot be of.
    fn contradicted_elsewhere(&self) -> u64 {
        let is_other = |name: &str| {
            let module = |cause: &Cause| matches!(cause, Cause::OtherBuild(module) if stem(module) == name);
            self.causes.keys().any(module)
        };
        self.unproved_by.iter().filter(|(name, _)| is_other(name)).map(|(_, frames)| frames).sum()
    }
}

/// `42 frames: 39 resolved, 2 no symbols for X.dll, 1 no IL offset; build not proved (~)`
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} resolved", count(self.frames, "frame"), self.resolved)?;
        for (frames, why) in [
            (self.doubtful, "in doubt: no call where the frame is a caller"),
            (self.contradicted, "by symbols that the code contradicts"),
            (self.contradicted_elsewhere(), "by symbols that other frames of the text contradict"),
            (self.folded, "in code shared by several functions"),
            (self.reloaded, "in methods that hot reload changed, by deltas that are not open"),
        ] {
            if frames > 0 {
                write!(f, " ({frames} of them {why})")?;
            }
        }
        if self.known > 0 {
            write!(f, ", {} with a line already", self.known)?;
        }
        let mut causes: Vec<(&Cause, &u64)> = self.causes.iter().collect();
        causes.sort_by_key(|(_, frames)| std::cmp::Reverse(**frames));
        let (named, others) = causes.split_at(causes.len().min(MAX_NAMED));
        for (cause, frames) in named {
            write!(f, ", {frames} {cause}")?;
        }
        let others = others.iter().map(|(_, frames)| **frames).sum::<u64>() + self.rest;
        if others > 0 {
            write!(f, ", {others} for other reasons")?;
        }
        match self.unproved {
            0 => Ok(()),
            all if all == self.resolved => write!(f, "; build not proved ({UNPROVED})"),
            some => write!(f, "; build of {some} not proved ({UNPROVED})"),
        }
    }
}

/// Mark behind the line of a frame whose build is not proved.
pub const UNPROVED: &str = "~";

/// Evidence that a frame is of a build, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "proof"))]
pub enum Proof {
    /// Nothing: a row or an address would have been found in any build.
    #[default]
    None,
    /// The symbols have a method or function of the name in the frame.
    Name,
    /// The row of the token in the frame has the name in the frame.
    NameAndRow,
    /// The statement at the offset calls the method of the frame above: the code fits, and its lines may be those of another build.
    Code,
    /// The image has the name and the time stamp in the trace: 32 bits, which two builds may share.
    Stamp,
    /// The trace has an id of the build: MVID, or GUID and age of the symbols.
    Id,
}

impl Proof {
    /// Name in JSON and in options.
    pub const fn word(self) -> &'static str {
        self.words().0
    }

    /// Name in JSON, and the words of a sentence.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("none", "none"),
            Self::Name => ("name", "name of the method"),
            Self::NameAndRow => ("name-and-row", "name and token"),
            Self::Code => ("code", "code, by the call of the frame above"),
            Self::Stamp => ("stamp", "time stamp of the image"),
            Self::Id => ("id", "id of the build"),
        }
    }

    /// Returns true if the trace identifies the build. All else may be the same in another build, which has other lines.
    pub const fn is_of_build(self) -> bool {
        matches!(self, Self::Id)
    }
}

/// `proof: name and token`
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "proof: {}", self.words().1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_counts_every_frame_once_and_stays_short() {
        let mut summary = Summary::default();
        summary.add(&Outcome::Known);
        for _ in 0..2 {
            summary.add(&Outcome::No(Cause::NoSymbols("X.dll".to_owned()).because("")));
        }
        summary.add(&Outcome::Candidates { found: Vec::new(), refusal: Cause::NoOffset.because("") });
        let text = "4 frames: 0 resolved, 1 with a line already, 2 no symbols for X.dll, 1 no IL offset";
        assert_eq!(summary.to_string(), text);
        for number in 0..1000 {
            summary.add(&Outcome::No(Cause::NoSymbols(number.to_string()).because("")));
        }
        assert!(summary.to_string().len() < 300 && summary.causes.len() == MAX_CAUSES, "{summary}");
        let counted = summary.known + summary.rest + summary.causes.values().sum::<u64>();
        assert_eq!(counted, summary.frames);
    }
}
