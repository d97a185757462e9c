//! Imports, exports, resources, version information and the Rich header: of a small image made here, of the samples, and of damage.

use std::sync::Arc;

use super::exports::ExportTarget;
use super::imports::ImportSymbol;
use super::maker::*;
use super::resources::{ResourceEntry, ResourceId, type_name};
use super::{Exports, Imports, Pe, Resources, RichHeader};
use crate::bytes::{Region, SpaceId};

fn pe(bytes: Vec<u8>) -> Option<Pe> {
    Pe::parse(Region::whole(SpaceId(0), Arc::new(bytes))).ok()
}

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../assets/samples/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn imports_are_names_and_numbers_of_dlls() {
    let image = pe(Maker::full()).unwrap();
    let imports = Imports::read(&image);
    assert!(imports.problems.is_empty(), "{imports:#?}");
    let [kernel, ole] = imports.libraries.as_slice() else { panic!("{imports:#?}") };
    assert_eq!(
        (kernel.name.as_str(), kernel.delayed, ole.name.as_str(), ole.delayed),
        ("KERNEL32.dll", false, "OLE32.dll", true)
    );
    let name = |name: &str| ImportSymbol::Name { hint: 7, name: name.to_owned() };
    let symbols: Vec<_> = kernel.functions.iter().map(|function| function.symbol.clone()).collect();
    assert_eq!(symbols, [name("CreateFileW"), name("ReadFile"), ImportSymbol::Ordinal(12)]);
    assert_eq!((kernel.functions[2].slot_rva, ole.functions[0].slot_rva), (0x1810, 0x1900));
    assert_eq!(image.bytes(kernel.name_span).unwrap().data, b"KERNEL32.dll");
    assert_eq!(image.bytes(kernel.functions[1].name_span).unwrap().data, b"\x07\0ReadFile\0");
    assert_eq!((kernel.span.len, ole.span.len, kernel.functions[0].span.len), (20, 32, 8));
}

#[test]
fn exports_have_names_numbers_and_forwards() {
    let image = pe(Maker::full()).unwrap();
    let exports = Exports::read(&image).unwrap().unwrap();
    assert!(exports.problems.is_empty(), "{exports:#?}");
    assert_eq!((exports.name.as_str(), exports.ordinal_base), ("CALC.dll", 5));
    let found: Vec<_> =
        exports.exports.iter().map(|export| (export.ordinal, export.name.as_deref(), export.target.clone())).collect();
    let expected = [
        (5, Some("Add"), ExportTarget::Address(0x1010)),
        (6, Some("Plus"), ExportTarget::Forward("NTDLL.RtlAdd".to_owned())),
        (5, Some("Sum"), ExportTarget::Address(0x1010)),
        (8, None, ExportTarget::Address(0x1020)),
    ];
    assert_eq!(found, expected);
    assert_eq!(image.bytes(exports.exports[1].name_span).unwrap().data, b"Plus");
    assert_eq!(image.bytes(exports.exports[3].span).unwrap().data, 0x1020_u32.to_le_bytes());
}

#[test]
fn exports_are_read_where_the_directory_counts_its_header_alone() {
    let whole = pe(Maker::full()).unwrap();
    let rva = whole.directory(super::Directory::EXPORTS).unwrap().rva;
    let mut maker = Maker { bytes: Maker::full(), free: 0 };
    maker.directory(0, rva, 40);
    let exports = Exports::read(&pe(maker.bytes).unwrap()).unwrap().unwrap();
    assert!(exports.problems.is_empty(), "{exports:#?}");
    let names: Vec<_> = exports.exports.iter().map(|export| export.name.as_deref()).collect();
    assert_eq!(names, [Some("Add"), Some("Plus"), Some("Sum"), None]);
    // Nothing is in the directory, so that nothing is a forward.
    assert!(exports.exports.iter().all(|export| matches!(export.target, ExportTarget::Address(_))));
}

#[test]
fn resources_are_a_tree_with_version_and_manifest() {
    let image = pe(Maker::full()).unwrap();
    let resources = Resources::read(&image);
    assert!(resources.problems.is_empty(), "{resources:#?}");
    let ids: Vec<_> = resources.entries.iter().filter(|entry| entry.level == 1).map(|entry| entry.id.clone()).collect();
    assert_eq!(ids, [ResourceId::Id(16), ResourceId::Id(24)]);
    assert_eq!(
        (resources.entries.iter().filter_map(ResourceEntry::data).count(), type_name(16), type_name(999)),
        (2, Some("version"), None)
    );
    assert_eq!(image.bytes(resources.manifest().unwrap()).unwrap().data, b"<assembly/>");
    let version = resources.version(&image).unwrap().unwrap();
    let fixed = version.fixed.unwrap();
    assert_eq!((fixed.file(), fixed.product()), ([1, 2, 3, 4], [5, 6, 7, 8]));
    assert_eq!((version.string("CompanyName"), version.string("FileVersion")), (Some("Somebody"), Some("1.2.3.4")));
    assert_eq!((version.strings.len(), version.strings[0].table.as_str()), (2, "040904b0"));
}

#[test]
fn the_rich_header_is_verified() {
    let mut bytes = Maker::full();
    let rich = RichHeader::read(&pe(bytes.clone()).unwrap()).unwrap();
    let entries: Vec<_> = rich.entries.iter().map(|entry| (entry.product, entry.build, entry.count)).collect();
    assert_eq!(entries, [(0x105, 0x7809, 3), (0x102, 0x7809, 1)]);
    assert_eq!((rich.is_intact(), rich.span.start, rich.span.len), (true, 0x80, 40));
    assert_eq!(rich.entries[1].span.start, 0x98);
    bytes[0x10] ^= 1;
    assert!(!RichHeader::read(&pe(bytes).unwrap()).unwrap().is_intact());
}

#[test]
fn samples_have_what_their_tools_wrote() {
    let image = pe(sample("native/tally.exe")).unwrap();
    let imports = Imports::read(&image);
    assert!(imports.problems.is_empty(), "{imports:#?}");
    assert!(Exports::read(&image).is_none() && RichHeader::read(&image).is_none());
    // A managed image of 32 bits imports what starts the runtime; its version is in its resources.
    let image = pe(sample("workshop/Workshop.dll")).unwrap();
    let names: Vec<_> = Imports::read(&image).libraries.into_iter().map(|library| library.name).collect();
    assert!(names.iter().all(|name| name == "mscoree.dll"), "{names:?}");
    let resources = Resources::read(&image);
    assert!(resources.problems.is_empty(), "{resources:#?}");
    if let Some(version) = resources.version(&image) {
        assert!(version.unwrap().string("InternalName").is_some());
    }
}

#[test]
fn damage_is_harmless() {
    let read = |bytes: Vec<u8>| {
        let Some(image) = pe(bytes) else { return };
        let resources = Resources::read(&image);
        let _ = (Imports::read(&image), Exports::read(&image), RichHeader::read(&image));
        let _ = (
            resources.version(&image),
            resources.manifest(),
            resources.entries.iter().filter_map(ResourceEntry::data).count(),
        );
    };
    for whole in [Maker::full(), sample("native/tally.exe"), sample("ticker-mono/Ticker.exe")] {
        for at in 0..whole.len() {
            if whole[at] == 0 && at % 8 != 0 {
                continue;
            }
            for value in [0, 0xff, whole[at] ^ 0x80] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                read(bytes);
            }
            read(whole[..at].to_vec());
        }
    }
}

#[test]
fn a_resource_tree_that_goes_in_circles_ends() {
    let mut maker = Maker::new();
    // 300 entries, each of which leads to the table that it is in.
    let mut bytes = vec![0; 14];
    bytes.extend(300_u16.to_le_bytes());
    bytes.extend((0..300_u32).flat_map(|id| [id.to_le_bytes(), (1_u32 << 31).to_le_bytes()].concat()));
    let root = maker.add(&bytes);
    maker.directory(2, root, bytes.len() as u32);
    let resources = Resources::read(&pe(maker.bytes).unwrap());
    assert_eq!(resources.problems.len(), super::resources::MAX_PROBLEMS);
    assert_eq!(resources.entries.iter().filter_map(ResourceEntry::data).count(), 0);
}
