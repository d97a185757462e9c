//! A crate of its own, so that its functions have public symbols with mangled names.
#![no_std]

#[derive(Clone, Copy)]
pub enum Shape {
    Circle { radius: u32 },
    Square(u32),
}

pub trait Area {
    fn area(&self) -> u32;
}

impl Area for Shape {
    #[inline(never)]
    fn area(&self) -> u32 {
        match *self {
            Shape::Circle { radius } => radius * radius * 3,
            Shape::Square(side) => square(side),
        }
    }
}

#[inline(never)]
pub fn square(side: u32) -> u32 {
    side * side
}
