//! Codecs: every blob that compilers wrote into the samples is decoded and encoded to the same bytes.

use std::collections::BTreeMap;

use pdblens::formats::metadata::TableId;
use pdblens::formats::portable::custom::CustomKind;
use pdblens::learn::codec::Codec;
use pdblens::nodes::Side;
use pdblens::session::Session;

use crate::support::samples::all_samples;

/// Columns with blobs of one kind: table, column, codec.
const COLUMNS: [(TableId, usize, &str); 12] = [
    (TableId::METHOD_DEF, 4, "signature"),
    (TableId::FIELD, 2, "signature"),
    (TableId::MEMBER_REF, 2, "signature"),
    (TableId::STAND_ALONE_SIG, 0, "signature"),
    (TableId::PROPERTY, 2, "signature"),
    (TableId::METHOD_SPEC, 1, "signature"),
    (TableId::TYPE_SPEC, 0, "type"),
    (TableId::DOCUMENT, 0, "name"),
    (TableId::METHOD_DEBUG_INFORMATION, 1, "points"),
    (TableId::LOCAL_CONSTANT, 1, "constant"),
    (TableId::IMPORT_SCOPE, 1, "imports"),
    (TableId::CUSTOM_DEBUG_INFORMATION, 2, ""),
];

/// Codec of a kind of custom debug information; `None` for a kind without bytes.
fn custom(name: &str) -> Option<&'static str> {
    Some(match name {
        "StateMachineHoistedLocalScopes" => "hoisted-scopes",
        "DynamicLocalVariables" => "dynamic",
        "TupleElementNames" => "tuple-names",
        "DefaultNamespace" => "namespace",
        "EncLocalSlotMap" => "slots",
        "EncLambdaAndClosureMap" => "lambda-map",
        "EncStateMachineStateMap" => "state-map",
        "AsyncMethodSteppingInformation" => "async-stepping",
        "EmbeddedSource" => "embedded-source",
        "SourceLink" => "source-link",
        "CompilationMetadataReferences" => "references",
        "CompilationOptions" => "options",
        "TypeDefinitionDocuments" => "type-documents",
        "FSharpSynthesizedNameSnapshot" => "name-snapshot",
        _ => return None,
    })
}

#[test]
fn every_blob_of_the_samples_returns() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for sample in all_samples() {
        let session = Session::open(std::slice::from_ref(&sample.image)).unwrap();
        for (side, metadata) in Side::loaded(&session) {
            let is_portable = side != Side::Image;
            for (table, column, mut kind) in COLUMNS {
                for row in 1..=metadata.rows(table) {
                    let bytes = metadata.blob_cell(table, row, column).unwrap().data;
                    if table == TableId::CUSTOM_DEBUG_INFORMATION {
                        let guid = metadata.table(table).cell(row, 1).unwrap();
                        let found = metadata.heaps.guid(guid).unwrap().and_then(CustomKind::of);
                        let Some(codec) = found.and_then(|found| custom(found.name)) else { continue };
                        kind = codec;
                    }
                    let no_document = || metadata.table(table).cell(row, 0).unwrap() == 0;
                    if table == TableId::METHOD_DEBUG_INFORMATION {
                        kind = if no_document() { "points-documents" } else { "points" };
                    }
                    if bytes.is_empty() || (table == TableId::METHOD_DEF && is_portable) {
                        continue;
                    }
                    let at = format!("{} {}/{row} {kind} {bytes:02x?}", sample.name, table.name());
                    let codec = Codec::named(kind).unwrap();
                    let text = codec.decode(bytes).text.unwrap_or_else(|error| panic!("{at}: {error}"));
                    let back = codec.encode(&text).unwrap_or_else(|error| panic!("{at} {text}: {error}"));
                    assert!(back == bytes, "{at} {text}: {back:02x?}");
                    *counts.entry(kind).or_default() += 1;
                }
            }
        }
    }
    for kind in ["signature", "type", "name", "points", "constant", "imports", "slots", "lambda-map", "state-map"] {
        assert!(counts.get(kind).is_some_and(|count| *count > 10), "{kind}: {counts:?}");
    }
    assert!(counts.len() >= 19, "{counts:?}");
}
