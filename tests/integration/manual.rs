//! The manual: each example of the help runs, and help, man pages and the page for agents have them all.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use pdblens::cli::{command, examples, skill};

use crate::support::folder::Folder;

/// A folder with the files that the examples name.
fn world() -> Folder {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples");
    let folder = Folder::new();
    for (name, sample) in [
        ("App.dll", "ticker/Ticker.dll"),
        ("App.pdb", "ticker/Ticker.pdb"),
        ("old/App.dll", "ticker-release/Ticker.dll"),
        ("old/App.pdb", "ticker-release/Ticker.pdb"),
        ("bin/Faults.dll", "faults/Faults.dll"),
        ("bin/Faults.pdb", "faults/Faults.pdb"),
        ("Embedded.dll", "ticker-embedded/Ticker.dll"),
        ("Native.pdb", "native/tally.pdb"),
        ("log.txt", "faults/il-offsets.txt"),
    ] {
        folder.write(name, std::fs::read(samples.join(sample)).unwrap());
    }
    let core = std::fs::File::open(samples.join("../cores/deadlock/deadlock.core.gz")).unwrap();
    std::io::copy(
        &mut flate2::read::GzDecoder::new(core),
        &mut std::fs::File::create(folder.path().join("crash.core")).unwrap(),
    )
    .unwrap();
    folder.write("lines.txt", "Program.cs:10\n");
    folder.write("answers.json", "{}");
    folder.write("stacks.txt", "Ticker.Program.Main;Ticker.Clock.Since 7\n");
    folder.write("reads.json", "[]");
    folder.write("offsets.txt", "Clock.Since+0xF\n0x06000002+0x1\n");
    let package = std::fs::File::create(folder.path().join("Acme.1.2.0.nupkg")).unwrap();
    let mut package = zip::ZipWriter::new(package);
    package.start_file("lib/net8.0/Acme.dll", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut package, &std::fs::read(folder.path().join("Embedded.dll")).unwrap()).unwrap();
    package.finish().unwrap();
    std::fs::copy(folder.path().join("Acme.1.2.0.nupkg"), folder.path().join("Acme.1.2.1.nupkg")).unwrap();
    folder
}

fn run(line: &str, folder: &Folder) -> Output {
    let (line, input) = match line.split_once(" < ") {
        Some((line, name)) => (line, Stdio::from(std::fs::File::open(folder.path().join(name)).unwrap())),
        None => (line.split(" > ").next().unwrap(), Stdio::null()),
    };
    let mut words = line.split(' ');
    assert_eq!(words.next(), Some("pdblens"), "{line}");
    Command::new(env!("CARGO_BIN_EXE_pdblens"))
        .args(words)
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path())
        .stdin(input)
        .output()
        .unwrap()
}

#[test]
fn every_example_of_the_help_runs() {
    let folder = world();
    for (name, examples) in examples() {
        assert!(!examples.is_empty(), "{name}");
        for example in examples {
            let output = run(example.line, &folder);
            let errors = String::from_utf8_lossy(&output.stderr);
            // A breakpoint that does not bind and a pair that does not match are answers too.
            let answered = matches!(output.status.code(), Some(0 | 3));
            assert!(answered, "{}: {}\n{errors}", example.line, output.status);
            let printed =
                !output.stdout.is_empty() || example.line.contains(" -o ") || example.line.contains("--output");
            assert!(printed, "{} printed nothing\n{errors}", example.line);
        }
    }
    assert!(folder.files().contains(&"man/pdblens-where.1".to_owned()), "{:?}", folder.files());
}

#[test]
fn every_command_has_examples_and_shows_them_in_each_face_of_the_manual() {
    let program = command();
    let mut commands = BTreeSet::new();
    for found in program.get_subcommands().filter(|found| !found.is_hide_set()) {
        commands.insert(found.get_name().to_owned());
        commands.extend(found.get_subcommands().map(|nested| format!("{} {}", found.get_name(), nested.get_name())));
    }
    let examples = examples();
    let with_examples: BTreeSet<String> =
        examples.iter().map(|(name, _)| name.clone()).filter(|name| !name.is_empty()).collect();
    assert_eq!(commands, with_examples);
    let folder = Folder::new();
    let page = skill(&program, &examples);
    for (name, examples) in examples {
        let text = |line: &str| String::from_utf8(run(line, &folder).stdout).unwrap();
        let (help, man) = match name.as_str() {
            "" => (text("pdblens --help"), text("pdblens gen man pdblens")),
            name => {
                (text(&format!("pdblens {name} --help")), text(&format!("pdblens gen man {}", name.replace(' ', "-"))))
            }
        };
        for example in examples {
            assert!(help.contains(example.line), "{name} --help: {}\n{help}", example.line);
            assert!(man.replace('\\', "").contains(example.line), "man {name}: {}\n{man}", example.line);
            assert!(name.is_empty() || page.contains(example.line), "{}", example.line);
        }
    }
    let help = String::from_utf8(run("pdblens --help", &folder).stdout).unwrap();
    for heading in ["Exit status:", "Environment:", "Files:"] {
        assert!(help.contains(heading), "{heading}\n{help}");
    }
}

#[test]
fn pages_refer_to_pages_that_are_written() {
    let folder = Folder::new();
    assert!(run("pdblens gen man --output man", &folder).status.success());
    let mut found = 0;
    for file in folder.files() {
        let page = std::fs::read_to_string(folder.path().join(&file)).unwrap().replace('\\', "");
        for reference in page.split("(1)").map(|before| before.rsplit(char::is_whitespace).next().unwrap_or_default()) {
            if let Some(name) = reference.strip_prefix("pdblens-") {
                assert!(folder.path().join(format!("man/pdblens-{name}.1")).is_file(), "{file}: {reference}(1)");
                found += 1;
            }
        }
    }
    assert!(found > 20 && folder.files().contains(&"man/pdblens-store-add.1".to_owned()), "{found}");
}

#[test]
fn commands_that_take_a_place_name_it_in_usage_and_man_page() {
    let folder = world();
    for name in ["show", "list", "dump"] {
        let help = String::from_utf8(run(&format!("pdblens {name} --help"), &folder).stdout).unwrap();
        let usage = help.lines().find(|line| line.starts_with("Usage: ")).unwrap();
        assert!(usage.contains("FILE… ") && usage.contains("PLACE"), "{usage}");
        let man = String::from_utf8(run(&format!("pdblens gen man {name}"), &folder).stdout).unwrap();
        assert!(man.contains(&format!("\\fBpdblens {name}\\fR")), "{man}");
        assert!(man.contains("PLACE") && man.contains("lists the places"), "{man}");
        // What the help promises: a place, a token, an offset and a name.
        for place in ["method/Clock.Since/il/0xf", "0x06000002", "Clock.Since", "0x1f4"] {
            let output = run(&format!("pdblens {name} App.dll {place}"), &folder);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!errors.contains("no place") && !errors.contains("nothing at"), "{name} {place}: {errors}");
        }
    }
}

#[test]
fn colour_follows_the_environment() {
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(["info", "--sample"]).env_remove("NO_COLOR").env("TERM", "xterm");
        for (name, value) in variables {
            command.env(name, value);
        }
        command.output().unwrap().stdout.contains(&0x1B)
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]) && coloured(&[("FORCE_COLOR", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "0")]) && !coloured(&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]));
}
