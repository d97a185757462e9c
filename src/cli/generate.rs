use std::io::Write;

use super::output::Out;
use super::{Error, Exit, Run, command};

/// `pdblens gen completions SHELL`, `pdblens gen man`
#[derive(Debug, clap::Args)]
pub struct Generate {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Completions for a shell: source them, or put them where it looks for them.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// The man page.
    Man,
}

impl Run for Generate {
    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let mut text = Vec::new();
        match self.what {
            What::Completions { shell } => clap_complete::generate(shell, &mut command(), "pdblens", &mut text),
            What::Man => {
                clap_mangen::Man::new(command()).render(&mut text)?;
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
