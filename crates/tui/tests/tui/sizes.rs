//! Terminal sizes: no view or overlay panics at any.

use crate::harness::{Screen, VIEW_KEYS};

#[test]
fn nothing_panics_at_any_size() {
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 80, 24);
    for (_, keys) in VIEW_KEYS {
        screen.keys(keys);
        for width in 0..=130 {
            // All heights at some widths, some at all.
            let step = if width % 10 == 0 { 1 } else { 13 };
            for height in (0..=50).step_by(step) {
                screen.resize(width, height);
                let (_, cursor) = screen.draw();
                assert!(cursor.is_none_or(|at| at.x < width && at.y < height), "{width}x{height}");
            }
        }
    }
}

#[test]
fn views_of_other_formats_fit_anywhere() {
    for (file, views) in [
        ("native/tally.exe", [0, 1, 2, 3, 4, 5, 6].as_slice()),
        ("workshop-windows/Workshop.dll", &[2, 5]),
        ("ticker-mono/Ticker.exe", &[2, 6]),
    ] {
        let mut screen = Screen::open(file, 80, 24);
        screen.keys("4").paste(crate::views::TRACE);
        for view in views.iter().map(|view| VIEW_KEYS[*view].1) {
            screen.resize(80, 24).keys(&format!("{view} tab"));
            for (width, height) in
                (0..=210).step_by(7).flat_map(|width| [0, 1, 4, 5, 9, 13, 24, 50].map(|h| (width, h)))
            {
                screen.resize(width, height);
                let (_, cursor) = screen.draw();
                assert!(cursor.is_none_or(|at| at.x < width && at.y < height), "{file} {view} {width}x{height}");
            }
            screen.keys("l l j j k h pagedown pageup G g enter backspace");
        }
    }
}

#[test]
fn overlays_and_zoom_fit_anywhere() {
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 80, 24);
    screen.keys("methods");
    for keys in ["?", ":", "o", "/", "&", "y", "z", "w"] {
        screen.resize(80, 24).keys(keys);
        for (width, height) in
            [(0, 0), (1, 1), (2, 2), (5, 3), (19, 4), (20, 5), (21, 6), (49, 9), (50, 13), (300, 100)]
        {
            screen.resize(width, height);
            screen.pass(std::time::Duration::from_millis(500));
            screen.draw();
        }
        screen.keys("esc");
    }
}

#[test]
fn prompts_questions_and_empty_panes_fit_anywhere() {
    let mut screen = Screen::open("workshop/Workshop.dll", 80, 24);
    for keys in ["sources j", "p", "O", "f", "methods o \"Evens\" enter", "4"] {
        screen.resize(80, 24).keys(keys);
        for (width, height) in (0..=130).step_by(3).flat_map(|width| [0, 1, 2, 5, 6, 9, 13, 24, 40].map(|h| (width, h)))
        {
            screen.resize(width, height);
            let (_, cursor) = screen.draw();
            assert!(cursor.is_none_or(|at| at.x < width && at.y < height), "{keys} {width}x{height}");
        }
        screen.keys("esc");
    }
}

#[test]
fn keys_do_not_panic_in_tiny_terminals() {
    let mut screen = Screen::open("ticker-embedded/Ticker.dll", 1, 1);
    for (_, view) in VIEW_KEYS {
        screen.keys(&format!("{view} j k G g tab ctrl-d ctrl-u l h enter backspace tab pagedown ] [ z z tab tab tab"));
    }
    screen.resize(120, 40).draw();
}
