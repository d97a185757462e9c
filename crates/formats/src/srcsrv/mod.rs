//! The `srcsrv` stream of a PDB: text with which a debugger retrieves source files.
//!
//! Three sections with headings of the form `SRCSRV: name -----`: `ini` (format version), `variables` (templates),
//! `source files` (a line for each file, with variables separated by `*`), closed by `SRCSRV: end`. Microsoft documents
//! it as "Source Server Language Specification 1".
//!
//! Not all generators conform to it, so an invalid line is reported as a problem and skipped.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::bytes::{Cursor, Encoding, Error, FieldDoc, Recorder, Region, Result, Span, fields};

/// A parsed `srcsrv` stream. Names and values are not interpreted.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct SrcSrv {
    region: Region,
    /// Every line that begins with `SRCSRV:`.
    pub headings: Vec<Heading>,
    pub ini: Vec<Assignment>,
    pub variables: Vec<Assignment>,
    pub files: Vec<SourceFile>,
    /// Problems, at most `MAX_PROBLEMS`.
    pub problems: Vec<Error>,
}

pub(crate) const MAX_PROBLEMS: usize = 1000;

/// A part of the text.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Text before the first heading.
    Before,
    Ini,
    Variables,
    Files,
    /// `SRCSRV: end`, and the text after it.
    End,
}

/// `SRCSRV: name -----`
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Heading {
    /// Section that it begins.
    pub section: Section,
    pub span: Span,
}

/// `name=value`
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    /// The name's characters.
    pub name: Span,
    /// The value's.
    pub value: Span,
}

/// `path*var2*var3`
#[derive(Clone, Copy, Debug)]
pub struct SourceFile {
    /// Its line, without the end.
    pub span: Span,
}

/// The sections, by what their headings begin with, and what is said of a text without one.
const SECTIONS: [(&[u8], Section, &str); 4] = [
    (b"ini", Section::Ini, "there is no ini section"),
    (b"variables", Section::Variables, "there is no variables section"),
    (b"source files", Section::Files, "there is no source files section"),
    (b"end", Section::End, "there is no SRCSRV: end, so it may be cut short"),
];

const KEYWORD: &[u8] = b"SRCSRV:";

fields! {
    /// A heading, which begins a section of the text.
    HEADING: "srcsrv heading";
    /// The word that begins every heading, in any case.
    KEYWORD_FIELD: "keyword";
    /// The section that begins here, or the end of the text; the dashes are decoration.
    SECTION: "section";
    /// An assignment, which gives a variable its value.
    ASSIGNMENT: "srcsrv assignment";
    /// A variable of the writer's own, which other values name between percent signs.
    NAME: "name";
    /// The version of the language that the text is written in: 1, or 2, from which on a target may be a URL.
    VERSION: "name";
    /// The version of the tool that wrote the text.
    INDEX_VERSION: "name";
    /// The time when the text was written.
    DATE_TIME: "name";
    /// The source control system that the files come from.
    CONTROL: "name";
    /// The path that the source file gets on the debugger's machine, or its URL.
    TARGET: "name";
    /// The command that fetches the file to the path of SRCSRVTRG.
    COMMAND: "name";
    /// Environment variables of the command.
    ENVIRONMENT: "name";
    /// Text in the output of the command by which a debugger sees that the server does not answer.
    ERROR_TEXT: "name";
    /// The variable that names the server: after such an error no other file of this server is asked for.
    ERROR_VARIABLE: "name";
    /// The end of the name; later equals signs belong to the value.
    EQUALS_SIGN: "equals sign";
    /// Text with %names% in it, which are replaced by their values when a file is asked for.
    VALUE: "value";
    /// A source file, and the variables that locate it.
    SOURCE_FILE: "srcsrv source file";
    /// The separator between the variables of a file.
    ASTERISK: "asterisk";
    /// The path of the source file as the PDB lists it: the debugger finds this line by it.
    VAR1: "var1";
    /// The value of %var2% for this file; the variables section gives it a meaning.
    VAR2: "var2";
    /// The value of %var3% for this file; the variables section gives it a meaning.
    VAR3: "var3";
    /// The value of %var4% for this file; the variables section gives it a meaning.
    VAR4: "var4";
    /// The value of %var5% for this file; the variables section gives it a meaning.
    VAR5: "var5";
    /// The value of %var6% for this file; the variables section gives it a meaning.
    VAR6: "var6";
    /// The value of %var7% for this file; the variables section gives it a meaning.
    VAR7: "var7";
    /// The value of %var8% for this file; the variables section gives it a meaning.
    VAR8: "var8";
    /// The value of %var9% for this file; the variables section gives it a meaning.
    VAR9: "var9";
    /// The value of %var10% for this file; the variables section gives it a meaning.
    VAR10: "var10";
    /// A variable after the ten that the specification names.
    FURTHER_VARIABLE: "further variable";
    /// A line that belongs to no section; debuggers differ in what they do with it.
    OTHER_LINE: "srcsrv other line";
    /// The text of the line, which no rule of the language covers.
    TEXT: "text";
    /// A line without text.
    BLANK_LINE: "srcsrv blank line";
    /// The end of the line: CR LF as a rule; a lone LF is read too.
    LINE_END: "line end";
    /// Zero bytes after the text.
    PADDING: "padding";
}

/// Descriptions of the variables that the language defines.
const NAMES: [(&[u8], &FieldDoc); 10] = [
    (b"VERSION", &VERSION),
    (b"INDEXVERSION", &INDEX_VERSION),
    (b"DATETIME", &DATE_TIME),
    (b"VERCTRL", &CONTROL),
    (b"SRCSRVVERCTRL", &CONTROL),
    (b"SRCSRVTRG", &TARGET),
    (b"SRCSRVCMD", &COMMAND),
    (b"SRCSRVENV", &ENVIRONMENT),
    (b"SRCSRVERRDESC", &ERROR_TEXT),
    (b"SRCSRVERRVAR", &ERROR_VARIABLE),
];

/// Descriptions of the variables of a source file, in order.
const VARIABLES: [&FieldDoc; 10] = [&VAR1, &VAR2, &VAR3, &VAR4, &VAR5, &VAR6, &VAR7, &VAR8, &VAR9, &VAR10];

impl SrcSrv {
    /// Reads the whole text.
    pub fn parse(region: Region) -> Self {
        let mut srcsrv = Self::default();
        srcsrv.read(&mut region.cursor());
        srcsrv.region = region;
        srcsrv
    }

    /// Reads the whole text for its fields.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::default().read(cursor);
        Ok(())
    }

    /// The characters at `span` of the stream.
    pub fn text(&self, span: Span) -> Cow<'_, str> {
        self.region.slice().at(span).map_or(Cow::Borrowed(""), |slice| String::from_utf8_lossy(slice.data))
    }

    /// All characters of the stream.
    pub fn whole_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.region.slice().data)
    }

    /// The variables of a source file, the path first.
    pub fn parts(&self, file: &SourceFile) -> impl Iterator<Item = Cow<'_, str>> {
        let line = self.region.slice().at(file.span).unwrap_or_default();
        line.data.split(|byte| *byte == b'*').map(String::from_utf8_lossy)
    }

    fn read<N: Recorder>(&mut self, cursor: &mut Cursor<'_, N>) {
        let whole = Span { len: cursor.left(), ..cursor.since(cursor.position()) };
        let mut section = Section::Before;
        while !cursor.is_done() {
            let read = self.line(cursor, &mut section);
            self.note(read);
        }
        for (_, section, missing) in SECTIONS {
            if !self.headings.iter().any(|heading| heading.section == section) {
                self.note(Err(Error::invalid(missing, whole)));
            }
        }
    }

    fn note(&mut self, result: Result<()>) {
        if let (Err(error), true) = (result, self.problems.len() < MAX_PROBLEMS) {
            self.problems.push(error);
        }
    }

    fn line<N: Recorder>(&mut self, cursor: &mut Cursor<'_, N>, section: &mut Section) -> Result<()> {
        let rest = cursor.remaining();
        let len = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let whole = rest.get(..len).unwrap_or_default();
        let text = whole.strip_suffix(b"\n").unwrap_or(whole);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if whole.iter().all(|byte| *byte == 0) {
            return cursor.bytes(&PADDING, len as u64).map(drop);
        }
        let end = (len - text.len()) as u64;
        if text.trim_ascii().is_empty() {
            return cursor.group(&BLANK_LINE, |c| line_end(c, len as u64));
        }
        if text.get(..KEYWORD.len()).is_some_and(|start| start.eq_ignore_ascii_case(KEYWORD)) {
            let heading = heading(cursor, text, end)?;
            let again = self.headings.iter().any(|other| other.section == heading.section);
            *section = heading.section;
            self.headings.push(heading);
            return if again { Err(Error::invalid("duplicate section", heading.span)) } else { Ok(()) };
        }
        match section {
            Section::Ini => self.ini.push(assignment(cursor, text, end)?),
            Section::Variables => self.variables.push(assignment(cursor, text, end)?),
            Section::Files => self.files.push(source_file(cursor, text, end)?),
            Section::Before => return Err(other(cursor, text, end, "a line before the first heading")),
            Section::End => return Err(other(cursor, text, end, "a line after SRCSRV: end")),
        }
        Ok(())
    }
}

fn line_end<N: Recorder>(cursor: &mut Cursor<'_, N>, len: u64) -> Result<()> {
    if len > 0 {
        cursor.text(&LINE_END, len, Encoding::Utf8)?;
    }
    Ok(())
}

/// A line that is nothing: its text as one field, and what is wrong with it.
fn other<N: Recorder>(cursor: &mut Cursor<'_, N>, text: &[u8], end: u64, sentence: &'static str) -> Error {
    let read = cursor.group(&OTHER_LINE, |c| {
        let line = c.text(&TEXT, text.len() as u64, Encoding::Utf8)?.span();
        line_end(c, end)?;
        Ok(line)
    });
    read.map_or_else(|error| error, |line| Error::invalid(sentence, line))
}

fn heading<N: Recorder>(cursor: &mut Cursor<'_, N>, text: &[u8], end: u64) -> Result<Heading> {
    let name = text.get(KEYWORD.len()..).unwrap_or_default().trim_ascii_start();
    let begins = |with: &[u8]| name.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let Some((_, section, _)) = SECTIONS.into_iter().find(|(with, ..)| begins(with)) else {
        return Err(other(cursor, text, end, "a heading of no known section"));
    };
    cursor.group(&HEADING, |c| {
        let keyword = c.text(&KEYWORD_FIELD, KEYWORD.len() as u64, Encoding::Utf8)?.span();
        let name = c.text(&SECTION, (text.len() - KEYWORD.len()) as u64, Encoding::Utf8)?.span();
        line_end(c, end)?;
        Ok(Heading { section, span: keyword.to(name) })
    })
}

fn assignment<N: Recorder>(cursor: &mut Cursor<'_, N>, text: &[u8], end: u64) -> Result<Assignment> {
    let equals = match text.iter().position(|byte| *byte == b'=') {
        None => return Err(other(cursor, text, end, "a line without the = that an assignment has")),
        Some(0) => return Err(other(cursor, text, end, "an assignment to nothing")),
        Some(at) => at,
    };
    let word = text.get(..equals).unwrap_or_default().trim_ascii();
    let known = NAMES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map_or(&NAME, |(_, doc)| doc);
    cursor.group(&ASSIGNMENT, |c| {
        let name = c.text(known, equals as u64, Encoding::Utf8)?.span();
        c.text(&EQUALS_SIGN, 1, Encoding::Utf8)?;
        let value = c.text(&VALUE, (text.len() - equals - 1) as u64, Encoding::Utf8)?.span();
        line_end(c, end)?;
        Ok(Assignment { name, value })
    })
}

fn source_file<N: Recorder>(cursor: &mut Cursor<'_, N>, text: &[u8], end: u64) -> Result<SourceFile> {
    let (position, len) = (cursor.position(), text.len() as u64);
    let span = Span { len, ..cursor.since(position) };
    if !N::ENABLED {
        cursor.skip(len + end)?;
        return Ok(SourceFile { span });
    }
    cursor.group(&SOURCE_FILE, |c| {
        for (index, part) in text.split(|byte| *byte == b'*').enumerate() {
            if index > 0 {
                c.text(&ASTERISK, 1, Encoding::Utf8)?;
            }
            c.text(VARIABLES.get(index).copied().unwrap_or(&FURTHER_VARIABLE), part.len() as u64, Encoding::Utf8)?;
        }
        line_end(c, end)
    })?;
    Ok(SourceFile { span })
}
