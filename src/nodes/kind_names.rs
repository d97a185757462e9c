//! Nouns for kinds of nodes, and how soon each is meant in a search.

use super::{Place, TableId};

/// Rank of a kind among nodes of one name: the most likely meant is 0.
pub(crate) fn rank(place: Place) -> u8 {
    match place.ask(|node| node.kind_name()) {
        "method" | "function" | "document" => 0,
        "type" if !matches!(place, Place::Row(_, TableId::TYPE_REF, _)) => 0,
        "field" | "property" | "event" | "module" | "table" | "heap" | "stream" | "section" => 1,
        "parameter" | "type parameter" | "string" | "member" => 3,
        _ => 2,
    }
}
