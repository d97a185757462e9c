//! Acceptance of the IL offsets of a method in its machine code: by the map of each body, and without any by the rule for IL.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::{MachinePart, is_optimized};
use crate::native_where::ranges;
use pdblens_formats::r2r::inlining::InlinedMethod;
use pdblens_nodes::binding::{CodeKind, FromIl, IlBinding, Unknown, binding_of, binding_of_body};
use pdblens_nodes::code_unit::MethodView;
use pdblens_nodes::method::native::{MappedBody, bodies};
use pdblens_nodes::{CodeUnit, Token};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;

/// Native offsets by the IL offset that they belong to, in the order of the code.
pub type NativeOffsets = BTreeMap<u32, Vec<u32>>;

/// Machine code of a method.
#[derive(Debug, Default)]
pub struct MethodCode {
    /// Bodies with a map.
    pub bodies: Vec<NativeOffsets>,
    /// The rule for each of them whose kind is recorded.
    rules_of_bodies: Vec<Option<IlBinding>>,
    /// The kind of code that the runtime makes first, and the rule for it; not where bodies have maps.
    rule: Option<(CodeKind, IlBinding)>,
    /// True for a method, whose code has IL offsets.
    has_il: bool,
}

impl MethodCode {
    pub fn of(session: &Session, of: CodeUnit) -> Self {
        Self::with(session, of, &|method, kind| binding_of(session, method, kind))
    }

    /// The same of a method whose body was read.
    pub(crate) fn of_view(session: &Session, view: &MethodView) -> Self {
        let body = view.body.as_ref();
        Self::with(session, view.of, &|method, kind| Some(binding_of_body(session, method, body?, kind)))
    }

    fn with(session: &Session, of: CodeUnit, rule: &dyn Fn(Token, CodeKind) -> Option<IlBinding>) -> Self {
        let CodeUnit::Method(method) = of else { return Self::default() };
        let first = is_optimized(session)
            .map(|is_optimized| if is_optimized { CodeKind::Minimal } else { CodeKind::Debuggable });
        let rule = |kind| rule(method, kind);
        let mut code = Self { has_il: true, ..Self::default() };
        for mapped in bodies(session, method) {
            let Some(natives) = native_offsets(&mapped) else { continue };
            code.bodies.push(natives);
            let tier = mapped.recorded.as_ref().map(|recorded| recorded.tier.as_str());
            code.rules_of_bodies.push(tier.zip(first).and_then(|(tier, first)| rule(kind_of(tier, first)?)));
        }
        if code.bodies.is_empty() {
            code.rule = first.and_then(|kind| Some((kind, rule(kind)?)));
        }
        code
    }

    pub fn at(&self, il: u32) -> MachinePart {
        let accepted = self.bodies.iter().filter(|body| body.contains_key(&il)).count() as u32;
        let bodies = self.bodies.len() as u32;
        match accepted {
            _ if !self.has_il => MachinePart::NoOffset,
            _ if bodies == 0 => self.derived(il),
            0 => MachinePart::Refused { bodies },
            _ if accepted == bodies => MachinePart::Accepted { bodies },
            _ => MachinePart::InSome { accepted, bodies },
        }
    }

    /// Acceptance by the rule for IL, in the code that the runtime makes first.
    fn derived(&self, il: u32) -> MachinePart {
        let Some((kind, rule)) = &self.rule else { return MachinePart::NotKnown("the image, whose IL decides it") };
        match rule.answer(il) {
            FromIl::Accepted => MachinePart::AcceptedIn(*kind),
            FromIl::Refused(cause) => MachinePart::Never(cause),
            FromIl::Unknown(Unknown::PInvokeElsewhere) => {
                MachinePart::NotKnown("the assembly of the call before it, which may be a P/Invoke")
            }
            FromIl::Unknown(Unknown::InvalidCode) => MachinePart::NotKnown("IL that can be followed"),
            FromIl::Unknown(_) => MachinePart::NotKnown("a recording of the program"),
        }
    }

    /// Returns true if a recording accepts what the rule for IL refuses, or the other way round: it is of another build or runtime.
    pub fn is_contradicted(&self, il: u32) -> bool {
        self.bodies.iter().zip(&self.rules_of_bodies).any(|(body, rule)| {
            match rule.as_ref().map(|rule| rule.answer(il)) {
                Some(FromIl::Accepted) => !body.contains_key(&il),
                Some(FromIl::Refused(_)) => body.contains_key(&il),
                _ => false,
            }
        })
    }

    /// The offset in a range, usually of a statement, where a breakpoint binds that is nearest to `il`.
    pub fn nearest(&self, il: u32, range: Range<u32>) -> Option<u32> {
        if self.bodies.is_empty() {
            return self.rule.as_ref()?.1.nearest(il, range);
        }
        let accepted = self.bodies.iter().flat_map(|body| body.range(range.clone())).map(|(at, _)| *at);
        accepted.min_by_key(|at| at.abs_diff(il))
    }
}

/// Kind of recorded code, by the name of its tier and the kind that the runtime makes first.
fn kind_of(tier: &str, first: CodeKind) -> Option<CodeKind> {
    match tier {
        _ if tier.starts_with("Optimized") || tier == "ReadyToRun" || tier == "PreJIT" => Some(CodeKind::Optimised),
        _ if tier.starts_with("QuickJitted") || tier == "MinOptJitted" => Some(first),
        _ => None,
    }
}

/// Native offsets of a body; the start of the method is one of offset 0. `None` without a map.
fn native_offsets(mapped: &MappedBody) -> Option<NativeOffsets> {
    let mut all = NativeOffsets::new();
    for range in ranges(mapped) {
        all.entry(range.il).or_default().push(range.native);
    }
    all.entry(0).or_insert_with(|| vec![0]);
    if mapped.has_map() { Some(all) } else { None }
}

/// MethodDef rows of the methods that are inlined in precompiled code of the image.
pub(crate) fn inlined_rows(session: &Session) -> HashSet<u32> {
    let Some(code) = Precompiled::of(session) else { return HashSet::new() };
    let found = (0..code.inlinings()).filter_map(|number| {
        let (table, entry) = code.inlining(number)?;
        match table.get(entry).ok()?.inlinee {
            InlinedMethod::Row(0, row) => Some(row),
            _ => None,
        }
    });
    found.collect()
}
