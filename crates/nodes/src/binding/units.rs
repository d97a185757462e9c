//! Instructions with their prefixes, and the blocks that they form.

use super::member::{Callee, Callees};
use crate::code_unit::il;
use pdblens_formats::il::{Body, FlowControl, Opcode, Operand, RegionKind, Variable};
use pdblens_session::session::Session;

/// Instructions that room is made for before the first is read.
const MOST_AT_ONCE: usize = 256;

/// An instruction with its prefixes.
pub(super) struct Unit<'s> {
    /// Offset of the first prefix.
    pub offset: u32,
    pub opcode: &'static Opcode,
    pub operand: Operand<'s>,
    pub variable: Option<Variable>,
    /// The method that it calls, if that is found.
    pub callee: Option<Callee>,
    /// The prefix `tail.` is before it.
    pub is_tail: bool,
    pub starts_block: bool,
    /// It is in a try block, a filter or a handler.
    pub is_protected: bool,
}

/// Decodes the code of a body, with the P/Invokes that it calls if its returns are merged; `None` where an instruction or a target of one is not valid.
pub(super) fn of<'s>(session: &'s Session, body: &Body, merges_returns: bool) -> Option<Vec<Unit<'s>>> {
    let mut units: Vec<Unit<'_>> = Vec::with_capacity((body.code.len as usize / 2).min(MOST_AT_ONCE));
    let (mut prefix, mut is_tail) = (None, false);
    let mut callees = Callees::of_session(session);
    for instruction in il::instructions(session, body) {
        let instruction = instruction.ok()?;
        let offset = prefix.unwrap_or(instruction.offset);
        if instruction.opcode.flow == FlowControl::Meta {
            prefix = Some(offset);
            is_tail |= instruction.opcode.name == "tail.";
            continue;
        }
        units.push(Unit {
            offset,
            opcode: instruction.opcode,
            operand: instruction.operand,
            variable: instruction.variable(),
            callee: callees.of(&instruction, merges_returns),
            is_tail,
            starts_block: false,
            is_protected: false,
        });
        (prefix, is_tail) = (None, false);
    }
    if prefix.is_some() || units.is_empty() || !begin_blocks(&mut units, body) {
        return None;
    }
    protect(&mut units, body);
    Some(units)
}

/// The unit that begins at an offset.
pub(super) fn at(units: &[Unit<'_>], offset: i64) -> Option<usize> {
    let offset = u32::try_from(offset).ok()?;
    units.binary_search_by_key(&offset, |unit| unit.offset).ok()
}

/// Marks the starts of blocks; returns false if a jump leads to no instruction.
fn begin_blocks(units: &mut [Unit<'_>], body: &Body) -> bool {
    begin_block(units, 0);
    for index in 0..units.len() {
        let Some(Unit { opcode, operand, .. }) = units.get(index) else { break };
        let (opcode, operand) = (*opcode, *operand);
        let is_valid = match operand {
            Operand::Branch(target) => begin_block_at(units, target),
            Operand::Switch(targets) => targets.iter().all(|target| begin_block_at(units, target)),
            _ => true,
        };
        if !is_valid {
            return false;
        }
        let ends = !matches!(opcode.flow, FlowControl::Next | FlowControl::Break | FlowControl::Call);
        if ends || opcode.name == "jmp" {
            begin_block(units, index + 1);
        }
    }
    let ends = body.regions.iter().flat_map(|region| [region.tried.end(), region.handler.end()]);
    for offset in ends.chain(body.regions.iter().flat_map(|region| entries(region).map(u64::from))) {
        // A range may end at the end of the code.
        begin_block(units, units.partition_point(|unit| u64::from(unit.offset) < offset));
    }
    true
}

fn begin_block_at(units: &mut [Unit<'_>], target: i64) -> bool {
    let found = at(units, target);
    found.is_some_and(|index| begin_block(units, index))
}

/// Marks the start of a block; returns false if there is no such unit.
fn begin_block(units: &mut [Unit<'_>], index: usize) -> bool {
    let unit = units.get_mut(index);
    unit.map(|unit| unit.starts_block = true).is_some()
}

/// Starts of the try block, of the filter if there is one, and of the handler.
fn entries(region: &pdblens_formats::il::ExceptionRegion) -> [u32; 3] {
    let filter = region.filter().map_or(region.handler.start, |filter| filter.start);
    [region.tried.start, filter, region.handler.start]
}

fn protect(units: &mut [Unit<'_>], body: &Body) {
    let ranges = body.regions.iter().flat_map(|region| [Some(region.tried), Some(region.handler), region.filter()]);
    let mut ends: Vec<(u64, i64)> = Vec::new();
    for range in ranges.flatten() {
        ends.extend([(range.start.into(), 1), (range.end(), -1)]);
    }
    ends.sort_unstable();
    let (mut ends, mut depth) = (ends.into_iter().peekable(), 0_i64);
    for unit in units {
        while let Some((_, change)) = ends.next_if(|(offset, _)| *offset <= unit.offset.into()) {
            depth += change;
        }
        unit.is_protected = depth > 0;
    }
}

/// Handlers by the units where their try blocks begin, and the units where catch handlers and filters begin.
#[derive(Default)]
pub(super) struct Entries {
    /// Start of the try block, start of the handler or filter, number of values on the stack there; sorted.
    handlers: Vec<(usize, usize, u32)>,
    /// Sorted.
    catches: Vec<usize>,
}

impl Entries {
    pub fn of(body: &Body, units: &[Unit<'_>]) -> Self {
        let mut found = Self::default();
        for region in &body.regions {
            let [tried, filter, handler] = entries(region).map(|offset| at(units, offset.into()));
            let Some(tried) = tried else { continue };
            let is_catch = matches!(region.kind, RegionKind::Catch { .. } | RegionKind::Filter { .. });
            for entry in [filter, handler].into_iter().flatten() {
                found.handlers.push((tried, entry, u32::from(is_catch)));
                if is_catch {
                    found.catches.push(entry);
                }
            }
        }
        found.handlers.sort_unstable();
        found.catches.sort_unstable();
        found
    }

    pub fn is_catch(&self, unit: usize) -> bool {
        self.catches.binary_search(&unit).is_ok()
    }

    /// Handlers and filters of the try blocks that begin at a unit, with the number of values on the stack.
    pub fn handlers(&self, tried: usize) -> impl Iterator<Item = (usize, u32)> {
        let first = self.handlers.partition_point(|(start, ..)| *start < tried);
        let of_block = self.handlers.iter().skip(first).take_while(move |(start, ..)| *start == tried);
        of_block.map(|(_, handler, depth)| (*handler, *depth))
    }
}
