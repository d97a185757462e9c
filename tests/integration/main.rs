//! Readers, questions and commands over the samples and over generated files.
//!
//! Tests run in the order of their names: the modules that open everything in every sample come last, in `walks`.

mod a64;
mod broken;
mod browser;
mod builds;
mod builds_of_traces;
mod check;
mod codecs;
mod command_line;
mod containers;
mod copied_commands;
mod course;
mod coverage;
mod damaged_metadata;
mod debugger;
mod deltas_and_wide_indexes;
mod dia;
mod diff;
mod diff_native;
mod disassembly;
mod dump;
mod dump_native;
mod embedded_pdb;
mod faults;
mod front;
mod fuzz;
mod gate;
mod generations;
mod generator;
mod il;
mod in_bulk;
mod install;
mod law;
mod limits;
mod linked_pdb;
mod linker_tables;
mod links;
mod lists;
mod live;
#[cfg(target_os = "linux")]
mod live_process;
mod managed_pdb;
mod manual;
mod memory;
mod msf;
mod msfz;
mod native_code;
mod native_frames;
mod native_pdb;
mod new_files;
mod numbers;
mod offsets_and_traces;
mod on_disk;
mod packages;
mod pe;
mod places;
mod portable_pdb;
mod precompiled;
mod precompiled_images;
mod quality;
mod readme;
mod recompile;
mod reloaded_traces;
mod samples;
mod sarif;
mod signatures;
mod sources;
mod srcsrv;
mod statements;
mod summaries;
mod symbol_stores;
#[cfg(target_os = "linux")]
mod threads;
mod throw_sites;
#[cfg(target_os = "linux")]
mod traced;
mod type_layout;
mod used_by;
mod verdict_faces;
mod verdict_texts;
mod verdicts;
mod vocabulary;
mod walks;

use pdblens_testing as support;
