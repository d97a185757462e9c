//! Frames that only the lines before them make frames: those of a Rust backtrace, and the parameters of an error report.
//!
//! ```text
//! stack backtrace:
//!    4: main                                     a number and a word, where the number is expected
//!              at D:\a\_work\1\s\exe_common.inl:78
//! ```

use super::forms;
use super::frame::Frame;
use super::report::Report;
use super::rust;
use super::scan::{decimal, trim_start};

/// Limit on the length of a line.
const MAX_LEN: usize = 4096;

/// Record of earlier lines that makes the next lines frames.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// Number of the next frame of a Rust backtrace.
    frame: Option<u64>,
    /// Error report that the lines so far have begun.
    report: Report,
    /// Module that the last crash was in, and the time stamp of its image.
    pub(crate) faulting: Option<(String, Option<u32>)>,
}

impl Expected {
    /// Reads a line in which no frame was found. Returns the frames that the lines before it make it, with their form.
    pub(crate) fn frames(&mut self, line: &[u8]) -> (&'static str, Vec<Frame>) {
        let of_backtrace = if line.len() > MAX_LEN { None } else { self.of_backtrace(line) };
        match of_backtrace {
            Some(frame) => (forms::RUST_BACKTRACE, vec![frame]),
            None => self.of_report(line),
        }
    }

    /// Reads a line of a text of several, such as a string of a JSON document.
    pub(crate) fn of_report(&mut self, line: &[u8]) -> (&'static str, Vec<Frame>) {
        (forms::EVENT_LOG, self.report.read(line))
    }

    /// Takes from a line with frames the number that the next frame of a backtrace has.
    pub(crate) fn see(&mut self, frames: &[(&'static str, Frame)], line: &[u8]) {
        if let ([(form, _)], Some(_)) = (frames, self.frame)
            && *form == forms::RUST_BACKTRACE
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_frames_in_a_backtrace_alone() {
        let mut expected = Expected::default();
        assert!(expected.frames(b"   5: main").1.is_empty());
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
            let frames = expected.frames(line).1;
            assert_eq!(frames.first().map(|frame| frame.name.as_str()), name, "{}", String::from_utf8_lossy(line));
        }
    }
}
