//! The Bytes pane: a byte selects the record that owns it, in every view and in every kind of file.

use pdblens_nodes::Place;
use pdblens_tui::Options;
use pdblens_tui::app::config::Config;

use crate::harness::{Screen, sample};

/// The view that shows, by the underlined name in the header.
fn view(screen: &Screen) -> String {
    let (buffer, _) = screen.draw();
    let underlined = |x: &u16| buffer[(*x, 0)].modifier.contains(ratatui::style::Modifier::UNDERLINED);
    (0..buffer.area.width).filter(underlined).map(|x| buffer[(x, 0)].symbol()).collect()
}

fn place(screen: &Screen) -> Place {
    screen.app.selected().unwrap().selection.place
}

#[track_caller]
fn is(screen: &Screen, text: &str) {
    assert_eq!(place(screen).to_string(), text, "\n{}", screen.text());
}

#[test]
fn a_byte_selects_its_point_and_every_pane_follows() {
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 120, 40);
    screen.keys("methods b ] tab tab tab").shows("point 2");
    // Its five bytes, then those of the next point; fields and points follow, and the view stays.
    screen.keys("l l l l").shows("Fields  point 2").shows("δ start column");
    screen.keys("l").shows("Fields  point 3");
    assert_eq!(view(&screen), "3Code");
    screen.keys("h h").shows("Fields  point 2");
    // Before the first point stands the header of all of them, and before that the length of the blob.
    screen.keys("o \"method/0x06000001/points/1\" enter tab tab tab h").shows("local signature");
    is(&screen, "method/0x06000001/points");
    screen.keys("h h");
    assert!(place(&screen).to_string().starts_with("pdb/heap/blob/"), "{}", place(&screen));
    // What the view cannot show leaves the method where it is.
    screen.shows("Points and IL").shows("IL_0011");
    // Enter goes to where it belongs, and back comes here.
    screen.keys("enter").shows("#Blob");
    assert_eq!(view(&screen), "2File");
    screen.keys("backspace");
    assert_eq!(view(&screen), "3Code");
}

#[test]
fn a_byte_selects_its_row_and_its_field() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("tables b tab l l").shows("Document/1");
    is(&screen, "table/Document/1");
    screen.shows("HashAlgorithm").keys("l l l l l l").shows("Document/2");
    is(&screen, "table/Document/2");
    // The row is chosen in the list too.
    screen.shows("2/10");
    // In the view that is its own, Enter follows what the field leads to: the name of the document.
    screen.keys("enter").shows("pdb/heap/blob/0x48");
    assert_eq!(view(&screen), "2File");
}

#[test]
fn a_byte_of_an_image_selects_an_instruction_or_a_header() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    // The prompt leads to the record that has the byte.
    screen.keys("2 o \"bytes/0/0x300+1\" enter b").shows("Fields  Ticker.Clock.Since(long)");
    is(&screen, "method/0x06000003/il/0x1");
    // Bytes of no record have no view of their own: they show where we are, and the cursor finds its owner.
    screen.keys("2 o \"bytes/0/0x1fa+1\" enter").shows("2File").shows("Parts").shows("gap");
    screen.keys("g l");
    is(&screen, "pe/dos");
    screen.keys("o \"bytes/0/0x1f8+1\" enter l").shows("gap");
    assert!(matches!(place(&screen), Place::Bytes(span) if span.start == 0x1d8 || span.len > 1), "{}", place(&screen));
    screen.shows("zeros").shows("section headers");
}

#[test]
fn a_byte_of_a_page_belongs_to_a_stream() {
    let mut screen = Screen::open("workshop-windows/Workshop.dll", 120, 40);
    // On the page map a page is chosen; the first byte of it that is moved to is a byte of a record.
    screen.keys("2 2 o \"page/3\" enter b").shows("Fields  page 3");
    screen.keys("tab l").shows("Streams › stream");
    assert!(matches!(place(&screen), Place::Record(..)), "{}", place(&screen));
    screen.shows("Bytes  Workshop.pdb");
    // In the Methods view the same byte is one of a point, and its columns are too.
    screen.keys("methods b ] tab tab tab").shows("point 2").keys("l l l l l l l");
    is(&screen, "method/0x06000001/points/2");
    screen.keys("l");
    is(&screen, "method/0x06000001/points/3");
    assert_eq!(view(&screen), "3Code");
}

#[test]
fn the_title_names_the_structure_that_contains_the_bytes() {
    for (file, keys, title) in [
        ("ticker/Ticker.dll", "methods", "Bytes  Ticker.pdb #Blob"),
        ("ticker/Ticker.dll", "2", "Bytes  Ticker.dll .text"),
        ("ticker/Ticker.dll", "tables", "Bytes  Ticker.pdb #~"),
        ("native/tally.exe", "2 2 j j", "Bytes  tally.pdb stream 1"),
        ("native/tally.exe", "2 2", "Bytes  tally.pdb "),
        ("ticker-mono/Ticker.exe", "methods", "Bytes  Ticker.exe.mdb "),
    ] {
        let mut screen = Screen::open(file, 120, 40);
        screen.keys(keys).shows(title);
    }
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    screen.keys("o \"pdb/heap/blob/0x1\" enter").shows(" used by: Document/1 +1").keys("b");
    screen.shows("0001+").shows(" of 1032 · file ");
    // Where there is little room, the file's offset goes first.
    screen.resize(60, 24).shows("Bytes  Ticker.pdb #Blob").shows(" of 1032");
}

#[test]
fn a_place_without_a_record_shows_its_facts() {
    let mut screen = Screen::open("workshop/Workshop.dll", 120, 40);
    screen.keys("b").shows("image GUID").shows("symbols GUID");
    screen.keys("tables u b").shows("Fields  Document · 10 rows").shows("row size").shows("at 0  in #Blob");
    screen.keys("o \"image/heap/guid\" enter").shows("columns that lead here").shows("Module.Mvid");
    screen.keys("o \"pdb/metadata/streams\" enter b").shows("6 streams").shows("#Pdb");
    screen.keys("o \"pe\" enter").shows("2File");
    screen.keys("o \"methods\" enter b").shows("in the image");
    // Nothing is left over from the last view.
    screen.keys("4").shows("Paste a stack trace here.");
    assert!(!screen.text().contains("in the image"), "{}", screen.text());
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("2 2 b").shows("page size").shows("FPM");
    screen.keys("j j j").shows("stream 2").shows("TPI (types)");
}

#[test]
fn long_values_use_the_available_width() {
    let mut screen = Screen::open("ticker/Ticker.dll", 120, 40);
    // A hash of 64 digits does not fit beside its name: it stands below, in full.
    screen.keys("2 tab tab tab o \"pe/debug/1\" enter");
    let options = Options { files: vec![sample("ticker/Ticker.dll")], ..Options::default() };
    let mut narrow = Screen::with(options, Config::default(), "dark", 90, 40);
    narrow.keys("o \"image/heap/guid/1\" enter");
    let guid = "e2bd27b9-7818-40a4-93de-439bbbeabdd7";
    narrow.shows(guid);
}

#[test]
fn custom_debug_information_unfolds_in_the_fields_of_its_row() {
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.keys("o \"table/CustomDebugInformation/24\" enter b").shows("▸ AsyncMethodSteppingInformation");
    assert!(!screen.text().contains("yield offset"));
    // From the rows to the bytes, to the fields, and down to what is folded.
    screen.keys("tab tab j j j enter z").shows("catch handler offset").shows("yield offset").shows("IL_002d");
    assert!(!screen.text().contains("▸ AsyncMethod"));
    // A field of the blob is somewhere else: its bytes show.
    screen.keys("z j j j").shows("Faults.pdb #Blob");
    screen.keys("k k k left").shows("▸ AsyncMethodSteppingInformation");
    // A byte of the blob says so in the heap.
    screen.keys("o \"#blob 0x781\" enter").shows("yield offset");
}
