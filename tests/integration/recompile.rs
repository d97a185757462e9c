//! Statements put back into their sources, compiled, and compared by their IL: none that is whole may mean something else.

use std::process::Command;

use pdblens_testing::folder::Folder;
use pdblens_testing::samples::repository;

/// Folder with `env.sh`, which brings a compiler.
fn tools() -> Option<std::path::PathBuf> {
    let named = std::env::var_os("PDBLENS_TOOLS").map(Into::into);
    let usual = || std::env::home_dir().map(|home| home.join("pdblens-tools"));
    named.or_else(usual).filter(|tools: &std::path::PathBuf| tools.join("env.sh").exists())
}

#[test]
fn whole_statements_compile_to_their_own_il() {
    let Some(tools) = tools() else {
        println!("skipped: no C# compiler in $PDBLENS_TOOLS or ~/pdblens-tools");
        return;
    };
    let (sources, out) = (repository("tests/golden/statements"), Folder::new());
    let list = out.write("libs.txt", format!("language|none|{}|-unsafe|\n", sources.display()));
    let run = Command::new(repository("tests/recompile/run.sh"))
        .args(["language", "language-debug"])
        .env("LENS", env!("CARGO_BIN_EXE_pdblens"))
        .env("TOOLS", tools)
        .env("EXTRA", list)
        .env("OUT", out.path().join("out"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    println!("{text}{}", String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && text.lines().count() == 2, "a statement that is whole is wrong: {text}");
}
