//! The texts of documents: loaded by the worker when a pane wants to show one, and kept.

use std::collections::HashMap;
use std::sync::Arc;

use super::app::{App, Effect};
use super::colour::Colours;
use super::jobs::Job;
use super::theme::Role;
use crate::model::Session;
use crate::model::text::utf8;

/// How many texts are kept.
const KEPT: usize = 32;

/// The slot of the job that colours.
const COLOURING: &str = "colour";

/// The text of a document, by lines.
#[derive(Debug, Default)]
pub struct Text {
    /// All of it.
    pub text: String,
    /// Where each line begins.
    starts: Vec<usize>,
}

/// What is known of a document's text.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// The worker is at it.
    Coming,
    /// Here it is.
    Text(Arc<Text>),
    /// It cannot be had, and why.
    Nothing(String),
}

/// The texts that were wanted so far.
#[derive(Debug, Default)]
pub struct Texts {
    known: HashMap<u32, Loaded>,
    colours: HashMap<u32, Colours>,
}

impl Text {
    /// `text`, by lines.
    pub fn new(text: String) -> Self {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        // C#'s line ends: \n, \r, \r\n, U+0085, U+2028, U+2029.
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let rest = &bytes[at..];
            let end = match byte {
                b'\r' if rest.get(1) == Some(&b'\n') => 2,
                b'\n' | b'\r' => 1,
                0xc2 if rest.get(1) == Some(&0x85) => 2,
                0xe2 if matches!(rest.get(1..3), Some([0x80, 0xa8 | 0xa9])) => 3,
                _ => 0,
            };
            at += end.max(1);
            if end > 0 {
                starts.push(at);
            }
        }
        Self { text, starts }
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// One line, counted from 0, without what ends it.
    pub fn line(&self, index: usize) -> &str {
        let Some(start) = self.starts.get(index) else { return "" };
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        self.text[*start..end].trim_end_matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
    }
}

impl Texts {
    /// What is known of a document's text.
    pub fn get(&self, document: u32) -> Option<&Loaded> {
        self.known.get(&document)
    }

    /// The coloured pieces of a line, counted from 0: where each ends, and its role. Nothing where they are not known yet.
    pub fn colours(&self, document: u32, line: usize) -> &[(u32, Role)] {
        self.colours.get(&document).map_or(&[], |colours| colours.line(line))
    }
}

impl App {
    /// Has the text of the document that shows what is selected loaded, unless it was.
    pub(super) fn want_text(&mut self) -> Option<Effect> {
        let document = self.linked()?.document?;
        if self.texts.known.contains_key(&document) {
            return None;
        }
        let session = Arc::clone(self.session.as_ref()?);
        if self.texts.known.len() >= KEPT {
            self.texts = Texts::default();
        }
        self.texts.known.insert(document, Loaded::Coming);
        Some(Effect::Start(Job {
            what: "reading the source".to_owned(),
            slot: "source",
            work: Box::new(move |_| {
                let loaded = load(&session, document);
                Box::new(move |app: &mut Self| {
                    app.texts.known.insert(document, loaded);
                    // One that was on its way when this was asked for came to nothing.
                    app.texts.known.retain(|_, loaded| !matches!(loaded, Loaded::Coming));
                    app.show_again();
                    app.want_text().into_iter().collect()
                })
            }),
        }))
    }
}

impl App {
    /// Has the lines that show coloured, unless they are.
    pub(super) fn want_colours(&mut self) -> Option<Effect> {
        let (document, window) = self.source_window()?;
        let Some(Loaded::Text(text)) = self.texts.known.get(&document) else { return None };
        let text = Arc::clone(text);
        let colours = match self.texts.colours.remove(&document) {
            Some(colours) => colours,
            None => Colours::new(&self.session.as_ref()?.document_name(document)?, &text)?,
        };
        let wanted = colours.wants(window.end);
        let job = colours.clone();
        self.texts.colours.insert(document, colours);
        if !wanted || self.is_running(COLOURING) {
            return None;
        }
        Some(Effect::Start(Job {
            what: "colouring the source".to_owned(),
            slot: COLOURING,
            work: Box::new(move |ticket| {
                let colours = job.work(&text, window, &|| ticket.cancelled());
                Box::new(move |app: &mut Self| {
                    app.texts.colours.insert(document, colours);
                    app.dirty = true;
                    // What is left is asked for after this, for the window that shows then.
                    Vec::new()
                })
            }),
        }))
    }
}

fn load(session: &Session, document: u32) -> Loaded {
    match session.symbols().and_then(|symbols| symbols.embedded_source(document)) {
        Some(Ok(bytes)) => Loaded::Text(Arc::new(Text::new(decoded(&bytes)))),
        Some(Err(error)) => Loaded::Nothing(format!("the embedded source cannot be read: {error}")),
        None => Loaded::Nothing("the symbols do not hold the text of this document".to_owned()),
    }
}

/// A text by its byte order mark; UTF-8 without one.
fn decoded(bytes: &[u8]) -> String {
    match bytes {
        [0xff, 0xfe, rest @ ..] => crate::model::text::utf16(rest),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest).into_owned(),
        _ => utf8(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_a_compiler_says_they_do() {
        let text = Text::new("a\r\nb\rc\nd\u{85}e\u{2028}f\n".to_owned());
        let lines: Vec<&str> = (0..text.lines()).map(|index| text.line(index)).collect();
        assert_eq!(lines, ["a", "b", "c", "d", "e", "f", ""]);
        assert_eq!(text.line(99), "");
        assert_eq!(Text::new(String::new()).lines(), 1);
    }
}
