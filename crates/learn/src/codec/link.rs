//! Links as they are read: the kinds of blobs are names of codecs.

use super::{Codec, parse_hex};
use crate::link::Link;

impl Link {
    /// Parses a fragment or a whole address; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (_, fragment) = text.trim().split_once('#').filter(|_| !text.trim().contains('\n'))?;
        let members: Vec<(&str, String)> = fragment
            .split('&')
            .filter_map(|member| member.split_once('='))
            .map(|(name, value)| (name, decoded(value)))
            .collect();
        let of = |wanted: &str| members.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str());
        let step = of("step").and_then(|step| step.parse().ok()).filter(|step| *step > 0);
        if let Some(place) = of("at") {
            return Some(Self::At { place: place.to_owned(), step, sample: of("file") == Some("sample") });
        }
        if let Some(lesson) = of("lesson") {
            let (key, page) = lesson.split_once('/').unwrap_or((lesson, "1"));
            return Some(Self::Lesson { key: key.to_owned(), page: page.parse().unwrap_or(1).max(1) });
        }
        members.iter().find_map(|(name, hex)| {
            let (codec, bytes) = (Codec::named(name)?, parse_hex(hex).ok()?);
            Some(Self::Bytes { kind: codec.name, bytes, step: step.unwrap_or(1) })
        })
    }
}

fn decoded(text: &str) -> String {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| byte == b'%').and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(escaped) => {
                out.push(escaped);
                rest = &after[2..];
            }
            None => {
                out.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_they_are_written() {
        for text in [
            "#at=method/0x06000003/points/2&step=3&file=sample",
            "#at=method/0x06000003",
            "#at=Set%601%3CT%3E.Read%20%26%20%C3%BC",
            "#points=02-00-00-01-13&step=2",
            "#lesson=8/4",
        ] {
            assert_eq!(Link::parse(text).unwrap().to_string(), text);
            assert_eq!(Link::parse(&Link::parse(text).unwrap().address()), Link::parse(text));
        }
        let named = Link::parse("https://example.org/page/#theme=light&points=02 00&x").unwrap();
        assert_eq!(named, Link::Bytes { kind: "points", bytes: vec![2, 0], step: 1 });
        for other in ["a trace\n#at=1", "#blob 0x1", "#points=0", "#other=02", "Clock.Since", "#step=3"] {
            assert_eq!(Link::parse(other), None, "{other}");
        }
        assert_eq!(Link::parse("#at=%2&step=0"), Some(Link::At { place: "%2".to_owned(), step: None, sample: false }));
    }
}
