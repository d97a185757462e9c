//! The numbers and bits of an image that have names, as `winnt.h` and the runtime call them.

use object::pe;

/// A number or a bit, and its name.
type NumberNames = &'static [(u64, &'static str)];

/// Processors. An image that was compiled ahead of time for another system than Windows has its number crossed (xor) with
/// one that stands for the system.
pub const MACHINES: NumberNames = &[
    (pe::IMAGE_FILE_MACHINE_UNKNOWN.0 as u64, "any"),
    (pe::IMAGE_FILE_MACHINE_I386.0 as u64, "I386"),
    (pe::IMAGE_FILE_MACHINE_AMD64.0 as u64, "AMD64"),
    (pe::IMAGE_FILE_MACHINE_ARM.0 as u64, "ARM"),
    (pe::IMAGE_FILE_MACHINE_THUMB.0 as u64, "THUMB"),
    (pe::IMAGE_FILE_MACHINE_ARMNT.0 as u64, "ARMNT"),
    (pe::IMAGE_FILE_MACHINE_ARM64.0 as u64, "ARM64"),
    (pe::IMAGE_FILE_MACHINE_ARM64EC.0 as u64, "ARM64EC"),
    (pe::IMAGE_FILE_MACHINE_ARM64X.0 as u64, "ARM64X"),
    (pe::IMAGE_FILE_MACHINE_CHPE_X86.0 as u64, "CHPE_X86"),
    (pe::IMAGE_FILE_MACHINE_IA64.0 as u64, "IA64"),
    (pe::IMAGE_FILE_MACHINE_RISCV32.0 as u64, "RISCV32"),
    (pe::IMAGE_FILE_MACHINE_RISCV64.0 as u64, "RISCV64"),
    (pe::IMAGE_FILE_MACHINE_EBC.0 as u64, "EBC"),
    (pe::IMAGE_FILE_MACHINE_POWERPC.0 as u64, "POWERPC"),
    (pe::IMAGE_FILE_MACHINE_ALPHA.0 as u64, "ALPHA"),
    (pe::IMAGE_FILE_MACHINE_R4000.0 as u64, "R4000"),
    (LOONGARCH64 as u64, "LOONGARCH64"),
    (on(pe::IMAGE_FILE_MACHINE_I386.0, LINUX), "I386, Linux"),
    (on(pe::IMAGE_FILE_MACHINE_AMD64.0, LINUX), "AMD64, Linux"),
    (on(pe::IMAGE_FILE_MACHINE_ARMNT.0, LINUX), "ARM, Linux"),
    (on(pe::IMAGE_FILE_MACHINE_ARM64.0, LINUX), "ARM64, Linux"),
    (on(pe::IMAGE_FILE_MACHINE_RISCV64.0, LINUX), "RISCV64, Linux"),
    (on(LOONGARCH64, LINUX), "LOONGARCH64, Linux"),
    (on(pe::IMAGE_FILE_MACHINE_AMD64.0, APPLE), "AMD64, Apple"),
    (on(pe::IMAGE_FILE_MACHINE_ARM64.0, APPLE), "ARM64, Apple"),
    (on(pe::IMAGE_FILE_MACHINE_AMD64.0, FREEBSD), "AMD64, FreeBSD"),
    (on(pe::IMAGE_FILE_MACHINE_ARM64.0, FREEBSD), "ARM64, FreeBSD"),
    (on(pe::IMAGE_FILE_MACHINE_AMD64.0, NETBSD), "AMD64, NetBSD"),
    (on(pe::IMAGE_FILE_MACHINE_AMD64.0, SUN), "AMD64, SunOS"),
];

/// Machines of ready-to-run images.
pub(crate) const PLAIN_MACHINES: &[u16] = &[
    pe::IMAGE_FILE_MACHINE_I386.0,
    pe::IMAGE_FILE_MACHINE_AMD64.0,
    pe::IMAGE_FILE_MACHINE_ARMNT.0,
    pe::IMAGE_FILE_MACHINE_ARM64.0,
    pe::IMAGE_FILE_MACHINE_RISCV64.0,
    LOONGARCH64,
];

/// Marks of systems, and their names.
pub(crate) const SYSTEMS: &[(u16, &str)] =
    &[(LINUX, "Linux"), (APPLE, "Apple"), (FREEBSD, "FreeBSD"), (NETBSD, "NetBSD"), (SUN, "SunOS")];

const LOONGARCH64: u16 = 0x6264;
/// Masks that stand for a system in the machine of a ready-to-run image: `IMAGE_FILE_MACHINE_OS_…` of the runtime.
const LINUX: u16 = 0x7b79;
const APPLE: u16 = 0x4644;
const FREEBSD: u16 = 0xadc4;
const NETBSD: u16 = 0x1993;
const SUN: u16 = 0x1992;

const fn on(machine: u16, system: u16) -> u64 {
    (machine ^ system) as u64
}

pub(crate) const COFF_CHARACTERISTICS: NumberNames = &[
    (pe::IMAGE_FILE_RELOCS_STRIPPED.0 as u64, "RELOCS_STRIPPED"),
    (pe::IMAGE_FILE_EXECUTABLE_IMAGE.0 as u64, "EXECUTABLE_IMAGE"),
    (pe::IMAGE_FILE_LINE_NUMS_STRIPPED.0 as u64, "LINE_NUMS_STRIPPED"),
    (pe::IMAGE_FILE_LOCAL_SYMS_STRIPPED.0 as u64, "LOCAL_SYMS_STRIPPED"),
    (pe::IMAGE_FILE_AGGRESIVE_WS_TRIM.0 as u64, "AGGRESSIVE_WS_TRIM"),
    (pe::IMAGE_FILE_LARGE_ADDRESS_AWARE.0 as u64, "LARGE_ADDRESS_AWARE"),
    (pe::IMAGE_FILE_BYTES_REVERSED_LO.0 as u64, "BYTES_REVERSED_LO"),
    (pe::IMAGE_FILE_32BIT_MACHINE.0 as u64, "32BIT_MACHINE"),
    (pe::IMAGE_FILE_DEBUG_STRIPPED.0 as u64, "DEBUG_STRIPPED"),
    (pe::IMAGE_FILE_REMOVABLE_RUN_FROM_SWAP.0 as u64, "REMOVABLE_RUN_FROM_SWAP"),
    (pe::IMAGE_FILE_NET_RUN_FROM_SWAP.0 as u64, "NET_RUN_FROM_SWAP"),
    (pe::IMAGE_FILE_SYSTEM.0 as u64, "SYSTEM"),
    (pe::IMAGE_FILE_DLL.0 as u64, "DLL"),
    (pe::IMAGE_FILE_UP_SYSTEM_ONLY.0 as u64, "UP_SYSTEM_ONLY"),
    (pe::IMAGE_FILE_BYTES_REVERSED_HI.0 as u64, "BYTES_REVERSED_HI"),
];

pub(crate) const OPTIONAL_MAGICS: NumberNames =
    &[(pe::IMAGE_NT_OPTIONAL_HDR32_MAGIC as u64, "PE32"), (pe::IMAGE_NT_OPTIONAL_HDR64_MAGIC as u64, "PE32+")];

pub(crate) const SUBSYSTEMS: NumberNames = &[
    (pe::IMAGE_SUBSYSTEM_UNKNOWN.0 as u64, "UNKNOWN"),
    (pe::IMAGE_SUBSYSTEM_NATIVE.0 as u64, "NATIVE"),
    (pe::IMAGE_SUBSYSTEM_WINDOWS_GUI.0 as u64, "WINDOWS_GUI"),
    (pe::IMAGE_SUBSYSTEM_WINDOWS_CUI.0 as u64, "WINDOWS_CUI"),
    (pe::IMAGE_SUBSYSTEM_OS2_CUI.0 as u64, "OS2_CUI"),
    (pe::IMAGE_SUBSYSTEM_POSIX_CUI.0 as u64, "POSIX_CUI"),
    (pe::IMAGE_SUBSYSTEM_NATIVE_WINDOWS.0 as u64, "NATIVE_WINDOWS"),
    (pe::IMAGE_SUBSYSTEM_WINDOWS_CE_GUI.0 as u64, "WINDOWS_CE_GUI"),
    (pe::IMAGE_SUBSYSTEM_EFI_APPLICATION.0 as u64, "EFI_APPLICATION"),
    (pe::IMAGE_SUBSYSTEM_EFI_BOOT_SERVICE_DRIVER.0 as u64, "EFI_BOOT_SERVICE_DRIVER"),
    (pe::IMAGE_SUBSYSTEM_EFI_RUNTIME_DRIVER.0 as u64, "EFI_RUNTIME_DRIVER"),
    (pe::IMAGE_SUBSYSTEM_EFI_ROM.0 as u64, "EFI_ROM"),
    (pe::IMAGE_SUBSYSTEM_XBOX.0 as u64, "XBOX"),
    (pe::IMAGE_SUBSYSTEM_WINDOWS_BOOT_APPLICATION.0 as u64, "WINDOWS_BOOT_APPLICATION"),
    (pe::IMAGE_SUBSYSTEM_XBOX_CODE_CATALOG.0 as u64, "XBOX_CODE_CATALOG"),
];

pub(crate) const DLL_CHARACTERISTICS: NumberNames = &[
    (pe::IMAGE_DLLCHARACTERISTICS_HIGH_ENTROPY_VA.0 as u64, "HIGH_ENTROPY_VA"),
    (pe::IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE.0 as u64, "DYNAMIC_BASE"),
    (pe::IMAGE_DLLCHARACTERISTICS_FORCE_INTEGRITY.0 as u64, "FORCE_INTEGRITY"),
    (pe::IMAGE_DLLCHARACTERISTICS_NX_COMPAT.0 as u64, "NX_COMPAT"),
    (pe::IMAGE_DLLCHARACTERISTICS_NO_ISOLATION.0 as u64, "NO_ISOLATION"),
    (pe::IMAGE_DLLCHARACTERISTICS_NO_SEH.0 as u64, "NO_SEH"),
    (pe::IMAGE_DLLCHARACTERISTICS_NO_BIND.0 as u64, "NO_BIND"),
    (pe::IMAGE_DLLCHARACTERISTICS_APPCONTAINER.0 as u64, "APPCONTAINER"),
    (pe::IMAGE_DLLCHARACTERISTICS_WDM_DRIVER.0 as u64, "WDM_DRIVER"),
    (pe::IMAGE_DLLCHARACTERISTICS_GUARD_CF.0 as u64, "GUARD_CF"),
    (pe::IMAGE_DLLCHARACTERISTICS_TERMINAL_SERVER_AWARE.0 as u64, "TERMINAL_SERVER_AWARE"),
];

pub(crate) const EX_DLL_CHARACTERISTICS: NumberNames = &[
    (0x01, "CET_COMPAT"),
    (0x02, "CET_COMPAT_STRICT_MODE"),
    (0x04, "CET_SET_CONTEXT_IP_VALIDATION_RELAXED_MODE"),
    (0x08, "CET_DYNAMIC_APIS_ALLOW_IN_PROC"),
    (0x10, "CET_RESERVED_1"),
    (0x20, "CET_RESERVED_2"),
    (0x40, "FORWARD_CFI_COMPAT"),
    (0x80, "HOTPATCH_COMPATIBLE"),
];

/// Bits of a section's characteristics. Those that only objects have are left out.
pub(crate) const SECTION_CHARACTERISTICS: NumberNames = &[
    (pe::IMAGE_SCN_CNT_CODE.0 as u64, "CNT_CODE"),
    (pe::IMAGE_SCN_CNT_INITIALIZED_DATA.0 as u64, "CNT_INITIALIZED_DATA"),
    (pe::IMAGE_SCN_CNT_UNINITIALIZED_DATA.0 as u64, "CNT_UNINITIALIZED_DATA"),
    (pe::IMAGE_SCN_GPREL.0 as u64, "GPREL"),
    (pe::IMAGE_SCN_LNK_NRELOC_OVFL.0 as u64, "LNK_NRELOC_OVFL"),
    (pe::IMAGE_SCN_MEM_DISCARDABLE.0 as u64, "MEM_DISCARDABLE"),
    (pe::IMAGE_SCN_MEM_NOT_CACHED.0 as u64, "MEM_NOT_CACHED"),
    (pe::IMAGE_SCN_MEM_NOT_PAGED.0 as u64, "MEM_NOT_PAGED"),
    (pe::IMAGE_SCN_MEM_SHARED.0 as u64, "MEM_SHARED"),
    (pe::IMAGE_SCN_MEM_EXECUTE.0 as u64, "MEM_EXECUTE"),
    (pe::IMAGE_SCN_MEM_READ.0 as u64, "MEM_READ"),
    (pe::IMAGE_SCN_MEM_WRITE.0 as u64, "MEM_WRITE"),
];

pub(crate) const CLI_FLAGS: NumberNames = &[
    (pe::COMIMAGE_FLAGS_ILONLY.0 as u64, "ILONLY"),
    (pe::COMIMAGE_FLAGS_32BITREQUIRED.0 as u64, "32BITREQUIRED"),
    (pe::COMIMAGE_FLAGS_IL_LIBRARY.0 as u64, "IL_LIBRARY"),
    (pe::COMIMAGE_FLAGS_STRONGNAMESIGNED.0 as u64, "STRONGNAMESIGNED"),
    (pe::COMIMAGE_FLAGS_NATIVE_ENTRYPOINT.0 as u64, "NATIVE_ENTRYPOINT"),
    (pe::COMIMAGE_FLAGS_TRACKDEBUGDATA.0 as u64, "TRACKDEBUGDATA"),
    (pe::COMIMAGE_FLAGS_32BITPREFERRED.0 as u64, "32BITPREFERRED"),
];

/// Kinds of build, of which a POGO entry lists the groups.
pub(crate) const POGO_SIGNATURES: NumberNames = &[
    (u32::from_be_bytes(*b"LTCG") as u64, "LTCG"),
    (u32::from_be_bytes(*b"PGI\0") as u64, "PGI"),
    (u32::from_be_bytes(*b"PGO\0") as u64, "PGO"),
    (u32::from_be_bytes(*b"PGU\0") as u64, "PGU"),
    (u32::from_be_bytes(*b"SPGO") as u64, "SPGO"),
];
