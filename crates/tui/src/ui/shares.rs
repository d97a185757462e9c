//! Cells distributed in proportion to lengths.

/// Distributes `cells` over lengths: at least one each while there are enough, the rest in proportion.
pub fn distribute(lens: &[u64], cells: usize) -> Vec<usize> {
    let total: u128 = lens.iter().map(|len| u128::from(*len)).sum::<u128>().max(1);
    if lens.len() > cells {
        // Too few cells: each shows the segment at its middle.
        let mut cells_of = vec![0; lens.len()];
        let (mut index, mut end) = (0, u128::from(lens.first().copied().unwrap_or(0)));
        for cell in 0..cells as u128 {
            let middle = (cell * 2 + 1) * total / (cells as u128 * 2);
            while end <= middle && index + 1 < lens.len() {
                index += 1;
                end += u128::from(lens[index]);
            }
            cells_of[index] += 1;
        }
        return cells_of;
    }
    let free = (cells - lens.len()) as u128;
    let mut cells_of: Vec<usize> = lens.iter().map(|len| 1 + (free * u128::from(*len) / total) as usize).collect();
    let mut by_rest: Vec<usize> = (0..lens.len()).collect();
    by_rest.sort_by_key(|index| std::cmp::Reverse(free * u128::from(lens[*index]) % total));
    let left = cells.saturating_sub(cells_of.iter().sum());
    for index in by_rest.into_iter().cycle().take(if lens.is_empty() { 0 } else { left }) {
        cells_of[index] += 1;
    }
    cells_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_length_has_a_cell_while_there_are_enough() {
        assert_eq!(distribute(&[128, 384, 1024, 512, 0], 20), [2, 4, 8, 5, 1]);
        assert_eq!(distribute(&[1, u64::MAX, 1], 10), [1, 8, 1]);
        assert_eq!(distribute(&[0, 0], 7).iter().sum::<usize>(), 7);
        assert_eq!(distribute(&[5; 100], 10).iter().sum::<usize>(), 10);
        assert_eq!(distribute(&[], 10), Vec::<usize>::new());
        assert_eq!(distribute(&[3], 0), [0]);
    }
}
