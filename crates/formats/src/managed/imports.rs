//! Imports of a method, with which a debugger resolves names.
//!
//! An import is a string whose first characters are its kind. C# groups imports by enclosing scope (counted by the
//! `MD2` record of kind 0), Visual Basic by file and project. A method may forward to another one that has the same
//! imports.
//!
//! ```text
//! C#   Unamespace · Enamespace alias · Ttype · Aalias Unamespace · Xalias (extern) · Zalias assembly (extern, for all of the module)
//! VB   @F:namespace · @P:namespace · @FT:type · @FA:alias=target · @FX:prefix=XML namespace (F file, P project)
//!      *root namespace · namespace that the code is in · @token: those of that method
//! ```
//!
//! # References
//!
//! dotnet/roslyn `src/Dependencies/CodeAnalysis.Debugging/CustomDebugInfoReader.cs`.

use crate::bytes::At;

/// Kind of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportKind {
    /// `using System;`
    Namespace,
    /// `using alias::System;`: the namespace in the assemblies that an extern alias stands for.
    ExternNamespace,
    /// `using static System.Math;`
    Type,
    /// `using IO = System.IO;`: another name for a namespace or a type.
    Alias,
    /// `extern alias name;`
    Extern,
    /// Assembly that an extern alias stands for in all of the module.
    ExternAssembly,
    /// `Imports <xmlns:x="…">`
    XmlNamespace,
    /// The root namespace of a Visual Basic project.
    RootNamespace,
    /// The namespace that the code itself is in.
    CurrentNamespace,
    /// Obsolete or unknown kind.
    Unknown,
}

/// Level at which an import is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportLevel {
    /// In one of the scopes around the method, the innermost first.
    Scope(usize),
    /// In the file, in Visual Basic.
    File,
    /// In the project, in Visual Basic; in all of the module, in C#.
    Project,
}

/// One import.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub kind: ImportKind,
    pub level: ImportLevel,
    pub alias: Option<String>,
    /// Namespace, type or assembly that is imported.
    pub target: String,
    /// String as stored.
    pub raw: At<String>,
}

impl Import {
    /// Parses `raw`, a string of a C# method.
    pub(super) fn csharp(raw: At<String>, level: ImportLevel) -> Self {
        let (kind, level, alias, target) = parts_of_csharp(&raw.value, level);
        let (alias, target) = (alias.map(str::to_owned), target.to_owned());
        Self { kind, level, alias, target, raw }
    }

    /// Parses `raw`, a string of a Visual Basic method.
    pub(super) fn basic(raw: At<String>) -> Self {
        let (kind, level, alias, target) = parts_of_basic(&raw.value);
        let (alias, target) = (alias.map(str::to_owned), target.to_owned());
        Self { kind, level, alias, target, raw }
    }
}

type ImportParts<'a> = (ImportKind, ImportLevel, Option<&'a str>, &'a str);

fn parts_of_csharp(raw: &str, level: ImportLevel) -> ImportParts<'_> {
    let mut chars = raw.chars();
    let first = chars.next();
    let rest = chars.as_str();
    match first {
        Some('U') => (ImportKind::Namespace, level, None, rest),
        Some('E') => {
            let (target, alias) = rest.split_once(' ').map_or((rest, None), |(target, alias)| (target, Some(alias)));
            (ImportKind::ExternNamespace, level, alias, target)
        }
        Some('T') => (ImportKind::Type, level, None, rest),
        Some('A') => match rest.split_once(' ') {
            // The target is an import of its own; its first character tells a type from a namespace.
            Some((alias, target)) => (ImportKind::Alias, level, Some(alias), target.get(1..).unwrap_or_default()),
            None => (ImportKind::Unknown, level, None, raw),
        },
        Some('X') => (ImportKind::Extern, level, Some(rest), ""),
        Some('Z') => match rest.split_once(' ') {
            Some((alias, target)) => (ImportKind::ExternAssembly, ImportLevel::Project, Some(alias), target),
            None => (ImportKind::Unknown, level, None, raw),
        },
        _ => (ImportKind::Unknown, level, None, raw),
    }
}

fn parts_of_basic<'a>(raw: &'a str) -> ImportParts<'a> {
    if let Some(root) = raw.strip_prefix('*') {
        return (ImportKind::RootNamespace, ImportLevel::Project, None, root);
    }
    if raw.starts_with(['#', '$', '&']) {
        return (ImportKind::Unknown, ImportLevel::File, None, raw);
    }
    let Some(rest) = raw.strip_prefix('@') else {
        return (ImportKind::CurrentNamespace, ImportLevel::File, None, raw);
    };
    let (level, rest) = match (rest.strip_prefix('F'), rest.strip_prefix('P')) {
        (Some(rest), _) => (ImportLevel::File, rest),
        (None, Some(rest)) => (ImportLevel::Project, rest),
        (None, None) => return (ImportKind::Unknown, ImportLevel::File, None, raw),
    };
    let unknown = (ImportKind::Unknown, level, None, raw);
    let named = |kind, rest: &'a str| rest.split_once('=').map(|(alias, target)| (kind, level, Some(alias), target));
    match rest.split_once(':') {
        Some(("", namespace)) => (ImportKind::Namespace, level, None, namespace),
        Some(("T", name)) => (ImportKind::Type, level, None, name),
        Some(("A", rest)) => named(ImportKind::Alias, rest).unwrap_or(unknown),
        Some(("X", rest)) => named(ImportKind::XmlNamespace, rest).unwrap_or(unknown),
        _ => unknown,
    }
}

/// Token of the method that a Visual Basic method shares its imports with: `@` and decimal digits.
pub(super) fn forwarded_by_basic(raw: &str) -> Option<u32> {
    let digits = raw.strip_prefix('@')?;
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_csharp() {
        use ImportKind::{Alias, Extern, ExternAssembly, ExternNamespace, Namespace, Type, Unknown};
        let here = ImportLevel::Scope(0);
        for (raw, kind, level, alias, target) in [
            ("USystem", Namespace, here, None, "System"),
            ("ESystem.IO old", ExternNamespace, here, Some("old"), "System.IO"),
            ("TSystem.Math, mscorlib", Type, here, None, "System.Math, mscorlib"),
            ("APairs TA`2[[B, C]], D", Alias, here, Some("Pairs"), "A`2[[B, C]], D"),
            ("AIO USystem.IO", Alias, here, Some("IO"), "System.IO"),
            ("Xold", Extern, here, Some("old"), ""),
            ("Zold Old, Version=1.0.0.0", ExternAssembly, ImportLevel::Project, Some("old"), "Old, Version=1.0.0.0"),
            ("Aé", Unknown, here, None, "Aé"),
            ("A é", Alias, here, Some(""), ""),
            ("", Unknown, here, None, ""),
            ("?x", Unknown, here, None, "?x"),
        ] {
            assert_eq!(parts_of_csharp(raw, here), (kind, level, alias, target), "{raw}");
        }
    }

    #[test]
    fn strings_of_visual_basic() {
        use ImportKind::{Alias, CurrentNamespace, Namespace, RootNamespace, Type, Unknown, XmlNamespace};
        use ImportLevel::{File, Project};
        for (raw, kind, level, alias, target) in [
            ("@F:System", Namespace, File, None, "System"),
            ("@P:System.Linq", Namespace, Project, None, "System.Linq"),
            ("@FT:System.Math", Type, File, None, "System.Math"),
            ("@FA:IO=System.IO", Alias, File, Some("IO"), "System.IO"),
            ("@PX:a=urn:b", XmlNamespace, Project, Some("a"), "urn:b"),
            ("*Books", RootNamespace, Project, None, "Books"),
            ("Books", CurrentNamespace, File, None, "Books"),
            ("", CurrentNamespace, File, None, ""),
            ("@FA:IO", Unknown, File, None, "@FA:IO"),
            ("@é", Unknown, File, None, "@é"),
            ("&old", Unknown, File, None, "&old"),
        ] {
            assert_eq!(parts_of_basic(raw), (kind, level, alias, target), "{raw}");
        }
        assert_eq!(forwarded_by_basic("@100663297"), Some(0x0600_0001));
        assert_eq!((forwarded_by_basic("@F:1"), forwarded_by_basic("@"), forwarded_by_basic("1")), (None, None, None));
    }
}
