//! Handouts: the steps of a record as a page to print, with blanks for a class or with the answers; the same for the same record.

mod html;
mod lesson;
mod markdown;

pub use lesson::lesson_page;

use std::fmt::Write;

use super::{Steps, reading, reason};
use pdblens_nodes::fields::BitMeaning;
use pdblens_session::text::safe::{spaced_hex, visible};

/// Bytes in a row of the dump.
const ROW: usize = 16;

#[derive(Clone, Debug)]
pub struct Handout<'s> {
    pub steps: &'s Steps,
    /// Command that makes the handout again.
    pub command: String,
    pub answers: Answers,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// All, with the arithmetic.
    #[default]
    Shown,
    /// All but the state of the decoder, which the class adds up.
    BlankState,
    /// Neither values nor state, which the class fills in.
    Blank,
    /// Only they, by the number of the step: the teacher's key.
    Key,
}

impl Answers {
    /// All that leave something blank, with the words of `--blank`.
    pub const BLANKS: [(Self, &str); 2] = [(Self::BlankState, "state"), (Self::Blank, "values")];

    const fn is_blank(self) -> bool {
        matches!(self, Self::BlankState | Self::Blank)
    }
}

fn cell(is_left_out: bool, text: String) -> String {
    if is_left_out && !text.is_empty() { BLANK.to_owned() } else { text }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Html,
}

impl Format {
    pub const ALL: [Self; 2] = [Self::Markdown, Self::Html];

    /// Extension of a file, and the word of `--format`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }

    pub fn of_path(path: &std::path::Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_lowercase();
        Self::ALL.into_iter().find(|format| format.name() == extension)
    }
}

const HEADS: [&str; 7] = ["#", "offset", "bytes", "field", "read as", "value", "state"];

/// An answer of the teacher's key.
struct KeyItem {
    number: String,
    bytes: String,
    /// Field, value and state.
    text: String,
}

/// Offset of the first byte of a row of the dump; its bytes, each with the number of its step.
type ByteRow = (u64, Vec<(u32, u8)>);
const BLANK: &str = "________";

impl Handout<'_> {
    pub fn print(&self, format: Format) -> String {
        let mut page = String::new();
        self.write(format, &mut page);
        page
    }

    /// Writes the page piece by piece: that of a record of many rows is never whole in memory. A writer that fails keeps its error, and is
    /// written to no further.
    pub fn write(&self, format: Format, page: &mut dyn Write) {
        match format {
            Format::Markdown => self.markdown(page),
            Format::Html => self.html(page),
        }
    }

    /// Cells of a step: number, offset, bytes, field, form, value, state.
    fn cells(&self, index: usize) -> Option<[String; 7]> {
        let step = self.steps.list.get(index)?;
        let answers = self.answers;
        let no_value = answers == Answers::Blank;
        let field = &step.field;
        // The meaning tells the state that a class is to work out.
        let tells_state = answers == Answers::BlankState && !field.changes.is_empty();
        let is_bare = field.meaning.is_empty() || tells_state;
        let meaning = if is_bare { String::new() } else { format!(" ({})", field.meaning) };
        Some([
            step.number.to_string(),
            format!("{:#x}", field.span.start),
            spaced_hex(&step.bytes, ROW),
            field.name.clone(),
            step.form().to_owned(),
            cell(no_value, visible(&format!("{}{meaning}", field.stored_and_decoded())).into_owned()),
            cell(answers.is_blank(), step.changes_text().join("; ")),
        ])
    }

    /// Answers as a list, without groups.
    fn key(&self) -> impl Iterator<Item = KeyItem> {
        self.rows().map(|(_, [number, _, bytes, name, _, value, state])| {
            let state = if state.is_empty() { state } else { format!("; {state}") };
            KeyItem { number, bytes, text: format!("{name} = {value}{state}") }
        })
    }

    /// Title; on a handout with blanks it does not have the values.
    fn title(&self) -> &str {
        if self.answers.is_blank() { self.steps.covered_title() } else { &self.steps.title }
    }

    /// Name of the group at an index; on a handout with blanks it does not give away the values.
    fn group(&self, index: usize) -> &str {
        if self.answers.is_blank() {
            self.steps.covered_record(index)
        } else {
            self.steps.list.get(index).map_or("", |step| &step.field.name)
        }
    }

    /// The read that the decode ended at, and the error; `None` for a whole record, and on blanks, which a class fills in.
    fn problem(&self) -> Option<String> {
        if self.answers.is_blank() {
            return None;
        }
        let error = self.steps.error.as_ref()?;
        let read = self.steps.failure().map_or_else(String::new, |failure| format!("; {}", failure.text()));
        Some(visible(&format!("✗ {}{read}", error.kind)).into_owned())
    }

    fn rows(&self) -> impl Iterator<Item = (usize, [String; 7])> {
        let all = self.steps.list.iter().enumerate().filter(|(_, step)| !step.field.group);
        all.filter_map(|(index, _)| Some((index, self.cells(index)?)))
    }

    /// Reason and arithmetic of a step, in lines.
    fn explanation(&self, index: usize) -> String {
        let mut lines = vec![reason(self.steps, index)];
        if let Some(reading) = self.steps.list.get(index).and_then(reading) {
            // Bits stay below each other; rows of words have no column.
            let label =
                reading.rows.iter().filter(|row| !row.bits.is_empty()).map(|row| row.label.chars().count()).max();
            let label = label.unwrap_or(0);
            lines.extend(reading.rows.iter().map(|row| match row.bits.is_empty() {
                true => format!("{}  {}", row.label, row.text),
                false => format!("{:label$}  {}  {}", row.label, row.bits_text(), row.text),
            }));
        }
        lines.join("\n")
    }

    /// Number, bytes and field of each read, with its reason and arithmetic in lines; empty on blanks, whose values they tell, and
    /// in keys.
    fn reasons(&self) -> impl Iterator<Item = (String, Vec<String>)> {
        let rows = if self.answers == Answers::Shown { Some(self.rows()) } else { None };
        let one = |(index, [number, _, bytes, name, ..]): (usize, [String; 7])| {
            let lines = self.explanation(index).lines().map(|line| line.trim_end().to_owned()).collect();
            (format!("{number}. {bytes} {name}"), lines)
        };
        rows.into_iter().flatten().map(one)
    }

    /// Heads of the columns; the state has one only where a step changes it.
    fn heads(&self) -> &'static [&'static str] {
        let changes = self.steps.list.iter().any(|step| !step.field.changes.is_empty());
        HEADS.get(..HEADS.len() - usize::from(!changes)).unwrap_or(&HEADS)
    }

    /// Bits of a step that have a meaning of their own: number of the bits, value, meaning; on blanks without the last two.
    fn bits(&self, index: usize) -> Vec<[String; 3]> {
        let Some(field) = self.steps.list.get(index).map(|step| &step.field) else { return Vec::new() };
        let number = field.number.unwrap_or(0).cast_unsigned();
        let no_value = self.answers == Answers::Blank;
        let shown = |text: String| if no_value { BLANK.to_owned() } else { visible(&text).into_owned() };
        let one = |bits: &BitMeaning| [bits.label(), shown(bits.of(number).to_string()), shown(bits.text.clone())];
        field.bits.iter().map(one).collect()
    }

    /// Bytes of the record in rows, as [`Self::all_byte_rows`]; of rows in one field that are like the one before them only the last.
    fn byte_rows(&self) -> Vec<ByteRow> {
        let rows = self.all_byte_rows();
        let like = |a: Option<&ByteRow>, b: Option<&ByteRow>| match (a, b) {
            (Some((_, a)), Some((_, b))) => a == b && a.len() == ROW,
            _ => false,
        };
        let is_left_out = |at: usize| {
            like(at.checked_sub(1).and_then(|before| rows.get(before)), rows.get(at))
                && like(rows.get(at), rows.get(at + 1))
        };
        rows.iter().enumerate().filter(|(at, _)| !is_left_out(*at)).map(|(_, row)| row.clone()).collect()
    }

    /// Bytes of the record with the numbers of their steps, in rows of what follows one another, each with the offset of its first byte.
    fn all_byte_rows(&self) -> Vec<ByteRow> {
        let mut rows: Vec<ByteRow> = Vec::new();
        let mut end = None;
        for step in self.steps.reads() {
            let span = step.field.span;
            for (at, byte) in (span.start..).zip(&step.bytes) {
                match rows.last_mut().filter(|(_, row)| end == Some((span.space, at)) && row.len() < ROW) {
                    Some((_, row)) => row.push((step.number, *byte)),
                    None => rows.push((at, vec![(step.number, *byte)])),
                }
                end = Some((span.space, at + 1));
            }
        }
        rows
    }

    fn dump(&self) -> String {
        let mut out = String::new();
        let mut before: Option<ByteRow> = None;
        for (offset, bytes) in self.byte_rows() {
            let hex: Vec<String> = bytes.iter().map(|(_, byte)| format!("{byte:02x}")).collect();
            if is_after_gap(before.as_ref(), offset, &bytes) {
                out.push_str("*\n");
            }
            before = Some((offset, bytes));
            let _ = writeln!(out, "{offset:06x}  {}", hex.join(" "));
        }
        out
    }
}

/// Returns true if rows like the one before are left out before this one: a star tells so, as in other dumps.
fn is_after_gap(before: Option<&ByteRow>, offset: u64, bytes: &[(u32, u8)]) -> bool {
    before.is_some_and(|(at, row)| *row == bytes && offset > at + ROW as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps;
    use pdblens_session::session::Session;

    fn handout(answers: Answers, format: &str) -> String {
        let session = Session::sample();
        let steps = steps(&session, "method/0x06000003/points".parse().unwrap()).unwrap();
        let handout = Handout { steps: &steps, command: "pdblens show <x> | more".to_owned(), answers };
        let format = Format::ALL.into_iter().find(|one| one.name() == format).unwrap();
        handout.print(format)
    }

    #[test]
    fn blanks_hide_what_the_key_tells() {
        let (shown, blank) = (handout(Answers::Shown, "md"), handout(Answers::Blank, "md"));
        assert!(shown.contains("start line = 10") && !shown.contains(BLANK), "{shown}");
        assert!(
            !blank.contains("start line = 10") && blank.contains(BLANK) && blank.contains("δ start column"),
            "{blank}"
        );
        let key = handout(Answers::Key, "md");
        assert!(key.contains("start line = 10") && !key.contains("read as"), "{key}");
        let page = handout(Answers::Blank, "html");
        assert!(!page.contains("start line = 10"), "{page}");
    }

    #[test]
    fn every_form_on_paper_has_the_reasons_and_the_arithmetic() {
        for format in ["md", "html"] {
            let page = handout(Answers::Shown, format);
            for part in ["a signed difference to point", "rotated right", "first visible one"] {
                assert!(page.contains(part), "{format} without {part}: {page}");
            }
            for other in [Answers::Blank, Answers::Key] {
                assert!(!handout(other, format).contains("rotated right"), "{format}");
            }
        }
    }

    #[test]
    fn blanks_do_not_name_hidden_points() {
        let codec = crate::codec::Codec::named("points").unwrap();
        let steps = codec.decode(&codec.encode("IL_0000 19:5-19:6; IL_0001 hidden").unwrap()).steps;
        for format in Format::ALL {
            let page = |answers| Handout { steps: &steps, command: String::new(), answers }.print(format);
            let blank = page(Answers::Blank);
            assert!(!blank.split("<style>").next().unwrap().contains("hidden point"), "{blank}");
            assert!(
                !blank.split("</style>").last().unwrap().split("<script>").next().unwrap().contains("hidden"),
                "{blank}"
            );
            assert!(page(Answers::Shown).contains("hidden point"), "{}", page(Answers::Shown));
        }
    }

    #[test]
    fn names_are_no_markup_and_line_ends_are_line_ends() {
        let mut steps = steps(&Session::sample(), "method/0x06000003/points".parse().unwrap()).unwrap();
        steps.title = "Set<T>.Read<Item>() · sequence points".to_owned();
        let page = |format, command: &str| {
            Handout { steps: &steps, command: command.to_owned(), answers: Answers::Shown }.print(format)
        };
        let markdown = page(Format::Markdown, "pdblens show 'List`1.Add'");
        assert!(markdown.starts_with("# Set\\<T\\>.Read\\<Item\\>() · sequence points\n"), "{markdown}");
        assert!(markdown.ends_with("Made by `` pdblens show 'List`1.Add' ``.\n"), "{markdown}");
        let html = page(Format::Html, "pdblens");
        assert!(!html.split("<script>").next().unwrap().contains("\\n"), "a line end is spelled out");
        assert!(html.contains("\npayload"), "{html}");
    }

    #[test]
    fn slots_and_temporaries_have_different_values() {
        let steps = crate::codec::Codec::named("slots").unwrap().decode(&[1, 0x2a, 0]).steps;
        let page = Handout { steps: &steps, command: String::new(), answers: Answers::Shown }.print(Format::Markdown);
        assert!(page.contains("1 → 0 (user-defined)") && page.contains(" 0 (temporary)"), "{page}");
    }

    #[test]
    fn keys_are_lists_and_pages_are_for_paper() {
        for format in ["md", "html"] {
            let key = handout(Answers::Key, format);
            assert!(!key.contains("read as") && !key.contains("<table") && key.contains("start line = 10"), "{key}");
        }
        let page = handout(Answers::Shown, "html");
        for part in ["@page{size:landscape", "table-layout:fixed", "overflow-wrap:anywhere", "<col class=\"state\">"] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }

    #[test]
    fn blanks_have_two_levels() {
        let pages = Answers::BLANKS.map(|(answers, _)| handout(answers, "md"));
        let counts: Vec<usize> = pages.iter().map(|page| page.matches(BLANK).count()).collect();
        assert!(counts[0] > 20 && counts[0] < counts[1], "{counts:?}");
        let [state, values] = pages;
        assert!(state.contains("| δ start column | compressed signed | 121 → -4 |") && !state.contains("→ column"));
        assert!(values.contains("| δ start column | compressed signed | ________ |"), "{values}");
    }

    #[test]
    fn a_page_stands_alone_and_links_bytes_with_rows() {
        let page = handout(Answers::Shown, "html");
        for part in [
            "<a href=\"#f3\" data-n=\"3\" class=\"dl\">",
            "<tr id=\"f3\" data-n=\"3\"",
            "&lt;x&gt; | more",
            "<script>",
            "<style>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("src=") && !page.contains("http"), "{page}");
        assert_eq!(page, handout(Answers::Shown, "html"));
    }

    #[test]
    fn every_format_is_the_same_each_time_and_names_its_command() {
        for format in Format::ALL {
            let page = handout(Answers::Shown, format.name());
            assert_eq!(page, handout(Answers::Shown, format.name()));
            assert!(page.contains("more"), "{page}");
            assert!(page.contains("δ start column"), "{page}");
            let blank = handout(Answers::Blank, format.name());
            assert!(!blank.contains("start line = 10"), "{blank}");
            assert!(blank.contains(BLANK), "{blank}");
            assert_eq!(Format::of_path(std::path::Path::new(&format!("a.b.{}", format.name()))), Some(format));
        }
        assert_eq!(Format::of_path(std::path::Path::new("a.pdf")), None);
    }

    #[test]
    fn rows_of_the_dump_begin_where_their_bytes_are() {
        let session = Session::sample();
        // The entry and the record that it leads to are apart, and there is no state.
        let steps = steps(&session, "pe/debug/0".parse().unwrap()).unwrap();
        let guid = steps.reads().find(|step| step.field.name == "guid").unwrap();
        let handout = Handout { steps: &steps, command: String::new(), answers: Answers::Blank };
        let record = format!("{:06x}  52 53 44 53 ", guid.field.span.start - 4);
        let page = handout.print(Format::Markdown);
        assert!(page.contains(&record) && !page.contains("state"), "{record} in {page}");
        let page = handout.print(Format::Html);
        let rows: Vec<u64> = handout.byte_rows().iter().map(|(offset, _)| *offset).collect();
        assert_eq!(rows[2], guid.field.span.start - 4, "28 bytes of the entry, then the record");
        assert!(page.contains("<td class=\"blank\">") && !page.contains("<th>state"), "{page}");
    }

    #[test]
    fn a_free_page_map_has_its_bits_and_no_rows_of_the_same_bytes() {
        let sample =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/ticker-windows/Ticker.pdb");
        let session = Session::open(&[sample]).unwrap();
        let steps = steps(&session, "page/1".parse().unwrap()).unwrap();
        let page = |format, answers| Handout { steps: &steps, command: String::new(), answers }.print(format);
        for format in Format::ALL {
            let shown = page(format, Answers::Shown);
            assert!(shown.contains("page 2: in use · FPM2") && shown.contains("page 8: free"), "{shown}");
            let full = shown.lines().filter(|line| line.matches("ff").count() >= 16).count();
            assert!(full < 5 && shown.contains("*\n"), "{shown}");
            let blank = page(format, Answers::Blank);
            assert!(!blank.contains("page 8: free") && blank.contains("bit 3"), "{blank}");
        }
    }
}
