//! Running a learner's program, and reading its output.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs `command` with paths of inputs as further arguments, and returns the JSON that it prints, or the reason why there is none. What it
/// says on standard error goes to ours, and an interrupt of the terminal ends both.
pub(super) fn run(command: &[OsString], inputs: &[PathBuf]) -> Result<Value, String> {
    let (program, arguments) = command.split_first().ok_or("no program is named")?;
    let name = program.to_string_lossy();
    let mut child = Command::new(program);
    child.args(arguments).args(inputs).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = child.output().map_err(|error| format!("cannot start {name}: {error}"))?;
    match serde_json::from_slice(&output.stdout) {
        Ok(json) => Ok(json),
        Err(_) if !output.status.success() => Err(format!("{name} failed: {}", output.status)),
        Err(error) => Err(format!("{name} printed no JSON: {error}")),
    }
}
