//! Everything in every sample, and in files that are cut, damaged or very large.

mod growth;
mod hash_tables;
mod hostile_files;
mod images;
mod owner_at;
mod steps;
mod streams;
mod tiling;
mod work;
