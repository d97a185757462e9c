//! Values in words: names, signatures, constants, C++ types, decorated names, GUIDs, dates, and text from files made safe to show.

pub mod constant;
pub mod cpp_types;
pub mod demangle;
pub mod distance;
pub mod guids;
pub mod name_parts;
pub mod names;
pub mod parameters;
pub mod paths;
pub mod registers;
pub mod safe;
pub mod shell;
pub mod signature;
pub mod time;
