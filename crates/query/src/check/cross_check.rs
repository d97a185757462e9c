//! Windows PDBs, read a second time by the `pdb` crate and compared: modules, symbol records, functions, lines, types and ids.
//!
//! A difference is a finding with both values: one of the readers is wrong, or the file is ambiguous. What `pdb` cannot read is not a
//! fault of the file: the summary says how much was not compared, and why.

mod text;

use std::ops::ControlFlow;

use super::Question;
use super::report::Report;
use pdblens_formats::bytes::{Region, SpaceId, Spaces, Span};
use pdblens_formats::codeview::symbols::{Record, Records, Symbol, is_function};
use pdblens_formats::cross_check::{
    Content, CrossCheck, Function, Line, Module, TypeRecord, TypeStream, lines_can_be_read,
};
use pdblens_formats::pdb::dbi::Module as OwnModule;
use pdblens_formats::pdb::{ModuleStream, Pdb, TypeStream as OwnTypes, streams};
use pdblens_nodes::Place;
use pdblens_session::symbols::{Format, IdSuffix, SymbolId};
use pdblens_session::text::safe::visible;
use text::{counted, described, grouped, is_method, line_text, of, type_text};

/// Records that only fill up, which `pdb` leaves out: `S_ALIGN` and `S_SKIP`.
const FILLERS: [u16; 2] = [0x0402, 0x0007];

/// Reads the symbols with the `pdb` crate and compares.
pub(super) fn cross_check(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    let Some(file) = session.symbol_file() else { return };
    let (Some(pdb), Some(id)) = (file.content.windows(), file.reader().id()) else { return };
    let other = match CrossCheck::open(session.spaces(), file.space) {
        Ok(other) => other,
        Err(why) => return report.note(format!("not cross-checked: the `pdb` crate cannot read the file: {why}")),
    };
    compare(question, report, other, (pdb, id));
}

/// Compares what `other` reads with what our own reader makes of the symbols of the session.
fn compare(question: &Question<'_>, report: &mut Report, mut other: CrossCheck<'_>, (pdb, id): (&Pdb, SymbolId)) {
    let native =
        question.session.symbols().is_some_and(|symbols| matches!(symbols.format(), Format::Native | Format::Mixed));
    let mut comparison = Comparison { question, report, pdb, native, done: Counts::default() };
    comparison.id(&other, &id);
    comparison.modules(&mut other);
    for stream in [TypeStream::Types, TypeStream::Ids] {
        if !comparison.report.stopped {
            comparison.types(&mut other, stream);
        }
    }
    comparison.summary(other.is_over_budget());
}

/// Numbers of items compared.
#[derive(Debug, Default)]
struct Counts {
    modules: u64,
    functions: u64,
    lines: u64,
    types: u64,
    ids: u64,
    differences: u64,
    /// Modules and type streams not compared to their end.
    skipped: u64,
    reason: Option<String>,
}

struct Comparison<'c, 'q> {
    question: &'c Question<'q>,
    report: &'c mut Report,
    pdb: &'c Pdb,
    native: bool,
    done: Counts,
}

impl Comparison<'_, '_> {
    /// Adds a difference: `ours` and `theirs` are the two values.
    fn differs(&mut self, what: &str, ours: &str, theirs: &str, place: Place, span: Option<Span>) {
        self.done.differences += 1;
        let (ours, theirs) = (visible(ours), visible(theirs));
        self.report.finding(format!("{what}: {ours} here, {theirs} by the `pdb` crate"), place, span);
    }

    /// Counts something that cannot be compared to its end.
    fn skip(&mut self, why: String) {
        self.done.skipped += 1;
        self.done.reason.get_or_insert(why);
    }

    fn spaces(&self) -> &Spaces {
        self.question.session.spaces()
    }

    fn id(&mut self, other: &CrossCheck<'_>, id: &SymbolId) {
        if other.guid != id.guid {
            self.differs("GUID", &id.guid.to_string(), &other.guid.to_string(), Place::Streams, None);
        }
        if let IdSuffix::Age(age) = id.suffix
            && ![Some(other.age), other.debug_age].contains(&Some(age))
        {
            let theirs = other.debug_age.unwrap_or(other.age);
            self.differs("age", &age.to_string(), &theirs.to_string(), Place::Streams, None);
        }
    }

    fn modules(&mut self, other: &mut CrossCheck<'_>) {
        let total = self.pdb.modules().len() as u64;
        let mut count = 0;
        let read = other.modules(|mut module| {
            count = u64::from(module.number) + 1;
            if !(self.question.go_on)(count.min(total), total) {
                self.report.stopped = true;
                return ControlFlow::Break(());
            }
            match self.module(&mut module) {
                Ok(()) => ControlFlow::Continue(()),
                Err(OverBudget) => ControlFlow::Break(()),
            }
        });
        match read {
            Err(why) => self.skip(why),
            Ok(()) if count < total && (self.report.stopped || other.is_over_budget()) => {}
            Ok(()) if count != total => {
                let place = if self.native { Place::Modules } else { Place::Streams };
                self.differs("number of modules", &total.to_string(), &count.to_string(), place, None);
            }
            Ok(()) => {}
        }
    }

    fn place(&self, number: u32) -> Place {
        let stream = self.pdb.modules().get(number as usize).and_then(OwnModule::stream);
        match stream {
            Some(stream) if !self.native => Place::Stream(stream),
            None if !self.native => Place::Streams,
            _ => Place::Module(number),
        }
    }

    fn module(&mut self, module: &mut Module<'_, '_>) -> Result<(), OverBudget> {
        let number = module.number;
        let Some(own) = self.pdb.modules().get(number as usize).copied() else { return Ok(()) };
        self.done.modules += 1;
        let names = self.pdb.dbi.as_ref().and_then(|dbi| dbi.names_of(&own).ok());
        if let Some(names) = names {
            for (what, ours, theirs) in [("name", names.name, &module.name), ("file", names.object, &module.object)] {
                let ours = String::from_utf8_lossy(ours.data);
                if ours != *theirs {
                    self.differs(
                        &format!("{what} of module {number}"),
                        &ours,
                        theirs,
                        self.place(number),
                        Some(own.span),
                    );
                }
            }
        }
        let Some(stream) = own.stream() else { return Ok(()) };
        let content = match module.read(stream) {
            Ok(Some(content)) => content,
            Ok(None) => {
                self.differs(
                    &format!("stream of module {number}"),
                    &stream.to_string(),
                    "none",
                    self.place(number),
                    None,
                );
                return Ok(());
            }
            Err(why) => {
                self.skip(why);
                return if module.is_over_budget() { Err(OverBudget) } else { Ok(()) };
            }
        };
        match ModuleStream::read_once(self.pdb, self.spaces(), number) {
            Ok(Some(ours)) => {
                self.symbols(&ours, &content);
                self.lines(&ours, &content);
            }
            Ok(None) => {}
            Err(error) => self.skip(self.spaces().error_text(&error)),
        }
        Ok(())
    }

    /// Compares the symbol records of a module one by one, up to the first difference.
    fn symbols(&mut self, ours: &ModuleStream, content: &Content<'_>) {
        let symbols = ours.symbols();
        if symbols.is_empty() {
            return;
        }
        let mut own = Records::of_module(&symbols)
            .filter(|record| record.as_ref().map_or(true, |record| !FILLERS.contains(&record.kind)));
        let (mut functions, mut damaged) = (0, None);
        let mut difference: Option<Difference> = None;
        let spaces = self.spaces();
        let read = content.symbols(|theirs, decode| {
            let record = match own.next() {
                Some(Ok(record)) => record,
                Some(Err(error)) => {
                    damaged = Some(spaces.error_text(&error));
                    return ControlFlow::Break(());
                }
                None => {
                    difference = Some(Difference::new("symbol", "the end", &described(theirs), None));
                    return ControlFlow::Break(());
                }
            };
            if of(&record) != theirs {
                let ours = described(of(&record));
                difference = Some(Difference::new("symbol", &ours, &described(theirs), Some(record.span())));
                return ControlFlow::Break(());
            }
            if is_function(record.kind) {
                match decode() {
                    Ok(theirs) => difference = function_difference(&record, theirs.as_ref()),
                    Err(why) => damaged = Some(why),
                }
            }
            functions += u64::from(is_function(record.kind) || is_method(record.kind));
            if difference.is_some() || damaged.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if difference.is_none() && damaged.is_none() && read.is_ok() {
            difference = own
                .next()
                .and_then(Result::ok)
                .map(|record| Difference::new("symbol", &described(of(&record)), "the end", Some(record.span())));
        }
        self.done.functions += functions;
        if let Some(why) = damaged.or(read.err()) {
            self.skip(why);
        }
        if let Some(Difference { what, ours: own, theirs, span }) = difference {
            let what = format!("{what} of module {}", ours.number);
            self.differs(&what, &own, &theirs, self.place(ours.number), span);
        }
    }

    /// Compares the lines of a module that are not hidden, in the order of their addresses, up to the first difference.
    fn lines(&mut self, ours: &ModuleStream, content: &Content<'_>) {
        if ours.module.c13_size == 0 && ours.module.c11_size == 0 {
            return;
        }
        if !lines_can_be_read(&ours.module, ours.region.slice()) {
            return self.skip("its lines have a format that the crate does not read".to_owned());
        }
        let mut own = Vec::new();
        let problems = ours.each_line(|line| {
            if !line.is_hidden() {
                let (section, offset, file, start_line) = (line.section, line.offset, line.file, line.start_line);
                let columns = (u32::from(line.start_column), u32::from(line.end_column));
                own.push((Line { section, offset, file, start_line, columns }, line.at));
            }
        });
        own.sort_unstable();
        let theirs = match (problems.first(), content.lines()) {
            (Some(error), _) => return self.skip(self.spaces().error_text(error)),
            (None, Err(why)) => return self.skip(why),
            (None, Ok(theirs)) => theirs,
        };
        self.done.lines += own.len() as u64;
        let place = self.place(ours.number);
        let different = own.iter().zip(&theirs).find(|((own, _), theirs)| own != *theirs);
        if let Some(((own, at), theirs)) = different {
            let span = ours.region.span().part(u64::from(*at), 8);
            let what = format!("line of module {}", ours.number);
            self.differs(&what, &line_text(own), &line_text(theirs), place, Some(span));
        } else if own.len() != theirs.len() {
            let what = format!("number of lines of module {}", ours.number);
            self.differs(&what, &own.len().to_string(), &theirs.len().to_string(), place, None);
        }
    }

    /// Compares the records of a type stream one by one, up to the first difference.
    fn types(&mut self, other: &mut CrossCheck<'_>, stream: TypeStream) {
        let (number, of, place) = match stream {
            TypeStream::Types => (streams::TPI, "type", Place::Types),
            TypeStream::Ids => (streams::IPI, "id", Place::Ids),
        };
        let place = if self.native { place } else { Place::Stream(number) };
        if stream == TypeStream::Ids && !self.pdb.info.has_ids() {
            return;
        }
        let Some(space) = self.pdb.msf.stream(number).map(|stream| stream.space) else { return };
        let own = match whole(self.spaces(), space) {
            Ok(region) if region.is_empty() => return,
            Ok(region) => OwnTypes::parse(region),
            Err(why) => return self.skip(why),
        };
        if let Some(problem) = own.problems.first() {
            return self.skip(problem.to_string());
        }
        let (mut records, mut compared, mut different) = (own.iter(), 0, None);
        let read = other.types(stream, |theirs| {
            // What stands after the last record is not one.
            let Some(record) = records.next() else { return ControlFlow::Break(()) };
            let ours = TypeRecord { index: record.index, kind: record.kind, len: record.slice.len() as u32 - 2 };
            compared += 1;
            if ours == theirs {
                return ControlFlow::Continue(());
            }
            different = Some((ours, theirs, record.span()));
            ControlFlow::Break(())
        });
        match stream {
            TypeStream::Types => self.done.types = compared,
            TypeStream::Ids => self.done.ids = compared,
        }
        if let Some((ours, theirs, span)) = different {
            return self.differs(of, &type_text(ours), &type_text(theirs), place, Some(span));
        }
        match read {
            Err(why) => self.skip(why),
            Ok(count) if count != own.len() || compared != u64::from(own.len()) => {
                let theirs = if count == own.len() { compared } else { u64::from(count) };
                self.differs(&format!("number of {of}s"), &own.len().to_string(), &theirs.to_string(), place, None);
            }
            Ok(_) => {}
        }
    }

    /// Says what was compared, and what was not.
    fn summary(self, over_budget: bool) {
        let Self { report, done, pdb, .. } = self;
        if report.stopped {
            return;
        }
        let total = pdb.modules().len() as u64;
        if done.differences == 0 {
            let mut parts = vec!["same id".to_owned(), counted(done.modules, "module")];
            for (count, what) in
                [(done.functions, "function"), (done.lines, "line"), (done.types, "type"), (done.ids, "id")]
            {
                if count > 0 {
                    parts.push(counted(count, what));
                }
            }
            report.good(format!("cross-checked with the `pdb` crate: {}", parts.join(", ")));
        }
        if over_budget {
            let (modules, total) = (counted(done.modules, "module"), grouped(total));
            report.note(format!("cross-checked up to a limit: {modules} of {total}"));
        } else if let Some(reason) = done.reason {
            let parts = counted(done.skipped, "part");
            report.note(format!("{parts} not cross-checked, which the `pdb` crate cannot read: {}", visible(&reason)));
        }
    }
}

/// A ceiling was reached.
struct OverBudget;

struct Difference {
    what: &'static str,
    ours: String,
    theirs: String,
    span: Option<Span>,
}

impl Difference {
    fn new(what: &'static str, ours: &str, theirs: &str, span: Option<Span>) -> Self {
        Self { what, ours: ours.to_owned(), theirs: theirs.to_owned(), span }
    }
}

/// The difference between a function's record and what `pdb` makes of it, if any.
fn function_difference(record: &Record<'_>, theirs: Option<&Function>) -> Option<Difference> {
    let ours = Symbol::decode(&mut record.slice.cursor()).ok()?;
    let name = String::from_utf8_lossy(ours.name.data).into_owned();
    let ours = Function { section: ours.section, offset: ours.offset, len: ours.len, name };
    let text = |function: &Function| {
        format!("{} at {:04x}:{:08x}, {} bytes", function.name, function.section, function.offset, function.len)
    };
    let different = theirs.is_none_or(|theirs| ours != *theirs);
    let theirs = theirs.map_or("none".to_owned(), text);
    different.then(|| Difference::new("function", &text(&ours), &theirs, Some(record.span())))
}

/// All bytes of a space, which are not kept.
fn whole(spaces: &Spaces, space: SpaceId) -> Result<Region, String> {
    let len = spaces.get(space).map_or(0, pdblens_formats::bytes::Space::len);
    let bytes = spaces.read(Span::new(space, 0, len)).map_err(|error| error.to_string())?;
    Ok(Region::whole(space, std::sync::Arc::new(bytes.into_owned())))
}

#[cfg(test)]
mod tests;
