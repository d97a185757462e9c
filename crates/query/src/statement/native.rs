//! Calls of native code by the lines that make them: the most that can be said of a line without its source.

use pdblens_formats::bytes::is_inside;
use std::collections::HashMap;

use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::code_unit::{CodeUnit, MethodView};
use pdblens_nodes::function::{Disassembly, Flow, inlined_sites};
use pdblens_session::session::Session;

use super::line::{CALLS, Statement};

/// The calls that the line of each point makes, inlined ones too; those inside an inlined function are not the line's.
pub(super) fn calls(session: &Session, of: CodeUnit) -> Vec<Option<Statement>> {
    let view = MethodView::of(session, of);
    let code = Disassembly::of(session, &view);
    let sites = inlined_sites(session, of.address());
    let inlined = || sites.iter().flat_map(|site| &site.ranges);
    let is_inlined = |offset: u32| inlined().any(|range| is_inside(offset, range.offset, range.len));
    let calls = code.instructions.iter().filter(|found| found.flow == Flow::Call && !is_inlined(found.offset));
    let calls = calls.map(|call| {
        let target = code.target(session, &view, call);
        (call.offset, target.map_or_else(|| "a function pointer".to_owned(), |target| target.text))
    });
    let outer = sites.iter().filter(|site| site.depth == 0);
    let begins = outer.filter_map(|site| Some((site.ranges.first()?.offset, site.name.clone())));
    let mut names: Vec<(u32, String)> = calls.chain(begins).collect();
    names.sort_unstable();
    let line_of = |point: &SequencePoint| (point.document, point.start_line, point.start_column);
    let mut lines: HashMap<(u32, u32, u32), Vec<String>> = HashMap::new();
    for (offset, name) in names {
        let point = view.points.covering(offset).and_then(|index| view.points.get(index));
        let Some(point) = point.filter(|point| !point.is_hidden()) else { continue };
        let line = lines.entry(line_of(point)).or_default();
        if !line.contains(&name) {
            line.push(name);
        }
    }
    let statement = |point: &SequencePoint| {
        let text = format!("{CALLS}{}", lines.get(&line_of(point))?.join(", "));
        Some(Statement { text, ..Statement::default() })
    };
    view.points.iter().map(statement).collect()
}
