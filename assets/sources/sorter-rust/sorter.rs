//! A native program in Rust without the standard library: generics, a trait, a closure and an enum with data, so that its PDB
//! has names of Rust's own mangling, inlined calls, and the visualizers that rustc always embeds.
#![no_std]
#![no_main]
#![debugger_visualizer(natvis_file = "sorter.natvis")]

use core::hint::black_box;
use core::panic::PanicInfo;
use geometry::{Area, Shape};

#[inline(never)]
pub fn largest<T: Area + Copy, const N: usize>(
    of: &[T; N],
    skip: impl Fn(u32) -> bool,
) -> Option<T> {
    let mut best: Option<T> = None;
    let mut index = 0;
    while index < N {
        let candidate = of[index];
        if !skip(candidate.area()) && best.is_none_or(|best| candidate.area() > best.area()) {
            best = Some(candidate);
        }
        index += 1;
    }
    best
}

#[unsafe(no_mangle)]
pub extern "C" fn entry() -> u32 {
    let shapes = [
        Shape::Circle { radius: 3 },
        Shape::Square(9),
        Shape::Circle { radius: 40 },
    ];
    let limit = black_box(1000);
    largest(&black_box(shapes), |area| area > limit).map_or(0, |found| found.area())
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {}
}
