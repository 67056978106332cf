//! The processes of a run on Unix: their group, and those that have left it.

use std::{
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Command, ExitStatus},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Gives the process a group of its own, so that it can be ended as a whole.
pub(super) fn prepare(command: &mut Command) {
    command.process_group(0);
}

/// The signal that ended a process.
pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// A process and all that it started.
pub(super) struct Family {
    leader: u32,
    mark: String,
}

impl Family {
    /// The process `leader`, and those that have `mark` in their environment.
    pub(super) fn new(leader: u32, mark: &str) -> Family {
        Family { leader, mark: mark.to_owned() }
    }

    /// Ends all of them at once. What Godot starts is in a group of its own, so ending the group of the
    /// leader does not do.
    pub(super) fn end(&self) {
        /// A process may start another one just before it is ended.
        const ROUNDS: u32 = 4;
        // Before the leader is gone: its children are then nobody's.
        let mut left = members::of(self.leader, &self.mark);
        if let Some(leader) = pid(self.leader) {
            // They may be gone already, which is all the same.
            let _ = kill_process_group(leader, Signal::KILL);
        }
        for _ in 0..ROUNDS {
            left.retain(|member| *member != std::process::id());
            if left.is_empty() {
                return;
            }
            for member in left.iter().filter_map(|member| pid(*member)) {
                let _ = kill_process(member, Signal::KILL);
            }
            left = members::of(self.leader, &self.mark);
        }
    }
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

/// Linux shows what processes have in their environment, which they inherit whoever their parent is.
#[cfg(target_os = "linux")]
mod members {
    use std::fs;

    use crate::child::guard::MARK;

    /// The processes that have this mark.
    pub(super) fn of(_leader: u32, mark: &str) -> Vec<u32> {
        let wanted = format!("{MARK}={mark}");
        let is_member = |pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        };
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter(is_member).collect()
    }
}

/// Elsewhere they are found by their parents.
#[cfg(not(target_os = "linux"))]
mod members {
    use std::process::{Command, Stdio};

    /// The processes below the leader.
    pub(super) fn of(leader: u32, _mark: &str) -> Vec<u32> {
        let listed =
            Command::new("ps").args(["-A", "-o", "pid=,ppid="]).stdin(Stdio::null()).output();
        let text = listed.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        let text = text.unwrap_or_default();
        let processes: Vec<(u32, u32)> = text
            .lines()
            .filter_map(|line| {
                let mut numbers = line.split_whitespace().map(str::parse);
                Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
            })
            .collect();
        let mut family = vec![leader];
        let mut looked_at = 0;
        while let Some(&parent) = family.get(looked_at) {
            looked_at += 1;
            for &(pid, of) in &processes {
                if of == parent && !family.contains(&pid) {
                    family.push(pid);
                }
            }
        }
        family.split_off(1)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::child::guard::MARK;

    #[test]
    fn a_family_is_ended_also_where_it_has_spread() {
        let mark = format!("spread-{}", std::process::id());
        let mut command = Command::new("sh");
        // The inner shell is in a session of its own, as what Godot starts.
        command.args(["-c", "setsid sh -c 'sleep 1000; true' & echo; sleep 1000; true"]);
        command.env(MARK, &mark).stdout(std::process::Stdio::piped());
        prepare(&mut command);
        let mut leader = command.spawn().unwrap();
        let mut line = [0];
        std::io::Read::read_exact(leader.stdout.as_mut().unwrap(), &mut line).unwrap();
        let family = Family::new(leader.id(), &mark);
        assert!(!members::of(leader.id(), &mark).is_empty());
        family.end();
        assert_eq!(signal(leader.wait().unwrap()), Some(9));
        // They are no children of ours, so their ends cannot be awaited.
        let since = std::time::Instant::now();
        while !members::of(leader.id(), &mark).is_empty() {
            assert!(since.elapsed() < std::time::Duration::from_secs(10), "some live on");
            std::thread::yield_now();
        }
    }
}
