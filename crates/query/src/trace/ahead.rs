//! Methods that NativeAOT compiled ahead of time: a frame has the name in the source, the native PDB that of the compiler.
//!
//! ```text
//!    at Ns.Program.Main(String[] args) + 0x2d          in the trace
//! App_Ns_Program__Main                                 in the PDB: assembly, type, method
//! ```

use std::rc::Rc;

use super::context::Above;
use super::frame::Frame;
use super::library::{AheadIndex, Library, Pair};
use super::names::plain;
use super::outcome::{Cause, Outcome, Refusal};
use super::resolve::MAX_CANDIDATES;
use pdblens_formats::reason::Reason;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::resolve;

impl Library {
    /// Resolves a frame with an offset of machine code and without a module.
    pub(super) fn machine_code(&mut self, frame: &Frame, offset: u64, above: &Above) -> Result<Outcome, Refusal> {
        let known = self.compiled_ahead(frame, offset, above).or_else(|| self.function_named(frame, offset, above));
        if let Some(known) = known {
            return known;
        }
        let all = self.all();
        if !frame.name.contains('.') && !all.is_empty() && all.iter().all(|pair| pair.is_native()) {
            return Err(Cause::NoMethod.because(format!("no function {} in the loaded symbols", frame.name)));
        }
        let refusal = Cause::MachineCode.because(format!(
            "{offset:#x} is a machine code offset, which only the process or its dump can map to IL. Set the switch System.Diagnostics.StackTrace.ShowILOffsets to make .NET write IL offsets"
        ));
        self.machine_code_of(frame, above, refusal)
    }

    /// Resolves a frame with the name of a function and an offset in it, by the files that were named, else by those beside them.
    fn function_named(&mut self, frame: &Frame, offset: u64, above: &Above) -> Option<Result<Outcome, Refusal>> {
        let functions = |pair: Rc<Pair>| (resolve::functions_named(&pair.session, &frame.name), pair);
        let mut found: Vec<(Vec<u32>, Rc<Pair>)> =
            self.all().into_iter().map(functions).filter(|(functions, _)| !functions.is_empty()).collect();
        if found.iter().any(|(_, pair)| self.is_named(pair)) {
            found.retain(|(_, pair)| self.is_named(pair));
        }
        match found.as_slice() {
            [] => None,
            [(_, pair)] => {
                let note = Reason::new("method-by-name", format!("{} by its name", frame.name));
                Some(pair.function_line(&frame.name, offset, vec![note], above))
            }
            several => {
                let all = several.iter().flat_map(|(functions, pair)| functions.iter().map(move |rva| (pair, *rva)));
                let found = all.take(MAX_CANDIDATES).map(|(pair, rva)| pair.function_candidate(rva)).collect();
                let reason = format!("{} of the loaded symbols have a function of that name", several.len());
                Some(Ok(Outcome::Candidates { found, refusal: Cause::Ambiguous.because(reason) }))
            }
        }
    }

    /// Resolves a frame with the name of a method and an offset of machine code; nothing where no native symbols have it.
    pub(super) fn compiled_ahead(
        &mut self,
        frame: &Frame,
        offset: u64,
        above: &Above,
    ) -> Option<Result<Outcome, Refusal>> {
        let offset = u32::try_from(offset).ok()?;
        let wanted = mangled(&plain(&frame.name))?;
        let pairs = self.all();
        let functions = pairs
            .iter()
            .flat_map(|pair| pair.compiled_from(&wanted, offset).into_iter().map(move |(name, rva)| (pair, name, rva)));
        let found: Vec<(&Rc<Pair>, &str, u32)> = functions.take(MAX_CANDIDATES).collect();
        match found.as_slice() {
            [] => None,
            [(pair, name, rva)] => {
                let note = format!("{name} is what the AOT compiler calls {}", frame.name);
                Some(pair.address_line(name, *rva, offset, vec![Reason::new("compiled-ahead", note)], above))
            }
            several => {
                let found = several.iter().map(|(pair, _, rva)| pair.function_candidate(*rva)).collect();
                let reason = format!("{} functions were compiled from methods of that name", several.len());
                Some(Ok(Outcome::Candidates { found, refusal: Cause::Ambiguous.because(reason) }))
            }
        }
    }
}

impl Pair {
    /// The functions that a mangled name can be, and that have an offset.
    fn compiled_from(&self, wanted: &str, offset: u32) -> Vec<(&str, u32)> {
        let Some(native) = NativeView::of(&self.session) else { return Vec::new() };
        let index = self.ahead.get_or_init(|| index(&native));
        let named = index.get(key(wanted)).into_iter().flatten().filter(|(name, _)| is_of(&bare(name), wanted));
        let has_offset = |rva: u32| native.function_at(rva).is_some_and(|function| offset < function.len);
        named.filter(|(_, rva)| has_offset(*rva)).map(|(name, rva)| (name.as_str(), *rva)).collect()
    }
}

fn index(native: &NativeView<'_>) -> AheadIndex {
    let mut index = AheadIndex::new();
    for function in native.functions() {
        let name = native.name_of(function);
        let bare = bare(&name);
        if bare.contains("__")
            && let Some(rva) = native.rva_of(function)
        {
            index.entry(key(&bare).to_owned()).or_default().push((name.clone(), rva));
        }
    }
    index
}

/// A name without the type arguments of an instance, which are in angle brackets.
fn bare(name: &str) -> String {
    let mut depth = 0usize;
    name.chars()
        .filter(|c| {
            let was = depth;
            depth = if *c == '<' { depth + 1 } else { depth.saturating_sub(usize::from(*c == '>')) };
            was + depth == 0
        })
        .collect()
}

/// Mangled type and method; nothing where a name has no type.
fn mangled(name: &str) -> Option<String> {
    let (class, method) = match name.strip_suffix(".ctor").or(name.strip_suffix(".cctor")) {
        Some(class) => (class.trim_end_matches('.'), name.get(name.rfind('.')?..)?),
        None => name.rsplit_once('.')?,
    };
    let sanitized =
        |text: &str| -> String { text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect() };
    Some(format!("{}__{}", sanitized(class), sanitized(method)))
}

/// The method in a mangled name, without the number that tells overloads apart.
fn key(mangled: &str) -> &str {
    let method = mangled.rsplit_once("__").map_or(mangled, |(_, method)| method);
    without_number(method).trim_start_matches('_')
}

fn without_number(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// Returns whether a function's name is a wanted one: after its assembly, and perhaps before the number of an overload.
fn is_of(name: &str, wanted: &str) -> bool {
    let ends = |name: &str| name.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'));
    ends(name) || ends(without_number(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_compiler_are_those_of_the_source() {
        for (source, function) in [
            ("Ns.Program.Main", "App_Ns_Program__Main"),
            ("Ns.Program.Main", "App_Ns_Program__Main_1"),
            ("Program.<Main>g__Parse|0_1", "App_Program___Main_g__Parse_0_1"),
            ("Ns.List`1.Add", "S_P_CoreLib_Ns_List_1<System___Canon>__Add"),
            ("Ns.T..ctor", "App_Ns_T___ctor"),
        ] {
            let wanted = mangled(source).unwrap();
            assert!(is_of(&bare(function), &wanted), "{wanted} {function}");
            assert_eq!(key(&bare(function)), key(&wanted), "{function}");
        }
        assert!(!is_of("App_Ns_MyProgram__Main", "Program__Main"));
        assert_eq!(mangled("Main"), None);
    }
}
