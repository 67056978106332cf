//! Who works on a project after whom, as far as this client has to know: an agent that made its
//! edits in one editor must not go on in another one without being told.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use link::Identity;
use protocol::{ErrorCode, Fault};

/// What is known of each project, by its folder.
#[derive(Default)]
pub(super) struct Succession(HashMap<PathBuf, Known>);

#[derive(Default)]
struct Known {
    /// The editor that the client's calls went to last.
    served: Option<Process>,
    /// The editor that took over from it; until the client was told.
    news: Option<u32>,
}

struct Process {
    instance: String,
    started_us: u64,
    pid: u32,
}

impl Succession {
    /// A call of the client goes to this editor.
    pub(super) fn served(&mut self, project: &Path, by: &Identity) {
        let known = self.0.entry(project.to_owned()).or_default();
        known.served =
            Some(Process { instance: by.instance.clone(), started_us: by.started_us, pid: by.pid });
    }

    /// Calls go to this editor from now on. `is_there` tells whether another one, by its instance
    /// and its process, is still there: a restarted editor takes over from nobody.
    pub(super) fn arrived(
        &mut self,
        project: &Path,
        newcomer: &Identity,
        is_there: impl Fn(&str, u32) -> bool,
    ) {
        let Some(known) = self.0.get_mut(project) else { return };
        let Some(served) = &known.served else { return };
        if served.instance == newcomer.instance {
            known.news = None;
            return;
        }
        // One that was there before the other one came has worked beside it.
        let was_beside = newcomer.started_us < served.started_us;
        if known.news.is_some() || was_beside || is_there(&served.instance, served.pid) {
            known.news = Some(newcomer.pid);
        }
    }

    /// What the client has not been told yet.
    pub(super) fn news(&self, project: &Path) -> Option<Fault> {
        let pid = self.0.get(project)?.news?;
        let hint = format!(
            "Another editor process (pid {pid}) took over the project; its scenes and undo history \
             are its own, and what the other one had not saved is not in it. Nothing was sent. Look \
             at the state (godot_inspection_get_active_scene), then repeat the call."
        );
        let fault = Fault::new(ErrorCode::PeerReplaced, hint);
        Some(fault.with("outcome", "not_applied").with("pid", pid))
    }

    /// The same, once.
    pub(super) fn tell(&mut self, project: &Path) -> Option<Fault> {
        let fault = self.news(project);
        if let Some(known) = self.0.get_mut(project) {
            known.news = None;
        }
        fault
    }
}
