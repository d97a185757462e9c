//! Texts of which a screen has cut a part: `WriteMem…Chunk(byte*, int)`, `…Server/Program.cs`.

use super::{Answer, Here, plain};
use crate::search::CUT;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_nodes::function::{self, NativeView};
use pdblens_nodes::{Place, document};
use pdblens_session::session::Session;

/// Code and types that are listed where several can be meant.
const MAX_FOUND: usize = 30;

/// Returns whether `cut` is what a screen leaves of `text`: its parts are there in their order, the first at the start of a word, and
/// the last at the end. A text without a cut is only itself.
pub(super) fn is_cut_of(cut: &str, text: &str) -> bool {
    let Some((first, rest)) = cut.split_once(CUT) else { return cut == text };
    let is_start = |at: usize| {
        text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '.', ':', '/', '\\']))
    };
    let mut starts = text.match_indices(first).map(|(at, _)| at);
    let start = if first.is_empty() { Some(0) } else { starts.find(|at| is_start(*at)) };
    let Some(mut rest_of_text) = start.and_then(|at| text.get(at + first.len()..)) else { return false };
    let mut parts = rest.split(CUT).peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest_of_text.ends_with(part);
        }
        let Some(at) = rest_of_text.find(part) else { return false };
        rest_of_text = rest_of_text.get(at + part.len()..).unwrap_or_default();
    }
    true
}

/// The methods, functions and types that a cut text can be, with the type of the result before it or not, and with namespaces or without.
/// Parameters that follow the cut are those of the method.
pub(super) fn places(session: &Session, typed: &str) -> Vec<Place> {
    let typed = typed.trim();
    // A cut mark alone would match every name.
    let is_name = typed.contains(CUT) && typed.chars().filter(|c| c.is_alphanumeric()).count() > 2;
    if !is_name {
        return Vec::new();
    }
    let is_call = typed.contains('(') || typed.ends_with(')');
    // Without parameters, the name is meant whatever these are.
    let is_it = |text: &str| {
        is_cut_of(typed, text) || !is_call && text.split_once('(').is_some_and(|(name, _)| is_cut_of(typed, name))
    };
    let mut found = Vec::new();
    if let Some(names) = session.names() {
        let methods = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
        let brief = names.brief();
        let is_method = |method: &Token| is_it(&names.token(*method)) || is_it(&brief.token(*method));
        found.extend(methods.filter(is_method).take(MAX_FOUND).map(Place::Method));
        let types = session.metadata().map_or(0, |metadata| metadata.rows(TableId::TYPE_DEF));
        let types = (1..=types).map(|row| Token::new(TableId::TYPE_DEF, row));
        let is_type = |of: &Token| !is_call && is_it(&names.type_name(*of));
        found.extend(types.filter(is_type).take(MAX_FOUND).map(|of| Place::row(TableId::TYPE_DEF, of.row())));
    }
    if let Some(native) = NativeView::of(session) {
        for function in native.functions() {
            let own = native.name_of(function);
            // Reading the signature of every function takes long: the name is compared first, as far as it is not cut.
            let name = typed.split(['(', CUT]).next().unwrap_or_default();
            let last = name.rsplit([' ', ':']).next().unwrap_or_default();
            let Some(rva) = native.rva_of(function).filter(|_| own.contains(last) && found.len() < MAX_FOUND) else {
                continue;
            };
            let signature = || function::full_signature(session, rva);
            if is_it(&own) || is_call && signature().is_some_and(|text| is_it(&text)) {
                found.push(Place::Function(rva));
            }
        }
    }
    found
}

/// The one document whose path a cut text can be, `…Server/Program.cs`.
pub(super) fn document(session: &Session, typed: &str) -> Option<u32> {
    if !typed.contains(CUT) {
        return None;
    }
    let rows = session.symbols().map_or(0, pdblens_session::symbols::SymbolReader::documents);
    let is_it = |row: &u32| document::name(session, *row).is_some_and(|path| is_cut_of(typed, &path));
    let mut found = (1..=rows).filter(is_it);
    found.next().filter(|_| found.next().is_none())
}

/// Resolves a name that a screen has shortened with an ellipsis, if exactly one name matches it.
pub(super) fn cut(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    if let [place] = places(session, typed)[..] {
        return Some(Ok(plain(place)));
    }
    document(session, typed).map(|row| Ok(plain(Place::Document(row))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_cut_text_are_found_in_their_order() {
        for (cut, text) in [
            ("WriteMem…Chunk(byte*, int)", "void A.WriteMemoryChunk(byte*, int)"),
            ("…Chunk(byte*, int)", "A.WriteMemoryChunk(byte*, int)"),
            ("A.Wr…m…(b…", "A.WriteMemory(byte*)"),
            ("…Server/Program.cs", "/src/Raven.Server/Program.cs"),
        ] {
            assert!(is_cut_of(cut, text), "{cut}");
        }
        for (cut, text) in [
            ("WriteMem…Chunk(byte*, int)", "void A.WriteMemoryChunk(nint, int)"),
            ("Mem…Chunk(byte*, int)", "A.WriteMemoryChunk(byte*, int)"),
            ("A.Chunk…Mem…)", "A.WriteMemoryChunk(byte*, int)"),
            ("A", "AB"),
        ] {
            assert!(!is_cut_of(cut, text), "{cut}");
        }
    }
}
