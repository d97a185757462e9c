//! Points of one method in two builds, aligned by the code that they cover: where a breakpoint of the first build is in the second.

use std::ops::ControlFlow;

use super::code::{Build, point_texts};
use super::pairing::pairs_of;
use super::points::shift;
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_session::session::Session;
use pdblens_session::text::names::NameCache;

/// Points of one method in two builds.
#[derive(Clone, Debug, Default)]
pub struct AlignedPoints {
    /// Those of each build, in the order of IL.
    pub points: [Vec<SequencePoint>; 2],
    /// Indices of points with the same code, or of one that only one build has, in the order of both.
    pub pairs: Vec<(Option<usize>, Option<usize>)>,
}

/// Points of a method of a session up to the first that cannot be read; none without a method.
pub(super) fn points_of(session: &Session, method: Option<Token>) -> Vec<SequencePoint> {
    let mut all = Vec::new();
    if let Some((symbols, method)) = session.symbols().zip(method) {
        // Points before a damaged one are shown.
        let _ = symbols.points(method, &mut |point| {
            all.push(point);
            ControlFlow::Continue(())
        });
    }
    all
}

/// Aligns the points of a method, which may be missing in one of the builds.
pub fn aligned_points(sessions: [&Session; 2], methods: [Option<Token>; 2]) -> AlignedPoints {
    let caches = [NameCache::new(), NameCache::new()];
    let points = [0, 1].map(|build: usize| points_of(sessions[build], methods[build]));
    let texts = [0, 1].map(|build: usize| {
        let of = Build::new(sessions[build], &caches[build]);
        methods[build].map(|method| point_texts((of, method), &points[build])).unwrap_or_default()
    });
    let [before, after] = texts.each_ref().map(|texts| texts.iter().map(String::as_bytes).collect::<Vec<_>>());
    AlignedPoints { pairs: pairs_of(&before, &after), points }
}

/// Aligns the lines of two texts.
pub fn aligned_lines(before: &[&str], after: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
    let [before, after] =
        [before, after].map(|lines| lines.iter().map(|line| line.trim().as_bytes()).collect::<Vec<_>>());
    pairs_of(&before, &after)
}

impl AlignedPoints {
    /// Visible points that both builds have, in pairs.
    fn visible(&self) -> impl Iterator<Item = (&SequencePoint, &SequencePoint)> {
        let [before, after] = &self.points;
        let pairs = self.pairs.iter().filter_map(|(one, other)| Some((before.get((*one)?)?, after.get((*other)?)?)));
        pairs.filter(|(one, other)| !one.is_hidden() && !other.is_hidden())
    }

    /// Line of a breakpoint of the first build in the second, in a few words: the first one that has moved in another way than those
    /// before it (`:181 is now :184`), or the number of lines of all; empty where none has moved.
    pub fn breakpoint(&self) -> String {
        let by = |(one, other): &(&SequencePoint, &SequencePoint)| {
            i64::from(other.start_line).saturating_sub(i64::from(one.start_line))
        };
        let Some(first) = self.visible().next().map(|pair| by(&pair)) else { return String::new() };
        match self.visible().find(|pair| by(pair) != first) {
            Some((one, other)) => format!(":{} is now :{}", one.start_line, other.start_line),
            None if first == 0 => String::new(),
            None => shift(first),
        }
    }
}
