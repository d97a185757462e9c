//! Commands of the command line that print what the screens show.

use crate::session::Session;
use crate::text::shell::shell_quoted;

/// The command that prints something of the open files, quoted for a shell.
pub fn command(session: &Session, verb: &str, question: &str) -> String {
    let quoted = |path: &std::path::Path| shell_quoted(&path.display().to_string()).into_owned();
    let image = session.image().map(|file| quoted(&file.path));
    let symbols = session.symbol_file().filter(|file| !file.embedded).map(|file| quoted(&file.path));
    let mut files: Vec<String> = image.into_iter().chain(symbols).collect();
    if session.is_sample() {
        files = vec!["--sample".to_owned()];
    }
    format!("pdblens {verb} {} {}", files.join(" "), shell_quoted(question))
}
