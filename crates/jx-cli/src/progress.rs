//! A line on a terminal that says what takes so long, and for how long already.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// While it lives, and after a second, shows what is under way; then the line is wiped. Nothing is
/// shown where the error output is no terminal.
pub(crate) struct Progress {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    pub(crate) fn start(what: &str) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress { done: None, thread: None };
        }
        let (done, wait) = channel::<()>();
        let what = what.to_owned();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut shown = false;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(Duration::from_secs(1)) {
                let line = format!("\r\x1b[K{what} … {} s", started.elapsed().as_secs());
                // A terminal that takes no output has no reader to inform.
                let _ = std::io::stderr().write_all(line.as_bytes());
                shown = true;
            }
            if shown {
                let _ = std::io::stderr().write_all(b"\r\x1b[K");
            }
        });
        Progress { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
