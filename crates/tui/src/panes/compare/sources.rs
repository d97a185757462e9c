//! Drawing of the lines of a method in two builds: below each other, or beside each other.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::method::MethodPair;
use crate::ui::code_line::{Line, statement_roles, wrapped};
use crate::ui::glyphs::BoxSides;
use crate::ui::grid::{Mark, fill_row};
use crate::ui::text::{put, put_right, width};
use crate::ui::theme::{Look, Role};
use pdblens_query::breakpoint::Sign;
use pdblens_session::text::safe::count;

/// Width from which the lines of both builds are always beside each other.
pub(super) const WIDE: u16 = 160;
/// Cells of signs and gaps beside the numbers of a line.
const SIGNS: usize = 5;

/// Lines of both builds that are drawn in one row.
pub(super) type LinePair = (Option<usize>, Option<usize>);

/// The rows of the lines: pairs beside each other; below each other, of a run that differs the old ones come first.
pub(super) fn rows(pair: &MethodPair, is_beside: bool) -> Vec<LinePair> {
    if is_beside {
        return pair.lines.clone();
    }
    let runs = pair.lines.chunk_by(|one, other| pair.is_same(*one) == pair.is_same(*other));
    let of_run = |run: &[LinePair]| match run.first() {
        Some(first) if pair.is_same(*first) => run.to_vec(),
        _ => {
            let old = run.iter().filter(|(old, _)| old.is_some()).map(|(old, _)| (*old, None));
            old.chain(run.iter().filter(|(_, new)| new.is_some()).map(|(_, new)| (None, *new))).collect()
        }
    };
    runs.flat_map(of_run).collect()
}

/// Equal lines that stay beside a difference where others are folded, and folded lines that are worth a row.
const CONTEXT: usize = 2;

/// A row of the lines: a pair, or equal lines that have no room.
enum Drawn {
    Pair(LinePair),
    Folded(usize),
}

/// The lines of a method as they are drawn.
pub(super) struct ComparedLines<'p> {
    pub(super) pair: &'p MethodPair,
    pub(super) is_beside: bool,
    /// First and last selected line of each build.
    pub(super) selected: [Option<(u32, u32)>; 2],
    /// Offset of the selected code in both builds, drawn at the end of its line.
    pub(super) label: String,
}

impl ComparedLines<'_> {
    /// Draws as many rows as there is room for: those around the selection, or from the first difference on.
    pub(super) fn draw(&self, buf: &mut Buffer, area: Rect, look: &Look<'_>) {
        let rows = rows(self.pair, self.is_beside);
        let room = usize::from(area.height);
        let whole: usize = rows.iter().map(|row| self.height(*row, area.width)).sum();
        let rows = if whole > room { self.folded(&rows) } else { rows.into_iter().map(Drawn::Pair).collect() };
        let is = |row: &Drawn, what: &dyn Fn(LinePair) -> bool| matches!(row, Drawn::Pair(pair) if what(*pair));
        let at = rows.iter().position(|row| is(row, &|pair| self.is_selected(pair)));
        let height = |row: &Drawn| match row {
            Drawn::Pair(pair) => self.height(*pair, area.width),
            Drawn::Folded(_) => 1,
        };
        let first = match at {
            Some(at) => {
                let mut above = height(&rows[at]);
                let fits = |row: &&Drawn| {
                    above += height(row);
                    above <= room / 2
                };
                at - rows[..at].iter().rev().take_while(fits).count()
            }
            None => rows
                .iter()
                .position(|row| is(row, &|pair| !self.pair.is_same(pair)))
                .unwrap_or(0)
                .saturating_sub(CONTEXT + 1),
        };
        // The last rows fill the area.
        let mut left = room;
        let last = rows.iter().rev().take_while(|row| {
            left = left.saturating_sub(height(row));
            left > 0
        });
        let first = first.min(rows.len() - last.count());
        let mut y = area.y;
        for row in &rows[first..] {
            let place = Rect { y, height: (height(row) as u16).min(area.bottom() - y), ..area };
            match row {
                Drawn::Pair(pair) => self.draw_row(buf, place, *pair, look),
                Drawn::Folded(lines) => {
                    let text = format!("{} {}", look.glyphs.more, count(*lines as u64, "equal line"));
                    let x = place.x + (2 * self.digits() + SIGNS) as u16;
                    put(buf, x.min(place.right()), y, place.right(), &text, look.theme.of(Role::Mute), look.glyphs);
                }
            }
            y = place.bottom();
            if y >= area.bottom() {
                break;
            }
        }
    }

    /// The rows without equal lines that are far from a difference and from the selection.
    fn folded(&self, rows: &[LinePair]) -> Vec<Drawn> {
        let is_far = |at: usize| {
            let near = rows.iter().take(at + CONTEXT + 1).skip(at.saturating_sub(CONTEXT));
            near.into_iter().all(|row| self.pair.is_same(*row) && !self.is_selected(*row))
        };
        let far: Vec<(LinePair, bool)> = rows.iter().enumerate().map(|(at, row)| (*row, is_far(at))).collect();
        let runs = far.chunk_by(|(_, one), (_, other)| one == other);
        let drawn = runs.flat_map(|run| match run {
            [(_, true), (_, true), ..] => vec![Drawn::Folded(run.len())],
            _ => run.iter().map(|(pair, _)| Drawn::Pair(*pair)).collect(),
        });
        drawn.collect()
    }

    fn line(&self, build: usize, at: Option<usize>) -> Option<&(u32, String)> {
        self.pair.sides[build].lines.get(at?)
    }

    fn is_selected(&self, (old, new): LinePair) -> bool {
        let is_in = |build: usize, at: Option<usize>| {
            let line = self.line(build, at).zip(self.selected[build]);
            line.is_some_and(|((number, _), (from, to))| (from..=to).contains(number))
        };
        is_in(1, new) || is_in(0, old) && (new.is_none() || self.is_beside)
    }

    fn digits(&self) -> usize {
        let last = self.pair.sides.iter().filter_map(|side| side.lines.last()).map(|(number, _)| *number);
        width(&last.max().unwrap_or(0).to_string()).max(3)
    }

    /// Cells for the text of a line.
    fn text_room(&self, width: u16) -> usize {
        let (half, numbers) = if self.is_beside { (width / 2, self.digits()) } else { (width, 2 * self.digits() + 1) };
        usize::from(half).saturating_sub(numbers + SIGNS)
    }

    fn height(&self, (old, new): LinePair, width: u16) -> usize {
        let texts = [self.line(0, old), self.line(1, new)].into_iter().flatten();
        texts.map(|(_, text)| wrapped(text, 0, self.text_room(width)).len()).max().unwrap_or(1)
    }

    fn draw_row(&self, buf: &mut Buffer, area: Rect, row: LinePair, look: &Look<'_>) {
        let (old, new) = row;
        let digits = self.digits();
        let number = |build: usize, at: Option<usize>| {
            let number = self.line(build, at).map_or_else(String::new, |(number, _)| number.to_string());
            format!("{number:>digits$}")
        };
        if !self.is_beside {
            let (build, at) = if new.is_some() { (1, new) } else { (0, old) };
            let numbers = format!("{} {}", number(0, old), number(1, new));
            return self.draw_line(buf, area, (build, at), &numbers, row, look);
        }
        let half = area.width.saturating_sub(1) / 2;
        for y in area.y..area.bottom() {
            if let Some(cell) = buf.cell_mut((area.x + half, y)) {
                let vertical = look.glyphs.box_char(BoxSides::VERTICAL);
                cell.set_char(vertical).set_style(look.theme.of(Role::Faint));
            }
        }
        let right = area.x + half + 1;
        for (build, at) in [old, new].into_iter().enumerate().filter(|(_, at)| at.is_some()) {
            let side = match build {
                0 => Rect { width: half, ..area },
                _ => Rect { x: right, width: area.right() - right, ..area },
            };
            self.draw_line(buf, side, (build, at), &number(build, at), row, look);
        }
    }

    fn draw_line(
        &self,
        buf: &mut Buffer,
        area: Rect,
        (build, at): (usize, Option<usize>),
        numbers: &str,
        row: LinePair,
        look: &Look<'_>,
    ) {
        let Some((_, text)) = self.line(build, at) else { return };
        let is_same = self.pair.is_same(row);
        let (sign, role, ground) = match row {
            _ if is_same => (" ", Role::Text, Role::Text),
            (Some(_), Some(_)) => ("~", Role::Warn, Role::Changed),
            (Some(_), None) => ("-", Role::Bad, Role::Removed),
            _ => ("+", Role::Ok, Role::Added),
        };
        if !is_same {
            buf.set_style(area, look.theme.of(ground));
        }
        let mark = if self.is_selected(row) { Mark::Related } else { Mark::None };
        (area.y..area.bottom()).for_each(|y| fill_row(buf, Rect { y, height: 1, ..area }, mark, look));
        let (y, end) = (area.y, area.right());
        let styled = |role: Role| mark.apply(look.theme.of(role), look, true);
        let x = put(buf, area.x + 1, y, end, &format!("{numbers} "), styled(Role::Dim), look.glyphs);
        let breakpoint = at.and_then(|at| self.pair.sides[build].signs.get(at)).copied().flatten();
        let (dot, dot_role) = breakpoint_sign(breakpoint, look);
        let x = put(buf, x, y, end, dot, styled(dot_role), look.glyphs);
        let x = put(buf, x, y, end, sign, styled(role), look.glyphs) + 1;
        if at.and_then(|at| self.pair.sides[build].doubts.get(at)) == Some(&true) {
            put(buf, x - 1, y, end, look.glyphs.about, styled(Role::Warn), look.glyphs);
        }
        let roles = if self.pair.sides[build].is_c_sharp() { statement_roles(text) } else { Vec::new() };
        let colour = |byte: usize| {
            let piece = roles.get(roles.partition_point(|(end, _)| *end as usize <= byte));
            let style = look.theme.of(Role::Text);
            mark.apply(piece.map_or(style, |(_, role)| style.patch(look.theme.of(*role))), look, true)
        };
        let body = Rect { x: x.min(end), width: end.saturating_sub(x), ..area };
        for ((left, hanging), y) in wrapped(text, 0, body.width.into()).into_iter().zip(area.y..area.bottom()) {
            let hanging = (hanging as u16).min(body.width);
            let place = Rect { x: body.x + hanging, y, width: body.width - hanging, height: 1 };
            Line { text, left, marked: None, doubtful: false }.draw(buf, place, look, (true, &colour));
        }
        if mark != Mark::None && width(text) + width(&self.label) + 2 < usize::from(body.width) {
            put_right(buf, body.x, area.y, end.saturating_sub(1), &self.label, styled(Role::Dim), look.glyphs);
        }
    }
}

/// Sign of a breakpoint on a line, and its role.
fn breakpoint_sign(sign: Option<Sign>, look: &Look<'_>) -> (&'static str, Role) {
    let role = match sign {
        Some(Sign::Stops) => Role::Ok,
        Some(Sign::Moves | Sign::Setting) => Role::Faint,
        Some(Sign::Never) | None => Role::Mute,
    };
    (sign.map_or(" ", |sign| look.glyphs.breakpoint(sign)), role)
}
