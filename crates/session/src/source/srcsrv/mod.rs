//! Evaluation of a `srcsrv` stream for one source file: the target, and the command that retrieves it.
//!
//! Values are text with `%names%` in it and three functions: `%fnvar%(x)` is the variable that `x` names, `%fnbksl%(x)` is
//! `x` with backslashes for slashes, `%fnfile%(x)` its file name. Values refer to values, so the text of a hostile file may
//! be circular or grow without end: depth, size and work are limited, and each problem is reported.
//!
//! A command is only shown: nothing in pdblens runs it.

mod expand;

use std::collections::HashMap;

use expand::Run;
pub use expand::{Expansion, ExpansionKind};
use pdblens_formats::reason::Reason;
use pdblens_formats::srcsrv::{Assignment, SrcSrv};

const MAX_DEPTH: usize = 32;
const MAX_TEXT: usize = 64 << 10;
const MAX_STEPS: usize = 4096;
/// Version of the language from which on a target may be a URL or a share.
const VERSION_WITH_URLS: u32 = 2;
const NEWEST_VERSION: u32 = 2;

#[derive(Debug)]
pub struct Evaluator<'a> {
    srcsrv: &'a SrcSrv,
    /// By lower-case name; the last of several is used.
    variables: HashMap<String, Assignment>,
    /// Index of the line by lower-case path; the first of several is used.
    files: HashMap<String, usize>,
    /// Value of `%targ%`: the folder that sources are put in. `None` leaves it as it is.
    pub root: Option<String>,
}

/// Retrieval of one source file by a debugger.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "retrieval"))]
pub struct Retrieval {
    /// Path of the file in the PDB.
    #[serde(skip)]
    pub path: String,
    /// Means of retrieval.
    #[serde(rename = "retrieval")]
    pub method: RetrievalMethod,
    /// Value of `SRCSRVTRG`: a URL, or the path that the file has or that the command writes it to.
    pub target: String,
    /// Value of `SRCSRVCMD`: never run, only shown.
    pub command: String,
    /// Value of `SRCSRVENV`: the environment of the command, `name=value` each.
    pub environment: Vec<String>,
    /// Value of `SRCSRVVERCTRL`, or of the ini section's `VERCTRL`: the source control system.
    pub version_control: String,
    /// Variables that could not be evaluated.
    #[serde(serialize_with = "reasons")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<pdblens_formats::reason::Reason>"))]
    pub problems: Vec<Problem>,
}

/// Means by which a debugger retrieves a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "retrieval_method"))]
pub enum RetrievalMethod {
    /// Download from the target.
    Url,
    /// File at the target, or a copy made there.
    #[serde(rename = "file-copy")]
    Copy,
    /// Command that writes the file to the target.
    Command,
    /// No target, or no command that makes it.
    Unavailable,
}

impl RetrievalMethod {
    /// Name on the screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Url => "URL",
            Self::Copy => "file copy",
            Self::Command => "command",
            Self::Unavailable => "unavailable",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("no variable {0}")]
    Unknown(String),
    #[error("variable {0} refers to itself")]
    Circular(String),
    #[error("references nested more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("value exceeds {MAX_TEXT} bytes")]
    TooLong,
    #[error("value needs more than {MAX_STEPS} lookups")]
    TooMuch,
    #[error("function {0} has no argument")]
    NoArgument(String),
    /// URL or share in a stream of the first version of the language, whose debuggers download nothing.
    #[error("VERSION=1 has no URLs and shares: a debugger runs SRCSRVCMD or gets nothing; VERSION=2 gets the target")]
    NoUrls,
    /// Version of the language that no debugger reads.
    #[error("VERSION={0} is newer than the language that debuggers read, which is {NEWEST_VERSION}: they get nothing")]
    TooNew(u32),
}

impl Problem {
    /// The sentence with its code.
    pub fn reason(&self) -> Reason {
        let code = match self {
            Self::Unknown(_) => "unknown",
            Self::Circular(_) => "circular",
            Self::TooDeep => "too-deep",
            Self::TooLong => "too-large",
            Self::TooMuch => "limit",
            Self::NoArgument(_) => "no-argument",
            Self::NoUrls => "no-urls",
            Self::TooNew(_) => "too-new",
        };
        Reason::new(code, self.to_string())
    }
}

fn reasons<S: serde::Serializer>(problems: &[Problem], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(problems.iter().map(Problem::reason))
}

impl<'a> Evaluator<'a> {
    pub fn new(srcsrv: &'a SrcSrv) -> Self {
        let key = |assignment: &Assignment| srcsrv.text(assignment.name).trim().to_lowercase();
        let variables = srcsrv.variables.iter().map(|assignment| (key(assignment), *assignment)).collect();
        let mut files = HashMap::new();
        for (index, file) in srcsrv.files.iter().enumerate() {
            let path = srcsrv.parts(file).next().unwrap_or_default().to_lowercase();
            files.entry(path).or_insert(index);
        }
        Self { srcsrv, variables, files, root: None }
    }

    /// Evaluates the stream for the file that the PDB calls `path`, if the stream has it.
    pub fn find(&self, path: &str) -> Option<Retrieval> {
        self.files.get(&path.to_lowercase()).and_then(|index| self.file(*index))
    }

    pub fn file(&self, index: usize) -> Option<Retrieval> {
        let parts: Vec<String> = self.srcsrv.parts(self.srcsrv.files.get(index)?).map(Into::into).collect();
        let mut problems = Vec::new();
        let mut value = |name: &str| {
            let mut run = Run::new(self, &parts, &mut problems);
            if self.variables.contains_key(name) {
                run.variable(name);
            }
            run.out
        };
        let (target, command) = (value("srcsrvtrg"), value("srcsrvcmd"));
        let (environment, mut version_control) = (value("srcsrvenv"), value("srcsrvverctrl"));
        if version_control.is_empty() {
            version_control = self.ini("verctrl").unwrap_or_default();
        }
        Some(Retrieval {
            method: self.method(&target, &command, &mut problems),
            path: parts.first().cloned().unwrap_or_default(),
            environment: environment.split('\u{8}').filter(|one| !one.is_empty()).map(str::to_owned).collect(),
            target,
            command,
            version_control,
            problems,
        })
    }

    /// Means of retrieval in the version of the language that the stream is written in; a stream without one is of the newest.
    fn method(&self, target: &str, command: &str, problems: &mut Vec<Problem>) -> RetrievalMethod {
        let version = self.ini("version").and_then(|version| version.parse().ok()).unwrap_or(NEWEST_VERSION);
        if version > NEWEST_VERSION {
            problems.push(Problem::TooNew(version));
            return RetrievalMethod::Unavailable;
        }
        let found = method(target, command);
        let is_share = target.trim().starts_with("\\\\") && command.trim().is_empty();
        if version >= VERSION_WITH_URLS || found != RetrievalMethod::Url && !is_share {
            return found;
        }
        problems.push(Problem::NoUrls);
        match command.trim() {
            "" => RetrievalMethod::Unavailable,
            command if copies(command) => RetrievalMethod::Copy,
            _ => RetrievalMethod::Command,
        }
    }

    /// A value of the ini section, by its name in lower case.
    pub fn ini(&self, name: &str) -> Option<String> {
        let named = |assignment: &&Assignment| self.srcsrv.text(assignment.name).trim().to_lowercase() == name;
        self.srcsrv.ini.iter().rfind(named).map(|assignment| self.srcsrv.text(assignment.value).trim().to_owned())
    }
}

fn method(target: &str, command: &str) -> RetrievalMethod {
    let target = target.trim().to_lowercase();
    match command.trim() {
        _ if target.starts_with("http://") || target.starts_with("https://") => RetrievalMethod::Url,
        _ if target.is_empty() => RetrievalMethod::Unavailable,
        "" => RetrievalMethod::Copy,
        command if copies(command) => RetrievalMethod::Copy,
        _ => RetrievalMethod::Command,
    }
}

/// Returns whether a command only copies a file.
fn copies(command: &str) -> bool {
    const SHELLS: [&str; 3] = ["cmd", "cmd.exe", "%comspec%"];
    const COPIES: [&str; 6] = ["copy", "xcopy", "xcopy.exe", "robocopy", "robocopy.exe", "cp"];
    // Whatever joins commands may do anything.
    if command.contains(['&', '|', '<', '>', '\n', '\r', '`', ';', '^']) {
        return false;
    }
    let mut words = command.split_whitespace().map(|word| word.trim_matches('"').to_lowercase());
    let mut word = words.next().unwrap_or_default();
    let name = |word: &str| word.rsplit(['\\', '/']).next().unwrap_or_default().to_owned();
    if SHELLS.contains(&name(&word).as_str()) {
        word = words.find(|word| !word.starts_with('/')).unwrap_or_default();
    }
    COPIES.contains(&name(&word).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{Region, SpaceId};
    use std::sync::Arc;

    fn parse(text: &str) -> SrcSrv {
        SrcSrv::parse(Region::whole(SpaceId(0), Arc::new(text.as_bytes().to_vec())))
    }

    /// Evaluates a stream with these variables for its one file.
    fn evaluate(variables: &str, file: &str) -> Retrieval {
        let text = format!("SRCSRV: ini\nSRCSRV: variables\n{variables}\nSRCSRV: source files\n{file}\nSRCSRV: end");
        Evaluator::new(&parse(&text)).file(0).unwrap()
    }

    fn target(value: &str) -> (String, Vec<Problem>) {
        let retrieval = evaluate(&format!("SRCSRVTRG={value}"), "c:\\A\\b.c*two*x/y/z.c");
        (retrieval.target, retrieval.problems)
    }

    #[test]
    fn the_sample_comes_to_this() {
        let srcsrv = parse(include_str!("../../../../../assets/sources/native/srcsrv.txt"));
        let mut evaluator = Evaluator::new(&srcsrv);
        let found = evaluator.find("/SRC/native/Tally.c").unwrap();
        assert_eq!(found.target, r"\\symbols.example\sources\tally\1.2.3.4\native\tally.c");
        let command = r#"fetch.exe --from https://git.example/a --rev 1.2.3.4 --to "%targ%\tally\tally.c""#;
        assert_eq!((found.command.as_str(), found.method), (command, RetrievalMethod::Command));
        assert_eq!((found.version_control.as_str(), &found.problems[..]), ("http", &[][..]));
        evaluator.root = Some(r"d:\src".into());
        assert!(
            evaluator.find(r"C:\elsewhere\missing.c").unwrap().command.ends_with(r#"--to "d:\src\tally\missing.c""#)
        );
        assert_eq!(evaluator.find("nowhere.c"), None);
    }

    #[test]
    fn the_worked_example_of_the_specification() {
        let variables = r"SDTRG=%targ%\%var2%\%fnbksl%(%var3%)\%var4%\%fnfile%(%var1%)
            MAIN=depot.example:2003
            SDCMD=sd.exe -p %fnvar%(%var2%) print -o %srcsrvtrg% -q %depot%/%var3%#%var4%
            DEPOT=//depot
            SRCSRVTRG=%sdtrg%
            SRCSRVCMD=%sdcmd%"
            .replace("            ", "");
        let found = evaluate(&variables, r"c:\proj\src\file.cpp*MAIN*root/sub/file.cpp*11");
        assert_eq!(found.target, r"%targ%\MAIN\root\sub\file.cpp\11\file.cpp");
        let command = r"sd.exe -p depot.example:2003 print -o %targ%\MAIN\root\sub\file.cpp\11\file.cpp -q //depot/root/sub/file.cpp#11";
        assert_eq!((found.command.as_str(), found.problems), (command, vec![]));
    }

    #[test]
    fn versions_differ_in_what_a_debugger_does_with_a_target() {
        for (version, target, command, expected, problems) in [
            ("VERSION=2", "https://x/y.c", "", RetrievalMethod::Url, vec![]),
            ("VERSION=1", "https://x/y.c", "", RetrievalMethod::Unavailable, vec![Problem::NoUrls]),
            ("version=1", "https://x/y.c", "tf.exe view x", RetrievalMethod::Command, vec![Problem::NoUrls]),
            ("VERSION=1", r"c:\y.c", "tf.exe view x", RetrievalMethod::Command, vec![]),
            ("VERSION=1", r"\\server\y.c", "", RetrievalMethod::Unavailable, vec![Problem::NoUrls]),
            ("VERSION=2", r"\\server\y.c", "", RetrievalMethod::Copy, vec![]),
            ("VERSION=3", r"c:\y.c", "tf.exe view x", RetrievalMethod::Unavailable, vec![Problem::TooNew(3)]),
            ("", "https://x/y.c", "", RetrievalMethod::Url, vec![]),
        ] {
            let text = format!(
                "SRCSRV: ini\n{version}\nSRCSRV: variables\nSRCSRVTRG={target}\nSRCSRVCMD={command}\n\
                 SRCSRV: source files\nf\nSRCSRV: end"
            );
            let found = Evaluator::new(&parse(&text)).file(0).unwrap();
            assert_eq!((found.method, found.problems), (expected, problems), "{version} {target} {command}");
        }
    }

    #[test]
    fn names_nest_and_have_no_case() {
        assert_eq!(target("%FnFile%(%fnBksl%(%VAR3%))").0, "z.c");
        assert_eq!(target("%fnbksl%(a/(b)/c)d").0, "a\\(b)\\cd");
        assert_eq!(target("100%").0, "100%");
        assert_eq!(target("http://x/%20%var2%"), ("http://x/%20two".into(), vec![Problem::Unknown("20".into())]));
        assert_eq!(target("%fnvar%x"), ("%fnvar%x".into(), vec![Problem::NoArgument("fnvar".into())]));
        assert_eq!(target("%fnvar%(nope)"), (String::new(), vec![Problem::Unknown("nope".into())]));
    }

    #[test]
    fn circles_depth_and_growth_have_an_end() {
        assert_eq!(evaluate("SRCSRVTRG=a%x%\nX=b%srcsrvtrg%", "f").target, "ab");
        assert_eq!(evaluate("SRCSRVTRG=%fnvar%(srcsrvtrg)", "f").problems, [Problem::Circular("srcsrvtrg".into())]);
        let chain = |piece: &str, count: usize| {
            let lines: Vec<_> =
                (1..count).map(|n| format!("v{n}={}", piece.replace('#', &(n - 1).to_string()))).collect();
            format!("{}\nSRCSRVTRG=%v{}%", lines.join("\n"), count - 1)
        };
        let deep = evaluate(&chain("%v#%", 100), "f");
        assert_eq!(deep.problems, [Problem::TooDeep]);
        let doubling = evaluate(&format!("v0={}\n{}", "0123456789".repeat(10), chain("%v#%%v#%", 31)), "f");
        assert!(doubling.target.len() <= MAX_TEXT && doubling.problems.contains(&Problem::TooLong));
        // Twice nothing is nothing, and still two to the thirtieth look-ups.
        let idle = evaluate(&format!("v0=\n{}", chain("%v#%%v#%", 31)), "f");
        assert_eq!((idle.target.as_str(), &idle.problems[..]), ("", &[Problem::TooMuch][..]));
        let nested = format!("SRCSRVTRG={}x{}", "%fnfile%(".repeat(5000), ")".repeat(5000));
        assert_eq!(evaluate(&nested, "f").problems, [Problem::TooDeep]);
        let many = format!("SRCSRVTRG={}", "%".repeat(300_000));
        assert!(evaluate(&many, "f").target.len() <= MAX_TEXT);
    }

    #[test]
    fn what_a_command_does_is_told_from_what_it_says() {
        for (target, command, expected) in [
            ("HTTPS://x/y.c", "", RetrievalMethod::Url),
            ("http://x/y.c", "cmd /c whatever", RetrievalMethod::Url),
            (r"\\server\y.c", "", RetrievalMethod::Copy),
            (r"c:\y.c", r#"cmd.exe /c copy "\\server\y.c" "c:\y.c""#, RetrievalMethod::Copy),
            (r"c:\y.c", "cmd /c copy a b & calc", RetrievalMethod::Command),
            (r"c:\y.c", "tf.exe view x", RetrievalMethod::Command),
            ("", "tf.exe view x", RetrievalMethod::Unavailable),
        ] {
            let found = evaluate(&format!("SRCSRVTRG={target}\nSRCSRVCMD={command}\nSRCSRVENV=a=1\u{8}b=2"), "f");
            assert_eq!((found.method, found.environment.len()), (expected, 2), "{command}");
        }
    }
}
