//! Parts of an answer that are of native code alone: inlined calls, folded functions, the nearest symbol, code between functions.

use super::{Answer, Hop};
use pdblens_formats::reason::Reason;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::{NativeView, NearestSymbol};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;

/// Parts of an answer that only native code has: inlined calls, folded functions, the nearest symbol, OMAP.
pub(super) fn native_answer(session: &Session, of: CodeUnit, offset: u32) -> Answer {
    let mut answer = Answer::default();
    let (CodeUnit::Function(start), Some(native)) = (of, NativeView::of(session)) else { return answer };
    answer.hops.extend(Hop::by_image(native.addresses(), start.saturating_add(offset)));
    let Some(function) = native.function_at(start) else {
        answer.nearest = native.nearest(start).map(|symbol| NearestSymbol { offset, ..symbol });
        answer.hops.extend(Hop::through_public_thunk(session, start, offset));
        return answer;
    };
    if offset >= function.len {
        return answer;
    }
    let Some(rva) = native.rva_in(&function, offset) else { return answer };
    answer.inlined = native.at(rva).inlined;
    answer.hops.extend(native.imported_calls(&function, &answer.inlined).into_iter().map(Hop::imported));
    answer.folded = native.folded_at(rva);
    answer.hops.extend(native.addresses().linked_rva(rva).map(|linked| Hop::reordered(linked, rva)));
    answer
}

/// Returns true for an offset after the end of a function of native code that is in no other function.
pub(super) fn is_between_functions(session: &Session, of: CodeUnit, offset: u32) -> bool {
    let at = |start: u32| {
        let native = NativeView::of(session)?;
        let function = native.function_at(start).filter(|function| offset >= function.len)?;
        Some(!native.is_in_function((function.section, function.offset.checked_add(offset)?)))
    };
    matches!(of, CodeUnit::Function(start) if at(start) == Some(true))
}

/// Sentences that only native code has: the nearest symbol, folded functions, OMAP, inlined calls.
pub(super) fn native_sentences(answer: &Answer) -> Vec<Reason> {
    let mut said = Vec::new();
    if let Some(symbol) = &answer.nearest {
        let others =
            if symbol.others.is_empty() { String::new() } else { format!(", also {}", symbol.others.join(", ")) };
        let text = format!(
            "no function has this code; nearest public symbol: {} at {:#x} ({}){others}",
            symbol.text(),
            symbol.rva,
            symbol.decorated
        );
        said.push(Reason::new("nearest-symbol", text));
    }
    if !answer.folded.is_empty() {
        let others = answer.folded.iter().enumerate().filter(|(index, _)| answer.named != Some(*index));
        let others = others.map(|(_, function)| match function.line {
            0 => function.name.clone(),
            line => format!("{} ({}:{line})", function.name, file_name(&function.file)),
        });
        let others = others.collect::<Vec<_>>().join(", ");
        let count = answer.folded.len();
        let text = match answer.named.and_then(|index| answer.folded.get(index)) {
            Some(named) => format!(
                "{count} functions are folded into this code; the line is that of {}, which is named; the code is also that of {others}",
                named.name
            ),
            None => format!("{count} functions are folded into this code, which may stand for any of them: {others}"),
        };
        said.push(Reason::new("folded", text));
    }
    for call in &answer.inlined {
        let at = format!("{}:{}", file_name(&call.file), call.line);
        said.push(Reason::new("inlined", format!("the code is that of {}, inlined here: {at}", call.name)));
    }
    said
}

/// Says that an address is none of the image; `None` for one of it, and without an image.
pub(super) fn outside_image(session: &Session, answer: &Answer) -> Option<String> {
    let end = session.image()?.pe.optional.as_ref()?.windows.size_of_image;
    let address = u64::from(answer.of.address()) + u64::from(answer.offset);
    let is_outside = answer.of.is_native() && address >= u64::from(end);
    is_outside.then(|| format!("the address {address:#x} is outside the image, which ends at {end:#x}"))
}
