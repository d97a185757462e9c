//! Steps from record to record of a blob.

use super::Player;

impl Player {
    /// Selects the first read of the next or previous record: the next group of the outermost depth that has several.
    pub(super) fn step_record(&mut self, forward: bool, times: usize) {
        let groups: Vec<usize> = self.record_starts();
        for _ in 0..times {
            let at = self.scroll.selected;
            let to = if forward {
                groups.iter().copied().find(|start| *start > at)
            } else {
                groups.iter().copied().rfind(|start| *start < at)
            };
            match to {
                Some(to) => self.scroll.select(to),
                None => return,
            }
        }
    }

    /// Reads that begin a record: the first of a group that is not the only one of its depth.
    fn record_starts(&self) -> Vec<usize> {
        let groups = || self.steps.list.iter().filter(|step| step.field.group);
        let depth = (0..=u8::MAX).find(|depth| groups().filter(|step| step.field.depth == *depth).count() != 1);
        let mut starts = Vec::new();
        let mut begins = true;
        for step in &self.steps.list {
            if step.field.group {
                begins |= Some(step.field.depth) == depth;
            } else if begins {
                starts.push(step.number as usize - 1);
                begins = false;
            }
        }
        starts
    }
}
