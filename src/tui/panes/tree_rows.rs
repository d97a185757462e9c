//! The rows of a tree pane, and their nesting.

use crate::nodes::Place;
use crate::nodes::rows::Row;
use crate::tui::ui::tree::{DepthTree, Nesting};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The rows with their nesting and places.
#[derive(Default)]
pub(super) struct TreeRows {
    pub(super) rows: Arc<Vec<Row>>,
    pub(super) nested: Arc<DepthTree>,
    pub(super) places: HashMap<Place, usize>,
    /// Depths that have collapsible rows, and those of them that also have others.
    pub(super) depths: HashSet<u8>,
    pub(super) mixed: HashSet<u8>,
}

impl TreeRows {
    pub(super) fn new(rows: Vec<Row>, folds: bool) -> Self {
        let nested = DepthTree::of(rows.iter().map(|row| row.depth));
        let mut places = HashMap::new();
        for (index, row) in rows.iter().enumerate() {
            if let Some(place) = row.place {
                places.entry(place).or_insert(index);
            }
        }
        let (folding, plain): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|index| folds && nested.folds(*index));
        let depths: HashSet<u8> = folding.into_iter().map(|index| rows[index].depth).collect();
        let plain = plain.into_iter().map(|index| rows[index].depth);
        let mixed = plain.filter(|depth| depths.contains(depth)).collect();
        Self { rows: Arc::new(rows), nested: Arc::new(nested), places, depths, mixed }
    }
}
