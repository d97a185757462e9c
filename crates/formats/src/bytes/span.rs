/// Index of a [`Space`](super::Space) in its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceId(pub u32);

/// A range of bytes of one space.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub space: SpaceId,
    pub start: u64,
    pub len: u64,
}

impl Span {
    /// Makes the span of `len` bytes from `start`; an end past 2^64 is cut.
    pub const fn new(space: SpaceId, start: u64, len: u64) -> Self {
        Self { space, start, len }
    }

    /// Offset after the last byte.
    pub const fn end(self) -> u64 {
        self.start.saturating_add(self.len)
    }

    /// Returns true if the span has no bytes.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns true if the span has the byte at `offset`, which is in the same space.
    pub const fn contains(self, offset: u64) -> bool {
        offset >= self.start && offset < self.end()
    }

    /// Returns true if all of `other` lies within; both may be empty.
    pub fn covers(self, other: Self) -> bool {
        self.space == other.space && other.start >= self.start && other.end() <= self.end()
    }

    /// Returns the `len` bytes that begin `from` bytes into this span.
    #[must_use]
    pub const fn part(self, from: u64, len: u64) -> Self {
        Self::new(self.space, self.start.saturating_add(from), len)
    }

    /// Returns the span from the start of this one to the end of `other`, which must not precede it.
    #[must_use]
    pub const fn to(self, other: Self) -> Self {
        Self::new(self.space, self.start, other.end().saturating_sub(self.start))
    }
}

/// Returns true for an offset among the `len` bytes from `start` on. A range that passes 32 bits in a damaged file goes on at 0.
pub const fn is_inside(offset: u32, start: u32, len: u32) -> bool {
    offset.wrapping_sub(start) < len
}

/// Writes a list of three numbers: the space, the offset in it, the length.
impl serde::Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.space.0, self.start, self.len).serialize(serializer)
    }
}

/// A value with the bytes that it was read from.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct At<T> {
    pub value: T,
    pub span: Span,
}

impl<T> At<T> {
    /// Makes `value`, read from `span`.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}
