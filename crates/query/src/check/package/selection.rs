//! Assemblies of a package that need no symbols, and why.

use pdblens_formats::deps;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::reason::Reason;
use pdblens_nodes::table::attributes;
use pdblens_session::session::Session;
use pdblens_session::session::inputs::{Location, Package, Packages};

/// Folders whose assemblies a debugger meets.
const CODE_FOLDERS: &[&str] = &["lib", "runtimes", "tools", "analyzers"];
/// Limit on the bytes of a `.deps.json`.
const MAX_DEPS: u64 = 16 << 20;
/// Start of the package types of tools: `DotnetTool`, `DotnetToolRidPackage`.
const TOOL: &str = "dotnettool";

/// Reason to leave out an assembly that is not debugged: in a package, reference assemblies, satellites, files that no program
/// loads, and the dependencies of a tool; elsewhere reference assemblies. `packages` are those that are checked.
pub fn left_out(session: &Session, packages: &[Packages]) -> Option<Reason> {
    let image = session.image().filter(|image| image.metadata.is_some())?;
    let location = Location::of(&image.path);
    let has_symbols = session.symbol_file().is_some();
    if !has_symbols && is_reference(session) {
        return Some(Reason::new("reference-assembly", "a reference assembly, which has no code and no PDB"));
    }
    let (container, path) = location.innermost()?;
    let package = packages.iter().flat_map(Packages::each).find(|package| package.path == container)?;
    let name = path.to_ascii_lowercase();
    let folder = name.split('/').next().unwrap_or_default();
    match folder {
        "ref" => {
            Some(Reason::new("reference-assembly", "a reference assembly (ref/), which is used only at compile time"))
        }
        _ if name.ends_with(".resources.dll") => {
            Some(Reason::new("satellite", "a satellite assembly, which has only resources"))
        }
        "runtimes" if name.split('/').nth(2) == Some("native") => {
            Some(Reason::new("native-code", "native code (runtimes/*/native)"))
        }
        _ if is_tool(package) => dependency(&location),
        _ if !has_symbols && !CODE_FOLDERS.contains(&folder) => {
            Some(Reason::new("not-loaded", "not in lib, runtimes, tools or analyzers: no program loads it"))
        }
        _ => None,
    }
}

pub(super) fn is_code(path: &str) -> bool {
    let folder = path.split('/').next().unwrap_or_default();
    CODE_FOLDERS.iter().any(|known| folder.eq_ignore_ascii_case(known))
}

/// Returns whether an assembly has [`ReferenceAssemblyAttribute`](https://learn.microsoft.com/dotnet/standard/assembly/reference-assemblies).
pub(super) fn is_reference(session: &Session) -> bool {
    let assembly = Token::new(TableId::ASSEMBLY, 1);
    attributes::of(session, assembly).any(|(_, attribute)| attribute == "ReferenceAssemblyAttribute")
}

fn is_tool(package: &Package) -> bool {
    let types = package.nuspec.as_ref().map(|nuspec| nuspec.types.as_slice()).unwrap_or_default();
    types.iter().any(|kind| kind.to_ascii_lowercase().starts_with(TOOL))
}

/// Reason why an assembly of a tool is not checked: a `.deps.json` beside it says that it is of no project.
fn dependency(location: &Location) -> Option<Reason> {
    let beside = location.neighbours();
    let mut deps = beside.iter().filter(|file| file.file_name().to_ascii_lowercase().ends_with(".deps.json"));
    let file = deps.next()?;
    let projects = deps::projects(&file.read(MAX_DEPS).ok()?)?;
    let is_project = projects.contains(&location.file_name().to_lowercase());
    let text = format!("a dependency of the tool: no project of {} has it", file.file_name());
    (!is_project).then(|| Reason::new("dependency", text))
}
