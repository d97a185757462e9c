//! The symbols of one method and its code, and whether they agree: input of the rules of `check` and of the evidence.

use std::collections::HashMap;
use std::ops::ControlFlow;

use pdblens_formats::bytes::{Error, Span};
use pdblens_formats::il::Body;
use pdblens_formats::signature::{self, Signature};
use pdblens_nodes::{MethodPart, Place, SequencePoint, TableId, Token, method};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Format, Method, Scope, SymbolReader, Variable};

/// One method, read once; its memory serves the next one.
#[derive(Debug)]
pub(crate) struct MethodFacts {
    pub(crate) token: Token,
    pub(crate) symbols: Method,
    pub(crate) points: Vec<SequencePoint>,
    pub(crate) scopes: Vec<Scope>,
    /// The code; `None` for an abstract method, if the code was not requested, and if it cannot be read.
    pub(crate) body: Option<Body>,
    /// The code is that of a hot-reload delta, which is not open: the image has the code before it.
    pub(crate) is_changed: bool,
    format: Format,
    /// Offsets of the instructions, ascending.
    starts: Vec<u32>,
    /// Number of local variables of the code; nothing where their signature cannot be read, and where no scope has any.
    pub(crate) slots: Option<usize>,
    /// Slots of the local signatures that were decoded; methods share them.
    known_slots: HashMap<Token, Option<usize>>,
}

impl MethodFacts {
    /// Returns the facts of no method.
    pub(crate) fn new(symbols: &dyn SymbolReader) -> Self {
        Self {
            token: Token::default(),
            symbols: Method::default(),
            points: Vec::new(),
            scopes: Vec::new(),
            body: None,
            is_changed: false,
            format: symbols.format(),
            starts: Vec::new(),
            slots: None,
            known_slots: HashMap::new(),
        }
    }

    /// Reads a method. The code only `with_code`, and where points or scopes are about it; `failed` receives what cannot be read.
    pub(crate) fn read(
        &mut self,
        session: &Session,
        symbols: &dyn SymbolReader,
        token: Token,
        with_code: bool,
        failed: &mut dyn FnMut(Place, Error),
    ) {
        self.points.clear();
        self.scopes.clear();
        (self.token, self.symbols, self.body, self.slots) = (token, Method::default(), None, None);
        self.is_changed = session.portable_pdb().is_some_and(|pdb| pdb.newest(token.row()).is_some());
        match symbols.method(token) {
            Ok(method) => self.symbols = method,
            Err(error) => failed(Place::Method(token), error),
        }
        let points = &mut self.points;
        let read = symbols.points(token, &mut |point| {
            points.push(point);
            ControlFlow::Continue(())
        });
        if let Err(error) = read {
            failed(Place::MethodPart(token, MethodPart::Points), error);
        }
        match symbols.scopes(token, &|token| token.to_string()) {
            Ok(scopes) => self.scopes = scopes,
            Err(error) => failed(Place::MethodPart(token, MethodPart::Scopes), error),
        }
        if with_code && self.says_something() && !self.is_changed {
            match method::body(session, token) {
                Ok(Some(body)) => self.take_code(session, body),
                Ok(None) => {}
                Err(error) => failed(Place::MethodPart(token, MethodPart::Body), error),
            }
        }
    }

    fn take_code(&mut self, session: &Session, body: Body) {
        self.starts.clear();
        method::instructions(session, &body).each_start(|offset| self.starts.push(offset));
        if self.scopes.iter().any(|scope| !scope.variables.is_empty()) {
            let known = self.known_slots.entry(body.local_signature);
            self.slots = *known.or_insert_with(|| slots(session, body.local_signature));
        }
        self.body = Some(body);
    }

    /// Returns whether the method has points or scopes.
    pub(crate) const fn says_something(&self) -> bool {
        !self.points.is_empty() || !self.scopes.is_empty()
    }

    /// Bytes of code.
    pub(crate) fn size(&self) -> u64 {
        self.body.as_ref().map_or(0, |body| body.code.len)
    }

    /// Points, scopes and names that were read, and bytes of code: the work that the method is.
    pub(crate) fn work(&self) -> u64 {
        let names = self.scopes.iter().flat_map(|scope| [scope.variables.len(), scope.constants.len()]);
        let rows: usize = names.chain([self.points.len(), self.scopes.len()]).sum();
        rows as u64 * 8 + self.size()
    }

    pub(crate) fn is_start(&self, il: u64) -> bool {
        u32::try_from(il).is_ok_and(|il| self.body.is_some() && self.starts.binary_search(&il).is_ok())
    }

    /// Returns whether a scope ends inside the code.
    pub(crate) fn is_inside(&self, scope: &Scope) -> bool {
        scope.end() <= self.size()
    }

    /// Returns whether scopes are held to the rules of Roslyn's: Mono's compiler writes empty ones for the `finally` of iterators, and ends
    /// that a later pass has moved, which its debugger takes.
    pub(crate) fn has_exact_scopes(&self) -> bool {
        self.format != Format::Mdb
    }

    /// Returns whether a scope begins and ends where an instruction does. Visual Basic writes the last byte of the scope into
    /// Windows PDBs, not the one after it.
    pub(crate) fn is_between_instructions(&self, scope: &Scope) -> bool {
        let is_end = |end: u64| self.is_start(end) || end == self.size();
        self.is_start(scope.start.into())
            && (is_end(scope.end()) || self.format == Format::Windows && is_end(scope.end() + 1))
    }

    /// Returns whether the first scope is as long as the code; nothing in formats that do not give it all of the code.
    pub(crate) fn first_is_all_of_code(&self) -> Option<bool> {
        if self.format != Format::Portable {
            return None;
        }
        let first = self.scopes.first()?;
        Some(first.start == 0 && first.end() == self.size())
    }

    /// Returns whether the slot of a variable is in the local signature; nothing where that cannot be read, for a field and for an argument.
    pub(crate) fn has_slot(&self, variable: &Variable) -> Option<bool> {
        if variable.is_local() { self.slots.map(|slots| usize::from(variable.slot) < slots) } else { None }
    }

    /// Place and bytes of the point with a number from 0.
    pub(crate) fn point(&self, index: usize) -> (Place, Option<Span>) {
        let span = self.points.get(index).zip(self.symbols.points);
        (
            Place::MethodPart(self.token, MethodPart::Point(index as u32 + 1)),
            span.map(|(point, blob)| blob.part(u64::from(point.at), u64::from(point.len))),
        )
    }
}

fn slots(session: &Session, signature: Token) -> Option<usize> {
    if signature.is_nil() {
        return Some(0);
    }
    let blob = session.metadata()?.blob_cell(TableId::STAND_ALONE_SIG, signature.row(), 0).ok()?;
    match signature::decode(&mut blob.cursor()).ok()? {
        Signature::Locals(types) => Some(types.len()),
        _ => None,
    }
}
