//! Steps of every record of every sample: they cover its bytes, and replaying them gives the decoder's result.

use std::collections::HashMap;

use pdblens::bytes::{ReadAs, stored};
use pdblens::learn::Steps;
use pdblens::nodes::fields::Fields;
use pdblens::nodes::method::MethodView;
use pdblens::nodes::{MethodPart, Place, SequencePoint};
use pdblens::session::Session;

use super::tiling::{sessions, walk};

fn steps_of(session: &Session, fields: &Fields) -> Steps {
    Steps::of(fields, |span| session.spaces().read(span).unwrap().to_vec())
}

#[test]
fn steps_cover_their_record_and_replay_to_its_values() {
    let (mut replayed, mut forms) = (0, std::collections::BTreeSet::new());
    for (name, session) in sessions() {
        walk(&session, |place, _, fields| {
            let Some(fields) = fields else { return };
            let steps = steps_of(&session, fields);
            assert_eq!(steps.reads().count(), fields.leaves().count(), "{name} {place}");
            for step in steps.reads().filter(|step| step.field.read != ReadAs::Unread) {
                assert_eq!(step.bytes.len() as u64, step.field.span.len, "{name} {place}: {}", step.field.name);
                forms.insert(step.form());
                // A real number has no value of its own kind among the steps.
                let is_real = matches!(step.field.read, ReadAs::F32 | ReadAs::F64);
                if let Some(value) = stored::decoded(step.field.read, &step.bytes).filter(|_| !is_real) {
                    assert_eq!(
                        Some(value),
                        step.field.number,
                        "{name} {place}: {} {:02x?}",
                        step.field.name,
                        step.bytes
                    );
                    replayed += 1;
                }
            }
        });
    }
    assert!(replayed > 100_000, "{replayed}");
    for form in ["u8", "u16", "u32", "compressed", "compressed signed", "guid", "utf-8", "utf-8, NUL", "bytes"] {
        assert!(forms.contains(form), "{form} in {forms:?}");
    }
}

/// Points that the changes of state alone make.
fn points_of(steps: &Steps) -> Vec<(i64, i64, i64, i64, i64)> {
    let (mut state, mut points) = (HashMap::new(), Vec::new());
    for step in steps.reads() {
        for change in &step.field.changes {
            let before = state.insert(change.state.name, change.after);
            if let (Some(told), Some(before)) = (change.before, before) {
                assert_eq!(told, before, "{}: {}", steps.title, step.field.name);
            }
            if change.state.name == "points" {
                let (lines, columns) = (state["lines spanned"], state["columns spanned"]);
                let hidden = (lines, columns) == (0, 0);
                let (line, column) = if hidden { (0xfe_efee, 0) } else { (state["start line"], state["start column"]) };
                points.push((state["IL offset"], line, column, line + lines, column + columns));
            }
        }
    }
    points
}

#[test]
fn changes_of_state_make_the_points() {
    let mut count = 0;
    for (name, session) in sessions().into_iter().filter(|(_, session)| session.portable_pdb().is_some()) {
        walk(&session, |place, _, fields| {
            let (Place::MethodPart(method, MethodPart::Points), Some(fields)) = (place, fields) else { return };
            let same = |point: &SequencePoint| {
                let lines = (i64::from(point.start_line), i64::from(point.start_column));
                let ends = (i64::from(point.end_line), i64::from(point.end_column));
                (i64::from(point.offset), lines.0, lines.1, ends.0, ends.1)
            };
            let points: Vec<_> = MethodView::of(&session, method).points.iter().map(same).collect();
            assert_eq!(points_of(&steps_of(&session, fields)), points, "{name} {place}");
            count += points.len();
        });
    }
    assert!(count > 2000, "{count}");
}
