//! Sequence points of every symbol format: a range of code, and the source range that it was compiled from.

/// Line number of a hidden point, which debuggers step over.
pub const HIDDEN_LINE: u32 = 0x00fe_efee;

/// A sequence point, which covers the code up to the next point's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequencePoint {
    /// Offset of the first instruction: of IL in a method, of machine code in a native function.
    pub offset: u32,
    /// Row of the Document table, or document number in formats without tables.
    pub document: u32,
    /// First line; [`HIDDEN_LINE`] for a hidden point.
    pub start_line: u32,
    /// Column of the first character, from 1; 0 for a hidden point.
    pub start_column: u32,
    /// Last line; [`HIDDEN_LINE`] for a hidden point.
    pub end_line: u32,
    /// Column after the last character; 0 for a hidden point.
    pub end_column: u32,
    /// Offset of the record in the blob.
    pub at: u32,
    /// Size of the record in bytes.
    pub len: u8,
    /// Violated rules. Negative lines and columns appear as values above 2^31.
    pub violations: Violations,
}

/// A line or a column as the number that its deltas add up to: values above 2^31 are negative ones, a violation that is shown as it
/// is.
#[inline]
pub const fn signed(number: u32) -> i64 {
    number.cast_signed() as i64
}

impl SequencePoint {
    /// Returns true for a hidden point.
    #[inline]
    pub const fn is_hidden(&self) -> bool {
        self.start_line == HIDDEN_LINE
    }
}

/// Maximum number of bits of IL offsets and lines.
const LINE_BITS: u32 = 29;
/// Maximum number of bits of columns.
const COLUMN_BITS: u32 = 16;

/// A rule that an encoded sequence point can violate.
///
/// The encoding cannot express violations of the other rules: that IL offsets increase and that a point ends after its
/// start.
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

/// Set of rules that a sequence point violates.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Violations(u8);

impl Violation {
    /// Rules in the order of the specification.
    pub const ALL: [Self; 5] = [Self::IlOffset, Self::Line, Self::HiddenLine, Self::Column, Self::Document];

    /// Code of the rule.
    pub const fn code(self) -> &'static str {
        match self {
            Self::IlOffset => "il-offset",
            Self::Line => "line",
            Self::HiddenLine => "hidden-line",
            Self::Column => "column",
            Self::Document => "document",
        }
    }

    /// The rule as a sentence.
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
    /// No violation.
    pub const NONE: Self = Self(0);

    /// Checks a point with these numbers; negative ones are passed as large ones.
    #[inline]
    pub(crate) const fn of(offset: u32, document: u32, lines: [u32; 2], columns: [u32; 2]) -> Self {
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

    /// Returns true if no rule is violated.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    const fn with(self, violation: Violation, there: bool) -> Self {
        if there { Self(self.0 | violation as u8) } else { self }
    }

    /// Violated rules, in the order of [`Violation::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Violation> {
        Violation::ALL.into_iter().filter(move |violation| self.0 & *violation as u8 != 0)
    }
}

impl std::fmt::Debug for Violations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
