//! Keys, the mouse and pasted text, as a terminal or a page reports them.
//!
//! On terminals these are the types of crossterm. It does not build for WebAssembly: there this module declares the same names,
//! without the variants that only terminals have.

#[cfg(not(target_family = "wasm"))]
pub use crossterm::event::{
    Event as Press, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

#[cfg(target_family = "wasm")]
pub use page::*;

#[cfg(target_family = "wasm")]
mod page {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum KeyCode {
        Backspace,
        Enter,
        Left,
        Right,
        Up,
        Down,
        Home,
        End,
        PageUp,
        PageDown,
        Tab,
        BackTab,
        Delete,
        Insert,
        F(u8),
        Char(char),
        Esc,
    }

    impl KeyCode {
        pub const fn as_char(self) -> Option<char> {
            if let Self::Char(c) = self { Some(c) } else { None }
        }
    }

    /// A set of bits.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct KeyModifiers(u8);

    impl KeyModifiers {
        pub const NONE: Self = Self(0);
        pub const SHIFT: Self = Self(1);
        pub const CONTROL: Self = Self(2);
        pub const ALT: Self = Self(4);

        pub const fn contains(self, other: Self) -> bool {
            self.0 & other.0 == other.0
        }

        pub const fn set(&mut self, other: Self, on: bool) {
            if on {
                self.0 |= other.0;
            }
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum KeyEventKind {
        Press,
        Release,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KeyEvent {
        pub code: KeyCode,
        pub modifiers: KeyModifiers,
        pub kind: KeyEventKind,
    }

    impl KeyEvent {
        pub const fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
            Self { code, modifiers, kind: KeyEventKind::Press }
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MouseButton {
        Left,
        Right,
        Middle,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MouseEventKind {
        Down(MouseButton),
        Up(MouseButton),
        Drag(MouseButton),
        Moved,
        ScrollDown,
        ScrollUp,
        ScrollLeft,
        ScrollRight,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MouseEvent {
        pub kind: MouseEventKind,
        pub column: u16,
        pub row: u16,
        pub modifiers: KeyModifiers,
    }

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Press {
        FocusGained,
        FocusLost,
        Key(KeyEvent),
        Mouse(MouseEvent),
        Paste(String),
        Resize(u16, u16),
    }
}
