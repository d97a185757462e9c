//! Fetching from servers that the user named.
//!
//! Nothing here runs by itself: whoever calls [`Http::get`] was asked to. A server may say anything, for any length of time, so
//! everything has a limit: waiting, size, redirects. A redirect leads to another host only by https, and never with a token. Without the feature `fetch`
//! every request is an error that says so.

#[cfg(not(feature = "fetch"))]
mod absent;
#[cfg(feature = "fetch")]
mod client;
#[cfg(feature = "fetch")]
mod tokens;

use std::ops::ControlFlow;
use std::time::Duration;

#[cfg(not(feature = "fetch"))]
pub use absent::{Http, host};
#[cfg(feature = "fetch")]
pub use client::{Http, host};

/// Limits of time and size.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To be let in by the server; how long the look-up of its name may take is a setting of the system.
    pub connect: Duration,
    /// Between one byte and the next.
    pub stall: Duration,
    /// Bytes a second that arrive at least, counted over as long as a stall may last.
    pub slowest: u64,
    /// Altogether.
    pub total: Duration,
    /// Bytes of an answer whose length the server announces.
    pub most: u64,
    /// Bytes of an answer without an announced length, which may never end.
    pub most_unannounced: u64,
    /// Redirects that are followed.
    pub redirects: u32,
    /// Redirects may lead by https to hosts other than the one that was named.
    pub other_hosts: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            stall: Duration::from_secs(30),
            slowest: 1 << 10,
            total: Duration::from_mins(30),
            most: 1 << 30,
            most_unannounced: 128 << 20,
            redirects: 5,
            other_hosts: true,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub bytes: Vec<u8>,
    /// The server that a redirect led to, where it is not the one that was asked.
    pub redirected_to: Option<String>,
}

fn size_text(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 20) { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

/// Advice for an answer that asks who is there.
const fn token_tip(status: u16) -> &'static str {
    if matches!(status, 401 | 403) { " · tip: set PDBLENS_TOKEN to HOST=TOKEN" } else { "" }
}

/// Told how many bytes are there, and how many there will be where the server says so; what it answers may end the transfer.
pub type Progress<'p> = &'p mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>;

/// Reason why nothing was fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    #[error("not there")]
    NotFound,
    #[error("the server answers {}{}", .0, token_tip(*.0))]
    Status(u16),
    /// It is against the rules to go there.
    #[error("{0}")]
    Refused(String),
    #[error("the answer is larger than {}", size_text(*.0))]
    TooLarge(u64),
    /// The answer is longer than one may be whose length is not announced.
    #[error(
        "the server announces no length, and its answer is longer than {}: download the file by other means and name it or its folder",
        size_text(*.0)
    )]
    Endless(u64),
    #[error("the answer breaks off after {got} of {of} bytes")]
    CutShort {
        /// Bytes received.
        got: u64,
        /// Bytes announced.
        of: u64,
    },
    #[error("the server takes too long")]
    Timeout,
    /// It lets its bytes drip.
    #[error("the server is too slow: less than {bytes} bytes in {seconds} s")]
    TooSlow {
        /// Bytes expected at least.
        bytes: u64,
        /// Time that they had.
        seconds: u64,
    },
    #[error("cancelled")]
    Cancelled,
    /// The crate was built without the feature `fetch`.
    #[error("this build of pdblens cannot fetch (it was built without the feature `fetch`)")]
    Unsupported,
    #[error("{0}")]
    Failed(String),
}
