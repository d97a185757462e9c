//! The rules that ask servers for the sources: only with a client, which the user's `--fetch` gives.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::Question;
use super::report::{Grade, Report};
use pdblens_nodes::Place;
use pdblens_session::parallel::parallel_map;
use pdblens_session::source::{HashVerdict, LineEnds, SourceOptions, Sources, verify_any};
use pdblens_session::store::http::{HttpError, host};
use pdblens_session::symbols::{Document, ModuleHash};
use pdblens_session::text::paths::without_passwords;
use pdblens_session::text::safe::count;

const MAX_URLS: usize = 10_000;
/// Requests at the same time.
const WORKERS: usize = 8;
/// Requests without an answer after which a server is not asked again.
const MAX_FAILURES: u32 = 3;

/// Answers of servers to the URLs of documents.
pub(super) struct Answers {
    /// Number of URLs, of which at most [`MAX_URLS`] are asked for.
    all: usize,
    asked: Vec<(Wanted, HashAnswer)>,
}

struct Wanted {
    url: String,
    documents: Vec<(u32, Document, Vec<ModuleHash>)>,
}

/// Verdicts on the text, one a document; none where the text was not asked for.
type HashAnswer = Result<Vec<HashVerdict>, HttpError>;

impl Answers {
    /// Asks the servers, if the options have a client.
    pub(super) fn of(question: &Question<'_>) -> Option<Self> {
        let (options, symbols) = (question.sources, question.session.symbols()?);
        if options.head.is_none() && options.body.is_none() {
            return None;
        }
        let sources = Sources::of(question.session, options);
        let native = question.session.native_pdb();
        let mut urls: BTreeMap<String, Vec<(u32, Document, Vec<ModuleHash>)>> = BTreeMap::new();
        for row in (1..=symbols.documents()).filter(|row| symbols.embedded_source(*row).is_none()) {
            if let (Some(url), Ok(document)) = (sources.remote(row), symbols.document(row)) {
                let hashes = native.map_or_else(Vec::new, |pdb| pdb.module_hashes(row).to_vec());
                urls.entry(url).or_default().push((row, document, hashes));
            }
        }
        let all = urls.len();
        let wanted: Vec<Wanted> =
            urls.into_iter().take(MAX_URLS).map(|(url, documents)| Wanted { url, documents }).collect();
        let answers = ask(options, &wanted);
        Some(Self { all, asked: wanted.into_iter().zip(answers).collect() })
    }
}

pub(super) fn reachable(question: &Question<'_>, report: &mut Report) {
    let Some(answers) = question.answers() else { return };
    let mut good = 0_u64;
    for (Wanted { url, documents }, answer) in &answers.asked {
        let url = without_passwords(url);
        let (grade, sentence) = match answer {
            Ok(_) => {
                good += 1;
                continue;
            }
            Err(HttpError::NotFound) => {
                let why =
                    "the server answers 404 or 410, not found; some servers also answer this to users without access";
                (Grade::Finding, format!("{url} cannot be fetched: {why}"))
            }
            Err(HttpError::Status(status @ (401 | 403 | 407))) => {
                (Grade::Note, format!("{url} requires a debugger to sign in: the server answers {status}"))
            }
            Err(error) => (Grade::Note, format!("{url}: {error}; it is unknown whether it can be fetched")),
        };
        report.at(grade, sentence, documents.first().map(|(row, ..)| Place::Document(*row)), None);
    }
    if answers.all > answers.asked.len() {
        report.note(format!("{} of {} URLs were asked for", answers.asked.len(), answers.all));
    }
    if good > 0 {
        report.good(format!("{good} of {} can be fetched", count(answers.all as u64, "URL")));
    }
}

pub(super) fn source_hash(question: &Question<'_>, report: &mut Report) {
    let Some(answers) = question.answers() else { return };
    let (mut good, mut all) = (0_u64, 0_u64);
    for (wanted, answer) in &answers.asked {
        // A text that cannot be fetched is reported by the rule `source-reachable`.
        let Ok(verdicts) = answer else { continue };
        for ((row, document, _), verdict) in wanted.documents.iter().zip(verdicts) {
            all += 1;
            let (grade, sentence) = match verdict {
                HashVerdict::Verified(ends) => {
                    good += u64::from(*ends == LineEnds::AsTheyAre);
                    continue;
                }
                HashVerdict::Differs => {
                    let what = "is not the one that was compiled: its hash differs";
                    (
                        Grade::Finding,
                        format!("the text of {} at {} {what}", document.name, without_passwords(&wanted.url)),
                    )
                }
                HashVerdict::CannotTell(_) => (Grade::Note, format!("{}: {verdict}", document.name)),
            };
            report.at(grade, sentence, Some(Place::Document(*row)), Some(document.span));
        }
    }
    if good > 0 {
        report.good(format!("{good} of {} verified", count(all, "fetched source")));
    }
}

/// Texts that fit only with other line ends. A debugger hashes the bytes that it is given, and refuses them.
pub(super) fn line_ends(question: &Question<'_>, report: &mut Report) {
    let answers = question.answers().into_iter().flat_map(|answers| &answers.asked);
    for (wanted, verdicts) in answers.filter_map(|(wanted, answer)| Some((wanted, answer.as_ref().ok()?))) {
        for ((row, document, _), verdict) in wanted.documents.iter().zip(verdicts) {
            if let HashVerdict::Verified(LineEnds::MadeCrlf | LineEnds::MadeLf) = verdict {
                let url = without_passwords(&wanted.url);
                let sentence = format!("the text of {} at {url} is {verdict}: debuggers refuse it", document.name);
                report.at(Grade::Note, sentence, Some(Place::Document(*row)), Some(document.span));
            }
        }
    }
}

/// Answer of a server: the headers where those alone are asked for, else the text.
fn answer(options: &SourceOptions, wanted: &Wanted) -> HashAnswer {
    let Some(http) = &options.body else {
        return options.head.as_ref().map_or(Ok(()), |http| http.head(&wanted.url)).map(|()| Vec::new());
    };
    let text = http.get(&wanted.url, &[], &mut |_, _| ControlFlow::Continue(()))?.bytes;
    Ok(wanted.documents.iter().map(|(_, document, hashes)| verify_any(&text, document, hashes)).collect())
}

fn ask(options: &SourceOptions, urls: &[Wanted]) -> Vec<HashAnswer> {
    let failures = Mutex::new(HashMap::<String, u32>::new());
    let failures = || failures.lock().unwrap_or_else(PoisonError::into_inner);
    parallel_map(urls, WORKERS, |wanted| {
        let server = host(&wanted.url).unwrap_or_default();
        if failures().get(&server).is_some_and(|count| *count >= MAX_FAILURES) {
            return Err(HttpError::Failed(format!("{server} did not answer before")));
        }
        let answer = answer(options, wanted);
        if matches!(answer, Err(HttpError::Timeout | HttpError::Failed(_))) {
            failures().entry(server).and_modify(|count| *count += 1).or_insert(1);
        }
        answer
    })
}
