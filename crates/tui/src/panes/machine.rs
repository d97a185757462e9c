//! The Machine code pane: the precompiled code of a method of IL, in the colours of its points, with the registers of its variables.

use crate::panes::signature::below;
use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::panes::lanes::{LanePoints, Lanes};
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::state::effect::Effect;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::text::{put, put_lines, width, wrap};
use crate::ui::theme::{Role, scope_role};
use crate::ui::tree::ListState;
use pdblens_formats::r2r::Bound;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::method::MethodView;
use pdblens_nodes::method::native::{MachineCode, MappedBody, code_name, location_text, variable_name};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{self as nodes, MethodPart, Place};
use pdblens_query::native_where::{bounds_of, native_where, sentence};
use pdblens_query::quality::PointState;
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

const GUTTER: usize = 0;
const IL: usize = 1;
const BYTES: usize = 3;
const MNEMONIC: usize = 4;
const OPERANDS: usize = 5;
/// Words for code without a position in IL.
const NO_IL: &str = "no IL";

/// Columns, whose names are those of exports.
const COLUMNS: [Head; 6] = [
    Head::text("gutter"),
    Head::text("il"),
    Head::number("offset"),
    Head::text("bytes"),
    Head::text("instruction"),
    Head::text("operands"),
];

/// Widths from which IL offsets and bytes are shown.
const WITH_IL: u16 = 58;
const WITH_BYTES: u16 = 84;
/// Cells of the gutter before the lanes of variables: the bar of the point, and the sign of a step back in IL.
const SIGNS: usize = 2;
/// Height from which the variables have two lines.
const HIGH: u16 = 14;
/// Lines of the reason why a breakpoint is refused.
const MAX_REASON: usize = 3;

#[derive(Default)]
struct MachinePane {
    of: Option<CodeUnit>,
    code: Option<Arc<MachineCode>>,
    points: LanePoints,
    lanes: Lanes,
    /// Instructions of each row: one, or those of a run without IL that is folded.
    shown: Arc<Vec<std::ops::Range<usize>>>,
    /// First instructions of the runs that are unfolded.
    unfolded: BTreeSet<usize>,
    /// Reason why a debugger refuses a breakpoint at the selected IL offset.
    refused: Option<String>,
}

pub fn new() -> Box<dyn Pane> {
    list_pane::by_cell(grid(), MachinePane::default())
}

fn grid() -> Grid {
    Grid { headless: true, ..Grid::default() }
}

/// The rows of the list, arranged for a pane beside IL; `lanes` is the number of cells that the variables take.
fn rows(
    session: &Session,
    view: Arc<MethodView>,
    code: Arc<MachineCode>,
    shown: Arc<Vec<std::ops::Range<usize>>>,
    lanes: usize,
) -> Option<Rows<'_>> {
    let method = view.of.token();
    let list = Arc::clone(&code).rows(session, view)?;
    Some(Rows::new("", COLUMNS.to_vec(), shown.len(), move |row| {
        let Some(run) = shown.get(row).cloned() else { return Row::default() };
        let index = run.start;
        let row = list.get(index).unwrap_or_default();
        let mut all = row.cells.into_iter();
        let [_, offset, bytes, mnemonic, mut operands, il, _, _, target] =
            std::array::from_fn(|_| all.next().unwrap_or_default());
        if let Some((rva, native)) = code.jump_of(session, index) {
            operands.text = operands.text.replacen(&format!("{rva:#x}"), &format!("+{native:#x}"), 1);
            operands.to = Some(Place::MethodPart(method, MethodPart::NativeAt(rva)));
        } else if !target.text.is_empty() {
            // The name of a callee says more than the address of its cell.
            let is_call = mnemonic.text.starts_with("call") || mnemonic.text.starts_with("bl");
            let name = brief_name(&target.text).to_owned();
            let (text, beside) = if is_call { (name, operands.text) } else { (operands.text, name) };
            operands = Cell { to: target.to, ..Cell::new(text).beside(beside) };
        }
        operands.text = operands.text.replace(" ptr ", " ");
        // The brackets are drawn by the pane: here they only take their cells.
        let gutter = Cell::new(" ".repeat(SIGNS + lanes));
        if run.len() > 1 {
            let words = Cell::new(if il.text == "none" { NO_IL } else { &il.text });
            let size = Cell::new(count(run.len() as u64, "instruction"));
            let cells = [gutter, Cell::default(), offset, Cell::default(), words, size];
            let cells = cells.map(|cell| Cell { tone: Tone::Dim, ..cell }).into();
            return Row { place: row.place, span: row.span, ..Row::plain(cells) };
        }
        // The pane draws the sign of a point with several addresses, too.
        let il = if mnemonic.text == il.text || mnemonic.text == NO_IL {
            // A range of recorded code has its offset in the place of an instruction.
            Cell::default()
        } else {
            Cell { text: format!("{} ", il.text), ..il }
        };
        let mut cells = vec![gutter, il, offset, bytes, mnemonic, operands];
        if bound_of(&code, index).is_none_or(|bound| bound.il.offset().is_none()) {
            for cell in &mut cells {
                cell.tone = Tone::Dim;
            }
        }
        Row { place: row.place, span: row.span, ..Row::plain(cells) }
    }))
}

/// Type and name of a method that code calls, without namespace and parameters.
fn brief_name(callee: &str) -> &str {
    let name = ["method entry ", "by MethodDef ", "by MemberRef "]
        .iter()
        .fold(callee, |name, words| name.strip_prefix(words).unwrap_or(name));
    let name = name.split('(').next().unwrap_or(name);
    let dots = if name.ends_with("..ctor") { 2 } else { 1 };
    let is_plain = !name.contains(['<', ' ']);
    let namespace = name.rmatch_indices('.').nth(dots).filter(|_| is_plain);
    namespace.and_then(|(dot, _)| name.get(dot + 1..)).unwrap_or(name)
}

/// Brackets along the rows in which each variable has a location.
fn variable_lanes(code: &MachineCode) -> Lanes {
    let of_body = |(body, mapped): (usize, &MappedBody)| -> Vec<(u32, u64, Role)> {
        let ranges = mapped.info.variables.iter().map(|variable| {
            let rows = code.rows_in(body, variable.start..variable.end);
            (rows.start as u32, rows.end as u64, variable_role(mapped, variable.number))
        });
        ranges.filter(|(first, end, _)| u64::from(*first) < *end).collect()
    };
    Lanes::along(code.bodies.iter().enumerate().flat_map(of_body))
}

/// Numbers of the variables that have a location somewhere, ascending.
fn numbers(mapped: &MappedBody) -> Vec<i32> {
    let mut numbers: Vec<i32> = mapped.info.variables.iter().map(|variable| variable.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The colour of a variable, by its rank in the method.
fn variable_role(mapped: &MappedBody, number: i32) -> Role {
    scope_role(numbers(mapped).partition_point(|other| *other < number))
}

/// Returns true if code of a greater IL offset precedes a bound.
fn goes_back(mapped: &MappedBody, bound: &Bound) -> bool {
    let Some(il) = bound.il.offset() else { return false };
    let before = mapped.info.bounds.iter().take_while(|other| other.native < bound.native);
    before.filter_map(|other| other.il.offset()).any(|other| other > il)
}

/// The position in IL of a row.
fn bound_of(code: &MachineCode, row: usize) -> Option<&Bound> {
    let (mapped, native) = code.instruction(row)?;
    mapped.info.bound_at(native)
}

impl MachinePane {
    /// Folds the runs of code without IL, but those that are unfolded.
    fn fold(&mut self) {
        let Some(code) = &self.code else { return };
        let runs = code.runs_without_il().into_iter().filter(|run| !self.unfolded.contains(&run.start));
        let (mut shown, mut next) = (Vec::new(), 0);
        for run in runs {
            shown.extend((next..run.start).map(|line| line..line + 1));
            next = run.end;
            shown.push(run);
        }
        shown.extend((next..code.instruction_count()).map(|line| line..line + 1));
        self.shown = Arc::new(shown);
    }

    /// Unfolds the run of a row, or folds that of one of its instructions; `None` for other rows.
    fn toggle(&mut self, row: usize, list: &mut ListState) -> Option<()> {
        let shown = self.shown.get(row)?;
        let run = self.code.as_ref()?.runs_without_il().into_iter().find(|run| run.contains(&shown.start))?;
        if !self.unfolded.remove(&run.start) {
            self.unfolded.insert(run.start);
        }
        self.fold();
        list.grid.scroll.len = self.shown.len();
        list.grid.show(Some(self.row_of(run.start)));
        Some(())
    }

    /// First instruction of a row.
    fn line(&self, row: usize) -> Option<usize> {
        Some(self.shown.get(row)?.start)
    }

    /// Row of an instruction.
    fn row_of(&self, line: usize) -> usize {
        self.shown.partition_point(|run| run.end <= line)
    }

    /// IL offsets of the bounds whose code is selected.
    fn linked_il(&self, cx: &Context<'_>) -> std::ops::Range<u32> {
        let selected = cx.selected;
        let Some(code) = self.code.as_ref().filter(|_| !selected.code.is_empty()) else { return 0..0 };
        let point = selected.point.and_then(|index| selected.method.as_ref()?.points.get(index));
        bounds_of(&code.bodies, &selected.code, point.map_or(0, |point| point.offset))
    }

    fn il_of(&self, row: usize) -> Option<u32> {
        bound_of(self.code.as_ref()?, self.line(row)?)?.il.offset()
    }

    /// Lines of the reason why a breakpoint is refused.
    fn reason(&self, size: Size) -> Vec<String> {
        let wide = usize::from(size.width).saturating_sub(2).max(1);
        let mut lines = self.refused.as_deref().map_or_else(Vec::new, |text| wrap(text, wide));
        lines.truncate(MAX_REASON.min(usize::from(size.height) / 3));
        lines
    }

    /// Lines of the variables under the list.
    fn legend_height(&self, size: Size) -> u16 {
        let has_variables =
            self.code.as_ref().is_some_and(|code| code.bodies.iter().any(|mapped| !mapped.info.variables.is_empty()));
        if has_variables { 1 + u16::from(size.height >= HIGH) } else { 0 }
    }

    /// Variables at the row of the cursor: their locations, or where they were last; each with its colour.
    fn legend(&self, list: &ListState, cx: &Context<'_>) -> Vec<(String, Option<Role>)> {
        let row = list.grid.row().unwrap_or(0);
        let found = self.code.as_ref().zip(self.line(row)).and_then(|(code, line)| code.instruction(line));
        let shown = found.zip(cx.selected.method.as_deref()).zip(Precompiled::of(cx.session));
        let Some((((mapped, native), view), image)) = shown else { return Vec::new() };
        let il = self.il_of(row).unwrap_or(0);
        let mut parts = vec![(format!("at +{native:#x}"), None)];
        let mut gone = Vec::new();
        for number in numbers(mapped) {
            let name = || variable_name(cx.session, view, number, il);
            let mut ranges = mapped.info.variables.iter().filter(|variable| variable.number == number);
            let last = ranges.clone().map(|variable| variable.end).filter(|end| *end <= native).max();
            match (ranges.find(|variable| variable.start <= native && native < variable.end), last) {
                (Some(here), _) => {
                    let location = location_text(image.r2r.target.machine, here.location);
                    parts.push((format!("{} {location}", name()), Some(variable_role(mapped, number))));
                }
                (None, Some(end)) => gone.push((format!("{} gone at +{end:#x}", name()), None)),
                (None, None) => {}
            }
        }
        parts.extend(gone);
        parts
    }

    fn draw_legend(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) {
        let (mut x, mut y) = (area.x + 1, area.y);
        for (text, role) in self.legend(list, cx) {
            if x > area.x + 1 && usize::from(area.right().saturating_sub(x)) < width(&text) && y + 1 < area.bottom() {
                (x, y) = (area.x + 1, y + 1);
            }
            if y < area.bottom() {
                let style = cx.look.theme.of(role.unwrap_or(Role::Dim));
                x = put(buf, x, y, area.right(), &text, style, cx.look.glyphs) + 3;
            }
        }
    }

    /// Bar of the point, sign of a step back, and lanes of the variables beside a row.
    fn gutter(&self, row: usize, style: Style, cx: &Context<'_>) -> Vec<(String, Style)> {
        let glyphs = cx.look.glyphs;
        let hue = |role: Option<Role>| role.map_or(style, |role| style.patch(cx.look.theme.of(role)));
        let il = self.il_of(row).map(|il| self.points.role(il));
        let lines = self.shown.get(row).cloned().unwrap_or_default();
        let instruction = self.code.as_ref().and_then(|code| code.instruction(lines.start));
        let is_back = instruction.is_some_and(|(mapped, native)| {
            mapped.info.bound_at(native).is_some_and(|bound| bound.native == native && goes_back(mapped, bound))
        });
        let mut parts = vec![
            (if il.is_some() { glyphs.bar } else { " " }.to_owned(), hue(il)),
            (if is_back { glyphs.back } else { " " }.to_owned(), hue(Some(Role::Warn))),
        ];
        let lanes = self.lanes.parts(lines.start as u32, lines.end as u32, glyphs).into_iter();
        parts.extend(lanes.map(|(sign, role)| (sign.to_owned(), hue(role))));
        parts
    }
}

impl Shows for MachinePane {
    fn title(&self, list: &ListState, _: &Context<'_>) -> Title {
        let title = Title::new("Machine code");
        let Some((code, line)) = self.code.as_ref().zip(list.grid.row().and_then(|row| self.line(row))) else {
            return title;
        };
        let Some((mapped, _)) = code.instruction(line) else { return title };
        let title = match &mapped.recorded {
            _ if code.bodies.len() > 1 => title.of(code_name(&mapped.name, mapped.recorded.as_ref())),
            Some(recorded) => title.of(&recorded.tier),
            None => title,
        };
        title.at(format!("{:#x} · {}", mapped.address_of(0), count(mapped.body.size(), "byte")))
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let of = cx.selected.method.as_deref().map(|view| view.of);
        if self.of == of {
            return;
        }
        (*self, list.grid) = (Self { of, ..Self::default() }, grid());
        let Some(view) = cx.selected.method.as_deref() else { return };
        let CodeUnit::Method(method) = view.of else { return };
        self.code = MachineCode::of(cx.session, method).map(Arc::new);
        if let Some(code) = &self.code {
            (self.points, self.lanes) = (LanePoints::of(view, cx.session), variable_lanes(code));
        }
        self.fold();
    }

    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        let (view, code) = cx.selected.method.clone().zip(self.code.clone())?;
        let mut rows = rows(cx.session, view, code, Arc::clone(&self.shown), self.lanes.width())?;
        rows.columns.iter_mut().for_each(|head| head.name = "");
        rows.hidden = match list.size.width {
            ..WITH_IL => vec![IL, BYTES],
            WITH_IL..WITH_BYTES => vec![BYTES],
            WITH_BYTES.. => Vec::new(),
        };
        Some(rows)
    }

    fn source(&self, _: &ListState, cx: &Context<'_>) -> Option<RowSource> {
        let (view, code, lanes) = (cx.selected.method.clone()?, self.code.clone()?, self.lanes.width());
        let shown = Arc::clone(&self.shown);
        Some(Arc::new(move |session| rows(session, Arc::clone(&view), Arc::clone(&code), Arc::clone(&shown), lanes)))
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action != Action::Follow {
            return None;
        }
        let (row, rows) = (list.grid.row()?, self.rows(list, cx)?);
        let callee = rows.get(row)?.cells.get(OPERANDS).and_then(|cell| cell.to);
        let target = callee.or_else(|| list.grid.link_target(&rows));
        drop(rows);
        if callee.is_none() && self.toggle(row, list).is_some() {
            return Some(Vec::new());
        }
        Some(vec![Effect::Go(target?.into())])
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let place = cx.selected.selection.place;
        let il = self.linked_il(cx);
        let start = cx.selected.code.start;
        let answers = match (place, &cx.selected.method) {
            // No breakpoint is set inside of a statement.
            (Place::MethodPart(_, MethodPart::Point(_) | MethodPart::Instruction(_)), Some(view))
                if view.points.is_empty() || self.points.at(start).is_some() =>
            {
                native_where(cx.session, view.of.token(), start)
            }
            _ => Vec::new(),
        };
        let is_refused = answers.iter().all(|answer| answer.accepted == Some(false));
        let refused = answers.first().filter(|_| is_refused);
        self.refused = refused.map(|answer| sentence(answer, start));
        // The reason takes lines of the list.
        list.grid.scroll.set_height(self.area(Rect::from((Position::ORIGIN, list.size)), list, cx).height.into());
        let first = |il: &std::ops::Range<u32>| {
            (0..self.shown.len()).find(|row| self.il_of(*row).is_some_and(|at| il.contains(&at)))
        };
        let row = match place {
            Place::MethodPart(_, MethodPart::NativeAt(rva)) => {
                self.code.as_ref().and_then(|code| code.row_of(rva)).map(|line| self.row_of(line))
            }
            _ => first(&il),
        };
        // The code around a breakpoint that is refused.
        let near = refused.and_then(|answer| answer.after.or(answer.before)).map(|range| range.il);
        let near = near.and_then(|il| first(&(il..il.saturating_add(1))));
        list.grid.show(row.or(near));
        list.grid.idle |= row.is_none();
    }

    fn area(&self, pane: Rect, list: &ListState, _: &Context<'_>) -> Rect {
        let area = below(pane, self.reason(list.size).len());
        Rect { height: area.height.saturating_sub(self.legend_height(list.size)), ..area }
    }

    fn facts(&self, list: &ListState, _: &Context<'_>) -> Facts {
        let len = if self.code.is_some() { self.shown.len() } else { 3 };
        let height = u16::try_from(len).unwrap_or(u16::MAX).saturating_add(self.legend_height(list.size));
        Facts { content_size: ContentSize { width: WITH_IL, height, brief: 0 }, ..Facts::default() }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        let of = cx.selected.method.as_deref().map(|view| Place::MethodPart(view.of.token(), MethodPart::Native));
        let reason = || match of {
            Some(place) => nodes::absence(cx.session, place),
            None => "Select a method to see its machine code.".to_owned(),
        };
        self.code.is_none().then(|| reason().into())
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let theme = cx.look.theme;
        put_lines(buf, area, 1, self.reason(list.size).into_iter().map(|line| (line, Role::Warn)), &cx.look);
        let upper = self.area(area, list, cx);
        self.draw_legend(Rect { y: upper.bottom(), height: area.bottom() - upper.bottom(), ..area }, buf, list, cx);
        let il = self.linked_il(cx);
        let linked = |row: usize, _: &Row| self.il_of(row).is_some_and(|at| il.contains(&at));
        let paint = |(row, column): (usize, usize), cell: &Cell, _: &str, style: Style| match column {
            GUTTER => Some(self.gutter(row, style, cx)),
            IL | MNEMONIC if column == IL || cell.text.starts_with("IL_") => {
                let role = self.points.role(self.il_of(row)?);
                let again = if self.points.at(self.il_of(row)?) == Some(PointState::Several) { "+" } else { "" };
                let text = cell.text.trim_end();
                let text = if text.is_empty() { String::new() } else { format!("{text}{again}") };
                Some(vec![(text, style.patch(theme.of(role)))])
            }
            _ => None,
        };
        list.grid.draw(buf, upper, &self.rows(list, cx)?, &cx.look, &linked, &paint)
    }
}
