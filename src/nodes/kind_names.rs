//! Nouns for kinds of nodes, and how soon each is meant in a search.

use super::{Place, TableId};

/// How soon people mean such a thing, where several are called alike: 0 first.
pub(crate) fn rank(place: Place) -> u8 {
    match place.ask(|node| node.kind_name()) {
        "method" | "function" | "document" => 0,
        "type" if !matches!(place, Place::Row(_, TableId::TYPE_REF, _)) => 0,
        "field" | "property" | "event" | "module" | "table" | "heap" | "stream" | "section" => 1,
        "parameter" | "type parameter" | "string" | "member" => 3,
        _ => 2,
    }
}
