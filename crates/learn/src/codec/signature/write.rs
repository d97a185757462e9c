//! Text of signatures.

use std::fmt::Write;

use super::parse::WORDS;
use pdblens_formats::bytes::At;
use pdblens_formats::signature::{ArrayShape, CallKind, MethodSignature, Signature, Type};

pub(super) fn signature(signature: &Signature) -> String {
    match signature {
        Signature::Method(found) => format!("method {}", method(found)),
        Signature::Field(at) => format!("field {}", ty(&at.value)),
        Signature::Property(found) => format!("property {}", method(found)),
        Signature::Locals(types) => format!("locals ({})", list(types)),
        Signature::Instantiation(types) => format!("methodspec <{}>", list(types)),
    }
}

fn list(types: &[At<Type>]) -> String {
    types.iter().map(|at| ty(&at.value)).collect::<Vec<_>>().join(", ")
}

fn method(found: &MethodSignature) -> String {
    let mut text = String::new();
    text.push_str(if found.has_this { "instance " } else { "" });
    text.push_str(if found.explicit_this { "explicit " } else { "" });
    text.push_str(convention(found.call));
    if found.generic_parameters > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, "generic {} ", found.generic_parameters);
    }
    text.push_str(&ty(&found.returns.value));
    text.push_str(" (");
    for (index, parameter) in found.parameters.iter().enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        text.push_str(if found.sentinel == Some(index as u32) { "..., " } else { "" });
        text.push_str(&ty(&parameter.value));
    }
    text.push(')');
    text
}

const fn convention(call: CallKind) -> &'static str {
    match call {
        CallKind::Default => "",
        CallKind::VarArg => "vararg ",
        CallKind::C => "unmanaged cdecl ",
        CallKind::StdCall => "unmanaged stdcall ",
        CallKind::ThisCall => "unmanaged thiscall ",
        CallKind::FastCall => "unmanaged fastcall ",
        CallKind::Unmanaged => "unmanaged ",
    }
}

/// Text of a type: the element type first, then its arrays, pointers and modifiers.
pub(super) fn ty(found: &Type) -> String {
    match found {
        Type::Primitive(primitive) => {
            let found = WORDS.iter().find(|(_, element)| *element == *primitive as u8);
            found.and_then(|(names, _)| names.first()).copied().unwrap_or_default().to_owned()
        }
        Type::Named { token, is_value } => format!("{} {token}", kind(*is_value)),
        Type::Generic { token, is_value, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(ty).collect();
            format!("{} {token}<{}>", kind(*is_value), arguments.join(", "))
        }
        Type::Array(of) => ty(of) + "[]",
        Type::ShapedArray(of, shape) => ty(of) + &brackets(shape),
        Type::Pointer(of) => ty(of) + "*",
        Type::Reference(of) => ty(of) + "&",
        Type::Pinned(of) => ty(of) + " pinned",
        Type::Modified { required, modifier, of } => {
            format!("{} {}({modifier})", ty(of), if *required { "modreq" } else { "modopt" })
        }
        Type::TypeParameter(number) => format!("!{number}"),
        Type::MethodParameter(number) => format!("!!{number}"),
        Type::Function(found) => format!("method {}", method(found)),
        Type::InModule { module, of } => format!("[module {module}]{}", ty(of)),
        Type::Canonical => "__Canon".to_owned(),
    }
}

const fn kind(is_value: bool) -> &'static str {
    if is_value { "valuetype" } else { "class" }
}

/// Dimensions: `0...4` with both bounds, `0...` with the lower one, `5` with a size alone; one without any is `...`.
fn brackets(shape: &ArrayShape) -> String {
    let dimension = |index: usize| match (shape.lower_bounds.get(index), shape.sizes.get(index)) {
        (Some(low), Some(size)) => {
            format!("{low}...{}", i64::from(*low) + i64::from(*size) - 1)
        }
        (Some(low), None) => format!("{low}..."),
        (None, Some(size)) => size.to_string(),
        (None, None) if shape.rank == 1 => "...".to_owned(),
        (None, None) => String::new(),
    };
    format!("[{}]", (0..shape.rank as usize).map(dimension).collect::<Vec<_>>().join(","))
}
