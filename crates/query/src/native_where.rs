//! IL offsets and the precompiled machine code of a ReadyToRun image, both ways.
//!
//! A debugger accepts a breakpoint at an IL offset if the bounds of the body have an entry with exactly this offset, or if the offset
//! is 0, which is the start of the method. The runtime may reject precompiled code and compile the method itself; the answers hold if it
//! uses the code of the image.

use std::ops::Range;

use pdblens_formats::metadata::Token;
use pdblens_formats::r2r::{Bound, DebugInfo, IlPosition};
use pdblens_nodes::code_unit::{CodeUnit, MethodView};
use pdblens_nodes::method::native::{
    MappedBody, Recorded, bodies, body_at, live, location_text, method_of, variable_name,
};
use pdblens_nodes::{MethodPart, Place};
use pdblens_session::code_image;
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;

/// The machine code of an IL offset in one body of its method.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "native_offset"))]
pub struct NativeAnswer {
    /// Name of the method, with type arguments where the code is for some.
    pub code_of: String,
    /// Address of the body; 0 for recorded code, whose address is in memory.
    pub rva: u32,
    /// Code that a map has recorded, in the place of that of the image; the addresses of its ranges count from its first byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Size of the body in bytes, funclets included.
    pub size: u32,
    /// True if a debugger accepts a breakpoint at the IL offset; absent for a body without a map, of which it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
    /// Code that belongs to exactly this IL offset.
    pub addresses: Vec<NativeRange>,
    /// The entry with the greatest IL offset below; given where no entry has the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<NativeRange>,
    /// The entry with the least IL offset above; given where no entry has the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<NativeRange>,
}

/// Machine code from a bound up to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "native_range"))]
pub struct NativeRange {
    /// IL offset.
    pub il: u32,
    /// Native offset of the first byte, from the start of the method through its funclets.
    pub native: u32,
    /// Native offset after the last byte.
    pub end: u32,
    /// Address of the first byte.
    pub rva: u32,
}

/// The position in IL of an address of machine code.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "native_address"))]
pub struct AddressAnswer {
    /// Method that the code is of.
    #[serde(skip)]
    pub method: Token,
    /// Name of the method, with type arguments where the code is for some.
    pub code_of: String,
    /// The address; 0 for recorded code, whose address is in memory.
    pub rva: u32,
    /// Code that a map has recorded, in the place of that of the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Native offset of the address in the body.
    pub native: u32,
    /// Part of the body that belongs to no IL offset: `prolog`, `epilog`, `none`; absent for code of an IL offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub special: Option<&'static str>,
    /// IL offset that a stack frame at the address has; 0 in the prolog and in code without IL.
    pub il: u32,
    /// Variables with a location at the address.
    pub variables: Vec<LiveVariable>,
}

/// A variable, and the register or stack slot that holds it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "live_variable"))]
pub struct LiveVariable {
    /// Name, or the number of a local without one.
    pub name: String,
    /// Register or stack slot: `rbx`, `[rbp-0x48]`.
    pub location: String,
}

impl AddressAnswer {
    pub const fn place(&self) -> Place {
        let part =
            if self.recorded.is_some() { MethodPart::Instruction(self.il) } else { MethodPart::NativeAt(self.rva) };
        Place::MethodPart(self.method, part)
    }

    /// RVA, or the address in memory of recorded code.
    pub fn address(&self) -> u64 {
        let recorded = self.recorded.as_ref().map(|code| code.address.saturating_add(self.native.into()));
        recorded.unwrap_or_else(|| self.rva.into())
    }

    /// Position in IL of a native offset of a body; `None` for a body without a map, and for one of another assembly.
    pub fn of(session: &Session, mapped: &MappedBody, native: u32) -> Option<Self> {
        let method = method_of(session, &mapped.body).filter(|_| mapped.has_map())?;
        let bound = mapped.info.bound_at(native);
        let il = il_of_frame(&mapped.info, native);
        let view = MethodView::of(session, CodeUnit::Method(method));
        let machine = Precompiled::of(session).map_or(0, |code| code.r2r.target.machine);
        let variable = |variable: &pdblens_formats::r2r::Variable| LiveVariable {
            name: variable_name(session, &view, variable.number, il),
            location: location_text(machine, variable.location),
        };
        Some(Self {
            method,
            code_of: mapped.name.clone(),
            rva: if mapped.recorded.is_some() { 0 } else { mapped.body.rva_of(native)? },
            recorded: mapped.recorded.clone(),
            native,
            special: bound.map_or(Some("none"), |bound| bound.il.special()),
            il,
            variables: live(&mapped.info, native).map(variable).collect(),
        })
    }
}

/// Machine code of an IL offset, in each body of its method; empty for a method without any.
pub fn native_where(session: &Session, method: Token, il: u32) -> Vec<NativeAnswer> {
    bodies(session, method).iter().map(|mapped| NativeAnswer::of(mapped, il)).collect()
}

/// Reason why no machine code of a method is known.
pub fn not_compiled(session: &Session) -> &str {
    let missing = code_image::missing(session).map(|reason| reason.text.as_str());
    missing.unwrap_or("not precompiled: the runtime compiles the method when it is first called")
}

impl NativeAnswer {
    /// RVA, or the address in memory of recorded code.
    pub fn address_of(&self, rva: u32) -> u64 {
        self.recorded.as_ref().map_or(0, |code| code.address).saturating_add(rva.into())
    }

    fn of(mapped: &MappedBody, il: u32) -> Self {
        let ranges: Vec<NativeRange> = ranges(mapped).collect();
        let addresses: Vec<NativeRange> = ranges.iter().copied().filter(|range| range.il == il).collect();
        let is_none = addresses.is_empty();
        let (mut before, mut after) = (None, None);
        if is_none {
            before = ranges.iter().filter(|range| range.il < il).max_by_key(|range| (range.il, range.native)).copied();
            after = ranges.iter().filter(|range| range.il > il).min_by_key(|range| (range.il, range.native)).copied();
        }
        Self {
            code_of: mapped.name.clone(),
            rva: mapped.body.rva(),
            recorded: mapped.recorded.clone(),
            size: mapped.body.size(),
            accepted: mapped.has_map().then_some(!is_none || il == 0),
            addresses,
            before,
            after,
        }
    }
}

/// Ranges of code that belong to an IL offset, in the order of the code.
pub(crate) fn ranges(mapped: &MappedBody) -> impl Iterator<Item = NativeRange> {
    let size = mapped.body.size();
    mapped.info.bounds.iter().enumerate().filter_map(move |(index, bound)| {
        let il = bound.il.offset()?;
        let rva = mapped.body.rva_of(bound.native)?;
        Some(NativeRange { il, native: bound.native, end: mapped.info.end_of(index, size), rva })
    })
}

/// Position in IL of the code at an address; `None` where no method of the image has code there, or its body has no map.
pub fn at_address(session: &Session, rva: u32) -> Option<AddressAnswer> {
    let (mapped, native) = body_at(session, rva)?;
    AddressAnswer::of(session, &mapped, native)
}

/// IL that the code at an address belongs to, from the offset of its bound up to the next that has code; `None` for code of no IL.
pub fn il_at(session: &Session, rva: u32) -> Option<Range<u32>> {
    let (mapped, native) = body_at(session, rva)?;
    let start = mapped.info.bound_at(native)?.il.offset()?;
    let next = ranges(&mapped).map(|range| range.il).filter(|il| *il > start).min();
    Some(start..next.unwrap_or_else(|| start.saturating_add(1)))
}

/// Offsets of the bounds whose code belongs to a range of IL: from the last one at or before its start, but not before `least`, the
/// start of its sequence point.
pub fn bounds_of<'m>(bodies: impl IntoIterator<Item = &'m MappedBody>, il: &Range<u32>, least: u32) -> Range<u32> {
    let before = bodies.into_iter().flat_map(ranges).map(|range| range.il);
    let start = before.filter(|offset| least <= *offset && *offset <= il.start).max().unwrap_or(il.start);
    start..il.end.max(start.saturating_add(1))
}

/// IL offset of a native offset, as the runtime gives it to a stack frame: that of the last entry at or before it that is no call
/// instruction. Code of the prolog and code without IL have offset 0, the epilog that of the code before it.
pub(crate) fn il_of_frame(info: &DebugInfo, native: u32) -> u32 {
    let mut il = 0;
    for bound in info.bounds.iter().take_while(|bound| bound.native <= native).filter(|bound: &&Bound| !bound.is_call) {
        il = match bound.il {
            IlPosition::Offset(offset) => offset,
            IlPosition::None | IlPosition::Prolog => 0,
            IlPosition::Epilog => il,
        };
    }
    il
}

/// The same for a sample; `None` for code without IL, as that which enters a loop's optimised body is: it belongs to no statement.
pub(crate) fn il_of_sample(info: &DebugInfo, native: u32) -> Option<u32> {
    let is_generated = info.bound_at(native).is_some_and(|bound| bound.il == IlPosition::None);
    (!is_generated).then(|| il_of_frame(info, native))
}

/// Sentence on an IL offset in a body: accepted where, or refused, and the entries around it; not known without a map.
pub fn sentence(answer: &NativeAnswer, il: u32) -> String {
    let at = |range: &NativeRange| format!("IL_{:04x} at {:#x}", range.il, answer.address_of(range.rva));
    let Some(is_accepted) = answer.accepted else {
        return "not known: no map of this body is at hand".to_owned();
    };
    if is_accepted {
        let address = |range: &NativeRange| format!("{:#x}", answer.address_of(range.rva));
        let Some((first, others)) = answer.addresses.split_first() else {
            let at = answer.address_of(answer.rva);
            // The code that ran before the body is in the body of tier 0.
            return if answer.recorded.as_ref().is_some_and(|code| code.tier.ends_with("OSR")) {
                format!(
                    "accepted at {at:#x}, the start of this body: a breakpoint stops there when a loop enters the body; the statement does not run again"
                )
            } else {
                format!("accepted at {at:#x}, the start of the method")
            };
        };
        let others = others.iter().map(address).collect::<Vec<_>>().join(", ");
        let others = if others.is_empty() { others } else { format!("; only there, not at {others}") };
        return format!("accepted at {}{others}", address(first));
    }
    let before = answer.before.as_ref().map_or_else(String::new, |range| format!("; before it {}", at(range)));
    let after = answer.after.as_ref().map_or_else(String::new, |range| format!("; after it {}", at(range)));
    format!("refused (0x80131345): no machine code belongs to IL_{il:04x}{before}{after}")
}
