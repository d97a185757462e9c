//! Reasons why a method has no lines or no IL, with a place to look at instead.

use std::ops::ControlFlow;

use crate::statement::Statements;
use crate::where_is::{Hop, hop, state_machine};
use pdblens_formats::bytes::Error;
use pdblens_formats::metadata::schema::MEMBER_FORWARDED;
use pdblens_nodes::code_unit;
use pdblens_nodes::method::{self, MethodView};
use pdblens_nodes::table::attributes;
use pdblens_nodes::{CodeUnit, MethodPart, Place, Side, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Format, SymbolReader};
use pdblens_session::text::safe::utf8;

/// Reason why there is nothing to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingLines {
    /// One or two sentences.
    pub why: String,
    /// Text of the link, and the place that has the lines instead.
    pub instead: Option<(String, Place)>,
    /// The statement that all of the method is, derived from its IL and proved.
    pub statement: Option<String>,
}

impl MissingLines {
    fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), instead: None, statement: None }
    }

    fn broken(session: &Session, sentence: &str, error: &Error) -> Self {
        let why = format!("{sentence}: {}", session.spaces().error_text(error));
        Self::new(why).see("the bytes that are wrong", Place::Bytes(error.span))
    }

    fn see(self, what: impl Into<String>, place: Place) -> Self {
        Self { instead: Some((what.into(), place)), ..self }
    }
}

/// Bits of a method's flags, of how it is implemented, and of a type's flags (ECMA-335 II.23.1).
const ABSTRACT: u32 = 0x400;
const SPECIAL_NAME: u32 = 0x800;
const PINVOKE: u32 = 0x2000;
const RUNTIME: u32 = 3;
const NATIVE: u32 = 1;
const INTERNAL_CALL: u32 = 0x1000;
const INTERFACE: u32 = 0x20;

/// Prefixes of accessor names, each with its use.
const ACCESSORS: &[(&str, &str)] =
    &[("get_", "property"), ("set_", "property"), ("add_", "event"), ("remove_", "event"), ("raise_", "event")];

/// Returns the reason why no method can have lines; `None` where some may.
pub fn no_symbols_reason(session: &Session) -> Option<MissingLines> {
    let Some(symbols) = session.symbols() else {
        let reason = session.match_reasons().first().map_or(String::new(), |reason| format!(": {reason}"));
        return Some(MissingLines::new(format!("No symbols are open{reason}. Lines and documents are in the PDB.")));
    };
    match symbols.format() {
        format @ (Format::SmallMsf | Format::Msfz) => {
            Some(MissingLines::new(format!("These symbols are a {format}.")).see("its header", Place::Header))
        }
        _ => None,
    }
}

/// Returns the reason why a method has no sequence points, and so no source.
pub fn no_lines_reason(session: &Session, view: &MethodView) -> MissingLines {
    let CodeUnit::Method(method) = view.of else {
        return match view.errors.first() {
            Some(error) => MissingLines::broken(session, "Its lines cannot be decoded", error),
            None => MissingLines::new("The compiler wrote no lines for it."),
        };
    };
    if let Some(absence) = no_symbols_reason(session) {
        let statement = Statements::new(session).and_then(|statements| statements.of_unpointed(method));
        return MissingLines { statement: statement.map(|statement| statement.text), ..absence };
    }
    let read = session.symbols().map(|symbols| symbols.points(method, &mut |_| ControlFlow::Break(())));
    if let Some(Err(error)) = read
        && has_method(session, method)
    {
        return MissingLines::broken(session, "Its sequence points cannot be decoded", &error);
    }
    if let Some(body) = state_machine::move_next(session, method) {
        let why = format!(
            "{} has no lines of its own: it only starts a state machine. Compiled into",
            short_name(session, method)
        );
        return MissingLines::new(why).see(session.method_name(body), points_of(body));
    }
    if view.body.is_none()
        && let Some(absence) = no_body_reason(session, method)
    {
        return absence;
    }
    let generated = generated_reason(session, method);
    if let Some(absence) = generated.clone().filter(|absence| absence.instead.is_some()) {
        return absence;
    }
    if let Some(owner) = imports_owner(session, method) {
        let before = generated.map_or("The compiler wrote no lines for it.".to_owned(), |absence| absence.why);
        let why = format!("{before} The PDB only says that its imports are those of");
        return MissingLines::new(why).see(session.method_name(owner), points_of(owner));
    }
    generated.unwrap_or_else(|| not_in_symbols_reason(session, method))
}

/// Returns the reason why no method can have IL; `None` where some may.
pub fn no_image_reason(session: &Session) -> Option<MissingLines> {
    if !code_unit::words(session).is_compiled_later {
        return None;
    }
    let Some(image) = session.image() else {
        let reason = session.match_reasons().first().map_or(String::new(), |reason| format!(": {reason}"));
        let why = format!("No image is open{reason}. IL is in the DLL or EXE.");
        return Some(MissingLines::new(why));
    };
    let why = "The image is of native code, which has no IL.";
    image.metadata.is_none().then(|| MissingLines::new(why))
}

pub fn no_il_reason(session: &Session, view: &MethodView) -> MissingLines {
    let CodeUnit::Method(method) = view.of else {
        return MissingLines::new("No function of native code is there.");
    };
    if let Some(absence) = no_image_reason(session) {
        return absence;
    }
    if let Err(error) = method::body(session, method) {
        return MissingLines::broken(session, "Its body cannot be decoded", &error);
    }
    if view.body.as_ref().is_some_and(|body| body.code_size == 0) {
        return MissingLines::new("Its body has no bytes of IL.");
    }
    if let Some((_, file)) = session.generation_of(method) {
        let hops: Vec<String> = hop::to_record(session, view.of).iter().map(Hop::text).collect();
        return MissingLines::new(format!(
            "{file}, a hot-reload delta, has its sequence points: {}. The IL is in the IL file of that delta, and not in the image.",
            hops.join("; ")
        ));
    }
    let methods = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    if method.row() > methods {
        return MissingLines::new(format!(
            "The image has {methods} methods, but this would be number {}.",
            method.row()
        ));
    }
    no_body_reason(session, method).unwrap_or_else(|| MissingLines::new("Its instructions cannot be decoded."))
}

/// Returns the reason why a method has no body; `None` where it should have one.
fn no_body_reason(session: &Session, method: Token) -> Option<MissingLines> {
    let metadata = session.metadata()?;
    let table = metadata.table(TableId::METHOD_DEF);
    let [rva, how, flags] = [0, 1, 2].map(|column| table.cell(method.row(), column).ok());
    let (rva, how, flags) = (rva?, how?, flags?);
    if rva != 0 && how & RUNTIME == 0 {
        return None;
    }
    let names = session.names()?;
    let owner = names.owner(method.row());
    let of_interface = metadata.table(TableId::TYPE_DEF).cell(owner, 0).is_ok_and(|flags| flags & INTERFACE != 0);
    let row = Place::Row(Side::Image, TableId::METHOD_DEF, method.row());
    let why = if flags & ABSTRACT != 0 && of_interface {
        "It is an interface member: its code is in the types that implement it.".to_owned()
    } else if flags & ABSTRACT != 0 {
        "It is abstract: its code is in the methods that override it.".to_owned()
    } else if flags & PINVOKE != 0 {
        let native = native_name(session, method).map_or(String::new(), |name| format!(": {name}"));
        format!("It is extern, a function of a native library{native}. Its code is there.")
    } else if how & RUNTIME == RUNTIME {
        "The runtime provides its code, as it does for the members of delegates.".to_owned()
    } else if how & INTERNAL_CALL != 0 {
        "It is extern, a function of the runtime itself (internalcall).".to_owned()
    } else if how & RUNTIME == NATIVE {
        "Its code is native, not IL.".to_owned()
    } else {
        "It has no body: its RVA is 0, as in a reference assembly.".to_owned()
    };
    Some(MissingLines::new(why).see("its row in MethodDef", row))
}

/// `puts in libc`, for a method that stands for that.
fn native_name(session: &Session, method: Token) -> Option<String> {
    let metadata = session.metadata()?;
    let table = metadata.table(TableId::IMPL_MAP);
    let member = MEMBER_FORWARDED.encode(TableId::METHOD_DEF, method.row())?;
    let row = table.equal_range(1, member).next()?;
    let name = metadata.string_cell(TableId::IMPL_MAP, row, 2).ok()?;
    let module = table.cell(row, 3).ok()?;
    let module = metadata.string_cell(TableId::MODULE_REF, module, 0).ok()?;
    Some(format!("{} in {}", utf8(name.data), utf8(module.data)))
}

/// Returns why a method without source exists, if its compiler generated it.
fn generated_reason(session: &Session, method: Token) -> Option<MissingLines> {
    let (names, metadata) = (session.names()?, session.metadata()?);
    let owner = names.owner(method.row());
    let is_body = |token: &Token| state_machine::kickoff(session, *token).is_some();
    let body = methods_called(session, owner, "MoveNext").find(is_body);
    if let Some(body) = body.filter(|body| *body != method) {
        let kickoff = state_machine::kickoff(session, body)
            .map_or(String::new(), |kickoff| format!(" of {}", short_name(session, kickoff)));
        let why = format!("The compiler generated it as part of the state machine{kickoff}. Your code is in");
        return Some(MissingLines::new(why).see(session.method_name(body), points_of(body)));
    }
    // An entry point of the compiler's own waits for `Main`.
    if names.method_name(method) == "<Main>"
        && let Some(main) = methods_called(session, owner, "Main").next()
    {
        let why = "The compiler generated it: the program starts here and calls";
        return Some(MissingLines::new(why).see(session.method_name(main), points_of(main)));
    }
    let is_made = |token: Token| attributes::of(session, token).any(|(_, name)| name == "CompilerGeneratedAttribute");
    let types = std::iter::successors(Some(owner).filter(|row| *row > 0), |row| {
        Some(names.enclosing(*row)).filter(|around| *around > 0)
    });
    let made = types.take(64).map(|row| Token::new(TableId::TYPE_DEF, row)).find(|token| is_made(*token));
    let name = names.method_name(method);
    let flags = metadata.table(TableId::METHOD_DEF).cell(method.row(), 2).unwrap_or(0);
    let last = name.rsplit('.').next().unwrap_or(&name);
    let accessor = ACCESSORS.iter().find(|(prefix, _)| flags & SPECIAL_NAME != 0 && last.starts_with(prefix));
    let why = match (accessor, made) {
        (_, Some(owner)) => {
            format!("The compiler generated it, like all of {}: it has no source line.", names.type_name(owner))
        }
        (Some((prefix, what)), None) if is_made(method) => {
            let of = last.strip_prefix(prefix).unwrap_or(last);
            format!("It is an accessor of the {what} {of} that the compiler generated: it has no source line.")
        }
        // Names that no language lets one write.
        _ if is_made(method) || name.starts_with('<') => "The compiler generated it: it has no source line.".to_owned(),
        _ => return None,
    };
    Some(MissingLines::new(why))
}

fn methods_called(session: &Session, owner: u32, name: &str) -> impl Iterator<Item = Token> {
    let metadata = if owner > 0 { session.metadata() } else { None };
    let methods = metadata.into_iter().flat_map(move |metadata| state_machine::methods_of(metadata, owner));
    methods.filter(move |token| session.names().is_some_and(|names| names.method_name(*token) == name))
}

/// The method that a record of a Windows PDB says has the imports of `method` too.
fn imports_owner(session: &Session, method: Token) -> Option<Token> {
    let pdb = session.windows_pdb()?;
    let found = pdb.method(session.spaces(), method.0).ok()?;
    pdb.imports(session.spaces(), &found)
        .forwards
        .last()
        .map(|owner| Token(owner.value))
        .filter(|owner| *owner != method)
}

fn not_in_symbols_reason(session: &Session, method: Token) -> MissingLines {
    let format = session.symbols().map(SymbolReader::format);
    let wrote_none = "The compiler wrote no sequence points for it";
    match format {
        Some(Format::Portable) if has_method(session, method) => {
            let row = Place::Row(Side::Pdb, TableId::METHOD_DEBUG_INFORMATION, method.row());
            MissingLines::new(format!("{wrote_none}: its row in the PDB is empty.")).see("that row", row)
        }
        Some(Format::Portable) => {
            let rows = session.symbols().map_or(0, SymbolReader::methods);
            MissingLines::new(format!(
                "The PDB has {rows} methods, but this is number {}: it has no data about it.",
                method.row()
            ))
        }
        Some(format) => MissingLines::new(format!("{wrote_none}: the {format} has no lines for it.")),
        None => MissingLines::new(wrote_none),
    }
}

fn has_method(session: &Session, method: Token) -> bool {
    session.symbols().is_some_and(|symbols| (1..=symbols.methods()).contains(&method.row()))
}

/// A method's name and parameters, without its type.
fn short_name(session: &Session, method: Token) -> String {
    session.names().map_or_else(|| method.to_string(), |names| names.method_short(method))
}

const fn points_of(method: Token) -> Place {
    Place::MethodPart(method, MethodPart::Points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes as nodes;

    fn open(name: &str) -> Session {
        let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples");
        Session::open(&[samples.join(name)]).unwrap()
    }

    fn why(session: &Session, name: &str) -> MissingLines {
        let place = nodes::resolve(session, &format!("method/{name}")).unwrap();
        let view = MethodView::of(session, place.method().unwrap());
        assert!(view.points.is_empty(), "{name} has points");
        no_lines_reason(session, &view)
    }

    #[track_caller]
    fn says(session: &Session, name: &str, part: &str, instead: Option<&str>) {
        let absence = why(session, name);
        assert!(absence.why.contains(part), "{name}: {}", absence.why);
        assert_eq!(absence.instead.map(|(what, _)| what).as_deref(), instead, "{name}");
    }

    #[test]
    fn every_method_without_lines_has_a_reason_that_is_its_own() {
        let faults = open("faults/Faults.dll");
        let body = "Faults.Warehouse<T>.<RestockAsync>d__2.MoveNext()";
        says(&faults, "RestockAsync", "only starts a state machine", Some(body));
        says(&faults, "0x0600001f", "part of the state machine of RestockAsync(int)", Some(body));
        says(&faults, "0x06000004", "the program starts here", Some("Faults.Program.Main(string[])"));
        says(&faults, "0x0600000c", "like all of Faults.Program.<>c", None);
        let workshop = open("workshop/Workshop.dll");
        says(&workshop, "0x06000014", "an interface member", Some("its row in MethodDef"));
        says(&workshop, "0x06000005", "an accessor of the property EqualityContract", None);
        says(&workshop, "0x0600000a", "The compiler generated it", None);
        let ledger = open("ledger-windows/Ledger.dll");
        says(&ledger, "Statement", "only starts", Some("Books.Ledger.VB$StateMachine_4_Statement.MoveNext()"));
    }

    #[test]
    fn a_record_that_only_forwards_says_where_to() {
        // Compilers give such methods lines as well, so that these are passed over here.
        let windows = open("workshop-windows/Workshop.dll");
        let methods = (1..=windows.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
        let told: Vec<MissingLines> =
            methods.map(|method| no_lines_reason(&windows, &MethodView::of(&windows, method))).collect();
        let forwards = told.iter().filter(|absence| absence.why.ends_with("its imports are those of"));
        let names: Vec<&str> = forwards.filter_map(|absence| Some(absence.instead.as_ref()?.0.as_str())).collect();
        assert!(names.len() > 2 && names.iter().all(|name| name.starts_with("Workshop.")), "{names:?}");
    }

    #[test]
    fn files_that_are_missing_or_of_another_kind_are_said() {
        let native = open("native/tally.exe");
        assert!(no_symbols_reason(&native).is_none() && no_image_reason(&native).is_none());
        let bytes = |name: &str| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(name);
            vec![(name.into(), std::fs::read(path).unwrap())]
        };
        let alone = Session::from_bytes(bytes("workshop/Workshop.dll")).unwrap();
        let method = MethodView::of(&alone, Token::new(TableId::METHOD_DEF, 1));
        assert!(
            no_lines_reason(&alone, &method).why.starts_with("No symbols are open: no PDB for this image was found")
        );
        let alone = Session::from_bytes(bytes("workshop/Workshop.pdb")).unwrap();
        let method = MethodView::of(&alone, Token::new(TableId::METHOD_DEF, 1));
        assert!(no_il_reason(&alone, &method).why.starts_with("No image is open: no image that names this PDB"));
    }
}
