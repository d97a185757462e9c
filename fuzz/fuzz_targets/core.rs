#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pdblens_fuzz::targets::core(data));
