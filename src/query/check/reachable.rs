//! The rule that asks servers for the sources: only with a client, which the user's `--fetch=head` gives.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Question;
use super::report::{Grade, Report};
use crate::nodes::Place;
use crate::source::Sources;
use crate::store::http::{Http, HttpError, host};
use crate::text::safe::count;

/// Limit on the URLs that are asked for.
const MAX_URLS: usize = 10_000;
/// Requests at the same time.
const WORKERS: usize = 8;
/// Requests without an answer after which a server is not asked again.
const MAX_FAILURES: u32 = 3;

/// Asks for the headers of every URL that a document has, and reports those that a debugger would not get.
pub(super) fn reachable(question: &Question<'_>, report: &mut Report) {
    let (Some(http), Some(symbols)) = (&question.sources.head, question.session.symbols()) else { return };
    let sources = Sources::of(question.session, question.sources);
    let mut urls: BTreeMap<String, u32> = BTreeMap::new();
    for row in (1..=symbols.documents()).filter(|row| symbols.embedded_source(*row).is_none()) {
        if let Some(url) = sources.remote(row) {
            urls.entry(url).or_insert(row);
        }
    }
    let all = urls.len();
    let urls: Vec<(String, u32)> = urls.into_iter().take(MAX_URLS).collect();
    let (answers, mut good) = (ask(http, &urls), 0);
    for ((url, row), answer) in urls.iter().zip(answers) {
        let (grade, sentence) = match answer {
            Ok(()) => {
                good += 1;
                continue;
            }
            Err(HttpError::NotFound) => {
                let why = "the server answers 404 or 410, not found; some answer so to whom may not read it";
                (Grade::Finding, format!("{url} cannot be fetched: {why}"))
            }
            Err(HttpError::Status(status @ (401 | 403 | 407))) => {
                (Grade::Note, format!("{url} needs a debugger that signs in: the server answers {status}"))
            }
            Err(error) => (Grade::Note, format!("{url}: {error}, so that it is unknown whether it can be fetched")),
        };
        report.at(grade, sentence, Some(Place::Document(*row)), None);
    }
    if all > urls.len() {
        report.note(format!("{} of {all} URLs were asked for", urls.len()));
    }
    if good > 0 {
        report.good(format!("{good} of {} can be fetched", count(all as u64, "URL")));
    }
}

/// Answers of the servers, in the order of the URLs.
fn ask(http: &Http, urls: &[(String, u32)]) -> Vec<Result<(), HttpError>> {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(HashMap::<String, u32>::new()));
    let failures = || failures.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        let mut answers = Vec::new();
        while let Some((at, (url, _))) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, urls.get(at)?)))
        {
            let server = host(url).unwrap_or_default();
            if failures().get(&server).is_some_and(|count| *count >= MAX_FAILURES) {
                answers.push((at, Err(HttpError::Failed(format!("{server} did not answer before")))));
                continue;
            }
            let answer = http.head(url);
            if matches!(answer, Err(HttpError::Timeout | HttpError::Failed(_))) {
                *failures().entry(server).or_default() += 1;
            }
            answers.push((at, answer));
        }
        answers
    };
    let mut answers: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS.min(urls.len())).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
