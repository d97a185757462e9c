use object::pe;

use crate::bytes::{Cursor, FieldDoc, Recorder, Result, Span, fields};

/// The data directories, by number.
static DIRECTORIES: [FieldDoc; pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES] = [
    FieldDoc::new("export table", "The functions that the image exports to other images; managed DLLs have none."),
    FieldDoc::new(
        "import table",
        "The functions that the image imports from other DLLs; a managed PE32 image imports only the entry of the runtime.",
    ),
    FieldDoc::new(
        "resource table",
        "Windows resources, such as version, icon and manifest; managed resources are elsewhere.",
    ),
    FieldDoc::new("exception table", "The unwind information of native code (.pdata)."),
    FieldDoc::new(
        "certificate table",
        "The Authenticode signature; it is not loaded, so its address is a file offset instead of an RVA.",
    ),
    FieldDoc::new("base relocation table", "The addresses to patch if the image is not loaded at its preferred base."),
    FieldDoc::new("debug directory", "The debug directory, which leads to the PDB."),
    FieldDoc::new("architecture", "Reserved; must be 0."),
    FieldDoc::new("global pointer", "The value of the global pointer register, on processors that have one."),
    FieldDoc::new("tls table", "The data of which every native thread gets its own copy."),
    FieldDoc::new(
        "load config table",
        "Information for the loader: security cookie, safe exception handlers, control flow guard.",
    ),
    FieldDoc::new("bound import", "The addresses of imported functions that were resolved when the image was built."),
    FieldDoc::new("import address table", "The table in which the loader stores the addresses of imported functions."),
    FieldDoc::new("delay import descriptor", "The imports that are resolved when they are first called."),
    FieldDoc::new(
        "clr runtime header",
        "The CLI header, which makes the image a managed one and leads to its metadata and IL.",
    ),
    FieldDoc::new("reserved directory", "Reserved; must be 0."),
];

fields! {
    /// A data directory past the ones that are defined.
    DATA_DIRECTORY: "data directory";
    /// The file offset of the first byte.
    FILE_OFFSET: "file offset" as Offset;
    /// The RVA of the first byte; 0 if the image does not have this directory.
    RVA: "rva" as Rva;
    /// The size in bytes.
    SIZE: "size" as Hex;
}

/// A data directory: address and size of a table that the loader or the runtime reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Its number: its position among the data directories.
    pub index: u8,
    /// The RVA of the first byte; for the certificate table its file offset.
    pub rva: u32,
    /// Size in bytes.
    pub size: u32,
    /// The bytes of the directory's entry.
    pub span: Span,
    /// The bytes that it leads to, where all of them are in the file.
    pub data: Option<Span>,
}

/// Bytes of a certificate before the signature.
const CERTIFICATE_HEAD: u64 = 8;

fields! {
    /// A signature of the image (WIN_CERTIFICATE).
    CERTIFICATE: "certificate";
    /// The size in bytes, this head included.
    CERTIFICATE_SIZE: "size";
    /// The version of the structure.
    REVISION: "revision" as Hex;
    /// The kind of the signature.
    CERTIFICATE_TYPE: "type" as OneOf(&[(1, "X.509"), (2, "PKCS #7 (Authenticode)")]);
    /// The signed data: a hash of the image without this table, and the certificates of the signer.
    SIGNATURE: "signature";
    /// Zeros up to the next multiple of 8.
    PADDING: "padding";
}

impl Directory {
    pub(super) const SIZE: u64 = 8;
    /// The number of the export table.
    pub const EXPORTS: u8 = pe::IMAGE_DIRECTORY_ENTRY_EXPORT as u8;
    /// The number of the import table.
    pub const IMPORTS: u8 = pe::IMAGE_DIRECTORY_ENTRY_IMPORT as u8;
    /// The number of the resource table.
    pub const RESOURCES: u8 = pe::IMAGE_DIRECTORY_ENTRY_RESOURCE as u8;
    /// The number of the exception table.
    pub const EXCEPTIONS: u8 = pe::IMAGE_DIRECTORY_ENTRY_EXCEPTION as u8;
    /// The number of the delay import table.
    pub const DELAY_IMPORTS: u8 = pe::IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT as u8;
    /// The number of the certificate table, the one directory that is a range of the file.
    pub const CERTIFICATES: u8 = pe::IMAGE_DIRECTORY_ENTRY_SECURITY as u8;
    /// The number of the base relocation table.
    pub const RELOCATIONS: u8 = pe::IMAGE_DIRECTORY_ENTRY_BASERELOC as u8;
    /// The number of the debug directory.
    pub const DEBUG: u8 = pe::IMAGE_DIRECTORY_ENTRY_DEBUG as u8;
    /// The number of the CLR runtime header.
    pub const CLI: u8 = pe::IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR as u8;

    /// Name of the directory: `export table`.
    pub fn name(&self) -> &'static str {
        doc(self.index).name
    }

    /// Reads the content of the certificate table.
    pub fn certificates<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
        while c.left() >= CERTIFICATE_HEAD {
            c.group(&CERTIFICATE, |c| {
                let size = u64::from(c.u32(&CERTIFICATE_SIZE)?);
                c.u16(&REVISION)?;
                c.u16(&CERTIFICATE_TYPE)?;
                c.bytes(&SIGNATURE, size.saturating_sub(CERTIFICATE_HEAD))
            })?;
            // Each begins at a multiple of 8.
            let padding = c.consumed().next_multiple_of(CERTIFICATE_HEAD).saturating_sub(c.consumed());
            if padding > 0 {
                c.bytes(&PADDING, padding.min(c.left()))?;
            }
        }
        Ok(())
    }

    /// Returns whether the image has this directory.
    pub const fn is_present(&self) -> bool {
        self.rva != 0
    }

    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, index: u8) -> Result<Self> {
        let start = cursor.position();
        cursor.group(doc(index), |c| {
            let rva = c.u32(if index == Self::CERTIFICATES { &FILE_OFFSET } else { &RVA })?;
            let size = c.u32(&SIZE)?;
            Ok(Self { index, rva, size, span: c.since(start), data: None })
        })
    }
}

fn doc(index: u8) -> &'static FieldDoc {
    DIRECTORIES.get(index as usize).unwrap_or(&DATA_DIRECTORY)
}
