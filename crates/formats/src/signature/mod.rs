//! Signatures: the types of methods, fields, properties and local variables, and types without a row of their own
//! (`List<int>`, `string[]`).
//!
//! A signature is a blob of compressed integers. Its first byte says what it describes ([`Signature`]); a [`Type`] is
//! an element type followed by its parts, often other types. Specified in ECMA-335 II.23.2, the element types in
//! II.23.1.16.

pub mod attribute;
mod decode;
pub mod element;
mod types;

pub use decode::{decode, decode_arity, decode_native_type, decode_type, type_token};
pub use types::{Arity, ArrayShape, CallKind, MethodSignature, Primitive, Signature, Type};

#[cfg(test)]
mod tests;
