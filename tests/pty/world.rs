//! The environment: colours, and terminals that cannot show screens.

use std::process::{Command, Stdio};

use crate::TICKER;
use crate::harness::{PDBLENS, Session, home, plain_environment};

/// The colours that were sent in the Methods view, as they were said: `2;122;162;247`, `5;12`.
fn colours(variables: &[(&str, &str)]) -> Vec<String> {
    let mut session = Session::start(&[TICKER], variables);
    session.shows("1Summary").keys("3").shows("Points and IL").shows("point 1").keys("q");
    assert_eq!(session.exit(), 0);
    session.is_whole();
    let raw = String::from_utf8(session.raw()).unwrap();
    let mut colours = Vec::new();
    for sequence in raw.split("\x1b[").skip(1) {
        let end = sequence.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(0);
        let mut numbers = sequence[..end].split(';').filter(|_| sequence[end..].starts_with('m'));
        while let Some(number) = numbers.next() {
            let parts = match number {
                // Text or ground: of a palette, or red, green and blue.
                "38" | "48" => [1, 3][usize::from(numbers.clone().next() == Some("2"))] + 1,
                // The sixteen by numbers of their own.
                n if n.len() == 2 && n.starts_with(['3', '4']) && !n.ends_with('9') => 0,
                n if n.len() > 1 && n.starts_with(['9', '1']) => 0,
                _ => continue,
            };
            let colour: Vec<&str> = numbers.by_ref().take(parts).collect();
            colours.push(if parts == 0 { number.to_owned() } else { colour.join(";") });
        }
    }
    colours.sort_unstable();
    colours.dedup();
    colours
}

/// Returns whether all of these are of the 16 colours of the palette, without black, white and grey.
fn are_of_the_sixteen(colours: &[String]) -> bool {
    let number = |colour: &String| match colour.strip_prefix("5;") {
        Some(number) => number.parse::<u8>().ok(),
        // 30 to 37 and 40 to 47; 90 to 97 and 100 to 107 are the bright ones.
        None => colour.parse::<u8>().ok().map(|n| n % 10 + if n >= 90 { 8 } else { 0 }),
    };
    !colours.is_empty()
        && colours.iter().all(|colour| number(colour).is_some_and(|n| n < 15 && ![0, 7, 8].contains(&n)))
}

#[test]
fn the_theme_follows_the_environment() {
    const DARK: &str = "2;122;162;247";
    const LIGHT: &str = "2;29;78;216";
    let has = |colours: &[String], colour: &str| colours.iter().any(|one| one == colour);
    for (variables, theme) in [
        ([("PDBLENS_THEME", "light"), ("NO_COLOR", "1")], LIGHT),
        ([("PDBLENS_THEME", "dark"), ("TERM", "linux")], DARK),
        ([("COLORFGBG", "0;15"), ("TERM", "xterm")], LIGHT),
        ([("COLORFGBG", "15;0"), ("TERM", "xterm")], DARK),
    ] {
        let seen = colours(&variables);
        let other = if theme == DARK { LIGHT } else { DARK };
        assert!(has(&seen, theme) && !has(&seen, other), "{variables:?}: {seen:?}");
    }
    // Without a word on more colours, 256 are all there are.
    let seen = colours(&[("PDBLENS_THEME", "dark"), ("COLORTERM", "")]);
    assert!(!seen.is_empty() && seen.iter().all(|colour| colour.starts_with("5;")), "{seen:?}");
}

#[test]
fn no_color_and_the_linux_console_limit_colours() {
    for variables in [[("NO_COLOR", "1")], [("PDBLENS_THEME", "mono")]] {
        assert_eq!(colours(&variables), Vec::<String>::new(), "{variables:?}");
    }
    for variables in [[("TERM", "linux")], [("PDBLENS_THEME", "ansi")]] {
        let seen = colours(&variables);
        assert!(are_of_the_sixteen(&seen), "{variables:?}: {seen:?}");
    }
}

#[test]
fn a_dumb_terminal_gets_plain_lines() {
    let raw = Session::output("TERM=dumb \"$@\"", &[PDBLENS, TICKER]);
    let text = String::from_utf8(raw).unwrap();
    assert!(text.contains("PDB matches DLL") && text.contains("== 0 =="), "{text}");
    assert!(!text.contains('\x1b'), "{text:?}");
}

#[test]
fn screens_need_a_terminal_for_input_and_output() {
    for script in ["\"$@\" </dev/null", "\"$@\" | cat", "\"$@\" </dev/null | cat", "echo | \"$@\""] {
        let text = String::from_utf8(Session::output(script, &[PDBLENS, TICKER])).unwrap();
        assert!(text.contains("PDB matches DLL") && text.contains("== 0 =="), "{script}: {text}");
        // Colours on a terminal, and on a pipe not even those; a screen of its own on neither.
        assert_eq!(text.contains('\x1b'), !script.contains("| cat"), "{script}: {text:?}");
        assert!(!text.contains("\x1b[?"), "{script}: {text:?}");
    }
    let mut command = Command::new(PDBLENS);
    plain_environment(|name| _ = command.env_remove(name));
    let output = command.arg(TICKER).env("HOME", home()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(!output.stdout.is_empty() && !output.stdout.contains(&0x1b));
}

#[test]
fn tables_are_wrapped_between_words_to_the_width_of_the_terminal() {
    let show = |width: usize| {
        let command =
            format!("stty cols {width}; \"$1\" show \"$2\" method/Clock.Since/points/2 --explain --color=never");
        String::from_utf8(Session::output(&command, &[PDBLENS, TICKER])).unwrap()
    };
    let (narrow, wide) = (show(80), show(300));
    let longest = |text: &str| text.lines().map(|line| line.trim_end().chars().count()).max();
    assert!(longest(&narrow) <= Some(80) && longest(&wide) > Some(120), "{narrow}\n{wide}");
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    assert_eq!(words(&narrow), words(&wide));
}
