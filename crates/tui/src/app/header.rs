//! The header: file names, views, verdict.

use std::borrow::Cow;

use pdblens_nodes::Place;
use pdblens_nodes::finding;
use pdblens_nodes::rows::Tone;
use pdblens_session::session::{PdbMatch, summary_of};

use crate::app::App;
use crate::app::draw::{BarItem, first_that_fits};
use crate::app::mouse::ClickTarget;
use crate::app::registry::VIEWS;
use crate::engine::action::Action;
use crate::state::view::{View, ViewDef};
use crate::ui::text::{fit, width};
use crate::ui::theme::Role;

/// Width that the file names keep beside the names of the views.
const MIN_NAMES_WIDTH: usize = 24;

/// Width that the file names have at most.
const MAX_NAMES_WIDTH: usize = 40;

/// Views that are named at least; with fewer names, numbers are clearer.
const MIN_NAMED: usize = 4;

/// Views whose tabs have names, beside the current one: the first ones, and that of the lessons.
#[derive(Clone, Copy)]
struct Named {
    first: usize,
    learn: bool,
}

impl App {
    /// The header: file names, views, verdict.
    pub(super) fn header(&self) -> Vec<BarItem> {
        let (line, theme) = (self.layout.areas().header, &self.theme);
        let (verdict, short, tone) = self.verdict();
        let mut parts: Vec<BarItem> = Vec::new();
        let mut end = line.right().saturating_sub(1);
        let room = usize::from(line.width);
        let names = self.file_names();
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
        let names = fit(&names, most, &self.glyphs).into_owned();
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
            views => views >= named(short, whole) || !self.watch.deleted.is_empty(),
        }
    }

    /// Name of a view; that of the lessons is the lesson that is taken: its digit leads back there.
    fn view_name(&self, view: View) -> Cow<'static, str> {
        let lesson = self.lessons.current().filter(|lesson| view == View::Learn && lesson.number > 0);
        lesson.map_or(Cow::Borrowed(view.def().name), |lesson| Cow::Owned(format!("Lesson {}", lesson.number)))
    }

    /// Returns whether the tab of a view has its name.
    fn is_named(&self, view: View, named: Named) -> bool {
        (view as usize) < named.first || view == self.navigation.view() || view == View::Learn && named.learn
    }

    /// Width of the views with those names.
    fn tabs_width(&self, named: Named) -> usize {
        let tab = |def: &ViewDef| if self.is_named(def.view, named) { width(&self.view_name(def.view)) + 4 } else { 3 };
        VIEWS.iter().map(tab).sum::<usize>().saturating_sub(2)
    }

    /// Views that can be named beside file names of a width, the last ones but that of the lessons left out first; `None` for too few.
    fn named_views(&self, names: usize, room: usize) -> Option<Named> {
        let mut named = (MIN_NAMED..=VIEWS.len()).rev().map(|first| Named { first, learn: true });
        named.find(|named| self.tabs_width(*named) + names <= room)
    }

    /// The names of some views and the numbers of the others from `x` to `end`; then the last step of the breadcrumb, where that has no row.
    fn view_tabs(&self, mut x: u16, end: u16, named: Named) -> Vec<BarItem> {
        let (theme, mut parts) = (&self.theme, Vec::new());
        for view in VIEWS.iter().map(|def| def.view) {
            let number = view.number();
            let text = if self.is_named(view, named) {
                format!("{number} {}", self.view_name(view))
            } else {
                number.to_string()
            };
            let style =
                if view == self.navigation.view() { theme.of(Role::Accent).underlined() } else { theme.of(Role::Dim) };
            let wide = width(&text) as u16;
            if x + wide > end {
                break;
            }
            parts.push((x, text, style, Some(ClickTarget::Do(Action::View(number)))));
            x += wide + 2;
        }
        if self.layout.areas().crumbs.is_empty() && x + 12 < end {
            // Without a row for the breadcrumb, its last steps that fit are shown here.
            let (mut steps, gap) =
                (self.navigation.breadcrumb_steps(self.session.as_deref()), width(self.glyphs.step) + 2);
            let last = steps.len().saturating_sub(1);
            let first = first_that_fits(&steps, usize::from(end - x).saturating_sub(gap), gap).max(last.min(1));
            for (index, (text, place)) in steps.drain(..).enumerate().skip(first) {
                let text = format!("{} {text}", self.glyphs.step);
                let (wide, role) = (width(&text) as u16, if index == last { Role::Text } else { Role::Dim });
                parts.push((x, text, theme.of(role), Some(ClickTarget::Go(place))));
                x += wide + 1;
            }
        }
        parts
    }

    fn verdict(&self) -> (String, String, Tone) {
        let Some(session) = &self.session else { return (String::new(), String::new(), Tone::Dim) };
        if !self.watch.deleted.is_empty() {
            let sign = self.glyphs.warn;
            return (
                format!("{sign} {} deleted", self.watch.deleted.join(", ")),
                format!("{sign} deleted"),
                Tone::Warn,
            );
        }
        let (sign, tone) = match session.pdb_match() {
            PdbMatch::Matched => (self.glyphs.ok, Tone::Ok),
            PdbMatch::Mismatched(_) => (self.glyphs.bad, Tone::Bad),
            _ => (self.glyphs.warn, Tone::Warn),
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
            let findings = format!("{} {noun}", self.glyphs.bad);
            return (format!("{findings}, {summary}"), findings, Tone::Bad);
        }
        (format!("{sign} {summary}"), format!("{sign} {short}"), tone)
    }
}
