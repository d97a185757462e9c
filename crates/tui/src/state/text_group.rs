//! Groups of documents by the state of their texts.

use std::collections::BTreeMap;

use crate::engine::jobs::CancelToken;
use crate::state::paths::Paths;
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_session::session::Session;
use pdblens_session::source::{HashVerdict, Origin, Source, Sources, Unknown};
use pdblens_session::symbols::SymbolReader;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextGroup {
    WrongHash,
    NotFound,
    NotFetched,
    Unverified,
    Embedded,
    Verified,
}

impl TextGroup {
    pub(crate) const ALL: [Self; 6] =
        [Self::WrongHash, Self::NotFound, Self::NotFetched, Self::Unverified, Self::Embedded, Self::Verified];

    pub(crate) fn of(source: &Source) -> Self {
        match source.verdict {
            HashVerdict::Differs => Self::WrongHash,
            HashVerdict::CannotTell(Unknown::NoText) if source.fetchable().is_some() => Self::NotFetched,
            HashVerdict::CannotTell(Unknown::NoText) => Self::NotFound,
            HashVerdict::CannotTell(_) => Self::Unverified,
            HashVerdict::Verified(_) if source.from == Origin::Embedded => Self::Embedded,
            HashVerdict::Verified(_) => Self::Verified,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::WrongHash => "wrong hash",
            Self::NotFound => "not found",
            Self::NotFetched => "not fetched",
            Self::Unverified => "not verifiable",
            Self::Embedded => "embedded",
            Self::Verified => "verified",
        }
    }

    pub(crate) const fn is_at_hand(self) -> bool {
        matches!(self, Self::Unverified | Self::Embedded | Self::Verified)
    }

    pub(crate) const fn tone(self) -> Tone {
        match self {
            Self::WrongHash => Tone::Bad,
            Self::NotFound | Self::NotFetched | Self::Unverified => Tone::Warn,
            Self::Embedded | Self::Verified => Tone::Ok,
        }
    }

    /// The action of Enter on the heading; empty where there is none.
    pub(crate) const fn action(self) -> &'static str {
        match self {
            Self::WrongHash => "(Enter: fetch, or source folder)",
            Self::NotFound => "(Enter: set source folder)",
            Self::NotFetched => "(Enter: fetch all)",
            Self::Embedded => "(Enter: write to a folder)",
            Self::Unverified | Self::Verified => "",
        }
    }

    pub(crate) fn heading(self, documents: usize) -> Row {
        Row::plain(vec![Cell::toned(format!("{} {documents}", self.name()), self.tone()).beside(self.action())])
    }
}

/// The number of documents in each group; `None` if the job was cancelled.
pub(crate) fn counts_of_texts(
    session: &Session,
    paths: &Paths,
    token: &CancelToken,
) -> Option<BTreeMap<TextGroup, usize>> {
    let sources = Sources::of(session, &paths.sources);
    let mut counts = BTreeMap::new();
    for row in 1..=session.symbols().map_or(0, SymbolReader::documents) {
        if token.is_cancelled() {
            return None;
        }
        *counts.entry(sources.get(row).map_or(TextGroup::NotFound, |source| TextGroup::of(&source))).or_default() += 1;
    }
    Some(counts)
}
