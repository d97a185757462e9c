//! The screens as a WebAssembly module for a page.
//!
//! The module exports one function, `turn`. It reads a [`Request`] as JSON from standard input, which ends with it, and writes its answer
//! to standard output: a [`Turn`] as a line of JSON, then the cells of the frame if there is one. The page provides both, the clock and a
//! folder with the files. There is one thread: a job runs in a turn of its own, so that the page knows its name before it begins.

#![allow(missing_docs, reason = "names of the messages say what they are")]

mod frame;
mod screen;

use std::cell::RefCell;
use std::io::{self, Read, Write};

pub use screen::{Request, Screen, Turn};

thread_local! {
    static SCREEN: RefCell<Option<Screen>> = const { RefCell::new(None) };
}

/// Answers one request. Returns 0, or 1 if the request is not one.
// The name is part of the interface of the module: nothing else is unsafe.
#[expect(unsafe_code, reason = "the attribute exports the function under its name")]
#[unsafe(no_mangle)]
pub extern "C" fn turn() -> u32 {
    let mut request = Vec::new();
    let answered = io::stdin().read_to_end(&mut request).and_then(|_| {
        let reply = SCREEN.with_borrow_mut(|screen| answer(screen, &request))?;
        let mut out = io::stdout().lock();
        out.write_all(&reply)?;
        out.flush()
    });
    u32::from(answered.is_err())
}

/// The bytes of the answer to a request.
///
/// # Errors
/// The request is not one, or comes before a start.
pub fn answer(screen: &mut Option<Screen>, request: &[u8]) -> io::Result<Vec<u8>> {
    let request: Request = serde_json::from_slice(request)?;
    if let Request::Start(start) = request {
        *screen = Some(Screen::start(*start));
    } else if let Some(screen) = screen {
        screen.take(request);
    }
    let Some(screen) = screen else { return Err(io::Error::other("no files are open")) };
    let (reply, cells) = screen.reply();
    let mut bytes = serde_json::to_vec(&reply)?;
    bytes.push(b'\n');
    bytes.extend(cells);
    Ok(bytes)
}
