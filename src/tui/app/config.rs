//! What the user configured, and what was remembered from one day to the next.
//!
//! `config.toml` is the user's and never written; `state.toml` is ours. What is wrong in either is said, and the rest holds.
//!
//! ```toml
//! theme = "light"        # dark, light, ansi, mono
//! mouse = false
//! glyphs = "ascii"
//!
//! [keys]
//! "ctrl-t" = "goto"
//! "q" = ""               # unbinds
//! [keys.bytes]           # in one pane only
//! "b" = "copy-hex"
//!
//! [colors]
//! accent = "#ff9e64 bold"
//! ```

use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use toml::{Table, Value};

use crate::tui::app::registry::PANES;
use crate::tui::core::keymap::{Keymap, PROMPT, When};
use crate::tui::ui::theme::{NAMES, Theme};

/// What the user configured.
#[derive(Clone, Debug)]
pub struct Config {
    /// The keys.
    pub keymap: Keymap,
    /// The theme, where one is named.
    pub theme: Option<String>,
    /// Roles that are to look otherwise.
    pub colors: Vec<(String, String)>,
    /// Whether the mouse is to be used.
    pub mouse: bool,
    /// Whether the terminal has only ASCII.
    pub ascii: bool,
    /// What is wrong with the file.
    pub problems: Vec<String>,
    /// What was remembered.
    pub state: Table,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            keymap: Keymap::default(),
            theme: None,
            colors: Vec::new(),
            mouse: true,
            ascii: false,
            problems: Vec::new(),
            state: Table::new(),
        }
    }
}

/// Where the configuration is: `$PDBLENS_CONFIG`, or `pdblens/config.toml` where configurations are.
pub fn path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PDBLENS_CONFIG") {
        return Some(PathBuf::from(path));
    }
    choose_base_strategy().ok().map(|base| base.config_dir().join("pdblens").join("config.toml"))
}

/// Where what is remembered is.
pub fn state_path() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    let folder = base.state_dir().unwrap_or_else(|| base.cache_dir());
    Some(folder.join("pdblens").join("state.toml"))
}

impl Config {
    /// What is configured and remembered on this machine.
    pub fn load() -> Self {
        let read =
            |path: Option<PathBuf>| path.and_then(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text)));
        let mut config = match read(path()) {
            Some((path, text)) => Self::parse(&text, &path),
            None => Self::default(),
        };
        config.state = read(state_path()).and_then(|(_, text)| text.parse().ok()).unwrap_or_default();
        config
    }

    /// What `text` configures; `path` is where it is, to say so.
    pub fn parse(text: &str, path: &Path) -> Self {
        let mut config = Self::default();
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => {
                config.problems.push(format!("{}: {}", path.display(), error.message()));
                return config;
            }
        };
        for (name, value) in table {
            let accept_search = match (name.as_str(), value) {
                ("theme", Value::String(theme)) if NAMES.contains(&theme.as_str()) => {
                    config.theme = Some(theme);
                    Ok(())
                }
                ("mouse", Value::Boolean(mouse)) => {
                    config.mouse = mouse;
                    Ok(())
                }
                ("glyphs", Value::String(glyphs)) if glyphs == "ascii" || glyphs == "unicode" => {
                    config.ascii = glyphs == "ascii";
                    Ok(())
                }
                ("keys", Value::Table(keys)) => config.bind(keys),
                ("colors", Value::Table(colors)) => config.colour(colors),
                (name @ ("theme" | "mouse" | "glyphs" | "keys" | "colors"), value) => {
                    Err(format!("`{name}` cannot be {value}"))
                }
                (name, _) => Err(format!("there is no setting `{name}`")),
            };
            if let Err(problem) = accept_search {
                config.problems.push(format!("{}: {problem}", path.display()));
            }
        }
        config
    }

    fn bind(&mut self, keys: Table) -> Result<(), String> {
        for (name, value) in keys {
            match value {
                Value::String(action) => self.keymap.bind(&name, When::Always, &action)?,
                Value::Table(inner) => {
                    let known = PANES.iter().map(|pane| pane.id).chain([PROMPT]).find(|id| *id == name);
                    let place = known.ok_or_else(|| format!("there is no pane `{name}`"))?;
                    for (keys, action) in inner {
                        let action =
                            action.as_str().ok_or_else(|| format!("`{keys}` in `keys.{name}` is no action's name"))?;
                        self.keymap.bind(&keys, When::In(place), action)?;
                    }
                }
                _ => return Err(format!("`{name}` in `keys` is no action's name")),
            }
        }
        Ok(())
    }

    fn colour(&mut self, colors: Table) -> Result<(), String> {
        let mut probe = Theme::default();
        for (role, look) in colors {
            let look = look.as_str().ok_or_else(|| format!("`{role}` in `colors` is no style"))?.to_owned();
            probe.set(&role, &look)?;
            self.colors.push((role, look));
        }
        Ok(())
    }

    /// A theme with what is configured of it.
    pub fn themed(&self, mut theme: Theme) -> Theme {
        for (role, look) in &self.colors {
            // They were tried when they were read.
            let _ = theme.set(role, look);
        }
        theme
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::core::action::Action;
    use crate::tui::core::key::Key;
    use crate::tui::core::keymap::Match;

    fn parse(text: &str) -> Config {
        Config::parse(text, Path::new("c.toml"))
    }

    #[test]
    fn everything_can_be_set() {
        let config = parse(
            "theme = \"light\"\nmouse = false\nglyphs = \"ascii\"\n[keys]\nx = \"quit\"\nq = \"\"\n[keys.bytes]\nx = \"top\"\n[colors]\naccent = \"red bold\"",
        );
        assert_eq!(config.problems, Vec::<String>::new());
        assert_eq!((config.theme.as_deref(), config.mouse, config.ascii), (Some("light"), false, true));
        let means = |keys, place| config.keymap.lookup(&Key::parse_sequence(keys).unwrap(), place, false);
        assert_eq!(means("x", "points"), Match::Action(Action::Quit));
        assert_eq!(means("x", "bytes"), Match::Action(Action::Top));
        assert_eq!(means("q", "bytes"), Match::Unbound);
        assert_ne!(config.themed(Theme::default()), Theme::default());
    }

    #[test]
    fn what_is_wrong_is_said_and_the_rest_holds() {
        for (text, said) in [
            ("theme = ", "c.toml: "),
            ("theme = \"pink\"\nmouse = false", "`theme` cannot be \"pink\""),
            ("tehme = \"dark\"", "there is no setting `tehme`"),
            ("[keys]\nx = \"explode\"", "there is no action `explode`"),
            ("[keys.nowhere]\nx = \"quit\"", "there is no pane `nowhere`"),
            ("[colors]\naccent = \"loud\"", "`loud` is no style"),
        ] {
            let config = parse(text);
            assert!(config.problems.iter().any(|problem| problem.contains(said)), "{text}: {:?}", config.problems);
        }
        assert!(!parse("theme = \"pink\"\nmouse = false").mouse);
    }
}
