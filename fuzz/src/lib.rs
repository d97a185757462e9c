//! The fuzz targets: `tests/integration/fuzz` has them, and the stable tests run them too.

#[path = "../../tests/integration/fuzz/seeds.rs"]
pub mod seeds;
#[path = "../../tests/integration/fuzz/targets.rs"]
pub mod targets;
#[path = "../../tests/integration/fuzz/walk.rs"]
pub mod walk;
