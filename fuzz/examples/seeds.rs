//! Writes the seed corpus: `corpus/TARGET/NUMBER` from the samples of the repository.

use pdblens_fuzz::{seeds::Seeds, targets::TARGETS};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let seeds = Seeds::collect(&here.join(".."));
    for name in TARGETS.iter().map(|target| target.name).chain(["question"]) {
        let folder = here.join("corpus").join(name);
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in seeds.of(name).iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number:04}")), seed)?;
        }
    }
    Ok(())
}
