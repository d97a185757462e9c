//! Windows PDBs whose records have tokens from before a compiler or a merging tool changed them.

use pdblens::nodes::{TableId, Token};
use pdblens::query::where_is::{self, HopKind};
use pdblens::session::Session;
use std::ops::ControlFlow;

use crate::support::synth::Recipe;

fn offsets_and_lines(session: &Session, method: Token) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let read = session.symbols().unwrap().points(method, &mut |point| {
        found.push((point.offset, point.start_line));
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

#[test]
fn records_are_found_by_the_token_that_the_map_has_for_them() {
    let recipe = Recipe::of(40);
    let methods = recipe.methods;
    let token = |row| Token::new(TableId::METHOD_DEF, row);
    // Two methods in three, rotated among themselves; the last keeps its place.
    let mapped = |row: u32| if row < methods { (row + 6) % (methods - 1) + 1 } else { row };
    let mut program = recipe.program();
    program.token_map = (0..=methods).map(mapped).collect();
    let files = vec![("Synth.dll".into(), recipe.pair().image), ("Straight.pdb".into(), recipe.windows(512))];
    let straight = Session::from_bytes(files).unwrap();
    let files = vec![("Synth.dll".into(), recipe.pair().image), ("Mapped.pdb".into(), program.write(512))];
    let session = Session::from_bytes(files).unwrap();
    let mut hops = 0;
    for row in 1..=methods {
        let (recorded, method) = (token(row), token(mapped(row)));
        let points = offsets_and_lines(&session, method);
        assert_eq!(points, offsets_and_lines(&straight, recorded), "{method}");
        let answer = where_is::where_is(&session, method, 0);
        if points.is_empty() || recorded == method {
            assert_eq!(answer.hops, [], "{method}");
            continue;
        }
        let [hop] = answer.hops.as_slice() else { panic!("{method}: {:?}", answer.hops) };
        let stream = hop.by.strip_prefix("the token map, stream ").unwrap();
        assert!(stream.parse::<u32>().is_ok() && hop.kind == HopKind::TokenMap);
        assert_eq!((&hop.from, &hop.to), (&recorded.to_string(), &method.to_string()));
        let text = format!("token in the PDB {recorded} → {method} by the token map, stream {stream}");
        assert_eq!(hop.text(), text);
        hops += 1;
    }
    assert!(hops > 20);
    assert_eq!(where_is::where_is(&straight, token(2), 0).hops, []);
}

#[test]
fn rows_beyond_the_map_keep_their_tokens() {
    let recipe = Recipe::of(20);
    let mut program = recipe.program();
    program.token_map = vec![0, 0];
    let bytes = program.write(512);
    let session = Session::from_bytes(vec![("Mapped.pdb".into(), bytes)]).unwrap();
    for row in 1..=recipe.methods {
        let method = Token::new(TableId::METHOD_DEF, row);
        assert_eq!(offsets_and_lines(&session, method).len(), recipe.method(row).points.len(), "{method}");
        assert_eq!(where_is::where_is(&session, method, 0).hops, []);
    }
    assert!(session.problems().is_empty(), "{:?}", session.problems());
}
