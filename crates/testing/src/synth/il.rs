//! Method bodies (ECMA-335 II.25.4): a tiny or a fat header, the IL, and after a fat one perhaps exception regions.

use super::bytes::Put;
use super::method::Method;
use super::recipe::Recipe;
use super::rng::Rng;
use super::statements::{LEAVE, Part, STATEMENTS};
use super::tables::{FIELD, MEMBER_REF};

/// Tokens that IL refers to.
pub struct Targets {
    /// Offsets of the strings in `#US`.
    pub user_strings: Vec<u32>,
    /// The token of the signature of the local variables, or none.
    pub local_signature: u32,
}

const INIT_LOCALS: u16 = 0x10;
const MORE_SECTIONS: u16 = 0x08;
const FINALLY: u32 = 2;

/// Appends the body of a method and returns where it begins.
pub fn write(recipe: &Recipe, method: &Method, targets: &Targets, out: &mut Vec<u8>) -> usize {
    let finally = method.has_finally();
    if targets.local_signature == 0 && method.code_size < 64 && !finally {
        let start = out.len();
        out.push((method.code_size << 2) as u8 | 2);
        code(recipe, method, targets, out);
        return start;
    }
    out.align(4);
    let start = out.len();
    // Three double words of header; the low bits say "fat".
    let mut flags = 0x3003;
    flags |= if targets.local_signature == 0 { 0 } else { INIT_LOCALS };
    flags |= if finally { MORE_SECTIONS } else { 0 };
    out.put_u16(flags);
    out.put_u16(8);
    out.put_u32(method.code_size);
    out.put_u32(targets.local_signature);
    code(recipe, method, targets, out);
    if finally {
        out.align(4);
        region(method, out);
    }
    start
}

/// The region of the `finally`: it spans all statements before it. Small when its numbers fit.
fn region(method: &Method, out: &mut Vec<u8>) {
    let index = method.statements.iter().position(|statement| *statement == LEAVE).unwrap_or_default();
    // The handler is what follows `leave.s`.
    let handler = method.points[index].il + 2;
    let sizes = [0, handler, handler, STATEMENTS[LEAVE].size() - 2];
    if handler < 256 {
        out.put(&[0x01, 12 + 4, 0, 0]);
        out.put_u16(FINALLY as u16);
        for pair in sizes.chunks_exact(2) {
            out.put_u16(pair[0] as u16);
            out.push(pair[1] as u8);
        }
    } else {
        out.put(&[0x41, 24 + 4, 0, 0]);
        out.put_u32(FINALLY);
        out.put_u32s(&sizes);
    }
    out.put_u32(0);
}

fn code(recipe: &Recipe, method: &Method, targets: &Targets, out: &mut Vec<u8>) {
    let mut rng = Rng::of(recipe.seed, "il", method.row);
    let token = |table: u8, row: u32| (table as u32) << 24 | row;
    for part in method.statements.iter().flat_map(|statement| STATEMENTS[*statement].parts) {
        match part {
            Part::Op(bytes) => out.put(bytes),
            Part::Text => {
                out.push(0x72);
                out.put_u32(token(0x70, rng.one(&targets.user_strings)));
            }
            Part::Member(opcode, index) => {
                out.push(*opcode);
                out.put_u32(token(MEMBER_REF, index + 1));
            }
            Part::Field => {
                out.push(0x7e);
                out.put_u32(token(FIELD, rng.between(0, recipe.fields) + 1));
            }
        }
    }
}
