use super::*;
use crate::bytes::{Origin, Source};
use std::sync::Arc;

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../assets/samples/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn spaces(bytes: Vec<u8>) -> (Spaces, SpaceId) {
    let mut spaces = Spaces::default();
    let len = bytes.len() as u64;
    let id = spaces.add("a.pdb", Origin::File("a.pdb".into()), len, Source::Memory(Arc::new(bytes)));
    (spaces, id)
}

/// Names of the modules, and the names of all functions.
fn names(bytes: Vec<u8>) -> Result<(Vec<String>, Vec<String>), String> {
    let (spaces, file) = spaces(bytes);
    let mut check = CrossCheck::open(&spaces, file)?;
    let (mut modules, mut functions) = (Vec::new(), Vec::new());
    check.modules(|mut module| {
        modules.push(module.name.clone().into_owned());
        if let Ok(Some(content)) = module.read(0) {
            let _ = content.symbols(|_, decode| {
                functions.extend(decode().ok().flatten().map(|function| function.name));
                ControlFlow::Continue(())
            });
        }
        ControlFlow::Continue(())
    })?;
    Ok((modules, functions))
}

#[test]
fn a_managed_and_a_native_file_can_be_read_and_no_other() {
    let (modules, functions) = names(sample("ticker-windows/Ticker.pdb")).unwrap();
    assert!(modules.iter().any(|name| name == "Ticker.Clock"), "{modules:?}");
    assert!(functions.is_empty(), "methods have no decoder in `pdb`: {functions:?}");
    let (modules, functions) = names(sample("native/tally.pdb")).unwrap();
    assert!(!modules.is_empty() && functions == ["add", "clamp", "entry"], "{functions:?}");
    assert!(names(sample("ticker/Ticker.pdb")).is_err());
}

#[test]
fn damaged_files_are_errors_and_no_panics() {
    let whole = sample("ticker-windows/Ticker.pdb");
    let mut answers = 0;
    for at in (0..whole.len()).step_by(3) {
        answers += usize::from(names(whole[..at].to_vec()).is_ok());
        for value in [0, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            answers += usize::from(names(bytes).is_ok());
        }
    }
    assert!(answers > 0);
}
