//! Source folders on the command line, and a fetch that takes too long.

use crate::harness::Session;
use crate::support::folder::Folder;
use crate::support::server::{Answer, Server, linked_paths};

const WORKSHOP: &str = "assets/samples/workshop/Workshop";

#[test]
fn options_of_the_command_line_reach_the_screens() {
    let dll = format!("{WORKSHOP}.dll");
    for named in [["--source-root", "assets/sources"], ["--map", "/_/=assets/sources"]] {
        let mut session = Session::start(&[&[dll.as_str()], &named[..]].concat(), &[]);
        session.shows("1Summary").keys("3").shows("Columns.cs  ✓ file").keys("q");
        assert_eq!(session.exit(), 0);
    }
    let folder = Folder::new();
    let alone = folder.write("Workshop.dll", std::fs::read(&dll).unwrap());
    let symbols = ["--symbols", "assets/samples/workshop", alone.to_str().unwrap()];
    let mut session = Session::start(&symbols, &[]);
    session.shows("✓ matches").keys("q");
    assert_eq!(session.exit(), 0);
}

#[test]
fn files_that_change_on_disk_are_read_again_without_a_key() {
    let folder = Folder::new();
    let alone = folder.write("Workshop.dll", std::fs::read(format!("{WORKSHOP}.dll")).unwrap());
    let pdb = folder.write("Workshop.pdb", std::fs::read(format!("{WORKSHOP}.pdb")).unwrap());
    let mut session = Session::start(&[alone.to_str().unwrap()], &[]);
    session.shows("✓ matches").is_quiet();
    std::fs::remove_file(&pdb).unwrap();
    session.shows("Workshop.pdb: deleted on disk").shows("! Workshop.pdb deleted");
    folder.write("Workshop.pdb", std::fs::read("assets/samples/workshop-release/Workshop.pdb").unwrap());
    session.shows("were read again").shows("✗ PDB does not match").keys("q");
    assert_eq!(session.exit(), 0);
}

#[test]
fn a_slow_fetch_is_cancelled_without_blocking() {
    let paths = linked_paths("/samples/workshop/Modern.cs");
    let server = Server::new(paths.map(|path| (path, Answer::Stall(b"namespace".into()))));
    let folder = Folder::new();
    let pdb = folder.write("Workshop.pdb", server.linked(std::fs::read(format!("{WORKSHOP}.pdb")).unwrap()));
    let mut session = Session::start(&[pdb.to_str().unwrap()], &[]);
    session
        .shows("No DLL found")
        .keys("3t")
        .shows("Columns.cs  lines of its points")
        .keys("j")
        .shows("Modern.cs  lines of its points");
    session.keys("f").shows("Fetch from 127.0.0.1?");
    session.keys("\r").shows("fetching http://127.0.0.1");
    // Meanwhile everything else is there.
    session.keys("j").shows("Parts.First.cs  lines of its points").keys("t").shows("Columns.cs  lines of its points");
    session.keys("\x1b").shows("stopped fetching").keys("q");
    assert_eq!(session.exit(), 0);
}
