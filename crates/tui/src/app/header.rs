//! The lines above the panes: the header with file names, views and verdict, and the breadcrumb.

use std::borrow::Cow;

use ratatui::style::Style;

use crate::app::files::Files;
use crate::app::input::ClickTarget;
use crate::app::layout::PaneLayout;
use crate::app::navigation::Navigation;
use crate::app::stage::LESSON;
use crate::engine::action::Action;
use crate::state::breadcrumb::full_label;
use crate::state::lessons::Lessons;
use crate::state::prospects::tone;
use crate::state::view::{TABS, Tab, TabDef, View};
use crate::ui::glyphs::Glyphs;
use crate::ui::text::{fit, fit_path, width};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{Place, finding};
use pdblens_session::session::{PdbMatch, summary_of};

/// Width that the file names keep beside the names of the views.
const MIN_NAMES_WIDTH: usize = 24;
const MAX_NAMES_WIDTH: usize = 40;
const MIN_SHORT_STEP: usize = 16;
/// An item of a bar: x position, text, style, and the effect of a click.
pub(super) type BarItem = (u16, String, Style, Option<ClickTarget>);

pub(super) struct Bars<'a> {
    pub(super) files: &'a Files,
    pub(super) navigation: &'a Navigation,
    pub(super) layout: &'a PaneLayout,
    pub(super) lessons: &'a Lessons,
    /// The place that the list of the view is about.
    pub(super) subject: Option<Place>,
    pub(super) look: Look<'a>,
}

/// The texts of the tabs beside their digits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tabs {
    Names,
    /// Names of four letters at most, beside that of the current view.
    ShortBesideCurrent,
    Short,
    /// None beside the name of the current view.
    Digits,
}

impl Bars<'_> {
    pub(super) fn header(&self) -> Vec<BarItem> {
        let (line, theme) = (self.layout.areas().header, self.look.theme);
        let mut parts: Vec<BarItem> = Vec::new();
        let names = self.files.label();
        if line.width < 50 {
            let names = fit(&names, usize::from(line.width).saturating_sub(2), self.look.glyphs).into_owned();
            self.push_names(&mut parts, line.x + 1, &names);
            return parts;
        }
        let (verdicts, tone) = self.verdicts();
        let cut = |names: &str, most| fit(names, most, self.look.glyphs).into_owned();
        let short = short_names(&names);
        let long = if width(&names) > MAX_NAMES_WIDTH { &short } else { &names };
        // Names, and the blanks behind them: behind the tabs is one less, and one is at each end.
        let names = [
            (cut(long, MAX_NAMES_WIDTH), 3),
            (cut(&short, MAX_NAMES_WIDTH), 3),
            (cut(&short, MAX_NAMES_WIDTH), 2),
            (cut(&short, MIN_NAMES_WIDTH), 3),
        ];
        // Names of files are cut before the verdict loses its words, and both before the names of the views.
        let (words, signs) = verdicts.split_at(verdicts.len().min(2));
        let texts = || {
            [words, signs]
                .into_iter()
                .flat_map(|texts| names.iter().flat_map(move |names| texts.iter().map(move |text| (names, text))))
        };
        let tabs = [Tabs::Names, Tabs::ShortBesideCurrent, Tabs::Short, Tabs::Digits];
        let found = tabs.into_iter().find_map(|tabs| {
            let left = usize::from(line.width).checked_sub(self.tabs_width(tabs))?;
            let wide = |(names, gap): &(String, usize), verdict| width(names) + 2 * gap + 1 + width(verdict);
            let ((names, gap), verdict) = texts().find(|(names, verdict)| wide(names, verdict) <= left)?;
            Some((tabs, names.clone(), *gap, verdict.clone()))
        });
        let (tabs, names, gap, verdict) = found.unwrap_or_else(|| {
            let verdict = verdicts.last().cloned().unwrap_or_default();
            let left = usize::from(line.width).saturating_sub(self.tabs_width(Tabs::Digits) + 7 + width(&verdict));
            (Tabs::Digits, cut(&short, left), 3, verdict)
        });
        let end = line.right().saturating_sub(1 + width(&verdict) as u16);
        parts.push((end, verdict, theme.tone(tone), Some(ClickTarget::Go(Place::Overview))));
        let x = self.push_names(&mut parts, line.x + 1, &names) + gap as u16;
        parts.extend(self.view_tabs(x, end.saturating_sub(gap as u16 - 1), tabs));
        parts
    }

    /// Adds the names of the files, the first one strong; returns the position after them.
    fn push_names(&self, parts: &mut Vec<BarItem>, x: u16, names: &str) -> u16 {
        let (first, second) = names.split_at(names.find(" + ").unwrap_or(names.len()));
        let plus = x + width(first) as u16;
        parts.push((x, first.to_owned(), self.look.theme.of(Role::Strong), None));
        parts.push((plus, second.to_owned(), self.look.theme.of(Role::Dim), None));
        plus + width(second) as u16
    }

    fn is_current(&self, def: &TabDef) -> bool {
        def.first.tab() == self.navigation.view().tab()
    }

    /// Text of a tab; for the lessons, the lesson that is taken: the digit leads back there.
    fn tab_name(&self, def: &TabDef, tabs: Tabs) -> Cow<'static, str> {
        let is_current = self.is_current(def);
        let lesson = self.lessons.current().filter(|lesson| def.first.tab() == Tab::Learn && lesson.number > 0);
        let name = lesson.map_or(Cow::Borrowed(def.name), |lesson| Cow::Owned(format!("Lesson {}", lesson.number)));
        match tabs {
            Tabs::Names => name,
            Tabs::ShortBesideCurrent | Tabs::Digits if is_current => name,
            Tabs::ShortBesideCurrent | Tabs::Short => Cow::Borrowed(def.short),
            Tabs::Digits => Cow::Borrowed(""),
        }
    }

    /// Blanks between two tabs.
    const fn tab_gap(tabs: Tabs) -> usize {
        if matches!(tabs, Tabs::Names | Tabs::Digits) { 2 } else { 1 }
    }

    fn tabs_width(&self, tabs: Tabs) -> usize {
        let tab = |def| 1 + width(&self.tab_name(def, tabs)) + Self::tab_gap(tabs);
        TABS.iter().map(tab).sum::<usize>().saturating_sub(Self::tab_gap(tabs))
    }

    /// The tabs from `x` to `end`; then the last step of the breadcrumb, where that has no row.
    fn view_tabs(&self, mut x: u16, end: u16, tabs: Tabs) -> Vec<BarItem> {
        let (theme, mut parts) = (self.look.theme, Vec::new());
        for def in &TABS {
            let (name, number) = (self.tab_name(def, tabs).into_owned(), def.first.number());
            let (digit, role) = match self.is_current(def) {
                true => (theme.of(Role::Accent).underlined(), theme.of(Role::Accent).underlined()),
                false if name.is_empty() => (theme.of(Role::Dim), theme.of(Role::Dim)),
                false => (theme.of(Role::Mute), theme.of(Role::Dim)),
            };
            let wide = width(&name) as u16;
            if x + 1 + wide > end {
                break;
            }
            let click = Some(ClickTarget::Do(Action::View(number)));
            parts.push((x, number.to_string(), digit, click));
            parts.push((x + 1, name, role, click));
            x += 1 + wide + Self::tab_gap(tabs) as u16;
        }
        if self.layout.areas().crumbs.is_empty() && x + 12 < end {
            // Without a row for the breadcrumb, its last steps that fit are shown here.
            let (mut steps, gap) = (
                self.navigation.breadcrumb_steps(self.files.session(), self.subject),
                width(self.look.glyphs.step) + 2,
            );
            let last = steps.len().saturating_sub(1);
            let first = first_that_fits(&steps, usize::from(end - x).saturating_sub(gap), gap).max(last.min(1));
            for (index, (text, place)) in steps.drain(..).enumerate().skip(first) {
                let text = format!("{} {text}", self.look.glyphs.step);
                let (wide, role) = (width(&text) as u16, if index == last { Role::Text } else { Role::Dim });
                parts.push((x, text, theme.of(role), Some(ClickTarget::Go(place))));
                x += wide + 1;
            }
        }
        parts
    }

    /// The verdict on the files, the longest text first.
    fn verdicts(&self) -> (Vec<String>, Tone) {
        let Some(session) = self.files.session() else { return (vec![String::new()], Tone::Dim) };
        if !self.files.watch.deleted().is_empty() {
            let (sign, names) = (self.look.glyphs.warn, self.files.watch.deleted().join(", "));
            let has_room = self.layout.areas().header.width >= 110;
            let text = if has_room { format!("{sign} {names} deleted") } else { format!("{sign} deleted") };
            return (vec![text], Tone::Warn);
        }
        let tone = tone(Some(session.pdb_match()));
        let sign = self.look.glyphs.sign(tone);
        let short = match session.pdb_match() {
            PdbMatch::Matched => "matches",
            PdbMatch::Mismatched(_) => "mismatch",
            PdbMatch::NoPdb => "no PDB",
            PdbMatch::NoImage => "no DLL",
            PdbMatch::Unknown => "unknown",
            PdbMatch::NeedsBase => "delta without base",
        };
        let summary = summary_of(session);
        // A pair that matches may be damaged.
        let known = finding::known(session);
        if !known.findings.is_empty() && tone != Tone::Bad {
            // Their number is that of the list.
            let noun = if known.findings.len() == 1 { "finding" } else { "findings" };
            let findings = format!("{} {noun}", self.look.glyphs.bad);
            return (vec![format!("{findings}, {summary}"), findings], Tone::Bad);
        }
        let mut texts = vec![format!("{sign} {short}"), sign.to_owned()];
        // A match needs no more words.
        if tone != Tone::Ok {
            texts.insert(0, format!("{sign} {summary}"));
        }
        (texts, tone)
    }

    /// The breadcrumb, with the code of the selection and the length of the history on the right.
    pub(super) fn breadcrumb(&self) -> Vec<BarItem> {
        let (line, theme) = (self.layout.areas().crumbs, self.look.theme);
        if line.is_empty() {
            return Vec::new();
        }
        let mut parts: Vec<BarItem> = Vec::new();
        let mut end = line.right().saturating_sub(1);
        let mut right = String::new();
        if let Some(selected) = self.navigation.selected() {
            right = selected.selection.place.code_unit().map_or_else(String::new, |of| of.to_string());
        }
        if line.width >= 110 {
            let (back, forward) = self.navigation.history_len();
            let steps = [("back", back), ("forward", forward)];
            let history =
                steps.iter().filter(|(_, number)| *number > 0).map(|(name, number)| format!("{name} {number}"));
            let all = Some(right).into_iter().filter(|code| !code.is_empty()).chain(history);
            right = all.collect::<Vec<_>>().join(&format!(" {} ", self.look.glyphs.dot));
            let wide = width(&right) as u16;
            end -= wide;
            parts.push((end, right, theme.of(Role::Dim), None));
            end -= 2;
        }
        // A beginner looks for the lessons.
        if self.navigation.view() == View::Summary && self.navigation.history_len().0 == 0 {
            let text = format!("New here? {} Learn", View::Learn.number());
            end = end.saturating_sub(width(&text) as u16);
            let target = ClickTarget::Do(LESSON);
            parts.push((end, text, theme.of(Role::Accent), Some(target)));
            end = end.saturating_sub(2);
        }
        let mut breadcrumb_steps = self.navigation.breadcrumb_steps(self.files.session(), self.subject);
        // The last steps that fit.
        let gap = width(self.look.glyphs.step) + 2;
        let room = end.saturating_sub(line.x + 1) as usize;
        self.spell_out_signature(&mut breadcrumb_steps, room, gap);
        let first = shorten_steps(&mut breadcrumb_steps, room, gap, self.look.glyphs);
        let mut x = line.x + 1;
        for (index, (text, place)) in breadcrumb_steps.iter().enumerate().skip(first) {
            if index > first || first > 0 {
                let step = if index == first { self.look.glyphs.more } else { self.look.glyphs.step };
                parts.push((x, format!(" {step} "), theme.of(Role::Mute), None));
                x += gap as u16;
            }
            let last = index + 1 == breadcrumb_steps.len();
            let style = theme.of(if last { Role::Strong } else { Role::Dim });
            let text = fit(text, end.saturating_sub(x) as usize, self.look.glyphs).into_owned();
            let wide = width(&text) as u16;
            // All places of the Learn view have views of their own.
            let is_learn = index == 0 && self.navigation.view() == View::Learn;
            let target = if is_learn { ClickTarget::Do(LESSON) } else { ClickTarget::Go(*place) };
            parts.push((x, text, style, Some(target)));
            x += wide;
        }
        parts
    }

    /// Replaces the step of the method by all of its signature where all steps fit then.
    fn spell_out_signature(&self, steps: &mut [(String, Place)], room: usize, gap: usize) {
        let taken: usize = steps.iter().map(|(text, _)| width(text) + gap).sum();
        // With a subject, the last step names the list of its users.
        let named = steps.len().saturating_sub(usize::from(self.subject.is_some()));
        let Some((text, place)) = steps[..named].iter_mut().rfind(|(_, place)| matches!(place, Place::Method(_)))
        else {
            return;
        };
        let full = self.files.session().and_then(|session| full_label(session, *place));
        if let Some(full) = full.filter(|full| taken - width(text) + width(full) <= room + gap) {
            *text = full;
        }
    }
}

/// The names of a pair of files, of the second one only the ending where both have the same stem.
fn short_names(names: &str) -> String {
    let Some((first, second)) = names.split_once(" + ") else { return names.to_owned() };
    let stem = first.rsplit_once('.').map_or(first, |(stem, _)| stem);
    let ending = second.strip_prefix(stem).filter(|ending| ending.starts_with('.'));
    format!("{first} + {}", ending.unwrap_or(second))
}

/// Index of the first step that is drawn. The last steps that fit into `room` are drawn whole; the one before them is shortened to
/// the width that is left, if that is at least [`MIN_SHORT_STEP`].
fn shorten_steps(steps: &mut [(String, Place)], room: usize, gap: usize, glyphs: &Glyphs) -> usize {
    let first = first_that_fits(steps, room, gap);
    let taken: usize = steps.iter().skip(first).map(|(text, _)| width(text) + gap).sum();
    let left = room.saturating_sub(taken + if first > 1 { gap } else { 0 });
    match first.checked_sub(1) {
        Some(before) if left >= MIN_SHORT_STEP => {
            steps[before].0 = fit_path(&steps[before].0, left, glyphs).into_owned();
            before
        }
        _ => first,
    }
}

/// Index of the first of the last steps that fit into `room`; the last one is shown in any case.
fn first_that_fits(steps: &[(String, Place)], mut room: usize, gap: usize) -> usize {
    let mut first = steps.len();
    for (index, (text, _)) in steps.iter().enumerate().rev() {
        let is_last = index + 1 == steps.len();
        let wide = width(text) + if is_last { 0 } else { gap };
        // An ellipsis precedes the first step that is shown, unless all are.
        let sign = if index > 0 { gap } else { 0 };
        if wide + sign > room && !is_last {
            break;
        }
        (first, room) = (index, room.saturating_sub(wide));
    }
    first
}
