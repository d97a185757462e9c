//! Native code is a format: outside its own files, few lines ask whether code is native.
//!
//! A question about one unit matches on `CodeUnit` or asks its `Words`; a question about all units asks `code_unit::codes`.

use super::SRC;
use super::allow::{assert_kept, by_key};
use super::source::Source;

/// Files and folders that are about native code, or about the files of which it is a part.
const OWN: &[&str] = &[
    "crates/formats/",
    "crates/machine/",
    "crates/session/src/symbols/",
    "crates/nodes/src/code_tree/function_order.rs",
    "crates/nodes/src/code_tree/overloads.rs",
    "crates/nodes/src/code_tree/own.rs",
    "crates/nodes/src/code_unit/function.rs",
    "crates/nodes/src/contributions.rs",
    "crates/nodes/src/function/",
    "crates/nodes/src/layout.rs",
    "crates/nodes/src/module_details.rs",
    "crates/nodes/src/type_details.rs",
    "crates/nodes/src/type_layout/",
    "crates/nodes/src/types.rs",
    "crates/query/src/trace/ahead.rs",
    "crates/query/src/trace/functions.rs",
    "src/cli/lines.rs",
];

/// Lines that name the view of native code, or ask a unit whether it is native.
fn questions(source: &Source) -> impl Iterator<Item = (String, String)> {
    let is_own = source.path.contains("native") || OWN.iter().any(|own| source.path.starts_with(own));
    let code = if is_own { "" } else { &source.code };
    let asks =
        |line: &str| line.contains("NativeView") || line.contains(".is_native()") || line.contains("::is_native");
    let is_import = |line: &str| line.trim_start().trim_start_matches("pub ").starts_with("use ");
    let lines = (1..).zip(code.lines()).filter(move |(_, line)| asks(line) && !is_import(line));
    lines.map(|(number, line)| (source.path.clone(), format!("line {number}: {}", line.trim())))
}

#[test]
fn native_code_is_a_format() {
    let found = by_key(SRC.files.iter().flat_map(questions));
    assert_kept("native", "a file outside native code does not ask whether code is native", &found);
}
