//! Words of the screens that the glossary explains: names of records and facts of the overview; each field is a term or has a sentence.

use std::collections::{BTreeMap, BTreeSet};

use pdblens::learn::glossary;
use pdblens::learn::lesson::query::Query;
use pdblens::nodes::function::NativeView;
use pdblens::nodes::{self, Place};
use pdblens::session::Session;

use crate::support::samples::samples;
use crate::support::synth::Recipe;

/// Words in names of records and facts that need no explanation.
const PLAIN: &str = "architecture code compiler contains container data descriptor embedded entry file input local member name of offset pointer reason reserved \
    return runtime source sources string version";

/// Rows of a list that are looked at.
const ROWS: usize = 2;

fn is_explained(name: &str) -> bool {
    let is_known = |word: &str| glossary::find(word).is_ok() || PLAIN.split_whitespace().any(|plain| plain == word);
    is_known(name) || name.split([' ', '-', '/']).all(is_known)
}

/// Calls `each` for all lists and for the first records of each, and for those inside them.
fn walk(session: &Session, each: &mut impl FnMut(Place)) {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![(Place::Places, usize::MAX)]);
    while let Some((place, most)) = todo.pop() {
        if !seen.insert(place.to_string()) {
            continue;
        }
        each(place);
        let Some(rows) = nodes::rows(session, place).filter(|_| most > 0) else { continue };
        let inside = rows.window(0..rows.len.min(most)).filter_map(|row| row.place);
        todo.extend(inside.map(|place| (place, if most == usize::MAX { ROWS } else { 0 })));
    }
}

#[test]
fn the_glossary_explains_records_and_facts() {
    let (mut checked, mut known, mut unknown) = (0, BTreeSet::new(), BTreeMap::new());
    for sample in samples() {
        let session = Session::open(&sample.files()).unwrap();
        if let Some(native) = NativeView::of(&session) {
            native.read_all();
        }
        let mut names: Vec<(String, Place)> = Vec::new();
        walk(&session, &mut |place| {
            for field in nodes::fields(&session, place).iter().flat_map(|fields| &fields.rows) {
                checked += 1;
                if field.group || field.about.is_empty() {
                    names.push((field.name.clone(), place));
                }
            }
        });
        let overview = nodes::rows(&session, Place::Overview).unwrap();
        let facts = overview.iter().filter(|row| row.depth > 0).filter_map(|row| Some(row.cells.first()?.text.clone()));
        names.extend(facts.map(|name| (name, Place::Overview)));
        unknown.extend(names.into_iter().filter(|(name, _)| known.insert(name.clone()) && !is_explained(name)));
    }
    let unknown: Vec<String> = unknown.iter().map(|(name, place)| format!("{name} ({place})")).collect();
    assert!(checked > 5_000 && unknown.is_empty(), "{checked}\n{}", unknown.join("\n"));
}

/// No sample has as many methods: a search that ends after the first two thousand finds neither.
#[test]
fn examples_are_found_behind_two_thousand_methods() {
    let recipe = Recipe { points: 2, ..Recipe::of(2_600) };
    let pair = recipe.pair();
    let session = Session::from_bytes(vec![("Large.dll".into(), pair.image), ("Large.pdb".into(), pair.pdb)]).unwrap();
    let method = (2_001..=2_600).rev().map(|row| recipe.method(row)).find(|method| !method.is_abstract()).unwrap();
    let place = format!("method/{:#010x}/points", method.token());
    let title = nodes::fields(&session, place.parse().unwrap()).unwrap().title;
    let mut term = glossary::terms()[0].clone();
    term.examples = vec![format!("method/*/points ~ {title}")];
    assert_eq!(glossary::example(&session, &term).map(|place| place.to_string()), Ok(place), "{title}");
    let query = format!("place = \"table/MethodDef/*\"\nfield = \"Name\"\nmeaning = \"{}\"", method.name);
    let query: Query = toml::from_str(&query).unwrap();
    let found = query.find(&session).unwrap();
    assert!(found.place.to_string().ends_with(&format!("MethodDef/{}", method.row)), "{} {}", found.place, method.row);
}
