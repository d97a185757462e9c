//! Merged returns: code that is not debuggable has at most four ways out.

use super::{FromIl, RefusalCause, Unknown};

const MAX_RETURNS: usize = 4;

/// Value that a `ret` returns.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Returned {
    Nothing,
    Constant(i64),
    /// A constant that the optimiser may compute.
    Converted,
    Value,
    /// A value that may be a constant of an intrinsic.
    Intrinsic,
}

/// A `ret` that is reached.
pub(super) struct Return {
    pub unit: usize,
    /// The boundary that it records, with the mark from before; none if the code before it has recorded one.
    pub boundary: Option<(usize, FromIl)>,
    pub returned: Returned,
}

/// Takes back the boundaries of returns that are merged. `returns` are in the order of IL; `is_single` is true if a method has one way out.
/// With a `doubt` it is not known whether returns are merged.
pub(super) fn merge(
    marks: &mut [FromIl],
    returns: &[Return],
    is_single: bool,
    is_optimised: bool,
    doubt: Option<Unknown>,
) {
    let is_many = returns.len() > MAX_RETURNS;
    let mut lost = vec![None; returns.len()];
    if is_single || is_many {
        lost = take_back(returns, is_single, is_optimised);
    }
    if let Some(reason) = doubt.filter(|_| !is_single) {
        let other = match reason {
            // One of these calls would make the way out the only one.
            Unknown::PInvokeElsewhere => take_back(returns, true, is_optimised),
            _ => vec![None; returns.len()],
        };
        for (lost, other) in lost.iter_mut().zip(other) {
            if *lost != other {
                *lost = Some(FromIl::Unknown(reason));
            }
        }
    }
    for (found, lost) in returns.iter().zip(lost) {
        if let (Some((unit, before)), Some(mark)) = (found.boundary, lost)
            && let Some(slot) = marks.get_mut(unit)
        {
            *slot = if matches!(before, FromIl::Unknown(_)) { before } else { mark };
        }
    }
}

/// The marks that merging leaves of the boundaries of returns.
fn take_back(returns: &[Return], is_single: bool, is_optimised: bool) -> Vec<Option<FromIl>> {
    let merged = Some(FromIl::Refused(RefusalCause::MergedReturn));
    // The optimiser makes constants of more values: it inlines calls.
    let unknown = if is_optimised { Unknown::Optimiser } else { Unknown::Intrinsic };
    // One of the ways out is for all values that are no constants.
    let max_constants = MAX_RETURNS - 1;
    let (mut constants, mut possible) = (Vec::with_capacity(max_constants), 0_usize);
    let mut mark = |found: &Return| match found.returned {
        Returned::Nothing => merged,
        _ if is_single => None,
        Returned::Constant(value) if constants.contains(&value) => merged,
        Returned::Constant(_) if constants.len() >= max_constants => None,
        Returned::Constant(_) if constants.len() + possible >= max_constants => Some(FromIl::Unknown(unknown)),
        Returned::Constant(value) => {
            constants.push(value);
            merged
        }
        Returned::Intrinsic => {
            possible += 1;
            Some(FromIl::Unknown(unknown))
        }
        Returned::Converted | Returned::Value => {
            possible += usize::from(is_optimised);
            None
        }
    };
    returns.iter().map(&mut mark).collect()
}
