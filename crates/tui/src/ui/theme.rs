//! Themes: a table of style roles in four themes.
//!
//! The page background is always that of the terminal, and nothing depends on colour alone: the selection has a bar in
//! the margin, the focus a heavy rule, an error a sign.

use ratatui::style::{Color, Modifier, Style};

use crate::ui::glyphs::Glyphs;
use pdblens_nodes::rows::Tone;

#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    pub theme: &'a Theme,
    pub glyphs: &'a Glyphs,
    pub focused: bool,
}

/// A role and its style in each theme, in the words of [`parse`].
struct RoleDef {
    role: Role,
    name: &'static str,
    /// dark, light, ansi, mono
    themes: [&'static str; 4],
}

/// Makes [`Role`] and [`ROLES`] of one table.
macro_rules! roles {
    ($($role:ident $name:literal $themes:expr;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role {
            $($role,)+
        }

        /// All roles, in the order of [`Role`].
        const ROLES: &[RoleDef] = &[$(RoleDef { role: Role::$role, name: $name, themes: $themes },)+];
    };
}

roles! {
    // Three greys, and a fourth for rules.
    Text "text" ["#d5dae6", "#242933", "", ""];
    Dim "dim" ["#969eb2", "#555c69", "dim", "dim"];
    Mute "mute" ["#8f98b3", "#5f6572", "dim", "dim"];
    Faint "faint" ["#525d75", "#a4aab8", "dim", "dim"];
    Strong "strong" ["#ffffff bold", "#10131a bold", "bold", "bold"];
    // The accent: focus, current view, margin bar.
    Accent "accent" ["#7aa2f7 bold", "#1d4ed8 bold", "lightblue bold", "bold"];
    // The cursor row; the selection in other panes; the selected part of a line.
    Cursor "cursor" ["#ffffff on #263456 bold", "#10131a on #c9d9fa bold", "reversed", "reversed"];
    Related "linked" ["on #242d45", "on #dbe6fb", "bold", ""];
    Span "span" ["on #242d45", "on #dbe6fb", "underlined", "underlined"];
    // Header and hints; overlays.
    Bar "bar" ["on #1d2332", "on #ebeef4", "", ""];
    Popup "popup" ["on #1d2332", "on #f0f2f7", "", ""];
    // Lines that two builds do not share; a sign says the same.
    Changed "changed" ["on #2d2720", "on #fbf0da", "", ""];
    Added "added" ["on #1e2b20", "on #e4f5e2", "", ""];
    Removed "removed" ["on #301f27", "on #fde6e9", "", ""];
    Link "link" ["#7dcfff", "#075985", "cyan", "underlined"];
    Match "match" ["#e0af68 bold", "#954307 bold", "yellow bold", "bold underlined"];
    // Fields in the order of their bytes; in mono, every second one is underlined.
    Field1 "field-1" ["#7dcfff", "#075985", "cyan", "bold"];
    Field2 "field-2" ["#e0af68", "#954307", "yellow", "bold underlined"];
    Field3 "field-3" ["#bb9af7", "#6d28d9", "magenta", "bold"];
    Field4 "field-4" ["#9ece6a", "#256629", "green", "bold underlined"];
    Field5 "field-5" ["#f7768e", "#a81036", "red", "bold"];
    Ok "ok" ["#9ece6a", "#256629", "green", ""];
    Warn "warn" ["#e0af68", "#954307", "yellow", "bold"];
    Bad "bad" ["#f7768e", "#a81036", "red", "bold"];
    // Source and IL.
    Keyword "keyword" ["#bb9af7", "#6d28d9", "magenta", "bold"];
    Type "type" ["#7dcfff", "#075985", "cyan", ""];
    Function "function" ["#8ab4f8", "#1d4ed8", "lightblue", ""];
    String "string" ["#9ece6a", "#256629", "green", ""];
    Number "number" ["#ff9e64", "#954307", "yellow", ""];
    Comment "comment" ["#8f98b3 italic", "#5f6572 italic", "dim", "dim"];
}

pub use crate::engine::THEME_NAMES as NAMES;

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// One of [`NAMES`].
    pub name: &'static str,
    styles: Vec<Style>,
    /// True if text keeps its colour on the cursor row.
    pub colors_on_cursor: bool,
    /// Styles that the user has configured.
    changes: Vec<(Role, Style)>,
    /// True if the terminal is limited to the 256 colours of xterm.
    few_colours: bool,
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
    pub fn named(name: &str) -> Option<Self> {
        let index = NAMES.iter().position(|known| *known == name)?;
        let styles = ROLES.iter().filter_map(|look| parse(look.themes.get(index)?)).collect();
        let colors_on_cursor = index < 2;
        Some(Self { name: NAMES[index], styles, colors_on_cursor, changes: Vec::new(), few_colours: false })
    }

    /// Another theme with the same configuration.
    #[must_use]
    pub fn changed_to(&self, name: &str) -> Self {
        let mut theme = Self::named(name).unwrap_or_default();
        for (role, style) in &self.changes {
            theme.styles[*role as usize] = *style;
        }
        theme.changes.clone_from(&self.changes);
        if self.few_colours { theme.with_256_colours() } else { theme }
    }

    #[must_use]
    pub fn next(&self) -> Self {
        let index = NAMES.iter().position(|name| *name == self.name).map_or(0, |index| (index + 1) % NAMES.len());
        self.changed_to(NAMES[index])
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

    /// Changes the style of the role called `name`.
    pub fn set(&mut self, name: &str, words: &str) -> Result<(), String> {
        let look = ROLES.iter().find(|look| look.name == name).ok_or_else(|| format!("unknown role `{name}`"))?;
        let style = parse(words).ok_or_else(|| format!("`{words}` is not a style"))?;
        self.styles[look.role as usize] = style;
        self.changes.push((look.role, style));
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

impl Default for Theme {
    fn default() -> Self {
        Self::named("dark").unwrap_or(Self {
            name: "dark",
            styles: Vec::new(),
            colors_on_cursor: true,
            changes: Vec::new(),
            few_colours: false,
        })
    }
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
    fn every_look_is_a_style() {
        for look in ROLES {
            assert!(look.themes.iter().all(|words| parse(words).is_some()), "{}", look.name);
        }
    }

    #[test]
    fn text_can_be_read_on_every_ground_it_is_put_on() {
        let pages = [("dark", Color::Rgb(0x15, 0x18, 0x21)), ("light", Color::Rgb(0xfb, 0xfb, 0xf8))];
        for (name, page) in pages {
            let theme = Theme::named(name).unwrap();
            let grounds = [Role::Related, Role::Bar, Role::Popup, Role::Changed, Role::Added, Role::Removed]
                .map(|role| theme.of(role).bg.unwrap());
            for look in ROLES {
                let Some(colour) = theme.of(look.role).fg else { continue };
                let least = match look.role {
                    Role::Faint => 2.0,
                    _ => 4.5,
                };
                let ground = theme.of(look.role).bg.unwrap_or(page);
                let seen = contrast(colour, ground);
                assert!(seen >= least, "{name} {}: {seen:.1}", look.name);
                for ground in grounds {
                    let seen = contrast(colour, ground);
                    assert!(least < 3.0 || seen >= least, "{name} {} on a ground: {seen:.1}", look.name);
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
        for look in ROLES {
            let [mono, ansi] = ["mono", "ansi"].map(|name| Theme::named(name).unwrap().of(look.role));
            assert_eq!((mono.fg, mono.bg), (None, None), "{}", look.name);
            for colour in [ansi.fg, ansi.bg].into_iter().flatten() {
                assert!(![Color::Black, Color::White, Color::DarkGray, Color::Gray].contains(&colour), "{}", look.name);
            }
        }
    }

    #[test]
    fn a_look_can_be_changed_and_a_wrong_one_is_said() {
        let mut theme = Theme::default();
        theme.set("accent", "#ff0000 on blue bold").unwrap();
        assert_eq!(theme.of(Role::Accent).fg, Some(Color::Rgb(255, 0, 0)));
        assert!(theme.set("accent", "loud").is_err() && theme.set("nothing", "bold").is_err());
        let theme = theme.with_256_colours();
        assert_eq!(theme.of(Role::Accent).fg, Some(Color::Indexed(196)));
        // The next theme keeps the configuration.
        let next = theme.next();
        assert_eq!((next.name, next.of(Role::Accent)), ("light", theme.of(Role::Accent)));
        assert!(matches!(next.of(Role::Text).fg, Some(Color::Indexed(_))));
    }
}
