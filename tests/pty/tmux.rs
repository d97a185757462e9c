//! Inside tmux: a server of the test's own, with its own socket and no configuration.

use std::process::Command;
use std::time::Instant;

use crate::TICKER;
use crate::harness::{LIMIT, NOW_AND_THEN, PDBLENS, home, plain_environment};

/// A tmux with one window, in which a shell waits.
struct Tmux {
    socket: String,
}

impl Tmux {
    /// Nothing where tmux is not installed.
    fn start(name: &str) -> Option<Self> {
        Command::new("tmux").arg("-V").output().ok().filter(|output| output.status.success())?;
        let tmux = Self { socket: format!("pdblens-{name}-{}", std::process::id()) };
        let shell = ["env", "PS1=shell$ ", "bash", "--norc", "--noprofile"];
        tmux.run(&[&["-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40"][..], &shell].concat());
        tmux.waits_for("the shell", |screen| screen.trim_end() == "shell$");
        Some(tmux)
    }

    /// Asks the server something.
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        plain_environment(|name| _ = command.env_remove(name));
        command.args(["-L", &self.socket]).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        // What programs inside are to have comes from whoever starts the server.
        let output = command.env("HOME", home()).env("LC_ALL", "C.UTF-8").output().unwrap();
        assert!(output.status.success(), "tmux {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn keys(&self, keys: &[&str]) -> &Self {
        self.run(&[&["send-keys"], keys].concat());
        self
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    #[track_caller]
    fn waits_for(&self, what: &str, is: impl Fn(&str) -> bool) -> &Self {
        let until = Instant::now() + LIMIT;
        loop {
            let screen = self.screen();
            if is(&screen) {
                return self;
            }
            assert!(Instant::now() < until, "{what} never came:\n{screen}");
            std::thread::sleep(NOW_AND_THEN * 10);
        }
    }

    #[track_caller]
    fn shows(&self, text: &str) -> &Self {
        self.waits_for(text, |screen| screen.contains(text))
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

#[test]
fn inside_tmux_it_copies_and_leaves_the_screen_as_it_was() {
    let Some(tmux) = Tmux::start("copy") else {
        eprintln!("skipped: tmux is not installed");
        return;
    };
    tmux.keys(&["echo before", "Enter"]).waits_for("the echo", |screen| screen.trim_end().ends_with("before\nshell$"));
    let command = format!("{PDBLENS} {TICKER}");
    let before = format!("{}{command}\nshell$", tmux.screen().trim_end().to_owned() + " ");
    tmux.keys(&[&command, "Enter"]).shows("✓ matches").keys(&["3"]).shows("Points and IL");
    tmux.keys(&["]", "]"]).shows("point 3").keys(&["Tab", "y", "a"]).shows("(tmux)");
    assert_eq!(tmux.run(&["show-buffer"]), "method/0x06000001/points/3");
    // What a name in a hostile file could ask of tmux goes no further than what anything else could.
    tmux.keys(&["y", "v"]).waits_for("the value", |screen| screen.contains("copied value"));
    assert_ne!(tmux.run(&["show-buffer"]), "method/0x06000001/points/3");
    assert_eq!(tmux.run(&["display-message", "-p", "#{alternate_on}"]).trim(), "1");
    tmux.keys(&["q"]).waits_for("the shell's screen", |screen| screen.trim_end().ends_with("shell$"));
    assert_eq!(tmux.screen().trim_end(), before);
    let modes = tmux.run(&["display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"]);
    assert_eq!(modes.trim(), "0 0 1");
}

#[test]
fn it_ends_with_the_tmux_server() {
    let Some(tmux) = Tmux::start("kill") else {
        eprintln!("skipped: tmux is not installed");
        return;
    };
    tmux.keys(&[&format!("exec {PDBLENS} {TICKER}"), "Enter"]).shows("✓ matches");
    let id = tmux.run(&["display-message", "-p", "#{pane_pid}"]).trim().parse().unwrap();
    drop(tmux);
    crate::harness::gone(id);
}
