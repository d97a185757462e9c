//! Outcomes of frames, and their summary.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::frame::Edit;
use super::proof::Proof;
use crate::where_is::versions::MethodVersion;
use crate::where_is::{CallSite, Hop, Relation};
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::InlinedCall;
use pdblens_session::text::safe::{count, visible};

/// Limit on the causes that a summary tells apart, for a trace may name any number of modules.
const MAX_CAUSES: usize = 64;

/// Limit on the causes that a summary names.
const MAX_NAMED: usize = 6;

/// Outcome of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its line is known now.
    Resolved(Box<Resolved>),
    /// The trace has its line already.
    Known,
    /// Several methods match, or one without an offset.
    Candidates(Vec<Candidate>, Refusal),
    /// It cannot be resolved.
    No(Refusal),
}

/// Resolved location of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The path of the document.
    pub path: String,
    /// The first line of the sequence point.
    pub line: u32,
    /// Its first column.
    pub column: u32,
    /// Its last line.
    pub end_line: u32,
    /// The column after its last.
    pub end_column: u32,
    /// Method or function of the code.
    pub of: CodeUnit,
    /// Its name.
    pub name: String,
    /// Name of a method as metadata has it.
    pub full_name: Option<String>,
    /// IL offset in the method, or offset of the machine code in the function.
    pub offset: u32,
    /// Evidence that the frame is of the build with these symbols.
    pub proof: Proof,
    /// Sentence about a call that is missing where the frame should be at one: the build may be another.
    pub doubt: Option<Reason>,
    /// The symbols that say so.
    pub symbols: String,
    /// The pair that they are of: [`Tracer::pair`](super::Tracer::pair) has it.
    pub pair: usize,
    /// The call that the frame was at.
    pub call: Option<Call>,
    /// The calls that were inlined there, the outermost first, of native code.
    pub inlined: Vec<InlinedCall>,
    /// Functions that the linker folded into the same code, with other lines: the frame may mean any of them.
    pub folded: Vec<(String, u32)>,
    /// The mappings that were applied, in their order; `notes` has their sentences.
    pub hops: Vec<Hop>,
    /// Sentence about symbols that the code contradicts, in this method or in all of the image: the line may be another.
    pub contradiction: Option<Reason>,
    /// A hot-reload delta that is not open changes the method: the line is that before it.
    pub is_reloaded: bool,
    /// Notes on the resolution.
    pub notes: Vec<Reason>,
}

/// Limit on the folded functions that the text of a trace names.
const MAX_FOLDED: usize = 3;

impl Resolved {
    /// Returns whether the function goes by a name, or code inlined there does, with or without its namespaces.
    pub(super) fn is_of(&self, name: &str) -> bool {
        let is_it = |own: &str| own.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"));
        is_it(&self.name) || self.inlined.iter().any(|call| is_it(&call.name))
    }

    /// Text to insert into the trace, and the range that it replaces. Where folded functions have other lines, it names some.
    pub(super) fn edit(&self, edit: &Edit) -> Option<(Range<usize>, String)> {
        let (range, mut new) = edit.text(&visible(&self.path), self.line)?;
        let named = self.folded.iter().take(MAX_FOLDED).map(|(name, line)| format!("line {line} of {}", visible(name)));
        let named = named.collect::<Vec<_>>().join(" or ");
        if matches!(edit, Edit::In(_) | Edit::File(..)) && self.doubt.is_some() {
            new.push_str(" (build in doubt)");
        }
        if matches!(edit, Edit::In(_)) && !named.is_empty() {
            let more = if self.folded.len() > MAX_FOLDED { " or others" } else { "" };
            new = format!("{new} (or {named}{more}: folded)");
        }
        Some((range, new))
    }
}

/// Call that a frame was at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Position of the frame's offset in relation to it.
    pub relation: Relation,
    /// The call.
    pub site: CallSite,
    /// The frame above is of a method of the callee's name: evidence that this is the call.
    pub is_above: bool,
}

impl Call {
    /// Returns true if it is the call of the frame above, and no other statement begins between the frame's offset and it.
    /// `end` is the offset of the first sequence point after the frame's offset.
    pub(super) fn is_chain(&self, end: Option<u32>) -> bool {
        let is_in_statement = end.is_none_or(|end| self.site.offset < end);
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The method or function.
    pub of: CodeUnit,
    /// Its name.
    pub name: String,
    /// Name of a method as metadata has it.
    pub full_name: Option<String>,
    /// The symbols that know it.
    pub symbols: String,
    /// The pair that they are of.
    pub pair: usize,
    /// Its lines in each document, in the order of its code.
    pub lines: Vec<CandidateLines>,
    /// The files with a version of it, and the lines of each, the one that is taken first; empty unless hot reload changed it.
    pub versions: Vec<MethodVersion>,
}

/// Lines of a candidate in one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateLines {
    /// Path of the document.
    pub path: String,
    /// First line.
    pub first: u32,
    /// Last line.
    pub last: u32,
    /// Lines on which the candidate calls the method of the frame above.
    pub calls: Vec<u32>,
}

impl Outcome {
    /// The same outcome, with mappings that led to it.
    #[must_use]
    pub(super) fn with_hops(mut self, hops: Vec<Hop>) -> Self {
        if let Self::Resolved(found) = &mut self {
            found.hops = hops;
        }
        self
    }
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

/// Kind of a [`Refusal`].
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
    /// The symbols cannot be read.
    Damaged,
}

impl Cause {
    /// A refusal of this cause.
    pub(crate) fn because(self, reason: impl Into<String>) -> Refusal {
        Refusal { cause: self, reason: reason.into() }
    }

    /// Name in JSON.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NoSymbols(_) => "no-symbols",
            Self::OtherBuild(_) => "other-build",
            Self::NoModule => "no-module",
            Self::NoMethod => "no-method",
            Self::NoOffset => "no-offset",
            Self::MachineCode => "machine-code",
            Self::NoSource => "no-source",
            Self::Ambiguous => "ambiguous",
            Self::NotProved => "not-proved",
            Self::Damaged => "damaged",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSymbols(module) => write!(f, "no symbols for {module}"),
            Self::OtherBuild(module) => write!(f, "another build of {module}"),
            Self::NoModule => f.write_str("no module"),
            Self::NoMethod => f.write_str("no such method"),
            Self::NoOffset => f.write_str("no IL offset"),
            Self::MachineCode => f.write_str("offset of machine code"),
            Self::NoSource => f.write_str("no source"),
            Self::Ambiguous => f.write_str("ambiguous"),
            Self::NotProved => f.write_str("not proved as required"),
            Self::Damaged => f.write_str("damaged symbols"),
        }
    }
}

/// Counts of the outcomes of a trace.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Frames in all.
    pub frames: u64,
    /// Frames whose line was found.
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
    /// Frames that had their line already.
    pub known: u64,
    /// Frames without a line, by their cause.
    causes: BTreeMap<Cause, u64>,
    /// Frames without a line whose cause was dropped because there were too many causes.
    rest: u64,
}

impl Summary {
    /// Frames that have no line because less is proved of their build than is required.
    fn refused_for_proof(&self) -> u64 {
        self.causes.get(&Cause::NotProved).copied().unwrap_or_default()
    }

    /// Returns true if no frame has a line, or one was refused for its proof; false for a text without frames.
    pub fn lacks_answer(&self) -> bool {
        self.frames > 0 && self.resolved + self.known == 0 || self.refused_for_proof() > 0
    }

    /// Counts one more frame.
    pub fn add(&mut self, outcome: &Outcome) {
        self.frames += 1;
        match outcome {
            Outcome::Resolved(found) => {
                self.resolved += 1;
                self.unproved += u64::from(!found.proof.is_of_build());
                self.doubtful += u64::from(found.doubt.is_some());
                self.contradicted += u64::from(found.contradiction.is_some());
                self.folded += u64::from(!found.folded.is_empty());
                self.reloaded += u64::from(found.is_reloaded);
            }
            Outcome::Known => self.known += 1,
            Outcome::Candidates(_, refusal) | Outcome::No(refusal) => {
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

/// `42 frames: 39 resolved, 2 no symbols for X.dll, 1 no IL offset; build not proved`
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} resolved", count(self.frames, "frame"), self.resolved)?;
        if self.doubtful > 0 {
            write!(f, " ({} of them in doubt: no call where the frame is a caller)", self.doubtful)?;
        }
        if self.contradicted > 0 {
            write!(f, " ({} of them by symbols that the code contradicts)", self.contradicted)?;
        }
        if self.folded > 0 {
            write!(f, " ({} of them in code shared by several functions)", self.folded)?;
        }
        if self.reloaded > 0 {
            write!(f, " ({} of them in methods that hot reload changed, by deltas that are not open)", self.reloaded)?;
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
            all if all == self.resolved => f.write_str("; build not proved"),
            some => write!(f, "; build of {some} not proved"),
        }
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
        summary.add(&Outcome::Candidates(Vec::new(), Cause::NoOffset.because("")));
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
