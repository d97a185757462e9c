//! MSFZ files, of which the MSF file with the same streams is made.

use super::{ContainerError, MAX_ENTRY, Unwrapped, broken};
use crate::bytes::{Slice, SpaceId};
use crate::msf::msfz::{MAGIC, rebuild};

pub(super) fn begins(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

pub(super) fn unwrap(bytes: &[u8]) -> Result<Unwrapped, ContainerError> {
    let bytes = rebuild(Slice::new(bytes, SpaceId(0), 0), MAX_ENTRY).map_err(|error| broken(error.to_string()))?;
    let remark = "a compressed PDB (MSFZ): offsets count from the MSF file that was made of its streams".into();
    Ok(Unwrapped { bytes, remark })
}
