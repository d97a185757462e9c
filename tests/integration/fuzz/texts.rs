//! Texts that are typed, and small files beside images, that are fed arbitrary bytes.

use std::path::PathBuf;

use pdblens::cli::policy_file;
use pdblens::formats::deps;
use pdblens::formats::nuspec::Nuspec;
use pdblens::learn::codec::{CODECS, parse_hex};
use pdblens::learn::lesson::Lesson;
use pdblens::query::check::Policy;
use pdblens::store::{Element, SymbolPath};

/// The manifest of a package.
pub fn nuspec(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(found) = Nuspec::parse(&text) {
        assert!(found.id.len() <= text.len() && found.types.len() <= text.len(), "more than there is");
    }
}

/// The list of dependencies beside a program.
pub fn dependencies(data: &[u8]) {
    if let Some(found) = deps::projects(data) {
        assert!(found.len() <= data.len(), "more than there is");
    }
}

/// Arguments of `decode` and `encode`; the first byte chooses the kind. The rest is hexadecimal text, bytes, and text.
pub fn typed(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let codec = CODECS[usize::from(*first) % CODECS.len()];
    codec.decode(rest);
    let text = String::from_utf8_lossy(rest);
    if let Ok(bytes) = parse_hex(&text) {
        codec.decode(&bytes);
    }
    if let Ok(bytes) = codec.encode(&text) {
        codec.decode(&bytes);
    }
}

/// A symbol path, as an option or `_NT_SYMBOL_PATH` has it.
pub fn symbol_path(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let path = SymbolPath::parse(&text);
    assert!(path.elements.len() <= text.len(), "more than there is");
    assert!(path.servers().all(|server| !server.is_empty()), "a server without a name");
    let plain: Vec<PathBuf> = path.elements.iter().filter_map(Element::plain).cloned().collect();
    assert!(plain.len() <= path.elements.len());
    let (number, both) = (path.elements.len(), path.clone().then(path));
    assert_eq!(both.elements.len(), 2 * number);
}

/// `pdblens.toml`, and the file of a lesson.
pub fn config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut policy = Policy::default();
    for (name, level) in policy_file::parse(&text).unwrap_or_default().0 {
        policy.set(&name, level);
    }
    let _ = Lesson::parse("lesson.toml", &text);
}
