//! Proof of a resolved frame: evidence that it is of the build whose symbols gave the line.

use std::fmt;

/// Mark behind the line of a frame whose build is not proved.
pub const UNPROVED: &str = "~";

/// Evidence that a frame is of a build, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "proof"))]
pub enum Proof {
    /// Nothing: a row or an address would have been found in any build.
    #[default]
    None,
    /// The symbols have a method or function of the name in the frame.
    Name,
    /// The row of the token in the frame has the name in the frame.
    NameAndRow,
    /// The statement at the offset calls the method of the frame above.
    Chain,
    /// The image has the name and the time stamp in the trace: 32 bits, which two builds may share.
    Stamp,
    /// The trace has an id of the build: MVID, or GUID and age of the symbols.
    Id,
}

impl Proof {
    /// Name in JSON and in options.
    pub const fn word(self) -> &'static str {
        self.words().0
    }

    /// Name in JSON, and the words of a sentence.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("none", "none"),
            Self::Name => ("name", "name of the method"),
            Self::NameAndRow => ("name-and-row", "name and token"),
            Self::Chain => ("chain", "call of the frame above"),
            Self::Stamp => ("stamp", "time stamp of the image"),
            Self::Id => ("id", "id of the build"),
        }
    }

    /// Returns true if the trace identifies the build. All else may be the same in another build, which has other lines.
    pub const fn is_of_build(self) -> bool {
        matches!(self, Self::Id)
    }
}

/// `proof: name and token`
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "proof: {}", self.words().1)
    }
}
