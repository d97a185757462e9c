//! The program's own code of a native PDB, apart from that of the libraries and of the compiler's runtime that were linked in.

use crate::native::NativeView;

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
pub(super) const MAIN: &[&str] = &["main", "wmain", "WinMain", "wWinMain", "DllMain"];

/// Returns whether a document belongs to a compiler, its runtime or an SDK, by where it was built.
pub fn is_of_tools(path: &str) -> bool {
    let path = format!("/{}", path.replace('\\', "/").to_ascii_lowercase());
    OF_TOOLS.iter().any(|part| path.contains(part))
}

impl NativeView<'_> {
    /// Returns whether a module was linked as a file of its own, not as a member of a library.
    pub(crate) fn is_own_module(&self, module: u32) -> bool {
        let (name, object) = self.view.module_names(module);
        let is_made_by_linker = name.starts_with("* ") || name.starts_with("Import:");
        !is_made_by_linker && (object.is_empty() || object == name)
    }

    /// For each module, whether it is the program's own.
    pub fn own_modules(&self) -> Vec<bool> {
        (0..self.view.pdb.modules().len() as u32).map(|module| self.is_own_module(module)).collect()
    }
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
