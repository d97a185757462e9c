//! Tokens for servers that want to know who asks, from the environment.

use pdblens_formats::reason::Reason;
use std::fmt;

use ureq::http::Uri;

/// Variable of the environment: `HOST=TOKEN`, several separated by `;`.
const VARIABLE: &str = "PDBLENS_TOKEN";

/// Tokens, each for one server. They are not printed.
#[derive(Clone, Default)]
pub(super) struct Tokens(Vec<(String, String)>);

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(server, _)| server)).finish()
    }
}

impl Tokens {
    /// Reads the tokens of the environment. The error names the part that cannot be read.
    pub(super) fn from_environment() -> Result<Self, Reason> {
        std::env::var(VARIABLE).map_or_else(|_| Ok(Self::default()), |text| Self::parse(&text))
    }

    pub(super) fn parse(text: &str) -> Result<Self, Reason> {
        let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
        let tokens = parts.map(|part| {
            let (server, token) = part.split_once('=')?;
            let is_server = !server.is_empty() && !server.contains(['/', ' ', '@']);
            let is_token = !token.is_empty() && token.bytes().all(|byte| matches!(byte, b' '..=b'~'));
            // A token alone is a bearer's; `Basic …` and its like are sent as they are.
            let value = if token.contains(' ') { token.to_owned() } else { format!("Bearer {token}") };
            (is_server && is_token).then(|| (server.to_ascii_lowercase(), value))
        });
        let all: Option<Vec<_>> = tokens.collect();
        all.map(Self).ok_or_else(|| Reason::new("not-a-token", format!("{VARIABLE} is not HOST=TOKEN")))
    }

    /// Value of `Authorization` for a request to `uri` that began with `named`: only by https, and only to the server that was named.
    pub(super) fn authorization(&self, named: &Uri, uri: &Uri) -> Option<&str> {
        let own = server(uri).filter(|own| uri.scheme_str() == Some("https") && server(named).as_ref() == Some(own))?;
        self.0.iter().find(|(server, _)| *server == own).map(|(_, value)| value.as_str())
    }
}

/// Host of a URL, with the port unless it is that of https.
fn server(uri: &Uri) -> Option<String> {
    let host = uri.host()?.to_ascii_lowercase();
    Some(match uri.port_u16() {
        None | Some(443) => host,
        Some(port) => format!("{host}:{port}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_to_its_server_alone_and_by_https_alone() {
        let tokens = Tokens::parse("Git.example=s3cret; sym.example:8443=Basic OnBhdA==").unwrap();
        for (named, uri, value) in [
            ("https://git.example/a", "https://git.example/a", Some("Bearer s3cret")),
            ("https://git.example/a", "https://GIT.example:443/b", Some("Bearer s3cret")),
            ("https://sym.example:8443/", "https://sym.example:8443/x", Some("Basic OnBhdA==")),
            ("http://git.example/a", "http://git.example/a", None),
            ("http://git.example/a", "https://git.example/a", Some("Bearer s3cret")),
            ("https://git.example/a", "https://other.example/a", None),
            ("https://other.example/a", "https://git.example/a", None),
            ("https://git.example:8443/a", "https://git.example:8443/a", None),
            ("https://git.example.evil/a", "https://git.example.evil/a", None),
            ("https://sym.example/", "https://sym.example/", None),
        ] {
            assert_eq!(tokens.authorization(&named.parse().unwrap(), &uri.parse().unwrap()), value, "{named} {uri}");
        }
        assert_eq!(format!("{tokens:?}"), r#"["git.example", "sym.example:8443"]"#);
        for text in ["s3cret", "=s3cret", "git.example=", "https://git.example=s3cret", "git.example=a\nb"] {
            let error = Tokens::parse(text).unwrap_err();
            assert_eq!(error.text, "PDBLENS_TOKEN is not HOST=TOKEN");
        }
    }
}
