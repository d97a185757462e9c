//! The sequence point that every format of symbols comes to: a range of code, and the lines that it was compiled from.

/// The line number of a hidden point: no source belongs to its code, and a debugger steps over it.
pub const HIDDEN_LINE: u32 = 0x00fe_efee;

/// One sequence point: the code from its offset to that of the next belongs to these lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequencePoint {
    /// The offset of its first instruction: of IL in a method, of machine code in a native function.
    pub offset: u32,
    /// The row of its Document, or the number of its document in formats without rows.
    pub document: u32,
    /// The first line; [`HIDDEN_LINE`] if it is hidden.
    pub start_line: u32,
    /// The column of the first character; 0 if it is hidden.
    pub start_column: u32,
    /// The last line; [`HIDDEN_LINE`] if it is hidden.
    pub end_line: u32,
    /// The column after the last character; 0 if it is hidden.
    pub end_column: u32,
    /// Where its record begins, in bytes from the start of the blob.
    pub at: u32,
    /// The size of its record in bytes.
    pub len: u8,
    /// The rules that it breaks. A line or a column that is negative is a very large number here.
    pub violations: Violations,
}

impl SequencePoint {
    /// Whether no source belongs to it.
    #[inline]
    pub const fn is_hidden(&self) -> bool {
        self.start_line == HIDDEN_LINE
    }
}

/// IL offsets and lines have at most this many bits.
const LINE_BITS: u32 = 29;
/// Columns have at most this many bits.
const COLUMN_BITS: u32 = 16;

/// A rule that a sequence point can break and still be decoded.
///
/// The other rules of the specification cannot be broken: the encoding has no way to say that IL offsets do not increase or
/// that a point ends before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Violation {
    /// The IL offset is 0x20000000 or more.
    IlOffset = 1,
    /// A line is negative, or 0x20000000 or more.
    Line = 1 << 1,
    /// A line is the one that hidden points have.
    HiddenLine = 1 << 2,
    /// A column is negative, or 0x10000 or more.
    Column = 1 << 3,
    /// The document is row 0.
    Document = 1 << 4,
}

/// The rules that one sequence point breaks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Violations(u8);

impl Violation {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::IlOffset, Self::Line, Self::HiddenLine, Self::Column, Self::Document];

    /// The rule, in one sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::IlOffset => "the IL offset of a sequence point must be less than 0x20000000",
            Self::Line => "the lines of a sequence point must be from 0 to 0x1FFFFFFF",
            Self::HiddenLine => "a point with columns must not have line 0xFEEFEE, which says that it is hidden",
            Self::Column => "the columns of a sequence point must be from 0 to 0xFFFF",
            Self::Document => "a sequence point must belong to a document",
        }
    }
}

impl Violations {
    /// No rule is broken.
    pub const NONE: Self = Self(0);

    /// Those of a point with these numbers; a negative number is a large one here.
    #[inline]
    pub(in crate::formats) const fn of(offset: u32, document: u32, lines: [u32; 2], columns: [u32; 2]) -> Self {
        let large = (offset | lines[0] | lines[1]) >> LINE_BITS | (columns[0] | columns[1]) >> COLUMN_BITS;
        let hidden_line = lines[0] == HIDDEN_LINE || lines[1] == HIDDEN_LINE;
        if large != 0 || hidden_line || document == 0 {
            Self::each(offset, document, lines, columns)
        } else {
            Self::NONE
        }
    }

    #[cold]
    const fn each(offset: u32, document: u32, lines: [u32; 2], columns: [u32; 2]) -> Self {
        Self::NONE
            .with(Violation::IlOffset, offset >> LINE_BITS != 0)
            .with(Violation::Line, (lines[0] | lines[1]) >> LINE_BITS != 0)
            .with(Violation::HiddenLine, lines[0] == HIDDEN_LINE || lines[1] == HIDDEN_LINE)
            .with(Violation::Column, (columns[0] | columns[1]) >> COLUMN_BITS != 0)
            .with(Violation::Document, document == 0)
    }

    /// Whether no rule is broken.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    const fn with(self, violation: Violation, there: bool) -> Self {
        if there { Self(self.0 | violation as u8) } else { self }
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Violation> {
        Violation::ALL.into_iter().filter(move |violation| self.0 & *violation as u8 != 0)
    }
}

impl std::fmt::Debug for Violations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
