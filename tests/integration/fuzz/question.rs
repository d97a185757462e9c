//! Whole questions, as the command line takes them, about files of arbitrary bytes. `fuzz/` asks them in process, the stable driver the
//! program. The last byte of an input chooses the command.

use std::path::Path;

/// About a pair: `@` is its files. The length of the image comes first in the input, then the image and the symbols.
pub const PAIR_COMMANDS: &[&str] = &[
    "info @",
    "info @ --coverage --json",
    "info @ --sizes",
    "list @",
    "show @ table/Module/1 --steps",
    "used-by @ 0x06000001",
    "where @ 0x06000001+0x1",
    "where @ rva:0x2050 --json",
    "where @ 0x06000001+0x1 --native",
    "break @ Clock.cs:11 --why",
    "dump @",
    "points @ --statements",
    "lines @",
    "methods @",
    "documents @",
    "sources @ --tried",
    "check @",
    "check @ --format sarif",
    "quality @",
    "find @",
    "diff @ Ticker.dll",
    "srcsrv @",
    "explain @ sequence point",
    "learn @ 10",
    "show @ method/0x06000001/points --format html",
];
/// About one file, `#`, beside the pair Ticker.
pub const FILE_COMMANDS: &[&str] = &[
    "info #",
    "info #!",
    "check #",
    "list #",
    "dump #",
    "quality Ticker.dll --native #",
    "points Ticker.dll --native #",
    "where Ticker.dll Clock.Since+0x2 --native=#",
    "points Hot.dll --samples #",
    "trace Ticker.dll #",
];
/// About a text: in a file, `#`, or as an argument, `$`.
pub const TEXT_COMMANDS: &[&str] = &[
    "trace Ticker.dll #",
    "trace Ticker.dll # --json --explain",
    "where Ticker.dll $",
    "break Ticker.dll $",
    "list Ticker.dll $",
    "explain Ticker.dll $",
    "decode points $",
    "decode type $",
    "encode points $",
    "srcsrv Tally.pdb --write #",
    "points Hot.dll --samples #",
    "points Hot.dll --samples # --native=#",
    "check Ticker.dll --config #",
    "learn Ticker.dll --lesson #",
    "info Ticker.dll --symbols $",
];
/// Most bytes of an argument.
const MAX_ARGUMENT: usize = 4096;

/// Writes the files of an input to a folder; returns the words of the question, without the name of the program.
pub fn words(data: &[u8], folder: &Path) -> Vec<String> {
    let Some((command, data)) = data.split_last() else { return vec!["info".to_owned(), "--sample".to_owned()] };
    std::fs::create_dir_all(folder).unwrap();
    let sample = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples"));
    let root = if sample.is_dir() {
        sample.to_owned()
    } else {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/samples")
    };
    for (name, from) in [
        ("Ticker.dll", "ticker/Ticker.dll"),
        ("Ticker.pdb", "ticker/Ticker.pdb"),
        ("Tally.pdb", "native/tally.pdb"),
        ("Hot.dll", "../../tests/golden/samples/hot.dll"),
    ] {
        if !folder.join(name).exists() {
            std::fs::copy(root.join(from), folder.join(name)).unwrap();
        }
    }
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).unwrap();
        folder.join(name).display().to_string()
    };
    let (commands, files, text) = if let Some((image, symbols)) = halves(data) {
        (PAIR_COMMANDS, vec![write("Fuzz.dll", image), write("Fuzz.pdb", symbols)], String::new())
    } else if std::str::from_utf8(data).is_ok_and(|text| !text.contains('\0')) {
        // An option could name a file to write.
        let text = String::from_utf8_lossy(data).trim_start_matches('-').chars().take(MAX_ARGUMENT).collect();
        (TEXT_COMMANDS, vec![write("Fuzz.txt", data)], text)
    } else {
        let name = if data.starts_with(b"PK") { "Fuzz.nupkg" } else { "Fuzz.nettrace" };
        (FILE_COMMANDS, vec![write(name, data)], String::new())
    };
    let asked = commands[usize::from(*command) % commands.len()];
    let sample = |word: &str| folder.join(word).display().to_string();
    let word = |word: &str| match word {
        "@" => files.clone(),
        "$" => vec![text.clone()],
        "Ticker.dll" | "Tally.pdb" | "Hot.dll" => vec![sample(word)],
        other => vec![other.replace('#', &files[0])],
    };
    asked.split(' ').flat_map(word).collect()
}

fn halves(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = data.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*len) as usize)
        .filter(|(image, _)| image.is_empty() || image.starts_with(b"MZ"))
}
