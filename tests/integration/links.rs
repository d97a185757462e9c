//! Links: what an address opens is what `pdblens decode --json` prints, and it is written as it was read.

use std::process::Command;
use std::time::Instant;

use pdblens::learn::codec::{CODECS, parse_hex};
use pdblens::learn::{Link, steps};
use pdblens::nodes::{MethodPart, Place, TableId, Token};
use pdblens::session::Session;
use pdblens::tui::Options;
use pdblens::tui::app::config::Config;
use pdblens::tui::app::{App, Command as Request, Event, link};
use pdblens::tui::engine::press::{KeyCode, KeyEvent, KeyModifiers, Press};
use pdblens::tui::engine::program::Program;
use pdblens::tui::ui::theme::Theme;
use ratatui::layout::Size;
use serde_json::Value;

use crate::support::samples::repository;

/// Sequence points of methods of two samples, and the examples of all kinds of records.
fn blobs() -> Vec<(&'static str, Vec<u8>)> {
    let mut found: Vec<(&str, Vec<u8>)> = Vec::new();
    for sample in ["workshop/Workshop.dll", "faults/Faults.dll"] {
        let session = Session::open(&[repository("assets/samples").join(sample)]).unwrap();
        let tokens = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
        let records = tokens.filter_map(|token| steps(&session, Place::MethodPart(token, MethodPart::Points)));
        found.extend(records.map(|steps| ("points", steps.reads().flat_map(|step| step.bytes.clone()).collect())));
    }
    found.retain(|(_, bytes)| !bytes.is_empty());
    found.truncate(40);
    found.extend(CODECS.iter().map(|codec| (codec.name, parse_hex(codec.example.0).unwrap())));
    found
}

/// The screens at an address; what they copied last.
struct Screens(App, String);

impl Screens {
    fn open(link: &str) -> Self {
        let options = Options { at: Some(link.to_owned()), ..Options::default() };
        let (app, first) = App::new(options, Config::default(), Theme::default(), Instant::now());
        let mut screens = Self(app, String::new());
        screens.0.resize(Size { width: 120, height: 40 });
        screens.carry_out(first);
        screens
    }

    fn carry_out(&mut self, requests: Vec<Request>) {
        for request in requests {
            match request {
                Request::Copy(_, text) => self.1 = text,
                Request::Start(job) => {
                    let more = self.0.update(Event::Done(job.run()));
                    self.carry_out(more);
                }
                _ => {}
            }
        }
    }

    fn open_also(&mut self, text: &str) {
        let requests = link::open(&mut self.0, text);
        self.carry_out(requests);
    }

    fn link(&self) -> String {
        self.0.stage.link().unwrap().to_string()
    }

    fn key(&mut self, keys: &str) {
        for key in keys.chars() {
            let key = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
            let requests = self.0.update(Event::Terminal(Press::Key(key)));
            self.carry_out(requests);
        }
    }
}

#[test]
fn blobs_of_links_are_decoded_as_by_the_command() {
    let blobs = blobs();
    assert!(blobs.len() >= 50, "{}", blobs.len());
    for (index, (kind, bytes)) in blobs.into_iter().enumerate() {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let output =
            Command::new(env!("CARGO_BIN_EXE_pdblens")).args(["decode", kind, &hex.concat(), "--json"]).output();
        let decoded: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let reads: Vec<&Value> =
            decoded["steps"].as_array().unwrap().iter().filter(|step| step["number"] != 0).collect();
        let link = |step| Link::Bytes { kind, bytes: bytes.clone(), step }.to_string();
        let at = index % reads.len();
        let mut screens = Screens::open(&link(at + 1));
        assert_eq!(screens.link(), link(at + 1));
        screens.key("yv");
        assert_eq!(screens.1, reads[at]["value"], "{}", link(at + 1));
        screens.key("yh");
        assert_eq!(screens.1, hex.join(" "));
        screens.key("yl");
        assert_eq!(Link::parse(&screens.1).unwrap().to_string(), link(at + 1));
        screens.key("j");
        assert_eq!(screens.link(), link((at + 2).min(reads.len())));
    }
}

#[test]
fn places_reads_and_lessons_come_back_as_they_were_written() {
    for link in [
        "#at=method/0x06000003&file=sample",
        "#at=method/0x06000003/points&step=7&file=sample",
        "#at=pe/debug/0&step=2&file=sample",
        "#lesson=8/4",
    ] {
        assert_eq!(Screens::open(link).link(), link);
    }
    // Names become the place that they mean.
    let mut screens = Screens::open("#at=Clock.Since");
    assert_eq!(screens.link(), "#at=method/0x06000003&file=sample");
    let depth = link::depth(&screens.0);
    screens.open_also("#lesson=2/2");
    assert_eq!((screens.link().as_str(), link::depth(&screens.0)), ("#lesson=2/2", depth + 1));
    let requests = link::step_history(&mut screens.0, -1);
    screens.carry_out(requests);
    assert_eq!(screens.link(), "#at=method/0x06000003&file=sample");
    screens.open_also("0x06000002+0x1");
    assert!(screens.link().starts_with("#at=method/0x06000002/"), "{}", screens.link());
    screens.open_also("#lesson=99/1");
    assert!(screens.link().starts_with("#at=method/0x06000002/"), "{}", screens.link());
}
