//! Counts as shares of a whole, and the least shares that a project asks for.

use std::cmp::Ordering;

use super::{Counts, Quality};
use crate::check::{Grade, Remark};
use pdblens_nodes::Place;
use pdblens_session::text::safe::count;

/// A count, and the whole that it is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Name in `pdblens.toml`.
    pub key: &'static str,
    /// Name for readers.
    pub name: &'static str,
    /// The count.
    pub number: u64,
    /// The whole; `None` for a count that is compared with nothing.
    pub of: Option<u64>,
    /// Unit of the whole, in the singular; of a count without a whole, a remark.
    pub noun: &'static str,
}

/// A count that differs between two builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "quality_change"))]
pub struct QualityChange {
    /// Name of the count, as `quality --json` has it.
    #[serde(rename = "count")]
    pub key: &'static str,
    /// Name for readers.
    #[serde(skip)]
    pub name: &'static str,
    /// Count in the first build.
    pub before: u64,
    /// Count in the second.
    pub after: u64,
    /// Whole in the first build, for a count that is part of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_before: Option<u64>,
    /// Whole in the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_after: Option<u64>,
}

impl QualityChange {
    /// Returns true if the second build has fewer of what a debugger needs.
    pub fn is_loss(&self) -> bool {
        self.after < self.before && (self.of_before.is_some() || self.key == "points_visible")
    }

    /// `37 lost, of 1 640 → 1 601`
    pub fn text(&self) -> String {
        let difference = self.after.abs_diff(self.before);
        let text = match self.after.cmp(&self.before) {
            Ordering::Less if self.is_loss() => format!("{difference} lost"),
            Ordering::Less => format!("{difference} fewer"),
            Ordering::Equal => "the same".to_owned(),
            Ordering::Greater => format!("{difference} more"),
        };
        match (self.of_before, self.of_after) {
            (Some(before), Some(after)) if before != after => format!("{text}, of {before} → {after}"),
            (Some(before), _) => format!("{text}, of {before}"),
            _ => text,
        }
    }
}

/// Counts that differ between the qualities of two builds.
pub fn changes(before: &Quality, after: &Quality) -> Vec<QualityChange> {
    let after = after.shares();
    let change = |share: Share| {
        let other = after.iter().find(|other| other.key == share.key)?;
        let (key, name, of_before, of_after) = (share.key, share.name, share.of, other.of);
        let change = QualityChange { key, name, before: share.number, after: other.number, of_before, of_after };
        if (share.number, share.of) == (other.number, other.of) { None } else { Some(change) }
    };
    before.shares().into_iter().filter_map(change).collect()
}

/// Least share in percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// Key of the share.
    pub key: &'static str,
    /// Percent.
    pub percent: u8,
}

impl Threshold {
    /// The threshold of that key; `None` for a key of no share.
    pub fn new(key: &str, percent: u8) -> Option<Self> {
        Self::keys().find(|known| *known == key).map(|key| Self { key, percent })
    }

    /// Keys of the shares of a whole.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        let counts = Counts { survival: Some(super::Survival::default()), ..Counts::default() };
        let none =
            Quality { counts, sources: super::SourceCounts::default(), refused_points: 0, methods_with_il: Vec::new() };
        none.shares().into_iter().filter(|share| share.of.is_some()).map(|share| share.key)
    }
}

impl Quality {
    /// The counts, those of precompiled code last.
    pub fn shares(&self) -> Vec<Share> {
        let (of, sources) = (&self.counts, &self.sources);
        let il = of.il_visible + of.il_hidden + of.il_without_points;
        let part = |key, name, number, of: u32, noun| (key, name, u64::from(number), Some(u64::from(of)), noun);
        let plain = |key, name, number: u32, noun| (key, name, u64::from(number), None, noun);
        let mut all = vec![
            part("methods_with_points", "methods with points", of.methods_with_points, of.methods, "method"),
            ("il_visible", "IL in visible points", of.il_visible, Some(il), "byte"),
            ("il_hidden", "IL in hidden points", of.il_hidden, None, ""),
            ("il_without_points", "IL in no point", of.il_without_points, None, ""),
            plain("points_visible", "visible points", of.points_visible, ""),
            plain("points_hidden", "hidden points", of.points_hidden, ""),
            part("locals_named", "locals with a name", of.locals_named, of.locals, "local"),
            part(
                "async_with_stepping",
                "async with stepping",
                of.async_with_stepping,
                of.async_methods,
                "async method",
            ),
            part("documents_verified", "documents verified", sources.documents_verified, sources.documents, "document"),
            part("lines_with_points", "lines with a point", sources.lines_with_points, sources.lines, "statement line"),
        ];
        if let Some(of) = of.survival {
            let kept = of.stops + of.several + of.shared;
            all.extend([
                part("accepted", "accepted", kept, kept + of.refused, "compiled point"),
                plain("stops", "stops", of.stops, "points with one address in precompiled code"),
                plain("several", "several", of.several, "points with more than one address"),
                plain("shared", "shared", of.shared, "points with the address of another point"),
                plain("refused", "refused", of.refused, "points without machine code: a debugger refuses them"),
                plain(
                    "inlined_only",
                    "inlined only",
                    of.inlined_only,
                    "points of methods without code of their own: where they are inlined, a debugger never stops",
                ),
                plain("not_compiled", "not compiled", of.not_compiled, "points of methods without precompiled code"),
            ]);
        }
        let derived = [
            (
                "derived_accepted",
                "derived: accepted",
                "points that bind in the code that the runtime makes first, by the rule for IL",
            ),
            (
                "stack_after_result",
                "never: after result",
                "points with values on the stack, after a call with a result",
            ),
            ("stack_not_empty", "never: on the stack", "points with values on the stack"),
            ("makes_nothing", "never: makes nothing", "points that no machine code is made of"),
            ("merged_return", "never: merged return", "points whose return is merged with others"),
            ("unreachable", "never: unreachable", "points that no path leads to"),
            ("not_known", "not known", "points that take a recording, or an image that is not here, to decide"),
        ];
        let counted = derived.into_iter().zip(of.derived.all());
        all.extend(counted.map(|((key, name, noun), number)| plain(key, name, number, noun)));
        let share = |(key, name, number, of, noun)| Share { key, name, number, of, noun };
        all.into_iter().map(share).collect()
    }
}

impl Share {
    /// `of 160 bytes`, or the remark.
    pub fn whole(&self) -> String {
        match self.of {
            Some(of) => format!("of {}", count(of, self.noun)),
            None => self.noun.to_owned(),
        }
    }

    /// Returns true if the share is less than a percentage; false where there is nothing to count.
    const fn is_below(&self, percent: u8) -> bool {
        match self.of {
            Some(of) => self.number * 100 < of * percent as u64,
            None => false,
        }
    }
}

/// Remarks on the shares that are below their thresholds; a good one where none is.
pub fn below(quality: &Quality, thresholds: &[Threshold]) -> Vec<Remark> {
    let remark = |grade, sentence| Remark {
        rule: "quality",
        grade,
        sentence,
        place: Some(Place::Overview),
        span: None,
        count: 1,
    };
    let shares = quality.shares();
    let least = |share: &Share| thresholds.iter().find(|least| least.key == share.key).map(|least| least.percent);
    let is_below = |share: &Share| least(share).is_some_and(|percent| share.is_below(percent));
    let sentence = |share: &Share| {
        let percent = least(share).unwrap_or_default();
        format!("{}: {} {}, less than {percent} %", share.name, share.number, share.whole())
    };
    let mut found: Vec<Remark> =
        shares.iter().filter(|share| is_below(share)).map(|share| remark(Grade::Note, sentence(share))).collect();
    if found.is_empty() && !thresholds.is_empty() {
        found.push(remark(Grade::Good, format!("{} reached", count(thresholds.len() as u64, "threshold"))));
    }
    found
}
