//! Verdict of a debugger on a breakpoint at a line or a point: three parts, the worst of which is its sign.

use super::{Cause, DebuggerAttribute};
use crate::certainty::Certainty;
use pdblens_nodes::binding::{CodeKind, RefusalCause};

/// Sign of a verdict, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "verdict_sign"))]
pub enum Sign {
    /// `●`
    Stops,
    /// `◐`: it stops on another line.
    Moves,
    /// `◌`: it stops only with a setting of the debugger.
    Setting,
    /// `○`
    Never,
}

impl Sign {
    /// All signs, from best to worst.
    pub const ALL: [Self; 4] = [Self::Stops, Self::Moves, Self::Setting, Self::Never];

    pub const fn text(self) -> &'static str {
        match self {
            Self::Stops => "●",
            Self::Moves => "◐",
            Self::Setting => "◌",
            Self::Never => "○",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePart {
    Here,
    /// The next line with code.
    Moves(u32),
    Nothing,
    SeveralDocuments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModulePart {
    Fits,
    /// Just My Code skips an assembly that is optimised.
    Optimized,
    /// `DebuggerHidden` keeps every debugger out; others only one with Just My Code.
    Attribute(DebuggerAttribute),
    /// The cause says how that is known.
    OtherBuild(Cause),
    SourceDiffers,
}

/// Acceptance of the IL offset in machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachinePart {
    /// Native code, or no code at all: there is no IL offset.
    NoOffset,
    /// Every body with a map has an entry.
    Accepted { bodies: u32 },
    /// Some bodies with a map have an entry.
    InSome { accepted: u32, bodies: u32 },
    /// No body with a map has an entry.
    Refused { bodies: u32 },
    /// No body has a map; by the rule for IL, code of this kind has an entry.
    AcceptedIn(CodeKind),
    /// No body has a map; by the rule for IL, the code that the runtime makes has none.
    Never(RefusalCause),
    /// Nothing at hand decides it; this would.
    NotKnown(&'static str),
}

/// Name of the rule that derives the acceptance of an offset from IL.
pub const IL_RULE: &str = "il-binding";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub line: LinePart,
    pub module: ModulePart,
    pub machine: MachinePart,
}

/// A verdict as JSON has it.
#[derive(Clone, Copy, Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "verdict"))]
pub struct VerdictFields {
    /// The worst of the three parts: `stops`, `moves`, `setting` (it stops only with a setting of the debugger), `never`.
    pub sign: Sign,
    /// `here`, `moves`, `nothing`, `several-documents`.
    pub line: &'static str,
    /// `fits`, `optimized`, `attribute`, `other-build`, `source-differs`.
    pub module: &'static str,
    /// By maps `accepted`, `accepted-in-some` (of several bodies) and `refused`; by the rule for IL `accepted-debug-build`,
    /// `accepted-at-tier-0` and `never`; else `not-known`. `no-offset` in native code.
    pub machine: &'static str,
    /// Cause of `never`: `stack-after-result`, `stack-not-empty`, `makes-nothing`, `merged-return`, `unreachable`, `no-instruction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// Certainty of the verdict.
    pub certainty: Certainty,
}

impl Verdict {
    /// The verdict as JSON has it.
    pub fn fields(self) -> VerdictFields {
        VerdictFields {
            sign: self.sign(),
            line: match self.line {
                LinePart::Here => "here",
                LinePart::Moves(_) => "moves",
                LinePart::Nothing => "nothing",
                LinePart::SeveralDocuments => "several-documents",
            },
            module: match self.module {
                ModulePart::Fits => "fits",
                ModulePart::Optimized => "optimized",
                ModulePart::Attribute(_) => "attribute",
                ModulePart::OtherBuild(_) => "other-build",
                ModulePart::SourceDiffers => "source-differs",
            },
            machine: self.machine.name(),
            cause: match self.machine {
                MachinePart::Never(cause) => Some(cause.name()),
                _ => None,
            },
            certainty: self.certainty(),
        }
    }

    /// The verdict where no code is meant.
    pub const fn none(line: LinePart, module: ModulePart) -> Self {
        Self { line, module, machine: MachinePart::NoOffset }
    }

    pub fn sign(self) -> Sign {
        self.line.sign().max(self.module.sign()).max(self.machine.sign())
    }

    /// Sign beside a line of source; a line without code has none.
    pub fn sign_of_line(self) -> Option<Sign> {
        if self.line == LinePart::Here { Some(self.sign()) } else { None }
    }

    /// Certainty that the sign is right: one part that never stops decides alone, else the machine code has the last word.
    pub fn certainty(self) -> Certainty {
        match (self.line, self.module) {
            (LinePart::SeveralDocuments, _) => Certainty::Open,
            (_, ModulePart::OtherBuild(Cause::Evidence)) => Certainty::Derived(Cause::Evidence.name()),
            _ if self.line.sign().max(self.module.sign()) == Sign::Never => Certainty::Known,
            _ => self.machine.certainty(),
        }
    }

    /// `stops`, `moves to line 10`, `never stops: another build`
    pub fn words(self) -> String {
        let reason = match (self.line, self.module) {
            (LinePart::SeveralDocuments, _) => "several documents",
            (_, ModulePart::OtherBuild(_)) => "another build",
            (_, ModulePart::SourceDiffers) => "another text",
            (LinePart::Nothing, _) => "no code",
            (_, ModulePart::Attribute(DebuggerAttribute::Hidden)) => "an attribute",
            _ if matches!(self.machine, MachinePart::Never(_)) => "no machine code begins there",
            _ => "refused",
        };
        let text = match self.sign() {
            Sign::Stops => "stops".to_owned(),
            Sign::Moves => String::new(),
            Sign::Setting => "stops only without Just My Code".to_owned(),
            Sign::Never => return format!("never stops: {reason}"),
        };
        match self.line {
            LinePart::Moves(line) if text.is_empty() => format!("moves to line {line}"),
            LinePart::Moves(line) => format!("{text}, on line {line}"),
            _ => text,
        }
    }
}

impl LinePart {
    const fn sign(self) -> Sign {
        match self {
            Self::Here => Sign::Stops,
            Self::Moves(_) => Sign::Moves,
            Self::Nothing | Self::SeveralDocuments => Sign::Never,
        }
    }
}

impl ModulePart {
    const fn sign(self) -> Sign {
        match self {
            Self::Fits => Sign::Stops,
            Self::Attribute(DebuggerAttribute::Hidden) | Self::OtherBuild(_) | Self::SourceDiffers => Sign::Never,
            Self::Optimized | Self::Attribute(_) => Sign::Setting,
        }
    }
}

impl MachinePart {
    const fn sign(self) -> Sign {
        if self.is_refused() { Sign::Never } else { Sign::Stops }
    }

    /// Returns true if a debugger refuses a breakpoint there.
    pub(crate) const fn is_refused(self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Never(_))
    }

    /// Name in JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::NoOffset => "no-offset",
            Self::Accepted { .. } => "accepted",
            Self::InSome { .. } => "accepted-in-some",
            Self::Refused { .. } => "refused",
            Self::AcceptedIn(CodeKind::Debuggable) => "accepted-debug-build",
            Self::AcceptedIn(_) => "accepted-at-tier-0",
            Self::Never(_) => "never",
            Self::NotKnown(_) => "not-known",
        }
    }

    /// `accepted at tier 0`; empty for native code.
    pub fn words(self) -> String {
        match self {
            Self::NoOffset => String::new(),
            Self::Accepted { bodies: 1 } => "accepted by the map".to_owned(),
            Self::Accepted { bodies } => format!("accepted by the maps of {bodies} bodies"),
            Self::InSome { accepted, bodies } => format!("accepted by the maps of {accepted} of {bodies} bodies"),
            Self::Refused { bodies: 1 } => "refused by the map".to_owned(),
            Self::Refused { bodies } => format!("refused by the maps of {bodies} bodies"),
            Self::AcceptedIn(CodeKind::Debuggable) => "accepted (debug build)".to_owned(),
            Self::AcceptedIn(_) => "accepted at tier 0".to_owned(),
            Self::Never(cause) => format!("never: {}", cause.words()),
            Self::NotKnown(what) => format!("machine code not known: it takes {what}"),
        }
    }

    const fn certainty(self) -> Certainty {
        match self {
            Self::NotKnown(what) => Certainty::NotKnown(what),
            Self::AcceptedIn(_) | Self::Never(_) => Certainty::Derived(IL_RULE),
            _ => Certainty::Known,
        }
    }
}
