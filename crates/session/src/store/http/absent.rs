//! The client of a build that cannot fetch.

use super::{Answer, HttpError, Limits, Progress};

/// Stand-in for a connection in builds without the feature `fetch`.
#[derive(Clone, Debug, Default)]
pub struct Http {}

impl Http {
    /// Takes no notice of `limits`: there is nothing to limit.
    pub const fn new(_limits: Limits) -> Self {
        Self {}
    }

    /// Fails: see [`HttpError::Unsupported`].
    pub const fn get(
        &self,
        _url: &str,
        _headers: &[(&str, &str)],
        _progress: Progress<'_>,
    ) -> Result<Answer, HttpError> {
        Err(HttpError::Unsupported)
    }

    /// Fails: see [`HttpError::Unsupported`].
    pub const fn head(&self, _url: &str) -> Result<(), HttpError> {
        Err(HttpError::Unsupported)
    }
}

/// The host that a URL names, where it is one that may be asked for.
pub fn host(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let name = authority.rsplit('@').next()?.split(':').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}
