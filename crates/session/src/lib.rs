//! An open pair of image and symbols: whether they match, and everything in them with an address.

pub mod parallel;
pub mod session;
pub mod source;
pub mod store;
pub mod symbols;
pub mod text;
