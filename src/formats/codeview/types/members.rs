use crate::bytes::{Cursor, ErrorKind, Notes, Result, Slice};
use crate::formats::codeview::Leaf;

/// One member of a class, a union or an enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// What it is: [`super::kind_name`] has a name for it.
    pub kind: u16,
    /// Who may use it (bits 0 and 1: 1 private, 2 protected, 3 public), and for a function what it is (bits 2 to 4).
    pub attributes: u16,
    /// Its type, or the list of functions, or of further members.
    pub of: u32,
    /// Its offset in an object, or the value of an enumerator.
    pub value: Option<Leaf<'a>>,
    /// How many functions have the name.
    pub count: u16,
    /// Its name.
    pub name: Slice<'a>,
    /// All of it, without padding.
    pub slice: Slice<'a>,
}

/// The kinds of members.
mod kind {
    pub(super) const BASE: u16 = 0x1400;
    pub(super) const VIRTUAL_BASE: u16 = 0x1401;
    pub(super) const INDIRECT_VIRTUAL_BASE: u16 = 0x1402;
    pub(super) const INDEX: u16 = 0x1404;
    pub(super) const VIRTUAL_TABLE: u16 = 0x1409;
    pub(super) const FRIEND_CLASS: u16 = 0x140a;
    pub(super) const VIRTUAL_OFFSET: u16 = 0x140c;
    pub(super) const ENUMERATOR: u16 = 0x1502;
    pub(super) const FRIEND_FUNCTION: u16 = 0x150c;
    pub(super) const MEMBER: u16 = 0x150d;
    pub(super) const STATIC_MEMBER: u16 = 0x150e;
    pub(super) const METHODS: u16 = 0x150f;
    pub(super) const NESTED: u16 = 0x1510;
    pub(super) const METHOD: u16 = 0x1511;
    pub(super) const NESTED_EX: u16 = 0x1512;
    pub(super) const MODIFY: u16 = 0x1513;
    pub(super) const BASE_INTERFACE: u16 = 0x151a;
}

/// Whether a function with these attributes is the first of a class to be virtual: then its place in the table follows.
const fn introduces(attributes: u16) -> bool {
    matches!(attributes >> 2 & 7, 4 | 6)
}

impl<'a> Member<'a> {
    /// Whether it is no member, but leads to the list of those that had no room in this one.
    pub const fn goes_on(&self) -> bool {
        self.kind == kind::INDEX
    }

    /// Reads one, without the padding behind it.
    fn decode<N: Notes>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        let all = Slice::new(cursor.remaining(), cursor.since(cursor.position()).space, cursor.position());
        let before = cursor.consumed();
        let mut member = cursor.group("member", |c| {
            let start = c.position();
            let kind = c.u16("kind")?;
            let attributes = match kind {
                kind::INDEX
                | kind::VIRTUAL_TABLE
                | kind::FRIEND_CLASS
                | kind::VIRTUAL_OFFSET
                | kind::FRIEND_FUNCTION
                | kind::NESTED => c.u16("unused")?,
                kind::METHODS => c.u16("method count")?,
                _ => c.u16("attributes")?,
            };
            let mut member = Self {
                kind,
                attributes,
                of: 0,
                value: None,
                count: 0,
                name: Slice::default(),
                slice: Slice::default(),
            };
            match kind {
                kind::BASE | kind::BASE_INTERFACE => {
                    member.of = c.u32("type")?;
                    member.value = Some(Leaf::decode(c)?);
                }
                kind::VIRTUAL_BASE | kind::INDIRECT_VIRTUAL_BASE => {
                    member.of = c.u32("type")?;
                    c.u32("virtual base pointer type")?;
                    member.value = Some(Leaf::decode(c)?);
                    Leaf::decode(c)?;
                }
                kind::INDEX => member.of = c.u32("further members")?,
                kind::VIRTUAL_TABLE | kind::FRIEND_CLASS => member.of = c.u32("type")?,
                kind::VIRTUAL_OFFSET => {
                    member.of = c.u32("type")?;
                    member.value = Some(Leaf::Unsigned(c.u32("offset")? as u64));
                }
                kind::ENUMERATOR => {
                    member.value = Some(Leaf::decode(c)?);
                    member.name = c.text_z("name")?;
                }
                kind::MEMBER => {
                    member.of = c.u32("type")?;
                    member.value = Some(Leaf::decode(c)?);
                    member.name = c.text_z("name")?;
                }
                kind::STATIC_MEMBER | kind::NESTED | kind::NESTED_EX | kind::FRIEND_FUNCTION | kind::MODIFY => {
                    member.of = c.u32("type")?;
                    member.name = c.text_z("name")?;
                }
                kind::METHODS => {
                    (member.count, member.attributes) = (attributes, 0);
                    member.of = c.u32("method list")?;
                    member.name = c.text_z("name")?;
                }
                kind::METHOD => {
                    member.of = c.u32("type")?;
                    if introduces(attributes) {
                        member.value = Some(Leaf::Unsigned(c.u32("virtual table offset")? as u64));
                    }
                    member.name = c.text_z("name")?;
                }
                _ => return Err(c.error_since(start, ErrorKind::Invalid("a member of a kind that is not known"))),
            }
            Ok(member)
        })?;
        member.slice = all.part(0, cursor.consumed() - before)?;
        Ok(member)
    }
}

/// The members of a field list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Members<'a>(Slice<'a>);

impl<'a> Members<'a> {
    pub(super) fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let members = Self(Slice::new(c.remaining(), c.since(c.position()).space, c.position()));
        if N::TAKEN {
            while !c.is_done() {
                Member::decode(c)?;
                padding(c)?;
            }
        } else {
            c.skip(c.left())?;
        }
        Ok(members)
    }

    /// Each of them; an error is the last.
    pub fn iter(&self) -> impl Iterator<Item = Result<Member<'a>>> {
        let mut cursor = self.0.cursor();
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed || cursor.is_done() {
                return None;
            }
            let member = Member::decode(&mut cursor).and_then(|member| padding(&mut cursor).map(|()| member));
            failed = member.is_err();
            Some(member)
        })
    }
}

/// Members begin at multiples of 4: bytes above 0xF0 say in their low bits how many of them are left.
fn padding<N: Notes>(c: &mut Cursor<'_, N>) -> Result<()> {
    match c.peek() {
        Some(byte) if byte > 0xf0 => c.bytes("padding", ((byte & 0xf) as u64).min(c.left())).map(drop),
        _ => Ok(()),
    }
}

/// One of several functions with one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverloadedMethod {
    /// Who may use it, and what it is, as in [`Member::attributes`].
    pub attributes: u16,
    /// Its type.
    pub of: u32,
    /// Its place in the table of virtual functions, if it is the first of them there.
    pub virtual_offset: Option<u32>,
}

/// The functions of a method list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Methods<'a>(Slice<'a>);

impl<'a> Methods<'a> {
    pub(super) fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let methods = Self(Slice::new(c.remaining(), c.since(c.position()).space, c.position()));
        while !c.is_done() {
            method(c)?;
        }
        Ok(methods)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = OverloadedMethod> {
        let mut cursor = self.0.cursor();
        std::iter::from_fn(move || method(&mut cursor).ok())
    }
}

fn method<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<OverloadedMethod> {
    cursor.group("overload", |c| {
        let attributes = c.u16("attributes")?;
        c.u16("unused")?;
        let of = c.u32("type")?;
        let virtual_offset = if introduces(attributes) { Some(c.u32("virtual table offset")?) } else { None };
        Ok(OverloadedMethod { attributes, of, virtual_offset })
    })
}
