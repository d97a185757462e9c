//! Methods and documents: all of them, and parts of one that are no record.

use super::Facts;
use crate::formats::metadata::{TableId, Token};
use crate::nodes;
use crate::nodes::Place;
use crate::nodes::document;
use crate::nodes::fields::Fields;
use crate::nodes::method::MethodView;
use crate::nodes::place::{MethodPart, Side};
use crate::session::Session;
use crate::text::paths::file_name;
use crate::text::safe::count;

/// All methods.
pub(crate) fn methods_facts(session: &Session) -> Option<Fields> {
    let mut facts = Facts::new("methods");
    if let Some(metadata) = session.metadata() {
        let rows = metadata.rows(TableId::METHOD_DEF);
        facts.fact("in the image", rows).to(Place::Table(Side::Image, TableId::METHOD_DEF));
    }
    if let Some(file) = session.symbol_file() {
        facts.fact("in the symbols", file.reader().methods()).mean(file.reader().format().to_string());
        let entry = file.reader().compilation().entry_point;
        if let Some(method) = entry {
            facts.fact("starts with", session.method_name(method)).to(Place::Method(method));
        }
    }
    facts.done()
}

/// A method, where a part of it is no record.
pub(crate) fn method_facts(session: &Session, method: Token) -> Option<Fields> {
    let view = MethodView::of(session, method);
    let part = |part| Place::MethodPart(method, part);
    let mut facts = Facts::new(session.method_name(method));
    if let Some(body) = &view.body {
        facts.fact("IL", body.code_size).mean(count(view.instructions.len() as u64, "instruction"));
        facts.fact("stack", body.max_stack).mean("values at most").to(part(MethodPart::Body));
        facts.fact("locals", view.local_types.len()).mean(view.local_types.join(", ")).to(part(MethodPart::Scopes));
        facts.fact("regions", body.regions.len()).mean("watched for exceptions").to(part(MethodPart::Regions));
        facts.fields.span = body.code;
    }
    facts.fact("points", view.points.len()).to(part(MethodPart::Points));
    facts.done()
}

/// All documents.
pub(crate) fn documents_facts(session: &Session) -> Option<Fields> {
    let symbols = session.symbols()?;
    let mut facts = Facts::new("documents");
    facts.fact("documents", symbols.documents()).mean(symbols.format().to_string());
    if Side::Pdb.metadata(session).is_some() {
        let place = Place::Table(Side::Pdb, TableId::DOCUMENT);
        facts.fields.span = nodes::bytes(session, place).unwrap_or_default();
        facts.fields.rows.iter_mut().for_each(|row| row.to = Some(place));
    }
    facts.done()
}

/// A line that no code begins on.
pub(crate) fn line_facts(session: &Session, document: u32, line: u32) -> Option<Fields> {
    let name = document::name(session, document)?;
    let mut facts = Facts::new(format!("{} line {line}", file_name(&name)));
    facts.fact("document", document).mean(name).to(Place::Document(document));
    facts.fact("line", line).mean("no code begins here");
    facts.fields.span = session.symbols().and_then(|symbols| symbols.document(document).ok())?.span;
    facts.done()
}
