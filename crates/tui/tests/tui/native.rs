//! Views of native PDBs, managed Windows PDBs and `.mdb` files, with and without an image.

use std::time::Instant;

use pdblens_tui::Options;
use pdblens_tui::app::config::Config;
use pdblens_tui::ui::theme::{Role, Theme};

use crate::harness::{Screen, sample};
use crate::machine;
use crate::snapshot::{assert_snapshot, sections};
use crate::support::folder::Folder;
use crate::support::is_thorough;
use crate::support::synth::native::Native;

/// A sample with nothing beside it.
fn alone(file: &str) -> (Folder, Screen) {
    let folder = Folder::new();
    let path = folder.write(file.rsplit('/').next().unwrap(), std::fs::read(sample(file)).unwrap());
    let options = Options { files: vec![path], ..Options::default() };
    (folder, Screen::with(options, Config::default(), "dark", 120, 40))
}

#[test]
fn views_of_native_code_match_their_snapshots() {
    let screens = [
        ("code", "native/tally.exe", (80, 24), "methods tab j j j j j"),
        ("tables", "native/tally.exe", (120, 40), "o \"types\" enter j"),
        ("tables-windows", "workshop-windows/Workshop.dll", (120, 40), "o \"table/TypeDef/3\" enter"),
        ("tables-mdb", "ticker-mono/Ticker.exe", (120, 40), "tables j"),
    ]
    .map(|(name, file, (width, height), keys)| {
        let mut screen = Screen::open(file, width, height);
        (format!("{name}  {keys}"), screen.keys(keys).text())
    });
    assert_snapshot("symbols", &sections(&[screens.to_vec(), machine::screens()].concat()));
}

#[test]
fn moving_in_any_pane_of_a_function_moves_the_others() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    // It begins where the program does: the first line of its entry point, and its record.
    screen.keys("methods b").shows("Code › tally.obj › entry › line 1").shows("Fields  line 1 · +0x0 25");
    // A line lights its record, its code and its source; the next one, from anywhere.
    screen.keys("]").shows("line 2").shows("line 2 · +0x4 26:18").shows("100 bytes");
    screen.keys("tab tab tab [").shows("line 1").keys("[").shows("no more lines");
    // Code: its bytes in the image, and the line that it belongs to.
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen
        .keys("methods b / \"0x2000\" enter")
        .shows("› +0x4")
        .shows("Bytes  tally.exe")
        .shows("entry+0x4 · mov rax, [0x2000]");
    // A symbol: its record, in the stream of the module.
    screen.keys("g j j j j").shows("› local tally t [rsp+0x30]").shows("S_LOCAL").shows("Bytes  tally.pdb stream 12");
    // A block is its code: from its first line on.
    screen.keys("j j j j j j j j").shows("block +0x28").shows("100 bytes");
    // The tree: another function; back to where we were.
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen
        .keys("methods b shift-tab k")
        .shows("tally.obj › clamp")
        .shows("S_LPROC32")
        .shows("param int value [rsp+0x8]");
    screen
        .keys("enter")
        .shows("clamp › lines")
        .keys("] ]")
        .shows("line 2")
        .keys("backspace")
        .shows("tally.obj › clamp");
    // Folding closes the module, and says how many lines are in it.
    screen.keys("left left").shows("▸ tally.obj").shows("39");
}

#[test]
fn a_type_without_a_layout_says_so() {
    let mut screen = Screen::open("parcel/parcel.exe", 120, 40);
    screen.keys("o \"type/0x1003/layout\" enter").shows("is not a class, structure or union with a definition");
    // A name that nothing has: the prompt does not answer with a command.
    screen.keys("o \"zzlayout\"").shows("nothing: no function named zzlayout");
    assert!(!screen.text().contains("pdblens list"), "{}", screen.text());
}

#[test]
fn a_byte_of_a_function_has_an_owner() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    // Bytes of the line's record; eight on begins the next one.
    screen.keys("methods b ] ] tab tab tab").shows("━ Bytes").keys("right right right right right right right right");
    screen.shows("entry › line 4").shows("Fields  line 4");
    // Machine code: what is before it is of the same line.
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen
        .keys("methods b / \"0x2000\" enter j tab tab tab")
        .shows("━ Bytes  tally.exe")
        .keys("left left left left")
        .shows("› +0x4");
}

#[test]
fn the_prompt_accepts_functions_addresses_and_lines() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    for (typed, crumb) in [
        ("clamp", "Code › tally.obj › clamp"),
        ("clamp+0x19", "clamp › +0x19"),
        ("0x1079", "clamp › +0x19"),
        ("0x140001079", "clamp › +0x19"),
        ("function/clamp/lines/3", "clamp › line 3"),
        ("tally.c:21", "add › line 8"),
        ("tally.c:1", "clamp › line 1"),
    ] {
        screen.keys(&format!("1 o \"{typed}\" enter")).shows("3Code").shows(crumb);
    }
    screen.keys("o \"tally.c:1\" enter").shows("moves to line 11; +0x0: line 1 of clamp");
    screen.keys("o \"clmp+1\" enter").shows("Code › tally.obj › clamp");
    screen.keys("o \"0x999999\" enter").shows("no function has the code at 0x999999").keys("esc");
    // Of an address without code, the byte of a file at that offset is offered.
    screen.keys("o \"0x999\"").shows("tally.pdb 0x999+1").keys("esc");
    // An offset alone is one of its own.
    screen.keys("o \"+0x19\" enter").shows("clamp › +0x19");
    // Any name: of a function, of a type.
    screen.keys("o \"clmp\" enter").shows("Code › tally.obj › clamp");
    screen.keys("1 o \"outcome\" enter").shows("0x1001");
}

#[test]
fn a_source_line_selects_its_function() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("sources").shows("39 lines, 3 functions").shows("/src/native/tally.c");
    screen.keys("4").paste("00 tally!clamp+0x19\n01 tally!entry+0x4a\n02 KERNEL32!BaseThreadInitThunk+0x14\n");
    screen
        .shows("2 of 3 frames resolved")
        .shows("tally.c:12 ~             +0x19")
        .shows("after the call to add at +0x45");
    screen.keys("enter").shows("3Code").shows("clamp › +0x19");
}

#[test]
fn without_the_image_only_the_code_is_missing() {
    let (_folder, mut screen) = alone("native/tally.pdb");
    screen.keys("2 G").shows("functions     ");
    screen.keys("methods").shows("no image is open: open tally.exe").shows("add › line 1");
    screen.keys("tab j j j").shows("no image is open");
    screen.keys("2").shows("Page map").shows("superblock");
    // A managed PDB has the names of its methods, and of their types.
    let (_folder, mut screen) = alone("workshop-windows/Workshop.pdb");
    screen.keys("methods").shows("Workshop.Columns › Mixed").shows("▾ Workshop.Scopes").shows("Guarded");
    screen.keys("o \"Scopes.Nested+1\" enter").shows("Nested › IL_0001");
    // And so has Mono's, of its documents.
    let (_folder, mut screen) = alone("ticker-mono/Ticker.exe.mdb");
    screen.keys("2").shows("method table").keys("methods").shows("method/0x06000001 › point 1").shows("10:9");
}

#[test]
fn rows_of_symbol_tables_link_to_their_targets() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    // A type leads to its members; a function to its lines; a filter leaves what it says.
    screen
        .keys("o \"types\" enter G k k k k enter")
        .shows("tally: struct of 24 bytes · 3 members · 1 hole of 4 bytes")
        .keys("backspace")
        .shows("14 types");
    // Rows of an .mdb have all their fields, and lead to methods and documents.
    let mut screen = Screen::open("ticker-mono/Ticker.exe", 120, 40);
    screen.keys("2 G enter b").shows("mdb method data").keys("enter").shows("3Code").shows("Main(string[])");
}

#[test]
fn columns_have_the_headings_of_their_format() {
    for (file, head) in [
        ("workshop/Workshop.dll", "blob bytes"),
        ("workshop-windows/Workshop.dll", "line record"),
        ("ticker-mono/Ticker.exe", "line program"),
        ("native/tally.exe", "line record"),
    ] {
        Screen::open(file, 120, 40).keys("methods").shows(head);
    }
    // A record of eight bytes fits.
    Screen::open("workshop-windows/Workshop.dll", 120, 40).keys("methods").shows("00 00 00 00 07 00 00 80");
    // The trace view begins with a frame of the open files.
    Screen::open("workshop/Workshop.dll", 120, 40).keys("4").shows("in Workshop.dll:token 0x06000001+0x0");
    Screen::open("native/tally.exe", 120, 40).keys("4").shows("tally!");
}

/// Gives a function of a PDB another name, which is not longer.
fn rename(pdb: &mut [u8], from: &str, to: &str) {
    let at = pdb.windows(from.len()).position(|bytes| bytes == from.as_bytes()).unwrap();
    let name = &mut pdb[at..at + from.len()];
    name.fill(0);
    name[..to.len()].copy_from_slice(to.as_bytes());
}

#[test]
fn funclets_and_folded_functions_are_under_another_one() {
    let folder = Folder::new();
    let mut pdb = Native { modules: 2, functions: 3, lines: 3, seed: 5 }.pdb(4096);
    rename(&mut pdb, "unit0_function0", "f");
    rename(&mut pdb, "unit0_function2", "`f'::`1'::fin$0");
    let path = folder.write("funclets.pdb", pdb);
    let options = Options { files: vec![path], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    let order = |screen: &Screen| {
        let text = screen.text();
        ["unit0.obj", "f ", "fin$0", "unit0_function1"]
            .map(|name| text.lines().skip(3).position(|line| line.split('│').next().unwrap().contains(name)))
    };
    screen.keys("methods shift-tab").shows("▾ f").shows("fin$0 finally");
    assert!(order(&screen).is_sorted() && order(&screen)[3].is_some(), "{}", screen.text());
    screen.keys("g j left").shows("▸ f");
    assert_eq!(order(&screen)[2], None, "{}", screen.text());
    // Of functions that the linker folded into one, the others are under the first.
    let mut screen = Screen::open("parcel-optimized/parcel.exe", 200, 50);
    screen.keys("methods").shows("▾ parcel::first_copy").shows("parcel::second_copy folded");
}

#[test]
fn functions_are_sorted_by_their_size() {
    let mut screen = Screen::open("parcel/parcel.exe", 120, 40);
    screen.keys("methods shift-tab s").shows("Functions  by size ↓");
    assert_eq!(screen.draw().1.unwrap().y, 4, "the cursor is on the largest module");
    let sizes = |screen: &Screen, first: &str| -> Vec<u32> {
        let text = screen.text();
        let rows = text.lines().map(|line| line.split('│').next().unwrap_or_default().to_owned());
        let inside = rows.skip_while(|row| !row.contains(first)).skip(1).take_while(|row| !row.contains(".obj"));
        inside.filter_map(|row| row.split_whitespace().last()?.parse().ok()).collect()
    };
    let down = sizes(&screen, "main.obj");
    assert!(down.len() > 5 && down[0] == 387 && down.is_sorted_by(|a, b| a >= b), "{down:?}\n{}", screen.text());
    screen.keys("s").shows("by size ↑");
    assert!(sizes(&screen, "box.obj").is_sorted(), "{}", screen.text());
    let place = |screen: &Screen| screen.app.selected().unwrap().selection.place;
    screen.keys("o \"entry\" enter");
    let before = place(&screen);
    screen.keys("s").shows("in the order of the file");
    assert_eq!(place(&screen).code_unit(), before.code_unit());
    // IL has its own tools: nothing is sorted, and the keys do not offer it.
    let mut screen = Screen::open("workshop/Workshop.dll", 200, 50);
    screen.keys("methods shift-tab");
    assert!(!screen.text().contains("s sort"));
    screen.keys("s").shows("only native functions are sorted");
}

#[test]
fn a_file_of_many_functions_responds_at_once() {
    let folder = Folder::new();
    let (modules, count, most) = if is_thorough() { (400, 100_000, 1000) } else { (100, 25_000, 250) };
    let of = Native { modules, functions: 250, lines: 2, seed: 3 };
    let path = folder.write("many.pdb", of.pdb(4096));
    let options = Options { files: vec![path], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 200, 60);
    screen.keys("methods").shows("unit0_function0").shows(&format!("1/{count}"));
    let unit = format!("unit{}", modules - 1);
    screen.keys(&format!("o \"{unit}_function249+1\" enter"));
    screen.shows(&format!("{unit}.obj › {unit}_function249 › +0x1")).shows(&format!("{count}/{count}"));
    let mut slowest = 0;
    for keys in ["]", "[", "j", "shift-tab shift-tab", "k", "j", "pageup", "G", "g", "right", "tables", "j", "methods"]
    {
        let start = Instant::now();
        screen.keys(keys);
        let _ = screen.draw();
        slowest = slowest.max(start.elapsed().as_millis());
    }
    // Far less where it is compiled for speed: benches/screens.rs says how long.
    assert!(slowest < most, "a key took {slowest} ms");
}

#[test]
fn a_variable_is_in_scope_where_its_value_is() {
    let mut screen = Screen::open("parcel-optimized/parcel.exe", 250, 50);
    // Before the prologue is over no variable has its value: the constants are all there is.
    screen.keys("o \"entry+0x0\" enter").shows("1 in scope at +0x0");
    // The call that is inlined there has its name and its own code, and its parameter is in a register.
    screen.keys("o \"entry+0x1a\" enter").shows("Tracked").shows("+0x1a..").shows("dword ptr [rsp+0x40], 0x0");
    screen.shows("in scope at +0x1a");
    // A variable stands before the first instruction after which it has its value, not at the start of the function.
    let text = screen.keys("o \"entry+0x0\" enter").text();
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} does not show:\n{text}"));
    assert!(at("rsp, 0x100") < at("local parcel::Box small"));
}

#[test]
fn the_name_of_a_class_leads_to_its_layout() {
    let mut screen = Screen::open("parcel/parcel.exe", 120, 40);
    screen.keys("o \"parcel::Label\"").shows("▌parcel::Label ").shows("layout");
    // The layout has the focus: the first key moves in it.
    screen.keys("enter").shows(" Types › ").shows("› layout").shows("▌code ");
    screen.keys("down").shows("▌(hole)");
}

#[test]
fn columns_of_a_layout_stay_while_virtual_functions_scroll_in() {
    let mut screen = Screen::open("parcel/parcel.exe", 120, 14);
    screen.keys("o \"type/parcel::Box/layout\" enter");
    let head = |screen: &Screen| screen.text().lines().find(|line| line.contains("offset")).unwrap().to_owned();
    let first = head(screen.shows("parcel::Item"));
    assert!(!screen.text().contains("vtable@0x10+0x0"), "{}", screen.text());
    assert_eq!(head(screen.keys("G").shows("vtable@0x10+0x0")), first);
}

#[test]
fn a_module_says_what_it_contains_and_shows_no_function() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut screen = Screen::open("native/tally.exe", width, height);
        screen.keys("methods").shows("entry").keys("shift-tab g").shows("tally.obj, a module: 3").shows("282");
        assert!(!screen.text().contains("mov"), "{}", screen.text());
    }
}

#[test]
fn all_names_in_scope_can_be_read_on_the_smallest_screen() {
    let mut screen = Screen::open("native/tally.exe", 80, 24);
    screen.keys("o \"entry+0x4\" enter tab tab").shows("Scopes");
    let text = screen.text();
    for name in ["t ", "[rsp+0x30]"] {
        assert!(text.lines().any(|line| line.contains(name)), "{name}\n{text}");
    }
    // Where it has no room, the title of the pane before it names it with the key.
    let mut screen = Screen::open("workshop/Workshop.dll", 80, 24);
    screen.keys("o \"Nested+0x2\" enter tab").shows("Scopes \u{21e5}");
}

#[test]
fn a_pane_on_the_whole_screen_names_its_function() {
    for (file, signature, step) in [
        ("ticker/Ticker.dll", "void Main(string[])", "Main(string[]) › point 1"),
        ("native/tally.exe", "int entry()", "entry › line 1"),
    ] {
        for (width, height) in [(80, 24), (120, 40), (200, 50)] {
            let mut screen = Screen::open(file, width, height);
            let text = screen.keys("methods z").text();
            assert!(text.contains(signature), "{width}x{height}: {text}");
            assert!(width < 200 || text.contains(step), "{text}");
        }
    }
}

#[test]
fn the_breadcrumb_of_a_native_frame_begins_with_the_view() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("4").shows("become links");
    screen.paste("tally!add+0x2");
    screen.shows(" Trace \u{203a} tally.obj").keys("methods").shows(" Code \u{203a} tally.obj");
}

#[test]
fn the_map_of_an_image_has_modules_and_a_module_its_functions() {
    let mut screen = Screen::open("native/tally.exe", 120, 40);
    screen.keys("2 tab").finish().shows("Layout").shows(" tally.obj ").click_on(" tally.obj ");
    screen.shows("tally.obj · 0x").keys("enter").shows("Layout  tally.obj").shows(" clamp ");
    // The tree stays at the section.
    let is_chosen = |line: &str| line.contains("│▌") && line.contains(".text");
    assert!(screen.text().lines().any(is_chosen), "{}", screen.text());
    screen.keys("enter").shows("3Code").keys("backspace backspace").shows(" tally.obj ");
}

#[test]
fn a_method_without_symbols_shows_the_statement_that_it_is() {
    let (_folder, mut screen) = alone("workshop/Workshop.dll");
    screen.keys("o \"get_IsLoud\" enter").shows("reconstructed from IL as one statement, derived:").shows("return ");
    screen.shows("No symbols are open");
    // Several calls: nothing says where the second statement begins.
    screen.keys("o \"Reading.PrintMembers\" enter").shows("No symbols are open");
    assert!(!screen.text().contains("reconstructed"), "{}", screen.text());
}

#[test]
fn a_module_is_lit_in_the_image_above_the_page_map_and_in_its_stream() {
    // An image that is not much smaller than its PDB.
    let folder = Folder::new();
    let mut image = std::fs::read(sample("parcel/parcel.exe")).unwrap();
    image.resize(100_000, 0);
    folder.write("parcel.pdb", std::fs::read(sample("parcel/parcel.pdb")).unwrap());
    let options = Options { files: vec![folder.write("parcel.exe", image)], ..Options::default() };
    let mut screen = Screen::with(options, Config::default(), "dark", 120, 40);
    let span = Theme::named("dark").unwrap().of(Role::Span).bg.unwrap();
    // Two answers: the first row of the image has a lit cell or the cursor; the page map has a lit stream.
    let lit = |screen: &Screen| {
        let (buffer, _) = screen.draw();
        let has =
            |y: u16, is_it: &dyn Fn(u16) -> bool| (0..70).any(|x| y < 30 && is_it(x) && buffer[(x, y)].symbol() != " ");
        let in_map = |y: u16| has(y, &|x| buffer[(x, y)].bg == span);
        (has(3, &|x| ["█", "◆"].contains(&buffer[(x, 3)].symbol())), (6..20).any(in_map))
    };
    screen.keys("2").finish().shows("Layout  parcel.exe  100000 bytes").shows("Page map  22 pages");
    screen.keys("o \"pe/dos\" enter");
    assert_eq!(lit(&screen), (true, false), "the header is of no module");
    screen.keys("o \"stream/12\" enter").shows("main.obj");
    assert_eq!(lit(&screen), (true, true));
    screen.keys("o \"contributions/0\" enter");
    assert_eq!(lit(&screen), (true, true));
    // From the image down into the pages, and back.
    screen.keys("shift-tab g down down").shows("File › Pages").keys("up").shows("parcel.exe 0x1000+");
    // The image fills the pane, and then one of its parts.
    screen.keys("enter").shows("bytes a cell");
    assert!(!screen.text().contains("Page map"), "{}", screen.text());
    screen.keys("u").shows("Page map");
}
