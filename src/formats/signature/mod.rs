//! Signatures: what the metadata says of the types of methods, fields, properties and local variables, and the types that
//! have no row of their own in a table (`List<int>`, `string[]`).
//!
//! A signature is a blob of compressed integers. Its first byte says what it is the signature of ([`Signature`]); a
//! [`Type`] is an element type, and behind that whatever such a type is made of, often other types. Specified in ECMA-335
//! II.23.2, the numbers of the element types in II.23.1.16.

mod decode;
pub mod element;
mod types;

pub use decode::{decode, decode_type, type_token};
pub use types::{ArrayShape, CallKind, MethodSignature, Primitive, Signature, Type};

#[cfg(test)]
mod tests;
