//! The statements that methods are made of, as the IL a compiler writes for them without optimising.

/// A piece of a statement.
pub enum Part {
    /// Opcodes and operands as they are.
    Op(&'static [u8]),
    /// `ldstr` of any user string.
    Text,
    /// An opcode and the token of MemberRef row 1 + so many: see `module::MEMBERS`.
    Member(u8, u32),
    /// `ldsfld` of any field.
    Field,
}

use Part::{Field, Member, Op, Text};

/// A statement: how often it is chosen, whether it needs a local variable, what it is made of.
pub struct Statement {
    pub weight: u32,
    pub needs_local: bool,
    pub parts: &'static [Part],
}

/// `{`, which a debug build stops at.
pub const OPEN: usize = 0;
/// `}`.
pub const CLOSE: usize = 1;
/// `finally` of a region that spans all before it.
pub const LEAVE: usize = 2;
/// Code that a hidden point covers.
pub const HIDDEN: usize = 3;

const CALL: u8 = 0x28;
const NEWOBJ: u8 = 0x73;
const WRITE_LINE: u32 = 1;
const CONCAT: u32 = 2;
const COLLECT: u32 = 3;

/// All statements; the first ones are chosen by name only.
pub const STATEMENTS: [Statement; 14] = [
    of(0, &[Op(&[0x00])]),
    of(0, &[Op(&[0x2a])]),
    // leave.s over the finally block; nop, endfinally
    of(0, &[Op(&[0xde, 0x02, 0x00, 0xdc])]),
    // br.s to the next instruction
    of(0, &[Op(&[0x2b, 0x00])]),
    // Console.WriteLine("…");
    of(30, &[Text, Member(CALL, WRITE_LINE), Op(&[0x00])]),
    // GC.Collect();
    of(15, &[Member(CALL, COLLECT), Op(&[0x00])]),
    // _ = "…" + "…";
    of(8, &[Text, Text, Member(CALL, CONCAT), Op(&[0x26])]),
    // _ = new object();
    of(8, &[Member(NEWOBJ, 0), Op(&[0x26])]),
    // _ = field;
    of(8, &[Field, Op(&[0x26])]),
    // ldc.i4, ldc.i4.s, add, pop
    of(8, &[Op(&[0x20, 0x10, 0x27, 0, 0, 0x1f, 0x2a, 0x58, 0x26])]),
    // ldc.i8, pop
    of(4, &[Op(&[0x21, 0, 0, 0, 0, 1, 0, 0, 0, 0x26])]),
    // i = 12;
    Statement { weight: 18, needs_local: true, parts: &[Op(&[0x1f, 0x0c, 0x0a])] },
    // if (i < 3) …: ldloc.0, ldc.i4.3, clt, brfalse.s to the next instruction
    Statement { weight: 10, needs_local: true, parts: &[Op(&[0x06, 0x19, 0xfe, 0x04, 0x2c, 0x00])] },
    // A call with so many arguments that the next point is more than 127 bytes of IL away.
    of(1, &[Text, Op(&[0x26]), Op(&[0x00; 130])]),
];

const fn of(weight: u32, parts: &'static [Part]) -> Statement {
    Statement { weight, needs_local: false, parts }
}

impl Statement {
    /// Size of its IL in bytes.
    pub fn size(&self) -> u32 {
        let size = |part: &Part| match part {
            Op(bytes) => bytes.len(),
            Text | Field | Member(..) => 5,
        };
        self.parts.iter().map(size).sum::<usize>() as u32
    }
}

/// A number for each statement as often as its weight says, so that choosing one is one look.
pub fn weighted(needs_local: bool) -> impl Iterator<Item = u8> {
    let usable = (0u8..).zip(&STATEMENTS).filter(move |(_, statement)| needs_local || !statement.needs_local);
    usable.flat_map(|(index, statement)| std::iter::repeat_n(index, statement.weight as usize))
}
