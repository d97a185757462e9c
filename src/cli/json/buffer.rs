//! Memory for JSON that is in the making.

/// Memory that elements of lists are appended to.
pub trait Buffer {
    fn bytes(&mut self) -> &mut Vec<u8>;

    /// Called between the parts of an element: a buffer that is long may be handed on.
    fn pass(&mut self) {}
}

impl Buffer for Vec<u8> {
    fn bytes(&mut self) -> &mut Vec<u8> {
        self
    }
}
