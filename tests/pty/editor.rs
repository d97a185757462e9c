//! The user's editor in the terminal.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{Session, Start};
use crate::support::folder::Folder;

#[test]
fn an_editor_has_the_terminal_until_it_ends() {
    let folder = Folder::new();
    let answer = folder.path().join("answer");
    let script = format!(
        "#!/bin/sh\nstty -g > /dev/null\nprintf 'EDITOR %s %s\\n' \"$1\" \"$2\"\nread line\nprintf '%s' \"$line\" > {}\n",
        answer.display()
    );
    let editor = folder.write("editor.sh", script.into_bytes());
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut session = Session::of(&Start {
        arguments: &["assets/samples/workshop/Workshop.dll", "--source-root", "assets/sources"],
        variables: &[("PDBLENS_EDITOR", editor.to_str().unwrap())],
        ..Start::default()
    });
    session.shows("1Summary").keys("3").shows("Columns.cs  ✓ file").keys("]e");
    session.shows("EDITOR +").shows("assets/sources/workshop/Columns.cs");
    // What is typed is the editor's: here `o` would open the prompt and `q` end the program.
    session.keys("hello, quotes\r").shows("editor.sh has ended").shows("3Code");
    assert_eq!(std::fs::read_to_string(&answer).unwrap(), "hello, quotes");
    session.keys("3t").shows("Documents").keys("q");
    assert_eq!(session.exit(), 0);
}

#[test]
fn an_editor_that_is_not_there_is_named() {
    let mut session = Session::of(&Start {
        arguments: &["assets/samples/workshop/Workshop.dll", "--source-root", "assets/sources"],
        variables: &[("PDBLENS_EDITOR", "/no/such/editor")],
        ..Start::default()
    });
    session
        .shows("1Summary")
        .keys("3")
        .shows("Columns.cs  ✓ file")
        .keys("e")
        .shows("cannot start /no/such/editor: No such file");
    session.keys("3t").shows("Documents").keys("q");
    assert_eq!(session.exit(), 0);
}
