//! Completions of shells: bash asks the program for words of the files on the line.

use std::process::Command;

use super::{pdblens, stdout};
use crate::support::samples::repository;

/// Candidates of bash for a line, sorted; `None` where there is no bash of version 4.
fn bash(words: &[&str]) -> Option<Vec<String>> {
    let script = r#"
        [[ ${BASH_VERSINFO[0]} -ge 4 ]] || exit 9
        compopt() { :; }
        source <("$PDBLENS" gen completions bash)
        COMP_WORDS=("$PDBLENS" "$@"); COMP_CWORD=$#
        _pdblens_named "$PDBLENS" "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let program = env!("CARGO_BIN_EXE_pdblens");
    let output = Command::new("bash").args(["-c", script, "bash"]).args(words).env("PDBLENS", program).output().ok()?;
    if output.status.code() == Some(9) {
        return None;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut words: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    words.sort();
    Some(words)
}

#[test]
fn bash_completes_words_of_the_files() {
    let dll = repository("assets/samples/ticker/Ticker.dll").display().to_string();
    for (words, wanted) in [
        (&["where", &dll, "Clock."][..], &["Clock.Now", "Clock.Since"][..]),
        (&["break", &dll, "Pr"], &["Program.cs:"]),
        (&["show", &dll, "table/Document/"], &["table/Document/1", "table/Document/2"]),
        (&["check", &dll, "--deny", "snupkg-e"], &["snupkg-empty"]),
        // The generated part knows these.
        (&["where", &dll, "--source-r"], &["--source-root"]),
    ] {
        let Some(found) = bash(words) else { return };
        assert_eq!(found, wanted, "{words:?}");
    }
}

/// Candidates of fish for a line; `None` where there is no fish.
fn fish(line: &str) -> Option<Vec<String>> {
    let script = format!("\"$PDBLENS\" gen completions fish | source; complete -C'{line}'");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_pdblens"));
    let path = std::env::join_paths([program.parent().unwrap(), "/usr/bin".as_ref(), "/bin".as_ref()]).unwrap();
    let mut command = Command::new("fish");
    let output =
        command.args(["--no-config", "-c", &script]).env("PDBLENS", program).env("PATH", path).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect())
}

#[test]
fn fish_completes_values_of_options_too() {
    for (line, wanted) in [
        ("pdblens where --sample Clock.S", "Clock.Since"),
        ("pdblens check --sample --deny snupkg-e", "snupkg-empty"),
        ("pdblens --sample --at methods", "methods"),
    ] {
        let Some(found) = fish(line) else { return };
        assert_eq!(found, [wanted], "{line}");
    }
}

/// A file before the subcommand would take its place in what zsh is told.
#[test]
fn zsh_finds_the_subcommand_in_the_first_word() {
    let script = stdout(&pdblens(&["gen", "completions", "zsh"]));
    assert!(script.contains("words=($line[1] ") && !script.contains("$line[2]"));
    assert!(script.contains("--theme=") && script.contains("--version[") && script.contains("'*:words -- "));
    assert!(!script.contains("\n'*::"));
}

#[test]
fn scripts_of_all_shells_ask_for_words() {
    for shell in ["bash", "zsh", "fish", "powershell", "nushell"] {
        let script = stdout(&pdblens(&["gen", "completions", shell]));
        assert!(script.contains(" complete -- "), "{shell}");
    }
    let nushell = stdout(&pdblens(&["gen", "completions", "nushell"]));
    for word in ["...files: path", "...words: string", "--deny: string", "--at: string"] {
        assert!(nushell.contains(&format!("{word}@\"nu-complete pdblens named\" ")), "{word}");
    }
    assert_eq!(stdout(&pdblens(&["complete", "--", "where", "no.dll", "x"])), "");
}
