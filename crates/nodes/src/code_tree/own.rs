//! The program's own code of a native PDB, apart from that of the libraries and of the compiler's runtime that were linked in.

use crate::native::NativeView;
use crate::place::CodeUnit;
use crate::stream::PdbView;
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;

/// Parts of paths that only sources of a compiler, its runtime or an SDK have, in lower case and with slashes.
const OF_TOOLS: &[&str] = &[
    "/vctools/",
    "/vc/tools/msvc/",
    "/vc/include/",
    "/crtw32/",
    "/crts/ucrt/",
    "minkernel/",
    "/microsoft visual studio ",
    "/windows kits/",
    "/winsdk",
    "onecore/",
    "/rustc/",
    "/mingw",
    "/lib/gcc/",
    "/lib/clang/",
    "/compiler-rt/",
    "/llvm-project/",
];

/// Names of the functions that a program or library begins with, before which the runtime's own code runs.
const MAIN: &[&str] = &["main", "wmain", "WinMain", "wWinMain", "DllMain"];

/// Functions of the program's own code whose names and lines are looked at.
const MAX_OWN: usize = 5000;

/// Returns whether a document belongs to a compiler, its runtime or an SDK, by where it was built.
pub fn is_of_tools(path: &str) -> bool {
    let path = format!("/{}", path.replace('\\', "/").to_ascii_lowercase());
    OF_TOOLS.iter().any(|part| path.contains(part))
}

impl PdbView<'_> {
    /// For each module, whether it is the program's own: it was linked as a file of its own, not as a member of a library.
    pub fn own_modules(&self) -> Vec<bool> {
        let is_own = |module: u32| {
            let (name, object) = self.module_names(module);
            let is_made_by_linker = name.starts_with("* ") || name.starts_with("Import:");
            !is_made_by_linker && (object.is_empty() || object == name)
        };
        (0..self.pdb.modules().len() as u32).map(is_own).collect()
    }
}

pub(super) fn entry_function(session: &Session, native: NativeView<'_>) -> Option<Function> {
    native.function_at(session.image()?.pe.optional.as_ref()?.standard.address_of_entry_point)
}

/// The function of the program's own code to begin with, where the entry point is that of a runtime: its `main`, else the first one
/// that has lines. `None` where all code is that of libraries, or none is.
pub(super) fn own_function(session: &Session) -> Option<CodeUnit> {
    let native = NativeView::of(session)?;
    let own = native.view.own_modules();
    let is_own = |function: &Function| own.get(function.module as usize).copied().unwrap_or_default();
    if entry_function(session, native).as_ref().is_some_and(is_own) {
        return None;
    }
    let mine = || native.functions().iter().filter(|function| is_own(function)).take(MAX_OWN);
    let named = mine().find(|function| MAIN.contains(&native.name_of(function).as_str()));
    let documents = session.symbols()?;
    let with_lines = || {
        mine().find(|function| {
            let lines = native.lines_of(function);
            let document = lines.points.iter().find(|point| !point.is_hidden()).map(|point| point.document);
            // Functions of headers and initializers are made for the program, but not by its author.
            let is_source = |row| documents.document(row).is_ok_and(|document| !is_of_tools(&document.name));
            document.is_some_and(is_source) && !native.name_of(function).starts_with('`')
        })
    };
    named.or_else(with_lines).and_then(|function| native.rva_of(function)).map(CodeUnit::Function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_compilers_and_kits_are_told_from_those_of_the_program() {
        for path in [
            r"D:\a\_work\1\s\src\vctools\crt\vcstartup\src\startup\exe_main.cpp",
            r"minkernel\crts\ucrt\inc\corecrt_internal_stdio_output.h",
            r"C:\Program Files\Microsoft Visual Studio\2022\Enterprise\VC\Tools\MSVC\14.44.35207\include\vector",
            r"C:\Program Files (x86)\Windows Kits\10\Include\10.0.22621.0\ucrt\locale.h",
            "/rustc/17067e9ac6d7e4a9c8bb9a3b4b6c8b0e/library/core/src/fmt/mod.rs",
        ] {
            assert!(is_of_tools(path), "{path}");
        }
        for path in
            [r"D:\a\_work\1\s\deps\winpty\src\agent\main.cc", "/src/parcel/parcel.cpp", "main.rs", r"C:\tools\x.c"]
        {
            assert!(!is_of_tools(path), "{path}");
        }
    }
}
