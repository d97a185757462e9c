//! Writes a generated pair, `Synth.dll` and `Synth.pdb`: `cargo run --release -p pdblens-testing --example pair -- METHODS FOLDER [SHARED]`,
//! where SHARED is what all methods share: `points`, `code`, `signature` or `names`.

use pdblens_testing::synth::{Recipe, repeated};

fn main() {
    let mut words = std::env::args().skip(1);
    let (methods, folder) = (words.next().expect("the number of methods"), words.next().expect("a folder"));
    let recipe = Recipe::of(methods.parse().expect("a number of methods"));
    let pair = match words.next().as_deref() {
        None => recipe.pair(),
        Some("points") => repeated::shared_points(&recipe),
        Some("code") => repeated::shared_code(&recipe),
        Some("signature") => repeated::shared_signature(&recipe),
        Some("names") => repeated::shared_names(&recipe),
        Some(other) => panic!("{other}: not points, code, signature or names"),
    };
    let folder = std::path::Path::new(&folder);
    std::fs::create_dir_all(folder).expect("the folder");
    std::fs::write(folder.join("Synth.dll"), pair.image).expect("the image");
    std::fs::write(folder.join("Synth.pdb"), pair.pdb).expect("the PDB");
}
