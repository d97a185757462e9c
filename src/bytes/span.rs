/// Names one [`Space`](super::Space) of the loaded files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceId(pub u32);

/// Where a value was read: `len` bytes from `start` of one space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Span {
    /// The space the bytes are in. It is a number of this session, which JSON leaves out.
    #[serde(skip)]
    pub space: SpaceId,
    /// The first byte.
    pub start: u64,
    /// How many bytes.
    pub len: u64,
}

impl Span {
    /// `len` bytes from `start` of `space`.
    pub const fn new(space: SpaceId, start: u64, len: u64) -> Self {
        Self { space, start, len }
    }

    /// The offset behind the last byte.
    pub const fn end(self) -> u64 {
        self.start.saturating_add(self.len)
    }

    /// Whether there is no byte in it.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Whether the byte at `offset` of the same space is in it.
    pub const fn contains(self, offset: u64) -> bool {
        offset >= self.start && offset < self.end()
    }

    /// Whether all of `other` lies within.
    pub fn covers(self, other: Self) -> bool {
        self.space == other.space && other.start >= self.start && other.end() <= self.end()
    }

    /// The `len` bytes that begin `from` bytes into this span.
    #[must_use]
    pub const fn part(self, from: u64, len: u64) -> Self {
        Self::new(self.space, self.start.saturating_add(from), len)
    }

    /// From the start of this span to the end of `other`, which lies behind it.
    #[must_use]
    pub const fn to(self, other: Self) -> Self {
        Self::new(self.space, self.start, other.end().saturating_sub(self.start))
    }
}

/// A value, and the bytes it was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct At<T> {
    /// What was read.
    pub value: T,
    /// Where it was read.
    pub span: Span,
}

impl<T> At<T> {
    /// `value`, read from `span`.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}
