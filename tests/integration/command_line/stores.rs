//! `store`: what is added is found again.

use std::process::Command;

use super::{pdblens, sample, stderr, stdout};
use crate::support::folder::Folder;
use crate::support::samples::repository;

#[test]
fn what_is_added_to_a_store_is_found_there() {
    let folder = Folder::new();
    let store = folder.path().join("store");
    let (files, to) = (sample("ticker"), store.to_str().unwrap().to_owned());
    let said = stdout(&pdblens(&["store", "add", files.to_str().unwrap(), "--to", &to]));
    assert_eq!(said.lines().filter(|line| line.starts_with("✓ ")).count(), 2, "{said}");
    let key = "ticker.pdb/3222a828d6ba470fac43bbba907b2f03FFFFFFFF/ticker.pdb";
    let image = "ticker.dll/D91941A46000/ticker.dll";
    assert_eq!(folder.files(), [format!("store/{image}"), format!("store/{key}")]);
    let listed = stdout(&pdblens(&["store", "list", &to, "--tsv"]));
    assert!(listed.contains(&format!("{key}\t")) && listed.contains(image), "{listed}");

    // An image away from its symbols finds them there, and takes them to another store, of two tiers.
    let alone = folder.write("alone/Ticker.dll", std::fs::read(sample("ticker/Ticker.dll")).unwrap());
    folder.write("second/index2.txt", b"");
    let second = folder.path().join("second");
    let get = |symbols: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(["store", "get"]).arg(&alone).args(["--symbols", symbols, "--to"]).arg(&second);
        command.env_remove("_NT_SYMBOL_PATH").output().unwrap()
    };
    let found = get(&to);
    assert!(found.status.success(), "{}", stderr(&found));
    assert!(folder.files().contains(&format!("second/ti/{key}")), "{:?}", folder.files());
    assert_eq!(get(folder.path().join("alone").to_str().unwrap()).status.code(), Some(3));
    assert!(stdout(&pdblens(&["store", "list", second.to_str().unwrap()])).contains(key));
}

#[test]
fn a_name_under_which_no_debugger_looks_is_told() {
    let folder = Folder::new();
    let image = folder.write("Ticker.dll", std::fs::read(sample("ticker/Ticker.dll")).unwrap()).display().to_string();
    let renamed = folder.write("Other.pdb", std::fs::read(sample("ticker/Ticker.pdb")).unwrap()).display().to_string();
    let to = folder.path().join("store").display().to_string();
    let said = stdout(&pdblens(&["store", "add", &image, &renamed, "--to", &to]));
    let asked = "the image asks for ticker.pdb/3222a828d6ba470fac43bbba907b2f03FFFFFFFF/ticker.pdb";
    assert!(said.contains("no debugger looks for it there") && said.contains(asked), "{said}");
    let right = sample("ticker").display().to_string();
    assert!(!stdout(&pdblens(&["store", "add", &right, "--to", &to])).contains("no debugger"));
}

#[test]
fn the_partner_and_the_symbols_package_beside_are_added_too() {
    let folder = Folder::new();
    let package =
        folder.write("Ticker.1.0.0.nupkg", std::fs::read(repository("assets/packages/Ticker.1.0.0.nupkg")).unwrap());
    folder.write("Ticker.1.0.0.snupkg", std::fs::read(repository("assets/packages/Ticker.1.0.0.snupkg")).unwrap());
    for (named, keys) in [
        (
            sample("ticker/Ticker.dll"),
            ["ticker.dll/D91941A46000/ticker.dll", "ticker.pdb/3222a828d6ba470fac43bbba907b2f03FFFFFFFF/ticker.pdb"],
        ),
        (
            sample("ticker/Ticker.pdb"),
            ["ticker.dll/D91941A46000/ticker.dll", "ticker.pdb/3222a828d6ba470fac43bbba907b2f03FFFFFFFF/ticker.pdb"],
        ),
        (
            package,
            ["ticker.dll/D91941A46000/ticker.dll", "ticker.pdb/b3da9c554755484d8d5ea96a2f1cc0a2FFFFFFFF/ticker.pdb"],
        ),
    ] {
        let store = Folder::new();
        stdout(&pdblens(&["store", "add", named.to_str().unwrap(), "--to", store.path().to_str().unwrap()]));
        assert_eq!(store.files(), keys, "{}", named.display());
    }
}

#[test]
fn images_of_folders_in_a_folder_get_their_symbols_whatever_else_is_there() {
    let folder = Folder::new();
    let (store, to) = (folder.path().join("store"), folder.path().join("to"));
    pdblens(&["store", "add", sample("ticker").to_str().unwrap(), "--to", store.to_str().unwrap()]);
    folder.write("bin/a/b/Ticker.dll", std::fs::read(sample("ticker/Ticker.dll")).unwrap());
    folder.write("bin/c/Workshop.dll", std::fs::read(sample("workshop-embedded/Workshop.dll")).unwrap());
    folder.write("bin/a/Broken.dll", b"MZ and nothing of an image");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    command.args(["store", "get", "--recursive"]).arg(folder.path().join("bin")).arg("--symbols").arg(&store);
    let output = command.arg("--to").arg(&to).env_remove("_NT_SYMBOL_PATH").output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), stderr(&output));
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("Broken.dll"), "{errors}");
    let has = |mark: &str, what: &str| text.lines().any(|line| line.starts_with(mark) && line.contains(what));
    assert!(has("✓ ", "Ticker.dll") && has("· ", "its PDB is inside"), "{text}");
    let key = "to/ticker.pdb/3222a828d6ba470fac43bbba907b2f03FFFFFFFF/ticker.pdb";
    assert!(folder.files().contains(&key.to_owned()), "{:?}", folder.files());
}
