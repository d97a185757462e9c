//! The user's editor at a line of a source file.
//!
//! The variables name a program and its arguments, which are split at spaces and passed as they are: no shell sees them. An editor
//! that needs the terminal gets it until it ends, on Windows a console of its own; one with a window of its own is started and left
//! alone.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use pdblens_nodes::rows::Tone;

/// Variables that name the editor, the first that is set counts.
const VARIABLES: [&str; 3] = ["PDBLENS_EDITOR", "VISUAL", "EDITOR"];

/// Process creation flag of Windows: a console of its own.
#[cfg(windows)]
const CREATE_NEW_CONSOLE: u32 = 0x10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    pub path: PathBuf,
    /// Line and column, from 1.
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor {
    program: String,
    arguments: Vec<String>,
    pub in_terminal: bool,
    /// True if the editor gets a console of its own, as there is no job control: Windows.
    in_console: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EditorForm {
    /// `+LINE FILE`
    Plus,
    /// `FILE:LINE:COLUMN`
    Colons,
    /// `--goto FILE:LINE:COLUMN`
    GoTo,
    /// `--line LINE --column COLUMN FILE`
    Line,
    File,
}

/// Editors with their form, and whether they have a window of their own. Others are called as vi is.
const KNOWN: &[(&[&str], EditorForm, bool)] = &[
    (&["code", "code-insiders", "codium", "cursor", "windsurf"], EditorForm::GoTo, true),
    (&["rider", "rider64", "idea", "idea64", "clion", "fleet"], EditorForm::Line, true),
    (&["subl", "sublime_text", "zed"], EditorForm::Colons, true),
    (&["hx", "helix"], EditorForm::Colons, false),
    (&["notepad"], EditorForm::File, true),
    (&["gvim", "gedit", "kate", "mousepad"], EditorForm::Plus, true),
];

impl Editor {
    /// The editor of the environment for a line; the error is a sentence.
    pub fn of(at: &SourceLine, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let named = VARIABLES.into_iter().find_map(|name| variable(name).filter(|value| !value.trim().is_empty()));
        let Some(named) = named.or_else(|| cfg!(windows).then(|| "notepad".to_owned())) else {
            return Err("no editor is set: set $PDBLENS_EDITOR, $VISUAL or $EDITOR".to_owned());
        };
        let mut words = split(&named);
        let program = words.remove(0);
        let stem = Path::new(&program).file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
        let known = KNOWN.iter().find(|(names, ..)| stem.as_deref().is_some_and(|stem| names.contains(&stem)));
        let (form, has_window) = known.map_or((EditorForm::Plus, false), |(_, form, has_window)| (*form, *has_window));
        // An option that makes a window's editor stay in the terminal is the user's.
        let in_terminal = !has_window || words.iter().any(|word| word == "--wait" || word == "-w");
        // A file whose name begins with a dash is no option.
        let file = std::path::absolute(&at.path).unwrap_or_else(|_| at.path.clone()).to_string_lossy().into_owned();
        let (line, column) = (at.line.max(1).to_string(), at.column.max(1).to_string());
        let has_place = words.iter().any(|word| word.contains("{file}"));
        let mut arguments: Vec<String> = words
            .iter()
            .map(|word| {
                // The file comes last: its name may have braces too.
                word.replace("{line}", &line).replace("{column}", &column).replace("{file}", &file)
            })
            .collect();
        if !has_place {
            arguments.extend(match form {
                EditorForm::Plus => vec![format!("+{line}"), file],
                EditorForm::Colons => vec![format!("{file}:{line}:{column}")],
                EditorForm::GoTo => vec!["--goto".to_owned(), format!("{file}:{line}:{column}")],
                EditorForm::File => vec![file],
                EditorForm::Line => vec!["--line".to_owned(), line, "--column".to_owned(), column, file],
            });
        }
        let (in_terminal, in_console) = (in_terminal && cfg!(unix), !has_window && cfg!(windows));
        Ok(Self { program, arguments, in_terminal, in_console })
    }

    pub fn name(&self) -> &str {
        Path::new(&self.program).file_name().and_then(|name| name.to_str()).unwrap_or(&self.program)
    }

    /// Message about an editor in the terminal that ended.
    pub fn ended(&self, status: ExitStatus) -> (Tone, String) {
        match status.code() {
            Some(0) => (Tone::Text, format!("{} has ended", self.name())),
            Some(code) => (Tone::Warn, format!("{} ended with exit code {code}", self.name())),
            None => (Tone::Warn, format!("{} was ended: {status}", self.name())),
        }
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn not_started(&self, error: &std::io::Error) -> String {
        format!("cannot start {}: {error}; set ${}", self.program, VARIABLES.join(", $"))
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        #[cfg(windows)]
        if self.in_console {
            std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NEW_CONSOLE);
        }
        if !self.in_terminal && !self.in_console {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        }
        command
    }
}

/// Words at spaces; quotes keep spaces together. There is at least one word.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in text.trim().chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(c),
        }
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor(value: &str) -> Result<Editor, String> {
        let at = SourceLine { path: "/src/-a {line}.cs".into(), line: 7, column: 3 };
        Editor::of(&at, &|name| (name == "EDITOR").then(|| value.to_owned()))
    }

    #[test]
    fn the_line_is_passed_as_the_editor_wants_it() {
        for (value, program, arguments, in_terminal) in [
            ("vim", "vim", vec!["+7", "/src/-a {line}.cs"], true),
            ("nvim -R", "nvim", vec!["-R", "+7", "/src/-a {line}.cs"], true),
            ("code", "code", vec!["--goto", "/src/-a {line}.cs:7:3"], false),
            ("code --wait", "code", vec!["--wait", "--goto", "/src/-a {line}.cs:7:3"], true),
            ("rider", "rider", vec!["--line", "7", "--column", "3", "/src/-a {line}.cs"], false),
            ("hx", "hx", vec!["/src/-a {line}.cs:7:3"], true),
            ("notepad", "notepad", vec!["/src/-a {line}.cs"], false),
            ("'/opt/my editor/ed' {line} {file}", "/opt/my editor/ed", vec!["7", "/src/-a {line}.cs"], true),
        ] {
            let found = editor(value).unwrap();
            assert_eq!(
                (found.program.as_str(), &found.arguments),
                (program, &arguments.iter().map(|a| (*a).to_owned()).collect()),
                "{value}"
            );
            if cfg!(unix) {
                assert_eq!(found.in_terminal, in_terminal, "{value}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_editor_that_fails_is_told_from_one_that_ends() {
        use std::os::unix::process::ExitStatusExt;
        let ended = |status| editor("vim").unwrap().ended(ExitStatus::from_raw(status)).1;
        assert_eq!([ended(0), ended(3 << 8)], ["vim has ended", "vim ended with exit code 3"]);
        assert!(ended(9).starts_with("vim was ended: signal: 9"));
    }

    #[test]
    fn no_shell_sees_the_arguments() {
        let found = editor("vim $(touch /tmp/x); ls").unwrap();
        assert_eq!(found.arguments[..4], ["$(touch", "/tmp/x);", "ls", "+7"]);
        assert_eq!(editor("  ").is_err(), !cfg!(windows));
    }
}
