//! Files whose names contain terminal control sequences: the output has none of them, and shows them escaped.

use std::path::Path;

use crate::harness::{PDBLENS, Session, Start};
use crate::support::folder::Folder;
use crate::support::synth::hostile;
use crate::tidy::tidy;

/// The pair, under a hostile file name.
fn pair(folder: &Folder) -> String {
    let pair = hostile::pair();
    folder.write(&format!("{}.pdb", hostile::FILE), pair.pdb);
    shown(&folder.write(&format!("{}.dll", hostile::FILE), pair.image))
}

fn shown(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Keys, and the text that shows then: the escaped spelling of each mark.
type Step = (&'static str, &'static str);

const WALK: &[Step] = &[
    // The names of files; the assembly's.
    ("", r"Sy\x1b]0;pwned\x07n\u{202e}th.dll"),
    ("", r"Sy\x1b]0;pwned\x07nth 1.0.0.0"),
    // Sections, what the image says of its PDB.
    ("2", r"\x1b[6n.t"),
    ("\r", r"/\x1b]0;pwned\x07/Sy.pdb"),
    // Streams, and what is in them.
    ("22", r"\x1bc#"),
    ("Gkk\t\t", r"#US"),
    // Rows, heaps, custom debug information.
    (":tables\r", r"OrderCon\x1b[2Jtroller1.cs"),
    ("o table/TypeDef\r", r"IndexCur"),
    ("jj", r"TokenInvo\u{9b}31miceWriter"),
    ("o image/heap/us\r", r"Add Order 12\x00: no such Key"),
    ("o table/LocalVariable\r", r"\u{2066}"),
    ("o table/Field\r", r"\u{200d}"),
    // Methods: the tree, calls and strings in IL, the source that is not there, the one that is.
    ("3", r"Fabrikam.Sea\x1b]0;"),
    ("jjj]]", r"\u{9b}31m"),
    ("\t\tG", r"IL_"),
    ("\tzz\t\t\t", r"\x1b"),
    // Sources.
    ("t", r"Index\nCache8.cs"),
    ("G", r"// /src/Files/Tests/EventP\u{202e}arser3.cs"),
    ("\tjj", r"line 3"),
];

/// Untrusted text with control sequences.
const PASTED: &str = "x\u{202e}y\u{9b}31m\x07";

/// A trace with hostile names; one frame is of the pair, by its token.
const TRACE: &str = "Evil\x1b]0;pwned\x07: \u{9b}31mno\r   at Over\u{202e}ride.Go\x1b[2J() in Synth.dll:token 0x6000001+0x1\r   \
                     at Other.Thing\u{200b}() in Other.dll:token 0x6000001+0x0\r";

#[test]
fn views_print_no_control_sequences_of_files() {
    let folder = Folder::new();
    let image = pair(&folder);
    let mut session = Session::of(&Start { arguments: &[&image], size: (200, 50), ..Start::default() });
    for (keys, shows) in WALK {
        session.keys(keys).shows(shows);
    }
    // What lies on top, and what is sought there: a name is found by what it holds.
    session.keys(":").shows("open-file").leaves("─ Commands ");
    session.keys("?").shows("Move up, down a screenful").leaves("─ Keys ");
    session.keys("oBasketRead").shows("1 name ").keys("\r").hides("─ Ask ").shows(r"› Basket\tReader7.cs");
    // What is copied is what it is, and goes through the terminal in letters.
    for (keys, what) in [("yv", "sent value"), ("yr", "sent row"), ("yj", "sent JSON"), ("yc", "sent command")] {
        session.keys(keys).shows(what);
    }
    // What is pasted may come from anywhere: into the prompt, the finder, the palette, the search.
    for (keys, title) in [("o", "─ Ask "), (":", "─ Commands "), ("?", "─ Keys ")] {
        session.keys(keys).shows(title).paste(PASTED).shows(r"x\u{202e}y 31m").leaves(title);
    }
    session.keys("\x1b[Z").shows("4/17 ━").keys("/").paste(PASTED).keys("\r").shows(r"no x\u{202e}y 31m in ");
    session.paste(PASTED).shows("─ Ask ").shows(r"x\u{202e}y 31m").leaves("─ Ask ");
    session.keys("4").paste(TRACE).shows("frames resolved").shows(r"Over\u{202e}ride.Go\x1b[2J()");
    session.keys("q");
    assert_eq!(session.exit(), 0);
    session.is_whole();
    assert_eq!(tidy(&session.raw(), false), Ok(()));
}

/// Commands, and the spelling of a mark that is to show. `FILE` is the image, `PDB` the Windows PDB, `TRACE` a text.
const COMMANDS: &[(&str, &str)] = &[
    ("info FILE", r"/\x1b]0;pwned\x07/Sy.pdb"),
    ("info PDB", "MSF 7.00"),
    ("list FILE", r"Sy\x1b]0;pwned\x07n\u{202e}th.dll"),
    ("list FILE table/TypeDef", r"TokenInvo\u{9b}31miceWriter"),
    ("list FILE table/LocalVariable", r"\u{2066}"),
    ("list FILE documents", r"OrderCon\x1b[2Jtroller1.cs"),
    ("list FILE methods", r"\x1b]0;pwned\x07"),
    ("list FILE image/heap/us", r"Add Order 12\x00: no such Key"),
    ("list FILE image/heap/strings", r"\u{200d}"),
    ("list FILE pdb/metadata/streams", r"\x1bc#"),
    ("list FILE pe/sections", r"\x1b[6n.t"),
    ("list FILE method/0x06000001/il", r"\u{200d}"),
    ("list FILE table/TypeDef --tsv", r"TokenInvo\u{9b}31miceWriter"),
    ("list FILE table/TypeDef --json", r"TokenInvo"),
    ("list PDB streams", r"/src/\x1b]0;pwned\x07"),
    ("show FILE table/TypeDef/2", r"\u{9b}31m"),
    ("show FILE document/1 --explain", r"OrderCon\x1b[2Jtroller1.cs"),
    ("show FILE pe/debug/0", r"\x1b]0;pwned\x07"),
    ("show FILE document/1 --json", r"OrderCon"),
    ("show FILE nothing/like\u{202e}it", r"\u{202e}"),
    ("where FILE 0x06000002+0x3", r"OrderCon\x1b[2Jtroller1.cs:36"),
    ("where FILE 0x06000002+0x3 --json", "OrderCon"),
    ("break FILE EventP\u{202e}arser3.cs:3", r"EventP\u{202e}arser3.cs"),
    ("sources FILE", r"Index\nCache8.cs"),
    ("check FILE", r"\x"),
    ("check FILE --format github", r"n\u{202e}th.dll"),
    ("check FILE --format junit", r"n\u{202e}th.dll"),
    ("diff FILE FILE", "methods"),
    ("find FILE", r"Sy\x1b]0;pwned\x07n\u{202e}th.dll"),
    ("dump FILE --json", "OrderCon"),
    ("trace TRACE --symbols FOLDER", r"Over\u{202e}ride.Go\x1b[2J()"),
    ("trace TRACE --symbols FOLDER --explain", r"Over\u{202e}ride.Go\x1b[2J()"),
    ("trace TRACE --symbols FOLDER --json", "Over"),
    // What cannot be opened is named all the same.
    ("FILE.missing", r"\x1b]0;pwned\x07n\u{202e}th.dll.missing: "),
    ("TRACE", r"Evil\x1b]0;pwned\x07.txt: "),
];

#[test]
fn commands_print_no_control_sequences_of_files() {
    let folder = Folder::new();
    let image = pair(&folder);
    let windows = shown(&folder.write("windows/Synth.pdb", hostile::windows()));
    let trace = shown(&folder.write("Evil\x1b]0;pwned\x07.txt", TRACE.replace('\r', "\n")));
    let here = shown(folder.path());
    let mut wrong = Vec::new();
    for (command, spelt) in COMMANDS {
        let words: Vec<String> = command
            .split(' ')
            .map(|word| {
                word.replace("FILE", &image).replace("PDB", &windows).replace("TRACE", &trace).replace("FOLDER", &here)
            })
            .collect();
        let arguments: Vec<&str> = [PDBLENS].into_iter().chain(words.iter().map(String::as_str)).collect();
        let raw = Session::output("\"$@\"", &arguments);
        let shows = String::from_utf8_lossy(&raw).contains(spelt);
        if let (Ok(()), true) = (tidy(&raw, true), shows) {
            continue;
        }
        wrong.push(format!(
            "{command}: {:?}, {spelt:?} {}",
            tidy(&raw, true),
            if shows { "shows" } else { "does not show" }
        ));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
