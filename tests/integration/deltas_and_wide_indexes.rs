//! Files that no compiler's everyday run leaves: Edit and Continue deltas, and tables as large as an index of two bytes can
//! name, asked through a session.

use pdblens::nodes;
use pdblens::nodes::method::MethodView;
use pdblens::nodes::table;
use std::path::PathBuf;

use crate::support::synth::method::Lines;
use crate::support::synth::{Pair, Recipe, names};
use pdblens::nodes::{MethodPart, Side};
use pdblens::nodes::{Place, TableId, Token};
use pdblens::session::Session;

fn open(files: Vec<(&str, Vec<u8>)>) -> Session {
    Session::from_bytes(files.into_iter().map(|(name, bytes)| (PathBuf::from(name), bytes)).collect()).unwrap()
}

fn pair(Pair { image, pdb, .. }: Pair) -> Session {
    open(vec![("Synth.dll", image), ("Synth.pdb", pdb)])
}

/// The cells of one row of a list.
fn cells(session: &Session, place: Place, index: usize) -> Vec<String> {
    let row = nodes::rows(session, place)
        .and_then(|rows| rows.get(index))
        .unwrap_or_else(|| panic!("{place} has no row {index}"));
    row.cells.into_iter().map(|cell| cell.text).collect()
}

#[test]
fn a_delta_shows_its_tables_and_its_points() {
    let delta = Recipe::of(1000).delta(&[3, 9, 500, 1000]);
    let session = open(vec![("delta.pdb", delta.pdb)]);
    assert_eq!(session.problems(), []);
    let tables: Vec<String> =
        nodes::rows(&session, Place::Tables).unwrap().iter().map(|row| row.cells[2].text.clone()).collect();
    assert!(
        ["EncMap", "MethodDebugInformation", "LocalScope"].iter().all(|name| tables.contains(&(*name).to_owned())),
        "{tables:?}"
    );
    // All of its streams, and that its tables are uncompressed.
    let streams: Vec<String> = nodes::rows(&session, "pdb/metadata/streams".parse().unwrap())
        .unwrap()
        .iter()
        .map(|row| row.cells[0].text.clone())
        .collect();
    assert_eq!(streams, ["#Pdb", "#-", "#Strings", "#US", "#GUID", "#Blob", "#JTD"]);
    for (row, method) in (1..).zip(&delta.methods) {
        // Row by row it says which method of the whole it is about.
        let map = nodes::fields(&session, Place::Row(Side::Pdb, TableId::ENC_MAP, row)).unwrap();
        assert_eq!(map.rows[1].value, format!("{:#010x}", 0x3100_0000 | method.row));
        let token = Token::new(TableId::METHOD_DEF, method.row);
        let points = Place::MethodPart(token, MethodPart::Points);
        assert_eq!(nodes::rows(&session, points).unwrap().len, method.points.len(), "{token}");
        let fields = nodes::fields(&session, points).unwrap();
        assert_eq!(fields.error, None);
        assert!(fields.rows.iter().all(|field| field.name != "not decoded"));
        for (index, point) in method.points.iter().enumerate() {
            let cells = cells(&session, points, index);
            assert_eq!(cells[1], format!("IL_{:04x}", point.il));
            let lines = match point.lines {
                None => "hidden".to_owned(),
                Some(Lines { start_line, start_column, end_line, end_column }) => {
                    format!("{start_line}:{start_column}–{end_line}:{end_column}")
                }
            };
            assert_eq!(cells[2], lines);
        }
    }
}

/// Metadata alone is what a delta's image comes as.
#[test]
fn bare_metadata_is_opened_and_is_not_a_pdb() {
    let delta = Recipe::of(1000).delta(&[3, 9]);
    let session = open(vec![("delta.meta", delta.metadata)]);
    assert!(session.problems().iter().any(|finding| finding.message.contains("#Pdb")), "{:?}", session.problems());
    let tables: Vec<String> =
        nodes::rows(&session, Place::Tables).unwrap().iter().map(|row| row.cells[2].text.clone()).collect();
    for table in ["Module", "MethodDef", "StandAloneSig", "EncLog", "EncMap"] {
        assert!(tables.contains(&table.to_owned()), "{tables:?}");
    }
    let log = nodes::fields(&session, Place::Row(Side::Pdb, TableId::ENC_LOG, 1)).unwrap();
    assert_eq!((log.error, log.rows[1].name.as_str(), log.rows[2].meaning.as_str()), (None, "Token", "new or changed"));
}

/// 65 535 rows are the most that an index of two bytes can name: lists that end there, and rows that are the last.
#[test]
fn the_last_rows_of_large_tables_are_shown() {
    for rows in [65_534, 65_535, 65_536] {
        let few = Recipe { points: 4, ..Recipe::of(40) };
        let methods = Recipe { points: 2, ..Recipe::of(rows) };
        let session = pair(methods.pair());
        assert_eq!(session.problems(), []);
        let last = cells(&session, Place::Methods, rows as usize - 1);
        assert_eq!(last[0], format!("{:#010x}", 0x0600_0000 | rows));
        assert!(last[1].contains(&methods.method(rows).name), "{last:?}");
        let token = Token::new(TableId::METHOD_DEF, rows);
        assert_eq!(MethodView::of(&session, token).points.len(), methods.method(rows).points.len());

        let documents = Recipe { documents: rows, ..few.clone() };
        let session = pair(documents.pair());
        assert_eq!(cells(&session, Place::Documents, rows as usize - 1)[1], names::document(&documents, rows));

        for (recipe, list, table) in [
            (Recipe { variables: rows, methods: 4000, ..few.clone() }, "VariableList", TableId::LOCAL_VARIABLE),
            (Recipe { constants: rows, ..few.clone() }, "ConstantList", TableId::LOCAL_CONSTANT),
        ] {
            let session = pair(recipe.pair());
            let scopes = Side::Pdb.metadata(&session).unwrap().rows(TableId::LOCAL_SCOPE);
            let column = TableId::LOCAL_SCOPE.column(list).unwrap();
            // Some scope has the last row, and none has one after it.
            let lists: Vec<String> = (1..=scopes)
                .map(|row| table::cell(&session, Side::Pdb, TableId::LOCAL_SCOPE, row, column).text)
                .collect();
            let end = rows.to_string();
            assert!(lists.iter().any(|text| text.ends_with(&end)), "{list} {rows}");
            assert!(lists.iter().all(|text| !text.ends_with(&(rows + 1).to_string())), "{list} {rows}");
            assert!(nodes::fields(&session, Place::Row(Side::Pdb, table, rows)).is_some());
            assert!(nodes::fields(&session, Place::Row(Side::Pdb, table, rows + 1)).is_none());
        }
        let imports = Recipe { imports: rows, ..few };
        let session = pair(imports.pair());
        assert_eq!(session.symbols().unwrap().import_scopes(), rows);
        assert!(nodes::rows(&session, "table/ImportScope".parse().unwrap()).unwrap().get(rows as usize - 1).is_some());
    }
}
