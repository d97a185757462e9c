//! Records described once.
//!
//! [`record!`](crate::record) describes a record of fixed layout: its struct, decoder, spans, field descriptions, rustdoc and
//! JSON come from one table. [`fields!`](crate::fields) declares the [`FieldDoc`] constants that a hand-written decoder of a
//! variable-length record passes to its reads.

#[doc(hidden)]
pub use serde::Serialize;
#[doc(hidden)]
pub use serde::ser::{SerializeStruct, Serializer};

use super::{Cursor, Encoding, FieldDoc, Guid, PADDING, Recorder, Result, Span};

/// A type that can be the field of a [`record!`](crate::record): its encoding has a fixed size.
pub trait FixedField: Sized {
    /// Size of the encoding in bytes.
    const SIZE: u64;

    /// Reads the value and records it as the field that `doc` describes.
    fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Self>;
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        impl FixedField for $type {
            const SIZE: u64 = size_of::<$type>() as u64;

            #[inline]
            fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Self> {
                cursor.$type(doc)
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl FixedField for Guid {
    const SIZE: u64 = 16;

    fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Self> {
        cursor.guid(doc)
    }
}

/// Bytes without further structure.
impl<const L: usize> FixedField for [u8; L] {
    const SIZE: u64 = L as u64;

    #[inline]
    fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Self> {
        let bytes = cursor.bytes(doc, Self::SIZE)?;
        Ok(bytes.data.first_chunk().copied().unwrap_or([0; L]))
    }
}

/// Text of exactly `L` bytes, such as a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedText<const L: usize>(pub [u8; L]);

impl<const L: usize> Serialize for FixedText<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(&self.0))
    }
}

impl<const L: usize> FixedField for FixedText<L> {
    const SIZE: u64 = L as u64;

    fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Self> {
        let text = cursor.text(doc, Self::SIZE, Encoding::Utf8)?;
        Ok(Self(text.data.first_chunk().copied().unwrap_or([0; L])))
    }
}

/// Text of at most `L` bytes, padded with NULs to `L`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PaddedText<const L: usize>(pub [u8; L]);

impl<const L: usize> PaddedText<L> {
    /// Bytes before the padding.
    pub fn bytes(&self) -> &[u8] {
        self.0.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Text with U+FFFD for invalid UTF-8.
    pub fn to_text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes())
    }
}

impl<const L: usize> std::fmt::Debug for PaddedText<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_text().fmt(f)
    }
}

impl<const L: usize> Serialize for PaddedText<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<const L: usize> FixedField for PaddedText<L> {
    const SIZE: u64 = L as u64;

    fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Self> {
        let len = cursor.remaining().iter().take(L).take_while(|byte| **byte != 0).count();
        let mut text = [0; L];
        if len > 0 {
            let read = cursor.text(doc, len as u64, Encoding::Utf8)?.data;
            text.iter_mut().zip(read).for_each(|(to, from)| *to = *from);
        }
        if len < L {
            cursor.bytes(&PADDING, (L - len) as u64)?;
        }
        Ok(Self(text))
    }
}

/// Trims the text of a doc comment: the `about` of a [`FieldDoc`].
#[doc(hidden)]
pub const fn sentence(comment: &'static str) -> &'static str {
    comment.trim_ascii()
}

/// Replaces underscores of an identifier with blanks: the `name` of a [`FieldDoc`], as bytes.
#[doc(hidden)]
pub const fn spaced<const L: usize>(identifier: &str) -> [u8; L] {
    let mut name = [0; L];
    let (mut from, mut to): (&[u8], &mut [u8]) = (identifier.as_bytes(), &mut name);
    while let ([byte, from_rest @ ..], [slot, to_rest @ ..]) = (from, to) {
        *slot = if *byte == b'_' { b' ' } else { *byte };
        (from, to) = (from_rest, to_rest);
    }
    name
}

/// Converts the bytes of [`spaced`] back to text.
#[doc(hidden)]
pub const fn name(bytes: &'static [u8]) -> &'static str {
    match str::from_utf8(bytes) {
        Ok(name) => name,
        Err(_) => "?",
    }
}

/// Span of the field called `name` in a record at `span`, whose fields have these descriptions and sizes; the whole record if no field
/// has this name.
#[doc(hidden)]
pub fn span_of(span: Span, name: &str, fields: &[FieldDoc], sizes: &[u64]) -> Span {
    let mut offset = 0;
    for (field, size) in fields.iter().zip(sizes) {
        if field.name == name {
            return span.part(offset, *size);
        }
        offset += *size;
    }
    span
}

/// Describes a record of fixed layout, once.
///
/// Each field has a doc comment (one sentence: the rustdoc of the member and the `about` of its [`FieldDoc`]), a name, a type
/// that is a [`FixedField`], and how it is shown ([`Show`](crate::bytes::Show); `Plain` if left out). A member is called as
/// the specification calls the field; a literal after it gives a name that cannot be an identifier.
///
/// From the table come:
///
/// * the struct, with the `span` of the whole record;
/// * `decode`, which reads the record as a group of its own, `decode_fields`, which reads it into the group that is open, and
///   `SIZE` in bytes;
/// * an associated [`FieldDoc`] constant for each field, called like the member, `DOC` for the record, and `FIELDS`, all in
///   order;
/// * `span_of`, the bytes of one field;
/// * `serde::Serialize`, with a member for each field, and `FixedField`, so that a record can be a field of another.
///
/// ```
/// use pdblens_formats::bytes::{Cursor, Slice, SpaceId};
///
/// pdblens_formats::record! {
///     /// An entry of a table of ranges.
///     pub struct Range: "range" {
///         /// Address of the first byte.
///         start_address: u32 as Rva,
///         /// Kind of the range; 1 is code.
///         kind "type": u16 as OneOf(&[(1, "code"), (2, "data")]),
///         /// Reserved; must be 0.
///         reserved: [u8; 2],
///     }
/// }
///
/// let bytes = [0x00, 0x20, 0, 0, 1, 0, 0, 0];
/// let range = Range::decode(&mut Cursor::new(Slice::new(&bytes, SpaceId(0), 0x40)))?;
/// assert_eq!((range.start_address, range.kind, Range::SIZE), (0x2000, 1, 8));
/// assert_eq!(Range::kind.about, "Kind of the range; 1 is code.");
/// assert_eq!(Range::start_address.name, "start address");
/// assert_eq!(range.span_of(&Range::kind).start, 0x44);
/// # Ok::<(), pdblens_formats::bytes::Error>(())
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $about:literal])+
        $vis:vis struct $record:ident: $record_name:literal {
            $(
                $(#[doc = $field_about:literal])+
                $field:ident $($field_name:literal)?: $type:ty $(as $show:expr)?
            ),+ $(,)?
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis struct $record {
            $(
                $(#[doc = $field_about])+
                pub $field: $type,
            )+
            /// Bytes of the record.
            pub span: $crate::bytes::Span,
        }

        #[allow(non_upper_case_globals, dead_code)]
        impl $record {
            /// Description of the record as a group of fields.
            $vis const DOC: $crate::bytes::FieldDoc =
                $crate::bytes::FieldDoc::new($record_name, $crate::bytes::record::sentence(concat!($($about),+)));

            $(
                $(#[doc = $field_about])+
                $vis const $field: $crate::bytes::FieldDoc =
                    $crate::field_doc!($field $($field_name)?, concat!($($field_about),+) $(, $show)?);
            )+

            /// Descriptions of the fields, in the order of their bytes.
            $vis const FIELDS: &'static [$crate::bytes::FieldDoc] = &[$(Self::$field),+];

            const SIZES: &'static [u64] = &[$(<$type as $crate::bytes::FixedField>::SIZE),+];

            /// Size of the record in bytes.
            $vis const SIZE: u64 = 0 $(+ <$type as $crate::bytes::FixedField>::SIZE)+;

            /// Reads the record as a group of its own.
            #[inline]
            $vis fn decode<N: $crate::bytes::Recorder>(
                cursor: &mut $crate::bytes::Cursor<'_, N>,
            ) -> $crate::bytes::Result<Self> {
                <Self as $crate::bytes::FixedField>::decode(cursor, &Self::DOC)
            }

            /// Reads the fields alone, into the group that is open.
            #[inline]
            $vis fn decode_fields<N: $crate::bytes::Recorder>(
                c: &mut $crate::bytes::Cursor<'_, N>,
            ) -> $crate::bytes::Result<Self> {
                let start = c.position();
                $(let $field = <$type as $crate::bytes::FixedField>::decode(c, &Self::$field)?;)+
                Ok(Self { $($field,)+ span: c.since(start) })
            }

            /// Bytes of the field that `field`, one of the constants of this type, describes.
            $vis fn span_of(&self, field: &$crate::bytes::FieldDoc) -> $crate::bytes::Span {
                $crate::bytes::record::span_of(self.span, field.name, Self::FIELDS, Self::SIZES)
            }
        }

        impl $crate::bytes::FixedField for $record {
            const SIZE: u64 = Self::SIZE;

            #[inline]
            fn decode<N: $crate::bytes::Recorder>(
                cursor: &mut $crate::bytes::Cursor<'_, N>,
                doc: &'static $crate::bytes::FieldDoc,
            ) -> $crate::bytes::Result<Self> {
                cursor.group(doc, Self::decode_fields)
            }
        }

        impl $crate::bytes::record::Serialize for $record {
            fn serialize<S: $crate::bytes::record::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                use $crate::bytes::record::SerializeStruct as _;
                let mut record = serializer.serialize_struct(stringify!($record), [$(stringify!($field),)+ "span"].len())?;
                $(record.serialize_field(stringify!($field), &self.$field)?;)+
                record.serialize_field("span", &self.span)?;
                record.end()
            }
        }
    };
}

/// Declares [`FieldDoc`] constants for a hand-written decoder: a table of names, notations and sentences.
///
/// Each constant has a doc comment (one sentence: its rustdoc and its `about`), the name that the specification gives the
/// field, and how it is shown ([`Show`](crate::bytes::Show); `Plain` if left out). A table that begins with `in LIST;` also
/// gets a slice of that name with all of them, which tests walk.
///
/// ```
/// pdblens_formats::fields! {
///     in FIELDS;
///     /// Number of bytes that follow.
///     pub LENGTH: "length";
///     /// Method that execution begins with; 0 in a library.
///     pub ENTRY_POINT: "entry point" as Token;
/// }
/// assert_eq!((LENGTH.name, LENGTH.about), ("length", "Number of bytes that follow."));
/// assert_eq!(ENTRY_POINT.show, pdblens_formats::bytes::Show::Token);
/// assert_eq!(FIELDS.len(), 2);
/// ```
#[macro_export]
macro_rules! fields {
    (
        $(in $list_vis:vis $list:ident;)?
        $(
            $(#[doc = $about:literal])+
            $vis:vis $constant:ident: $name:literal $(as $show:expr)?;
        )+
    ) => {
        $(
            $(#[doc = $about])+
            $vis const $constant: $crate::bytes::FieldDoc =
                $crate::field_doc!($constant $name, concat!($($about),+) $(, $show)?);
        )+
        $crate::field_list! { $($list_vis $list)?; $($constant)+ }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! field_list {
    (; $($constant:ident)+) => {};
    ($vis:vis $list:ident; $($constant:ident)+) => {
        /// Descriptions of the fields, in the order of the table.
        #[allow(dead_code)]
        $vis const $list: &[&$crate::bytes::FieldDoc] = &[$(&$constant),+];
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! field_doc {
    ($field:ident, $about:expr $(, $show:expr)?) => {
        $crate::field_doc!(
            @{
                const BYTES: [u8; stringify!($field).len()] = $crate::bytes::record::spaced(stringify!($field));
                $crate::bytes::record::name(&BYTES)
            },
            $about $(, $show)?
        )
    };
    ($field:ident $name:literal, $about:expr $(, $show:expr)?) => {
        $crate::field_doc!(@$name, $about $(, $show)?)
    };
    (@$name:expr, $about:expr) => {
        $crate::bytes::FieldDoc::new($name, $crate::bytes::record::sentence($about))
    };
    (@$name:expr, $about:expr, $show:expr) => {{
        #[allow(unused_imports, clippy::enum_glob_use)]
        use $crate::bytes::Show::*;
        $crate::bytes::FieldDoc::new($name, $crate::bytes::record::sentence($about)).shown($show)
    }};
}

/// Names of the fields, groups too, that `decode` reads of `bytes` and that have no sentence.
#[cfg(test)]
pub(crate) fn undescribed(
    bytes: &[u8],
    decode: impl FnOnce(&mut Cursor<'_, super::Recording>) -> Result<()>,
) -> Vec<&'static str> {
    let mut cursor = Cursor::recording(super::Slice::new(bytes, super::SpaceId(0), 0));
    let _ = decode(&mut cursor);
    let fields = cursor.fields();
    assert!(!fields.is_empty());
    fields.into_iter().filter(|field| field.doc.about.is_empty()).map(|field| field.name()).collect()
}

#[cfg(test)]
mod tests;
