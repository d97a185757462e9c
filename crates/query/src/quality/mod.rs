//! Quality of debug information: how much of the code has points and names, and which points precompiled code keeps.
//!
//! A visible point *survives* in a body of machine code if a bound has exactly its IL offset, or if the offset is 0: a debugger stops
//! there, and refuses all others. The counts hold if the runtime uses the code of the image.
//!
//! # References
//!
//! J. R. Stinnett and S. Kell, *Accurate Coverage Metrics for Compiler-Generated Debugging Information* (CC 2024).

use crate::native_where::ranges;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::points_around::PointList;
use pdblens_nodes::code_unit::MethodView;
use pdblens_nodes::code_unit::NamedMethod;
use pdblens_nodes::method::native::{MappedBody, bodies};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;
use std::collections::{BTreeMap, HashSet};

/// Counts of a method or of an assembly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "quality_counts"))]
pub struct Counts {
    /// Methods with IL.
    pub methods: u32,
    /// Methods with IL and a visible point.
    pub methods_with_points: u32,
    /// Bytes of IL that visible points cover.
    pub il_visible: u64,
    /// Bytes of IL that hidden points cover.
    pub il_hidden: u64,
    /// Bytes of IL before the first point, or in a method without points.
    pub il_without_points: u64,
    /// Visible points.
    pub points_visible: u32,
    /// Hidden points.
    pub points_hidden: u32,
    /// Slots of local variables.
    pub locals: u32,
    /// Slots that a scope has a name for.
    pub locals_named: u32,
    /// Visible points in precompiled code; absent in an image without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survival: Option<Survival>,
}

/// Visible points by what a debugger does with them in precompiled code. Each is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "survival"))]
pub struct Survival {
    /// A debugger stops at one address, which no other point has.
    pub stops: u32,
    /// A debugger stops at several addresses.
    pub several: u32,
    /// Another point has the same address.
    pub shared: u32,
    /// No machine code belongs to the IL offset: a debugger refuses the breakpoint (0x80131345).
    pub refused: u32,
    /// The method has no precompiled code.
    pub not_compiled: u32,
}

/// State of a visible point in precompiled code, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointState {
    /// No machine code belongs to the IL offset.
    Refused,
    /// Another point has the same address.
    Shared,
    /// It has several addresses.
    Several,
    /// It has one address, which no other point has.
    Stops,
}

/// Quality of one method.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "method_quality"))]
pub struct MethodQuality {
    /// The method.
    pub method: NamedMethod,
    /// Counts of the method.
    #[serde(flatten)]
    pub counts: Counts,
    /// IL offsets of the visible points that a debugger refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_il: Vec<u32>,
}

/// Quality of an image and its symbols: all methods with IL, and their sum.
pub fn quality(session: &Session) -> (Counts, Vec<MethodQuality>) {
    let is_precompiled = Precompiled::of(session).is_some();
    let (mut all, mut sum) = (Vec::new(), Counts::default());
    for row in 1..=session.methods() {
        let token = Token::new(TableId::METHOD_DEF, row);
        let view = MethodView::of(session, token);
        let Some(size) = view.size else { continue };
        let mut counts = of_points(&view.points, size);
        (counts.locals, counts.locals_named) = locals(session, &view);
        let mut refused_il = Vec::new();
        if is_precompiled {
            let (survival, refused) = survival(&view.points, &bodies(session, token));
            (counts.survival, refused_il) = (Some(survival), refused);
        }
        sum.add(&counts);
        all.push(MethodQuality { method: NamedMethod::of(session, token), counts, refused_il });
    }
    (sum, all)
}

/// Bytes of IL under visible, hidden and no points.
fn of_points(points: &PointList, size: u32) -> Counts {
    let mut counts = Counts { methods: 1, ..Counts::default() };
    let mut starts = points.iter().peekable();
    counts.il_without_points = u64::from(starts.peek().map_or(size, |first| first.offset.min(size)));
    while let Some(point) = starts.next() {
        let end = starts.peek().map_or(size, |next| next.offset).min(size);
        let len = u64::from(end.saturating_sub(point.offset));
        if point.is_hidden() {
            counts.points_hidden = counts.points_hidden.saturating_add(1);
            counts.il_hidden = counts.il_hidden.saturating_add(len);
        } else {
            counts.points_visible = counts.points_visible.saturating_add(1);
            counts.il_visible = counts.il_visible.saturating_add(len);
        }
    }
    counts.methods_with_points = u32::from(counts.points_visible > 0);
    counts
}

/// Slots of local variables, and those with a name in some scope.
fn locals(session: &Session, view: &MethodView) -> (u32, u32) {
    let slots = view.local_types(session).len() as u32;
    let named: HashSet<u32> =
        view.scopes.iter().flat_map(|scope| &scope.variables).filter_map(|variable| slot(variable, slots)).collect();
    (slots, named.len() as u32)
}

fn slot(variable: &pdblens_session::symbols::Variable, slots: u32) -> Option<u32> {
    let slot = u32::from(variable.slot);
    if slot < slots { Some(slot) } else { None }
}

/// Counts of the states of the visible points in the bodies of a method, and the offsets of those that all bodies refuse.
fn survival(points: &PointList, bodies: &[MappedBody]) -> (Survival, Vec<u32>) {
    let (mut survival, mut refused) = (Survival::default(), Vec::new());
    let offsets = visible(points);
    if bodies.is_empty() {
        survival.not_compiled = offsets.len() as u32;
        return (survival, refused);
    }
    for (offset, state) in states(&offsets, bodies) {
        let counter = match state {
            PointState::Stops => &mut survival.stops,
            PointState::Several => &mut survival.several,
            PointState::Shared => &mut survival.shared,
            PointState::Refused => &mut survival.refused,
        };
        *counter = counter.saturating_add(1);
        if state == PointState::Refused {
            refused.push(offset);
        }
    }
    (survival, refused)
}

fn visible(points: &PointList) -> Vec<u32> {
    points.iter().filter(|point| !point.is_hidden()).map(|point| point.offset).collect()
}

/// IL offsets with the best of their states in the bodies of a method.
fn states(offsets: &[u32], bodies: &[MappedBody]) -> Vec<(u32, PointState)> {
    let known: Vec<BTreeMap<u32, Vec<u32>>> = bodies.iter().map(addresses).collect();
    let best = |offset: &u32| known.iter().map(|addresses| state(*offset, addresses, offsets)).max();
    offsets.iter().map(|offset| (*offset, best(offset).unwrap_or(PointState::Refused))).collect()
}

/// IL offsets of the visible points of a method with their states in its bodies; without points, the offsets that have machine code.
pub fn point_states(points: &PointList, bodies: &[MappedBody]) -> Vec<(u32, PointState)> {
    let mut offsets = visible(points);
    if offsets.is_empty() {
        offsets = bodies.iter().flat_map(ranges).map(|range| range.il).collect();
        offsets.sort_unstable();
        offsets.dedup();
    }
    states(&offsets, bodies)
}

/// Addresses by IL offset; the start of the method is one of offset 0.
fn addresses(mapped: &MappedBody) -> BTreeMap<u32, Vec<u32>> {
    let mut all: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for range in ranges(mapped) {
        all.entry(range.il).or_default().push(range.native);
    }
    all.entry(0).or_insert_with(|| vec![0]);
    all
}

fn state(offset: u32, addresses: &BTreeMap<u32, Vec<u32>>, offsets: &[u32]) -> PointState {
    let Some(own) = addresses.get(&offset) else { return PointState::Refused };
    let others = offsets.iter().filter(|other| **other != offset).filter_map(|other| addresses.get(other));
    if others.flatten().any(|native| own.contains(native)) {
        PointState::Shared
    } else if own.len() > 1 {
        PointState::Several
    } else {
        PointState::Stops
    }
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.methods = self.methods.saturating_add(other.methods);
        self.methods_with_points = self.methods_with_points.saturating_add(other.methods_with_points);
        self.il_visible = self.il_visible.saturating_add(other.il_visible);
        self.il_hidden = self.il_hidden.saturating_add(other.il_hidden);
        self.il_without_points = self.il_without_points.saturating_add(other.il_without_points);
        self.points_visible = self.points_visible.saturating_add(other.points_visible);
        self.points_hidden = self.points_hidden.saturating_add(other.points_hidden);
        self.locals = self.locals.saturating_add(other.locals);
        self.locals_named = self.locals_named.saturating_add(other.locals_named);
        if let Some(other) = other.survival {
            let survival = self.survival.get_or_insert_default();
            survival.stops = survival.stops.saturating_add(other.stops);
            survival.several = survival.several.saturating_add(other.several);
            survival.shared = survival.shared.saturating_add(other.shared);
            survival.refused = survival.refused.saturating_add(other.refused);
            survival.not_compiled = survival.not_compiled.saturating_add(other.not_compiled);
        }
    }
}
