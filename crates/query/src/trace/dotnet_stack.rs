//! Frames of `dotnet-stack report`, and of text that PerfView and `dotnet-trace` make of a trace: module and method, with types
//! as in IL, and nothing else on the line.
//!
//! ```text
//!   System.Private.CoreLib.il!System.Threading.Thread.Sleep(int32)
//!   Faults!Faults.Program.Parse(class System.String)
//! ```

use super::frame::{Form, Frame, Module};
use super::scan::{find, is_module, signature_before, text, trim_end, trim_start};

pub(crate) const FORM: Form = Form { name: "dotnet-stack", find: find_frame };

/// Words of IL before a type.
const KINDS: [&str; 3] = ["value class ", "valuetype ", "class "];

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    let mark = find(line, b"!", start).filter(|_| from <= start)?;
    let end = trim_end(line, line.len(), mark);
    let signature = signature_before(line, end, mark + 1)?;
    let (module, name) = (line.get(start..mark)?, text(line, &signature.name));
    if !is_module(module) || signature.name.start != mark + 1 || !name.contains('.') || name.contains('!') {
        return None;
    }
    let mut parameters = text(line, &signature.parameters);
    for kind in KINDS {
        parameters = parameters.replace(kind, "");
    }
    let named = Frame::named(name, Module::File(text(line, &(start..mark))));
    Some(Frame { range: start..end, parameters: Some(parameters), ..named })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_frames_are_read() {
        for (line, module, name, parameters) in [
            ("  Faults!Faults.Program.Parse(class System.String)", "Faults", "Faults.Program.Parse", "System.String"),
            ("  A.il!B+<>c.<Main>b__0_1()", "A.il", "B+<>c.<Main>b__0_1", ""),
            ("A!B.C(valuetype D`1<class E>,int32)", "A", "B.C", "D`1<E>,int32"),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.parameters.as_deref()), (name, Some(parameters)), "{line}");
            assert_eq!(frame.module, Module::File(module.to_owned()));
        }
        for line in ["call A!B.C()", "A!B.C() now", "oh!", "stop! see(x)", "A!f()", "A!B.C()+0x2"] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}
