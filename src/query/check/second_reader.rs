//! Cross-check of a Windows PDB with the `pdb` crate: a file that only one reader accepts may fail in other tools.

use super::{Question, Report};
use crate::formats::cross_check;
use crate::nodes::Place;
use crate::symbols::{Format, IdSuffix, SymbolReader};
use crate::text::safe::count;

/// The largest file that is read a second time, all of it at once.
const MAX_SIZE: u64 = 256 << 20;

/// The crate `pdb` reads the id and the modules.
pub(crate) fn second_reader(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    let Some(file) = session.symbol_file() else { return };
    let symbols: &dyn SymbolReader = file.reader();
    if !matches!(symbols.format(), Format::Windows | Format::Native) {
        return;
    }
    let small = session.spaces().get(file.space).is_some_and(|space| space.len() <= MAX_SIZE);
    let (Some(bytes), Some(id)) = (session.spaces().region(file.space).ok().filter(|_| small), symbols.id()) else {
        return;
    };
    let found = match cross_check::cross_check(bytes.bytes()) {
        Ok(found) => found,
        Err(why) => {
            return report.finding(format!("the `pdb` crate cannot read the file: {why}"), Place::Streams, None);
        }
    };
    if found.guid != id.guid {
        let sentence = format!("the `pdb` crate reads the GUID {}, pdblens {}", found.guid, id.guid);
        return report.finding(sentence, Place::Streams, None);
    }
    let ages = [Some(found.age), found.debug_age];
    if let IdSuffix::Age(age) = id.suffix
        && !ages.contains(&Some(age))
    {
        let sentence = format!("the `pdb` crate reads the age {}, pdblens {age}", found.debug_age.unwrap_or(found.age));
        return report.finding(sentence, Place::Streams, None);
    }
    let modules = count(found.modules.len() as u64, "module");
    report.good(format!("cross-checked with the `pdb` crate: same id, {modules}"));
}
