//! A handout in a browser: headless Chromium, without a network.

use std::path::Path;
use std::process::Command;

use pdblens::learn::handout::{Answers, Format, Handout, lesson_page};
use pdblens::learn::lesson::{Prepared, built_in};
use pdblens::learn::steps;
use pdblens::session::Session;
use pdblens::source::SourceOptions;

use crate::support::browser::chromium;
use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::synth::Recipe;

/// Options of a browser that asks nobody for anything.
const OPTIONS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1000,900",
];

fn page() -> String {
    let session = Session::sample();
    let place = "method/0x06000003/points".parse().unwrap();
    let steps = steps(&session, place).unwrap().with_places(&session, place, &SourceOptions::default());
    let command = "pdblens show --sample method/0x06000003/points --format html".to_owned();
    Handout { steps: &steps, command, answers: Answers::Shown }.print(Format::Html)
}

/// The page after its script has run, with what the browser made of it.
fn dom(browser: &Path, folder: &Folder, page: &str, hash: &str) -> String {
    let path = folder.write("page.html", page);
    let profile = folder.path().join("profile");
    let output = Command::new(browser)
        .args(OPTIONS)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}{hash}", path.display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_byte_of_the_page_leads_to_its_field() {
    let page = page();
    let bytes = page.matches("<a href=\"#f").count();
    assert_eq!(bytes, 26);
    for part in page.split("<a href=\"#").skip(1) {
        let id = part.split('"').next().unwrap();
        assert_eq!(page.matches(&format!("<tr id=\"{id}\"")).count(), 1, "{id}");
        assert!(part.starts_with(&format!("{id}\" data-n=\"{}\"", &id[1..])), "{part}");
    }
    for loaded in ["src=", "@import", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    // The link to the page is all that leads out, and nothing follows it unasked.
    assert_eq!(page.matches("http").count(), page.matches("<a id=\"open\" href=\"http").count());
}

#[test]
fn bytes_and_fields_are_highlighted_together_in_a_browser() {
    let Some(browser) = chromium() else { return };
    let folder = Folder::new();
    // A click on a byte, as a reader does it; the row must be highlighted with the byte, and show its arithmetic.
    let click = "<script>document.querySelector('a[data-n=\"6\"]').click()</script></body>";
    let clicked = dom(&browser, &folder, &page().replace("</body>", click), "");
    let on = |start: &str| {
        let tags = clicked.split(start).skip(1).map(|rest| rest.split('>').next().unwrap());
        tags.filter(|tag| tag.contains("pinned") && tag.contains("on\"")).count()
    };
    assert_eq!((on("<a "), on("<tr ")), (1, 1), "{clicked}");
    assert!(clicked.contains("<pre id=\"why\">") && !clicked.contains("<pre id=\"why\"></pre>"), "{clicked}");
    // A link to a field highlights it when the page opens.
    let linked = dom(&browser, &folder, &page(), "#f3");
    assert!(linked.contains("id=\"f3\" data-n=\"3\" class=\"dl on\""), "{linked}");
}

#[test]
fn the_page_steps_and_asks() {
    let Some(browser) = chromium() else { return };
    let folder = Folder::new();
    // Keys and answers as a reader gives them; the page tells what came of them.
    let script = "<script>var t=[],key=function(e,k){e.dispatchEvent(new KeyboardEvent('keydown',{key:k,bubbles:true}))};\
        var on=function(){return document.querySelectorAll('.places span.on').length};\
        for(var i=0;i<10;i++)key(document.body,' ');t.push(document.querySelector('#pos').textContent,on());\
        key(document.body,'p');t.push(document.activeElement.id,document.querySelector('#f3').tabIndex);\
        var g=document.querySelector('#guess');g.value='13';g.onkeydown({key:'Enter'});t.push(document.querySelector('#say').textContent);\
        g.value='4';g.onkeydown({key:'Enter'});t.push(document.querySelector('#say').textContent);\
        key(document.body,'x');t.push(document.querySelectorAll('.cover').length>0);document.title=t.join(' / ')</script></body>";
    let played = dom(&browser, &folder, &page().replace("</body>", script), "");
    let title = played.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
    assert!(title.starts_with("step 11 of ") && title.contains("guess / 0"), "{title}");
    assert!(
        title.contains("start column after the step") && title.contains("\u{2713} right") && title.contains("true"),
        "{title}"
    );
}

#[test]
fn nothing_selected_is_hidden_on_a_projector_and_on_a_phone() {
    let Some(browser) = chromium() else { return };
    if Command::new("node").arg("--version").output().is_err() {
        println!("skipped: there is no Node");
        return;
    }
    let folder = Folder::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/handout.mjs");
    // The record of 13 points has more reads than a screen has rows.
    let session = Session::sample();
    for token in ["0x06000001", "0x06000003"] {
        let place = format!("method/{token}/points").parse().unwrap();
        let steps = steps(&session, place).unwrap().with_places(&session, place, &SourceOptions::default());
        let page = Handout { steps: &steps, command: String::new(), answers: Answers::Shown }.print(Format::Html);
        let output =
            Command::new("node").arg(script).arg(folder.write("page.html", page)).arg(&browser).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn statements_stand_where_the_text_is_not_at_hand() {
    let sample = |name: &str| repository("assets/samples").join(name);
    let place = "method/0x06000001/points".parse().unwrap();
    let page = |sources: &SourceOptions| {
        let session = Session::open(&[sample("workshop/Workshop.dll")]).unwrap();
        let steps = steps(&session, place).unwrap().with_places(&session, place, sources);
        Handout { steps: &steps, command: String::new(), answers: Answers::Shown }.print(Format::Html)
    };
    let none = page(&SourceOptions::default());
    assert!(none.contains("Columns.cs  from IL") && none.contains("   9  var accent = "), "{none}");
    let sources = SourceOptions { roots: vec![repository("assets/sources")], ..SourceOptions::default() };
    assert!(page(&sources).contains("<b>Columns.cs</b>"), "{}", page(&sources));
}

#[test]
fn a_long_page_is_small_and_its_names_are_text() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/workshop/Workshop.dll");
    let session = Session::open(&[path.into()]).unwrap();
    let points = |row: u32| format!("method/0x{:08x}/points", 0x0600_0000 + row).parse().ok();
    let pages = (1..=session.methods()).filter_map(points).filter_map(|place| {
        let steps = steps(&session, place)?.with_places(&session, place, &SourceOptions::default());
        let count = steps.points_after(usize::MAX).len();
        Some((count, Handout { steps: &steps, command: String::new(), answers: Answers::Shown }.print(Format::Html)))
    });
    let (count, page) = pages.max_by_key(|(count, _)| *count).unwrap();
    assert!(page.len() < 20_000 + 3_000 * count.max(20), "{count} points: {} bytes", page.len());
    // The shortest method of 60 points or more.
    let recipe = Recipe { points: 60, ..Recipe::of(40) };
    let pair = recipe.pair();
    let session = Session::from_bytes(vec![("Long.dll".into(), pair.image), ("Long.pdb".into(), pair.pdb)]).unwrap();
    let long = (1..=40).filter_map(|row| {
        let place = points(row)?;
        let steps = steps(&session, place)?.with_places(&session, place, &SourceOptions::default());
        Some((steps.points_after(usize::MAX).len(), steps))
    });
    let (count, long) = long.filter(|(count, _)| *count >= 60).min_by_key(|(count, _)| *count).unwrap();
    let page = Handout { steps: &long, command: String::new(), answers: Answers::Shown }.print(Format::Html);
    assert!(count < 65 && page.len() <= 150_000, "{count} points: {} bytes", page.len());
    let mut steps = steps(&session, "method/0x06000001/points".parse().unwrap()).unwrap();
    steps.title = "<img onerror=x>\"'&</script>".to_owned();
    for step in &mut steps.list {
        step.field.meaning = steps.title.clone();
    }
    let hostile = Handout { steps: &steps, command: steps.title.clone(), answers: Answers::Shown }.print(Format::Html);
    assert!(!hostile.contains("<img") && hostile.matches("</script>").count() == 1, "{hostile}");
}

/// A lesson as a page.
fn lesson(number: u32, key: bool) -> String {
    let session = Session::sample();
    let lesson = built_in().iter().find(|lesson| lesson.number == number).unwrap();
    lesson_page(lesson, &Prepared::of(lesson, &session), &session, "pdblens learn --format html", key)
}

#[test]
fn a_lesson_is_one_page_with_players_and_questions() {
    for number in 1..=12 {
        let page = lesson(number, false);
        assert!(page.len() < 400_000, "lesson {number}: {} bytes", page.len());
        for loaded in [" src=", "<link", "@import", "url(", "<iframe"] {
            assert!(!page.contains(loaded), "lesson {number}: {loaded}");
        }
        // Each name is there once, and each link leads to a name.
        let ids: Vec<&str> = page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        let unique: std::collections::BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "lesson {number}");
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().unwrap();
            assert!(ids.contains(&id), "lesson {number}: {id}");
        }
        assert!(page.matches("<h3>Question").count() >= 2, "lesson {number}");
    }
    let (plain, key) = (lesson(7, false), lesson(7, true));
    assert!(!plain.contains("<details open>") && key.contains("<details open>"), "{key}");
}

/// Pages of paper that a browser prints.
fn paper(browser: &Path, folder: &Folder, page: &str) -> usize {
    let (path, pdf) = (folder.write("page.html", page), folder.path().join("page.pdf"));
    let output = Command::new(browser)
        .args(OPTIONS)
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg("--no-pdf-header-footer")
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap();
    let bytes = std::fs::read(pdf).unwrap_or_else(|_| panic!("{output:?}"));
    let text = String::from_utf8_lossy(&bytes);
    text.matches("/Type /Page").count() - text.matches("/Type /Pages").count()
}

#[test]
fn pages_fit_on_paper() {
    let Some(browser) = chromium() else { return };
    let folder = Folder::new();
    // The bits of all 26 reads are on the paper of a record; that of a lesson has the reads that it speaks of.
    let record = paper(&browser, &folder, &page());
    assert!((2..=6).contains(&record), "{record}");
    let lesson = paper(&browser, &folder, &lesson(8, false));
    assert!((2..=7).contains(&lesson), "{lesson}");
}

#[test]
fn a_lesson_plays_and_marks_answers_in_a_browser() {
    let Some(browser) = chromium() else { return };
    let folder = Folder::new();
    let script = "<script>var t=[],key=function(e,k){e.dispatchEvent(new KeyboardEvent('keydown',{key:k,bubbles:true}))};\
        var to=document.querySelectorAll('.to'),last=to[to.length-1];last.click();\
        var player=document.querySelector('[id='+JSON.stringify(last.hash.slice(1))+']').closest('section');\
        var pos=function(){return player.querySelector('[id$=pos]').textContent};t.push(pos());key(document.body,' ');t.push(pos());\
        var asks=[].slice.call(document.querySelectorAll('.ask')),ask=asks.filter(function(a){return a.dataset.m})[0];\
        var input=ask.querySelector('input'),say=ask.querySelector('b'),m=ask.dataset.m.split('\\n')[0].split('|');\
        input.value=m[0];input.onkeydown({key:'Enter'});t.push(say.textContent===('\\u2717 '+m[1]));\
        input.value=ask.dataset.v;input.onkeydown({key:'Enter'});t.push(say.textContent);document.title=t.join(' / ')</script></body>";
    let played = dom(&browser, &folder, &lesson(8, false).replace("</body>", script), "");
    let title = played.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
    let parts: Vec<&str> = title.split(" / ").collect();
    let step = |text: &str| text.strip_prefix("step ")?.split(' ').next()?.parse::<u32>().ok();
    assert_eq!(step(parts[0]).map(|step| step + 1), step(parts[1]), "{title}");
    assert_eq!(&parts[2..], ["true", "\u{2713} right"], "{title}");
}
