//! Reports of a crash that .NET's runtime writes, `*.crashreport.json`: by createdump, and in the process that crashed.
//!
//! A managed frame has the token of its method in `token`, the IL offset in `il_offset`, and in `guid` the module version
//! id, which proves the build. The frames of a thread begin with the innermost; a stack overflow has its cycle once, in
//! `repeated_frames`. What is found goes into the members `file`, `line` and `proof`.
//!
//! The IL offset of a frame is that of its return address: of the code after the call, or after the `throw`. Only the frame whose own instruction
//! the processor refused has the offset of that.
//!
//! Written by `src/coreclr/debug/createdump/crashreportwriter.cpp` and `src/coreclr/debug/crashreport` of dotnet/runtime.

use super::documents::{DocumentForm, FrameObject};
use super::frame::{Frame, Module, Offset};
use super::json::Value;
use pdblens_formats::metadata::Token;

pub(super) const FORM: DocumentForm = DocumentForm {
    name: "crash report",
    marks: &[b"\"stack_frames\"", b"\"method_name\""],
    frames,
    members: |found| {
        let proof = found.proof.word().to_owned();
        vec![("file", found.path.clone().into()), ("line", found.line.into()), ("proof", proof.into())]
    },
};

/// The IL offset of the runtime for code before the first instruction.
const PROLOG: u64 = 0xffff_fffe;
/// That for code after the last one; with the two above it, the least of those that stand for no offset.
const EPILOG: u64 = 0xffff_fffd;

/// Exceptions that the runtime makes of a fault of the processor.
const FAULTS: &[&str] = &[
    "System.NullReferenceException",
    "System.AccessViolationException",
    "System.DivideByZeroException",
    "System.OverflowException",
    "System.StackOverflowException",
    "System.DataMisalignedException",
];

/// Managed frames of all threads.
fn frames<'v>(bytes: &[u8], report: &'v Value) -> Vec<FrameObject<'v>> {
    let mut found = Vec::new();
    report.objects(&mut |object| {
        let Some(list) = object.get("stack_frames") else { return };
        let first = found.len();
        add(bytes, list, &mut false, &mut found);
        let thrown = object.get("managed_exception_type").and_then(|value| value.text(bytes));
        let is_fault = thrown.is_some_and(|thrown| FAULTS.contains(&thrown.as_str()));
        let is_innermost = list.elements().first().is_some_and(|value| frame(bytes, value).is_some());
        if let Some(innermost) = found.get_mut(first).filter(|_| is_fault || is_innermost) {
            innermost.returns = false;
        }
    });
    found
}

/// Adds the managed frames of a list. `is_caller` says whether the frame before the next one is managed, too.
fn add<'v>(bytes: &[u8], list: &'v Value, is_caller: &mut bool, found: &mut Vec<FrameObject<'v>>) {
    for value in list.elements() {
        if let Some(cycle) = value.get("repeated_frames") {
            add(bytes, cycle, is_caller, found);
            continue;
        }
        let Some(frame) = frame(bytes, value) else {
            *is_caller = false;
            continue;
        };
        let il = number(bytes, value, "il_offset");
        let note = match il {
            Some(PROLOG) => Some("in the prolog of the method, before its first instruction"),
            Some(0) => Some("a report has the IL offset 0 also where the runtime did not know the offset"),
            _ => None,
        };
        found.push(FrameObject { value, frame, is_caller: *is_caller, returns: true, note });
        *is_caller = true;
    }
}

/// A managed frame; `None` for native code, and for stubs of the runtime, which have no method.
fn frame(bytes: &[u8], value: &Value) -> Option<Frame> {
    let text = |name: &str| value.get(name).and_then(|value| value.text(bytes));
    let token = number(bytes, value, "token");
    let name = text("method_name").unwrap_or_default();
    if token == Some(0) || token.is_none() && name.is_empty() {
        return None;
    }
    let (name, parameters) = match name.split_once('(') {
        Some((name, rest)) => (name.to_owned(), Some(rest.trim_end_matches(')').to_owned())),
        None => (name, None),
    };
    let guid = text("guid").and_then(|guid| guid.parse().ok());
    let file = text("filename").unwrap_or_default();
    let module = match guid {
        Some(mvid) => Module::Mvid(mvid, file),
        None => Module::named(file, None),
    };
    let offset = match number(bytes, value, "line").and_then(|line| u32::try_from(line).ok()) {
        Some(line) => Offset::Line(line),
        None => offset(number(bytes, value, "il_offset"), number(bytes, value, "native_offset")),
    };
    // The line of the name is that of the frame.
    let range = value.get("method_name").unwrap_or(value).range.clone();
    let token = token.map(u32::try_from).transpose().ok()?.map(Token);
    Some(Frame { range, name, parameters, module, token, offset, ..Frame::default() })
}

/// The offset of a frame. A report of a stack overflow may have the names of methods alone.
fn offset(il: Option<u64>, native: Option<u64>) -> Offset {
    match (il, native) {
        (None, _) => Offset::None,
        // A frame that calls native code has neither.
        (Some(0), Some(0)) => Offset::ExactIl(u32::MAX),
        (Some(PROLOG), _) => Offset::ExactIl(0),
        (Some(EPILOG), Some(native)) => Offset::Epilog(u32::try_from(native).unwrap_or(u32::MAX)),
        (Some(il), _) if il >= EPILOG => Offset::ExactIl(u32::MAX),
        (Some(il), _) => Offset::ExactIl(u32::try_from(il).unwrap_or(u32::MAX)),
    }
}

fn number(bytes: &[u8], value: &Value, name: &str) -> Option<u64> {
    value.get(name)?.number(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_that_stand_for_none_are_not_taken_for_offsets() {
        for (members, offset) in [
            (r#""il_offset":"0x1f","native_offset":"0x0""#, Offset::ExactIl(0x1f)),
            (r#""il_offset":"0x0","native_offset":"0x20""#, Offset::ExactIl(0)),
            (r#""il_offset":"0x0","native_offset":"0x0""#, Offset::ExactIl(u32::MAX)),
            (r#""il_offset":"0xfffffffd""#, Offset::ExactIl(u32::MAX)),
            (r#""il_offset":"0xfffffffd","native_offset":"0x37""#, Offset::Epilog(0x37)),
            (r#""il_offset":"0xfffffffe""#, Offset::ExactIl(0)),
            (r#""il_offset":"0xffffffff""#, Offset::ExactIl(u32::MAX)),
            (r#""il_offset":"0x1f","line":7"#, Offset::Line(7)),
            (r#""x":1"#, Offset::None),
        ] {
            let text = format!(r#"{{"method_name":"Ns.T.M(System.String)","token":"0x6000001",{members}}}"#);
            let frame = frame(text.as_bytes(), &Value::parse(text.as_bytes()).unwrap()).unwrap();
            assert_eq!((frame.name.as_str(), frame.offset), ("Ns.T.M", offset), "{text}");
        }
    }

    #[test]
    fn stubs_and_native_code_are_no_frames() {
        let report = br#"{"stack_frames":[
            {"is_managed":"false","native_offset":"0x1","unmanaged_name":"abort","native_module":"libc.so.6"},
            {"is_managed":"true","token":"0x0","il_offset":"0x0"},
            {"is_managed":"true","method_name":"Ns.T.Recurse","stack_overflow_repeat_count":"40"},
            {"is_managed":"true","method_name":"Ns.T.Main","token":"0x6000002","il_offset":"0x2","filename":"T",
             "guid":"12345678-7a17-4b9e-8e34-000000000001"}]}"#;
        let value = Value::parse(report).unwrap();
        let found = frames(report, &value);
        let found: Vec<_> =
            found.iter().map(|found| (&*found.frame.name, &found.frame.module, found.is_caller)).collect();
        let mvid = "12345678-7a17-4b9e-8e34-000000000001".parse().unwrap();
        let module = Module::Mvid(mvid, "T".to_owned());
        assert_eq!(found, [("Ns.T.Recurse", &Module::Unknown, false), ("Ns.T.Main", &module, true)]);
    }
}
