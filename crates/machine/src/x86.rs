//! Instructions of x86 and x64, in the syntax of MASM with numbers as C writes them.

use iced_x86::{
    Code, Decoder, DecoderOptions, Formatter, Instruction as Decoded, MasmFormatter, Mnemonic, OpKind, Register,
};

use super::{Flow, Instruction, InstructionPart, InstructionText};

pub(super) fn disassemble(bits: u32, code: &[u8], address: u64) -> Vec<Instruction> {
    let mut decoder = Decoder::with_ip(bits, code, address, DecoderOptions::NONE);
    let mut decoded = Decoded::default();
    let mut found = Vec::with_capacity(code.len() / 4);
    while decoder.can_decode() {
        let at = decoder.position();
        decoder.decode_out(&mut decoded);
        let offset = at as u32;
        if decoded.is_invalid() {
            // The next byte may begin an instruction.
            found.push(Instruction { offset, len: 1, flow: Flow::Unknown, ..Instruction::default() });
            let next = at + 1;
            if decoder.set_position(next).is_err() {
                break;
            }
            decoder.set_ip(address.wrapping_add(next as u64));
            continue;
        }
        let (len, flow, target) = (decoded.len() as u8, flow(&decoded), target(bits, &decoded));
        let number = (0..decoded.op_count()).any(|operand| decoded.op_kind(operand) == OpKind::Immediate32);
        let number = (bits == 32 && number).then(|| decoded.immediate32());
        found.push(Instruction { offset, len, flow, target, is_page: false, number });
    }
    found
}

fn flow(decoded: &Decoded) -> Flow {
    match decoded.mnemonic() {
        Mnemonic::Call => Flow::Call,
        Mnemonic::Jmp => Flow::Jump,
        Mnemonic::Ret | Mnemonic::Retf | Mnemonic::Iret | Mnemonic::Iretd | Mnemonic::Iretq => Flow::Return,
        _ if is_near_branch(decoded) => Flow::Branch,
        _ => Flow::Next,
    }
}

fn is_near_branch(decoded: &Decoded) -> bool {
    matches!(decoded.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64)
}

/// Address that an instruction jumps to, calls or uses.
fn target(bits: u32, decoded: &Decoded) -> Option<u64> {
    if is_near_branch(decoded) {
        return Some(decoded.near_branch_target());
    }
    if decoded.is_ip_rel_memory_operand() {
        return Some(decoded.ip_rel_memory_address());
    }
    // An absolute address; that of a table if there is an index. What is relative to FS or GS is no address of the image.
    let has_memory = (0..decoded.op_count()).any(|operand| decoded.op_kind(operand) == OpKind::Memory);
    let is_absolute = bits == 32
        && has_memory
        && decoded.memory_base() == Register::None
        && !matches!(decoded.memory_segment(), Register::FS | Register::GS);
    is_absolute.then(|| decoded.memory_displacement64())
}

/// The instruction of exactly these bytes.
fn decode(bits: u32, code: &[u8], address: u64) -> Option<Decoded> {
    let decoded = Decoder::with_ip(bits, code, address, DecoderOptions::NONE).decode();
    (!decoded.is_invalid() && decoded.len() == code.len()).then_some(decoded)
}

pub(super) fn text(bits: u32, code: &[u8], address: u64) -> Option<InstructionText> {
    let decoded = decode(bits, code, address)?;
    let mut formatter = MasmFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_add_leading_zero_to_hex_numbers(false);
    options.set_branch_leading_zeros(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_space_after_operand_separator(true);
    options.set_show_branch_size(false);
    options.set_masm_add_ds_prefix32(false);
    let mut text = InstructionText::default();
    // The byte cc has a mnemonic of its own; `int 3` is cd 03.
    if decoded.code() == Code::Int3 {
        text.mnemonic.push_str("int3");
        return Some(text);
    }
    formatter.format_mnemonic(&decoded, &mut text.mnemonic);
    formatter.format_all_operands(&decoded, &mut text.operands);
    Some(text)
}

pub(super) fn parts(bits: u32, code: &[u8]) -> Vec<(InstructionPart, u64)> {
    use InstructionPart::{Displacement, Immediate, Opcode};
    let mut decoder = Decoder::with_ip(bits, code, 0, DecoderOptions::NONE);
    let decoded = decoder.decode();
    let mut constants = Vec::new();
    if !decoded.is_invalid() && decoded.len() == code.len() {
        let offsets = decoder.get_constant_offsets(&decoded);
        constants.push((Displacement, offsets.displacement_offset(), offsets.displacement_size()));
        constants.push((Immediate, offsets.immediate_offset(), offsets.immediate_size()));
        constants.push((Immediate, offsets.immediate_offset2(), offsets.immediate_size2()));
    }
    let (mut parts, mut at) = (Vec::new(), 0);
    for (part, offset, size) in constants.into_iter().filter(|(.., size)| *size > 0) {
        if offset > at {
            parts.push((Opcode, offset.abs_diff(at) as u64));
        }
        parts.push((part, size as u64));
        at = offset + size;
    }
    if at < code.len() {
        parts.push((Opcode, code.len().abs_diff(at) as u64));
    }
    parts
}

/// Sets the distance in an instruction to 0: the number of a jump or call, or else the displacement.
pub(super) fn clear_distance(bits: u32, code: &mut [u8], is_transfer: bool) {
    let parts = parts(bits, code);
    let is_near = is_transfer && parts.iter().any(|(part, _)| *part == InstructionPart::Immediate);
    let wanted = if is_near { InstructionPart::Immediate } else { InstructionPart::Displacement };
    let mut at = 0_usize;
    for (part, size) in parts {
        let end = at + size as usize;
        if part == wanted
            && let Some(bytes) = code.get_mut(at..end)
        {
            bytes.fill(0);
        }
        at = end;
    }
}
