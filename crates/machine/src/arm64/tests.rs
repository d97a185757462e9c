use super::table::Table;
use super::{system, text};

/// Deterministic words.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 32) as u32
    }
}

#[test]
fn each_row_of_the_table_is_reached() {
    let table = Table::get();
    let mut words = Words(1);
    let mut out = String::new();
    for (index, row) in table.rows.iter().enumerate() {
        let is_reached = (0..100_000).any(|_| {
            let word = words.next() & !row.mask | row.value;
            table.decode(word, 0, &mut out) == Some(index)
        });
        assert!(is_reached, "{}", Table::lines().nth(index).unwrap());
    }
    assert_eq!(Table::lines().count(), table.rows.len(), "a line of the table is wrong");
}

#[test]
fn names_of_system_registers_are_unique() {
    let keys: Vec<u16> = system::names().iter().map(|name| name.key).collect();
    assert!(keys.is_sorted_by(|one, next| one < next), "{keys:x?}");
    assert_eq!(keys.len(), system::TEXT.lines().filter(|line| line.starts_with(char::is_numeric)).count());
}

/// Instructions of LSE128, RCPC3 and RPRFM, which objdump 2.40 lacks: as llvm-mc 19 has them.
#[test]
fn instructions_match_llvm_mc() {
    for (word, wanted) in [
        (0x19ae_13f4, "ldclrpa x20, x14, [sp]"),
        (0x1928_303a, "ldsetp x26, x8, [x1]"),
        (0x193b_80dc, "swpp x28, x27, [x6]"),
        (0x9905_085f, "stilp wzr, w5, [x2, #-8]!"),
        (0x991f_1aab, "stilp w11, wzr, [x21]"),
        (0x995d_09f3, "ldiapp w19, w29, [x15], #8"),
        (0xd954_1ba4, "ldiapp x4, x20, [x29]"),
        (0x9980_0be8, "stlr w8, [sp, #-4]!"),
        (0xd9c0_09d5, "ldapr x21, [x14], #8"),
        (0x5d09_3931, "stlur h17, [x9, #147]"),
        (0x5d5c_8952, "ldapur h18, [x10, #-56]"),
        (0x1d8c_28ed, "stlur q13, [x7, #194]"),
        (0x1dd3_7977, "ldapur q23, [x11, #-201]"),
        (0x4d01_84ac, "stl1 { v12.d }[1], [x5]"),
        (0xf8a2_49d8, "rprfm pldkeep, x2, [x14]"),
        (0xf8a8_6bfd, "rprfm #21, x8, [sp]"),
        (0xd503_245f, "bti c"),
        (0xd503_241f, "bti"),
    ] {
        let found = text(&u32::to_le_bytes(word), 0).map(|text| format!("{} {}", text.mnemonic, text.operands));
        assert_eq!(found.as_deref().map(str::trim_end), Some(wanted), "{word:#010x}");
    }
}
