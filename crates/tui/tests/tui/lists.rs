//! Lists: groups of sources, derived columns, sorting, export, the page map.

use pdblens_session::text::parameters::name_and_types;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};
use crate::properties::letters;
use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::server::{Answer, Server, linked_paths};

fn source(name: &str) -> Vec<u8> {
    std::fs::read(repository("assets/sources").join(name)).unwrap()
}

/// Position of a text on the screen.
#[track_caller]
fn at(screen: &Screen, text: &str) -> (usize, usize) {
    let seen = screen.text();
    let found = seen.lines().enumerate().find_map(|(y, line)| Some((line[..line.find(text)?].chars().count(), y)));
    found.unwrap_or_else(|| panic!("{text:?} does not show:\n{seen}"))
}

#[test]
fn documents_stand_in_groups_with_their_code() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen
        .keys("sources")
        .shows("points methods lines")
        .shows("not fetched 10 (Enter: fetch all)")
        .shows("/_/workshop");
    let row = screen.text().lines().find(|line| line.contains("Columns.cs") && line.contains('│')).unwrap().to_owned();
    let words: Vec<&str> = row.split('│').next().unwrap().split_whitespace().collect();
    assert_eq!(words[words.len() - 5..], ["Columns.cs", "?", "6", "1", "4"], "{row}");
    // In a narrow pane the name and the verdict are left, and the rows of a folder stay inside of it.
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 80, 24);
    screen.keys("sources");
    let (folder, inside) = (at(&screen, "C:\\src\\workshop"), at(&screen, "Columns.cs  "));
    assert!(inside.0 > folder.0 && !screen.text().contains("methods  lines"), "{}", screen.text());
    // A group that is collapsed stays so when the verdicts are found again.
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("sources g j left").shows("▸ /_/workshop");
    let before = screen.text();
    screen.keys("p").paste("/").keys("enter");
    assert_eq!(screen.text().matches('▸').count(), before.matches('▸').count(), "{before}\n{}", screen.text());
}

#[test]
fn a_group_is_fetched_at_once() {
    let texts = [("Modern.cs", source("workshop/Modern.cs")), ("Columns.cs", b"another text".to_vec())];
    let of = |(name, text): (&str, Vec<u8>)| {
        linked_paths(&format!("/samples/workshop/{name}")).map(|path| (path, Answer::Bytes(text.clone())))
    };
    let server = Server::new(texts.into_iter().flat_map(of));
    let folder = Folder::new();
    folder.write("Workshop.dll", std::fs::read(sample("workshop/Workshop.dll")).unwrap());
    let pdb = folder.write("Workshop.pdb", server.linked(std::fs::read(sample("workshop/Workshop.pdb")).unwrap()));
    let options = Options { files: vec![pdb], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 200, 40);
    screen.keys("sources").shows("Enter: fetch all").click_on("not fetched").keys("enter");
    screen.shows("Fetch from 127.0.0.1?").shows("the first one");
    assert_eq!(server.asked().len(), 0, "nothing is fetched without the user's word");
    screen.keys("enter").shows("verified 1").shows("wrong hash 1").shows("fetched 2 of ");
}

#[test]
fn embedded_sources_are_written_to_a_folder() {
    let folder = Folder::new();
    let mut screen = Screen::open("workshop-embedded/Workshop.dll", 120, 40);
    screen
        .keys("sources")
        .shows("embedded")
        .click_on("embedded 7")
        .keys("enter")
        .shows("Write the embedded sources to");
    screen.paste(&folder.path().join("out").display().to_string()).keys("enter").shows("wrote 7 of 7 sources to");
    let written = folder.path().join("out/_/workshop/Columns.cs");
    assert_eq!(std::fs::read(written).unwrap(), source("workshop/Columns.cs"));
}

#[test]
fn rows_name_what_they_lead_to_and_have_derived_columns() {
    let mut screen = Screen::open("workshop/Workshop.dll", 200, 50);
    screen.keys("o \"MethodDebugInformation/3\" enter").shows("method").shows("lines").shows("Scaled(int)");
    // Enter still goes to what the row itself refers to.
    screen.keys("enter").shows("Tables › Document › row 2").keys("backspace");
    // The name of a column sorts by it: ranges of lines by their first line.
    screen.keys("o \"table/MethodDebugInformation\" enter").click_on("lines").shows("by lines");
    screen.keys("o \"TypeDef/4\" enter").shows("MethodDef/4..19 .ctor, ").shows("…");
    screen.keys("o \"LocalScope/2\" enter").shows("IL_0000..IL_000f").shows("  Gauge..ctor(int)");
}

#[test]
fn methods_of_a_table_are_under_their_type_and_overloads_under_their_name() {
    let line_of = |screen: &Screen, text: &str| {
        let found = screen.text().lines().position(|line| line.trim_start_matches(['▌', ' ']).starts_with(text));
        found.unwrap_or_else(|| panic!("{text}\n{}", screen.text()))
    };
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", width, height);
        screen.keys("o \"table/MethodDebugInformation/1\" enter");
        let of_type = line_of(&screen, "AddressResponseService157 ");
        assert_eq!(line_of(&screen, "RemoveInvoiceForTenantWithinScope  2 overloads"), of_type + 1);
        assert_eq!(line_of(&screen, "1      ()"), of_type + 2);
        assert_eq!(line_of(&screen, "2      (string)"), of_type + 3);
        assert_eq!(line_of(&screen, "3    GetScheduleOrDefault(bool)"), of_type + 4);
        // Headings take lines of the window: the cursor stays in it.
        for keys in [
            "pagedown pagedown pagedown down down",
            "G",
            "up up pageup",
            "o \"table/MethodDebugInformation/2500\" enter",
        ] {
            screen.keys(keys);
            assert!(screen.text().lines().any(|line| line.starts_with('▌')), "{keys}\n{}", screen.text());
        }
        // A match may be in the name of a type: rows that match have it.
        screen.keys("& \"AddressResponseService157.\" enter").shows("AddressResponseService157.GetScheduleOrDefault(");
    }
}

#[test]
fn the_cursor_in_the_tree_of_methods_has_all_parameters() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", width, height);
        screen.keys("o \"method/1\" enter").shows("Methods");
        let session = screen.app.session().cloned().unwrap();
        let mut wrapped = 0;
        for _ in 0..60 {
            let text = screen.keys("j").text();
            let rows: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix('▌')?.split('│').next()).collect();
            wrapped += usize::from(rows.len() > 1);
            let method = screen.app.selected().and_then(|selected| selected.selection.place.method());
            let Some(method) = method.filter(|_| rows.iter().any(|row| row.contains('('))) else { continue };
            let short = session.names().unwrap().brief().method_short(method);
            let parameters = letters(&name_and_types(&short).1.join(", "));
            assert!(letters(&rows.concat()).contains(&parameters), "{short}\n{text}");
        }
        assert!(wrapped > 0 || width > 80, "no row has several lines");
    }
}

#[test]
fn blobs_are_told_apart_by_their_kind() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 60);
    let text = screen.keys("2").finish().text();
    let parts = text.lines().map(|line| line.rsplit('│').next().unwrap());
    let blobs: Vec<&str> = parts.skip_while(|line| !line.contains("Workshop.pdb")).collect();
    for kind in ["sequence points", "document names", "imports"] {
        assert!(blobs.iter().any(|line| line.contains(kind)), "{kind}\n{text}");
    }
}

#[test]
fn locals_are_under_their_method_and_keep_their_names() {
    for (width, height) in [(80, 24), (100, 30)] {
        let mut screen = Screen::open("warehouse/Acme.Warehouse.dll", width, height);
        let text = screen.keys("o \"LocalVariable/20\" enter").shows("LocalVariable · ").text();
        let method = |line: &str| line.starts_with("  ") && line.trim_end().ends_with(')');
        assert!(text.lines().any(method), "{text}");
        let cursor = text.lines().find(|line| line.starts_with('▌')).unwrap();
        assert!(cursor.ends_with("total") || cursor.ends_with(|c: char| c.is_alphanumeric()), "its name: {cursor}");
        assert!(!cursor.contains('('), "the method is above: {cursor}");
        // Sorted by name they are in no groups: each row has its method.
        screen.keys("right right right right right s").shows("by ");
        assert!(screen.text().lines().any(|line| line.starts_with('▌') && line.contains(')')), "{}", screen.text());
    }
}

#[test]
fn a_list_is_sorted_by_the_column_of_the_cursor() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"table/TypeDef/4\" enter l l l s").shows("by TypeName ↑");
    let at_row = |screen: &Screen, row: &str| {
        let begins = |line: &str| line.trim_start_matches(['▌', ' ']).starts_with(row);
        screen.text().lines().position(begins).unwrap_or_else(|| panic!("{row}\n{}", screen.text()))
    };
    assert!(at_row(&screen, "2  ") < at_row(&screen, "10  "), "{}", screen.text());
    // The cursor is on the first row, whatever that is now.
    let cursor = |screen: &Screen| screen.draw().1.unwrap().y;
    assert_eq!(cursor(&screen), 4);
    let before = screen.app.selected().unwrap().selection.place;
    screen.keys("s").shows("by TypeName ↓");
    assert_eq!(cursor(&screen), 4);
    assert_ne!(screen.app.selected().unwrap().selection.place, before);
    assert!(at_row(&screen, "2  ") > at_row(&screen, "10  "), "{}", screen.text());
    // Going somewhere else and back keeps the order; a place is still found in it.
    screen.keys("o \"table/Document/1\" enter").shows("Document · ").keys("o \"table/TypeDef/7\" enter");
    screen.shows("by TypeName ↓").keys("b").shows("Fields  TypeDef/7");
    screen.keys("s").shows("in the order of the file");
    // Streams by their size, in their file.
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("2 2 s").shows("Parts  by size ↓");
    // The largest of the file is the one that is chosen.
    let first = usize::from(screen.draw().1.unwrap().y);
    let text = screen.text();
    assert!(text.lines().nth(first - 1).unwrap().contains("tally.pdb"), "{text}");
    let sizes: Vec<u64> = text
        .lines()
        .skip(first)
        .take(8)
        .filter_map(|line| {
            let words: Vec<&str> = line.rsplit('│').next()?.split_whitespace().collect();
            // The share of the file, where it is not less than half of a percent.
            let size = if let [.., size, _, "%"] = words[..] { Some(size) } else { words.last().copied() };
            size?.parse().ok()
        })
        .collect();
    assert!(sizes.len() >= 6 && sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}\n{text}");
}

#[test]
fn the_tables_of_a_delta_are_one_key_away() {
    let files = ["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"].map(|name| sample(&format!("relay/{name}")));
    let options = Options { files: files.into(), ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 200, 50);
    screen.keys("2 G").shows("Relay.pdb, the base").shows("Relay.1.pdb, delta 1").shows("Relay.2.pdb, delta 2");
    screen
        .click_on("Relay.2.pdb, delta 2")
        .shows("Enter opens")
        .keys("enter")
        .shows("Relay.2.pdb")
        .keys("2")
        .shows("Relay.2.pdb, a delta");
    // The base is still open.
    screen.keys("O").shows("Relay.dll + Relay.pdb");
}

#[test]
fn the_mapping_of_a_delta_is_shown_beside_its_points() {
    let files = ["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"].map(|name| sample(&format!("relay/{name}")));
    for (width, height) in [(200, 50), (120, 40)] {
        let options =
            Options { files: files.to_vec(), at: Some("method/0x06000002/il/0x5".to_owned()), ..Options::default() };
        let screen = Screen::with(options, Config::default(), "dark", width, height);
        let text = screen.text();
        assert!(text.contains("EncMap 1 → 0x06000002") && text.contains("Relay.1.pdb, a hot-reload delta"), "{text}");
        assert!(!text.contains("cannot be decoded"), "{text}");
    }
}

#[test]
fn a_list_is_exported_as_it_is_shown() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"table/TypeDef/4\" enter l l l l s & \"TypeName:State\" enter y w").shows("Export the list to");
    screen
        .shows(" of TypeDef, filtered")
        .shows(".tsv, .csv or .json")
        .paste(&path("types.tsv"))
        .keys("enter")
        .shows("wrote ");
    let text = std::fs::read_to_string(path("types.tsv")).unwrap();
    let names: Vec<&str> = text.lines().map(|line| line.split('\t').nth(3).unwrap()).collect();
    assert!(
        names.len() > 1 && names[0] == "TypeName" && names[1..].iter().all(|name| name.contains("State")),
        "{text}"
    );
    assert!(names[1..].is_sorted_by_key(|name| name.to_lowercase()), "{names:?}");
    // An existing file stays, and the name selects the format; the prompt keeps what was typed.
    screen.keys("y w").paste(&path("types.tsv")).keys("enter").shows("exists: choose another name");
    assert!(!screen.text().contains("--force"), "{}", screen.text());
    screen.keys("esc y w").paste(&path("types.doc")).keys("enter").shows("must end in").shows("Export the list to");
    screen.keys("esc y w").paste(&path("types.json")).keys("enter").shows("wrote ");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(path("types.json")).unwrap()).unwrap();
    assert!(json[0]["TypeName"].as_str().unwrap().contains("State"), "{json}");
    assert!(json[0]["place"].as_str().unwrap().starts_with("table/TypeDef/"), "{json}");
}

#[test]
fn columns_of_lists_without_headings_have_names_in_exports() {
    let folder = Folder::new();
    for (view, head) in [("1", "subject\tvalue\tresult"), ("2", "part\tsize\tshare"), ("methods shift-tab", "method")] {
        let path = folder.path().join(format!("{}.tsv", view.len() * 10 + usize::from(view.as_bytes()[0])));
        let mut screen = Screen::open("workshop-windows/Workshop.dll", 120, 40);
        screen.keys(&format!("{view} y w")).paste(&path.display().to_string()).keys("enter").shows("wrote ");
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().next(), Some(head), "{view}");
        assert!(!text.lines().next().unwrap().contains("column "), "{text}");
    }
}

#[test]
fn tables_of_an_mdb_have_facts() {
    let mut screen = Screen::open("ticker-mono/Ticker.exe", 120, 40);
    screen.keys("tables");
    for _ in 0..6 {
        let text = screen.text();
        assert!(!text.contains("No fields"), "{text}");
        screen.keys("j");
    }
    // The kinds of the files are those that are open.
    screen.keys("1").shows("✓ matches");
    Screen::open("parcel/parcel.exe", 120, 40).shows("✓ matches");
}

#[test]
fn the_page_map_tells_streams_apart() {
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 80, 24);
    screen.keys("2 2 b tab").shows("Page map").shows("█");
    // Streams beside each other differ in brightness.
    let (buffer, _) = screen.draw();
    let blocks = buffer.content().iter().filter(|cell| cell.symbol() == "█");
    let colors: std::collections::HashSet<String> =
        blocks.map(|cell| format!("{:?} {:?}", cell.fg, cell.modifier)).collect();
    assert!(colors.len() > 3, "{colors:?}");
    // Without colours they are letters.
    let options = Options { files: vec![sample("workshop-windows/Workshop.dll")], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "mono", 80, 24);
    screen.keys("2 2 b tab");
    let map: String = screen.text().lines().skip(3).take(3).collect();
    assert!(!map.contains('█') && map.contains("mmm"), "{map}");
    // Abbreviations come first.
    screen.keys("shift-tab 0 5 j").shows(" 2 TPI").shows(" 3 DBI");
}

#[test]
fn users_stand_under_the_headings_of_their_kinds_beside_what_they_do() {
    let of_cache = |width, height| {
        let mut screen = Screen::open("workshop/Workshop.dll", width, height);
        screen.keys("o \"table/Field/8\" enter r").shows(" reads  2");
        screen
    };
    let mut screen = of_cache(120, 40);
    screen.shows("3 users of ").shows("from 2 methods of 2 types").shows("reads 2   writes 1   address loads 0");
    // The source of the first user is beside the list at once, and follows the cursor.
    screen.shows("StateMachines.cs").shows("used by").shows(" 1/3 ");
    screen.keys("G").shows(" 3/3 ").shows("cache = new Dictio").keys("y r");
    assert_eq!(screen.copied.last().unwrap().1, [".ctor()", "10", "IL_0006"].join("\t"));
    screen.keys("& \"ctor\" enter").shows(".ctor()").keys("esc esc");
    // The same by file, and back to the field.
    screen.keys("t").shows("by file").shows("of 1 file").shows("StateMachines.cs").keys("u").shows("Field › row 8");
    let mut screen = of_cache(80, 24);
    screen.shows("3 users of ").shows("StateMachines.cs");
    // Zero is an answer, under the name of what was asked for.
    screen.keys("o \"Reading.GetHashCode\" enter r").shows("0 users of Reading.GetHashCode()");
    screen.shows("nothing in these files uses it").shows("GetHashCode() › used by");
}

#[test]
fn a_type_has_its_members_and_a_caller_unfolds_into_its_callers() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("o \"Workshop.Parts\" enter r").shows("new objects 1").shows("its fields  3").shows("its methods  ");
    // A method of the type has its users with the same key, and back leads to those of the type.
    screen.keys("G r").shows("calls ").keys("backspace").shows("its methods  ");
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.keys("o \"Program.Parse\" enter r").shows("1 call of Program.Parse(string)");
    let rows = |screen: &Screen| screen.text().lines().filter(|line| line.contains("IL_")).count();
    let before = rows(&screen);
    assert!(rows(screen.keys("right")) > before, "{}", screen.text());
    assert_eq!(rows(screen.keys("left")), before, "{}", screen.text());
}

#[test]
fn a_stream_of_the_page_map_opens_into_its_parts() {
    let mut screen = Screen::open("parcel/parcel.exe", 120, 40);
    screen.keys("o \"stream/12\" enter tab").shows("Page map").keys("enter");
    screen.shows("Layout  module /src/parcel-cpp/main.obj").shows(" parcel::Box::~Box ").shows("signature · 0x0+4");
    // A function has the records of its variables, and is followed by the next one.
    screen.keys("right right right right").shows("parcel_total · 0x100+88").shows("stream 12 › 0x100");
    screen.keys("backspace").shows("Page map").shows("stream 12 · module /src/parcel-cpp/main.obj · 2 pages");
    // The selection of another stream leaves the one that is open.
    screen.keys("enter").shows("Layout  module").keys("o \"stream/2\" enter").shows("Page map");
    screen.keys("enter").shows("Layout  TPI (types)").shows("TPI header · 0x0+56");
}
