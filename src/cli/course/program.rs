//! The learner's program, with a limit of time for it and for all that it starts: `go run` and `dotnet run` start the program that reads.

use std::io;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::session::read_file::MAX_WHOLE;

/// Time that a program has for the inputs of an exercise.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The program that runs, by its process id; 0 for none. A signal that ends this process ends it, too.
static RUNNING: AtomicU32 = AtomicU32::new(0);

/// Runs a program, and returns its status and what it printed; `None` for one that did not end in time. Its standard error is ours.
pub(super) fn run(mut command: Command) -> io::Result<Option<(ExitStatus, Vec<u8>)>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    RUNNING.store(child.id(), Ordering::SeqCst);
    let (sender, printed) = mpsc::channel();
    let pipe = child.stdout.take();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // After an error, the bytes that were read are the output.
        pipe.map(|pipe| pipe.take(MAX_WHOLE).read_to_end(&mut bytes));
        let _ = sender.send(bytes);
    });
    let deadline = Instant::now() + TIME_LIMIT;
    // The pipe closes when the last process that has it ends.
    let printed = printed.recv_timeout(TIME_LIMIT).ok();
    let status = wait(&mut child, deadline)?;
    if printed.is_none() || status.is_none() {
        end_running();
        child.wait()?;
    }
    RUNNING.store(0, Ordering::SeqCst);
    Ok(status.zip(printed))
}

fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        let status = child.try_wait()?;
        if status.is_some() || Instant::now() >= deadline {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Ends the program that runs, and the programs that it started.
pub(in crate::cli) fn end_running() {
    let id = RUNNING.load(Ordering::SeqCst);
    if id == 0 {
        return;
    }
    // All of them may have ended in this moment.
    #[cfg(unix)]
    let _ = i32::try_from(id)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
    #[cfg(windows)]
    let _ = Command::new("taskkill").args(["/T", "/F", "/PID"]).arg(id.to_string()).output();
}
