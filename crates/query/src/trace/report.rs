//! Problem reports of Windows Error Reporting: event 1001, the dialog of a crash, a file `Report.wer`, and events as XML. The faulting module
//! of a crash, which the Windows event log (event 1000, Application Error) names, too: a later line has the offset in it.
//!
//! ```text
//! Event Name: CLR20r3                            an unhandled exception of managed code
//! P4: Tally                                      assembly
//! P6: 5f3e1c2a                                   time stamp of its image
//! P7: 5e                                         MethodDef token, without its table
//! P8: 1f                                         IL offset
//!
//! Problem Signature 04: Tally                    the dialog
//! Sig[3].Value=Tally                             Report.wer, which counts from 0
//! EventType clr20r3, P1 a.exe, …, P10 NIL.       .NET 2.0
//! <Data Name="P4">Tally</Data>                   XML, where names may be left out
//!
//! Faulting module name: tally.exe, version: 1.0.0.0, time stamp: 0x5f3e1c2a
//! Faulting application a.exe, version 1.0.0.0, faulting module tally.exe, version 1.0.0.0, fault address 0x00001079.
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use regex::bytes::Regex;

use super::forms::{self, trimmed};
use super::frame::{Edit, Frame, Module, Offset};
use pdblens_formats::metadata::{TableId, Token};

/// Limit on the length of a line; an event as XML is one.
const MAX_LEN: usize = 64 << 10;
/// The most bytes of a label.
const MAX_LABEL: usize = 79;
/// Number of the parameter with the name of the module, and of that with the time stamp of its image.
const MODULE: u64 = 4;
const STAMP: u64 = 6;

/// Kind of problem that has a place in code.
#[derive(Debug, PartialEq, Eq)]
struct Event {
    name: &'static [u8],
    place: Place,
}

/// Numbers of the parameters with the place.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// An address relative to the module.
    Address(u64),
    /// A method's row, and the IL offset.
    Il(u64, u64),
}

const APPCRASH: Event = Event { name: b"APPCRASH", place: Place::Address(8) };

static EVENTS: &[Event] = &[
    APPCRASH,
    Event { name: b"BEX64", place: Place::Address(7) },
    Event { name: b"BEX", place: Place::Address(7) },
    Event { name: b"CLR20r3", place: Place::Il(7, 8) },
];

/// Words before the name of an event that is one line.
static ONE_LINE: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("EventType "));

/// Elements of an event as XML: the attributes, and the text after the tag.
static ELEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| forms::compile("<(?:Provider(?<provider> [^>]*)|Data(?<data>|[ /][^>]*))>(?<value>[^<]*)"));

/// Words before the name of the event.
const EVENT_LABELS: &[&[u8]] = &[b"Event Name", b"Problem Event Name", b"EventType"];
/// Names of `Data` in event 1000 whose values are parameters of APPCRASH.
const DATA: &[(&[u8], u64)] = &[(b"ModuleName", MODULE), (b"ModuleTimeStamp", STAMP), (b"FaultingOffset", 8)];

#[derive(Debug, Default)]
pub(crate) struct Report {
    event: Option<&'static Event>,
    module: String,
    stamp: Option<u32>,
    method: Option<Token>,
    /// Number of the last `Data` of an event as XML.
    data: u64,
    /// The `Data` with the name of the event, and that with the first parameter, where they have no names.
    positions: Option<(u64, u64)>,
}

impl Report {
    pub(super) const fn is_none(&self) -> bool {
        self.event.is_none()
    }

    /// Reads a line in which no other frame was found.
    pub(crate) fn read(&mut self, line: &[u8]) -> Vec<Frame> {
        if line.len() > MAX_LEN {
            return Vec::new();
        }
        if line.contains(&b'<') && (find(line, b"<Data", 0).is_some() || find(line, b"<Provider ", 0).is_some()) {
            return self.xml(line);
        }
        if let Some(at) = ONE_LINE.find(line) {
            return self.one_line(line, at + ONE_LINE.needle().len());
        }
        self.words(line).into_iter().collect()
    }

    /// An event of .NET 2.0, all of whose parameters are on one line: `EventType clr20r3, P1 a.exe, …, P10 NIL.`
    fn one_line(&mut self, line: &[u8], mut at: usize) -> Vec<Frame> {
        let (mut found, mut is_begun) = (Vec::new(), false);
        while at < line.len() {
            let end = find(line, b", ", at).unwrap_or_else(|| trimmed(line, at..line.len()).end);
            let item = line.get(at..end).unwrap_or_default();
            if !is_begun {
                self.begin(event_called(item));
                is_begun = true;
            } else if let Some(space) = item.iter().position(|byte| *byte == b' ')
                && let Some(number) = item.get(..space).and_then(parameter_number)
            {
                found.extend(self.parameter(number, line, at, at + space + 1..end));
            }
            at = end + 2;
        }
        found
    }

    fn begin(&mut self, event: Option<&'static Event>) {
        let (data, positions) = (self.data, self.positions);
        *self = Self { event, data, positions, ..Self::default() };
    }

    /// A line with a name and a value: `Sig[3].Value=tally.exe`, `Problem Signature 04: tally.exe`. It is read by hand: most lines of a log
    /// have a colon, too.
    fn words(&mut self, line: &[u8]) -> Option<Frame> {
        let Range { start, end } = trimmed(line, 0..line.len());
        let words = line.get(start..end)?;
        if let Some((index, is_name, at)) = signature_parameter(words) {
            let (number, value) = (index.checked_add(1)?, start + at..end);
            if !is_name {
                return self.parameter(number, line, start, value);
            }
            if line.get(value)? == b"Exception Offset" && self.event.is_none() {
                self.event = EVENTS.iter().find(|event| event.place == Place::Address(number));
            }
            return None;
        }
        let at = words.iter().take(MAX_LABEL + 1).position(|byte| matches!(byte, b':' | b'='))?;
        let label = words.get(..at)?.trim_ascii();
        let value = trimmed(line, start + at + 1..end);
        let event = event_called(line.get(value.clone())?);
        if event.is_some() || EVENT_LABELS.contains(&label) {
            self.begin(event);
            return None;
        }
        self.parameter(parameter_number(label)?, line, start, value)
    }

    /// Elements of an event as XML; a line may have many.
    fn xml(&mut self, line: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for found in ELEMENT.iter().flat_map(|element| element.captures_iter(line)) {
            match (found.name("provider"), found.name("data"), found.name("value")) {
                (Some(attributes), ..) => self.provider(attribute(attributes.as_bytes()).unwrap_or_default()),
                (_, Some(attributes), Some(value)) => {
                    frames.extend(self.data(line, attributes.as_bytes(), trimmed(line, value.range())));
                }
                _ => {}
            }
        }
        frames
    }

    fn provider(&mut self, name: &[u8]) {
        self.data = 0;
        (self.positions, self.event) = match name {
            b"Application Error" => (Some((0, 1)), Some(&APPCRASH)),
            b"Windows Error Reporting" => (Some((3, 6)), None),
            _ => (None, None),
        };
        self.begin(self.event);
    }

    fn data(&mut self, line: &[u8], tag: &[u8], value: Range<usize>) -> Option<Frame> {
        self.data += 1;
        let (start, name) = (value.start, attribute(tag));
        let (event, first) = self.positions?;
        if name.map_or(self.data == event, |name| name == b"EventName") {
            self.begin(event_called(line.get(value)?));
            return None;
        }
        let number = match name {
            Some(name) => {
                let of_data = DATA.iter().find(|(data, _)| *data == name).map(|(_, number)| *number);
                of_data.or_else(|| parameter_number(name))?
            }
            None => (self.data + 1).checked_sub(first).filter(|number| *number > 0)?,
        };
        self.parameter(number, line, start, value)
    }

    /// A parameter of the report; the last one of a place makes the frame.
    fn parameter(&mut self, number: u64, line: &[u8], start: usize, value: Range<usize>) -> Option<Frame> {
        match number {
            MODULE => self.module = String::from_utf8_lossy(line.get(value.clone())?).into_owned(),
            STAMP => self.stamp = number_of(line, &value).and_then(|stamp| u32::try_from(stamp).ok()),
            _ => {}
        }
        let (method, offset) = match self.event?.place {
            Place::Address(at) if at == number => (None, Offset::Native(number_of(line, &value)?)),
            Place::Il(method, _) if method == number => {
                let row = number_of(line, &value).and_then(|row| u32::try_from(row).ok());
                self.method = row.filter(|row| *row < 1 << 24).map(|row| Token::new(TableId::METHOD_DEF, row));
                return None;
            }
            Place::Il(_, at) if at == number => {
                let il = u32::try_from(number_of(line, &value)?).unwrap_or(u32::MAX);
                (Some(self.method?), Offset::ExactIl(il))
            }
            _ => return None,
        };
        let module = Module::named(self.module.clone(), self.stamp);
        let (range, edit) = (start..value.end, Edit::In(value.end..value.end));
        Some(Frame { range, module, token: method, offset, edit, ..Frame::default() })
    }
}

fn event_called(name: &[u8]) -> Option<&'static Event> {
    EVENTS.iter().find(|event| event.name.eq_ignore_ascii_case(name.trim_ascii()))
}

/// The number of a parameter from 0, whether its name follows or its value, and where that begins: `Sig[3].Name=`.
fn signature_parameter(words: &[u8]) -> Option<(u64, bool, usize)> {
    let rest = words.strip_prefix(b"Sig[")?;
    let close = rest.iter().take(19).position(|byte| *byte == b']')?;
    let (index, rest) = (digits(rest.get(..close)?, 10)?, rest.get(close + 1..)?);
    let forms: [(&[u8], bool); 2] = [(b".Name=", true), (b".Value=", false)];
    let (form, is_name) = forms.into_iter().find(|(form, _)| rest.starts_with(form))?;
    Some((index, is_name, b"Sig[]".len() + close + form.len()))
}

/// `P4`, and the words of a dialog in any language: `Problem Signature 04`.
fn parameter_number(label: &[u8]) -> Option<u64> {
    match label {
        [b'P', number @ ..] if !number.is_empty() && number.iter().all(u8::is_ascii_digit) => digits(number, 10),
        [.., b' ', tens, ones] => digits(&[*tens, *ones], 10),
        _ => None,
    }
}

/// A value that is a hexadecimal number and nothing else.
fn number_of(line: &[u8], value: &Range<usize>) -> Option<u64> {
    let value = line.get(value.clone())?;
    digits(value.strip_prefix(b"0x").unwrap_or(value), 16)
}

fn digits(text: &[u8], radix: u32) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    if text.starts_with('+') { None } else { u64::from_str_radix(text, radix).ok() }
}

/// Value of the attribute `Name` in a tag.
fn attribute(tag: &[u8]) -> Option<&[u8]> {
    let at = find(tag, b" Name=", 0)? + 6;
    let quote = *tag.get(at).filter(|quote| matches!(quote, b'"' | b'\''))?;
    let rest = tag.get(at + 1..)?;
    rest.get(..rest.iter().position(|byte| *byte == quote)?)
}

static FAULTING_MODULE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    forms::compile(
        r"(?:[Ff]aulting module name:|Fault Module Name:|[Ff]aulting module )[ \t]*(?<name>[^,]{0,260})
        (?:.*?, time stamp: 0x(?<stamp>[0-9A-Fa-f]{1,8}))?",
    )
});

/// Words that say something else of the module.
const OTHERS: [&str; 3] = ["path:", "id:", "ID:"];

/// The faulting module that a line names, perhaps as one that is unknown.
pub(super) fn faulting_module(line: &[u8]) -> Option<Module> {
    let found = forms::captures(&FAULTING_MODULE, line)?;
    let text = |group| found.name(group).map(|text| String::from_utf8_lossy(text.as_bytes().trim_ascii()).into_owned());
    let name = text("name")?;
    if OTHERS.iter().any(|other| name.starts_with(other)) {
        return None;
    }
    let stamp = text("stamp").and_then(|stamp| u32::from_str_radix(&stamp, 16).ok());
    Some(if name == "unknown" { Module::Unknown } else { Module::named(name, stamp) })
}

/// Start of `needle` at or after `from`.
fn find(line: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    Some(from + memmem::find(line.get(from..)?, needle)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(report: &str) -> Vec<Frame> {
        let mut state = Report::default();
        report.lines().flat_map(|line| state.read(line.as_bytes())).collect()
    }

    #[test]
    fn the_address_of_a_crash_is_read() {
        let stamped = Module::Stamped("tally.exe".to_owned(), 0x5f3e_1c2a);
        for report in [
            "Event Name: APPCRASH\nP1: a.exe\nP4: tally.exe\nP6: 5f3e1c2a\nP7: c0000005\nP8: 0000000000001079",
            "Event Name: BEX64\nP1: a.exe\nP4: tally.exe\nP6: 5f3e1c2a\nP7: 0000000000001079\nP8: c0000005",
            "EventType=APPCRASH\nSig[3].Name=Fault Module Name\nSig[3].Value=tally.exe\nSig[5].Name=Fault Module Timestamp\n\
             Sig[5].Value=5f3e1c2a\nSig[7].Name=Exception Offset\nSig[7].Value=00001079",
            "<Event xmlns='x'><System><Provider Name='Application Error'/></System><EventData><Data>a.exe</Data>\
             <Data>1</Data><Data>5</Data><Data>tally.exe</Data><Data>1</Data><Data>5f3e1c2a</Data><Data>c0000005</Data>\
             <Data>00001079</Data><Data>8</Data></EventData></Event>",
            "<Provider Name=\"Application Error\" Guid=\"{0}\" />\n <Data Name=\"ModuleName\">tally.exe</Data>\n\
             <Data Name=\"ModuleTimeStamp\">0x5f3e1c2a</Data>\n  <Data Name=\"FaultingOffset\"> 0x1079 </Data>",
            "<Provider Name='Windows Error Reporting' /><Data>1</Data><Data>4</Data><Data>APPCRASH</Data><Data/><Data>0</Data>\
             <Data>a.exe</Data><Data>1</Data><Data>5</Data><Data>tally.exe</Data><Data>1</Data><Data>5f3e1c2a</Data>\
             <Data>c0000005</Data><Data>1079</Data>",
        ] {
            let [frame] = &read(report)[..] else { panic!("{report}: {:?}", read(report)) };
            assert_eq!((frame.offset, &frame.module), (Offset::Native(0x1079), &stamped), "{report}");
        }
    }

    #[test]
    fn method_and_il_offset_of_an_unhandled_exception_are_read() {
        let stamped = Module::Stamped("Tally".to_owned(), 0x8f3e_1c2a);
        for report in [
            "Event Name: CLR20r3\nP1: a.exe\nP4: Tally\nP5: 1.0\nP6: 8f3e1c2a\nP7: 5e\nP8: 1f\nP9: System.Exception",
            "  Problem Event Name:\tCLR20r3\n  Problem Signature 04:\tTally\n  Problem Signature 06:\t8f3e1c2a\n\
             Problem Signature 07:\t5e\n  Problem Signature 08:\t1f",
            "EventType=CLR20r3\nSig[3].Value=Tally\nSig[5].Value=8f3e1c2a\nSig[6].Value=5e\nSig[7].Value=1f",
            "<Provider Name='Windows Error Reporting'/>\n<Data Name='EventName'>CLR20r3</Data>\n<Data Name='P4'>Tally</Data>\
             <Data Name='P6'>8f3e1c2a</Data>\n<Data Name='P7'>5e</Data>\n<Data Name='P8'>1f</Data>",
            "EventType clr20r3, P1 a.exe, P2 1.0.0.0, P3 8f3e1c2b, P4 Tally, P5 1.0.0.0, P6 8f3e1c2a, P7 5e, P8 1f, \
             P9 system.exception, P10 NIL.",
            "Ereignisname: CLR20r3\nProblemsignatur 04: Tally\nP6: 8f3e1c2a\nP7: 5e\nP8: 1f",
        ] {
            let [frame] = &read(report)[..] else { panic!("{report}: {:?}", read(report)) };
            assert_eq!((frame.token, frame.offset), (Some(Token(0x0600_005e)), Offset::ExactIl(0x1f)), "{report}");
            assert_eq!(frame.module, stamped, "{report}");
        }
    }

    #[test]
    fn what_is_no_report_has_no_frame() {
        for text in [
            "P4: tally.exe\nP8: 12",
            "Event Name: MoAppHang\nP4: tally.exe\nP8: 12",
            "Event Name: CLR20r3\nP4: tally.exe\nP8: 12",
            "Event Name: CLR20r3\nP7: 5e\nP8: what",
            "Event Name: CLR20r3\nEvent Name: MoAppHang\nP7: 5e\nP8: 1",
            "Sig[0].Value=12",
            "Sig[18446744073709551615].Value=12",
            "<Provider Name='Application Hang'/><Data>a</Data><Data>b</Data><Data>c</Data><Data>d</Data>",
            "<Data",
            "<Data>",
            "<Provider Name='Windows Error Reporting'><Data Name='",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn the_faulting_module_is_read() {
        for line in [
            "Faulting module name: tally.exe, version: 1.0.0.0, time stamp: 0x5f3e1c2a",
            "Faulting application name: x.exe, faulting module name: tally.exe, version: 1",
            "  Fault Module Name:\ttally.exe",
            "Faulting application x.exe, version 1, faulting module tally.exe, version 1, fault address 0x00001079.",
        ] {
            let stamp = line.contains("stamp").then_some(0x5f3e_1c2a);
            assert_eq!(faulting_module(line.as_bytes()), Some(Module::named("tally.exe".to_owned(), stamp)), "{line}");
        }
        assert_eq!(faulting_module(b"Faulting module name: unknown, version: 0.0.0.0"), Some(Module::Unknown));
        assert_eq!(faulting_module(b"Faulting module path: C:\\tally.exe"), None);
    }

    #[test]
    fn words_are_found() {
        assert_eq!(find(b"aab", b"ab", 0), Some(1));
        assert_eq!(find(b"aab", b"ab", 2), None);
        assert_eq!(find(b"aab", b"b", 9), None);
    }
}
