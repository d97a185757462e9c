use std::io::{self, Write};
use std::path::PathBuf;

use super::command::{Access, Error, Example, Exit, Out, Run, example};
use super::complete::scripts;
use super::manual::{Manual, program_page, skill, subcommand_page};
use super::{command, course};
use crate::store::new_file::{self, Existing};

/// `pdblens gen completions SHELL`, `pdblens gen man`, `pdblens gen skill`, `pdblens gen corpus DIR`
#[derive(Debug, clap::Args)]
pub struct Generate {
    #[command(subcommand)]
    what: What,
    /// Supplied by the caller, who knows all subcommands and the screens.
    #[arg(skip)]
    pub(super) manual: Manual,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print a completion script for a shell.
    Completions {
        /// Shell to complete commands in.
        shell: Shell,
    },
    /// Print the man pages.
    Man(ManPages),
    /// Print a page for coding agents that says when to use which command, with examples.
    Skill,
    /// Write inputs for readers of symbol files, each with its right answer and all reads as JSON: a conformance suite.
    Corpus {
        /// Folder of the corpus, which is created if necessary. Files in it are replaced.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Files of your own, whose records are inputs too.
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
struct ManPages {
    /// Print the page of this command only, such as `where` or `store-add`.
    command: Option<String>,
    /// Write one page per command to a folder, as pdblens.1, pdblens-where.1 and so on.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
    /// Replace pages in the folder whose contents differ.
    #[arg(long, requires = "output")]
    force: bool,
}

/// Shells with completions.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
#[allow(missing_docs)]
enum Shell {
    Bash,
    Fish,
    Nushell,
    Powershell,
    Zsh,
}

impl Run for Generate {
    const EXAMPLES: &'static [Example] = &[
        example("Install completions", "pdblens gen completions bash > pdblens.bash"),
        example("Write a man page for each command", "pdblens gen man --output man"),
    ];
    const NESTED: &'static [Example] = &[
        example("Install completions", "pdblens gen completions bash > pdblens.bash"),
        example("Print the script for another shell", "pdblens gen completions nushell > pdblens.nu"),
        example("Replace the man pages in a folder", "pdblens gen man --output man --force"),
        example("Print the page of one command", "pdblens gen man store-add > pdblens-store-add.1"),
        example("Write the corpus, with records of your own files", "pdblens gen corpus corpus App.dll"),
        example("Save the page for coding agents", "pdblens gen skill > SKILL.md"),
    ];

    fn access(&self) -> Access {
        match &self.what {
            What::Man(pages) => pages.output.as_deref().map_or_else(Access::default, Access::folder),
            What::Corpus { folder, .. } => Access::folder(folder),
            What::Completions { .. } | What::Skill => Access::default(),
        }
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let mut text = Vec::new();
        match self.what {
            What::Completions { shell } => completions(shell, &mut text),
            What::Man(pages) => match &pages.output {
                Some(folder) => {
                    new_file::create_folder(folder)?;
                    let path = |name: &str| folder.join(format!("{name}.1"));
                    let existing = Existing::of_force(pages.force);
                    each_page(&self.manual, |name, page| new_file::write(&path(name), existing, page))?;
                }
                None => print_pages(pages.command.as_deref(), &self.manual, &mut text)?,
            },
            What::Corpus { folder, files } => return course::write_corpus(out, &folder, &files),
            What::Skill => text.extend(skill(&command(), &self.manual.examples).into_bytes()),
        }
        out.write_all(&text)?;
        Ok(Exit::Done)
    }
}

/// Prints the script of a shell: what the commands and options are, and whom to ask for words of the files.
fn completions(shell: Shell, out: &mut Vec<u8>) {
    use clap_complete::Shell as Known;

    let mut program = command();
    let mut known = |shell: Known| clap_complete::generate(shell, &mut program, "pdblens", out);
    match shell {
        Shell::Bash => known(Known::Bash),
        Shell::Fish => known(Known::Fish),
        Shell::Powershell => known(Known::PowerShell),
        Shell::Zsh => clap_complete::generate(Known::Zsh, &mut without_files(&program), "pdblens", out),
        Shell::Nushell => clap_complete::generate(clap_complete_nushell::Nushell, &mut program, "pdblens", out),
    }
    let text = String::from_utf8_lossy(out).into_owned();
    *out = match shell {
        Shell::Bash => text + scripts::BASH,
        Shell::Fish => text + scripts::FISH,
        Shell::Powershell => {
            after(&text, "param($wordToComplete, $commandAst, $cursorPosition)\n", scripts::POWERSHELL)
        }
        // After the first of arguments with two colons zsh completes no options.
        Shell::Zsh => text.replace("\n'*::", "\n'*:") + scripts::ZSH,
        Shell::Nushell => {
            let asked = ["...files: path", "...words: string", "kind?: string", "--at: string"];
            let rules = ["--deny: string", "--warn: string", "--allow: string"];
            let named = asked.iter().chain(&rules).fold(text, |text, word| {
                text.replace(&format!("{word} "), &format!("{word}@\"nu-complete pdblens named\" "))
            });
            after(&named, "module completions {\n", scripts::NUSHELL)
        }
    }
    .into_bytes();
}

/// The program without its files, which zsh would take for the word before the subcommand.
fn without_files(program: &clap::Command) -> clap::Command {
    let about = program.get_about().cloned().unwrap_or_default();
    clap::Command::new("pdblens")
        .about(about)
        .version(env!("CARGO_PKG_VERSION"))
        .args(program.get_arguments().filter(|argument| !argument.is_positional()).cloned())
        .subcommands(program.get_subcommands().cloned())
}

/// A text with a part added behind a line that it has once.
fn after(text: &str, line: &str, part: &str) -> String {
    text.replacen(line, &format!("{line}{part}"), 1)
}

/// Prints the page of one command, or all of them in the order of the help.
fn print_pages(of: Option<&str>, manual: &Manual, text: &mut Vec<u8>) -> Result<(), Error> {
    match of {
        None => each_page(manual, |_, page| {
            text.extend(page);
            Ok(())
        }),
        Some(name) => {
            let name = if name == "pdblens" { name.to_owned() } else { format!("pdblens-{}", name.replace(' ', "-")) };
            each_page(manual, |page_name, page| {
                if page_name == name {
                    text.extend(page);
                }
                Ok(())
            })?;
            if text.is_empty() { Err(Error::Usage(format!("there is no command {name}"))) } else { Ok(()) }
        }
    }
}

fn each_page(manual: &Manual, mut take: impl FnMut(&str, &[u8]) -> io::Result<()>) -> Result<(), Error> {
    let program = command();
    let mut page = Vec::new();
    program_page(&program, manual, &mut page)?;
    take("pdblens", &page)?;
    for subcommand in program.get_subcommands().filter(|found| !found.is_hide_set()) {
        let name = subcommand.get_name();
        let nested = subcommand.get_subcommands().map(|found| (format!("{name} {}", found.get_name()), found));
        for (name, subcommand) in std::iter::once((name.to_owned(), subcommand)).chain(nested) {
            page.clear();
            subcommand_page(&name, subcommand, manual, &mut page)?;
            take(&format!("pdblens-{}", name.replace(' ', "-")), &page)?;
        }
    }
    Ok(())
}
