//! Arrows beside machine code, from each jump to its target in the same function.

use crate::ui::glyphs::Glyphs;
use crate::ui::theme::Role;
use pdblens_nodes::code_unit::MethodView;
use pdblens_nodes::function::{Disassembly, Flow};

/// Arrows beside each other; longer ones beyond have none.
const MAX_LANES: usize = 4;
/// Jumps of a function that have arrows.
const MAX_ARROWS: usize = 1000;

/// A jump, in its lane; lane 0 is the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrow {
    from: u32,
    to: u32,
    lane: usize,
}

impl Arrow {
    const fn first(self) -> u32 {
        if self.from < self.to { self.from } else { self.to }
    }

    const fn last(self) -> u32 {
        if self.from < self.to { self.to } else { self.from }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Arrows {
    arrows: Vec<Arrow>,
    lanes: usize,
}

impl Arrows {
    pub(super) fn of(code: &Disassembly, view: &MethodView) -> Self {
        let jumps = code.instructions.iter().filter(|one| matches!(one.flow, Flow::Jump | Flow::Branch));
        let inside = jumps.filter_map(|one| {
            let to = code.rva_of_target(one)?.wrapping_sub(view.of.address());
            let at = code.instructions.get(code.instruction_at(to)?)?;
            // A jump through a table does not lead to the table.
            (at.offset == to && at.flow != Flow::Data).then_some((one.offset, to))
        });
        Self::new(inside.take(MAX_ARROWS).collect())
    }

    /// Gives short jumps the inner lanes.
    fn new(mut jumps: Vec<(u32, u32)>) -> Self {
        jumps.sort_by_key(|(from, to)| (from.abs_diff(*to), *from));
        let mut arrows: Vec<Arrow> = Vec::new();
        for (from, to) in jumps {
            let of = |lane| Arrow { from, to, lane };
            let is_free = |lane: &usize| {
                let is_apart =
                    |other: &Arrow| other.lane != *lane || other.last() < of(0).first() || of(0).last() < other.first();
                arrows.iter().all(is_apart)
            };
            let lane = (0..MAX_LANES).find(is_free);
            arrows.extend(lane.map(of));
        }
        let lanes = arrows.iter().map(|arrow| arrow.lane + 1).max().unwrap_or(0);
        Self { arrows, lanes }
    }

    pub(super) const fn width(&self) -> usize {
        if self.lanes == 0 { 0 } else { self.lanes + 1 }
    }

    /// Glyphs beside the instruction at `offset`, or beside the rows that precede it.
    pub(super) fn parts(
        &self,
        offset: u32,
        is_instruction: bool,
        glyphs: &Glyphs,
    ) -> Vec<(&'static str, Option<Role>)> {
        let ([begin, along, end, _], [line, cross]) = (glyphs.brackets, glyphs.lines);
        let mut signs = vec![(" ", None); self.width()];
        let here = self.arrows.iter().filter(|arrow| {
            if is_instruction {
                arrow.first() <= offset && offset <= arrow.last()
            } else {
                arrow.first() < offset && offset <= arrow.last()
            }
        });
        for arrow in here {
            let role = Some(if arrow.to < arrow.from { Role::Warn } else { Role::Accent });
            let column = self.lanes - 1 - arrow.lane;
            let is_end = is_instruction && (offset == arrow.from || offset == arrow.to);
            if !is_end {
                signs[column] = (along, role);
                continue;
            }
            signs[column] = (if offset == arrow.first() { begin } else { end }, role);
            if arrow.from == arrow.to {
                signs[column] = (begin, role);
            }
            for sign in signs.iter_mut().take(self.lanes).skip(column + 1) {
                match sign.0 {
                    " " => *sign = (line, role),
                    sign_here if sign_here == along => sign.0 = cross,
                    _ => {}
                }
            }
            let is_target = offset == arrow.to;
            if is_target || signs[self.lanes].0 == " " {
                signs[self.lanes] = (if is_target { glyphs.closed } else { line }, role);
            }
        }
        signs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::ASCII;

    fn text(arrows: &Arrows, offset: u32, is_instruction: bool) -> String {
        arrows.parts(offset, is_instruction, &ASCII).iter().map(|(sign, _)| *sign).collect()
    }

    #[test]
    fn jumps_lead_to_their_targets() {
        let arrows = Arrows::new(vec![(0, 6), (2, 4), (8, 8)]);
        let seen: Vec<String> = (0..9).map(|offset| text(&arrows, offset, true)).collect();
        assert_eq!(seen, ["/--", "|  ", "|/-", "|| ", "|\\>", "|  ", "\\->", "   ", " />"]);
        assert_eq!([text(&arrows, 2, false), text(&arrows, 0, false), text(&arrows, 7, false)], ["|  ", "   ", "   "]);
        assert_eq!(Arrows::default().width(), 0);
        // A jump back; more than there are lanes.
        let arrows = Arrows::new((0..9).map(|index| (20 + index, 10 - index)).collect());
        assert_eq!((arrows.lanes, text(&arrows, 10, true).as_str()), (4, "|||/>"));
    }
}
