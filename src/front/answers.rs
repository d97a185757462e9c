//! Answers: plain data, which serialises with the feature `serde`.

use pdblens_formats::reason::Reason;

/// Agreement of an image and a PDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Verdict {
    /// Both have the same id: they are of one build.
    Matched,
    /// The ids differ: lines may be those of another build.
    Mismatched,
    /// One of the two has no id to compare.
    Unknown,
    /// No PDB is open.
    NoPdb,
    /// No image is open.
    NoImage,
}

/// A source file, as the PDB names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Document {
    /// Path, as the compiler wrote it.
    pub path: String,
    /// Language: `C#`, `Visual Basic`, `F#`.
    pub language: Option<&'static str>,
    /// Algorithm of `hash`: `SHA-256`.
    pub hash_algorithm: Option<&'static str>,
    /// Hash of the text in hexadecimal digits; empty if the PDB has none.
    pub hash: String,
    /// URL of the text by Source Link or `srcsrv`, without a password in it.
    pub url: Option<String>,
    /// True if the PDB contains the text.
    pub is_embedded: bool,
}

/// A method of the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Method {
    /// Metadata token: `0x06000003`.
    pub token: u32,
    /// Type, name and parameters: `Ticker.Clock.Since(long)`.
    pub name: String,
}

/// A sequence point: code from an offset on, and the source that it was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Line {
    /// Offset of the first instruction: of IL in a method, of machine code in a function.
    pub offset: u32,
    /// Path of the source file, shared by the lines of a method.
    pub document: std::sync::Arc<str>,
    /// First line, from 1; 0 for a hidden point, which has no source.
    pub line: u32,
    /// Column of the first character, from 1; 0 if it is not known.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
}

/// Location of an offset or an address in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Location {
    /// Name of the method or function.
    pub function: String,
    /// Path of the source file; empty without a line.
    pub document: String,
    /// Line, from 1; 0 if the symbols have no line of the code.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
    /// Reason why the location may be wrong: symbols of another build, folded functions.
    pub doubt: Option<Reason>,
}

/// Breakpoint on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Breakpoint {
    /// Line that it binds to: the requested one, or the next one with code; 0 if no code follows.
    pub line: u32,
    /// Code that it binds to: one location a method.
    pub hits: Vec<Hit>,
}

/// Code at which a breakpoint stops.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Hit {
    /// Metadata token of the method, or relative virtual address of the native function.
    pub function: Code,
    /// Name of the method or function.
    pub name: String,
    /// Offset of the first instruction.
    pub offset: u32,
    /// Offset after the last instruction.
    pub end: u32,
}

/// A method of IL, or a function of native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Code {
    /// Metadata token of a method.
    Token(u32),
    /// Relative virtual address of a native function.
    Rva(u32),
}

/// Subject that a text refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Address {
    /// An offset in a method or a function: `Clock.Since+0xF`.
    Offset(Code, u32),
    /// A line of a source file: `Clock.cs:13`.
    Line {
        /// Path of the source file.
        document: String,
        /// Line, from 1.
        line: u32,
    },
    /// Anything else with a place: `table/Document/1`, as `pdblens list` prints it.
    Place(String),
}

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Grade {
    /// Wrong: a debugger or a pipeline fails on it.
    Finding,
    /// Worth knowing.
    Note,
}

/// Result of a rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// Severity.
    pub grade: Grade,
    /// The rule, by the id that `pdblens check --rules` lists, and the sentence.
    pub reason: Reason,
    /// Place of the record at fault, as `pdblens show` takes it.
    pub place: Option<String>,
}

/// A stack trace with its lines.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Trace {
    /// The text, with file and line in the frames that were resolved.
    pub text: String,
    /// Frames in the order of the text.
    pub frames: Vec<Frame>,
}

/// A frame of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Frame {
    /// Line of the text, from 1.
    pub text_line: u64,
    /// Location; none for a frame that has its line in the text already, or that cannot be resolved.
    pub location: Option<Location>,
    /// Evidence for the build: `id`, `stamp`, `code`, `name-and-row`, `name`, `none`.
    pub proof: Option<&'static str>,
    /// Reason why the frame has no line.
    pub refusal: Option<Reason>,
}

/// Format of a symbol file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PdbFormat {
    /// Portable PDB.
    Portable,
    /// Windows PDB of managed code.
    Windows,
    /// Windows PDB of native code.
    Native,
    /// Windows PDB of both (C++/CLI).
    Mixed,
    /// Mono's `.mdb`.
    Mdb,
    /// A format of which only the header is read: MSF 2.00, damaged MSFZ.
    HeaderOnly,
}

/// Key of a file in a symbol store; as text the path of the file there, `App.pdb/3222a828…ffffffff/App.pdb`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StoreKey {
    /// Name of the file.
    pub name: String,
    /// Id: GUID and age of symbols, stamp and size of an image.
    pub id: String,
}

impl std::fmt::Display for StoreKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{0}/{1}/{0}", self.name, self.id)
    }
}

/// A function of native code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Function {
    /// Relative virtual address.
    pub rva: u32,
    /// Size of the code in bytes.
    pub size: u32,
    /// Name, without decoration.
    pub name: String,
}

/// A variable or constant in scope.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LocalVariable {
    /// Its name.
    pub name: String,
    /// Its type; empty without an image.
    pub type_name: String,
    /// Storage of its value.
    pub storage: Storage,
    /// True if the compiler made it: debuggers hide it.
    pub is_hidden: bool,
}

/// Storage of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Storage {
    /// Slot among the local variables of the method.
    Slot(u16),
    /// Argument, by its index with `this`.
    Argument(u16),
    /// Field of a state machine or closure, by its token.
    Field(u32),
    /// Value of a constant.
    Constant(String),
    /// Register, or memory relative to one; empty if the symbols do not record it.
    Machine(String),
}

/// Text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DocumentText {
    /// The text.
    pub text: String,
    /// File that it was read from; none for a text in the PDB.
    pub file: Option<std::path::PathBuf>,
    /// Result of comparing it with the hash of the document.
    pub verdict: SourceVerdict,
}

/// Result of comparing a text with the hash of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SourceVerdict {
    /// The text is the one that was compiled, as it is or with its line ends converted.
    Verified,
    /// It is another text.
    Differs,
    /// The document has no hash, or one that cannot be compared.
    CannotTell,
}

/// Answer to "why does the debugger not stop there?".
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Diagnosis {
    /// Behaviour of a debugger.
    pub binding: Binding,
    /// The first cause that applies, as `pdblens break --why` names it.
    pub reason: Reason,
    /// Remedy, in the imperative.
    pub fix: String,
}

/// Behaviour of a debugger with a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Binding {
    /// It stops on the line.
    Binds,
    /// It moves to this line, and stops there.
    Moves(u32),
    /// It stops only with a setting of the debugger, such as Just My Code turned off.
    WithSetting,
    /// It stays hollow: the debugger does not stop.
    Hollow,
}

/// A rule of [`Symbols::check`](crate::Symbols::check).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rule {
    /// Code of its findings.
    pub id: &'static str,
    /// The sentence that holds for a healthy pair.
    pub about: &'static str,
}
