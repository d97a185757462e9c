//! The precompiled machine code of an answer of `where`.

use serde::Serialize;

use super::label_line;
use crate::cli::Error;
use crate::cli::output::Out;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::method::native::code_name;
use crate::query::address::parse_native;
use crate::query::native_where::{AddressAnswer, NativeAnswer, NativeRange, native_where, not_compiled, sentence};
use crate::query::where_is::Answer;
use crate::session::Session;

/// The machine code of an offset, or the offset of an address.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "machine_code"))]
pub(super) struct Machine {
    /// Address that the query is, and its position in IL; absent for an offset of IL.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<AddressAnswer>,
    /// Machine code of the IL offset, in each body of the method; with `--native`, in a ReadyToRun image.
    #[serde(skip_serializing_if = "Option::is_none")]
    native: Option<Vec<NativeAnswer>>,
}

impl Machine {
    pub(super) fn of(session: &Session, question: &str, answer: &Answer, native: bool) -> Self {
        let address = parse_native(session, question).and_then(Result::ok);
        let native = match answer.of {
            CodeUnit::Method(method) if native => Some(native_where(session, method, answer.offset)),
            _ => None,
        };
        Self { address, native }
    }
}

pub(super) fn print(
    session: &Session,
    question: &str,
    answer: &Answer,
    native: bool,
    out: &mut Out,
) -> Result<(), Error> {
    let machine = Machine::of(session, question, answer, native);
    if let Some(address) = &machine.address {
        let part = match address.special {
            Some("none") => ", in code without IL".to_owned(),
            Some(special) => format!(", in the {special}"),
            None => String::new(),
        };
        let name = code_name(&address.code_of, address.recorded.as_ref());
        label_line(
            out,
            "machine code",
            &format!("{:#x} is +{:#x} of {name}{part}", address.address(), address.native),
        )?;
        if address.recorded.is_some() {
            label_line(out, "live", "not known: an event trace has no locations of variables")?;
        }
        for (index, variable) in address.variables.iter().enumerate() {
            label_line(
                out,
                if index == 0 { "live" } else { "" },
                &format!("{} in {}", variable.name, variable.location),
            )?;
        }
    }
    let Some(bodies) = machine.native else { return Ok(()) };
    if bodies.is_empty() {
        return label_line(out, "machine code", not_compiled(session));
    }
    for body in &bodies {
        label_line(out, "machine code", &sentence(body, answer.offset))?;
        if bodies.len() > 1 {
            label_line(out, "", &format!("for {}", code_name(&body.code_of, body.recorded.as_ref())))?;
        }
        for NativeRange { native, end, rva, .. } in &body.addresses {
            label_line(out, "", &format!("{:#x}  +{native:#x}..+{end:#x}", body.address_of(*rva)))?;
        }
    }
    Ok(())
}
