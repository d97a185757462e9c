//! Quality of native code: how much of the code of each object file has lines.

use pdblens_formats::codeview::c13::{LINES, LinesHeader, Subsections, blocks};
use pdblens_formats::pdb::ModuleStream;
use pdblens_nodes::function::NativeView;
use pdblens_session::session::Session;

/// `IMAGE_SCN_CNT_CODE` of a contribution.
const CODE: u32 = 0x20;

/// Native code, and the lines of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "native_quality"))]
pub struct NativeQuality {
    /// Bytes of code of all object files.
    pub code: u64,
    /// Bytes of these that a visible line covers.
    pub code_with_lines: u64,
    /// Object files with code, those with the most bytes without lines first.
    pub object_files: Vec<ObjectFile>,
}

/// Code of an object file.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "object_file_quality"))]
pub struct ObjectFile {
    /// Its name, as the linker had it.
    pub name: String,
    /// Bytes of code.
    pub code: u64,
    /// Bytes of these that a visible line covers.
    pub code_with_lines: u64,
}

/// Counts of the native code of a session; `None` for managed code.
pub fn native_quality(session: &Session) -> Option<NativeQuality> {
    let view = NativeView::of(session)?.view;
    let contributions = &view.pdb.dbi.as_ref()?.contributions;
    let mut all = vec![ObjectFile::default(); view.pdb.modules().len()];
    for found in (0..contributions.len()).filter_map(|index| contributions.get(index)) {
        if found.characteristics & CODE != 0
            && let Some(object) = all.get_mut(usize::from(found.module))
        {
            object.code += u64::from(found.size);
        }
    }
    for (number, object) in (0..).zip(&mut all).filter(|(_, object)| object.code > 0) {
        if let Ok(Some(module)) = ModuleStream::read_once(view.pdb, view.spaces, number) {
            // Of functions that the linker folded, each has its lines and one has the code.
            object.code_with_lines = covered(&module).min(object.code);
        }
        object.name = view.module_name(number);
    }
    all.retain(|object| object.code > 0);
    all.sort_by_key(|object| std::cmp::Reverse(object.code - object.code_with_lines));
    let sum = |of: fn(&ObjectFile) -> u64| all.iter().map(of).sum();
    Some(NativeQuality {
        code: sum(|object| object.code),
        code_with_lines: sum(|object| object.code_with_lines),
        object_files: all,
    })
}

/// Bytes of code that the visible lines of a module cover, each up to the next line.
fn covered(module: &ModuleStream) -> u64 {
    let (region, mut sum, mut lines) = (module.c13(), 0, Vec::new());
    for subsection in Subsections::new(region.slice()).map_while(Result::ok).filter(|found| found.kind == LINES) {
        let Ok(header) = LinesHeader::decode(&mut subsection.content.cursor()) else { continue };
        lines.clear();
        for block in blocks(subsection.content).into_iter().flatten().map_while(Result::ok) {
            block.each(|line| lines.push((u64::from(line.offset), line.is_hidden())));
        }
        lines.sort_unstable();
        let end = u64::from(header.offset) + u64::from(header.size);
        let next = lines.iter().skip(1).map(|(offset, _)| *offset).chain([end]);
        let visible = lines.iter().zip(next).filter(|((_, is_hidden), _)| !is_hidden);
        sum += visible.map(|((offset, _), next)| next.min(end).max(*offset) - offset).sum::<u64>();
    }
    sum
}
