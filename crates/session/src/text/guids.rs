//! GUIDs that symbol files use, by name: languages, hash algorithms, vendors, document types.

use pdblens_formats::bytes::Guid;

pub const CSHARP: Guid = Guid::of(0x3f51_62f8, 0x07c6, 0x11d3, 0x9053_00c0_4fa3_02a1);
pub const VISUAL_BASIC: Guid = Guid::of(0x3a12_d0b8, 0xc26c, 0x11d0, 0xb442_00a0_244a_1dd2);
pub(crate) const FSHARP: Guid = Guid::of(0xab4f_38c9, 0xb6e6, 0x43ba, 0xbe3b_5808_0b2c_cce3);
pub const MD5: Guid = Guid::of(0x406e_a660, 0x64cf, 0x4c82, 0xb6f0_42d4_8172_a799);
pub const SHA1: Guid = Guid::of(0xff18_16ec, 0xaa5e, 0x4d10, 0x87f7_6f49_6383_3460);
pub const SHA256: Guid = Guid::of(0x8829_d00f, 0x11b8, 0x4213, 0x878b_770e_8597_ac16);
pub const SHA384: Guid = Guid::of(0xd99c_feb1, 0x8c43, 0x444a, 0x8a6c_b612_69d2_a0bf);
pub const SHA512: Guid = Guid::of(0xef2d_1afc, 0x6550, 0x46d6, 0xb14b_d70a_fe9a_5566);

const NAMES: &[(Guid, &str)] = &[
    (CSHARP, "C#"),
    (VISUAL_BASIC, "Visual Basic"),
    (FSHARP, "F#"),
    (Guid::of(0x63a0_8714, 0xfc37, 0x11d2, 0x904c_00c0_4fa3_02a1), "C"),
    (Guid::of(0x3a12_d0b7, 0xc26c, 0x11d0, 0xb442_00a0_244a_1dd2), "C++"),
    (Guid::of(0x4b35_fde8, 0x07c6, 0x11d3, 0x9053_00c0_4fa3_02a1), "Managed C++"),
    (Guid::of(0xaf04_6cd3, 0xd0e1, 0x11d2, 0x977c_00a0_c9b4_d50c), "IL"),
    (Guid::of(0xaf04_6cd2, 0xd0e1, 0x11d2, 0x977c_00a0_c9b4_d50c), "Pascal"),
    (Guid::of(0xaf04_6cd1, 0xd0e1, 0x11d2, 0x977c_00a0_c9b4_d50c), "Cobol"),
    (Guid::of(0x3a12_d0b4, 0xc26c, 0x11d0, 0xb442_00a0_244a_1dd2), "J#"),
    (Guid::of(0x3a12_d0b6, 0xc26c, 0x11d0, 0xb442_00a0_244a_1dd2), "JScript"),
    (Guid::of(0x0d9b_9f7b, 0x6611, 0x11d3, 0xbd2a_0000_f808_49bd), "SMC"),
    (MD5, "MD5"),
    (SHA1, "SHA-1"),
    (SHA256, "SHA-256"),
    (SHA384, "SHA-384"),
    (SHA512, "SHA-512"),
    (Guid::of(0x994b_45c4, 0xe6e9, 0x11d2, 0x903f_00c0_4fa3_02a1), "Microsoft"),
    (Guid::of(0x5a86_9d0b, 0x6611, 0x11d3, 0xbd2a_0000_f808_49bd), "text"),
];

/// Name of a GUID that symbol files use.
pub fn name(guid: Guid) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == guid).map(|(_, name)| *name)
}
