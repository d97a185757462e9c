//! Images and portable PDBs that are read where they are needed, as large files are: they have the same content as in memory.

use std::fs::File;
use std::path::Path;

use pdblens::bytes::{DiskFile, Origin, Region, Spaces, Storage, hex};
use pdblens::formats::il::Body;
use pdblens::formats::metadata::{Heap, Metadata, Root, TableId};
use pdblens::formats::pe::Pe;
use pdblens::formats::portable::PortablePdb;

use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::synth::Recipe;

/// The same file twice: in memory, and on disk.
fn both(path: &Path) -> (Region, Region) {
    let mut spaces = Spaces::default();
    let memory = spaces.add_bytes("memory", Origin::File(path.to_owned()), std::fs::read(path).unwrap());
    let file = File::open(path).unwrap();
    let len = file.metadata().unwrap().len();
    // In a list of its own, so that the spaces have the same numbers.
    let mut spaces = Spaces::default();
    let disk = spaces.add("disk", Origin::File(path.to_owned()), len, Storage::Disk(DiskFile::new(file, len).into()));
    (memory, spaces.region(disk).unwrap())
}

/// Everything that metadata has, a line each, read a cell and an entry at a time.
fn content(metadata: &Metadata) -> Vec<String> {
    let root = &metadata.root;
    let streams = root.streams.iter().map(|stream| (&stream.name, stream.offset, stream.size, stream.region.span()));
    let mut lines =
        vec![format!("{:?} {:?} {:?} {:?}", root.span, root.version, root.problems, metadata.tables.problems)];
    lines.extend(streams.map(|stream| format!("{stream:?}")));
    for table in metadata.tables.present() {
        for row in 1..=table.rows() {
            let cells: Vec<_> = (0..table.columns().len()).map(|column| table.cell(row, column)).collect();
            let single: Vec<_> = (0..table.columns().len()).map(|column| table.column(column).get(row)).collect();
            lines.push(format!("{:?} {row} {cells:?} {single:?}", table.id));
        }
    }
    for heap in Heap::ALL {
        for (offset, span) in metadata.heaps.entries(heap) {
            let bytes = match heap {
                Heap::Strings => metadata.heaps.string(offset).map(|found| hex(found.data)),
                Heap::UserStrings => metadata.heaps.user_string(offset).map(|found| hex(found.data)),
                Heap::Blobs => metadata.heaps.blob(offset).map(|found| hex(found.data)),
                Heap::Guids => metadata.heaps.guid(offset).map(|found| format!("{found:?}")),
            };
            lines.push(format!("{heap:?} {offset} {span:?} {bytes:?}"));
        }
    }
    lines
}

fn image_content(region: Region) -> Vec<String> {
    let pe = Pe::parse(region).unwrap();
    let headers = format!("{:?} {:?} {:?} {:?}", pe.sections, pe.directories, pe.debug, pe.problems);
    let metadata = Metadata::parse(Root::parse(pe.metadata().unwrap()).unwrap(), &[0; 64]);
    let mut lines = content(&metadata);
    lines.push(headers);
    let methods = metadata.table(TableId::METHOD_DEF);
    for rva in (1..=methods.rows()).filter_map(|row| methods.column(0).get(row)).filter(|rva| *rva > 0) {
        let body = pe.near_rva(rva, 0x1000).and_then(Body::parse);
        lines.push(format!("{body:?}"));
    }
    lines
}

#[test]
fn files_on_disk_have_the_same_content_as_in_memory() {
    let folder = Folder::new();
    let pair = Recipe::of(1_500).pair();
    assert!(pair.image.len() > 0x1_8000 && pair.pdb.len() > 0x1_8000, "several blocks each");
    let (image, pdb) = (folder.write("Synth.dll", pair.image), folder.write("Synth.pdb", pair.pdb));
    let samples = repository("assets/samples");
    for image in [image.clone(), samples.join("workshop/Workshop.dll"), samples.join("warehouse/Acme.Warehouse.dll")] {
        let (memory, disk) = both(&image);
        assert!(!disk.is_in_memory());
        let (memory, disk) = (image_content(memory), image_content(disk.clone()));
        assert!(memory == disk, "{}: {:?}", image.display(), memory.iter().zip(&disk).find(|(a, b)| a != b));
    }
    for pdb in [pdb, samples.join("workshop/Workshop.pdb"), samples.join("warehouse/Acme.Warehouse.pdb")] {
        let (memory, disk) = both(&pdb);
        let (memory, disk) = (PortablePdb::parse(memory).unwrap(), PortablePdb::parse(disk).unwrap());
        let points = |pdb: &PortablePdb| {
            let rows = 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION);
            rows.map(|row| format!("{:?}", pdb.points(row).map(|points| points.map(Iterator::collect::<Vec<_>>))))
                .collect::<Vec<_>>()
        };
        assert!(points(&memory) == points(&disk), "{}", pdb.display());
        let (memory, disk) = (content(&memory.metadata), content(&disk.metadata));
        assert!(memory == disk, "{}: {:?}", pdb.display(), memory.iter().zip(&disk).find(|(a, b)| a != b));
    }
}

/// A file that is cut while it is open: what is missing is an error, what is there is read.
#[test]
fn a_file_that_is_cut_while_it_is_open_is_read_up_to_the_cut() {
    let folder = Folder::new();
    let path = folder.write("Synth.pdb", Recipe::of(1_500).pair().pdb);
    let (_, disk) = both(&path);
    let pdb = PortablePdb::parse(disk).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(0x4000).unwrap();
    let rows = 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION);
    let failed = rows.filter(|row| pdb.points(*row).is_err()).count();
    assert!(failed > 0, "the blobs were past the cut");
}
