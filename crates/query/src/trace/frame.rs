//! One frame of a stack trace, as a form has read it.

use std::ops::Range;

use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::Token;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Bytes of the frame in its line.
    pub range: Range<usize>,
    /// Line of the text without its escapes, counted on from document to document; 0 for a frame that no line of a trace holds.
    pub row: u64,
    /// The method's type and name, as written.
    pub name: String,
    /// Text between its parentheses; `None` where the form has no parameters.
    pub parameters: Option<String>,
    /// Running method of the state machine, where the frame has it: for iterators, `MoveNext`.
    pub inner: Option<String>,
    pub module: Module,
    pub token: Option<Token>,
    pub offset: Offset,
    /// Path of the file, where the trace has that.
    pub path: Option<String>,
    /// Edit of the line when the source is known.
    pub edit: Edit,
}

impl Frame {
    /// Bytes of the names in it.
    pub(super) fn text_size(&self) -> usize {
        let rest = [&self.parameters, &self.inner].into_iter().flatten().map(String::len);
        self.name.len() + self.module.name().len() + rest.sum::<usize>()
    }

    /// The frame of a line that is part of a longer one, at an offset of that.
    pub(crate) fn moved(mut self, by: usize) -> Self {
        let moved = |range: &Range<usize>| range.start + by..range.end + by;
        self.range = moved(&self.range);
        match &mut self.edit {
            Edit::None => {}
            Edit::File(range, _) | Edit::Colon(range) | Edit::In(range) | Edit::Piped(range) => *range = moved(range),
        }
        self
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Module {
    /// The frame names none.
    #[default]
    Unknown,
    /// By file name: `App.dll`.
    File(String),
    /// By file name or assembly name, and the time stamp of its image.
    Stamped(String, u32),
    /// By a line before it, which names the faulting module.
    Faulting,
    /// The one that is loaded at the address, which a line before it may name.
    Loaded,
    /// By a short name, which a footer explains.
    Footer(String),
    /// By module version id, and the name of a file, which may be empty.
    Mvid(Guid, String),
    /// By the id of the symbols, and the name of a file; the number after the GUID is an age or a stamp.
    Symbols(Guid, Option<u32>, String),
}

impl Module {
    /// The module of an error report, which may have neither name nor stamp.
    pub(crate) fn named(name: String, stamp: Option<u32>) -> Self {
        match stamp {
            _ if name.is_empty() => Self::Unknown,
            Some(stamp) if stamp != 0 => Self::Stamped(name, stamp),
            _ => Self::File(name),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Offset {
    #[default]
    None,
    /// At an IL offset. In an async method or an iterator it counts in the body, whatever method is named.
    Il(u32),
    /// At an IL offset of exactly the method that is named.
    ExactIl(u32),
    /// At an offset of machine code in an epilog, which no IL offset belongs to.
    Epilog(u32),
    /// At an offset of machine code, which only symbols of native code can resolve.
    Native(u64),
    /// At an offset of the machine code that the image has for the method, which was compiled ahead of time.
    Precompiled(u32),
    /// Inside an inlined call: the next frame below with an address has the address.
    Inlined,
    /// At this line: the trace has it already.
    Line(u32),
}

impl Offset {
    /// The IL offset that a trace gives. One above 32 bits becomes `u32::MAX`, which runtimes write for an unknown offset.
    pub(crate) fn of_il(written: u64) -> Self {
        Self::Il(u32::try_from(written).unwrap_or(u32::MAX))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edit {
    #[default]
    None,
    /// `FILE:line N` goes here; the second is the word for "line".
    File(Range<usize>, &'static str),
    /// `FILE:N` goes here.
    Colon(Range<usize>),
    /// ` in FILE:line N` goes here.
    In(Range<usize>),
    /// `FILE|N` goes here.
    Piped(Range<usize>),
}

impl Edit {
    /// Text to insert, and the range that it replaces.
    pub fn text(&self, path: &str, line: u32) -> Option<(Range<usize>, String)> {
        match self {
            Self::None => None,
            Self::File(range, word) => Some((range.clone(), format!("{path}:{word} {line}"))),
            Self::Colon(range) => Some((range.clone(), format!("{path}:{line}"))),
            Self::Piped(range) => Some((range.clone(), format!("{path}|{line}"))),
            Self::In(range) => Some((range.clone(), format!(" in {path}:line {line}"))),
        }
    }
}

/// `line` from a position on, with some of its ranges replaced; they stand in their order and do not overlap.
pub(super) fn edited(line: &[u8], from: usize, edits: impl Iterator<Item = (Range<usize>, String)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len().saturating_sub(from) + 64);
    let mut done = from;
    for (range, text) in edits {
        out.extend_from_slice(line.get(done..range.start).unwrap_or_default());
        out.extend_from_slice(text.as_bytes());
        done = range.end;
    }
    out.extend_from_slice(line.get(done..).unwrap_or_default());
    out
}
