//! Configuration file, themes and layout file.
//!
//! `config.toml` belongs to the user and is never written; `state.toml` keeps the layout, and the theme that was chosen
//! in the list. Problems are reported, and the rest of the file applies.
//!
//! ```toml
//! theme = "light"        # dark, light, ansi, mono, or the name of a file in `themes`
//! mouse = false
//! glyphs = "ascii"
//! recent = false         # keep no list of opened files
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
//!
//! A theme of the user is a file `themes/NAME.toml` beside `config.toml`, in the form of those in `ui/themes`. It may name a `base`.

use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use toml::{Table, Value};

pub use crate::app::files::recents::{Recent, merge as merge_recents, parse as parse_recents};
use crate::app::registry::PANES;
use crate::engine::keymap::{Keymap, PROMPT, When};
use crate::ui::theme::Theme;
use pdblens_session::session::read_file::read_file;

#[derive(Clone, Debug)]
pub struct Config {
    pub keymap: Keymap,
    pub theme: Option<String>,
    /// Those of the program, then those of the user.
    pub themes: Vec<Theme>,
    /// Roles with configured styles.
    pub colors: Vec<(String, String)>,
    pub mouse: bool,
    pub ascii: bool,
    pub problems: Vec<String>,
    /// The layout file.
    pub state: Table,
    /// The files that were opened before; `None` where they are not to be kept.
    pub recents: Option<Vec<Recent>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            keymap: Keymap::default(),
            theme: None,
            themes: Theme::built_in(),
            colors: Vec::new(),
            mouse: true,
            ascii: false,
            problems: Vec::new(),
            state: Table::new(),
            recents: Some(Vec::new()),
        }
    }
}

/// Path of the configuration: `$PDBLENS_CONFIG`, or `pdblens/config.toml` in the configuration folder.
pub fn path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PDBLENS_CONFIG") {
        return Some(PathBuf::from(path));
    }
    choose_base_strategy().ok().map(|base| base.config_dir().join("pdblens").join("config.toml"))
}

/// Path of the layout file.
pub(crate) fn state_path() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    let folder = base.state_dir().unwrap_or_else(|| base.cache_dir());
    Some(folder.join("pdblens").join("state.toml"))
}

pub(crate) fn recent_path() -> Option<PathBuf> {
    Some(state_path()?.with_file_name("recent.txt"))
}

/// Keys of the layout file: the theme that was kept, and that of the configuration at that time.
const KEPT_THEME: &str = "theme";
const INSTEAD_OF: &str = "instead-of";
const MAX_SIZE: u64 = 1 << 20;

impl Config {
    pub fn load() -> Self {
        let text = |path: &Path| read_file(path, MAX_SIZE).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let read = |path: Option<PathBuf>| path.and_then(|path| text(&path).map(|text| (path, text)));
        let mut config = Self::default();
        if let Some(path) = path() {
            config.add_themes(&path.with_file_name("themes"));
            if let Some((path, text)) = read(Some(path)) {
                config.apply(&text, &path);
            }
        }
        config.state = read(state_path()).and_then(|(_, text)| text.parse().ok()).unwrap_or_default();
        if let Some(recents) = &mut config.recents {
            *recents = read(recent_path()).map_or_else(Vec::new, |(_, text)| parse_recents(&text));
        }
        config
    }

    /// Adds the themes of a folder; one that has the name of another takes its place.
    fn add_themes(&mut self, folder: &Path) {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
        files.sort();
        for path in files {
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            let bytes = read_file(&path, MAX_SIZE).map_err(|error| error.to_string());
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
            match text.and_then(|text| Theme::parse(name, &text)) {
                Ok(theme) => {
                    self.themes.retain(|known| known.name != theme.name);
                    self.themes.push(theme);
                }
                Err(problem) => self.problems.push(format!("{}: {problem}", path.display())),
            }
        }
    }

    pub fn theme_named(&self, name: &str) -> Option<&Theme> {
        self.themes.iter().find(|theme| &*theme.name == name)
    }

    /// The configuration of a text; `path` is named in the messages.
    pub fn parse(text: &str, path: &Path) -> Self {
        let mut config = Self::default();
        config.apply(text, path);
        config
    }

    fn apply(&mut self, text: &str, path: &Path) {
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => {
                self.problems.push(format!("{}: {}", path.display(), error.message()));
                return;
            }
        };
        for (name, value) in table {
            let applied = match (name.as_str(), value) {
                ("theme", Value::String(theme)) if self.theme_named(&theme).is_some() => {
                    self.theme = Some(theme);
                    Ok(())
                }
                ("mouse", Value::Boolean(mouse)) => {
                    self.mouse = mouse;
                    Ok(())
                }
                ("recent", Value::Boolean(kept)) => {
                    self.recents = kept.then(Vec::new);
                    Ok(())
                }
                ("glyphs", Value::String(glyphs)) if glyphs == "ascii" || glyphs == "unicode" => {
                    self.ascii = glyphs == "ascii";
                    Ok(())
                }
                ("keys", Value::Table(keys)) => self.bind(keys),
                ("colors", Value::Table(colors)) => self.colour(colors),
                (name @ ("theme" | "mouse" | "recent" | "glyphs" | "keys" | "colors"), value) => {
                    Err(format!("`{name}` cannot be {value}"))
                }
                (name, _) => Err(format!("unknown setting `{name}`")),
            };
            if let Err(problem) = applied {
                self.problems.push(format!("{}: {problem}", path.display()));
            }
        }
    }

    fn bind(&mut self, keys: Table) -> Result<(), String> {
        for (name, value) in keys {
            match value {
                Value::String(action) => self.keymap.bind(&name, When::Always, &action)?,
                Value::Table(inner) => {
                    let known = PANES.iter().map(|pane| pane.name).chain([PROMPT]).find(|id| *id == name);
                    let place = known.ok_or_else(|| format!("unknown pane `{name}`"))?;
                    for (keys, action) in inner {
                        let action = action
                            .as_str()
                            .ok_or_else(|| format!("`{keys}` in `keys.{name}` is not the name of an action"))?;
                        self.keymap.bind(&keys, When::In(place), action)?;
                    }
                }
                _ => return Err(format!("`{name}` in `keys` is not the name of an action")),
            }
        }
        Ok(())
    }

    fn colour(&mut self, colors: Table) -> Result<(), String> {
        let mut probe = Theme::default();
        for (role, look) in colors {
            let look = look.as_str().ok_or_else(|| format!("`{role}` in `colors` is not a style"))?.to_owned();
            probe.set(&role, &look)?;
            self.colors.push((role, look));
        }
        Ok(())
    }

    /// The theme that was chosen in the list and kept, unless the configuration has named another one since.
    pub fn kept_theme(&self) -> Option<&str> {
        let text = |key: &str| self.state.get(key).and_then(Value::as_str);
        let kept = text(KEPT_THEME).filter(|name| self.theme_named(name).is_some())?;
        (text(INSTEAD_OF) == self.theme.as_deref()).then_some(kept)
    }

    pub fn themed(&self, mut theme: Theme) -> Theme {
        for (role, look) in &self.colors {
            // The styles were checked when they were read.
            let _ = theme.set(role, look);
        }
        theme
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::action::Action;
    use crate::engine::key::Key;

    fn parse(text: &str) -> Config {
        Config::parse(text, Path::new("c.toml"))
    }

    #[test]
    fn everything_can_be_set() {
        let config = parse(
            "theme = \"light\"\nmouse = false\nglyphs = \"ascii\"\n[keys]\nx = \"quit\"\nq = \"\"\n[keys.bytes]\nx = \"top\"\n[colors]\naccent = \"red bold\"",
        );
        assert_eq!(config.problems, Vec::<String>::new());
        assert_eq!((config.recents.is_some(), parse("recent = false").recents), (true, None));
        assert_eq!((config.theme.as_deref(), config.mouse, config.ascii), (Some("light"), false, true));
        let means = |keys, place| config.keymap.lookup(Key::parse(keys).unwrap(), place, false);
        assert_eq!(means("x", "points"), Some(Action::Quit));
        assert_eq!(means("x", "bytes"), Some(Action::Top));
        assert_eq!(means("q", "bytes"), None);
        assert_ne!(config.themed(Theme::default()), Theme::default());
    }

    #[test]
    fn a_kept_theme_holds_until_the_configuration_names_another() {
        let kept = |configured: &str, state: &str| {
            let config = Config { state: state.parse().unwrap(), ..parse(configured) };
            config.kept_theme().map(str::to_owned)
        };
        assert_eq!(kept("", "theme = \"mono\"").as_deref(), Some("mono"));
        assert_eq!(kept("theme = \"light\"", "theme = \"mono\"\ninstead-of = \"light\"").as_deref(), Some("mono"));
        assert_eq!(kept("theme = \"light\"", "theme = \"mono\""), None);
        assert_eq!(kept("", "theme = \"mono\"\ninstead-of = \"light\""), None);
        assert_eq!(kept("", "theme = \"pink\""), None);
        assert_eq!(kept("", "theme = 3"), None);
    }

    #[test]
    fn a_theme_of_the_user_is_a_file() {
        let folder = std::env::temp_dir().join(format!("pdblens-themes-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("paper.toml"), "about = \"mine\"\n[styles]\naccent = \"red\"").unwrap();
        std::fs::write(folder.join("wrong.toml"), "[styles]\naccent = \"loud\"").unwrap();
        let mut config = Config::default();
        config.add_themes(&folder);
        config.apply("theme = \"paper\"", Path::new("c.toml"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(config.theme.as_deref(), Some("paper"));
        assert!(config.theme_named("wrong").is_none());
        assert!(config.problems.len() == 1 && config.problems[0].ends_with("wrong.toml: `loud` is not a style"));
    }

    #[test]
    fn what_is_wrong_is_said_and_the_rest_holds() {
        for (text, said) in [
            ("theme = ", "c.toml: "),
            ("theme = \"pink\"\nmouse = false", "`theme` cannot be \"pink\""),
            ("tehme = \"dark\"", "unknown setting `tehme`"),
            ("[keys]\nx = \"explode\"", "unknown action `explode`"),
            ("[keys.nowhere]\nx = \"quit\"", "unknown pane `nowhere`"),
            ("[colors]\naccent = \"loud\"", "`loud` is not a style"),
        ] {
            let config = parse(text);
            assert!(config.problems.iter().any(|problem| problem.contains(said)), "{text}: {:?}", config.problems);
        }
        assert!(!parse("theme = \"pink\"\nmouse = false").mouse);
    }
}
