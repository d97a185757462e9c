//! The lanes beside code: brackets along the ranges of local scopes, variables and exception clauses, and the points of precompiled code.

use crate::ui::glyphs::Glyphs;
use crate::ui::theme::{Role, scope_role};
use pdblens_nodes::method::MethodView;
use pdblens_query::breakpoint::MethodCode;
use pdblens_query::quality::{PointState, point_states};
use pdblens_query::where_is;
use pdblens_session::session::Session;

/// Brackets beside each other; inner ranges beyond have none.
const MAX_LANES: usize = 4;
/// Ranges of a method that have brackets.
const MAX_RANGES: usize = 1000;

/// A range of IL, in its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    start: u32,
    end: u32,
    lane: usize,
    role: Role,
}

/// The ranges of a method.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    ranges: Vec<Range>,
    lanes: usize,
}

impl Lanes {
    pub(super) fn of(view: &MethodView, session: &Session) -> Self {
        let Some(body) = &view.body else { return Self::default() };
        let whole = body.code.len;
        let scopes = view.scopes.iter().filter(|scope| !scope.variables.is_empty() || !scope.constants.is_empty());
        let scopes = scopes.map(|scope| (scope.start, scope.end()));
        let mut named: Vec<(u32, u64)> = scopes.collect();
        for (_, range) in where_is::hoisted(session, view.of.token()) {
            let range = (u32::try_from(range.start).unwrap_or(u32::MAX), range.end);
            // Variables of one block have the same range.
            if u64::from(range.0) < range.1 && !named.contains(&range) && named.len() < MAX_RANGES {
                named.push(range);
            }
        }
        let scopes = named.into_iter().enumerate().map(|(index, (start, end))| (start, end, scope_role(index)));
        let mut tried: Vec<(u32, u64)> = Vec::new();
        let mut clauses: Vec<(u32, u64, Role)> = Vec::new();
        for region in &body.regions {
            let range = (region.tried.start, region.tried.end());
            // Handlers of the same try block share it.
            if !tried.contains(&range) {
                tried.push(range);
                clauses.push((range.0, range.1, Role::Warn));
            }
            clauses.push((region.handler.start, region.handler.end(), Role::Bad));
        }
        // A range that is all of the method tells nothing of its instructions.
        Self::along(scopes.chain(clauses).filter(|(start, end, _)| *start > 0 || *end < whole))
    }

    /// Brackets along ranges; each in the first lane that is free where it begins.
    pub(super) fn along(ranges: impl Iterator<Item = (u32, u64, Role)>) -> Self {
        let mut all: Vec<(u32, u64, Role)> = ranges.take(MAX_RANGES).collect();
        all.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
        let (mut ranges, mut free) = (Vec::new(), [0_u64; MAX_LANES]);
        for (start, end, role) in all {
            let Some(lane) = free.iter().position(|free| *free <= u64::from(start)) else { continue };
            free[lane] = end;
            ranges.push(Range { start, end: u32::try_from(end).unwrap_or(u32::MAX), lane, role });
        }
        let lanes = ranges.iter().map(|range| range.lane + 1).max().unwrap_or(0);
        Self { ranges, lanes }
    }

    /// Cells that the brackets take.
    pub(super) const fn width(&self) -> usize {
        self.lanes
    }

    /// The brackets beside the instruction from `offset` to `next`; beside what stands before it where the two are equal.
    pub(super) fn parts(&self, offset: u32, next: u32, glyphs: &Glyphs) -> Vec<(&'static str, Option<Role>)> {
        let [begin, along, end, one] = glyphs.brackets;
        let lane = |lane: usize| {
            let here = |range: &&Range| range.lane == lane && range.start <= offset && offset < range.end;
            let Some(range) = self.ranges.iter().find(here) else { return (" ", None) };
            let sign = match (range.start == offset, next >= range.end) {
                _ if next == offset => {
                    if range.start < offset {
                        along
                    } else {
                        " "
                    }
                }
                (true, true) => one,
                (true, false) => begin,
                (false, true) => end,
                (false, false) => along,
            };
            (sign, Some(range.role))
        };
        (0..self.lanes).map(lane).collect()
    }
}

/// Points of a method with precompiled code, and what a debugger does with each; without symbols, the IL offsets that have code.
#[derive(Debug, Default)]
pub(super) struct LanePoints(Vec<(u32, PointState)>);

impl LanePoints {
    pub(super) fn of(view: &MethodView, session: &Session) -> Self {
        let code = MethodCode::of(session, view.of);
        let mut points = if code.bodies.is_empty() { Vec::new() } else { point_states(&view.points, &code) };
        points.sort_unstable();
        Self(points)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The colour of the point that an IL offset belongs to.
    pub(super) fn role(&self, il: u32) -> Role {
        scope_role(self.0.partition_point(|(start, _)| *start <= il))
    }

    /// The state of the point that begins at an IL offset.
    pub(super) fn at(&self, il: u32) -> Option<PointState> {
        let index = self.0.binary_search_by_key(&il, |(start, _)| *start).ok()?;
        Some(self.0.get(index)?.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::glyphs::ASCII;

    #[test]
    fn brackets_run_along_their_ranges() {
        let range = |start, end, lane| Range { start, end, lane, role: Role::Warn };
        let lanes = Lanes { ranges: vec![range(0, 4, 0), range(1, 2, 1), range(5, 6, 0)], lanes: 2 };
        let text = |from, to| lanes.parts(from, to, &ASCII).iter().map(|(sign, _)| *sign).collect::<String>();
        let seen: Vec<String> = (0..6).map(|offset| text(offset, offset + 1)).collect();
        assert_eq!(seen, ["/ ", "|[", "| ", "\\ ", "  ", "[ "]);
        assert_eq!([text(0, 0), text(1, 1), text(3, 3)], ["  ", "| ", "| "], "before an instruction");
    }
}
