//! Resolution of a frame to a source line, or to the methods that it could mean where its line cannot be determined.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::context::Above;
use super::evidence::called_as;
use super::frame::{Frame, Module, Offset};
use super::library::{Library, Pair};
use super::names::{is_written, spellings};
use super::outcome::{Call, Candidate, CandidateLines, Cause, HIDDEN, Outcome, Proof, Refusal, Resolved};
use crate::evidence;
use crate::where_is::hop::{self, Hop};
use crate::where_is::{self, state_machine, versions};
use pdblens_formats::points_around::PointsAround;
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{self, CodeOffset, CodeUnit, NamedCode};
use pdblens_nodes::method::il_label;
use pdblens_nodes::{SequencePoint, TableId, Token, document};
use pdblens_session::session::{closed_deltas, refused_partner};

pub(super) const MAX_CANDIDATES: usize = 16;
const NO_OFFSET: &str = "no IL offset in the frame: its line cannot be determined";

impl Library {
    /// The outcome of a frame, which is worked out once for all frames that are alike.
    pub(crate) fn resolve(&mut self, frame: &Frame, above: &Above) -> Result<Outcome, Refusal> {
        if !self.outcomes.comes_again(&(&frame.name, frame.token, frame.offset, &above.name)) {
            return self.resolve_named(frame, above);
        }
        let mut question = self.question(frame, above);
        if let Some(known) = self.outcomes.get(&question) {
            return known;
        }
        let outcome = self.resolve_named(frame, above);
        // Pairs that were opened for it are part of the answer.
        question.pairs = self.pairs.len();
        let text = outcome.as_ref().map_or_else(|refusal| refusal.reason.len(), Outcome::text_size);
        self.outcomes.keep(question, &outcome, text + frame.text_size() + above.name.len());
        outcome
    }

    fn resolve_named(&mut self, frame: &Frame, above: &Above) -> Result<Outcome, Refusal> {
        let mut outcome = self.resolve_anew(frame, above)?;
        let is_by_il = matches!(frame.offset, Offset::Il(_) | Offset::ExactIl(_));
        if let Outcome::Resolved(found) = &mut outcome
            && !(self.is_without_names && is_by_il)
            && found.code.name().is_empty()
            && let Some(pair) = self.pairs.get(found.pair)
        {
            found.code = NamedCode::of(&pair.session, found.code.unit());
        }
        Ok(outcome)
    }

    /// The outcome, in which a method that was found has no name yet.
    pub(super) fn resolve_anew(&mut self, frame: &Frame, above: &Above) -> Result<Outcome, Refusal> {
        let (il, exact) = match frame.offset {
            Offset::Line(_) => return Ok(Outcome::Known),
            Offset::Precompiled(native) => return self.precompiled(frame, native, above),
            Offset::Epilog(native) => return self.in_epilog(frame, native, above),
            Offset::Native(offset)
                if matches!(frame.module, Module::File(_) | Module::Stamped(..) | Module::Symbols(..)) =>
            {
                return self.function(frame, offset, above);
            }
            Offset::Native(_) if frame.name.is_empty() => {
                return Err(Cause::NoModule.because("no line before it names the faulting module"));
            }
            Offset::Native(offset) => return self.machine_code(frame, offset, above),
            Offset::None | Offset::Inlined => return self.candidates(frame, above),
            Offset::Il(u32::MAX) | Offset::ExactIl(u32::MAX) => {
                return Err(Cause::NoOffset.because("the runtime did not know the offset"));
            }
            Offset::Il(il) => (il, above.started),
            Offset::ExactIl(il) => (il, true),
        };
        let module = frame.module.known()?;
        let mut notes: Vec<Reason> = module.and_then(Module::note).into_iter().collect();
        let pairs = match (module, frame.token) {
            (Some(module), _) => match self.choice(module).cloned() {
                Some(choice) => {
                    notes.push(choice.note);
                    vec![choice.pair]
                }
                None => match self.find(module) {
                    Ok(pair) => vec![pair],
                    Err(refusal) => {
                        let refusal = self.naming_image(refusal, frame);
                        return self.in_each_build(module, frame, refusal);
                    }
                },
            },
            (None, Some(token)) => {
                return Err(Cause::NoModule.because(format!("nothing says which module {token} is of")));
            }
            (None, None) => self.all(),
        };
        if let (Some(token), [pair]) = (frame.token, pairs.as_slice()) {
            pair.check_token(frame, token, frame.module.is_proof())?;
            let method = pair.running(frame, token, exact)?;
            return pair.line(frame, (token, method), il, above, notes);
        }
        self.by_name(frame, il, above, &pairs, notes)
    }

    /// The line of a frame that names its method and has no token.
    fn by_name(
        &self,
        frame: &Frame,
        il: u32,
        above: &Above,
        pairs: &[Rc<Pair>],
        mut notes: Vec<Reason>,
    ) -> Result<Outcome, Refusal> {
        let mut matching = methods_in(pairs, frame);
        narrow(&mut matching, "can have that offset", &mut notes, |(pair, method)| {
            pair.body_of(frame, *method).is_some_and(|body| pair.code_of(body).begins_instruction(il))
        });
        if !above.name.is_empty() {
            let which = format!("call {} there, the frame above", called_as(&above.name));
            narrow(&mut matching, &which, &mut notes, |(pair, method)| {
                pair.body_of(frame, *method).is_some_and(|body| pair.code_of(body).calls_at(il, &above.name))
            });
        }
        match matching.as_slice() {
            [] => {
                let reason = format!("no method {} was found in the loaded symbols", frame.name);
                Err(self.naming_image(Cause::NoMethod.because(reason), frame))
            }
            [(pair, method)] => {
                notes.push(Reason::new("method-by-name", format!("{method} by its name")));
                pair.line(frame, (*method, pair.running(frame, *method, false)?), il, above, notes)
            }
            several => {
                let found = several.iter().take(MAX_CANDIDATES).map(|(pair, method)| pair.candidate(*method)).collect();
                let refusal = Cause::Ambiguous.because(format!("{} methods match", several.len()));
                Ok(Outcome::Candidates { found, refusal })
            }
        }
    }

    pub(super) fn candidates(&mut self, frame: &Frame, above: &Above) -> Result<Outcome, Refusal> {
        let pairs = match frame.module.known().ok().flatten() {
            Some(module) => vec![self.find(module).map_err(|refusal| self.naming_image(refusal, frame))?],
            None => self.all(),
        };
        if let (Some(token), [pair]) = (frame.token, pairs.as_slice()) {
            pair.check_token(frame, token, false)?;
            let found = vec![pair.candidate_calling(pair.running(frame, token, false)?, &above.name)];
            return Ok(Outcome::Candidates { found, refusal: Cause::NoOffset.because(NO_OFFSET) });
        }
        let mut found = methods_in(&pairs, frame);
        let mut notes = Vec::new();
        if !above.name.is_empty() {
            let which = format!("call {}, the frame above", called_as(&above.name));
            narrow(&mut found, &which, &mut notes, |(pair, method)| {
                pair.body_of(frame, *method).is_some_and(|body| !pair.code_of(body).calls_of(&above.name).is_empty())
            });
        }
        if found.is_empty() && matches!(frame.module, Module::File(_)) && pairs.iter().any(|pair| pair.is_native()) {
            return Self::functions_called(&pairs, &frame.name);
        }
        let candidate =
            |(pair, method): &(&Pair, Token)| Some(pair.candidate_calling(pair.body_of(frame, *method)?, &above.name));
        let found: Vec<Candidate> = found.iter().take(MAX_CANDIDATES).filter_map(candidate).collect();
        if found.is_empty() {
            let reason = format!("no IL offset in the frame, and no method {} in the loaded symbols", frame.name);
            return Err(self.naming_image(Cause::NoOffset.because(reason), frame));
        }
        let notes = notes.iter().map(|note| note.text.as_str());
        let reason = [NO_OFFSET].into_iter().chain(notes).collect::<Vec<_>>().join("; ");
        Ok(Outcome::Candidates { found, refusal: Cause::NoOffset.because(reason) })
    }

    /// A refusal for a lack of symbols or of a method, which names the image that has the method of the frame, and what it lacks.
    pub(super) fn naming_image(&self, refusal: Refusal, frame: &Frame) -> Refusal {
        let module = match &refusal.cause {
            Cause::NoSymbols(module) | Cause::OtherBuild(module) => Some(module.as_str()),
            Cause::NoMethod | Cause::NoOffset => None,
            _ => return refusal,
        };
        let is_alone = |pair: &&Rc<Pair>| pair.session.symbol_file().is_none();
        let is_meant = |pair: &&Rc<Pair>| module.is_none_or(|module| pair.is_called(module));
        let spellings = spellings(&frame.name);
        let found = self.pairs.iter().filter(is_alone).filter(is_meant).find_map(|pair| {
            let method = *pair.methods_meant(&spellings, frame.parameters.as_deref()).first()?;
            Some((pair, pair.session.image()?, method))
        });
        let Some((pair, image, method)) = found else { return refusal };
        let file = module.unwrap_or(&image.name).to_owned();
        let name = pair.session.method_name(method);
        let (cause, why) = match refused_partner(&pair.session) {
            Some(refused) => (Cause::OtherBuild(file), refused.to_owned()),
            None => (Cause::NoSymbols(file), Reason::first(pair.session.match_reasons()).to_owned()),
        };
        cause.because(format!("{} has {name}, but {why} ({})", image.name, pair.path))
    }

    /// A refusal for an offset of machine code, with the methods of managed code that go by the name of the frame.
    pub(super) fn machine_code_of(
        &mut self,
        frame: &Frame,
        above: &Above,
        refusal: Refusal,
    ) -> Result<Outcome, Refusal> {
        match self.candidates(frame, above) {
            Ok(Outcome::Candidates { mut found, .. }) => {
                found.retain(|candidate| !candidate.code.unit().is_native());
                Outcome::of_candidates(found, refusal)
            }
            _ => Err(refusal),
        }
    }
}

/// The methods of pairs that a frame may mean.
fn methods_in<'p>(pairs: &'p [Rc<Pair>], frame: &Frame) -> Vec<(&'p Pair, Token)> {
    let spellings = spellings(&frame.name);
    let named = |pair: &Pair| pair.methods_meant(&spellings, frame.parameters.as_deref());
    pairs.iter().flat_map(|pair| named(pair).into_iter().map(move |method| (&**pair, method))).collect()
}

impl Pair {
    pub(super) fn check_token(&self, frame: &Frame, token: Token, proven: bool) -> Result<(), Refusal> {
        let session = &self.session;
        if token.table() != TableId::METHOD_DEF || token.is_nil() || token.row() > session.methods() {
            let methods = session.methods();
            let reason = format!("{} does not match: no method {token} among its {methods}", self.path);
            return Err(self.other_build(reason));
        }
        // A method that a delta adds has its name in the metadata of that delta.
        let is_named = session.metadata().is_some_and(|metadata| token.row() <= metadata.rows(TableId::METHOD_DEF));
        if !is_named || proven || frame.name.is_empty() {
            return Ok(());
        }
        let Some(names) = session.names() else { return Ok(()) };
        if is_written(&names, token, &frame.name)
            || frame.name.contains(['<', '['])
                && spellings(&frame.name).iter().any(|written| is_written(&names, token, written))
        {
            return Ok(());
        }
        let full = names.reflection_name(token);
        Err(self.other_build(format!("{} does not match: {token} is {full} there, not {}", self.path, frame.name)))
    }

    /// The method that a frame of `method` runs in. .NET gives each method of a state machine the token of the method that starts it, and
    /// writes the own name of a method of an iterator after that: `Ns.T.Walk()+MoveNext()`. `None` where no method, or several, have that name.
    pub(super) fn body_of(&self, frame: &Frame, method: Token) -> Option<Token> {
        let session = &self.session;
        let move_next = state_machine::move_next(session, method);
        match frame.inner.as_deref() {
            None => Some(move_next.unwrap_or(method)),
            Some("MoveNext") => move_next,
            Some(inner) => state_machine::method_beside(session, move_next?, inner),
        }
    }

    /// The method that a frame of `method` runs in: itself where its offset is `exact`.
    pub(super) fn running(&self, frame: &Frame, method: Token, exact: bool) -> Result<Token, Refusal> {
        if exact {
            return Ok(method);
        }
        self.body_of(frame, method).ok_or_else(|| {
            let inner = frame.inner.as_deref().unwrap_or_default();
            let reason = format!("{method} starts no state machine with one method {inner} in {}", self.path);
            Cause::NoMethod.because(reason)
        })
    }

    /// A refusal of the pair: the trace is of another build.
    pub(super) fn other_build(&self, reason: String) -> Refusal {
        let image = self.session.image().map(|image| image.name.clone());
        let name = image.or_else(|| self.session.symbol_file().map(|file| file.name.clone()));
        Cause::OtherBuild(name.unwrap_or_default()).because(reason)
    }

    /// The way from the token of a frame to the method that it runs in.
    fn hops_to_body(
        &self,
        frame: &Frame,
        (token, method): (Token, Token),
        il: u32,
        notes: &mut Vec<Reason>,
    ) -> Vec<Hop> {
        if method == token {
            return Vec::new();
        }
        let hop = Hop::to_body(&self.session, token, method);
        notes.push(hop.reason());
        if frame.inner.is_none() && self.code_of(token).size().is_some_and(|size| il < size) {
            let kickoff = self.session.method_name(token);
            let text = format!("it could also be an offset of {kickoff} itself, which has no lines");
            notes.push(Reason::new("or-kickoff", text));
        }
        vec![hop]
    }

    /// The line of an offset in `method`, to which the token of a frame leads.
    pub(super) fn line(
        &self,
        frame: &Frame,
        (token, method): (Token, Token),
        il: u32,
        above: &Above,
        mut notes: Vec<Reason>,
    ) -> Result<Outcome, Refusal> {
        let session = &self.session;
        let mut hops = self.hops_to_body(frame, (token, method), il, &mut notes);
        let code = self.code_of(method);
        let returned = if above.returns { code.returned_from(il, &above.name) } else { None };
        if let Some(size) = code.size().filter(|size| returned.unwrap_or(il) >= *size) {
            let at = il_label(il.into());
            return Err(self.other_build(format!(
                "{} does not match: {at} is past the end of {method}, which has {size:#x} bytes of IL",
                self.path
            )));
        }
        let to_record = hop::to_record(session, method.into());
        notes.extend(to_record.iter().map(Hop::reason));
        notes.extend(versions::sentences(session, method.into(), il));
        notes.extend(code.handler_note(il, &above.name));
        hops.extend(to_record);
        let found = where_is::points_around(session, method, returned.unwrap_or(il));
        let Some(point) = found.visible else { return Err(self.no_point(method, il, found)) };
        if found.covering.is_some_and(|point| point.is_hidden()) {
            notes.push(Reason::new(HIDDEN, "the point there is hidden: this is the last visible one before it"));
        }
        let mut call = code.call_at(il, &above.name, returned.is_some());
        notes.extend(code.unmapped_note(&found, call.as_ref()));
        let fits_above = call.as_ref().is_some_and(|call| call.fits_above(found.end));
        let is_of_line = |call: &Call| {
            let shown = where_is::points_around(session, method, call.site.offset()).shown();
            shown.is_none_or(|at| at.start_line == point.start_line)
        };
        // A call of another line says nothing of the offset.
        if !fits_above && call.as_ref().is_some_and(|call| call.is_above && !is_of_line(call)) {
            call = None;
        }
        let doubt = (!self.is_reloaded(method.into()) && code.lacks_call(il, above)).then(|| {
            let at = il_label(il.into());
            let text = format!("{method} calls nothing in the statement at {at}: the trace may be of another build");
            Reason::new("no-call", text)
        });
        let point = match returned {
            Some(start) => {
                let text = format!("as a return address it belongs to the instruction at {}", il_label(start.into()));
                notes.push(Reason::new("return-address", text));
                point
            }
            None => self.point_of_call(method, call.as_ref(), point, &mut notes),
        };
        let found = self.resolved(method.into(), il, point, call, notes)?;
        let proof = if fits_above { Proof::Code } else { Proof::None };
        Ok(Outcome::Resolved(Box::new(Resolved { proof, doubt, hops, ..found })))
    }

    /// Refuses an offset without a visible point at it or before it: a later line is not where the code was.
    fn no_point(&self, method: Token, il: u32, found: PointsAround) -> Refusal {
        let session = &self.session;
        if let Some(next) = found.next {
            let (at, line) = (il_label(il.into()), next.start_line);
            return Cause::NoSource.because(format!(
                "the code at {at} of {method} is before the first visible sequence point, at line {line}: no source belongs to it"
            ));
        }
        match (found.error, state_machine::move_next(session, method)) {
            (Some(error), _) => {
                let error = session.spaces().error_text(&error);
                Cause::Damaged.because(format!("the sequence points of {method} cannot be read: {error}"))
            }
            (None, Some(body)) => Cause::NoSource
                .because(format!("{method} has no lines: it only starts {} ({body})", session.method_name(body))),
            (None, None) if found.number > 0 => {
                Cause::NoSource.because(format!("all sequence points of {method} are hidden: no source belongs to it"))
            }
            (None, None) => {
                Cause::NoSource.because(format!("{method} has no sequence points: no source belongs to it"))
            }
        }
    }

    pub(super) fn resolved(
        &self,
        of: CodeUnit,
        offset: u32,
        point: SequencePoint,
        call: Option<Call>,
        mut notes: Vec<Reason>,
    ) -> Result<Resolved, Refusal> {
        let Some(path) = document::name(&self.session, point.document) else {
            return Err(Cause::Damaged.because(format!("there is no document {}", point.document)));
        };
        notes.extend(call.as_ref().map(|call| Reason::new("call", call.sentence())));
        let code = (NamedCode::new(of, String::new(), None), CodeOffset::of(of, offset));
        let range = [point.start_line, point.start_column, point.end_line, point.end_column];
        let (contradiction, is_reloaded) = (self.contradiction(of), self.is_reloaded(of));
        let found = self.found(code, path, range, notes);
        Ok(Resolved { call, contradiction, is_reloaded, ..found })
    }

    /// The code of a frame and its source, with nothing else known of it.
    pub(super) fn found(
        &self,
        (code, offset): (NamedCode, CodeOffset),
        path: String,
        [line, column, end_line, end_column]: [u32; 4],
        notes: Vec<Reason>,
    ) -> Resolved {
        let (symbols, pair, proof) = (self.path.clone(), self.number, Proof::None);
        let (inlined, folded, hops) = (Vec::new(), Vec::new(), Vec::new());
        Resolved {
            code,
            offset,
            path,
            line,
            column,
            end_line,
            end_column,
            proof,
            doubt: None,
            symbols,
            pair,
            call: None,
            inlined,
            folded,
            hops,
            contradiction: None,
            is_reloaded: false,
            notes,
        }
    }

    pub(super) fn is_reloaded(&self, of: CodeUnit) -> bool {
        let CodeUnit::Method(method) = of else { return false };
        closed_deltas(&self.session).iter().any(|delta| delta.changes(method.row()))
    }

    /// Sentence about symbols of managed code that do not fit it: all of them, or those of a method.
    fn contradiction(&self, of: CodeUnit) -> Option<Reason> {
        let CodeUnit::Method(method) = of else { return None };
        let of_all = evidence::evidence(&self.session);
        match of_all.agrees() {
            Some(true) => None,
            Some(false) => {
                let text = of_all.sentence(self.session.pdb_match())?;
                Some(Reason::new("image", text))
            }
            None => evidence::contradiction(&self.session, method),
        }
    }

    /// A method or function that a frame could mean, and its first and last line in each document.
    pub(super) fn candidate(&self, of: impl Into<CodeUnit>) -> Candidate {
        let (session, of) = (&self.session, of.into());
        let mut found: Vec<(u32, u32, u32)> = Vec::new();
        let _ = code_unit::each_point(session, of, &mut |point| {
            let (start, end) = (point.start_line, if of.is_native() { point.start_line } else { point.end_line });
            if point.is_hidden() {
                return ControlFlow::Continue(());
            }
            if let Some((_, first, last)) = found.iter_mut().find(|(document, ..)| *document == point.document) {
                (*first, *last) = (start.min(*first), end.max(*last));
            } else if found.len() < MAX_CANDIDATES {
                found.push((point.document, start, end));
            }
            ControlFlow::Continue(())
        });
        let lines = found.into_iter().filter_map(|(document, first, last)| {
            Some(CandidateLines { path: document::name(session, document)?, first, last, calls: Vec::new() })
        });
        self.candidate_with(of, lines.collect())
    }

    pub(super) fn candidate_with(&self, of: impl Into<CodeUnit>, lines: Vec<CandidateLines>) -> Candidate {
        let of = of.into();
        let versions = match of {
            CodeUnit::Method(method) => versions::versions_of(&self.session, method),
            CodeUnit::Function(_) => Vec::new(),
        };
        let code = NamedCode::of(&self.session, of);
        Candidate { code, at: None, symbols: self.path.clone(), pair: self.number, lines, versions }
    }
}

/// Keeps those of several methods for which `keep` returns true, if there are any, and notes that it did.
pub(super) fn narrow<T>(found: &mut Vec<T>, which: &str, notes: &mut Vec<Reason>, keep: impl Fn(&T) -> bool) {
    if found.len() < 2 {
        return;
    }
    let kept: Vec<bool> = found.iter().map(keep).collect();
    let number = kept.iter().filter(|kept| **kept).count();
    if number == 0 || number == found.len() {
        return;
    }
    let text = format!("evidence: of {} methods of that name only {number} {which}", found.len());
    notes.push(Reason::new("evidence", text));
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(true));
}
