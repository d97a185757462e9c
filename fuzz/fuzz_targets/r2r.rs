#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pdblens_fuzz::targets::r2r(data));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    pdblens_fuzz::mutate(pdblens_fuzz::structure::Shape::Image, data, size, max_size, seed)
});
