//! Scopes, local variables and constants of a method.

use super::WindowsSymbols;
use super::constants::{self, bytes_of};
use crate::symbols::{Constant, RecordRef, Scope, Variable};
use crate::text::guids;
use pdblens_formats::bytes::{Result, Span};
use pdblens_formats::managed::Method;
use pdblens_formats::managed::method::ConstantValue;
use pdblens_formats::metadata::Token;

impl WindowsSymbols {
    /// The scopes of a method. A method that nothing is known of has none.
    pub(crate) fn scopes_of(&self, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
        if self.entry(method).is_none() {
            return Ok(Vec::new());
        }
        let found = self.pdb.method(&self.spaces, method.0)?;
        let is_basic = self.is_basic(method);
        let mut scopes: Vec<Scope> = Vec::with_capacity(found.scopes.len());
        for scope in &found.scopes {
            let around = scope.parent.and_then(|parent| scopes.get(parent));
            // Visual Basic records the last offset in the scope, except of the whole method.
            let end_inclusive = is_basic && around.is_some() && scope.start.saturating_add(scope.length) < found.len;
            scopes.push(Scope {
                record: self.record(scope.span),
                span: scope.span,
                start: scope.start,
                length: scope.length.saturating_add(u32::from(end_inclusive)),
                end_inclusive,
                depth: around.map_or(0, |around| around.depth.saturating_add(1)),
                ..Scope::default()
            });
        }
        self.add_variables(&found, &mut scopes);
        self.add_constants(&found, &mut scopes, name);
        Ok(scopes)
    }

    /// Returns true if the first document of a method's points is Visual Basic.
    fn is_basic(&self, method: Token) -> bool {
        let Ok(Some(lines)) = self.lines(method) else { return false };
        let Ok(points) = lines.points() else { return false };
        let row = points.map_while(Result::ok).map(|point| point.document).find(|row| *row > 0);
        let file = row.and_then(|row| self.pdb.source_file(&self.spaces, row)?.ok());
        file.is_some_and(|file| file.language.value == guids::VISUAL_BASIC)
    }

    fn add_variables(&self, found: &Method, scopes: &mut [Scope]) {
        for slot in &found.slots {
            let Some(scope) = scopes.get_mut(slot.scope) else { continue };
            scope.variables.push(Variable {
                record: self.record(slot.span),
                span: slot.span,
                slot: slot.index.value.min(u32::from(u16::MAX)) as u16,
                is_argument: slot.is_argument(),
                hidden: slot.is_hidden(),
                name: slot.name.value.clone(),
            });
        }
    }

    fn add_constants(&self, found: &Method, scopes: &mut [Scope], name: &dyn Fn(Token) -> String) {
        for constant in &found.constants {
            let Some(scope) = scopes.get_mut(constant.scope) else { continue };
            let type_name = match constant.value.value {
                // By its value, as in a portable PDB: the signature has it as any other type with a name.
                ConstantValue::Decimal(_) => "decimal".to_owned(),
                _ => name(Token(constant.signature)),
            };
            scope.constants.push(Constant {
                record: self.record(constant.span),
                span: constant.span,
                name: constant.name.value.clone(),
                type_signature: Some(Token(constant.signature)),
                signature: bytes_of(&self.spaces, constant.value.span),
                value: constants::text(&constant.value.value, &type_name),
                type_name,
            });
        }
    }

    pub(super) fn record(&self, span: Span) -> Option<RecordRef> {
        let stream = self.pdb.msf.stream_of(span.space)?;
        Some(RecordRef::Stream { stream, offset: span.start as u32 })
    }
}
