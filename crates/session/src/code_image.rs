//! Images whose machine code is taken for that of the open one: the composite image beside a component, or one that was named.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::precompiled::{self, Cached};
use crate::recorded;
use crate::session::inputs::Location;
use crate::session::read_file::MAX_WHOLE;
use crate::session::{Image, Session, image_of};
use pdblens_formats::bytes::{Region, SpaceId};
use pdblens_formats::metadata::TableId;
use pdblens_formats::native_map::NativeMap;
use pdblens_formats::r2r::ReadyToRun;
use pdblens_formats::reason::Reason;

/// Space of the bytes of such an image: no session has it.
pub(crate) const NOT_OPEN: SpaceId = SpaceId(u32::MAX);

/// Column of Assembly with the name.
const NAME: usize = 7;

/// An image with the machine code of the open assembly.
#[derive(Debug)]
pub(crate) struct CodeImage {
    pub(crate) image: Image,
    /// Header, with the sections of the open assembly.
    pub(crate) r2r: ReadyToRun,
    /// Row of the open assembly in the manifest of a composite image; 0 for other images.
    pub(crate) module: u32,
    pub(crate) cached: Cached,
}

#[derive(Debug, Default)]
struct Attached(OnceLock<Option<Result<CodeImage, Reason>>>);

/// The image with the code: the attached one, or for a component the composite image beside it, or the reason why that has none. `None`
/// if no image was attached and the open one is not a component.
pub(crate) fn of(session: &Session) -> Option<&Result<CodeImage, Reason>> {
    session.cache().get::<Attached>().0.get_or_init(|| beside(session)).as_ref()
}

/// Reason why a component has no machine code: its composite image is not beside it, or is of another build.
pub fn missing(session: &Session) -> Option<&Reason> {
    of(session)?.as_ref().err()
}

fn beside(session: &Session) -> Option<Result<CodeImage, Reason>> {
    let image = session.image()?;
    let r2r = precompiled::header(session)?.as_ref().ok()?;
    if !r2r.is_component() {
        return None;
    }
    let owner = r2r.owner(&image.pe).unwrap_or_default();
    let not_there = || {
        Reason::new("no-composite", format!("the machine code of {} is in {owner}, which is not beside it", image.name))
    };
    // The name comes from a file: it is one of the same folder.
    if owner.is_empty() || owner.contains(['/', '\\', ':', '\0']) {
        return Some(Err(not_there()));
    }
    let path = Location::of(&image.path).beside(&owner).path();
    let bytes = Location::of(&path).read(MAX_WHOLE).map_err(|_| not_there());
    Some(bytes.and_then(|bytes| CodeImage::of(session, &path, bytes)))
}

/// Gives a session the machine code of a file: a recording of a runtime (`.nettrace`), or an image.
///
/// # Errors
///
/// Reason why the file has none for the open assembly.
pub fn attach(session: &Session, path: &Path) -> Result<(), Reason> {
    let bytes = Location::of(path).read(MAX_WHOLE).map_err(|error| Reason::new("unreadable", error.to_string()))?;
    if let Some(map) = NativeMap::read(&bytes) {
        return recorded::attach(session, map).map(drop);
    }
    if !bytes.starts_with(b"MZ") {
        // A dump of the JIT, and text of a map for perf or of `.ni.r2rmap`.
        let is_dump = bytes.starts_with(b"DTiJ");
        let has_names = is_dump || path.extension().is_some_and(|kind| kind == "map" || kind == "r2rmap");
        let text = if has_names {
            "has addresses and names of methods, but no IL offsets: attach with dotnet-trace collect -p PID, \
             which records an event trace of .NET (.nettrace)"
        } else {
            "no event trace of .NET (.nettrace), and no image"
        };
        return Err(Reason::new("no-map", text));
    }
    let code = CodeImage::of(session, path, bytes)?;
    let attached = session.cache().get::<Attached>().0.set(Some(Ok(code)));
    attached.map_err(|_| Reason::new("attached", "the session has a map already"))
}

/// Gives a session what machine code is at hand: that of a map, if it is of this build, else of the recording beside the image that has
/// its name (`App.nettrace`). The composite image of a component is read now, not when its code is first drawn.
pub fn attach_known(session: &Session, map: Option<&Path>) {
    if let Some(image) = session.image()
        && !recorded::is_attached(session)
    {
        let location = Location::of(&image.path);
        let beside = location.beside(&format!("{}.nettrace", location.stem()));
        if map.is_none_or(|map| attach(session, map).is_err()) && beside.is_file() {
            // A recording of another build is not of these files.
            let _ = attach(session, &beside.path());
        }
    }
    of(session);
}

impl CodeImage {
    fn of(session: &Session, path: &Path, bytes: Vec<u8>) -> Result<Self, Reason> {
        let name = Location::of(path).file_name();
        let unreadable = |error: &dyn std::fmt::Display| Reason::new("unreadable", format!("{name}: {error}"));
        let region = Region::whole(NOT_OPEN, Arc::new(bytes));
        let image = image_of(path.to_owned(), name.clone(), region).map_err(|error| unreadable(&error))?;
        let r2r = match ReadyToRun::of(&image.pe) {
            Some(Ok(r2r)) => r2r,
            Some(Err(error)) => return Err(unreadable(&error)),
            None => return Err(Reason::new("no-code", format!("{name} has no precompiled code"))),
        };
        let (mvid, cached) = (session.image().and_then(Image::mvid), Cached::default());
        let other_build = |assembly: &str| {
            Reason::new("other-build", format!("{name} has the code of another build of {assembly}: the MVID differs"))
        };
        let assembly = assembly_name(session);
        if !r2r.is_composite() {
            return if image.mvid() == mvid {
                Ok(Self { image, r2r, module: 0, cached })
            } else {
                Err(other_build(&assembly))
            };
        }
        let components = r2r.components(&image.pe);
        let Some((row, found)) = (1..).zip(components).find(|(_, found)| found.name.eq_ignore_ascii_case(&assembly))
        else {
            return Err(Reason::new("no-code", format!("{name} has no code of {assembly}")));
        };
        if found.mvid.is_some() && found.mvid != mvid {
            return Err(other_build(&assembly));
        }
        Ok(Self { image, r2r: found.r2r, module: row, cached })
    }
}

/// Name of the open assembly.
fn assembly_name(session: &Session) -> String {
    let name = session.metadata().and_then(|metadata| metadata.string_cell(TableId::ASSEMBLY, 1, NAME).ok());
    name.map_or_else(String::new, |name| String::from_utf8_lossy(name.data).into_owned())
}
