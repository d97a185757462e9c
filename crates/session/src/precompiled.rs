//! Precompiled code of a ReadyToRun image: from a method to its bodies of machine code, and from an address back.

use std::sync::OnceLock;

use crate::code_image;
use crate::recorded;
use crate::session::{Image, Session};
use pdblens_formats::bytes::Result;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::pe::{Exceptions, Pe};
use pdblens_formats::r2r::hashtable::{HashEntry, Hashtable};
use pdblens_formats::r2r::inlining::{InliningEntry, InliningTable};
use pdblens_formats::r2r::signature::{Fixup, FixupTarget};
use pdblens_formats::r2r::{Component, DebugInfo, Instance, ReadyToRun, section};
use pdblens_formats::reason::Reason;

/// Header of the open image.
#[derive(Debug, Default)]
struct CachedHeader(OnceLock<Option<Result<ReadyToRun>>>);

/// Values derived from the tables of an image.
#[derive(Debug, Default)]
pub(crate) struct Cached {
    index: OnceLock<CodeIndex>,
    components: OnceLock<Vec<Component>>,
    /// Addresses of unwind data and of tables, ascending.
    records: OnceLock<Vec<u32>>,
    /// Inlined methods, each with the section that it is in.
    inlining: OnceLock<Vec<(u32, InliningEntry)>>,
}

/// Methods by the runtime function that their code begins with, and instances by method.
#[derive(Debug, Default)]
struct CodeIndex {
    /// First runtime function and owner, ascending.
    starts: Vec<(u32, BodyOwner)>,
    /// Entries of the table of instances.
    instances: Vec<HashEntry>,
    /// MethodDef of each instance of this image, with its number in `instances`, ascending.
    by_method: Vec<(Token, u32)>,
    /// Methods with an entry point of their own; in a composite image, of all assemblies.
    methods: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BodyOwner {
    Method(Token),
    /// A generic method, or a method of a generic type, by its number in the table of instances.
    Instance(u32),
    /// A method of another assembly of a composite image, by the row of AssemblyRef in the manifest.
    Component(u32, Token),
}

/// A body of machine code: one method, with its funclets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeBody {
    pub owner: BodyOwner,
    /// Runtime functions: the method, then its funclets.
    pub fragments: Vec<Fragment>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub function: u32,
    /// Native offset of its first byte, counted from that of the method.
    pub native: u32,
    /// Address of its first byte.
    pub rva: u32,
    pub size: u32,
}

impl NativeBody {
    /// Index of the runtime function that it begins with, by which the debug information knows it.
    pub fn function(&self) -> u32 {
        self.fragments.first().map_or(0, |first| first.function)
    }

    pub fn rva(&self) -> u32 {
        self.fragments.first().map_or(0, |first| first.rva)
    }

    /// Size in bytes, funclets included.
    pub fn size(&self) -> u32 {
        self.fragments.last().map_or(0, |last| last.native.saturating_add(last.size))
    }

    pub fn rva_of(&self, native: u32) -> Option<u32> {
        let inside =
            |fragment: &&Fragment| native.checked_sub(fragment.native).is_some_and(|into| into < fragment.size);
        // The offset after the last byte belongs to the last fragment.
        let fragment = self.fragments.iter().find(inside).or_else(|| self.fragments.last())?;
        let into = native.checked_sub(fragment.native)?;
        if into > fragment.size { None } else { fragment.rva.checked_add(into) }
    }

    pub fn native_of(&self, rva: u32) -> Option<u32> {
        self.fragments.iter().find_map(|fragment| {
            let into = rva.checked_sub(fragment.rva)?;
            if into < fragment.size { fragment.native.checked_add(into) } else { None }
        })
    }
}

/// Precompiled code of the open assembly, or the tables of the open image.
#[derive(Clone, Copy)]
pub struct Precompiled<'s> {
    /// The image with the code.
    pub image: &'s Image,
    pub r2r: &'s ReadyToRun,
    /// Rows of MethodDef of the open assembly.
    rows: u32,
    /// Number by which a composite image knows the open assembly: its row of AssemblyRef in the manifest. 0 for other images.
    module: u32,
    functions: Option<Exceptions<'s>>,
    cached: &'s Cached,
}

impl<'s> Precompiled<'s> {
    /// The code of the open assembly: that of an image that was attached, of the composite image beside it, or of its own image. `None`
    /// if the image has no precompiled code, or its composite image is not found.
    pub fn of(session: &'s Session) -> Option<Self> {
        match code_image::of(session) {
            Some(Ok(code)) => Some(Self::new(session, &code.image, &code.r2r, code.module, &code.cached)),
            Some(Err(_)) => None,
            None => Self::tables(session),
        }
    }

    /// The tables of the open image; `None` where it is no ReadyToRun image, or its header cannot be read.
    pub fn tables(session: &'s Session) -> Option<Self> {
        let r2r = header(session)?.as_ref().ok()?;
        Some(Self::new(session, session.image()?, r2r, 0, session.cache().get()))
    }

    fn new(session: &Session, image: &'s Image, r2r: &'s ReadyToRun, module: u32, cached: &'s Cached) -> Self {
        let rows = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
        Self { image, r2r, rows, module, functions: r2r.functions(&image.pe), cached }
    }

    /// Returns true if the code is in a file that is not open: no place leads to its bytes.
    pub fn is_elsewhere(&self) -> bool {
        self.image.space == code_image::NOT_OPEN
    }

    /// Assemblies of a composite image.
    pub fn components(&self) -> &'s [Component] {
        self.cached.components.get_or_init(|| self.r2r.components(self.pe()))
    }

    /// Number of a module in signatures: 0 for the open assembly, whatever its number in a composite image.
    const fn relative(&self, module: u32) -> u32 {
        match module {
            _ if self.module == 0 => module,
            // All modules of a composite image have a number; whose tokens these are is not known.
            0 => u32::MAX,
            _ if module == self.module => 0,
            _ => module,
        }
    }

    /// A fixup with the numbers of modules that an image of its own has.
    #[must_use]
    pub fn relative_fixup(&self, mut fixup: Fixup) -> Fixup {
        if let FixupTarget::Method(method) = &mut fixup.target
            && method.module > 0
        {
            method.module = self.relative(method.module);
        }
        if !matches!(fixup.target, FixupTarget::Helper(_) | FixupTarget::Other) {
            fixup.module = self.relative(fixup.module);
        }
        fixup
    }

    const fn pe(&self) -> &'s Pe {
        &self.image.pe
    }

    fn index(&self) -> &'s CodeIndex {
        self.cached.index.get_or_init(|| CodeIndex::of(self))
    }

    /// Number of methods with an entry point of their own.
    pub fn methods(&self) -> u32 {
        self.index().methods
    }

    pub fn instances(&self) -> u32 {
        self.index().instances.len() as u32
    }

    pub fn functions(&self) -> u32 {
        self.functions.map_or(0, |functions| functions.len() as u32)
    }

    pub fn instance_table(&self) -> Option<Hashtable<'s>> {
        self.r2r.instance_table(self.pe())?.ok()
    }

    pub fn instance_entry(&self, number: u32) -> Option<HashEntry> {
        self.index().instances.get(number as usize).copied()
    }

    /// An instance, by its number in the table.
    pub fn instance(&self, number: u32) -> Option<Instance> {
        self.read_instance(&self.instance_table()?, self.instance_entry(number)?)
    }

    fn read_instance(&self, table: &Hashtable<'_>, entry: HashEntry) -> Option<Instance> {
        let mut instance = ReadyToRun::instance(table, entry).ok()?;
        instance.method.module = self.relative(instance.method.module);
        Some(instance)
    }

    /// MethodDef of the code of an owner; `None` if it belongs to another module.
    pub fn method_of(&self, owner: BodyOwner) -> Option<Token> {
        let method = match owner {
            BodyOwner::Method(token) => return Some(token),
            BodyOwner::Instance(number) => self.instance(number)?.method,
            BodyOwner::Component(..) => return None,
        };
        let is_own = method.module == 0 && method.token.table() == TableId::METHOD_DEF && !method.token.is_nil();
        if is_own { Some(method.token) } else { None }
    }

    /// Bodies of a method: its own, and those of its instances.
    pub fn bodies(&self, method: Token) -> Vec<NativeBody> {
        let own = self.r2r.entry_point(self.pe(), method.row()).ok().flatten();
        let own = own.map(|entry| (entry.function, BodyOwner::Method(method)));
        let by_method = &self.index().by_method;
        let from = by_method.partition_point(|(token, _)| *token < method);
        let instances = by_method.iter().skip(from).take_while(|(token, _)| *token == method);
        let instances = instances
            .filter_map(|(_, number)| Some((self.instance(*number)?.entry.function, BodyOwner::Instance(*number))));
        own.into_iter().chain(instances).filter_map(|(function, owner)| self.body(function, owner)).collect()
    }

    /// The body with the code at an address.
    pub fn body_at(&self, rva: u32) -> Option<NativeBody> {
        let function = self.function_at(rva)?;
        let (first, owner) = self.owner_of(function)?;
        self.body(first, owner).filter(|body| body.native_of(rva).is_some())
    }

    /// The body that a runtime function belongs to: its first function, and its owner.
    pub fn owner_of(&self, function: u32) -> Option<(u32, BodyOwner)> {
        let starts = &self.index().starts;
        starts.get(starts.partition_point(|(start, _)| *start <= function).checked_sub(1)?).copied()
    }

    /// Runtime functions that bodies begin with, ascending, and their owners.
    pub fn starts(&self) -> &'s [(u32, BodyOwner)] {
        &self.index().starts
    }

    /// Index of the runtime function with an address.
    pub fn function_at(&self, rva: u32) -> Option<u32> {
        let functions = self.functions?;
        let (mut low, mut high) = (0, functions.len());
        while low < high {
            let middle = u64::midpoint(low, high);
            if functions.get(middle).ok()?.begin <= rva {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        u32::try_from(low.checked_sub(1)?).ok()
    }

    pub fn function(&self, index: u32) -> Option<pdblens_formats::pe::exceptions::FunctionEntry> {
        self.r2r.function(self.pe(), &self.functions?, index.into()).ok()
    }

    /// Address after the GC information of the method that begins with a runtime function: that of the next record, which bounds it.
    /// Funclets have no GC information of their own.
    pub fn gc_info_end(&self, function: u32) -> Option<u32> {
        let (first, _) = self.owner_of(function)?;
        let unwind = if first == function { self.function(function)?.unwind_rva? } else { return None };
        let records = self.cached.records.get_or_init(|| self.records());
        records.get(records.partition_point(|rva| *rva <= unwind)).copied()
    }

    pub fn inlinings(&self) -> u32 {
        self.inlining_entries().len() as u32
    }

    pub fn inlining(&self, number: u32) -> Option<(InliningTable<'s>, InliningEntry)> {
        let (kind, entry) = *self.inlining_entries().get(number as usize)?;
        Some((self.r2r.inlining(self.pe(), kind)?.ok()?, entry))
    }

    fn inlining_entries(&self) -> &'s [(u32, InliningEntry)] {
        self.cached.inlining.get_or_init(|| {
            let kinds = [section::INLINING, section::INLINING_2, section::CROSS_MODULE_INLINING];
            let entries = |kind| Some((kind, self.r2r.inlining(self.pe(), kind)?.ok()?.entries()));
            let found = kinds.into_iter().filter_map(entries);
            found.flat_map(|(kind, entries)| entries.into_iter().map(move |entry| (kind, entry))).collect()
        })
    }

    fn records(&self) -> Vec<u32> {
        let functions = (0..self.functions()).filter_map(|index| self.functions?.get(index.into()).ok()?.unwind_rva);
        let mut all: Vec<u32> = functions.chain(self.r2r.sections.iter().map(|section| section.rva)).collect();
        for import in self.r2r.imports(self.pe()).unwrap_or_default() {
            all.extend([import.cells_rva, import.signatures_rva, import.auxiliary_rva]);
        }
        all.extend(self.r2r.clauses(self.pe()).map(|lookup| lookup.clauses_rva));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The body that begins with a runtime function.
    pub fn body(&self, first: u32, owner: BodyOwner) -> Option<NativeBody> {
        let starts = &self.index().starts;
        let next = starts.get(starts.partition_point(|(start, _)| *start <= first));
        let end = next.map_or(self.functions(), |(start, _)| *start);
        let mut native = 0_u32;
        let mut fragments = Vec::new();
        for function in first..end {
            let entry = self.function(function)?;
            let size = entry.size.unwrap_or(0);
            fragments.push(Fragment { function, native, rva: entry.begin, size });
            native = native.checked_add(size)?;
        }
        if fragments.is_empty() { None } else { Some(NativeBody { owner, fragments }) }
    }

    /// Debug information of a body; `None` where it has none, or it cannot be read.
    pub fn debug_info(&self, body: &NativeBody) -> Option<DebugInfo> {
        self.r2r.debug_info(self.pe(), body.function()).ok()?
    }
}

impl CodeIndex {
    fn of(code: &Precompiled<'_>) -> Self {
        let mut index = Self::default();
        if !code.r2r.is_composite() || code.module > 0 {
            index.add_methods(code, code.r2r, code.rows, BodyOwner::Method);
        }
        for (row, component) in (1..).zip(code.components()) {
            if row != code.module {
                index.add_methods(code, &component.r2r, u32::MAX, |token| BodyOwner::Component(row, token));
            }
        }
        if let Some(table) = code.instance_table() {
            index.instances = table.entries();
            for (number, entry) in (0..).zip(&index.instances) {
                let Some(instance) = code.read_instance(&table, *entry) else { continue };
                index.starts.push((instance.entry.function, BodyOwner::Instance(number)));
                let token = instance.method.token;
                if token.table() == TableId::METHOD_DEF && instance.method.module == 0 {
                    index.by_method.push((token, number));
                }
            }
        }
        index.starts.sort_unstable();
        index.by_method.sort_unstable();
        index
    }

    /// Adds the methods of an assembly that have an entry point, up to a row.
    fn add_methods(&mut self, code: &Precompiled<'_>, r2r: &ReadyToRun, rows: u32, owner: impl Fn(Token) -> BodyOwner) {
        let Some(Ok(array)) = r2r.entry_points(code.pe()) else { return };
        for row in 1..=array.len.min(rows) {
            if let Ok(Some(entry)) = r2r.entry_point(code.pe(), row) {
                self.starts.push((entry.function, owner(Token::new(TableId::METHOD_DEF, row))));
                self.methods = self.methods.saturating_add(1);
            }
        }
    }
}

/// Returns true if machine code of the open assembly is known: precompiled, or recorded.
pub fn has_code(session: &Session) -> bool {
    recorded::is_attached(session) || Precompiled::of(session).is_some()
}

/// Last version of the format of which images were compared with the runtime.
const LAST_COMPARED: u16 = 16;

/// Reason why machine code is read by the description of its format alone: no file of it was found, with which another reader could have
/// been compared. `None` for other code.
pub fn by_description(session: &Session) -> Option<Reason> {
    let r2r = Precompiled::of(session).map(|code| code.r2r).or_else(|| header(session)?.as_ref().ok());
    let what = match (recorded::format(session), r2r) {
        (Some(format @ 5..), _) => format!("event traces of format {format}"),
        (_, Some(r2r)) if r2r.is_composite() || r2r.is_component() => "composite images".to_owned(),
        (_, Some(r2r)) if r2r.header.major_version > LAST_COMPARED => format!("ReadyToRun {}", r2r.version()),
        _ => return None,
    };
    Some(Reason::new(
        "by-description",
        format!("{what}: read by the description of the format alone; no real file of it was compared"),
    ))
}

pub fn header(session: &Session) -> Option<&Result<ReadyToRun>> {
    let image = session.image()?;
    session.cache().get::<CachedHeader>().0.get_or_init(|| ReadyToRun::of(&image.pe)).as_ref()
}
