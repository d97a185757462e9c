use std::fmt;
use std::str::FromStr;

/// The sixteen bytes of a GUID, in file order.
///
/// The first three groups are little-endian numbers in a file, so bytes and text differ in order.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    /// Makes the GUID with these groups: `Guid::of(0x6DA9A61E, 0xF8C7, 0x4874, 0xBE62_68BC5630DF71)`.
    pub const fn of(a: u32, b: u16, c: u16, d: u64) -> Self {
        let (a, b, c, d) = (a.to_le_bytes(), b.to_le_bytes(), c.to_le_bytes(), d.to_be_bytes());
        Self([a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]])
    }

    /// Returns true if all bytes are 0.
    pub const fn is_nil(self) -> bool {
        u128::from_le_bytes(self.0) == 0
    }

    /// The 32 digits in lower case without dashes, as in symbol-store keys and srcsrv footers.
    pub fn digits(self) -> String {
        self.to_string().replace('-', "")
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Swap the three little-endian groups after reading the bytes as one big-endian number.
        let number = u128::from_be_bytes(self.0);
        write!(f, "{:08x}-", ((number >> 96) as u32).swap_bytes())?;
        write!(f, "{:04x}-{:04x}-", ((number >> 80) as u16).swap_bytes(), ((number >> 64) as u16).swap_bytes())?;
        write!(f, "{:04x}-{:012x}", (number >> 48) as u16, number as u64 & 0xffff_ffff_ffff)
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Guid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Guid {
    type Err = ();

    /// Parses 32 hexadecimal digits, with or without dashes and braces.
    fn from_str(text: &str) -> Result<Self, ()> {
        let digits: String = text.trim_matches(['{', '}']).chars().filter(|c| *c != '-').collect();
        if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(());
        }
        let number = u128::from_str_radix(&digits, 16).map_err(|_| ())?;
        Ok(Self::of((number >> 96) as u32, (number >> 80) as u16, (number >> 64) as u16, number as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_the_groups_in_their_order() {
        let text = "3f5162f8-07c6-11d3-9053-00c04fa302a1";
        let guid = Guid::of(0x3F51_62F8, 0x07C6, 0x11D3, 0x9053_00C0_4FA3_02A1);
        assert_eq!(guid.to_string(), text);
        assert_eq!(text.parse(), Ok(guid));
        assert_eq!("{3F5162F8-07C6-11D3-9053-00C04FA302A1}".parse(), Ok(guid));
        assert_eq!(guid.0[..4], [0xf8, 0x62, 0x51, 0x3f]);
        assert_eq!("3f5162f8".parse::<Guid>(), Err(()));
    }
}
