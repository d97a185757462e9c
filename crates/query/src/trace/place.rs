//! The place that a text leads to, which may be a frame of a stack trace pasted alone.

use super::forms::frames;
use super::frame::{Frame, Module, Offset};
use crate::address::name_part;
use crate::ask::{self, Answer, Here};
use crate::native_where::at_address;
use pdblens_nodes::Place;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::function::address::is_module;
use pdblens_session::session::Session;

/// The place that `typed` leads to, in one of the notations of `query::ask`, or as a frame in one of the forms of traces.
pub fn ask(session: &Session, typed: &str, here: Here) -> Answer {
    ask::ask(session, typed, here).or_else(|why| {
        // An unknown overload has a known name: the text is no frame.
        let of_frame = if why.is_no_overload() { None } else { frame_in(session, typed) };
        of_frame.unwrap_or(Err(why))
    })
}

/// The same for the PLACE argument of a command: a path first. The error names the nearest path.
pub fn place(session: &Session, typed: &str) -> Result<Place, String> {
    let of_frame = |why| match frame_in(session, typed) {
        Some(answer) => answer.map(|(place, _)| place).map_err(|error| error.to_string()),
        None => Err(why),
    };
    ask::place(session, typed).or_else(of_frame)
}

/// The place of the frame in a text; `None` where there is none. Of a text that begins with a name, which was looked up already, the
/// reason why there is none stays.
fn frame_in(session: &Session, typed: &str) -> Option<Answer> {
    let typed = typed.trim();
    let (_, frame) = frames(typed.as_bytes()).into_iter().next()?;
    if let Module::File(name) | Module::Stamped(name, _) = &frame.module
        && !is_module(session, name)
    {
        return Some(Err(format!("the frame is of {name}, not of {}", name_of(session)).into()));
    }
    let call = match &frame.parameters {
        Some(parameters) => format!("{}({parameters})", frame.name),
        None => frame.name.clone(),
    };
    let found = match frame.offset {
        Offset::Line(line) => ask::in_method(session, &call, frame.path.as_deref(), line),
        _ => without_line(session, &frame, &call)?,
    };
    let is_looked_up = typed.starts_with("at ") || name_part(typed).is_some();
    if found.is_ok() || !is_looked_up { Some(found) } else { None }
}

/// The place of a frame without a line; `None` where only its form is known.
fn without_line(session: &Session, frame: &Frame, call: &str) -> Option<Answer> {
    let is_managed = NativeView::of(session).is_none();
    if let Offset::Native(rva) = frame.offset
        && frame.name.is_empty()
        && let Some(found) = u32::try_from(rva).ok().and_then(|rva| at_address(session, rva))
    {
        return Some(Ok((found.place(), String::new())));
    }
    Some(match (frame.offset, frame.token) {
        (Offset::Il(offset) | Offset::ExactIl(offset), Some(token)) => {
            ask::in_code(session, &token.to_string(), offset)
        }
        (Offset::Il(offset) | Offset::ExactIl(offset), None) => ask::in_code(session, call, offset),
        (Offset::Native(_) | Offset::Precompiled(_), _)
            if is_managed && !frame.name.is_empty() && frame.module != Module::Loaded =>
        {
            let parameters = if call.ends_with(')') { "" } else { "()" };
            ask::method_of_machine_code(session, &format!("{call}{parameters}"))
        }
        (Offset::Native(offset), _) if !frame.name.is_empty() && frame.module != Module::Loaded => {
            ask::in_code(session, &frame.name, u32::try_from(offset).ok()?)
        }
        // An address of the module, or in memory.
        (Offset::Native(address), _) if frame.name.is_empty() => ask::at_address(session, address)?,
        _ if frame.name.is_empty() => return None,
        _ => ask::ask(session, call, Here::default()),
    })
}

/// Name of the image, else of the symbols.
fn name_of(session: &Session) -> &str {
    let symbols = || session.symbol_file().map_or("the open file", |file| file.name.as_str());
    session.image().map_or_else(symbols, |image| image.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_frames() {
        for name in [
            "App.dll",
            "/usr/lib/x.exe",
            "C:\\Program Files (x86)\\My App\\app.exe",
            "..\\bin\\Acme.Warehouse.pdb",
            "lib at home/in use/x.pdb",
            "~/from (old)/#3/x.mdb",
            "nuget:Acme@1.2.0!lib/net8.0/Acme.dll",
        ] {
            assert!(frames(name.as_bytes()).is_empty(), "{name}");
        }
    }

    #[test]
    fn frames_of_managed_code_lead_to_their_place() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/faults/Faults.dll");
        let session = Session::open(&[path.into()]).unwrap();
        let goes = |typed: &str| ask(&session, typed, Here::default()).map(|(place, _)| place.to_string());
        let line = goes("Program.cs:41").unwrap();
        for typed in [
            "000000AB2C97E9E8 00007FFC0B5D4A99 Faults.Program.Parse(System.String) [/_/faults/Program.cs @ 41]",
            "Faults.Program:Parse (System.String) (at /_/faults/Program.cs:41)",
        ] {
            assert_eq!(goes(typed).as_ref(), Ok(&line), "{typed}");
        }
        for typed in [
            "  at Faults.Program.Parse (System.String text) <0x41f1e100 + 0x00034> in <0>:0 ",
            "Faults.Program.Parse(String text) at offset 78 in file:line:column <filename unknown>:0:0",
            "   at async Task Faults.Program.Parse(string text)",
        ] {
            assert_eq!(goes(typed).as_deref(), Ok("method/0x06000002"), "{typed}");
        }
        let other = "System.Private.CoreLib.dll!System.Int32.Parse(string s) Line 12";
        assert_eq!(goes(other), Err("the frame is of System.Private.CoreLib.dll, not of Faults.dll".to_owned().into()));
        assert!(goes("   at Faults.Program.Nope(String text)").is_err_and(|why| why.to_string().contains("Nope")));
    }

    #[test]
    fn frames_of_native_code_lead_to_their_place() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.exe");
        let session = Session::open(&[path.into()]).unwrap();
        let goes = |typed: &str| ask(&session, typed, Here::default()).map(|(place, _)| place.to_string());
        let [line, code] = ["tally.c:12", "clamp+0x19"].map(|typed| goes(typed).unwrap());
        for typed in
            [">\ttally.exe!clamp(int value, int low, int high) Line 12\tC", "tally!clamp+0x4 [/elsewhere/tally.c @ 12]"]
        {
            assert_eq!(goes(typed).as_ref(), Ok(&line), "{typed}");
        }
        for typed in [
            "0|1|tally.exe|clamp|||0x19",
            "02 00000000`0014fa00 00007ff6`12345678     tally+0x1079",
            " 1  tally.exe!clamp + 0x19",
            "tally!clamp+0x19 [C:\\elsewhere\\other.c @ 900]",
        ] {
            assert_eq!(goes(typed).as_ref(), Ok(&code), "{typed}");
        }
        assert_eq!(
            goes("node.exe!node::Abort+0x4"),
            Err("the frame is of node.exe, not of tally.exe".to_owned().into())
        );
        assert!(goes("tally.exe!nope(int) Line 1").is_err_and(|why| why.to_string().contains("nope")));
        assert_eq!(place(&session, " 1  tally.exe!clamp + 0x19").map(|place| place.to_string()), Ok(code));
        assert!(place(&session, "tabels").is_err_and(|why| why.contains("did you mean")));
    }
}
