//! A handout in a browser: headless Chromium, without a network.

use std::path::{Path, PathBuf};
use std::process::Command;

use pdblens::learn::handout::{Answers, Format, Handout};
use pdblens::learn::steps;
use pdblens::session::Session;

use crate::support::folder::Folder;

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

fn chromium() -> Option<PathBuf> {
    let names = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];
    names.iter().map(PathBuf::from).find(|path| path.is_file())
}

fn page() -> String {
    let session = Session::sample();
    let steps = steps(&session, "method/0x06000003/points".parse().unwrap()).unwrap();
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
    for loaded in ["http", "src=", "@import", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
}

#[test]
fn bytes_and_fields_are_highlighted_together_in_a_browser() {
    let Some(browser) = chromium() else {
        eprintln!("skipped: there is no chromium in /usr/bin · apt-get install chromium");
        return;
    };
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
    assert!(linked.contains("class=\"on\""), "{linked}");
}
