//! The list of subcommands, in the order of the help.

use clap::Subcommand;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::manual::Examples;
use super::{
    r#break, check, complete, course, decode, diff, documents, dump, encode, explain, extract, find, generate, info,
    learn, lines, list, live, methods, points, quality, show, sources, srcsrv, store, trace, used_by, r#where,
};

/// Name of the subcommand of a variant, as clap makes it: `used-by` of `UsedBy`.
fn command_name(variant: &str) -> String {
    let mut name = String::new();
    for c in variant.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
    name
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident($args:ty),)*) => {
        #[derive(Debug, Subcommand)]
        pub(super) enum Command {
            $($(#[$doc])* $name($args),)*
        }

        impl Run for Command {
            const EXAMPLES: &'static [Example] = &[
                example("Open the screens on a DLL; its PDB is found", "pdblens App.dll"),
                example("Open a DLL and a PDB that is elsewhere", "pdblens App.dll old/App.pdb"),
                example("Open the screens at an IL offset", "pdblens App.dll --at method/Clock.Since/il/0xf"),
            ];

            fn access(&self) -> Access {
                match self {
                    $(Self::$name(args) => args.access(),)*
                }
            }

            fn run(self, out: &mut Out) -> Result<Exit, Error> {
                match self {
                    $(Self::$name(args) => args.run(out),)*
                }
            }
        }

        /// Examples by the name of the subcommand (`where`, `store add`), in the order of the help; first those of the program without
        /// one.
        pub fn examples() -> Examples {
            let mut all = vec![(String::new(), Command::EXAMPLES)];
            $(
                let name = command_name(stringify!($name));
                all.push((name.clone(), <$args as Run>::EXAMPLES));
                let own = |example: &Example| example.line.split(' ').nth(2).unwrap_or_default();
                let nested = <$args as Run>::NESTED.chunk_by(|a, b| own(a) == own(b));
                all.extend(nested.map(|examples| (format!("{name} {}", own(&examples[0])), examples)));
            )*
            // A hidden command has none.
            all.retain(|(_, examples)| !examples.is_empty());
            all
        }
    };
}

commands! {
    /// Show what the files are and whether they match.
    Info(info::Info),
    /// List the items at a place, such as the parts of a method; without a place, list all places.
    ///
    /// Without a place, and for `overview` and `findings`, the whole check runs first, because these lists contain the number of findings.
    List(list::List),
    /// Explain the record at a place, field by field with its bytes.
    Show(show::Show),
    /// List everything that refers to a method, field, type, string, document or row: calls, reads, writes, signatures, columns.
    UsedBy(used_by::UsedBy),
    /// Find the source line of an IL offset, with its scopes, locals and exception clauses.
    Where(r#where::Where),
    /// Find the code that a breakpoint on a source line binds to.
    Break(r#break::Break),
    /// Add file and line numbers to a stack trace (reads standard input).
    Trace(trace::Trace),
    /// Show the threads, modules and methods of a .NET process that runs, or of a core, without stopping it.
    Live(live::Live),
    /// Print everything as one JSON document or as text, or the bytes of a place.
    Dump(dump::Dump),
    /// List every sequence point of all methods, one row each, for a database.
    Points(points::Points),
    /// List every line of native code, one row each, for a database.
    Lines(lines::Lines),
    /// List every method with its code size, points and lines, one row each, for a database.
    Methods(methods::Methods),
    /// List every source file with its hash and URL, one row each, for a database.
    Documents(documents::Documents),
    /// Locate each source file and verify it against the hash in the PDB.
    Sources(sources::SourcesCommand),
    /// Write the embedded PDB, embedded sources or streams to files.
    Extract(extract::Extract),
    /// Check that the files match, that sources can be found, and that the symbols are well-formed.
    Check(check::Check),
    /// Count how much of the code has points and names, and which points precompiled code keeps.
    Quality(quality::QualityCommand),
    /// Search the symbol path for the symbols of an image, and list each location and key that was tried.
    Find(find::Find),
    /// Copy files into a symbol store, get symbols for images, or list a store.
    Store(store::Store),
    /// Compare two builds by method, document, compiler option and reference.
    Diff(diff::DiffCommand),
    /// Show where the srcsrv stream of a PDB leads a debugger for each source file, or add such a stream to a copy.
    Srcsrv(srcsrv::SrcSrvCommand),
    /// Decode hexadecimal bytes: sequence points, compressed integers, names, constants, imports, signatures and more.
    Decode(decode::Decode),
    /// Encode a value as the bytes that a symbol file would contain.
    Encode(encode::Encode),
    /// Explain a term of the file formats, with an example from your files.
    Explain(explain::Explain),
    /// Take a lesson on the formats, with examples and questions from your own files.
    Learn(learn::Learn),
    /// Build a reader of symbol files in nineteen exercises, and find the first read at which it goes wrong.
    Course(course::CourseCommand),
    /// Generate shell completions, man pages, a page for coding agents, or a corpus for readers of symbol files.
    Gen(generate::Generate),
    /// Print words that complete a command line; called by the scripts of `gen completions`.
    #[command(hide = true)]
    Complete(complete::Complete),
}
