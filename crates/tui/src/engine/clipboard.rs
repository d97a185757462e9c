//! Clipboard: tmux, a tool of the desktop, or the terminal itself (OSC 52), in this order.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;

/// Limit of a text sent through the terminal: 74 994 bytes of Base64.
const MAX_OSC52_BYTES: usize = 74_994 / 4 * 3;
const TOOL_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tool {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Environment variable that the tool needs; empty for none.
    variable: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { name: "wl-copy", arguments: &[], variable: "WAYLAND_DISPLAY" },
    Tool { name: "xclip", arguments: &["-selection", "clipboard"], variable: "DISPLAY" },
    Tool { name: "xsel", arguments: &["--clipboard", "--input"], variable: "DISPLAY" },
    Tool { name: "pbcopy", arguments: &[], variable: "" },
    Tool { name: "clip.exe", arguments: &[], variable: "" },
];

const TMUX: Tool = Tool { name: "tmux", arguments: &["load-buffer", "-w", "-"], variable: "TMUX" };

/// Copies a text; returns a message, also as an error.
pub fn copy(what: &str, text: &str) -> Result<String, String> {
    let size = pdblens_session::text::safe::count(text.len() as u64, "byte");
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    for tool in tools(&set, &on_path) {
        if run(tool, text).is_ok() {
            return Ok(format!("copied {what}, {size} ({})", tool.name));
        }
    }
    if text.len() > MAX_OSC52_BYTES {
        return Err(format!("{size} are too much for OSC 52, and no clipboard tool was found"));
    }
    match execute!(std::io::stdout(), CopyToClipboard::to_clipboard_from(text)) {
        Ok(()) => Ok(format!("sent {what}, {size}, to the terminal (OSC 52)")),
        Err(error) => Err(format!("nothing was copied: {error}")),
    }
}

/// The tools to try, in order. Over SSH the tools of the desktop are left out: they would copy to the remote clipboard.
fn tools(set: &dyn Fn(&str) -> bool, there: &dyn Fn(&str) -> bool) -> Vec<Tool> {
    let mut tools = Vec::new();
    if set("TMUX") {
        tools.push(TMUX);
    }
    if !set("SSH_CONNECTION") && !set("SSH_TTY") {
        tools.extend(TOOLS.iter().filter(|tool| (tool.variable.is_empty() || set(tool.variable)) && there(tool.name)));
    }
    tools
}

fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn run(tool: Tool, text: &str) -> std::io::Result<()> {
    let mut child = Command::new(tool.name)
        .args(tool.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    wait(&mut child)
}

fn wait(child: &mut Child) -> std::io::Result<()> {
    let until = Instant::now() + TOOL_TIMEOUT;
    while Instant::now() < until {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(_) => return Err(std::io::ErrorKind::Other.into()),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    child.kill()?;
    Err(std::io::ErrorKind::TimedOut.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(set: &[&str], there: &[&str]) -> Vec<&'static str> {
        tools(&|name| set.contains(&name), &|name| there.contains(&name)).iter().map(|tool| tool.name).collect()
    }

    #[test]
    fn tmux_goes_first_and_tools_of_a_desktop_only_where_it_is_ours() {
        assert_eq!(names(&["TMUX", "DISPLAY"], &["xclip", "xsel"]), ["tmux", "xclip", "xsel"]);
        assert_eq!(names(&["WAYLAND_DISPLAY"], &["wl-copy", "xclip"]), ["wl-copy"]);
        assert_eq!(names(&["SSH_CONNECTION", "DISPLAY"], &["xclip"]), Vec::<&str>::new());
        assert_eq!(names(&[], &["pbcopy"]), ["pbcopy"]);
    }
}
