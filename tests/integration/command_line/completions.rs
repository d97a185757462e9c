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

#[test]
fn scripts_of_all_shells_ask_for_words() {
    for shell in ["bash", "zsh", "fish", "powershell", "nushell"] {
        let script = stdout(&pdblens(&["gen", "completions", shell]));
        assert!(script.contains(" complete -- "), "{shell}");
    }
    assert!(stdout(&pdblens(&["gen", "completions", "nushell"])).contains("path@\"nu-complete pdblens named\""));
    assert_eq!(stdout(&pdblens(&["complete", "--", "where", "no.dll", "x"])), "");
}
