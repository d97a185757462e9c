//! Quality of debug information: how much of the code has points and names, and which points precompiled code keeps.
//!
//! A visible point *survives* in a body of machine code if a bound has exactly its IL offset, or if the offset is 0: a debugger stops
//! there, and refuses all others. The counts hold if the runtime uses the code of the image.
//!
//! # References
//!
//! J. R. Stinnett and S. Kell, *Accurate Coverage Metrics for Compiler-Generated Debugging Information* (CC 2024).

mod lines;
mod native;
mod refused;
mod shares;

pub use native::{NativeQuality, ObjectFile, native_quality};
pub use refused::{RefusedPoint, refused_points};
pub use shares::{QualityChange, Share, Threshold, below, changes};

use crate::breakpoint::{MachinePart, MethodCode, NativeOffsets, inlined_rows};
use crate::missing_lines::no_image_reason;
use crate::where_is::{awaits, count_calls, state_machine};
use lines::DocumentLines;
use pdblens_formats::bytes::Resource;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::points_around::PointList;
use pdblens_formats::reason::Reason;
use pdblens_formats::signature::{self, Signature};
use pdblens_nodes::binding::RefusalCause;
use pdblens_nodes::code_unit::MethodView;
use pdblens_nodes::code_unit::NamedMethod;
use pdblens_nodes::function::has_functions_only;
use pdblens_nodes::method::points_and_scopes;
use pdblens_session::precompiled::has_code;
use pdblens_session::session::Session;
use pdblens_session::source::{HashVerdict, SourceOptions, Sources};
use pdblens_session::symbols::SymbolReader;
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
    /// Async methods.
    pub async_methods: u32,
    /// Async methods whose symbols have the offsets of each await, at which a debugger steps over it.
    pub async_with_stepping: u32,
    /// Visible points in precompiled code; absent in an image without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survival: Option<Survival>,
    /// Visible points without a map of machine code, by what the rule for IL says of them.
    pub derived: Derived,
}

/// Visible points without a map, by what the rule for IL says of the code that the runtime makes first. Each is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "derived_counts"))]
pub struct Derived {
    /// It has an entry for the point: debuggable code, or code of tier 0 of a release build.
    pub derived_accepted: u32,
    /// Values are on the stack, after a call with a result.
    pub stack_after_result: u32,
    /// Values are on the stack.
    pub stack_not_empty: u32,
    /// No machine code is made of the IL up to the next boundary.
    pub makes_nothing: u32,
    /// The return is merged with others.
    pub merged_return: u32,
    /// No path leads there, or no instruction begins there.
    pub unreachable: u32,
    /// The rule does not know.
    pub not_known: u32,
}

impl Derived {
    fn count(&mut self, machine: MachinePart) {
        let counter = match machine {
            MachinePart::AcceptedIn(_) => &mut self.derived_accepted,
            MachinePart::Never(RefusalCause::StackAfterResult) => &mut self.stack_after_result,
            MachinePart::Never(RefusalCause::StackNotEmpty) => &mut self.stack_not_empty,
            MachinePart::Never(RefusalCause::MakesNothing) => &mut self.makes_nothing,
            MachinePart::Never(RefusalCause::MergedReturn) => &mut self.merged_return,
            MachinePart::Never(_) => &mut self.unreachable,
            MachinePart::NotKnown(_) => &mut self.not_known,
            _ => return,
        };
        *counter += 1;
    }

    /// Counts in the order of the fields.
    pub const fn all(&self) -> [u32; 7] {
        let Self { derived_accepted, stack_after_result, stack_not_empty, makes_nothing, merged_return, .. } = *self;
        let (unreachable, not_known) = (self.unreachable, self.not_known);
        [derived_accepted, stack_after_result, stack_not_empty, makes_nothing, merged_return, unreachable, not_known]
    }

    fn add(&mut self, other: &Self) {
        let [own, other] = [self.all(), other.all()];
        let mut sums = own.into_iter().zip(other).map(|(own, other)| own + other);
        let mut next = || sums.next().unwrap_or_default();
        *self = Self {
            derived_accepted: next(),
            stack_after_result: next(),
            stack_not_empty: next(),
            makes_nothing: next(),
            merged_return: next(),
            unreachable: next(),
            not_known: next(),
        };
    }
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
    /// The method has no precompiled code of its own, and is inlined in that of others: a debugger stops there, if at all.
    pub inlined_only: u32,
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
    /// Visible points that a debugger refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedPoint>,
}

/// Documents, and the lines of those whose text is at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "source_counts"))]
pub struct SourceCounts {
    /// Documents.
    pub documents: u32,
    /// Documents whose text, embedded or on this machine, has the hash in the symbols.
    pub documents_verified: u32,
    /// Lines with a statement, inside methods, of the verified documents in C#.
    pub lines: u32,
    /// Lines of these with a visible point.
    pub lines_with_points: u32,
}

/// Quality of an image and its symbols.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "quality"))]
pub struct Quality {
    /// Sum of all methods.
    #[serde(flatten)]
    pub counts: Counts,
    /// Documents and lines of source.
    #[serde(flatten)]
    pub sources: SourceCounts,
    /// Number of visible points that a debugger refuses.
    #[serde(skip)]
    pub refused_points: usize,
    /// Methods with IL.
    pub methods_with_il: Vec<MethodQuality>,
}

/// Quality of an image and its symbols.
///
/// # Errors
///
/// Reason why nothing can be counted: image or symbols are missing, or the code is native.
pub fn quality(session: &Session, options: &SourceOptions) -> Result<Quality, Reason> {
    counted(session, options, None)
}

/// The same with only those methods that have refused points, until there are `most` of these points.
///
/// # Errors
///
/// As for [`quality`].
pub fn summary(session: &Session, options: &SourceOptions, most: usize) -> Result<Quality, Reason> {
    counted(session, options, Some(most))
}

fn counted(session: &Session, options: &SourceOptions, most: Option<usize>) -> Result<Quality, Reason> {
    check_countable(session)?;
    let has_code = has_code(session);
    let inlined = inlined_rows(session);
    let (mut all, mut sum, mut refused_points) = (Vec::new(), Counts::default(), 0);
    let sources = Sources::of(session, options);
    let (mut source_counts, mut lines) = verified(session, &sources);
    let budget = session.spaces().budget();
    let (work, mut names) = (budget.work(), budget.share(Resource::Names));
    for row in 1..=session.methods() {
        let token = Token::new(TableId::METHOD_DEF, row);
        if !work.goes_on("quality of methods", || token.to_string()) {
            break;
        }
        let view = points_and_scopes(session, token);
        let Some(size) = view.size else { continue };
        let mut counts = of_points(&view.points, size);
        (counts.locals, counts.locals_named) = locals(session, &view);
        (counts.async_methods, counts.async_with_stepping) = stepping(session, token);
        let code = MethodCode::of_view(session, &view);
        if has_code {
            counts.survival = Some(survival(&view.points, &code, inlined.contains(&row)));
        }
        let mut refused = 0_usize;
        for point in view.points.iter().filter(|point| !point.is_hidden()) {
            let machine = code.at(point.offset);
            counts.derived.count(machine);
            refused += usize::from(machine.is_refused());
        }
        add_lines(session, &view, &mut lines);
        sum.add(&counts);
        let is_kept = most.is_none_or(|most| refused > 0 && refused_points < most);
        refused_points += refused;
        if is_kept {
            let refused = refused::refused_of(session, &view, &code);
            let method = NamedMethod::of(session, token);
            let of_points: usize = refused.iter().map(|point| point.method.len() + point.document.len()).sum();
            let len = method.name.len() + method.full_name.as_ref().map_or(0, String::len) + of_points;
            if !names.take(len as u64) {
                names.leave_out("methods with IL", token.to_string(), None);
                break;
            }
            all.push(MethodQuality { method, counts, refused });
        }
    }
    count_lines(&sources, &lines, &mut source_counts);
    Ok(Quality { counts: sum, sources: source_counts, refused_points, methods_with_il: all })
}

/// Fails if nothing can be counted.
fn check_countable(session: &Session) -> Result<(), Reason> {
    if session.symbols().is_none() {
        let reason = session.match_reasons().first().map_or(String::new(), |reason| format!(": {reason}"));
        return Err(Reason::new("no-pdb", format!("no PDB{reason}")));
    }
    if let Some(missing) = no_image_reason(session) {
        return Err(Reason::new("no-image", missing.why));
    }
    if has_functions_only(session) {
        return Err(Reason::new("native-code", "the code is native: methods with IL are counted"));
    }
    Ok(())
}

/// Adds the lines of a method to those of its documents, as far as they are counted.
fn add_lines(session: &Session, view: &MethodView, lines: &mut BTreeMap<u32, DocumentLines>) {
    if lines.is_empty() {
        return;
    }
    let mut documents: Vec<u32> = view.points.iter().map(|point| point.document).collect();
    documents.sort_unstable();
    documents.dedup();
    let name = session.metadata().map(|metadata| metadata.string_cell(TableId::METHOD_DEF, view.of.token().row(), 3));
    let is_constructor = name.is_some_and(|name| name.is_ok_and(|name| name.data.ends_with(b"ctor")));
    for document in documents {
        if let Some(lines) = lines.get_mut(&document) {
            lines.add(&view.points, document, is_constructor);
        }
    }
}

/// Counts of documents, and the verified ones in C#, whose lines are counted.
fn verified(session: &Session, sources: &Sources<'_>) -> (SourceCounts, BTreeMap<u32, DocumentLines>) {
    let documents = session.symbols().map_or(0, SymbolReader::documents);
    let (mut counts, mut lines) = (SourceCounts { documents, ..SourceCounts::default() }, BTreeMap::new());
    for row in 1..=documents {
        let Ok(source) = sources.get(row) else { continue };
        if !matches!(source.verdict, HashVerdict::Verified(_)) {
            continue;
        }
        counts.documents_verified += 1;
        if source.text.is_some() && source.document.name.to_ascii_lowercase().ends_with(".cs") {
            lines.insert(row, DocumentLines::default());
        }
    }
    (counts, lines)
}

/// Adds the lines of documents to the counts. Their texts are read again, so that one is held at a time.
fn count_lines(sources: &Sources<'_>, lines: &BTreeMap<u32, DocumentLines>, counts: &mut SourceCounts) {
    for (row, lines) in lines {
        let Ok(Some(text)) = sources.get(*row).map(|source| source.text) else { continue };
        let found = lines.count(&text);
        counts.lines += found.all;
        counts.lines_with_points += found.with_points;
    }
}

/// Number of async methods, and of those with stepping information for each await: one method, or none.
fn stepping(session: &Session, method: Token) -> (u32, u32) {
    if !state_machine::is_async(session, method) {
        return (0, 0);
    }
    let Some(body) = state_machine::move_next(session, method) else { return (1, 0) };
    let suspends = |name: &str| name.starts_with("AwaitUnsafeOnCompleted") || name.starts_with("AwaitOnCompleted");
    let needed = count_calls(session, body, &suspends);
    (1, u32::from(needed <= awaits::of(session, body).len()))
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
            counts.points_hidden += 1;
            counts.il_hidden += len;
        } else {
            counts.points_visible += 1;
            counts.il_visible += len;
        }
    }
    counts.methods_with_points = u32::from(counts.points_visible > 0);
    counts
}

/// Slots of local variables, and those with a name in some scope.
fn locals(session: &Session, view: &MethodView) -> (u32, u32) {
    let slots = view.body.as_ref().map_or(0, |body| slot_count(session, body.local_signature));
    let named: HashSet<u32> =
        view.scopes.iter().flat_map(|scope| &scope.variables).filter_map(|variable| slot(variable, slots)).collect();
    (slots, named.len() as u32)
}

fn slot_count(session: &Session, signature: Token) -> u32 {
    let blob = session.metadata().map(|metadata| metadata.blob_cell(TableId::STAND_ALONE_SIG, signature.row(), 0));
    let Some(Ok(blob)) = blob else { return 0 };
    match signature::decode(&mut blob.cursor()) {
        Ok(Signature::Locals(types)) => types.len() as u32,
        _ => 0,
    }
}

fn slot(variable: &pdblens_session::symbols::Variable, slots: u32) -> Option<u32> {
    let slot = u32::from(variable.slot);
    if slot < slots { Some(slot) } else { None }
}

/// Counts of the states of the visible points in the bodies of a method.
fn survival(points: &PointList, code: &MethodCode, is_inlined: bool) -> Survival {
    let mut survival = Survival::default();
    let offsets = visible(points);
    if code.bodies.is_empty() {
        let points = if is_inlined { &mut survival.inlined_only } else { &mut survival.not_compiled };
        *points = offsets.len() as u32;
        return survival;
    }
    for (_, state) in states(&offsets, code) {
        let counter = match state {
            PointState::Stops => &mut survival.stops,
            PointState::Several => &mut survival.several,
            PointState::Shared => &mut survival.shared,
            PointState::Refused => &mut survival.refused,
        };
        *counter += 1;
    }
    survival
}

fn visible(points: &PointList) -> Vec<u32> {
    points.iter().filter(|point| !point.is_hidden()).map(|point| point.offset).collect()
}

/// IL offsets with the best of their states in the bodies of a method.
fn states(offsets: &[u32], code: &MethodCode) -> Vec<(u32, PointState)> {
    let best = |offset: &u32| code.bodies.iter().map(|natives| state(*offset, natives, offsets)).max();
    offsets.iter().map(|offset| (*offset, best(offset).unwrap_or(PointState::Refused))).collect()
}

/// IL offsets of the visible points of a method with their states in its bodies; without points, the offsets that have machine code.
pub fn point_states(points: &PointList, code: &MethodCode) -> Vec<(u32, PointState)> {
    let mut offsets = visible(points);
    if offsets.is_empty() {
        offsets = code.bodies.iter().flat_map(BTreeMap::keys).copied().collect();
        offsets.sort_unstable();
        offsets.dedup();
    }
    states(&offsets, code)
}

fn state(offset: u32, natives: &NativeOffsets, offsets: &[u32]) -> PointState {
    let Some(own) = natives.get(&offset) else { return PointState::Refused };
    let others = offsets.iter().filter(|other| **other != offset).filter_map(|other| natives.get(other));
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
        self.methods += other.methods;
        self.methods_with_points += other.methods_with_points;
        self.il_visible += other.il_visible;
        self.il_hidden += other.il_hidden;
        self.il_without_points += other.il_without_points;
        self.points_visible += other.points_visible;
        self.points_hidden += other.points_hidden;
        self.locals += other.locals;
        self.locals_named += other.locals_named;
        self.async_methods += other.async_methods;
        self.async_with_stepping += other.async_with_stepping;
        self.derived.add(&other.derived);
        if let Some(other) = other.survival {
            let survival = self.survival.get_or_insert_default();
            survival.stops += other.stops;
            survival.several += other.several;
            survival.shared += other.shared;
            survival.refused += other.refused;
            survival.inlined_only += other.inlined_only;
            survival.not_compiled += other.not_compiled;
        }
    }
}
