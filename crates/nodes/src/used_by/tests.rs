//! Users of methods, fields and types against those that Mono.Cecil finds, which `assets/build/users.sh` asks.

use super::{UseKind, User, users};
use crate::place::{MethodPart, Place};
use pdblens_formats::metadata::schema::HAS_CUSTOM_ATTRIBUTE;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Kind, token of the user, and IL offset in its code.
type Use = (String, u32, Option<u32>);

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn number(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap()
}

/// Users by the token of what they use.
fn recorded(path: &Path) -> BTreeMap<u32, BTreeSet<Use>> {
    let mut recorded: BTreeMap<u32, BTreeSet<Use>> = BTreeMap::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let [target, kind, user, offset] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let at = (!offset.is_empty()).then(|| number(offset));
        // The table of a base class does not tell whether it is one or an argument of one.
        let kind = kind.strip_suffix("-argument").filter(|kind| *kind != "attribute").unwrap_or(kind);
        recorded.entry(number(target)).or_default().insert((kind.to_owned(), number(user), at));
    }
    recorded
}

/// The use in the words of Cecil's list; `None` where that does not list it.
fn told(session: &Session, user: &User) -> Option<Use> {
    let (metadata, kind) = (session.metadata()?, user.kind.word().to_owned());
    match (user.kind, user.place) {
        (_, Place::MethodPart(method, MethodPart::Instruction(offset))) => Some((kind, method.0, Some(offset))),
        (_, Place::Method(method)) => Some((kind, method.0, None)),
        (UseKind::Signature, Place::Row(_, table, row)) => {
            let is_listed = [TableId::FIELD, TableId::METHOD_DEF, TableId::PROPERTY].contains(&table);
            is_listed.then(|| (kind, Token::new(table, row).0, None))
        }
        (_, Place::Row(_, TableId::CUSTOM_ATTRIBUTE, row)) => {
            let parent = metadata.table(TableId::CUSTOM_ATTRIBUTE).cell(row, 0).ok()?;
            let (table, parent) = HAS_CUSTOM_ATTRIBUTE.decode(parent)?;
            let kind = if user.kind == UseKind::Attribute { "attribute-argument" } else { "attribute" };
            // Mono.Cecil 0.10 reads no attributes of constraints.
            let is_read = table != TableId::GENERIC_PARAM_CONSTRAINT;
            (is_read && user.kind != UseKind::Part).then(|| (kind.to_owned(), Token::new(table, parent).0, None))
        }
        (UseKind::Column, Place::Row(_, table, row)) => {
            let cell = |column| metadata.table(table).cell(row, column).ok();
            let (kind, of) = match user.field {
                "Extends" => ("base", Token::new(table, row)),
                "Interface" => ("interface", Token::new(TableId::TYPE_DEF, cell(0)?)),
                "Constraint" => ("constraint", Token::new(TableId::GENERIC_PARAM, cell(0)?)),
                "EventType" => ("event", Token::new(table, row)),
                _ => return None,
            };
            Some((kind.to_owned(), of.0, None))
        }
        _ => None,
    }
}

/// Differences of an image, and the number of uses that are equal.
fn compare(image: &Path, list: &Path) -> (Vec<String>, usize) {
    let session = Session::open(&[image.to_owned()]).unwrap();
    super::index::UseIndex::of(&session);
    let recorded = recorded(list);
    let metadata = session.metadata().unwrap();
    let (mut differences, mut equal) = (Vec::new(), 0);
    for table in [TableId::METHOD_DEF, TableId::FIELD, TableId::TYPE_DEF] {
        for row in 1..=metadata.rows(table) {
            let token = Token::new(table, row);
            let found: BTreeSet<Use> = users(&session, Place::row(table, row))
                .unwrap()
                .iter()
                .filter_map(|user| told(&session, user))
                .collect();
            let expected = recorded.get(&token.0).cloned().unwrap_or_default();
            equal += found.intersection(&expected).count();
            let of = |what: &str, uses: &mut dyn Iterator<Item = &Use>| {
                uses.map(|(kind, user, at)| format!("{token} {what} {kind} {user:08x} {at:x?}")).collect::<Vec<_>>()
            };
            differences.extend(of("lacks", &mut expected.difference(&found)));
            differences.extend(of("has", &mut found.difference(&expected)));
        }
    }
    (differences, equal)
}

/// Images of the samples whose users are recorded.
const SAMPLES: [&str; 3] = [
    "assets/samples/workshop/Workshop.dll",
    "assets/samples/shapes/Shapes.dll",
    "tests/golden/statements/Language.release.dll",
];

#[test]
fn the_users_of_the_samples_are_those_of_cecil() {
    for image in SAMPLES.map(repository) {
        let list = repository("tests/golden/users").join(image.with_extension("tsv").file_name().unwrap());
        let (differences, equal) = compare(&image, &list);
        assert!(differences.is_empty() && equal > 150, "{}: {equal} equal\n{differences:#?}", image.display());
    }
}

#[test]
fn the_users_of_the_named_images_are_those_of_cecil() {
    let Some(folder) = std::env::var_os("PDBLENS_USERS") else { return };
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut failed = Vec::new();
    for list in files.filter(|path| path.extension().is_some_and(|extension| extension == "tsv")) {
        let (differences, equal) = compare(&list.with_extension("dll"), &list);
        eprintln!("{}: {equal} equal, {} differ", list.display(), differences.len());
        failed.extend(differences.into_iter().take(20));
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
