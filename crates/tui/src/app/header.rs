//! The lines above the panes: the header with file names, views and verdict, and the breadcrumb.

use std::borrow::Cow;

use ratatui::style::Style;

use crate::app::draw::LESSON;
use crate::app::files::Files;
use crate::app::input::ClickTarget;
use crate::app::layout::PaneLayout;
use crate::app::navigation::Navigation;
use crate::app::registry::VIEWS;
use crate::engine::action::Action;
use crate::state::breadcrumb::full_label;
use crate::state::lessons::Lessons;
use crate::state::view::View;
use crate::ui::glyphs::Glyphs;
use crate::ui::text::{fit, fit_path, width};
use crate::ui::theme::{Look, Role};
use pdblens_nodes::rows::Tone;
use pdblens_nodes::{Place, finding};
use pdblens_session::session::{PdbMatch, summary_of};

/// Width that the file names keep beside the names of the views.
const MIN_NAMES_WIDTH: usize = 24;
const MAX_NAMES_WIDTH: usize = 40;
/// Views that are named at least; with fewer names, numbers are clearer.
const MIN_NAMED: usize = 4;
const MIN_SHORT_STEP: usize = 16;
/// An item of a bar: x position, text, style, and the effect of a click.
pub(super) type BarItem = (u16, String, Style, Option<ClickTarget>);

pub(super) struct Bars<'a> {
    pub(super) files: &'a Files,
    pub(super) navigation: &'a Navigation,
    pub(super) layout: &'a PaneLayout,
    pub(super) lessons: &'a Lessons,
    pub(super) look: Look<'a>,
}

/// Views whose tabs have names, beside the current one: the first ones, and that of the lessons.
#[derive(Clone, Copy)]
struct Named {
    first: usize,
    learn: bool,
}

impl Bars<'_> {
    pub(super) fn header(&self) -> Vec<BarItem> {
        let (line, theme) = (self.layout.areas().header, self.look.theme);
        let (verdict, short, tone) = self.verdict();
        let mut parts: Vec<BarItem> = Vec::new();
        let mut end = line.right().saturating_sub(1);
        let room = usize::from(line.width);
        let names = self.files.label();
        let short_names = width(&names).min(MIN_NAMES_WIDTH);
        if line.width >= 50 {
            let long = line.width >= 110 && self.has_room_for(&verdict, &short, width(&names));
            let text = if long { verdict } else { short };
            let wide = width(&text) as u16;
            if wide + 24 < end {
                end -= wide;
                parts.push((end, text, theme.tone(tone), Some(ClickTarget::Go(Place::Overview))));
                end = end.saturating_sub(2);
            }
        }
        let before = usize::from(end.saturating_sub(line.x + 4));
        let whole = width(&names).min(MAX_NAMES_WIDTH);
        let named = self.named_views(whole, before).or_else(|| self.named_views(short_names, before));
        // Of the numbers, the view that teaches keeps its name longest, beside the current one.
        let few = [Named { first: 0, learn: true }, Named { first: 0, learn: false }];
        let narrow = || few.into_iter().find(|few| self.tabs_width(*few) + short_names <= before).unwrap_or(few[1]);
        let tabs = named.unwrap_or_else(narrow);
        let most = match line.width {
            ..50 => room.saturating_sub(2),
            _ => before.saturating_sub(self.tabs_width(tabs)).min(MAX_NAMES_WIDTH),
        };
        let names = fit(&names, most, self.look.glyphs).into_owned();
        let mut x = line.x + 1;
        match names.split_once(" + ") {
            Some((first, second)) => {
                parts.push((x, first.to_owned(), theme.of(Role::Strong), None));
                let plus = format!(" + {second}");
                parts.push((x + width(first) as u16, plus, theme.of(Role::Dim), None));
            }
            None => parts.push((x, names.clone(), theme.of(Role::Strong), None)),
        }
        x += width(&names) as u16 + 3;
        if line.width < 50 {
            return parts;
        }
        parts.extend(self.view_tabs(x, end, tabs));
        parts
    }

    /// Returns whether the verdict fits in full beside file names of a width, which are cut for it. It is abbreviated if that leaves room
    /// to name more views, except while it names a deleted file.
    fn has_room_for(&self, verdict: &str, short: &str, names: usize) -> bool {
        let room = usize::from(self.layout.areas().header.width);
        let named = |verdict: &str, names: usize| {
            self.named_views(names, room.saturating_sub(width(verdict) + 7)).map_or(0, |named| named.first)
        };
        let whole = names.min(MAX_NAMES_WIDTH);
        match named(verdict, whole) {
            0 => named(short, whole) == 0 && named(verdict, names.min(MIN_NAMES_WIDTH)) > 0,
            views => views >= named(short, whole) || !self.files.deleted().is_empty(),
        }
    }

    /// Name of a view; that of the lessons is the lesson that is taken: its digit leads back there.
    fn view_name(&self, view: View) -> Cow<'static, str> {
        let lesson = self.lessons.current().filter(|lesson| view == View::Learn && lesson.number > 0);
        lesson.map_or(Cow::Borrowed(view.def().name), |lesson| Cow::Owned(format!("Lesson {}", lesson.number)))
    }

    fn is_named(&self, view: View, named: Named) -> bool {
        (view as usize) < named.first || view == self.navigation.view() || view == View::Learn && named.learn
    }

    fn tabs_width(&self, named: Named) -> usize {
        let tab = |view| if self.is_named(view, named) { width(&self.view_name(view)) + 4 } else { 3 };
        VIEWS.iter().map(|def| tab(def.view)).sum::<usize>().saturating_sub(2)
    }

    /// Views that can be named beside file names of a width, the last ones but that of the lessons left out first; `None` for too few.
    fn named_views(&self, names: usize, room: usize) -> Option<Named> {
        let mut named = (MIN_NAMED..=VIEWS.len()).rev().map(|first| Named { first, learn: true });
        named.find(|named| self.tabs_width(*named) + names <= room)
    }

    /// The names of some views and the numbers of the others from `x` to `end`; then the last step of the breadcrumb, where that has no row.
    fn view_tabs(&self, mut x: u16, end: u16, named: Named) -> Vec<BarItem> {
        let (theme, mut parts) = (self.look.theme, Vec::new());
        for view in VIEWS.iter().map(|def| def.view) {
            let key = view.number().to_string();
            let text = if self.is_named(view, named) { format!("{key} {}", self.view_name(view)) } else { key };
            let style =
                if view == self.navigation.view() { theme.of(Role::Accent).underlined() } else { theme.of(Role::Dim) };
            let wide = width(&text) as u16;
            if x + wide > end {
                break;
            }
            parts.push((x, text, style, Some(ClickTarget::Do(Action::View(view.number())))));
            x += wide + 2;
        }
        if self.layout.areas().crumbs.is_empty() && x + 12 < end {
            // Without a row for the breadcrumb, its last steps that fit are shown here.
            let (mut steps, gap) =
                (self.navigation.breadcrumb_steps(self.files.session()), width(self.look.glyphs.step) + 2);
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

    fn verdict(&self) -> (String, String, Tone) {
        let Some(session) = self.files.session() else { return (String::new(), String::new(), Tone::Dim) };
        if !self.files.deleted().is_empty() {
            let sign = self.look.glyphs.warn;
            return (
                format!("{sign} {} deleted", self.files.deleted().join(", ")),
                format!("{sign} deleted"),
                Tone::Warn,
            );
        }
        let (sign, tone) = match session.pdb_match() {
            PdbMatch::Matched => (self.look.glyphs.ok, Tone::Ok),
            PdbMatch::Mismatched(_) => (self.look.glyphs.bad, Tone::Bad),
            _ => (self.look.glyphs.warn, Tone::Warn),
        };
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
            return (format!("{findings}, {summary}"), findings, Tone::Bad);
        }
        (format!("{sign} {summary}"), format!("{sign} {short}"), tone)
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
            let dot = self.look.glyphs.dot;
            let (back, forward) = self.navigation.history_len();
            let history = format!("back {back} {dot} forward {forward}");
            right = if right.is_empty() { history } else { format!("{right} {dot} {history}") };
            let wide = width(&right) as u16;
            end -= wide;
            parts.push((end, right, theme.of(Role::Dim), None));
            end -= 2;
        }
        // The header names the lessons if the overview has no room to: a beginner looks for them.
        if line.width < 110 && self.navigation.view() == View::Overview && self.navigation.history_len().0 == 0 {
            let text = format!("New here? {} Learn", View::Learn.number());
            end = end.saturating_sub(width(&text) as u16);
            let target = ClickTarget::Do(LESSON);
            parts.push((end, text, theme.of(Role::Accent), Some(target)));
            end = end.saturating_sub(2);
        }
        let mut breadcrumb_steps = self.navigation.breadcrumb_steps(self.files.session());
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
        let Some((text, place)) = steps.iter_mut().rfind(|(_, place)| matches!(place, Place::Method(_))) else {
            return;
        };
        let full = self.files.session().and_then(|session| full_label(session, *place));
        if let Some(full) = full.filter(|full| taken - width(text) + width(full) <= room + gap) {
            *text = full;
        }
    }
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
