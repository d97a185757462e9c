//! Operands of calls lead to the method that is called: of a generic type, of a forwarded type, of the file itself.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pdblens_formats::bytes::Span;
use pdblens_nodes::{Place, Side, TableId, Token};
use pdblens_query::definition::definition;
use pdblens_session::session::Session;

use crate::harness::{Screen, sample};
use crate::support::folder::Folder;

/// A copy of Faults.dll whose cells are changed; all its columns that are used here have two bytes.
struct Copy {
    session: Session,
    bytes: Vec<u8>,
}

impl Copy {
    fn new() -> Self {
        let file = sample("faults/Faults.dll");
        Self { session: Session::open(std::slice::from_ref(&file)).unwrap(), bytes: std::fs::read(file).unwrap() }
    }

    fn cell(&self, table: TableId, row: u32, column: usize) -> Range<usize> {
        let metadata = self.session.metadata().unwrap();
        let span = metadata.table(table).cell_span(row, column).unwrap();
        let at = span.start as usize;
        at..at + 2
    }

    /// Offset of a name in `#Strings`.
    fn string(&self, name: &str) -> [u8; 2] {
        let heaps = &self.session.metadata().unwrap().heaps;
        let at = (1..4000_u32).find(|at| heaps.string(*at).is_ok_and(|found| found.data == name.as_bytes()));
        (at.unwrap_or_else(|| panic!("no {name}")) as u16).to_le_bytes()
    }

    fn set(mut self, table: TableId, row: u32, column: usize, value: [u8; 2]) -> Self {
        let at = self.cell(table, row, column);
        self.bytes[at].copy_from_slice(&value);
        self
    }

    fn name(self, table: TableId, row: u32, column: usize, name: &str) -> Self {
        let value = self.string(name);
        self.set(table, row, column, value)
    }

    /// Defines `List<T>`, all of whose methods are called Add, in an assembly of that name.
    fn with_list(self, assembly: &str) -> Self {
        let mut copy = self.name(TableId::ASSEMBLY, 1, 7, assembly);
        let row = (1..20).find(|row| {
            let name = copy.session.metadata().unwrap().string_cell(TableId::TYPE_DEF, *row, 1);
            name.unwrap().data == b"Warehouse`1"
        });
        let row = row.unwrap();
        copy = copy.name(TableId::TYPE_DEF, row, 1, "List`1");
        copy = copy.name(TableId::TYPE_DEF, row, 2, "System.Collections.Generic");
        (5..8).fold(copy, |copy, method| copy.name(TableId::METHOD_DEF, method, 3, "Add"))
    }

    /// Forwards `List<T>` to the assembly of the fourth reference: ExportedType has the place of NestedClass.
    fn with_forward(self) -> Self {
        let nested = self.cell(TableId::NESTED_CLASS, 1, 0).start;
        let mut copy = self.name(TableId::ASSEMBLY, 1, 7, "System.Private.CoreLib");
        let row = [
            &[0; 8][..],
            &copy.string("List`1"),
            &copy.string("System.Collections.Generic"),
            &(4_u16 << 2 | 1).to_le_bytes(),
        ];
        let row = row.concat();
        let metadata = copy.session.metadata().unwrap();
        let size = metadata.rows(TableId::NESTED_CLASS) as usize * 4;
        assert!(size >= row.len());
        let present: Vec<TableId> = metadata.tables.present().map(|table| table.id).collect();
        let stream = tables(&copy.session);
        let (stream, end) = (stream.start as usize, stream.end() as usize);
        let count = present.iter().position(|table| *table == TableId::NESTED_CLASS).unwrap() * 4 + stream + 24;
        copy.bytes[count..count + 4].copy_from_slice(&1_u32.to_le_bytes());
        let bits = stream + 8..stream + 16;
        let valid = u64::from_le_bytes(copy.bytes[bits.clone()].try_into().unwrap());
        copy.bytes[bits].copy_from_slice(&(valid & !(1 << 0x29) | 1 << 0x27).to_le_bytes());
        copy.bytes.splice(nested..nested + size, row.iter().copied());
        // What follows the tables stays where it is.
        let gap = size - row.len();
        copy.bytes.splice(end - gap..end - gap, vec![0; gap]);
        copy
    }

    fn write(&self, folder: &Folder, name: &str) -> PathBuf {
        folder.write(name, self.bytes.clone())
    }
}

fn tables(session: &Session) -> Span {
    session.metadata().unwrap().root.stream("#~").unwrap().region.span()
}

/// The row of MemberRef whose name is given.
fn member(session: &Session, text: &str) -> Place {
    let names = session.names().unwrap();
    let rows = 1..=session.metadata().unwrap().rows(TableId::MEMBER_REF);
    let row = rows.into_iter().find(|row| names.token(Token::new(TableId::MEMBER_REF, *row)).contains(text));
    Place::Row(Side::Image, TableId::MEMBER_REF, row.unwrap_or_else(|| panic!("no {text}")))
}

#[test]
fn a_call_of_a_generic_type_leads_to_the_overload_in_the_assembly_that_it_is_forwarded_to() {
    let folder = Folder::new();
    let open = |copy: Copy, name: &str| Arc::new(Session::open(&[copy.write(&folder, name)]).unwrap());
    let caller = Arc::new(Session::open(&[sample("faults/Faults.dll")]).unwrap());
    let metadata = caller.metadata().unwrap();
    let target = metadata.string_cell(TableId::ASSEMBLY_REF, 4, 6).unwrap().data;
    let target = open(Copy::new().with_list(std::str::from_utf8(target).unwrap()), "target.dll");
    let decoy = open(Copy::new().with_list("Faults"), "decoy.dll");
    let facade = open(Copy::new().with_forward(), "facade.dll");
    assert_eq!(facade.metadata().unwrap().rows(TableId::EXPORTED_TYPE), 1);
    let add = member(&caller, "List<System.Reflection.Assembly>.Add(!0)");
    // Three methods are called Add; the constructor takes a T.
    let expected = Token(0x0600_0005);
    let leads = |others: &[&Arc<Session>]| {
        let others: Vec<Arc<Session>> = others.iter().map(|other| Arc::clone(other)).collect();
        definition(&caller, add, &others)
    };
    let (found, token) = leads(&[&decoy, &target, &facade]).unwrap();
    assert!(Arc::ptr_eq(&found, &target) && token == expected, "{token}");
    // Without the assembly that forwards it, the first file that defines it.
    let (found, token) = leads(&[&decoy, &target]).unwrap();
    assert!(Arc::ptr_eq(&found, &decoy) && token == expected, "{token}");
    assert!(leads(&[&facade]).is_none());
    // A generic type of the file itself needs no other file.
    let (found, token) = definition(&caller, member(&caller, "Warehouse<string>.RestockAsync"), &[]).unwrap();
    assert!(Arc::ptr_eq(&found, &caller) && token == Token(0x0600_0006), "{token}");
}

#[test]
fn enter_on_the_call_of_an_own_generic_type_shows_the_method() {
    let mut screen = Screen::open("faults/Faults.dll", 120, 40);
    screen.keys("o \"0600000e\" enter").shows("3Code");
    screen.keys("tab / \"RestockAsync\" enter enter").shows("Faults.Warehouse<T> \u{203a} RestockAsync(int)");
}
