//! Themes: styles of roles. A theme is one file of `themes/`, or of the folder `themes` beside the configuration.
//!
//! The page background is always that of the terminal, and nothing depends on colour alone: the selection has a bar in
//! the margin, the focus a heavy rule, an error a sign.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};

use crate::ui::glyphs::Glyphs;
use pdblens_nodes::rows::Tone;

#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    pub theme: &'a Theme,
    pub glyphs: &'a Glyphs,
    pub focused: bool,
    /// Cells of the line below the panes that has the full text of the row under the cursor; 0 where there is none.
    pub line: usize,
}

/// Makes [`Role`] and the names that its values have in a theme's file.
macro_rules! roles {
    ($($role:ident $name:literal)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role {
            $($role,)+
        }

        const ROLES: &[(Role, &str)] = &[$((Role::$role, $name),)+];
    };
}

roles! {
    Text "text"
    Dim "dim"
    Mute "mute"
    Faint "faint"
    Strong "strong"
    Accent "accent"
    Cursor "cursor"
    Related "linked"
    Span "span"
    Bar "bar"
    Popup "popup"
    Changed "changed"
    Added "added"
    Removed "removed"
    Link "link"
    Match "match"
    Field1 "field-1"
    Field2 "field-2"
    Field3 "field-3"
    Field4 "field-4"
    Field5 "field-5"
    Ok "ok"
    Warn "warn"
    Bad "bad"
    Keyword "keyword"
    Type "type"
    Function "function"
    String "string"
    Number "number"
    Comment "comment"
}

/// Makes the names and the files of the themes that the program has.
macro_rules! built_in {
    ($($name:literal)+) => {
        pub const NAMES: [&str; [$($name),+].len()] = [$($name),+];
        const FILES: &[&str] = &[$(include_str!(concat!("themes/", $name, ".toml"))),+];
    };
}

built_in! { "dark" "light" "ansi" "mono" }

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: Arc<str>,
    /// Its sentence in the list of themes.
    pub about: Arc<str>,
    styles: Vec<Style>,
    /// True if text keeps its colour on the cursor row.
    pub colors_on_cursor: bool,
    /// Styles that the user has configured.
    changes: Vec<(Role, Style)>,
    /// True if the terminal is limited to the 256 colours of xterm.
    few_colours: bool,
}

/// A theme as its file writes it.
#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ThemeFile {
    #[serde(default)]
    about: String,
    /// The theme that has the styles that this one does not name.
    base: Option<String>,
    colors_on_cursor: Option<bool>,
    #[serde(default)]
    styles: BTreeMap<String, String>,
}

/// The role of the nth scope of a method that has names: in its bracket beside IL, and in the list of scopes.
pub const fn scope_role(index: usize) -> Role {
    const HUES: [Role; 4] = [Role::Field1, Role::Field3, Role::Field4, Role::Field5];
    HUES[index % HUES.len()]
}

impl From<Tone> for Role {
    fn from(tone: Tone) -> Self {
        match tone {
            Tone::Text => Self::Text,
            Tone::Dim => Self::Dim,
            Tone::Strong => Self::Strong,
            Tone::Ok => Self::Ok,
            Tone::Warn => Self::Warn,
            Tone::Bad => Self::Bad,
        }
    }
}

impl Theme {
    /// A theme that the program has.
    pub fn named(name: &str) -> Option<Self> {
        let index = NAMES.iter().position(|known| *known == name)?;
        Self::parse(name, FILES[index]).ok()
    }

    /// All themes that the program has.
    pub fn built_in() -> Vec<Self> {
        NAMES.iter().filter_map(|name| Self::named(name)).collect()
    }

    /// Reads the file of a theme. A style that it does not name is that of its base, or of the first theme.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let file: ThemeFile = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let mut theme = match &file.base {
            Some(base) => {
                Self::named(base).ok_or_else(|| format!("`{base}` is none of the themes {}", NAMES.join(", ")))?
            }
            None if NAMES.contains(&name) => Self::default(),
            None => Self::named(NAMES[0]).unwrap_or_default(),
        };
        theme.colors_on_cursor = file.colors_on_cursor.unwrap_or(theme.colors_on_cursor);
        for (role, words) in &file.styles {
            let (role, style) = style_of(role, words)?;
            theme.styles[role as usize] = style;
        }
        Ok(Self { name: name.into(), about: file.about.into(), ..theme })
    }

    /// The theme of a name with the same configuration; this one where there is none.
    #[must_use]
    pub fn changed_to(&self, name: &str, all: &[Self]) -> Self {
        let other = all.iter().find(|theme| &*theme.name == name).unwrap_or(self);
        let mut theme = Self { changes: self.changes.clone(), ..other.clone() };
        for (role, style) in &self.changes {
            theme.styles[*role as usize] = *style;
        }
        if self.few_colours { theme.with_256_colours() } else { theme }
    }

    pub fn of(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    pub fn tone(&self, tone: Tone) -> Style {
        self.of(tone.into())
    }

    /// The style of a field, by its index in the record.
    pub fn field(&self, index: usize) -> Style {
        const HUES: [Role; 5] = [Role::Field1, Role::Field2, Role::Field3, Role::Field4, Role::Field5];
        self.of(HUES[index % HUES.len()])
    }

    /// The ground of an area in the hue of a field, in one of two brightnesses; `None` where the theme has no colours to mix.
    pub fn fill(&self, index: usize, is_bright: bool) -> Option<Style> {
        /// Parts of the hue in each brightness, of those of the ground and the hue together.
        const SHARES: [u16; 2] = [5, 7];
        const ALL: u16 = 16;
        let (Some(Color::Rgb(r, g, b)), Some(Color::Rgb(red, green, blue))) =
            (self.field(index).fg, self.of(Role::Bar).bg)
        else {
            return None;
        };
        let share = SHARES[usize::from(is_bright)];
        let mix = |hue: u8, ground: u8| ((u16::from(hue) * share + u16::from(ground) * (ALL - share)) / ALL) as u8;
        Some(self.of(Role::Text).bg(Color::Rgb(mix(r, red), mix(g, green), mix(b, blue))))
    }

    /// Changes the style of the role called `name`.
    pub fn set(&mut self, name: &str, words: &str) -> Result<(), String> {
        let (role, style) = style_of(name, words)?;
        self.styles[role as usize] = style;
        self.changes.push((role, style));
        Ok(())
    }

    #[must_use]
    pub fn with_256_colours(mut self) -> Self {
        let near = |colour: Option<Color>| match colour {
            Some(Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest_xterm(r, g, b))),
            other => other,
        };
        for style in &mut self.styles {
            style.fg = near(style.fg);
            style.bg = near(style.bg);
        }
        self.few_colours = true;
        self
    }
}

/// The colours of the terminal alone.
impl Default for Theme {
    fn default() -> Self {
        Self {
            name: Arc::default(),
            about: Arc::default(),
            styles: vec![Style::default(); ROLES.len()],
            colors_on_cursor: false,
            changes: Vec::new(),
            few_colours: false,
        }
    }
}

fn style_of(role: &str, words: &str) -> Result<(Role, Style), String> {
    let (role, _) = ROLES.iter().find(|(_, name)| *name == role).ok_or_else(|| format!("unknown role `{role}`"))?;
    let style = parse(words).ok_or_else(|| format!("`{words}` is not a style"))?;
    Ok((*role, style))
}

/// A style for text written over other text: it clears all other attributes.
#[must_use]
pub fn opaque(style: Style) -> Style {
    Style { sub_modifier: Modifier::all() - style.add_modifier, ..style }
}

/// Returns whether a style swaps its colours: the colour of a part of a text would be a background there.
pub const fn is_reversed(style: Style) -> bool {
    style.add_modifier.contains(Modifier::REVERSED)
}

/// The nearest colour of the xterm palette, from its cube or its greys.
fn nearest_xterm(r: u8, g: u8, b: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |a: [u8; 3]| -> u32 { a.iter().zip([r, g, b]).map(|(x, y)| u32::from(x.abs_diff(y)).pow(2)).sum() };
    let step = |value: u8| (0..6_u8).min_by_key(|i| STEPS[*i as usize].abs_diff(value)).unwrap_or(0);
    let (sr, sg, sb) = (step(r), step(g), step(b));
    let cube = (16 + 36 * sr + 6 * sg + sb, [STEPS[sr as usize], STEPS[sg as usize], STEPS[sb as usize]]);
    let greys = (0..24_u8).map(|i| (232 + i, [8 + 10 * i; 3]));
    std::iter::once(cube).chain(greys).min_by_key(|(_, rgb)| distance(*rgb)).map_or(7, |(index, _)| index)
}

/// Parses a style: `#7aa2f7 on #1d2332 bold`.
pub fn parse(words: &str) -> Option<Style> {
    let mut style = Style::new();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        style = match word {
            "on" => style.bg(words.next()?.parse().ok()?),
            "bold" => style.add_modifier(Modifier::BOLD),
            "dim" => style.add_modifier(Modifier::DIM),
            "italic" => style.add_modifier(Modifier::ITALIC),
            "underlined" => style.add_modifier(Modifier::UNDERLINED),
            "reversed" => style.add_modifier(Modifier::REVERSED),
            colour => style.fg(colour.parse().ok()?),
        };
    }
    Some(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast ratio of WCAG 2.
    fn contrast(a: Color, b: Color) -> f64 {
        let luminance = |colour| {
            let Color::Rgb(red, green, blue) = colour else { panic!("{colour} is no RGB") };
            let linear = |part: u8| {
                let part = f64::from(part) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_theme_of_the_program_has_a_style_for_every_role() {
        for (name, text) in NAMES.iter().zip(FILES) {
            let file: ThemeFile = toml::from_str(text).unwrap();
            let mut missing = ROLES.iter().filter(|(_, role)| !file.styles.contains_key(*role));
            assert_eq!(missing.next(), None, "{name}");
            assert!(!file.about.is_empty() && Theme::parse(name, text).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_theme_of_the_user_has_the_styles_of_its_base() {
        let theme = Theme::parse("paper", "base = \"light\"\n[styles]\naccent = \"#ff0000\"").unwrap();
        let light = Theme::named("light").unwrap();
        assert_eq!(theme.of(Role::Accent).fg, Some(Color::Rgb(255, 0, 0)));
        assert_eq!((theme.of(Role::Text), theme.colors_on_cursor), (light.of(Role::Text), true));
        for wrong in
            ["base = \"pink\"", "[styles]\nnothing = \"bold\"", "[styles]\ntext = \"loud\"", "colour = 1", "about ="]
        {
            assert!(Theme::parse("paper", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn text_can_be_read_on_every_ground_it_is_put_on() {
        let pages = [("dark", Color::Rgb(0x15, 0x18, 0x21)), ("light", Color::Rgb(0xfb, 0xfb, 0xf8))];
        for (name, page) in pages {
            let theme = Theme::named(name).unwrap();
            let grounds = [Role::Related, Role::Bar, Role::Popup, Role::Changed, Role::Added, Role::Removed]
                .map(|role| theme.of(role).bg.unwrap());
            for (role, role_name) in ROLES {
                let Some(colour) = theme.of(*role).fg else { continue };
                let least = match role {
                    Role::Faint => 2.0,
                    _ => 4.5,
                };
                let ground = theme.of(*role).bg.unwrap_or(page);
                let seen = contrast(colour, ground);
                assert!(seen >= least, "{name} {role_name}: {seen:.1}");
                for ground in grounds {
                    let seen = contrast(colour, ground);
                    assert!(least < 3.0 || seen >= least, "{name} {role_name} on a ground: {seen:.1}");
                }
            }
            // Roles that keep their colour on the selected row; dim and mute text takes the text colour of the row.
            let fields = (0..5).map(|index| theme.field(index));
            let tones = [Role::Ok, Role::Warn, Role::Bad, Role::Link, Role::Accent].map(|role| theme.of(role));
            for style in fields.chain(tones) {
                let seen = contrast(style.fg.unwrap(), theme.of(Role::Cursor).bg.unwrap());
                assert!(seen >= 4.5, "{name} {style:?} on the selected row: {seen:.1}");
            }
        }
    }

    #[test]
    fn mono_has_no_colour_and_ansi_no_black_white_or_grey() {
        for (role, role_name) in ROLES {
            let [mono, ansi] = ["mono", "ansi"].map(|name| Theme::named(name).unwrap().of(*role));
            assert_eq!((mono.fg, mono.bg), (None, None), "{role_name}");
            for colour in [ansi.fg, ansi.bg].into_iter().flatten() {
                assert!(![Color::Black, Color::White, Color::DarkGray, Color::Gray].contains(&colour), "{role_name}");
            }
        }
    }

    #[test]
    fn a_look_can_be_changed_and_a_wrong_one_is_said() {
        let mut theme = Theme::named("dark").unwrap();
        theme.set("accent", "#ff0000 on blue bold").unwrap();
        assert_eq!(theme.of(Role::Accent).fg, Some(Color::Rgb(255, 0, 0)));
        assert!(theme.set("accent", "loud").is_err() && theme.set("nothing", "bold").is_err());
        let theme = theme.with_256_colours();
        assert_eq!(theme.of(Role::Accent).fg, Some(Color::Indexed(196)));
        // Another theme keeps the configuration.
        let next = theme.changed_to("light", &Theme::built_in());
        assert_eq!((&*next.name, next.of(Role::Accent)), ("light", theme.of(Role::Accent)));
        assert!(matches!(next.of(Role::Text).fg, Some(Color::Indexed(_))));
    }
}
