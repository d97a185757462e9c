//! An offset of the code to its line.

use super::{Chain, line_of};
use crate::Steps;
use pdblens_nodes::{CodeUnit, MethodPart, Place, TableId, Token, document};
use pdblens_query::where_is::{Answer, HopKind, Position};
use pdblens_session::session::Session;

/// Steps of an answer: token → row → sequence points → point → document → line, and for a kickoff method those of its body.
pub fn where_is(session: &Session, answer: &Answer) -> Steps {
    let name = answer.name(session);
    let mut chain = Chain::new(session, format!("where {name}+{:#x}", answer.offset));
    follow(&mut chain, answer);
    chain.done()
}

fn follow(chain: &mut Chain<'_>, answer: &Answer) {
    let session = chain.session;
    code(chain, answer);
    for hop in &answer.hops {
        let about = match hop.kind {
            HopKind::Thunk => "A thunk has no source of its own: its few instructions leave for other code.",
            _ => "The number was changed after the record was written.",
        };
        chain.step("mapping", &hop.to, about).mean(hop.text());
    }
    if let Some(body) = &answer.state_machine {
        let token = body.of.token();
        let about = "The method only starts a state machine: stack traces name it with an offset of the method that has its body.";
        chain.find("state machine", token, Place::Method(token), about).mean(session.method_name(token));
        return follow(chain, body);
    }
    point(chain, answer);
    chain.jit(answer.of);
}

fn code(chain: &mut Chain<'_>, answer: &Answer) {
    let name = answer.name(chain.session);
    let at = answer.of.label(answer.offset.into());
    match answer.of {
        CodeUnit::Method(token) => {
            let row = Place::row(TableId::METHOD_DEF, token.row());
            let about = "The high byte of a token is the table, the others are the row, from 1.";
            chain.find("token", token, row, about).mean(format!(
                "table 0x{:02x}, row {}: {name}",
                token.0 >> 24,
                token.row()
            ));
            if chain.session.portable_pdb().is_some() {
                let row = Place::row(TableId::METHOD_DEBUG_INFORMATION, token.row());
                let about = "MethodDebugInformation has one row for each method, with the same number.";
                chain.find("debug row", format!("row {}", token.row()), row, about).mean("document, sequence points");
            }
            numbering(chain, token, answer.offset);
        }
        CodeUnit::Function(_) if let Some(symbol) = &answer.nearest => {
            let about = "No function record has the address: the last public symbol at or before it.";
            let at = format!("{:#x}", symbol.rva);
            chain.find("public symbol", at, symbol.place, about).mean(format!(
                "{} ({})",
                symbol.text(),
                symbol.decorated
            ));
        }
        CodeUnit::Function(rva) => {
            let about = "The function record whose range of code has the address.";
            chain.find("function", format!("{rva:#x}"), Place::Function(rva), about).mean(name);
        }
    }
    for (index, function) in answer.folded.iter().enumerate() {
        let about = "The linker folded functions with the same code into one: the address is that of each of them.";
        let named = if answer.named == Some(index) { ", which is named" } else { "" };
        chain.step("folded", &function.name, about).mean(format!("{}:{}{named}", function.file, function.line));
    }
    if let Some(size) = answer.code_size {
        let about = "An offset past the end of the code belongs to no point.";
        let place = answer.of.code(answer.offset);
        let instruction = answer.instruction.as_ref().filter(|found| found.offset != answer.offset);
        let within = match instruction {
            Some(found) => format!("inside the instruction at {}", answer.of.label(found.offset.into())),
            None if answer.offset < size => "inside".to_owned(),
            None => "past the end".to_owned(),
        };
        chain.find("offset", at, place, about).mean(format!("{within}: the code has {size:#x} bytes"));
    }
    if let Some(instruction) = &answer.instruction {
        let about =
            "The instruction that has the offset; stack traces give the offset of the call, or the one after it.";
        let text = format!("{} {}", instruction.opcode, instruction.operand);
        chain.step("instruction", text.trim_end(), about).at(instruction.span).to(answer.of.code(instruction.offset));
    }
    calls(chain, answer);
}

/// The method's record in a Windows PDB, whose offset the blocks of lines have too.
fn numbering(chain: &mut Chain<'_>, token: Token, offset: u32) {
    let Some(pdb) = chain.session.windows_pdb() else { return };
    let Ok(method) = pdb.method(chain.session.spaces(), token.0) else { return };
    let about =
        "S_GMANPROC: the IL of all methods is numbered as one section, and the record has the method's first number.";
    chain.step("symbol record", format!("S_GMANPROC at {:#x}", method.offset), about).at(method.record).mean(format!(
        "its block of lines has {:#x} too; {:#x} + {offset:#x} = {:#x}",
        method.offset,
        method.offset,
        method.offset.wrapping_add(offset)
    ));
}

/// The call that returns to the offset, and those that were inlined there.
fn calls(chain: &mut Chain<'_>, answer: &Answer) {
    if let Some(call) = &answer.returns_from {
        let about = "The call that returns to the offset: that of a caller's frame is after its call.";
        chain.step("after the call", &call.callee, about).mean(format!("at {}", call.label()));
    }
    for call in &answer.inlined {
        let about = "The inline site whose ranges have the address: its code is that of another function.";
        chain.step("inlined", &call.name, about).mean(format!("{}:{}", call.file, call.line));
    }
}

fn point(chain: &mut Chain<'_>, answer: &Answer) {
    let session = chain.session;
    if answer.position == Position::NoPoints {
        match &answer.found.error {
            Some(error) => {
                let about =
                    "The first bytes that cannot be decoded end the points: no line is known for any code after them.";
                let error = session.spaces().error_text(error);
                chain.step("sequence points", "cannot be read", about).mean(error);
            }
            None => {
                chain.step("sequence points", "none", "Without points no line belongs to the code.");
            }
        }
        return;
    }
    if let CodeUnit::Method(token) = answer.of {
        let about = "The points of the method, in the order of their offsets; each covers the code up to the next one.";
        let place = Place::MethodPart(token, MethodPart::Points);
        match &answer.found.error {
            Some(error) => {
                let error = session.spaces().error_text(error);
                chain.find("sequence points", "decoded in part", place, about).mean(format!("✗ {error}"));
            }
            None => {
                chain.find("sequence points", "decoded", place, about);
            }
        }
    }
    let Some(covering) = answer.covering() else {
        chain.step("covering point", "none", "No point begins at or before the offset, or it is past the end.");
        return;
    };
    let range = answer.range().unwrap_or_default();
    let label = |offset: u32| answer.of.label(offset.into());
    let end = if range.end == u32::MAX { "its end".to_owned() } else { label(range.end) };
    let about = "The last point that begins at or before the offset; the end of its range is exclusive.";
    let covers = match answer.open_end() {
        Some(_) => format!("begins at {}; where it ends is not known", label(range.start)),
        None => format!("covers {}..{end} (end exclusive)", label(range.start)),
    };
    let number = answer.found.number;
    chain.find("covering point", format!("point {number}"), answer.of.point(number), about).mean(covers);
    if covering.is_hidden() {
        let about = "No source belongs to a hidden point: a debugger shows the last visible one before it, or the first after it.";
        chain.step("hidden", "yes", about);
    }
    let Some(shown) = answer.shown() else { return };
    let (range, line) = line_of(&shown);
    if let Some(path) = document::name(session, shown.document) {
        let about = "The document of the point: a row with a name, a language and a hash.";
        chain.find("document", format!("#{}", shown.document), Place::Document(shown.document), about).mean(path);
    }
    chain.step("line", shown.start_line, "The line where the source of the point begins.").to(line).mean(range);
}
