//! Signatures of native functions, derived from their types.

use super::NativeView;
use pdblens_formats::codeview::symbols::Symbol;
use pdblens_formats::pdb::{Function, ModuleStream};
use pdblens_session::session::Session;

/// The name of the function at an address with its return type and its parameters; `None` if its type record does not have them.
pub fn full_signature(session: &Session, rva: u32) -> Option<String> {
    let (native, function) = super::function_at(session, rva)?;
    let (returns, parameters) = native.signature_of(&function)?;
    let name = native.name_of(&function);
    let parameters = if name.ends_with(')') { "" } else { parameters.as_str() };
    Some(format!("{returns} {name}{parameters}"))
}

/// The parameters of the function at an address; `None` if its type record does not have them, or if its name already contains them.
pub fn parameters(session: &Session, rva: u32) -> Option<String> {
    let (native, function) = super::function_at(session, rva)?;
    if native.name_of(&function).ends_with(')') {
        return None;
    }
    native.signature_of(&function).map(|(_, parameters)| parameters)
}

impl NativeView<'_> {
    /// The type of the result and the parameters of a function: `int` and `(const char *)`; `None` where no type tells them.
    pub(crate) fn signature_of(&self, function: &Function) -> Option<(String, String)> {
        self.signature_in(&self.module(function.module).ok()?, function)
    }

    /// The type of the result and the parameters of a function of a module.
    pub(crate) fn signature_in(&self, module: &ModuleStream, function: &Function) -> Option<(String, String)> {
        let record = module.symbol(function.symbol).ok()?;
        let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
        if symbol.of == 0 {
            return None;
        }
        let names = self.view.type_names()?;
        let of = self.global_id(module, symbol.of);
        names.signature(if symbol.is_id() { names.type_of_id(of)? } else { of })
    }
}
