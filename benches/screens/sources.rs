//! Time until a window is highlighted after a jump in a long source.

use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

use criterion::Criterion;
use pdblens::tui::state::texts::Text;
use pdblens::tui::ui::highlight::Highlighter;

use crate::{print_times, timed, wanted};

const LINES: usize = 100_000;

/// A source of so many lines, such as people and generators write.
fn source() -> String {
    let mut text =
        String::from("using System;\n\nnamespace Long;\n\n/// <summary>Much.</summary>\npublic class Much\n{\n");
    let mut number = 0;
    while text.lines().count() < 8 || number * 10 < LINES {
        number += 1;
        let _ = write!(
            text,
            "    /* number {number},\n       of many */\n    public static async Task<int> Do{number}(string name, int count = {number})\n    {{\n        \
             var text = $\"{{name}}: {{count + 0x{number:x}}}\\n\"; // says it\n        foreach (var part in text.Split(','))\n            \
             if (part is {{ Length: > 3 }} && count >= 1.5e3) return await Other(part, 'x');\n        throw new InvalidOperationException(@\"no \"\"{number}\"\"\");\n    }}\n\n"
        );
    }
    text + "}\n"
}

/// Returns whether every line of the window is highlighted.
fn is_coloured(colours: &Highlighter, text: &Text, mut window: Range<usize>) -> bool {
    window.all(|line| text.line(line).trim().is_empty() || !colours.line(line).is_empty())
}

/// From the wish to a window with colours, in pieces as the worker does it.
fn until_coloured(colours: &mut Highlighter, text: &Text, window: &Range<usize>) -> Duration {
    let colour = || {
        while !is_coloured(colours, text, window.clone()) {
            *colours = colours.clone().work(text, window.clone(), &|| false);
        }
    };
    timed(colour).0
}

/// To the end of a long source at first, then all over it.
pub(crate) fn jumps(_: &mut Criterion) {
    if !wanted("sources") {
        return;
    }
    let source = source();
    let text = Text::new(&source);
    let lines = text.lines();
    println!("a source of {lines} lines");
    for name in ["Much.cs", "much.cpp", "Much.fs", "Much.vb"] {
        let mut colours = Highlighter::new(name, &text).expect("a language");
        let end = lines - 60..lines;
        let first = until_coloured(&mut colours, &text, &end);
        println!("{name}: a jump to the end has colours after {first:.2?}, the syntaxes not loaded before");
        let mut times = Vec::new();
        for turn in 1..100 {
            let at = (turn * 7919 * 60) % (lines - 60);
            let mut colours = Highlighter::new(name, &text).expect("a language");
            times.push(until_coloured(&mut colours, &text, &(at..at + 60)));
        }
        print_times(&format!("{name}: a jump anywhere"), times);
        let mut slices = Vec::new();
        let mut copies = Vec::new();
        for _ in 0..40 {
            let (time, copy) = timed(|| colours.clone());
            copies.push(time);
            let (time, more) = timed(|| copy.work(&text, end.clone(), &|| false));
            slices.push(time);
            colours = more;
        }
        print_times(&format!("{name}: a piece of the exact colours"), slices);
        print_times(&format!("{name}: handing them to the worker"), copies);
    }
    // What is hard for a regular expression, and as long as a line may be.
    for (what, line) in [
        ("brackets", "((((<<<<".repeat(512)),
        ("one name", "a".repeat(4095)),
        ("generics", "A<B<C<".repeat(680)),
        ("quotes", "$\"{\"".repeat(1000)),
        ("blanks", " ".repeat(4095)),
        ("dots", "a.b.c.".repeat(680)),
    ] {
        let text = Text::new(&format!("class A {{\n{line}\n}}\n"));
        let mut colours = Highlighter::new("a.cs", &text).expect("a language");
        let (time, ()) = timed(|| {
            while colours.is_unfinished(3) {
                colours = colours.clone().work(&text, 0..3, &|| false);
            }
        });
        println!("a line of {} {what}: {time:.2?}", line.len());
    }
}
