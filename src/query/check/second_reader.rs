//! Whether another reader of Windows PDBs makes the same of the file: what one tool alone can read, others may choke on.

use super::{Question, Report};
use crate::formats::cross_check;
use crate::nodes::Place;
use crate::symbols::{Format, IdSuffix, SymbolReader};
use crate::text::safe::count;

/// The largest file that is read a second time, all of it at once.
const LARGEST: u64 = 256 << 20;

/// The crate `pdb` reads the id and the modules.
pub(crate) fn second_reader(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    let Some(file) = session.symbol_file() else { return };
    let symbols: &dyn SymbolReader = file.reader();
    if !matches!(symbols.format(), Format::Windows | Format::Native) {
        return;
    }
    let small = session.spaces().get(file.space).is_some_and(|space| space.len() <= LARGEST);
    let (Some(bytes), Some(id)) = (session.spaces().region(file.space).ok().filter(|_| small), symbols.id()) else {
        return;
    };
    let opinion = match cross_check::cross_check(bytes.bytes()) {
        Ok(opinion) => opinion,
        Err(why) => return report.finding(format!("another reader refuses the file: {why}"), Place::Streams, None),
    };
    if opinion.guid != id.guid {
        let sentence = format!("another reader finds the GUID {}, and this is {}", opinion.guid, id.guid);
        return report.finding(sentence, Place::Streams, None);
    }
    let ages = [Some(opinion.age), opinion.debug_age];
    if let IdSuffix::Age(age) = id.suffix
        && !ages.contains(&Some(age))
    {
        let sentence =
            format!("another reader finds the age {}, and this is {age}", opinion.debug_age.unwrap_or(opinion.age));
        return report.finding(sentence, Place::Streams, None);
    }
    let modules = count(opinion.modules.len() as u64, "module");
    report.good(format!("another reader finds the same id, and {modules}"));
}
