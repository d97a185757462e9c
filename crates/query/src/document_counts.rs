//! Points, methods and lines of every document, counted in one walk over all methods.

use std::ops::ControlFlow;

use crate::breakpoint::MethodCode;
use pdblens_formats::bytes::Resource;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::{SequencePoint, TableId, Token, code_unit};
use pdblens_session::session::Session;
use pdblens_session::symbols::SymbolReader;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentCounts {
    /// Sequence points that are not hidden, or line records of native code.
    pub points: u32,
    /// Methods or functions that have one of them.
    pub methods: u32,
    /// Lines that one of them begins on.
    pub lines: u32,
    /// Points whose IL offset has no machine code of its own, so that a debugger never stops there.
    pub refused: u32,
}

/// The counts of all documents, in their order; `None` if `stop` returned true or there are too many lines.
pub fn document_counts(session: &Session, stop: &dyn Fn() -> bool) -> Option<Vec<DocumentCounts>> {
    let documents = session.symbols().map_or(0, SymbolReader::documents);
    let mut counts = vec![DocumentCounts::default(); documents as usize];
    let (mut lines, mut looked_at, mut is_complete) = (Vec::new(), 0_u32, true);
    let mut share = session.spaces().budget().share(Resource::Rows);
    let mut add = |points: &[SequencePoint], code: &MethodCode| {
        looked_at += 1;
        let has_room = share.take(points.len() as u64);
        if !has_room {
            share.leave_out("counts of documents", format!("method {looked_at} of those that have points"), None);
        }
        if looked_at.is_multiple_of(1024) && stop() || !has_room {
            is_complete = false;
            return ControlFlow::Break(());
        }
        let mut of_unit: Vec<u32> = Vec::new();
        for point in points.iter().filter(|point| !point.is_hidden()) {
            let index = (point.document as usize).wrapping_sub(1);
            let Some(count) = counts.get_mut(index) else { continue };
            count.points += 1;
            count.refused += u32::from(code.at(point.offset).is_refused());
            of_unit.push(point.document);
            lines.push((point.document, point.start_line));
        }
        of_unit.sort_unstable();
        of_unit.dedup();
        for document in of_unit {
            let count = &mut counts[document as usize - 1];
            count.methods += 1;
        }
        ControlFlow::Continue(())
    };
    if let Some(native) = NativeView::of(session) {
        native.each_lines(&mut |_, lines| add(&lines.points, &MethodCode::default()));
    }
    for row in 1..=session.symbols().map_or(0, SymbolReader::methods) {
        let method = Token::new(TableId::METHOD_DEF, row).into();
        let points = code_unit::points(session, method);
        let code = if points.is_empty() { MethodCode::default() } else { MethodCode::of(session, method) };
        if add(&points, &code).is_break() {
            break;
        }
    }
    if !is_complete {
        return None;
    }
    lines.sort_unstable();
    lines.dedup();
    for (document, _) in lines {
        let count = &mut counts[document as usize - 1];
        count.lines += 1;
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_lines::document_lines;

    #[test]
    fn counts_agree_with_the_lines_of_each_document() {
        for name in ["workshop/Workshop.dll", "workshop-windows/Workshop.dll", "native/tally.exe"] {
            let path = format!("{}/../../assets/samples/{name}", env!("CARGO_MANIFEST_DIR"));
            let session = Session::open(&[path.into()]).unwrap();
            let counts = document_counts(&session, &|| false).unwrap();
            assert_eq!(counts.len() as u32, session.symbols().unwrap().documents(), "{name}");
            assert!(counts.iter().any(|count| count.lines > 1 && count.points >= count.lines), "{name}: {counts:?}");
            for (row, count) in (1..).zip(&counts) {
                let lines = document_lines(&session, row, &|| false);
                assert_eq!((count.points as usize, count.methods as usize), (lines.len(), lines.methods()), "{name}");
            }
        }
        // In the machine code of a release build some points have no place.
        let path = format!("{}/../../tests/golden/statements/Language.release.dll", env!("CARGO_MANIFEST_DIR"));
        let counts = document_counts(&Session::open(&[path.into()]).unwrap(), &|| false).unwrap();
        assert!(counts.iter().all(|count| count.refused <= count.points), "{counts:?}");
        assert!(counts.iter().any(|count| count.refused > 0), "{counts:?}");
        assert_eq!(document_counts(&Session::sample(), &|| true).map(|counts| counts.len()), Some(2));
    }
}
