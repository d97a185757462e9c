//! Resolution of frames of native code; of precompiled code, by an address of a ReadyToRun image or an offset in the code of a method; and of
//! inlined functions, which have no address of their own, and are in the function of the next frame below them.

use std::path::Path;
use std::rc::Rc;

use super::HeldLine;
use super::context::Above;
use super::frame::{Frame, Module, Offset};
use super::library::{Library, Pair};
use super::names::spellings;
use super::outcome::{Alternative, Call, Candidate, Cause, EPILOG, Outcome, Proof, Refusal, Resolved, is_called};
use super::resolve::MAX_CANDIDATES;
use super::symbols::stem;
use crate::address::{offset_at, past_end};
use crate::native_where::{AddressAnswer, at_address};
use crate::where_is::{self, CallSite, Relation, explain_text};
use pdblens_formats::r2r::{Bound, IlPosition};
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::{CodeOffset, CodeUnit, NamedCode};
use pdblens_nodes::function::address::{debugger_name, rva_of};
use pdblens_nodes::function::{FoldedFunction, NativeView};
use pdblens_nodes::method::il_label;
use pdblens_nodes::method::native::bodies;
use pdblens_nodes::resolve;
use pdblens_session::code_image::attach_known;
use pdblens_session::precompiled::Precompiled;

impl Library {
    pub(super) fn function(&mut self, frame: &Frame, offset: u64, above: &Above) -> Result<Outcome, Refusal> {
        let found = match self.native_pair(frame) {
            Ok((pair, notes)) if frame.name.is_empty() => pair.module_line(frame, offset, notes, above),
            Ok((pair, notes)) => pair.function_line(&frame.name, offset, notes, above),
            Err(refusal) if frame.name.is_empty() => self.with_method(frame, offset, above, refusal),
            Err(refusal) => Err(refusal),
        };
        let Err(refusal) = found else { return found };
        // A method of managed code: the AOT compiler decorates its name.
        if frame.parameters.is_some()
            && let Some(found) = self.compiled_ahead(frame, offset, above)
        {
            return found;
        }
        if refusal.cause == Cause::MachineCode && !frame.name.is_empty() {
            return self.machine_code_of(frame, above, refusal);
        }
        Err(refusal)
    }

    /// The pair of a frame of native code, and by what its build is known.
    fn native_pair(&mut self, frame: &Frame) -> Result<(Rc<Pair>, Vec<Reason>), Refusal> {
        let module = frame.module.known()?;
        let module = module.ok_or_else(|| Cause::NoModule.because("nothing says which module it is in"))?;
        let mut notes: Vec<Reason> = module.note().into_iter().collect();
        let pair = match (self.find(module), module) {
            (Err(refusal), Module::File(name)) if matches!(refusal.cause, Cause::NoSymbols(_)) => {
                let own = self.unmasked(name).ok_or(refusal)?;
                let text = format!("{name} is {own} as WinDbg writes it, which has _ in the place of other characters");
                notes.push(Reason::new("by-name", text));
                self.find(&Module::File(own))?
            }
            (found, _) => found?,
        };
        Ok((pair, notes))
    }

    /// Returns whether an image or symbols of a pair were named, and not found in a folder.
    pub(super) fn is_named(&self, pair: &Pair) -> bool {
        let named = |path: &Path| self.finders.iter().any(|finder| finder.is_named(path));
        pair.number < self.held || pair.session.paths().into_iter().any(named)
    }

    /// The name of a module that WinDbg writes with underscores, among the files that are open or listed; nothing where none of them, or
    /// several, can be meant.
    fn unmasked(&self, name: &str) -> Option<String> {
        let listed = self.finders.iter().flat_map(|finder| finder.all()).map(|offer| offer.path);
        let held = self.pairs.iter().take(self.held).flat_map(|pair| pair.session.paths());
        let files = held.map(Path::to_owned).chain(listed);
        let wanted = debugger_name(stem(name));
        let mut found: Vec<String> = files
            .filter_map(|path| Some(stem(path.file_name()?.to_str()?).to_owned()))
            .filter(|own| debugger_name(own).eq_ignore_ascii_case(&wanted))
            .collect();
        found.sort_unstable_by_key(|own| own.to_ascii_lowercase());
        found.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
        match found.as_slice() {
            [only] if name.contains('_') => Some(only.clone()),
            _ => None,
        }
    }

    /// Resolves an absolute address without a module by the preferred base addresses of the images.
    pub(super) fn address(&mut self, address: u64, above: &Above) -> Result<Outcome, Refusal> {
        let found = self.all().iter().find_map(|pair| {
            let (start, offset) = pair.code_at(address)?;
            let note = format!("{address:#x} as an address of the image at its preferred base");
            Some(pair.address_line("", start, offset, vec![Reason::new("preferred-base", note)], above))
        });
        found.unwrap_or_else(|| {
            Err(Cause::NoModule.because(format!(
                "{address:#x} is an address in memory, and no line before it (ModLoad, or the output of lm) says which \
                 module is loaded there"
            )))
        })
    }

    /// Resolves a frame with an offset in the precompiled code of the method that it names.
    pub(super) fn precompiled(&mut self, frame: &Frame, native: u32, above: &Above) -> Result<Outcome, Refusal> {
        match self.native_pair(frame) {
            Ok((pair, notes)) => pair.precompiled_line(frame, native.into(), notes, above),
            Err(refusal) => self.with_method(frame, native.into(), above, refusal),
        }
    }

    /// Resolves a frame whose return address is the start of an epilog: the call is in the code before it. A report does not name the tier, so
    /// all bodies of the method with a map have to agree.
    pub(super) fn in_epilog(&mut self, frame: &Frame, native: u32, above: &Above) -> Result<Outcome, Refusal> {
        const WITHOUT_MAP: &str = "the runtime did not know the offset: it is in an epilog";
        let unknown = || Cause::NoOffset.because(WITHOUT_MAP);
        let (module, method) = frame.module.known()?.zip(frame.token).ok_or_else(unknown)?;
        let Ok(pair) = self.find(module) else { return Err(unknown()) };
        attach_known(&pair.session, None);
        let before: Vec<_> = bodies(&pair.session, method)
            .iter()
            .filter(|mapped| native < mapped.body.size())
            .map(|mapped| before_epilog(&mapped.info.bounds, native))
            .collect();
        let Some(Some(il)) = before.first().copied().filter(|first| before.iter().all(|other| other == first)) else {
            return Err(unknown());
        };
        let frame = Frame { offset: Offset::ExactIl(il), ..frame.clone() };
        let mut found = self.resolve_anew(&frame, &Above { returns: false, ..above.clone() })?;
        if let Outcome::Resolved(found) = &mut found {
            let at = il_label(il.into());
            let text = format!(
                "{native:#x} is the start of an epilog: by each map of the method the code before it is that at {at}"
            );
            found.notes.push(Reason::new(EPILOG, text));
        }
        Ok(found)
    }

    /// The method and its IL offset, which an image has without symbols, with a refusal for the lack of a line.
    fn with_method(&self, frame: &Frame, offset: u64, above: &Above, mut refusal: Refusal) -> Result<Outcome, Refusal> {
        let Module::File(name) = &frame.module else { return Err(refusal) };
        let images = self.pairs.iter().filter(|pair| pair.session.symbol_file().is_none() && pair.is_called(name));
        if let [pair] = images.collect::<Vec<_>>().as_slice()
            && matches!(refusal.cause, Cause::NoSymbols(_))
            && let [at] = pair.precompiled_at(frame, offset, above).as_slice()
        {
            refusal.reason = format!("{}; {}", refusal.reason, code_of(at));
            let found = Candidate { at: Some(CodeOffset::Il(at.il)), ..pair.candidate(at.method) };
            return Ok(Outcome::Candidates { found: vec![found], refusal });
        }
        Err(refusal)
    }

    /// Resolves the frame of an inlined function by the frame below it.
    pub(super) fn inlined(
        &mut self,
        frame: &Frame,
        below: Option<&Frame>,
        is_caller: bool,
    ) -> Result<Outcome, Refusal> {
        let Some(below) = below else {
            let reason = "it belongs to an inlined function, but no frame below it has an address";
            return Err(Cause::NoModule.because(reason));
        };
        let Offset::Native(offset) = below.offset else {
            let reason =
                format!("it is inlined in {}, the frame below it, whose offset is not in the trace", below.name);
            return Err(Cause::NoOffset.because(reason));
        };
        let (pair, notes) = self.native_pair(below)?;
        pair.inlined_line(frame, below, offset, is_caller, notes)
    }

    /// The functions of a name that pairs have.
    pub(super) fn functions_called(pairs: &[Rc<Pair>], name: &str) -> Result<Outcome, Refusal> {
        if name.is_empty() {
            let reason = "only its address in memory is known, and no line says where its module is loaded";
            return Err(Cause::NoModule.because(reason));
        }
        let functions = pairs.iter().flat_map(|pair| {
            resolve::functions_named(&pair.session, name).into_iter().map(|rva| pair.function_candidate(rva))
        });
        let found: Vec<Candidate> = functions.take(MAX_CANDIDATES).collect();
        if found.is_empty() {
            return Err(Cause::NoMethod.because(format!("no function {name} in the loaded symbols")));
        }
        let reason = "no offset in the frame: its line cannot be determined";
        Ok(Outcome::Candidates { found, refusal: Cause::NoOffset.because(reason) })
    }
}

impl Pair {
    pub(super) fn is_native(&self) -> bool {
        NativeView::of(&self.session).is_some()
    }

    pub(super) fn function_candidate(&self, rva: u32) -> Candidate {
        self.candidate(CodeUnit::Function(rva))
    }

    /// The line of an address relative to the module.
    fn module_line(&self, frame: &Frame, rva: u64, notes: Vec<Reason>, above: &Above) -> Result<Outcome, Refusal> {
        if !self.is_native() {
            if Precompiled::of(&self.session).is_some() {
                return self.precompiled_line(frame, rva, notes, above);
            }
            let reason = format!("{} has no native code, but {rva:#x} is an address in native code", self.path);
            return Err(Cause::MachineCode.because(reason));
        }
        match self.code_at(rva) {
            Some((start, offset)) => self.address_line("", start, offset, notes, above),
            None => {
                let reason = format!("{} has no function with the code at {rva:#x}", self.path);
                Err(Cause::NoMethod.because(reason))
            }
        }
    }

    /// The function with the code at an address, and the offset of the address in it.
    fn code_at(&self, address: u64) -> Option<(u32, u32)> {
        let native = NativeView::of(&self.session)?;
        let query = offset_at(native, rva_of(&self.session, address).ok()?).ok()?;
        match query.of {
            CodeUnit::Function(start) => Some((start, query.offset)),
            CodeUnit::Method(_) => None,
        }
    }

    /// The line of an offset of the machine code of a function.
    pub(super) fn function_line(
        &self,
        name: &str,
        offset: u64,
        notes: Vec<Reason>,
        above: &Above,
    ) -> Result<Outcome, Refusal> {
        if !self.is_native() {
            let reason = format!("{} has no native code, but {offset:#x} is an offset in native code", self.path);
            return Err(Cause::MachineCode.because(reason));
        }
        match (resolve::functions_named(&self.session, name).as_slice(), u32::try_from(offset)) {
            ([rva], Ok(offset)) => self.address_line(name, *rva, offset, notes, above),
            ([_], Err(_)) => Err(Cause::NoMethod.because(past_end(name, &format!("{offset:#x}")))),
            ([], _) => Err(Cause::NoMethod.because(format!("{} has no function {name}", self.path))),
            (several, _) => {
                let reason = format!("{name} could be any of {} functions of {}", several.len(), self.path);
                Err(Cause::Ambiguous.because(reason))
            }
        }
    }

    /// The line of an offset of the function at `rva`; of folded ones, of that with the name, which may be empty.
    pub(super) fn address_line(
        &self,
        name: &str,
        rva: u32,
        offset: u32,
        mut notes: Vec<Reason>,
        above: &Above,
    ) -> Result<Outcome, Refusal> {
        let session = &self.session;
        let of = CodeUnit::Function(rva);
        let answer_at = |offset: u32| where_is::where_is(session, of, offset).for_name(name);
        let at = answer_at(offset);
        let call = at.returns_from.clone().map(|site| Self::native_call(site, above));
        let line_of_call = |call: &Call| Some(answer_at(call.site.offset()).shown()?.start_line);
        let other = call
            .as_ref()
            .and_then(line_of_call)
            .filter(|line| at.shown().is_some_and(|point| point.start_line != *line));
        let (answer, note) = match (&call, other, at.shown()) {
            // The address of a caller is its return address; the instruction before it is the call.
            (Some(call), Some(_), Some(point)) if above.is_caller => {
                let note = format!("the line is that of the call: line {} comes after it", point.start_line);
                (answer_at(call.site.offset()), Some(Reason::new("line-of-call", note)))
            }
            (Some(_), Some(line), _) => {
                let note = format!("as the frame of a caller its line would be {line}");
                (at, Some(Reason::new("or-line-of-call", note)))
            }
            (None, _, Some(point)) => {
                let before = self.line_before(of, offset, point.start_line);
                let note = |line| format!("as a return address it could also be line {line}");
                (at, before.map(|line| Reason::new("or-line-of-call", note(line))))
            }
            _ => (at, None),
        };
        let mut sentences = explain_text::sentences(session, &answer);
        let Some(point) = answer.shown() else {
            return Err(Cause::NoSource.because(Reason::joined(&sentences)));
        };
        // After the hops comes the sentence about the line itself; that about the call comes with the call.
        if answer.hops.len() < sentences.len() {
            sentences.remove(answer.hops.len());
        }
        sentences.retain(|sentence| sentence.reason != explain_text::AFTER_CALL);
        notes.extend(note);
        notes.extend(sentences);
        let mut found = self.resolved(of, offset, point, call, notes)?;
        found.code = NamedCode::new(of, answer.name(session), None);
        let is_call_of_above = above.is_caller && found.call.as_ref().is_some_and(|call| call.is_above);
        found.proof = if is_call_of_above { Proof::Code } else { Proof::None };
        let other = |other: &FoldedFunction| Alternative { name: other.name.clone(), line: other.line };
        found.folded = answer.alternatives().map(other).collect();
        (found.inlined, found.hops) = (answer.inlined, answer.hops);
        Ok(Outcome::Resolved(Box::new(found)))
    }

    fn native_call(site: CallSite, above: &Above) -> Call {
        let is_above = !above.name.is_empty() && where_is::own_name(&above.name) == site.method_name();
        Call { relation: Relation::After, site, is_above }
    }

    /// The line of the byte before an offset, if it is another one: where no image is open, calls are not known.
    fn line_before(&self, of: CodeUnit, offset: u32, line: u32) -> Option<u32> {
        if self.session.image().is_some() {
            return None;
        }
        let before = where_is::points_around(&self.session, of, offset.checked_sub(1)?).shown()?;
        (before.start_line != line).then_some(before.start_line)
    }

    /// Positions that a frame can have: its offset is an address of the image, or one in the code of the method that it names, which may
    /// have several bodies.
    fn precompiled_at(&self, frame: &Frame, offset: u64, above: &Above) -> Vec<AddressAnswer> {
        // A caller is at the address that a call returns to: the call is the instruction before it.
        let offset = u32::try_from(offset).ok().and_then(|offset| offset.checked_sub(above.is_caller.into()));
        let Some(offset) = offset else { return Vec::new() };
        let rvas: Vec<u32> = if frame.name.is_empty() {
            // An address of a component is none of the composite image, which has its code.
            if Precompiled::of(&self.session).is_some_and(|code| code.is_elsewhere()) {
                Vec::new()
            } else {
                vec![offset]
            }
        } else {
            let methods = self.methods_meant(&spellings(&frame.name), frame.parameters.as_deref());
            let bodies = methods.into_iter().flat_map(|method| bodies(&self.session, method));
            let bodies = bodies.filter(|mapped| offset < mapped.body.size());
            bodies.filter_map(|mapped| mapped.body.rva_of(offset)).take(MAX_CANDIDATES).collect()
        };
        rvas.into_iter().filter_map(|rva| at_address(&self.session, rva)).collect()
    }

    fn precompiled_line(
        &self,
        frame: &Frame,
        offset: u64,
        mut notes: Vec<Reason>,
        above: &Above,
    ) -> Result<Outcome, Refusal> {
        match self.precompiled_at(frame, offset, above).as_slice() {
            [] => {
                let reason = format!("{} has no precompiled method with code at {offset:#x}", self.path);
                Err(Cause::NoMethod.because(reason))
            }
            [at] => {
                notes.push(Reason::new("precompiled", code_of(at)));
                self.line(frame, (at.method, at.method), at.il, above, notes)
            }
            several => {
                let refusal = Cause::Ambiguous.because(format!("{} precompiled bodies match", several.len()));
                let mut methods: Vec<_> = several.iter().map(|at| at.method).collect();
                methods.dedup();
                let found = methods.into_iter().map(|method| self.candidate(method)).collect();
                Ok(Outcome::Candidates { found, refusal })
            }
        }
    }

    /// The line of an inlined call at the address of a frame.
    fn inlined_line(
        &self,
        frame: &Frame,
        below: &Frame,
        offset: u64,
        is_caller: bool,
        mut notes: Vec<Reason>,
    ) -> Result<Outcome, Refusal> {
        let session = &self.session;
        let address =
            if below.name.is_empty() { format!("{offset:#x}") } else { format!("{}+{offset:#x}", below.name) };
        let function = match resolve::functions_named(session, &below.name).as_slice() {
            _ if below.name.is_empty() => self.code_at(offset),
            [rva] => u32::try_from(offset).ok().map(|offset| (*rva, offset)),
            _ => None,
        };
        let Some((function, offset)) = function else {
            return Err(Cause::NoMethod.because(format!("{} has no function with {address}", self.path)));
        };
        let of = CodeUnit::Function(function);
        // Below another frame the address is the one that its call returns to.
        let before = offset.saturating_sub(1);
        let order = if is_caller { [before, offset] } else { [offset, before] };
        let found = order.into_iter().find_map(|at| {
            let answer = where_is::where_is(session, of, at);
            let call = answer.inlined.iter().rfind(|call| is_called(&call.name, &frame.name))?.clone();
            Some((answer, call))
        });
        let Some((answer, call)) = found else {
            let reason = format!("{} has no call of {} that is inlined at {address}", self.path, frame.name);
            return Err(Cause::NoMethod.because(reason));
        };
        let text = format!("inlined in the function of the frame below it, at {address}");
        notes.push(Reason::new("inlined", text));
        let code = (NamedCode::new(of, call.name, None), CodeOffset::of(of, answer.offset));
        let (inlined, hops) = (answer.inlined, answer.hops);
        let found = self.found(code, call.file, [call.line, 0, call.line, 0], notes);
        Ok(Outcome::Resolved(Box::new(Resolved { inlined, hops, ..found })))
    }
}

/// For each line the next frame below it that has an address; nothing for lines without frames of inlined functions.
pub(super) fn below(lines: &[HeldLine]) -> Vec<Option<Frame>> {
    let mut next: Option<&Frame> = None;
    let mut found: Vec<Option<Frame>> = lines
        .iter()
        .rev()
        .map(|line| {
            if line.frames.iter().any(|(_, frame)| frame.offset == Offset::Inlined) {
                return next.cloned();
            }
            // A line without frames ends the trace.
            next = line.frames.first().map(|(_, frame)| frame);
            None
        })
        .collect();
    found.reverse();
    found
}

/// IL offset of the code that ends where an epilog starts; `None` where the map has no epilog at the native offset.
fn before_epilog(bounds: &[Bound], native: u32) -> Option<u32> {
    let [before, at] =
        bounds.get(bounds.partition_point(|bound| bound.native <= native).checked_sub(2)?..)?.first_chunk()?;
    match before.il {
        IlPosition::Offset(il) if before.native < native && at.native == native && at.il == IlPosition::Epilog => {
            Some(il)
        }
        _ => None,
    }
}

/// `the code at 0x20359 is of System.Uri.CreateThis, at IL_001e`
fn code_of(at: &AddressAnswer) -> String {
    let special = at.special.map_or_else(String::new, |special| format!(" ({special})"));
    format!("the code at {:#x} is of {}, at {}{special}", at.rva, at.code_of, il_label(at.il.into()))
}
