//! Frames that only the lines before them make frames: those of a Rust backtrace, and the signature of an error report.
//!
//! ```text
//! stack backtrace:
//!    4: main                                     a number and a word, where the number is expected
//!              at D:\a\_work\1\s\exe_common.inl:78
//!
//! Event Name: APPCRASH
//! P4: tally.exe                                  module
//! P8: 0000000000001079                           offset
//!
//! Sig[3].Name=Fault Module Name                  of a file Report.wer
//! Sig[3].Value=tally.exe
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{decimal, find, hex, text, trim_end, trim_start};
use super::{event_log, rust};

/// Limit on the length of a line.
const MAX_LEN: usize = 4096;

/// Parameter of an error report with the offset, by the name of its event.
const EVENTS: &[(&[u8], u64)] = &[(b"APPCRASH", 8), (b"BEX64", 7), (b"BEX", 7)];

/// Record of earlier lines that decides what the next ones may be.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// Number of the next frame of a Rust backtrace.
    frame: Option<u64>,
    /// Number of the parameter with the offset.
    parameter: Option<u64>,
    /// Name of the last value of a report.
    value: Vec<u8>,
    /// Module that the last crash was in.
    pub(crate) faulting: Option<String>,
}

impl Expected {
    /// Reads a line in which no frame was found. Returns the frame that the lines before it make it, with its form.
    pub(crate) fn frame(&mut self, line: &[u8]) -> Option<(&'static Form, Frame)> {
        if line.len() > MAX_LEN {
            return None;
        }
        if let Some(frame) = self.of_backtrace(line) {
            return Some((&rust::FORM, frame));
        }
        self.of_report(line).map(|frame| (&event_log::FORM, frame))
    }

    /// Keeps what a line in which frames were found says of the next.
    pub(crate) fn see(&mut self, frames: &[(&'static str, Frame)], line: &[u8]) {
        if let ([(form, _)], Some(_)) = (frames, self.frame)
            && *form == rust::FORM.name
        {
            self.frame = decimal(line, trim_start(line, 0)).map(|(number, _)| number + 1);
        }
    }

    fn of_backtrace(&mut self, line: &[u8]) -> Option<Frame> {
        let text_of_line = line.trim_ascii();
        if text_of_line == b"stack backtrace:" {
            self.frame = Some(0);
        }
        let wanted = self.frame?;
        if text_of_line.starts_with(b"at ") || text_of_line.starts_with(b"[...") || text_of_line == b"stack backtrace:"
        {
            return None;
        }
        // Frames of the runtime may have been left out.
        let found = rust::numbered(line).filter(|(number, _)| *number >= wanted);
        self.frame = found.as_ref().map(|(number, _)| number + 1);
        found.map(|(_, frame)| frame)
    }

    fn of_report(&mut self, line: &[u8]) -> Option<Frame> {
        let line_end = trim_end(line, line.len(), 0);
        let words = line.get(..line_end)?.trim_ascii();
        if let Some(name) = words.strip_prefix(b"Event Name:").or_else(|| words.strip_prefix(b"EventType=")) {
            let event = EVENTS.iter().find(|(event, _)| *event == name.trim_ascii());
            self.parameter = event.map(|(_, parameter)| *parameter);
            self.faulting = None;
        }
        let start = trim_start(line, 0);
        if let Some(wanted) = self.parameter
            && let Some((number, colon)) = decimal(line, start + 1).filter(|_| line.get(start) == Some(&b'P'))
            && line.get(colon) == Some(&b':')
        {
            let value = trim_start(line, colon + 1);
            match number {
                4 => self.faulting = Some(text(line, &(value..line_end))),
                number if number == wanted => return offset(line, start, value),
                _ => {}
            }
        }
        if let Some(at) = find(line, b"].Name=", start).filter(|_| words.starts_with(b"Sig[")) {
            self.value = line.get(at + 7..line_end)?.to_vec();
        }
        let at = find(line, b"].Value=", start).filter(|_| words.starts_with(b"Sig["))?;
        match std::mem::take(&mut self.value).as_slice() {
            b"Fault Module Name" => self.faulting = Some(text(line, &(at + 8..line_end))),
            b"Exception Offset" => return offset(line, start, at + 8),
            _ => {}
        }
        None
    }
}

/// A frame of the faulting module, whose offset ends the line.
fn offset(line: &[u8], start: usize, at: usize) -> Option<Frame> {
    let (offset, end) = hex(line, at)?;
    let named = Frame::named(String::new(), Module::Faulting);
    Some(Frame { range: start..end, offset: Offset::Native(offset), edit: Edit::In(end..end), ..named })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_frames_in_a_backtrace_alone() {
        let mut expected = Expected::default();
        assert!(expected.frame(b"   5: main").is_none());
        let lines: [(&[u8], Option<&str>); 9] = [
            (b"stack backtrace:", None),
            (b"   1: main", Some("main")),
            (b"             at .\\src\\main.rs:2", None),
            (b"   5: <unknown>", Some("")),
            (b"   4: wrong", None),
            (b"   6: after the end", None),
            (b"stack backtrace:", None),
            (b"note: Some details are omitted", None),
            (b"   0: main", None),
        ];
        for (line, name) in lines {
            let frame = expected.frame(line).map(|(_, frame)| frame.name);
            assert_eq!(frame.as_deref(), name, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn an_error_report_has_module_and_offset() {
        for report in [
            "Event Name: APPCRASH\nP1: a.exe\nP4: tally.exe\nP7: c0000005\nP8: 0000000000001079",
            "Event Name: BEX64\nP1: a.exe\nP4: tally.exe\nP7: 0000000000001079\nP8: c0000005",
            "Sig[3].Name=Fault Module Name\nSig[3].Value=tally.exe\nSig[7].Name=Exception Offset\nSig[7].Value=00001079",
        ] {
            let mut expected = Expected::default();
            let found: Vec<Frame> =
                report.lines().filter_map(|line| expected.frame(line.as_bytes()).map(|(_, frame)| frame)).collect();
            assert_eq!(
                found.iter().map(|frame| frame.offset).collect::<Vec<_>>(),
                [Offset::Native(0x1079)],
                "{report}"
            );
            assert_eq!(expected.faulting.as_deref(), Some("tally.exe"));
        }
        let mut expected = Expected::default();
        for line in ["Event Name: CLR20r3", "P4: tally.exe", "P8: 12", "Sig[0].Value=12"] {
            assert!(expected.frame(line.as_bytes()).is_none(), "{line}");
        }
    }
}
