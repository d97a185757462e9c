//! Commands of the command line that print what the screens show.

use pdblens_session::session::Session;
use pdblens_session::text::shell::shell_quoted;

/// The command that explains how a frame of a stack trace is resolved, or why not; `None` for the built-in sample.
pub fn trace_command(session: &Session, frame: &str) -> Option<String> {
    let files = (!session.is_sample()).then(|| files(session))?;
    Some(format!("printf '%s\\n' {} | pdblens trace --explain {}", shell_quoted(frame), files.join(" ")))
}

/// The command that prints something of the open files, quoted for a shell.
pub fn command(session: &Session, verb: &str, question: &str) -> String {
    let files = if session.is_sample() { vec!["--sample".to_owned()] } else { files(session) };
    format!("pdblens {verb} {} {}", files.join(" "), shell_quoted(question))
}

pub fn diff_command(before: &Session, after: &Session) -> String {
    let named = [before, after].map(|session| files(session).into_iter().next().unwrap_or_default());
    format!("pdblens diff {}", named.join(" "))
}

/// The command that says where the symbols of the open image are looked for.
pub fn find_command(session: &Session) -> String {
    format!("pdblens find {}", files(session).join(" "))
}

/// The open files, quoted for a shell.
fn files(session: &Session) -> Vec<String> {
    let quoted = |path: &std::path::Path| shell_quoted(&path.display().to_string()).into_owned();
    let image = session.image().map(|file| quoted(&file.path));
    let symbols = session.symbol_file().filter(|file| !file.embedded).map(|file| quoted(&file.path));
    image.into_iter().chain(symbols).collect()
}
