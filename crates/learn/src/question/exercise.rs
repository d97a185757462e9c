//! Exercises: bytes that are decoded by hand, and the list that comes out of them.

use super::answer::tokens;
use super::marks::{ByteMark, MarkedByte};
use super::{Expected, Question, Verdict};
use crate::codec::Codec;
use crate::{Step, Steps};
use pdblens_session::text::safe::spaced_hex;

const POINT_PARTS: [&str; 5] = ["IL offset", "start line", "start column", "end line", "end column"];
/// Parts of a slot in an answer; a temporary has the first alone.
const SLOT_PARTS: [&str; 2] = ["kind", "syntax offset"];

#[derive(Clone, Debug)]
pub(super) struct Items {
    pub text: String,
    codec: &'static str,
    steps: Steps,
}

pub(super) fn question(codec: &'static str, bytes: &[u8]) -> Option<Question> {
    let found = Codec::named(codec)?.decode(bytes);
    let text = found.text.ok()?;
    let example = Codec::named(codec)?.example.1;
    let solution = text.split("; ").map(str::to_owned).collect();
    let bytes = spaced_hex(bytes, 64);
    let shows = "shows every read; the answer line takes it too, without `pdblens`.";
    let expected = Expected::Items(Items { text, codec, steps: found.steps });
    let question = Question::new("Decode these bytes by hand.", expected)
        .hint(format!("An answer of this kind looks like this: {example}"))
        .hint("A wrong answer is told where it differs first: type what you have so far, and go on from there.")
        .hint(format!("`pdblens decode {codec} {bytes} --steps` {shows}"))
        .fact("kind", codec)
        .fact("bytes", bytes);
    Some(Question { solution, ..question })
}

impl Items {
    pub fn check(&self, answer: &str) -> Verdict {
        if let Some(reason) = self.form_error(answer) {
            return Verdict::Unreadable(reason);
        }
        let (wanted, given) = (self.tokens(&self.text), self.tokens(answer));
        let (wanted_locals, given_locals) = (self.locals(&self.text), self.locals(answer));
        if let Some(locals) = given_locals.as_ref().filter(|locals| Some(*locals) != wanted_locals.as_ref()) {
            return Verdict::Wrong(match wanted_locals {
                Some(_) => format!("The first difference is the local signature in the header: {locals}."),
                None => format!("The header has no local signature {locals}: it is 0, or the bytes have no header."),
            });
        }
        if wanted == given {
            return Verdict::Right(match (wanted_locals, given_locals) {
                (Some(locals), None) => {
                    format!("The header, which the answer leaves out, has local signature {locals}.")
                }
                _ => String::new(),
            });
        }
        let Some(at) = wanted.iter().zip(&given).position(|(wanted, given)| wanted != given) else {
            let (less, more) = (wanted.len(), given.len());
            return Verdict::Wrong(if more < less {
                format!("That is right so far, but there is more: {}.", self.part(more))
            } else {
                "That is right, and then more follows than the bytes hold.".to_owned()
            });
        };
        let (wanted, given) = (wanted.get(at).map_or("", String::as_str), given.get(at).map_or("", String::as_str));
        let (part, why) = (self.part(at), self.why(wanted, given));
        let given = match given.parse::<u32>() {
            Ok(offset) if part.starts_with("the IL offset") => format!("IL_{offset:04x}"),
            _ => given.to_owned(),
        };
        let byte = self.byte(at);
        Verdict::Wrong(format!("The first difference is {part}: you have {given}. {byte}{why}").trim_end().to_owned())
    }

    /// Reason why an answer has not the form of the list; `None` for kinds whose lists have words of any form.
    fn form_error(&self, answer: &str) -> Option<String> {
        let (words, form, is_other): (&[&str], &str, bool) = match self.codec {
            _ if self.is_of_points() => (
                &["il", "locals", "hidden"],
                "a point is typed as IL_0006 48:13-48:31 or IL_0006 hidden, and a semicolon follows it",
                answer.contains('@'),
            ),
            "slots" => (
                &["temporary"],
                "a slot is typed as its kind, @ and its syntax offset, such as 0@41, or as the word temporary",
                answer.contains(':') || answer.to_lowercase().contains("il_"),
            ),
            _ => return None,
        };
        let all = tokens(answer);
        let is_known = |word: &&String| words.contains(&word.as_str()) || word.parse::<i64>().is_ok();
        let unknown = all.iter().find(|word| !is_known(word));
        match unknown {
            Some(word) => Some(format!("`{word}` is not part of the list: {form}")),
            None if is_other || all.is_empty() => Some(format!("that is a list of another kind: {form}")),
            // A stored 0 is a temporary, and 0 alone could be the kind of a variable whose offset is missing.
            None if self.codec == "slots"
                && answer.split_whitespace().any(|word| word == "0")
                && answer.contains('@') =>
            {
                Some("a 0 alone is not a slot: for a 0 byte, write the word temporary".to_owned())
            }
            None => None,
        }
    }

    /// The local signature of a header; `None` without one.
    fn locals(&self, text: &str) -> Option<String> {
        let mut words = tokens(text).into_iter();
        (self.is_of_points() && words.next()? == "locals").then(|| words.next())?
    }

    /// Tokens without the word of the header that an answer may leave out.
    fn tokens(&self, text: &str) -> Vec<String> {
        let mut all = tokens(text);
        if self.is_of_points() && all.first().is_some_and(|word| word == "locals") {
            all.drain(..all.len().min(2));
        }
        all.retain(|word| word != "il");
        all
    }

    fn is_of_points(&self) -> bool {
        matches!(self.codec, "points" | "records")
    }

    fn part(&self, at: usize) -> String {
        let Some((parts, noun)) = self.parts() else {
            return format!("number or word {} of the list", at + 1);
        };
        let (number, part) = self.position(at);
        format!("the {} of {noun} {number}", parts.get(part).copied().unwrap_or("start line"))
    }

    /// Parts of an item, and its noun; `None` for kinds whose lists have words of any form.
    fn parts(&self) -> Option<(&'static [&'static str], &'static str)> {
        match self.codec {
            _ if self.is_of_points() => Some((&POINT_PARTS, "point")),
            "slots" => Some((&SLOT_PARTS, "slot")),
            _ => None,
        }
    }

    /// Number of the item that has the token at an index, from 1, and the index of its part.
    fn position(&self, at: usize) -> (usize, usize) {
        let last = self.parts().map_or(usize::MAX, |(parts, _)| parts.len());
        let (mut number, mut part) = (1_usize, 0_usize);
        for word in self.tokens(&self.text).iter().take(at) {
            part += 1;
            if part == last || matches!(word.as_str(), "hidden" | "temporary") {
                (number, part) = (number + 1, 0);
            }
        }
        (number, part)
    }

    /// Reads with bytes, each with the number of its item, from 1; those before the first item have 0.
    fn reads(&self) -> impl Iterator<Item = (usize, &Step)> {
        let is_item = |step: &Step| {
            step.field.group && matches!(step.field.name.as_str(), "point" | "hidden point" | "local slot")
        };
        let numbered = self.steps.list.iter().scan(0_usize, move |item, step| {
            *item += usize::from(is_item(step));
            Some((*item, step))
        });
        numbered.filter(|(_, step)| !step.field.group && !step.bytes.is_empty())
    }

    /// The read that gives the token at an index; `None` for kinds whose lists have words of any form.
    fn read_of(&self, at: usize) -> Option<&Step> {
        let (parts, _) = self.parts()?;
        let (number, part) = self.position(at);
        let is_hidden = self.tokens(&self.text).get(at).is_some_and(|word| word == "hidden");
        let fields: &[&str] = match parts.get(part).copied() {
            _ if is_hidden => &["Δ columns"],
            Some("IL offset") => &["δ IL offset"],
            Some("start line") => &["start line", "δ start line"],
            Some("start column") => &["start column", "δ start column"],
            Some("end line") => &["Δ lines"],
            Some("end column") => &["Δ columns"],
            Some("kind") => &["slot kind"],
            _ => &["syntax offset"],
        };
        let mut reads = self.reads();
        reads.find(|(item, step)| *item == number && fields.contains(&step.field.name.as_str())).map(|(_, step)| step)
    }

    /// Offset of a read, from the first of the bytes.
    fn offset(&self, step: &Step) -> u64 {
        step.field.span.start.saturating_sub(self.steps.span.start)
    }

    /// Sentence about the bytes that hold the token at an index; empty where they are not known.
    fn byte(&self, at: usize) -> String {
        let Some(step) = self.read_of(at) else { return String::new() };
        let offset = self.offset(step);
        format!("It comes from byte {offset:#04x}, {}, the {}. ", spaced_hex(&step.bytes, 4), step.field.name)
    }

    /// The bytes, with the items that `answer` has; in one that is wrong also the read where it differs first.
    pub fn marked(&self, answer: &str, is_wrong: bool) -> Vec<MarkedByte> {
        let (wanted, given) = (self.tokens(&self.text), self.tokens(answer));
        let (next, _) = self.position(given.len());
        let at = wanted.iter().zip(&given).position(|(wanted, given)| wanted != given);
        let wrong = if is_wrong { at.and_then(|at| self.read_of(at)) } else { None };
        let of_read = |(item, step): (usize, &Step)| {
            let mark = match wrong {
                Some(wrong) if wrong.number == step.number => ByteMark::Wrong,
                _ if (1..next).contains(&item) => ByteMark::Answered(item),
                _ => ByteMark::Open,
            };
            let bytes = (self.offset(step)..).zip(step.bytes.clone());
            bytes.map(move |(offset, byte)| MarkedByte { offset, byte: Some(byte), mark }).collect::<Vec<_>>()
        };
        self.reads().flat_map(of_read).collect()
    }

    /// Mistake that turns `wanted`, the result of a read, into `given`.
    fn why(&self, wanted: &str, given: &str) -> String {
        let (Ok(wanted), Ok(given)) = (wanted.parse::<i64>(), given.parse::<i64>()) else { return String::new() };
        for (index, step) in self.steps.list.iter().enumerate() {
            for change in step.field.changes.iter().filter(|change| change.after == wanted) {
                let by = change.before.map_or(0, |before| wanted.wrapping_sub(before));
                let found = super::mistakes::of_state(&self.steps, index).into_iter();
                let mut found = found.filter(|mistake| mistake.answer == super::Given::Number(given));
                if let (Some(mistake), true) = (found.next(), step.field.number == Some(by)) {
                    return mistake.because;
                }
            }
            if self.codec == "slots" && step.field.number == Some(given) && given == wanted.saturating_add(1) {
                return "The byte is stored plus 1: kinds because 0 is a temporary, offsets because they count from −1.".to_owned();
            }
        }
        String::new()
    }
}
