//! Samples of a profiler, counted at the methods, points and lines of the open files.
//!
//! The innermost frame of a stack has the sample: it is there *itself*. Of each other frame, the address is that after a call, so that the call before
//! it counts: the sample is in what the statement calls, and counts in its *total*, once for a stack.

mod locate;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

use pdblens_formats::metadata::Token;
use pdblens_formats::native_map::NativeMap;
use pdblens_formats::points_around::PointList;
use pdblens_formats::profile::Profile;
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{CodeUnit, NamedMethod};
use pdblens_nodes::method::points_and_scopes;
use pdblens_nodes::{Place, SequencePoint, document};
use pdblens_session::session::Session;
use serde::Serialize;

use self::locate::{CodeMap, IlAt, Locator, MethodAt};
use crate::statement::{Statement, Statements};

/// Code of the reason that a file cannot be read.
pub const UNREADABLE: &str = "unreadable";

/// A profile with the map of its addresses.
pub struct Recording {
    profile: Profile,
    map: CodeMap,
}

/// Numbers of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Count {
    /// Samples in the code itself.
    pub samples: u64,
    /// Samples in the code or in what it calls.
    pub total: u64,
}

/// Reason why a sample is at no point of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "sampled_elsewhere"))]
#[serde(rename_all = "kebab-case")]
pub enum Elsewhere {
    /// Native code: of the runtime, of a library, or of the kernel.
    Native,
    /// A method of another module.
    OtherModules,
    /// Another process than that of the map.
    OtherProcesses,
    /// A method of the files of which the profile has the name alone.
    WithoutIl,
    /// A method of the files that has no point there.
    WithoutPoints,
    /// A name that several methods have.
    Ambiguous,
    /// An address or a name that no map has.
    NotKnown,
}

/// Samples of a profile, counted for the files of a session. All lists are the hottest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "samples"))]
pub struct Samples {
    /// All samples of the profile: those of the points, and those elsewhere.
    pub samples: u64,
    /// Lines of the profile that are neither a sample nor a frame, and samples of a trace whose stacks are too many to keep.
    pub unread: u64,
    /// Samples at no point of the files, by the reason.
    pub elsewhere: Vec<SampledElsewhere>,
    /// Points.
    pub points: Vec<SampledPoint>,
    /// Methods.
    pub methods: Vec<SampledMethod>,
    /// Lines of documents, which several points may share.
    pub lines: Vec<SampledLine>,
}

/// Samples at no point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "samples_elsewhere"))]
pub struct SampledElsewhere {
    /// Reason.
    pub why: Elsewhere,
    /// Number.
    pub samples: u64,
}

/// Samples of a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "sampled_point"))]
pub struct SampledPoint {
    #[serde(flatten)]
    pub count: Count,
    /// Method.
    pub method: NamedMethod,
    /// Address of the point.
    pub place: Place,
    /// IL offset.
    pub il: u32,
    /// Document; null for a hidden point.
    pub document: Option<String>,
    /// Line; null for a hidden point.
    pub line: Option<u32>,
    /// Line of C# for its code, reconstructed from IL, and whether it is proved; absent for a hidden point, and without an image.
    #[serde(flatten)]
    pub statement: Option<Statement>,
}

/// Samples of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "sampled_method"))]
pub struct SampledMethod {
    #[serde(flatten)]
    pub count: Count,
    #[serde(flatten)]
    pub method: NamedMethod,
}

/// Samples of the points that begin on a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "sampled_line"))]
pub struct SampledLine {
    #[serde(flatten)]
    pub count: Count,
    /// Document.
    pub document: String,
    /// Line.
    pub line: u32,
    /// Number of the document.
    #[serde(skip)]
    pub row: u32,
}

impl Elsewhere {
    /// Words behind a number of samples.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Native => "in native code",
            Self::OtherModules => "in other modules",
            Self::OtherProcesses => "in other processes",
            Self::WithoutIl => "in methods of which only the name is known",
            Self::WithoutPoints => "in code without points",
            Self::Ambiguous => "with a name that several methods have",
            Self::NotKnown => "at what no map has",
        }
    }
}

impl Recording {
    /// Reads a profile, and the map of its addresses: a process (`live:PID`), a core, an event trace, or a map for perf. An event trace has its own.
    ///
    /// # Errors
    ///
    /// Reason why one of the files cannot be read, or is neither.
    pub fn open(profile: &Path, map: Option<&Path>) -> Result<Self, Reason> {
        let bytes = locate::whole(profile)?;
        let named = map.map(CodeMap::open).transpose()?;
        if let Some(mut trace) = NativeMap::read(&bytes) {
            let profile = std::mem::take(&mut trace.samples);
            if profile.stacks.is_empty() {
                let text =
                    "the trace has no samples: Microsoft-DotNETCore-SampleProfiler is the provider that records them";
                return Err(Reason::new("no-samples", text));
            }
            return Ok(Self { profile, map: named.unwrap_or(CodeMap::Recorded(trace)) });
        }
        let profile = Profile::read(&bytes).ok_or_else(|| {
            let text = "no profile: the text of perf script, collapsed stacks (a;b;c 123) and event traces of .NET (.nettrace) are read";
            Reason::new("no-samples", text)
        })?;
        Ok(Self { profile, map: named.unwrap_or(CodeMap::None) })
    }

    /// Counts the samples at the code of a session.
    ///
    /// # Errors
    ///
    /// Reason why the map is not of these files.
    pub fn samples(&self, session: &Session) -> Result<Samples, Reason> {
        let mut counter = Counter {
            locator: Locator::new(session, &self.map)?,
            session,
            points: HashMap::new(),
            spots: HashMap::new(),
            found: HashMap::new(),
            elsewhere: BTreeMap::new(),
        };
        for stack in &self.profile.stacks {
            counter.count(&self.profile, &stack.frames, stack.count);
        }
        Ok(Samples { samples: self.profile.total(), unread: self.profile.unread, ..counter.samples() })
    }
}

/// Code that a frame is at.
#[derive(Clone, Copy, Debug)]
struct Spot {
    method: Token,
    /// Index and what is known of the point.
    point: Option<(usize, SequencePoint)>,
    /// Reason why there is no point.
    why: Elsewhere,
}

/// Code that samples are counted of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Counted {
    Point(Token, usize),
    Method(Token),
    Line(u32, u32),
}

struct Counter<'s> {
    locator: Locator<'s>,
    session: &'s Session,
    points: HashMap<Token, PointList>,
    /// By number of the frame, and whether its address is that after a call.
    spots: HashMap<(u32, bool), Result<Spot, Elsewhere>>,
    found: HashMap<Counted, Count>,
    elsewhere: BTreeMap<Elsewhere, u64>,
}

impl Counter<'_> {
    fn count(&mut self, profile: &Profile, stack: &[u32], count: u64) {
        let mut seen = HashSet::new();
        for (index, frame) in stack.iter().enumerate() {
            let spot = self.spot(profile, (*frame, index > 0));
            if index == 0
                && let Some(why) = spot.map_or_else(Some, |spot| spot.point.is_none().then_some(spot.why))
            {
                *self.elsewhere.entry(why).or_default() += count;
            }
            let Ok(spot) = spot else { continue };
            let line = spot.point.filter(|(_, point)| !point.is_hidden());
            let counted = [
                Some(Counted::Method(spot.method)),
                spot.point.map(|(index, _)| Counted::Point(spot.method, index)),
                line.map(|(_, point)| Counted::Line(point.document, point.start_line)),
            ];
            for counted in counted.into_iter().flatten() {
                let numbers = self.found.entry(counted).or_default();
                numbers.samples += if index == 0 { count } else { 0 };
                numbers.total += if seen.insert(counted) { count } else { 0 };
            }
        }
    }

    fn spot(&mut self, profile: &Profile, of: (u32, bool)) -> Result<Spot, Elsewhere> {
        if let Some(known) = self.spots.get(&of) {
            return *known;
        }
        let frame = profile.frames.get(of.0 as usize).ok_or(Elsewhere::NotKnown);
        let spot = frame.and_then(|frame| self.locator.locate(frame, of.1)).map(|at| self.spot_of(at));
        self.spots.insert(of, spot);
        spot
    }

    fn spot_of(&mut self, (method, il): MethodAt) -> Spot {
        let il = match il {
            IlAt::Offset(il) => il,
            IlAt::None => return Spot { method, point: None, why: Elsewhere::WithoutPoints },
            IlAt::NotKnown => return Spot { method, point: None, why: Elsewhere::WithoutIl },
        };
        let points = self.points.entry(method).or_insert_with(|| points_and_scopes(self.session, method).points);
        let point = points.covering(il).and_then(|index| Some((index, *points.get(index)?)));
        Spot { method, point, why: Elsewhere::WithoutPoints }
    }

    fn samples(self) -> Samples {
        let session = self.session;
        let mut found: Vec<(Counted, Count)> = self.found.into_iter().collect();
        found.sort_by_key(|(counted, count)| (std::cmp::Reverse(*count), *counted));
        let mut samples = Samples::default();
        for (counted, count) in found {
            match counted {
                Counted::Method(method) => {
                    samples.methods.push(SampledMethod { count, method: NamedMethod::of(session, method) });
                }
                Counted::Line(row, line) => {
                    let document = document::name(session, row).unwrap_or_default();
                    samples.lines.push(SampledLine { count, document, line, row });
                }
                Counted::Point(method, index) => {
                    let point = self.points.get(&method).and_then(|points| points.get(index));
                    let Some(point) = point else { continue };
                    let visible = Some(point).filter(|point| !point.is_hidden());
                    samples.points.push(SampledPoint {
                        count,
                        method: NamedMethod::of(session, method),
                        place: CodeUnit::Method(method).point(u32::try_from(index + 1).unwrap_or(u32::MAX)),
                        il: point.offset,
                        document: visible.and_then(|point| document::name(session, point.document)),
                        line: visible.map(|point| point.start_line),
                        statement: None,
                    });
                }
            }
        }
        samples.elsewhere =
            self.elsewhere.into_iter().map(|(why, samples)| SampledElsewhere { why, samples }).collect();
        samples.elsewhere.sort_by_key(|of| std::cmp::Reverse(of.samples));
        samples
    }
}

impl Samples {
    /// Adds the statement of each point.
    pub fn add_statements(&mut self, session: &Session) {
        let Some(statements) = Statements::new(session) else { return };
        for point in &mut self.points {
            point.statement = statements.at(CodeUnit::Method(point.method.token), point.il);
        }
    }

    /// Sentence about all samples: those at points, and the others by the reason.
    pub fn sentence(&self) -> String {
        let at_points: u64 = self.points.iter().map(|point| point.count.samples).sum();
        let elsewhere = self.elsewhere.iter().map(|of| format!(" · {} {}", of.samples, of.why.words()));
        let unread =
            if self.unread > 0 { format!(" · {} lines or samples left out", self.unread) } else { String::new() };
        format!("{at_points} of {} samples are at points{}{unread}", self.samples, elsewhere.collect::<String>())
    }

    /// Lines of a document that have samples.
    pub fn of_document(&self, row: u32) -> impl Iterator<Item = &SampledLine> {
        self.lines.iter().filter(move |line| line.row == row)
    }
}

#[derive(Debug, Default)]
struct Attached(OnceLock<Result<Samples, Reason>>);

/// Gives a session the samples of a profile, or the reason why it has none there.
pub fn attach(session: &Session, profile: &Path, map: Option<&Path>) {
    let samples = || Recording::open(profile, map)?.samples(session);
    session.cache().get::<Attached>().0.get_or_init(samples);
}

/// Samples of a session, or the reason why the attached profile has none of it.
pub fn attached(session: &Session) -> Option<&Result<Samples, Reason>> {
    session.cache().get::<Attached>().0.get()
}

/// Samples of a session to which a profile was attached.
pub fn of(session: &Session) -> Option<&Samples> {
    attached(session)?.as_ref().ok()
}
