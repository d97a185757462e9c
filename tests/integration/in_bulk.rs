//! Passes over a whole file, which decode what the readers of single things decode, and must say the same.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use pdblens::bytes::{Origin, Result, Spaces};
use pdblens::formats::metadata::{TableId, Token};
use pdblens::formats::portable::PortablePdb;
use pdblens::formats::sequence_point::SequencePoint;
use pdblens::session::Session;

use crate::support::samples::all_samples;
use crate::support::synth::rng::Rng;

/// Files to read: a sample, then copies of it with a few bytes changed.
fn changed(bytes: &[u8], copies: u32) -> impl Iterator<Item = Vec<u8>> + '_ {
    (0..=copies).map(|copy| {
        let (mut bytes, mut rng) = (bytes.to_vec(), Rng::of(15, "bulk", copy));
        for _ in 0..copy.min(24) {
            let at = rng.between(0, bytes.len() as u32) as usize;
            bytes[at] = rng.next() as u8;
        }
        bytes
    })
}

/// Points by row of their methods: the pass, and method by method.
fn both(pdb: &PortablePdb) -> [Vec<(u32, Result<SequencePoint>)>; 2] {
    let (mut pass, mut single) = (Vec::new(), Vec::new());
    let _ = pdb.all_points(|row, point| {
        pass.push((row, point));
        ControlFlow::Continue(())
    });
    for row in 1..=pdb.last_method() {
        match pdb.points(row) {
            Ok(points) => single.extend(points.into_iter().flatten().map(|point| (row, point))),
            Err(error) => single.push((row, Err(error))),
        }
    }
    [pass, single]
}

#[test]
fn all_points_at_once_are_those_of_each_method() {
    let (mut points, mut errors) = (0, 0);
    for sample in all_samples() {
        let Some(bytes) = sample.symbols.as_ref().filter(|_| sample.is_portable()).map(|path| fs::read(path).unwrap())
        else {
            continue;
        };
        for bytes in changed(&bytes, if bytes.len() < 1 << 17 { 40 } else { 2 }) {
            let region = Spaces::default().add_bytes("Changed.pdb", Origin::File(PathBuf::new()), bytes);
            let Ok(pdb) = PortablePdb::parse(region) else { continue };
            let [pass, single] = both(&pdb);
            points += pass.len();
            errors += pass.iter().filter(|(_, point)| point.is_err()).count();
            assert!(pass == single, "{}", sample.name);
        }
    }
    assert!(points > 100_000 && errors > 10, "{points} points, {errors} errors");
}

#[test]
fn the_points_of_every_format_are_those_of_each_method() {
    for sample in all_samples() {
        let session = Session::open(&[sample.image]).unwrap();
        let Some(symbols) = session.symbols() else { continue };
        let (mut pass, mut single) = (Vec::new(), Vec::new());
        let _ = session.symbol_file().unwrap().content.all_points(&mut |method, point| {
            pass.push((method, point));
            ControlFlow::Continue(())
        });
        for row in 1..=symbols.methods() {
            let method = Token::new(TableId::METHOD_DEF, row);
            let read = symbols.points(method, &mut |point| {
                single.push((method, Ok(point)));
                ControlFlow::Continue(())
            });
            single.extend(read.err().map(|error| (method, Err(error))));
        }
        assert!(pass == single, "{}", sample.name);
    }
}

#[test]
fn all_names_at_once_are_those_of_each_method() {
    let mut names = 0;
    for sample in all_samples() {
        let bytes = fs::read(&sample.image).unwrap();
        for bytes in changed(&bytes, if bytes.len() < 1 << 17 { 20 } else { 2 }) {
            let Ok(session) = Session::from_bytes(vec![(PathBuf::from("Changed.dll"), bytes)]) else { continue };
            let Some(found) = session.names() else { continue };
            let (mut row, mut single) = (0, String::new());
            let _ = found.each_method(|number, name| {
                row += 1;
                single.clear();
                found.write_reflection_name(row, &mut single);
                assert_eq!((number, name), (row, single.as_str()), "{}", sample.name);
                ControlFlow::Continue(())
            });
            assert_eq!(row, session.metadata().unwrap().rows(TableId::METHOD_DEF), "{}", sample.name);
            names += row;
        }
    }
    assert!(names > 10_000, "{names}");
}
