use crate::bytes::Region;

/// A column of a file's table, for reading many rows.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The table from the first cell on; empty while it is on disk.
    bytes: &'a [u8],
    /// The table, if it is on disk, and the offset of the first cell.
    disk: Option<(&'a Region, u8)>,
    row_size: usize,
    width: u8,
}

impl<'a> Column<'a> {
    /// A column of cells of `width` bytes, the first of which is `offset` bytes into `table`.
    #[inline]
    pub(super) fn new(table: &'a Region, offset: u8, row_size: usize, width: u8) -> Self {
        if table.is_in_memory() {
            let bytes = table.bytes().get(offset as usize..).unwrap_or_default();
            return Self { bytes, disk: None, row_size, width };
        }
        Self { bytes: &[], disk: Some((table, offset)), row_size, width }
    }

    /// Returns the cell of a row, counted from 1; `None` past the last.
    #[inline]
    pub fn get(&self, row: u32) -> Option<u32> {
        let at = (row as usize).checked_sub(1)?.checked_mul(self.row_size)?;
        if let Some((table, offset)) = self.disk {
            let cell = table.piece(at as u64 + offset as u64, self.width as u64).ok()?;
            return cell_value(cell.data, self.width);
        }
        cell_value(self.bytes.get(at..)?, self.width)
    }

    /// Cells of all rows, in their order; 0 in a column that the table does not have.
    #[inline]
    pub fn cells(&self) -> impl Iterator<Item = u32> + use<'a> {
        let width = self.width;
        let bytes = match self.disk {
            Some((table, offset)) => table.bytes().get(offset as usize..).unwrap_or_default(),
            None => self.bytes,
        };
        bytes.chunks(self.row_size.max(1)).map(move |row| match width {
            2 => row.first_chunk().map_or(0, |b| u16::from_le_bytes(*b) as u32),
            4 => row.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)),
            1 => row.first().map_or(0, |b| *b as u32),
            _ => 0,
        })
    }
}

/// The cell of `width` bytes that begins `bytes`.
#[inline]
pub(super) fn cell_value(bytes: &[u8], width: u8) -> Option<u32> {
    match width {
        2 => bytes.first_chunk().map(|b| u16::from_le_bytes(*b) as u32),
        4 => bytes.first_chunk().map(|b| u32::from_le_bytes(*b)),
        1 => bytes.first().map(|b| *b as u32),
        _ => None,
    }
}
