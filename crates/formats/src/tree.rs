//! A decoded value as a generic tree, for JSON and for display in one line.

/// A value, or a composition of values.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    Number(i64),
    /// Boolean.
    Bool(bool),
    Text(String),
    /// Named members, in order.
    Object(Vec<(&'static str, Tree)>),
    /// Elements of one kind.
    List(Vec<Tree>),
    Null,
}

impl From<&[u8]> for Tree {
    fn from(text: &[u8]) -> Self {
        Self::Text(String::from_utf8_lossy(text).into_owned())
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for Tree {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }
    )*};
}
numbers!(u8 u32 i32);

impl<T: Into<Self>> FromIterator<T> for Tree {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}
