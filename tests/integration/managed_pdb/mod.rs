//! Windows PDBs of managed code: the format's reader, and the same files through a session.

mod diasym;
mod reader;
mod session;
mod token_map;
