//! Machine code of the open image that a runtime recorded: bodies that the JIT made, from a map beside the files.

use std::sync::OnceLock;

use crate::session::{Session, codeview_ids};
use crate::symbols::SymbolReader;
use crate::text::safe::count;
use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::native_map::{MapMethod, NativeMap};
use pdblens_formats::reason::Reason;

#[derive(Debug, Default)]
struct Attached(OnceLock<NativeMap>);

/// Gives a session the bodies that a map has of its image, and returns their number.
///
/// # Errors
///
/// Reason why the map has none: it is of other builds, or another map was attached before.
pub fn attach(session: &Session, map: NativeMap) -> Result<usize, Reason> {
    let own = own_modules(session, &map)?;
    let mut methods = map.methods;
    methods
        .retain(|method| own.contains(&(method.process, method.module)) && method.token.table() == TableId::METHOD_DEF);
    methods.sort_by_key(|method| method.token);
    let number = methods.len();
    match session.cache().get::<Attached>().0.set(NativeMap { methods, ..map }) {
        Ok(()) => Ok(number),
        Err(_) => Err(Reason::new("attached", "the session has a map already")),
    }
}

/// Ids of the PDB of a session, as symbols and image have them.
pub fn ids(session: &Session) -> Vec<Guid> {
    let symbols = session.symbols().and_then(SymbolReader::id).map(|id| id.guid);
    let image = session.image().into_iter().flat_map(|image| codeview_ids(&image.pe)).map(|id| id.guid);
    symbols.into_iter().chain(image).collect()
}

/// Processes and numbers that the image of a session has in a map.
///
/// # Errors
///
/// Reason why the map does not have it: it has no modules, or those of other builds.
pub fn own_modules(session: &Session, map: &NativeMap) -> Result<Vec<(Option<u64>, u64)>, Reason> {
    let ids = ids(session);
    let own = map.modules.iter().filter(|module| module.pdb.is_some_and(|(guid, _)| ids.contains(&guid)));
    let own: Vec<_> = own.map(|module| (module.process, module.id)).collect();
    if map.modules.is_empty() {
        let text = "the trace has no event of a loaded module: attach to the running process with dotnet-trace collect -p PID, \
                    and let dotnet-trace write the rundown when it stops";
        return Err(Reason::new("no-modules", text));
    }
    if own.is_empty() {
        let modules = count(map.modules.len() as u64, "module");
        return Err(Reason::new("other-build", format!("none of the {modules} of the trace has the id of this PDB")));
    }
    Ok(own)
}

fn all(session: &Session) -> &[MapMethod] {
    session.cache().get::<Attached>().0.get().map_or(&[], |map| &map.methods)
}

/// Format of the attached trace.
pub fn format(session: &Session) -> Option<u32> {
    session.cache().get::<Attached>().0.get().map(|map| map.format)
}

/// Recorded bodies with code at an address in memory: more than one where processes have it, or where code took the place of other code.
pub fn at(session: &Session, address: u64) -> impl Iterator<Item = &MapMethod> {
    let has_address =
        move |body: &&MapMethod| address.checked_sub(body.address).is_some_and(|into| into < body.size.into());
    all(session).iter().filter(has_address)
}

/// Recorded bodies of a method, in the order of the map.
pub fn bodies(session: &Session, method: Token) -> &[MapMethod] {
    let all = all(session);
    let from = all.partition_point(|body| body.token < method);
    let rest = all.get(from..).unwrap_or_default();
    rest.get(..rest.partition_point(|body| body.token == method)).unwrap_or_default()
}

/// True if the map has machine code, as that of a process does.
pub fn has_instructions(session: &Session) -> bool {
    all(session).iter().any(|body| !body.code.is_empty())
}

pub fn is_attached(session: &Session) -> bool {
    session.cache().get::<Attached>().0.get().is_some()
}
