//! The order of what the prompt finds, and what views begin with.

use std::path::PathBuf;

use pdblens_nodes::Place;
use pdblens_nodes::code_tree::is_of_tools;
use pdblens_query::document_counts::document_counts;
use pdblens_query::search::Index;
use pdblens_session::session::Session;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::overlays::ranking::rank_names;
use pdblens_tui::ui::fuzzy;

use crate::harness::{Screen, sample};
use crate::support::synth::Recipe;

/// The selected place.
fn place(screen: &Screen) -> String {
    screen.app.selected().unwrap().selection.place.to_string()
}

#[test]
fn the_overload_with_the_typed_parameters_comes_first() {
    let wanted = ["0x060006a9", "0x06000a68"];
    for typed in ["NormalizeCustomerAsync(long)", "NormalizeCustomerAsync( long )", "NormalizeCustomerAsync(Int64)+0x1"]
    {
        let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", 120, 40);
        screen.keys(&format!("o \"{typed}\"")).finish().keys("enter").shows("3Code");
        let at = place(&screen);
        assert!(wanted.iter().any(|token| at.starts_with(&format!("method/{token}"))), "{typed}: {at}");
        assert_eq!(at.ends_with("/il/0x1"), typed.ends_with("+0x1"), "{typed}: {at}");
        // The next one has them too; the one after it has others, and that is said. With an offset there are no others.
        screen.keys(&format!("o \"{typed}\"")).finish().keys("down enter");
        assert!(wanted.iter().any(|token| place(&screen).contains(token)) && place(&screen) != at, "{typed}");
        if typed.ends_with("+0x1") {
            continue;
        }
        screen.keys(&format!("o \"{typed}\"")).finish().keys("down down").shows("could be any of 2").keys("enter");
        screen.shows("could be any of 2");
        assert!(!wanted.iter().any(|token| place(&screen).contains(token)), "{typed}");
    }
}

#[test]
fn an_exact_name_of_another_file_precedes_names_that_are_only_alike() {
    for typed in ["Warehouse.RestockAsync", "warehouse.restockasync", "arehouse.RestockAsy"] {
        let mut screen = Screen::open("faults/Faults.dll", 120, 40);
        let other = sample("warehouse/Acme.Warehouse.dll");
        screen.keys("O").paste(other.to_str().unwrap()).keys("enter").shows("Acme.Warehouse.dll +");
        screen.keys(&format!("o \"{typed}\"")).finish().shows("in Faults.dll").keys("enter").shows("Faults.dll +");
        assert_eq!(place(&screen), "method/0x06000006", "{typed}");
    }
}

#[test]
fn sources_of_native_code_begin_at_a_source_with_code() {
    for file in ["native/tally.pdb", "parcel/parcel.pdb", "sorter/sorter.pdb", "parcel-lto/parcel.pdb"] {
        let session = Session::open(&[sample(file)]).unwrap();
        let counts = document_counts(&session, &|| false).unwrap();
        let files: Vec<PathBuf> = vec![sample(file)];
        let mut screen = Screen::with(Options { files, ..Options::default() }, Config::default(), "dark", 120, 40);
        screen.keys("sources").finish().shows("3Code");
        let Place::Document(row) = screen.app.selected().unwrap().selection.place else {
            panic!("{file}: {}", place(&screen))
        };
        // A source, not a header of the program or of its libraries, though that may have more lines.
        let name = session.symbols().unwrap().document(row).unwrap().name;
        assert!([".c", ".cpp", ".rs"].iter().any(|kind| name.ends_with(kind)) && !is_of_tools(&name), "{file}: {name}");
        assert!(counts[row as usize - 1].points > 0, "{file}: {name}");
    }
}

#[test]
fn the_methods_view_follows_a_frame_of_the_trace() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"method/0x06000001\" enter").shows("3Code");
    screen.keys("4").paste("   at Workshop.Scopes.Nested(Int32 n) in Workshop.dll:token 0x600001d+0x2\n").finish();
    screen.keys("j k").finish();
    let at = place(&screen);
    assert!(at.starts_with("method/") && !at.starts_with("method/0x06000001"), "{at}\n{}", screen.text());
    screen.keys("methods").shows("3Code");
    assert_eq!(place(&screen), at);
}

#[test]
fn the_best_of_many_names_are_those_of_a_sorted_list() {
    const MAX_RESULTS: usize = 40;
    let pair = Recipe::of(3_000).pair();
    let session = Session::from_bytes(vec![("m.dll".into(), pair.image), ("m.pdb".into(), pair.pdb)]).unwrap();
    let index = Index::build(&session, &|_, _| true);
    for typed in ["e", "E", "get", "et", "l e", "a.", "r", "1", "_", "value"] {
        let names = 0..index.len() as u32;
        let name = |at: &u32| index.name(*at as usize);
        let mut sorted = fuzzy::rank(typed, MAX_RESULTS, names, name, |at| index.rank(*at as usize));
        assert!(sorted.len() > 2 * MAX_RESULTS, "{typed}: {}", sorted.len());
        sorted.truncate(MAX_RESULTS);
        let best = rank_names(&index, typed, MAX_RESULTS, &|| false);
        assert_eq!(best.iter().map(name).collect::<Vec<_>>(), sorted.iter().map(name).collect::<Vec<_>>(), "{typed}");
    }
}
