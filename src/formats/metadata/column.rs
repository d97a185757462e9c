/// A column of a file's table, for reading many rows.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The table from the first cell on.
    bytes: &'a [u8],
    row_size: usize,
    width: u8,
}

impl<'a> Column<'a> {
    /// A column of cells of `width` bytes, the first of which begins `bytes`.
    pub(super) const fn new(bytes: &'a [u8], row_size: usize, width: u8) -> Self {
        Self { bytes, row_size, width }
    }

    /// Returns the cell of a row, counted from 1; `None` past the last.
    #[inline]
    pub fn get(&self, row: u32) -> Option<u32> {
        let at = (row as usize).checked_sub(1)?.checked_mul(self.row_size)?;
        let rest = self.bytes.get(at..)?;
        match self.width {
            2 => rest.first_chunk().map(|b| u16::from_le_bytes(*b) as u32),
            4 => rest.first_chunk().map(|b| u32::from_le_bytes(*b)),
            1 => rest.first().map(|b| *b as u32),
            _ => None,
        }
    }

    /// Cells of all rows, in their order; 0 in a column that the table does not have.
    #[inline]
    pub fn cells(&self) -> impl Iterator<Item = u32> + use<'a> {
        let width = self.width;
        self.bytes.chunks(self.row_size.max(1)).map(move |row| match width {
            2 => row.first_chunk().map_or(0, |b| u16::from_le_bytes(*b) as u32),
            4 => row.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)),
            1 => row.first().map_or(0, |b| *b as u32),
            _ => 0,
        })
    }
}
