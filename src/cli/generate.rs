use std::io::Write;

use clap_mangen::roff::{Roff, bold, roman};

use super::command::Run;
use super::output::Out;
use super::{Error, Exit, command};

/// `pdblens gen completions SHELL`, `pdblens gen man`
#[derive(Debug, clap::Args)]
pub struct Generate {
    #[command(subcommand)]
    what: What,
    /// Keys of the screens, which the caller supplies.
    #[arg(skip)]
    keys: Keys,
}

/// Keys of the screens, with their actions.
pub type Keys = Vec<(Vec<String>, &'static str)>;

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print completions for a shell, to be sourced or installed.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the man page.
    Man,
}

impl Generate {
    /// Adds the keys of the screens.
    pub(super) fn with(self, keys: Keys) -> Self {
        Self { keys, ..self }
    }
}

impl Run for Generate {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let mut text = Vec::new();
        match self.what {
            What::Completions { shell } => clap_complete::generate(shell, &mut command(), "pdblens", &mut text),
            What::Man => {
                clap_mangen::Man::new(command()).render(&mut text)?;
                keys(&self.keys).to_writer(&mut text)?;
                for subcommand in command().get_subcommands().filter(|found| !found.is_hide_set()) {
                    let name = format!("pdblens-{}", subcommand.get_name());
                    clap_mangen::Man::new(subcommand.clone().display_name(name)).render(&mut text)?;
                }
            }
        }
        out.write_all(&text)?;
        Ok(Exit::Done)
    }
}

/// The section of the man page on the keys of the screens.
fn keys(keys: &Keys) -> Roff {
    let mut page = Roff::default();
    page.control("SH", ["KEYS OF THE SCREENS"]);
    for (keys, help) in keys {
        page.control("TP", []);
        let mut line = Vec::new();
        for key in keys {
            if !line.is_empty() {
                line.push(roman(", "));
            }
            line.push(bold(key.as_str()));
        }
        page.text(line);
        page.text([roman(*help)]);
    }
    page
}
