//! Symbol files of any size, made from a small description: valid and malformed ones, for tests and benches.
//!
//! ```text
//! Recipe ─┬─ method(row) ─── what a method is: name, statements, points, locals     (method, names, statements)
//!         ├─ pair() ──────── a PE image and its Portable PDB       (module, il, image · portable, points, custom)
//!         ├─ embedded() ──── the same, with the PDB inside the image
//!         ├─ delta(rows) ─── what Edit and Continue would send after some methods changed               (delta)
//!         └─ windows(page) ─ the Windows PDB: the same methods, the same points             (windows, codeview, dbi, msf)
//!
//! MALFORMED ─────── files that claim what is not there                                   (malformed, malformed_msf)
//! hostile ────────── files whose names carry what a terminal would act on                              (hostile)
//! REPEATED ──────── files whose rows share the same bytes                                                (repeated)
//! Native ─────────── a PDB as a linker writes it: very many lines                                       (native)
//! sparse::write ──── a container of any size, nearly all of it holes                                    (sparse)
//! ```
//!
//! Everything follows from the recipe and its seed: `method(row)` needs no other method, so a test asks for the truth about
//! any row of a million without keeping a million. Whatever is written twice (a portable and a Windows PDB, a file beside
//! and a file inside) says the same.

pub mod bytes;
pub mod codeview;
pub mod custom;
pub mod dbi;
pub mod delta;
pub mod heaps;
pub mod hostile;
pub mod il;
pub mod image;
pub mod malformed;
pub mod malformed_msf;
pub mod metadata;
pub mod method;
pub mod module;
pub mod msf;
pub mod names;
pub mod native;
pub mod points;
pub mod portable;
pub mod recipe;
pub mod repeated;
pub mod rng;
pub mod sparse;
pub mod statements;
pub mod tables;
pub mod windows;

pub use image::Pair;
pub use method::Method;
pub use recipe::Recipe;

/// Returns whether `PDBLENS_THOROUGH` is set: tests then take three times as many damaged files, methods and random keys, hostile files of
/// twice the size, all samples and sizes, and each action with a count in every view of every file. The gate sets it.
pub fn is_thorough() -> bool {
    std::env::var_os("PDBLENS_THOROUGH").is_some()
}
