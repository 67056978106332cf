//! Figures of one run: times, memory, load.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

/// A set of times.
#[derive(Debug, Clone)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Takes `count` times, after a few that do not count.
    pub fn take(count: usize, mut once: impl FnMut(usize)) -> Times {
        let warm_up = (count / 20).clamp(2, 20);
        for n in 0..warm_up {
            once(n);
        }
        Times::new((0..count).map(|n| time(|| once(warm_up + n))).collect())
    }

    /// From times that were taken elsewhere.
    pub fn new(mut times: Vec<Duration>) -> Times {
        times.sort();
        Times(times)
    }

    /// The time that so many in a hundred do not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let last = self.0.len().saturating_sub(1);
        self.0.get(self.0.len() * percent / 100).or(self.0.get(last)).copied().unwrap_or_default()
    }
}

/// How long something takes.
pub fn time(once: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    once();
    begin.elapsed()
}

/// The memory that a process has in use, in MB. Only Linux tells.
pub fn memory(pid: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// How much of one core a process uses over a while, in percent. Only Linux tells.
pub fn load(pid: u32, over: Duration) -> Option<f64> {
    let begin = (busy(pid)?, Instant::now());
    thread::sleep(over);
    Some(100.0 * (busy(pid)? - begin.0) / begin.1.elapsed().as_secs_f64())
}

/// The seconds of processor time that a process has used: its threads' own counts, which are in
/// nanoseconds where those of the process are in hundredths of a second.
fn busy(pid: u32) -> Option<f64> {
    let mut nanoseconds = 0.0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<f64>().ok()?;
    }
    Some(nanoseconds / 1e9)
}
