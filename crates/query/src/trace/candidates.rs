//! Frames whose line cannot be determined: the methods that they could mean.

use super::context::TraceContext;
use super::evidence::called_as;
use super::frame::{Frame, Module};
use super::library::{Library, Pair};
use super::outcome::{Candidate, Cause, Outcome, Refusal};
use super::resolve::{MAX_CANDIDATES, narrow};
use pdblens_formats::metadata::Token;
use pdblens_formats::reason::Reason;
use pdblens_session::session::refused_partner;

const NO_OFFSET: &str = "no IL offset in the frame: its line cannot be determined";

impl Library {
    pub(super) fn candidates(&mut self, frame: &Frame, trace: &TraceContext<'_>) -> Outcome {
        let key = Self::key(frame, trace.footers, &mut Vec::new()).ok().flatten();
        let pairs = match key.map(|key| self.find(&key)) {
            Some(Ok(pair)) => vec![pair],
            Some(Err(refusal)) => return Outcome::No(self.naming_image(refusal, frame)),
            None => self.all(),
        };
        if let (Some(token), [index]) = (frame.token, pairs.as_slice())
            && let Some(pair) = self.pair(*index)
        {
            if let Err(refusal) = pair.check_token(frame, token, false) {
                return Outcome::No(refusal);
            }
            let found = vec![pair.body_calling(token, trace.above)];
            return Outcome::Candidates { found, refusal: Cause::NoOffset.because(NO_OFFSET) };
        }
        let mut found = self.methods_in(&pairs, frame);
        let mut notes = Vec::new();
        if !trace.above.is_empty() {
            let which = format!("call {}, the frame above", called_as(trace.above));
            narrow(&mut found, &which, &mut notes, |(pair, method)| !pair.calls_of(*method, trace.above).is_empty());
        }
        if found.is_empty() && matches!(frame.module, Module::File(_)) && pairs.iter().any(|pair| self.is_native(*pair))
        {
            return self.functions_called(&pairs, &frame.name);
        }
        if found.is_empty() {
            let reason = format!("no IL offset in the frame, and no method {} in the loaded symbols", frame.name);
            return Outcome::No(self.naming_image(Cause::NoOffset.because(reason), frame));
        }
        let candidate = |(pair, method): &(&Pair, Token)| pair.body_calling(*method, trace.above);
        let found: Vec<Candidate> = found.iter().take(MAX_CANDIDATES).map(candidate).collect();
        let mut reason = NO_OFFSET.to_owned();
        for note in notes {
            reason = format!("{reason}; {note}");
        }
        Outcome::Candidates { found, refusal: Cause::NoOffset.because(reason) }
    }

    /// A refusal for a lack of symbols or of a method, which names the image that has the method of the frame, and what it lacks.
    pub(super) fn naming_image(&self, refusal: Refusal, frame: &Frame) -> Refusal {
        let module = match &refusal.cause {
            Cause::NoSymbols(module) | Cause::OtherBuild(module) => Some(module.as_str()),
            Cause::NoMethod | Cause::NoOffset => None,
            _ => return refusal,
        };
        let is_alone = |pair: &&Pair| pair.session.symbol_file().is_none();
        let is_meant = |pair: &&Pair| module.is_none_or(|module| pair.is_called(module));
        let found = self.pairs.iter().filter(is_alone).filter(is_meant).find_map(|pair| {
            let method = *pair.methods_meant(&frame.name, frame.parameters.as_deref()).first()?;
            Some((pair, pair.session.image()?, method))
        });
        let Some((pair, image, method)) = found else { return refusal };
        let file = module.unwrap_or(&image.name).to_owned();
        let name = pair.session.method_name(method);
        let (cause, why) = match refused_partner(&pair.session) {
            Some(refused) => (Cause::OtherBuild(file), refused.to_owned()),
            None => (Cause::NoSymbols(file), Reason::first(pair.session.match_reasons()).to_owned()),
        };
        cause.because(format!("{} has {name}, but {why} ({})", image.name, pair.path()))
    }

    /// A refusal for an offset of machine code, with the methods of managed code that go by the name of the frame.
    pub(super) fn machine_code_of(&mut self, frame: &Frame, trace: &TraceContext<'_>, refusal: Refusal) -> Outcome {
        match self.candidates(frame, trace) {
            Outcome::Candidates { mut found, .. } => {
                found.retain(|candidate| !candidate.code.unit().is_native());
                if found.is_empty() { Outcome::No(refusal) } else { Outcome::Candidates { found, refusal } }
            }
            _ => Outcome::No(refusal),
        }
    }
}
