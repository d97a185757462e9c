//! Background work: what takes time runs on worker threads, and its result comes back as a message.
//!
//! A job has a slot. Starting a job cancels the unfinished one of the same slot, and every job has a generation number: the
//! message of a job that was replaced or cancelled is dropped. Jobs know nothing of the app: the type of the message is a
//! parameter.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Name of the worker threads; a panic in one of them does not end the program.
pub(crate) const WORKER_THREAD: &str = "pdblens worker";
/// Running time after which a job shows its progress and can be cancelled.
pub(crate) const PROGRESS_DELAY: Duration = Duration::from_millis(150);
const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Queue {
    /// Jobs whose result the user waits for.
    #[default]
    Interactive,
    /// Long jobs that nothing waits for.
    Background,
    /// Jobs that may wait for a server, or look at all of a long list: each has a thread of its own.
    Own,
}

pub struct Job<M> {
    /// Description in the status line: `opening App.dll`.
    pub label: String,
    /// Starting a job cancels the unfinished one of the same slot.
    pub slot: &'static str,
    queue: Queue,
    work: Box<dyn FnOnce(&CancelToken) -> M + Send>,
    alive: Arc<()>,
}

impl<M> Job<M> {
    pub fn new(
        label: impl Into<String>,
        slot: &'static str,
        work: impl FnOnce(&CancelToken) -> M + Send + 'static,
    ) -> Self {
        Self { label: label.into(), slot, queue: Queue::default(), work: Box::new(work), alive: Arc::default() }
    }

    #[must_use]
    pub fn on(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// A handle that tells whether the job is still to be done.
    pub(crate) fn handle(&self) -> JobHandle {
        JobHandle(Arc::downgrade(&self.alive))
    }
}

/// Tells whether a job is still queued or running; the default handle belongs to no job.
#[derive(Clone, Debug, Default)]
pub struct JobHandle(Weak<()>);

impl JobHandle {
    /// Returns whether the result is still to come; false once the job has finished, was cancelled or replaced.
    pub(crate) fn is_pending(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// Cancellation flag and progress counters that a running job shares with the screens.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<TokenState>);

#[derive(Debug, Default)]
struct TokenState {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl CancelToken {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// Reports bytes of a transfer, and whether to continue, as a download asks after each block.
    pub(crate) fn report_transfer(&self, done: u64, total: Option<u64>) -> ControlFlow<()> {
        self.report(done, total.unwrap_or(0));
        if self.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Reports progress; `total` is 0 where it is unknown.
    pub fn report(&self, done: u64, total: u64) {
        self.0.total.store(total, Ordering::Relaxed);
        self.0.done.store(done, Ordering::Relaxed);
    }

    fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }
}

pub struct QueuedJob<M> {
    slot: &'static str,
    queue: Queue,
    generation: u64,
    token: CancelToken,
    work: Box<dyn FnOnce(&CancelToken) -> M + Send>,
    alive: Arc<()>,
}

pub struct FinishedJob<M> {
    slot: &'static str,
    generation: u64,
    result: Result<M, String>,
    _alive: Arc<()>,
}

#[derive(Debug)]
struct RunningJob {
    label: String,
    generation: u64,
    since: Instant,
    token: CancelToken,
}

#[derive(Debug, Default)]
pub struct Jobs {
    running: HashMap<&'static str, RunningJob>,
    generation: u64,
}

impl<M> QueuedJob<M> {
    pub fn is_stale(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Runs the job on the calling thread; a panic becomes an error.
    pub fn run(self) -> FinishedJob<M> {
        let Self { slot, generation, token, work, alive, .. } = self;
        let result = catch_unwind(AssertUnwindSafe(|| work(&token)));
        let result = result.map_err(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown").to_owned()
        });
        FinishedJob { slot, generation, result, _alive: alive }
    }
}

impl Jobs {
    /// Registers a job, and cancels the one in its slot.
    pub fn start<M>(&mut self, job: Job<M>, now: Instant) -> QueuedJob<M> {
        self.generation += 1;
        let (generation, token) = (self.generation, CancelToken::default());
        let Job { label, slot, queue, work, alive } = job;
        log::debug!("job {generation} starts: {slot}, {label}");
        let running = RunningJob { label, generation, since: now, token: token.clone() };
        if let Some(stale) = self.running.insert(slot, running) {
            log::debug!("job {} is replaced by {generation}: {slot}, {}", stale.generation, stale.label);
            stale.token.cancel();
        }
        QueuedJob { slot, queue, generation, token, work, alive }
    }

    /// Takes the result of a job; `None` where its generation is stale. An error is the message of a panic.
    pub fn finish<M>(&mut self, job: FinishedJob<M>) -> Option<Result<M, String>> {
        let wanted = self.running.get(job.slot).is_some_and(|running| running.generation == job.generation);
        log::debug!(
            "job {} ends: {}, {}",
            job.generation,
            job.slot,
            if wanted { "taken" } else { "dropped, it is stale" }
        );
        wanted.then(|| {
            self.running.remove(job.slot);
            job.result
        })
    }

    /// Cancels the oldest job whose progress is shown; returns its label.
    pub(crate) fn cancel(&mut self, now: Instant) -> Option<String> {
        let (slot, _) = self.oldest_shown(now)?;
        let running = self.running.remove(slot)?;
        running.token.cancel();
        Some(running.label)
    }

    /// Cancels all jobs; messages of those that still run are dropped.
    pub(crate) fn cancel_all(&mut self) {
        for (_, running) in self.running.drain() {
            running.token.cancel();
        }
    }

    pub(crate) fn is_running(&self, slot: &str) -> bool {
        self.running.contains_key(slot)
    }

    fn oldest_shown(&self, now: Instant) -> Option<(&'static str, &RunningJob)> {
        let shown = self.running.iter().filter(|(_, running)| now.duration_since(running.since) >= PROGRESS_DELAY);
        shown.map(|(slot, running)| (*slot, running)).min_by_key(|(_, running)| running.since)
    }

    /// Progress of the oldest job for the status line: `⠋ opening App.dll 3/9`.
    pub fn progress(&self, now: Instant, spinner: &[&str]) -> Option<String> {
        let (_, running) = self.oldest_shown(now)?;
        let turn = now.duration_since(running.since).as_millis() / SPINNER_INTERVAL.as_millis();
        let sign = spinner.get(turn as usize % spinner.len().max(1)).copied().unwrap_or("");
        let state = &running.token.0;
        let (done, total) = (state.done.load(Ordering::Relaxed), state.total.load(Ordering::Relaxed));
        let count = if total > 0 { format!(" {done}/{total}") } else { String::new() };
        Some(format!("{sign} {}{count}", running.label))
    }

    /// The next time at which [`Self::progress`] changes by itself.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let next = |running: &RunningJob| {
            let shown = running.since + PROGRESS_DELAY;
            if now < shown { shown } else { now + SPINNER_INTERVAL }
        };
        self.running.values().map(next).min()
    }
}

pub struct Workers<M> {
    interactive: Sender<QueuedJob<M>>,
    background: Sender<QueuedJob<M>>,
    /// Starts a thread that ends with its job.
    spawn: Box<dyn Fn() -> std::io::Result<Sender<QueuedJob<M>>>>,
}

impl<M: Send + 'static> Workers<M> {
    /// Starts the threads; `report` is called with the result of each job.
    pub fn start(report: impl Fn(FinishedJob<M>) + Clone + Send + 'static) -> std::io::Result<Self> {
        let (interactive, background) = (spawn_worker(report.clone())?, spawn_worker(report.clone())?);
        Ok(Self { interactive, background, spawn: Box::new(move || spawn_worker(report.clone())) })
    }

    /// Sends a job to its queue; fails where the thread of the queue has ended.
    pub fn send(&self, job: QueuedJob<M>) -> Result<(), SendError<QueuedJob<M>>> {
        match job.queue {
            Queue::Interactive => self.interactive.send(job),
            Queue::Background => self.background.send(job),
            Queue::Own => match (self.spawn)() {
                Ok(worker) => worker.send(job),
                Err(_) => self.interactive.send(job),
            },
        }
    }
}

fn spawn_worker<M: Send + 'static>(
    report: impl Fn(FinishedJob<M>) + Send + 'static,
) -> std::io::Result<Sender<QueuedJob<M>>> {
    let (sender, jobs): (_, Receiver<QueuedJob<M>>) = channel();
    std::thread::Builder::new().name(WORKER_THREAD.to_owned()).spawn(move || {
        for job in jobs {
            if job.is_stale() {
                log::debug!("job {} does not run, it is stale: {}", job.generation, job.slot);
            } else {
                report(job.run());
            }
        }
    })?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(slot: &'static str) -> Job<()> {
        Job::new("counting", slot, |_| ())
    }

    #[test]
    fn a_newer_job_in_a_slot_makes_the_older_one_stale() {
        let (mut jobs, now) = (Jobs::default(), Instant::now());
        let (first, other, second) = (jobs.start(job("a"), now), jobs.start(job("b"), now), jobs.start(job("a"), now));
        assert!(first.token.is_cancelled() && !second.token.is_cancelled());
        assert!(jobs.finish(first.run()).is_none());
        assert!(jobs.finish(second.run()).is_some() && jobs.finish(other.run()).is_some());
        assert_eq!(jobs.deadline(now), None, "nothing is left to wait for");
    }

    #[test]
    fn a_job_is_pending_until_its_result_is_taken() {
        let (mut jobs, now) = (Jobs::default(), Instant::now());
        let job = job("a");
        let handle = job.handle();
        let finished = jobs.start(job, now).run();
        assert!(handle.is_pending() && !JobHandle::default().is_pending());
        assert!(jobs.finish(finished).is_some() && !handle.is_pending());
    }

    #[test]
    fn progress_shows_after_a_while_and_can_be_cancelled() {
        let (mut jobs, now) = (Jobs::default(), Instant::now());
        let running = jobs.start(job("a"), now);
        running.token.report(3, 9);
        assert_eq!(jobs.progress(now, &["*"]), None);
        assert_eq!(jobs.cancel(now), None, "what is not seen cannot be meant");
        let later = now + PROGRESS_DELAY;
        assert_eq!(jobs.progress(later, &["*"]).as_deref(), Some("* counting 3/9"));
        assert_eq!(jobs.cancel(later).as_deref(), Some("counting"));
        assert!(running.token.is_cancelled() && jobs.finish(running.run()).is_none());
    }
}
