//! What takes time happens on worker threads: opening, indexing, searching, colouring; and, by itself, what nobody waits for.
//!
//! A job has a slot. A new job in a slot makes the one before it stale: it is told to stop, and what it comes to is dropped.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::model::{Session, Survey};
use crate::tui::app::App;
use crate::tui::app::Effect;

/// The name of the workers; a panic there does not end the program.
pub const WORKER: &str = "pdblens worker";

/// How long a job runs before its progress shows.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// What a job comes to: a change of the app.
pub type Finish = Box<dyn FnOnce(&mut App) -> Vec<Effect> + Send>;

/// Something that takes time.
pub struct Job {
    /// What it is, for the status line: `opening App.dll`.
    pub what: String,
    /// Only one job of a slot is ever wanted.
    pub slot: &'static str,
    /// Does it.
    pub work: Box<dyn FnOnce(&Ticket) -> Finish + Send>,
}

/// Has the worker look at all of something, and then does `then`. The second is alive as long as that is still to be done: a job
/// that made way for a newer one is done by nobody.
pub fn surveying(
    session: &Arc<Session>,
    survey: Survey,
    slot: &'static str,
    then: fn(&mut App) -> Vec<Effect>,
) -> (Job, Weak<()>) {
    let (session, alive) = (Arc::clone(session), Arc::new(()));
    let weak = Arc::downgrade(&alive);
    let work = Box::new(move |_: &Ticket| {
        session.survey(survey);
        Box::new(move |app: &mut App| {
            drop(alive);
            then(app)
        }) as Finish
    });
    (Job { what: format!("reading {survey}"), slot, work }, weak)
}

/// What a job looks at while it works.
#[derive(Clone, Debug, Default)]
pub struct Ticket(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Ticket {
    /// Whether nobody wants the answer any more.
    pub fn cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// Says how far a transfer is, and whether it is to go on: what [`crate::model::http::Progress`] wants.
    pub fn fetched(&self, done: u64, of: Option<u64>) -> ControlFlow<()> {
        self.progress(done, of.unwrap_or(0));
        if self.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Says how far it is.
    pub fn progress(&self, done: u64, total: u64) {
        self.0.total.store(total, Ordering::Relaxed);
        self.0.done.store(done, Ordering::Relaxed);
    }
}

/// A job with its number, on its way to the worker.
pub struct Numbered {
    slot: &'static str,
    generation: u64,
    ticket: Ticket,
    work: Box<dyn FnOnce(&Ticket) -> Finish + Send>,
}

/// What a job came to, on its way back.
pub struct Done {
    slot: &'static str,
    generation: u64,
    finish: Result<Finish, String>,
}

/// A job that is under way.
#[derive(Debug)]
struct Running {
    what: String,
    generation: u64,
    since: Instant,
    ticket: Ticket,
}

/// The jobs under way.
#[derive(Debug, Default)]
pub struct Jobs {
    running: HashMap<&'static str, Running>,
    /// What came to an end last: it may be gone on with.
    ended: HashMap<&'static str, Running>,
    generation: u64,
}

impl Numbered {
    /// Whether nobody wants it any more.
    pub fn is_stale(&self) -> bool {
        self.ticket.cancelled()
    }

    /// Does the work. A panic in it is an answer too.
    pub fn run(self) -> Done {
        let Self { slot, generation, ticket, work } = self;
        let finish = catch_unwind(AssertUnwindSafe(|| work(&ticket)));
        let finish = finish.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown").to_owned()
        });
        Done { slot, generation, finish }
    }
}

impl Jobs {
    /// Takes a job in, in the place of the one in its slot.
    pub fn begin(&mut self, job: Job, now: Instant) -> Numbered {
        self.put(job, now, Ticket::default())
    }

    /// Takes another turn of a job in: it has been running since its first one.
    pub fn go_on(&mut self, job: Job, now: Instant) -> Numbered {
        match self.ended.remove(job.slot) {
            Some(ended) if !ended.ticket.cancelled() => self.put(job, ended.since, ended.ticket),
            _ => self.begin(job, now),
        }
    }

    fn put(&mut self, job: Job, since: Instant, ticket: Ticket) -> Numbered {
        self.generation += 1;
        let generation = self.generation;
        let running = Running { what: job.what, generation, since, ticket: ticket.clone() };
        if let Some(stale) = self.running.insert(job.slot, running) {
            stale.ticket.0.cancelled.store(true, Ordering::Relaxed);
        }
        Numbered { slot: job.slot, generation, ticket, work: job.work }
    }

    /// Takes what a job came to; nothing where nobody wants it any more.
    pub fn end(&mut self, done: Done) -> Option<Result<Finish, String>> {
        let wanted = self.running.get(done.slot).is_some_and(|running| running.generation == done.generation);
        wanted.then(|| {
            if let Some(ended) = self.running.remove(done.slot) {
                self.ended.insert(done.slot, ended);
            }
            done.finish
        })
    }

    /// Stops what has been running long enough to be seen; returns what that was.
    pub fn cancel(&mut self, now: Instant) -> Option<String> {
        let (slot, _) = self.seen(now)?;
        let running = self.running.remove(slot)?;
        running.ticket.0.cancelled.store(true, Ordering::Relaxed);
        Some(running.what)
    }

    /// Stops everything: nobody wants what it is about any more.
    pub fn forget_all(&mut self) {
        for (_, running) in self.running.drain() {
            running.ticket.0.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a job of that slot is under way.
    pub fn is_running(&self, slot: &str) -> bool {
        self.running.contains_key(slot)
    }

    fn seen(&self, now: Instant) -> Option<(&'static str, &Running)> {
        let seen = self.running.iter().filter(|(_, running)| now.duration_since(running.since) >= PATIENCE);
        seen.map(|(slot, running)| (*slot, running)).min_by_key(|(_, running)| running.since)
    }

    /// What the status line says of the job that has been running longest.
    pub fn progress(&self, now: Instant, spinner: &[&str]) -> Option<String> {
        let (_, running) = self.seen(now)?;
        let turn = now.duration_since(running.since).as_millis() / 100;
        let sign = spinner.get(turn as usize % spinner.len().max(1)).copied().unwrap_or("");
        let (done, total) =
            (running.ticket.0.done.load(Ordering::Relaxed), running.ticket.0.total.load(Ordering::Relaxed));
        let count = if total > 0 { format!(" {done}/{total}") } else { String::new() };
        Some(format!("{sign} {}{count}", running.what))
    }

    /// When the status line changes by itself.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let next = |running: &Running| {
            let shown = running.since + PATIENCE;
            if now < shown { shown } else { now + Duration::from_millis(100) }
        };
        self.running.values().map(next).min()
    }
}

/// Jobs that nobody waits for, and that may take long: they have a worker of their own, so that no others wait for them.
const PATIENT: &[&str] = &["check", "marks"];

/// Jobs that may wait for a server, which may take its time: each has a thread of its own.
const DISTANT: &[&str] = &["fetch", "symbols", "trace"];

/// The threads that do the jobs.
pub struct Workers {
    prompt: Sender<Numbered>,
    patient: Sender<Numbered>,
    /// Starts one more, which ends with its job.
    another: Box<dyn Fn() -> std::io::Result<Sender<Numbered>>>,
}

impl Workers {
    /// Starts them; `done` is called with what each job came to.
    pub fn start(done: impl Fn(Done) + Clone + Send + 'static) -> std::io::Result<Self> {
        let (prompt, patient) = (worker(done.clone())?, worker(done.clone())?);
        Ok(Self { prompt, patient, another: Box::new(move || worker(done.clone())) })
    }

    /// Has a job done, where there still is somebody to do it.
    pub fn send(&self, job: Numbered) -> Result<(), SendError<Numbered>> {
        match job.slot {
            slot if PATIENT.contains(&slot) => self.patient.send(job),
            slot if DISTANT.contains(&slot) => match (self.another)() {
                Ok(worker) => worker.send(job),
                Err(_) => self.prompt.send(job),
            },
            _ => self.prompt.send(job),
        }
    }
}

fn worker(done: impl Fn(Done) + Send + 'static) -> std::io::Result<Sender<Numbered>> {
    let (sender, jobs): (_, Receiver<Numbered>) = channel();
    std::thread::Builder::new().name(WORKER.to_owned()).spawn(move || {
        for job in jobs {
            if !job.is_stale() {
                done(job.run());
            }
        }
    })?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(slot: &'static str) -> Job {
        Job { what: "counting".into(), slot, work: Box::new(|_| Box::new(|_| Vec::new())) }
    }

    #[test]
    fn a_newer_job_in_a_slot_makes_the_older_one_stale() {
        let (mut jobs, now) = (Jobs::default(), Instant::now());
        let (first, other, second) = (jobs.begin(job("a"), now), jobs.begin(job("b"), now), jobs.begin(job("a"), now));
        assert!(first.ticket.cancelled() && !second.ticket.cancelled());
        assert!(jobs.end(first.run()).is_none());
        assert!(jobs.end(second.run()).is_some() && jobs.end(other.run()).is_some());
        assert_eq!(jobs.deadline(now), None, "nothing is left to wait for");
    }

    #[test]
    fn a_job_that_takes_turns_has_been_running_since_the_first() {
        let (mut jobs, now) = (Jobs::default(), Instant::now());
        let first = jobs.begin(job("a"), now);
        first.ticket.progress(3, 9);
        assert!(jobs.end(first.run()).is_some());
        assert_eq!(jobs.progress(now + PATIENCE, &["*"]), None);
        let second = jobs.go_on(job("a"), now + PATIENCE);
        assert_eq!(jobs.progress(now + PATIENCE, &["*"]).as_deref(), Some("* counting 3/9"));
        assert!(jobs.end(second.run()).is_some());
        jobs.begin(job("a"), now + PATIENCE);
        assert_eq!(jobs.progress(now + PATIENCE, &["*"]), None, "another job is another one");
    }

    #[test]
    fn progress_shows_after_a_while_and_can_be_cancelled() {
        let (mut jobs, now) = (Jobs::default(), Instant::now());
        let running = jobs.begin(job("a"), now);
        running.ticket.progress(3, 9);
        assert_eq!(jobs.progress(now, &["*"]), None);
        assert_eq!(jobs.cancel(now), None, "what is not seen cannot be meant");
        let later = now + PATIENCE;
        assert_eq!(jobs.progress(later, &["*"]).as_deref(), Some("* counting 3/9"));
        assert_eq!(jobs.cancel(later).as_deref(), Some("counting"));
        assert!(running.ticket.cancelled() && jobs.end(running.run()).is_none());
    }
}
