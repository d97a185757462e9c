//! Questions about a session: free functions, called by the commands and the screens alike.

pub mod address;
pub mod ask;
pub(crate) mod bit_set;
pub mod breakpoint;
pub mod check;
pub mod coverage;
pub mod definition;
pub mod diff;
pub mod document_counts;
pub mod document_lines;
pub mod evidence;
pub mod extract;
pub(crate) mod method_facts;
pub mod missing_lines;
pub mod owner;
pub mod scope_names;
pub mod search;
pub mod shell_command;
pub mod trace;
pub mod where_is;
