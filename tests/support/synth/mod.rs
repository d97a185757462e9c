//! Symbol files of any size, made from a small description: valid ones for tests and benches, and liars.
//!
//! ```text
//! Recipe ─┬─ method(row) ─── what a method is: name, statements, points, locals     (method, names, statements)
//!         ├─ pair() ──────── a PE image and its Portable PDB       (module, il, image · portable, points, custom)
//!         ├─ embedded() ──── the same, with the PDB inside the image
//!         └─ delta(rows) ─── what Edit and Continue would send after some methods changed               (delta)
//!
//! LIARS ──────────── pairs that claim what is not there                                                  (liars)
//! ```
//!
//! Everything follows from the recipe and its seed: `method(row)` needs no other method, so a test asks for the truth about
//! any row of a million without keeping a million. Whatever is written twice (a portable and a Windows PDB, a file beside
//! and a file inside) says the same.

pub mod bytes;
pub mod custom;
pub mod delta;
pub mod heaps;
pub mod il;
pub mod image;
pub mod liars;
pub mod metadata;
pub mod method;
pub mod module;
pub mod names;
pub mod points;
pub mod portable;
pub mod recipe;
pub mod rng;
pub mod statements;
pub mod tables;

pub use image::Pair;
pub use method::Method;
pub use recipe::Recipe;
