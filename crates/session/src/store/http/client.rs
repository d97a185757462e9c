//! The client: requests by `ureq`, redirects by our own rules.

use pdblens_formats::reason::Reason;
use std::io::Read;
use std::time::Instant;

use ureq::http::{Response, StatusCode, Uri};
use ureq::{Agent, Body};

use super::tokens::Tokens;
use super::{Answer, HttpError, Limits, Progress};
use crate::text::paths::without_passwords;

/// Asks for a URL, with the value of `Authorization`.
type Request<'r> = &'r dyn Fn(&Uri, Option<&str>) -> Result<Response<Body>, ureq::Error>;

/// A connection to the servers that the user named.
#[derive(Clone, Debug)]
pub struct Http {
    agent: Agent,
    limits: Limits,
    tokens: Result<Tokens, Reason>,
}

impl Default for Http {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Http {
    pub fn new(limits: Limits) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Redirects are followed here, one by one, each by the rules.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("pdblens/", env!("CARGO_PKG_VERSION")))
            // With a limit on all, or on the look-up of a name, the client starts a thread for each look-up. It panics if none can start.
            .timeout_connect(Some(limits.connect))
            .timeout_recv_response(Some(limits.stall))
            .timeout_per_read(Some(limits.stall))
            .build();
        Self { agent: config.new_agent(), limits, tokens: Tokens::from_environment() }
    }

    pub fn get(&self, url: &str, headers: &[(&str, &str)], progress: Progress<'_>) -> Result<Answer, HttpError> {
        let request = |uri: &Uri, authorization: Option<&str>| {
            let headers = headers.iter().copied().chain(authorization.map(|value| ("Authorization", value)));
            headers.fold(self.agent.get(uri.clone()), |request, (name, value)| request.header(name, value)).call()
        };
        let (response, redirected_to) = self.response(url, &request)?;
        Ok(Answer { bytes: self.body(response, progress)?, redirected_to })
    }

    /// Asks for the headers of what is at `url`: whether it can be fetched.
    pub fn head(&self, url: &str) -> Result<(), HttpError> {
        let request = |uri: &Uri, authorization: Option<&str>| {
            let request = self.agent.head(uri.clone());
            authorization.into_iter().fold(request, |request, value| request.header("Authorization", value)).call()
        };
        self.response(url, &request).map(|_| ())
    }

    /// The answer to a request, after redirects, and the server that it is from, where that is another one.
    fn response(&self, url: &str, request: Request<'_>) -> Result<(Response<Body>, Option<String>), HttpError> {
        let named = checked(url)?;
        let tokens = self.tokens.as_ref().map_err(|why| HttpError::Refused(why.text.clone()))?;
        let mut uri = named.clone();
        for _ in 0..=self.limits.redirects {
            let response = request(&uri, tokens.authorization(&named, &uri)).map_err(|error| failed(&error))?;
            match response.status() {
                StatusCode::OK => return Ok((response, other_server(&named, &uri))),
                StatusCode::NOT_FOUND | StatusCode::GONE => return Err(HttpError::NotFound),
                StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT => uri = redirect(&uri, &response, self.limits.other_hosts)?,
                status => return Err(HttpError::Status(status.as_u16())),
            }
        }
        Err(HttpError::Refused(format!("more than {} redirects", self.limits.redirects)))
    }

    fn body(&self, response: Response<Body>, progress: Progress<'_>) -> Result<Vec<u8>, HttpError> {
        let started = Instant::now();
        let of = response.headers().get("content-length").and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        // No more than the announced length is read; an answer of unknown length may never end.
        let most = of.unwrap_or_else(|| self.limits.most_unannounced.min(self.limits.most));
        if most > self.limits.most {
            return Err(HttpError::TooLarge(self.limits.most));
        }
        let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        let (mut bytes, mut part) = (Vec::new(), vec![0; 1 << 16]);
        // Start of the stretch over which the rate is counted, and the bytes that were there.
        let mut stretch = (started, 0);
        loop {
            let got = bytes.len() as u64;
            if progress(got, of).is_break() {
                return Err(HttpError::Cancelled);
            }
            // A server that lets its bytes drip is not stalled, and has no right to for ever.
            if stretch.0.elapsed() > self.limits.stall {
                let least = (self.limits.stall.as_secs_f64() * self.limits.slowest as f64) as u64;
                if got - stretch.1 < least {
                    return Err(HttpError::TooSlow { bytes: least, seconds: self.limits.stall.as_secs() });
                }
                stretch = (Instant::now(), got);
            }
            if started.elapsed() > self.limits.total {
                return Err(HttpError::Timeout);
            }
            let read = match reader.read(&mut part) {
                Ok(read) => read,
                Err(error) => return Err(broken(&error, got, of)),
            };
            if read == 0 {
                return match of {
                    Some(of) if got < of => Err(HttpError::CutShort { got, of }),
                    _ => Ok(bytes),
                };
            }
            bytes.extend_from_slice(part.get(..read).unwrap_or_default());
            if bytes.len() as u64 > most {
                return Err(if of.is_some() { HttpError::TooLarge(most) } else { HttpError::Endless(most) });
            }
        }
    }
}

/// The host that a URL names, where it is one that may be asked for.
pub fn host(url: &str) -> Option<String> {
    checked(url).ok()?.host().map(str::to_owned)
}

/// A URL that may be asked for.
fn checked(url: &str) -> Result<Uri, HttpError> {
    let shown = || without_passwords(url);
    let uri: Uri = url.parse().map_err(|_| HttpError::Refused(format!("{:?} is not a URL", shown())))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(uri),
        _ => Err(HttpError::Refused(format!("{:?} is not an http or https URL", shown()))),
    }
}

/// The server of `to` with its port, where it is another one than that of `from`.
fn other_server(from: &Uri, to: &Uri) -> Option<String> {
    let server = |uri: &Uri| Some((uri.host()?.to_owned(), uri.port_u16()));
    let (host, port) = server(to)?;
    if server(from).as_ref() == Some(&(host.clone(), port)) {
        return None;
    }
    Some(port.map_or(host.clone(), |port| format!("{host}:{port}")))
}

/// Returns the target of a redirect: on the same host, or on another one by https where `other_hosts` allows it.
fn redirect(from: &Uri, response: &Response<Body>, other_hosts: bool) -> Result<Uri, HttpError> {
    let location = response.headers().get("location").and_then(|location| location.to_str().ok());
    let location = location.ok_or_else(|| HttpError::Refused("a redirect that leads nowhere".to_owned()))?;
    let scheme = from.scheme_str().unwrap_or("https");
    let authority = from.authority().map_or("", |authority| authority.as_str());
    let to = if location.contains("://") {
        checked(location)
    } else if location.starts_with("//") {
        checked(&format!("{scheme}:{location}"))
    } else if location.starts_with('/') {
        checked(&format!("{scheme}://{authority}{location}"))
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        checked(&format!("{scheme}://{authority}{folder}/{location}"))
    }?;
    if scheme == "https" && to.scheme_str() != Some("https") {
        return Err(HttpError::Refused("a redirect from https to http".to_owned()));
    }
    if to.host() != from.host() {
        let host = to.host().unwrap_or_default();
        if !other_hosts {
            return Err(HttpError::Refused(format!("it redirects to {host}, which was not named")));
        }
        if to.scheme_str() != Some("https") {
            return Err(HttpError::Refused(format!("it redirects to {host} without https, and {host} was not named")));
        }
    }
    Ok(to)
}

fn failed(error: &ureq::Error) -> HttpError {
    match error {
        ureq::Error::Timeout(_) => HttpError::Timeout,
        ureq::Error::Io(error) if is_timeout(error) => HttpError::Timeout,
        ureq::Error::Io(error) => HttpError::Failed(error.to_string()),
        other => HttpError::Failed(other.to_string()),
    }
}

fn broken(error: &std::io::Error, got: u64, of: Option<u64>) -> HttpError {
    match (error.kind(), of) {
        _ if is_timeout(error) => HttpError::Timeout,
        (std::io::ErrorKind::UnexpectedEof, Some(of)) => HttpError::CutShort { got, of },
        _ => HttpError::Failed(error.to_string()),
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    matches!(error.kind(), std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock)
        || matches!(inner, Some(ureq::Error::Timeout(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_are_asked_for() {
        for url in ["http://a/b", "https://a.example:8080/b?c=d"] {
            assert!(checked(url).is_ok(), "{url}");
        }
        for url in ["file:///etc/passwd", "ftp://a/b", "/a", "a", "", "https://", "http:///x", "https://a b/"] {
            assert!(matches!(checked(url), Err(HttpError::Refused(_))), "{url}");
        }
    }

    #[test]
    fn a_redirect_is_read_against_where_it_comes_from() {
        let to = |from: &str, location: &str| {
            let response = Response::builder().header("location", location).body(Body::builder().data("")).unwrap();
            redirect(&from.parse().unwrap(), &response, true).map(|uri| uri.to_string())
        };
        assert_eq!(to("http://a/b/c", "/d").unwrap(), "http://a/d");
        assert_eq!(to("http://a/b/c", "d").unwrap(), "http://a/b/d");
        assert_eq!(to("https://a/b", "//e/f").unwrap(), "https://e/f");
        assert_eq!(to("http://a/b", "https://e/f").unwrap(), "https://e/f");
        assert_eq!(to("http://a:1/b", "http://a:2/b").unwrap(), "http://a:2/b");
        assert!(to("https://a/b", "http://a/b").is_err());
        let error = to("http://a/b", "http://e/f").unwrap_err().to_string();
        assert_eq!(error, "it redirects to e without https, and e was not named");
        assert!(to("http://a/b", "file:///etc/passwd").is_err());
    }
}
