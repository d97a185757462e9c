use super::kinds::{KINDS, lf};
use crate::bytes::{Cursor, ErrorKind, Recorder, Result, Slice, fields};
use crate::codeview::Leaf;

/// One member of a class, a union or an enumeration.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Member<'a> {
    /// Kind; named by [`super::kind_name`].
    pub kind: u16,
    /// Access (bits 0 and 1: 1 private, 2 protected, 3 public), and for a function its kind (bits 2 to 4).
    pub attributes: u16,
    /// Type of the member, or index of a method list or of a continuation.
    pub of: u32,
    /// Offset in an object, or value of an enumerator.
    pub value: Option<Leaf<'a>>,
    /// Number of overloads.
    pub count: u16,
    pub name: Slice<'a>,
    /// Bytes without padding.
    pub slice: Slice<'a>,
}

fields! {
    /// A member of a class, a union or an enumeration.
    MEMBER: "member";
    /// The kind of member: a data member, a function, a base class, a nested type, an enumerator.
    KIND: "kind" as OneOf(KINDS);
    /// The access of the member; for a function, bits 2–4 say whether it is virtual or static.
    ATTRIBUTES: "attributes" as Flags(&[
        (1, "private"),
        (2, "protected"),
        (3, "public"),
        (0x20, "pseudo"),
        (0x100, "generated"),
    ]);
    /// Unused bytes that align the next field.
    UNUSED: "unused";
    /// The type index of the member's type; an index below 0x1000 is a built-in type without a record.
    TYPE: "type" as TypeIndex;
    /// The name of the member.
    NAME: "name";
    /// The offset of the pointer to the virtual function table in an object.
    OFFSET: "offset";
    /// The type of the virtual base pointer, through which the virtual base is found.
    VIRTUAL_BASE_POINTER_TYPE: "virtual base pointer type" as TypeIndex;
    /// The field list with the members that did not fit into this record.
    FURTHER_MEMBERS: "further members" as TypeIndex;
    /// The number of overloads, which are the functions with this name.
    METHOD_COUNT: "method count";
    /// The method list, which is the record with the overloads.
    METHOD_LIST: "method list" as TypeIndex;
    /// The offset in the virtual function table, present only in the class that introduces the virtual function.
    VIRTUAL_TABLE_OFFSET: "virtual table offset";
    /// Bytes that align the next member to a multiple of 4.
    PADDING: "padding";
    /// An overload: one of the functions of a class that share a name.
    OVERLOAD: "overload";
    /// The access of the function (bits 0–1), and whether it is virtual or static (bits 2–4).
    OVERLOAD_ATTRIBUTES: "attributes" as Hex;
    /// The type index of the function's type.
    OVERLOAD_TYPE: "type" as TypeIndex;
}

/// Returns true for the attributes of an introducing virtual function, whose table offset follows.
const fn introduces(attributes: u16) -> bool {
    matches!(attributes >> 2 & 7, 4 | 6)
}

impl<'a> Member<'a> {
    /// Returns true for an `LF_INDEX`, which refers to the continuation of the list.
    pub const fn goes_on(&self) -> bool {
        self.kind == lf::INDEX
    }

    /// Decodes a member without the padding after it.
    fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        let all = cursor.rest();
        let before = cursor.consumed();
        let mut member = cursor.group(&MEMBER, |c| {
            let start = c.position();
            let kind = c.u16(&KIND)?;
            let mut member = Self { kind, attributes: Self::attributes(c, kind)?, ..Self::default() };
            if !member.content(c)? {
                return Err(c.error_since(start, ErrorKind::Unknown { what: "kind of member", value: kind.into() }));
            }
            Ok(member)
        })?;
        member.slice = all.part(0, cursor.consumed() - before)?;
        Ok(member)
    }

    /// The two bytes after the kind: attributes, where the kind has some.
    fn attributes<N: Recorder>(c: &mut Cursor<'a, N>, kind: u16) -> Result<u16> {
        match kind {
            lf::INDEX | lf::VFUNCTAB | lf::FRIENDCLS | lf::VFUNCOFF | lf::FRIENDFCN | lf::NESTTYPE => c.u16(&UNUSED),
            lf::METHOD => c.u16(&METHOD_COUNT),
            _ => c.u16(&ATTRIBUTES),
        }
    }

    /// Decodes the part after the attributes; returns false for an unknown kind.
    fn content<N: Recorder>(&mut self, c: &mut Cursor<'a, N>) -> Result<bool> {
        match self.kind {
            lf::BCLASS | lf::BINTERFACE => {
                self.of = c.u32(&TYPE)?;
                self.value = Some(Leaf::decode(c)?);
            }
            lf::VBCLASS | lf::IVBCLASS => {
                self.of = c.u32(&TYPE)?;
                c.u32(&VIRTUAL_BASE_POINTER_TYPE)?;
                self.value = Some(Leaf::decode(c)?);
                Leaf::decode(c)?;
            }
            lf::INDEX => self.of = c.u32(&FURTHER_MEMBERS)?,
            lf::VFUNCTAB | lf::FRIENDCLS => self.of = c.u32(&TYPE)?,
            lf::VFUNCOFF => {
                self.of = c.u32(&TYPE)?;
                self.value = Some(Leaf::Unsigned(c.u32(&OFFSET)? as u64));
            }
            lf::ENUMERATE => {
                self.value = Some(Leaf::decode(c)?);
                self.name = c.text_z(&NAME)?;
            }
            lf::MEMBER => {
                self.of = c.u32(&TYPE)?;
                self.value = Some(Leaf::decode(c)?);
                self.name = c.text_z(&NAME)?;
            }
            lf::STMEMBER | lf::NESTTYPE | lf::NESTTYPEEX | lf::FRIENDFCN | lf::MEMBERMODIFY => {
                self.of = c.u32(&TYPE)?;
                self.name = c.text_z(&NAME)?;
            }
            lf::METHOD => {
                (self.count, self.attributes) = (self.attributes, 0);
                self.of = c.u32(&METHOD_LIST)?;
                self.name = c.text_z(&NAME)?;
            }
            lf::ONEMETHOD => {
                self.of = c.u32(&TYPE)?;
                if introduces(self.attributes) {
                    self.value = Some(Leaf::Unsigned(c.u32(&VIRTUAL_TABLE_OFFSET)? as u64));
                }
                self.name = c.text_z(&NAME)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The members of a field list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members<'a>(Slice<'a>);

impl<'a> Members<'a> {
    pub(super) fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let len = c.left();
        let members = c.described(len, |c| {
            while !c.is_done() {
                Member::decode(c)?;
                padding(c)?;
            }
            Ok(())
        });
        members.map(Self)
    }

    /// Iterates over the members; an error is the last item.
    pub fn iter(&self) -> impl Iterator<Item = Result<Member<'a>>> {
        self.0.items(|cursor| {
            let member = Member::decode(cursor)?;
            padding(cursor)?;
            Ok(member)
        })
    }
}

/// Skips padding to a multiple of 4: bytes above 0xF0, whose low bits count the remaining padding.
fn padding<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    match c.peek() {
        Some(byte) if byte > 0xf0 => c.bytes(&PADDING, ((byte & 0xf) as u64).min(c.left())).map(drop),
        _ => Ok(()),
    }
}

/// An overload of a member function.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverloadedMethod {
    /// Access and kind, as in `Member::attributes`.
    pub attributes: u16,
    pub of: u32,
    /// Offset in the virtual function table, for an introducing virtual function.
    pub virtual_offset: Option<u32>,
}

/// The functions of a method list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Methods<'a>(Slice<'a>);

impl<'a> Methods<'a> {
    pub(super) fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let methods = Self(c.rest());
        while !c.is_done() {
            method(c)?;
        }
        Ok(methods)
    }

    /// Iterates over the overloads.
    pub fn iter(&self) -> impl Iterator<Item = OverloadedMethod> {
        let mut cursor = self.0.cursor();
        std::iter::from_fn(move || method(&mut cursor).ok())
    }
}

fn method<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<OverloadedMethod> {
    cursor.group(&OVERLOAD, |c| {
        let attributes = c.u16(&OVERLOAD_ATTRIBUTES)?;
        c.u16(&UNUSED)?;
        let of = c.u32(&OVERLOAD_TYPE)?;
        let virtual_offset = if introduces(attributes) { Some(c.u32(&VIRTUAL_TABLE_OFFSET)?) } else { None };
        Ok(OverloadedMethod { attributes, of, virtual_offset })
    })
}
