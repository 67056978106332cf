//! A look of the editor at the files of the project, with all that follows from it.
//!
//! The editor says that it is not scanning any more before it has taken over what was found; and while
//! it imports that, it takes no other orders to import. Only a signal tells when all is done.

use std::{cell::Cell, rc::Rc};

use godot::{classes::EditorFileSystem, prelude::*};

use crate::{plan::Context, signal};

/// The signal.
const ENDED: &str = "filesystem_changed";

/// What a whole scan counts as.
const PERCENT: u64 = 100;

/// Tells how far the scan is that runs now, whoever started it.
pub(crate) fn tell_scanning(context: &Context, files: &Gd<EditorFileSystem>) {
    // The share that is done, as a number from 0 to 1.
    let share = f64::from(files.get_scanning_progress()).clamp(0.0, 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 100")]
    let percent = (share * 100.0) as u64;
    context.tell(percent, PERCENT, "The editor looks at the files of the project, in percent");
}

/// A scan that was started.
pub(crate) struct Scan {
    files: Gd<EditorFileSystem>,
    on_end: Callable,
    is_started: Cell<bool>,
    ended: Rc<Cell<bool>>,
}

impl Scan {
    /// Starts a scan. One that is running already is joined.
    pub(crate) fn start(files: &Gd<EditorFileSystem>) -> Scan {
        let ended = Rc::new(Cell::new(false));
        let (flag, looks) = (ended.clone(), files.clone());
        let on_end = Callable::from_fn("godot_mcp_scan_ended", move |_| {
            // The same signal tells of single files as well, at any time.
            flag.set(!looks.is_scanning());
        });
        signal::connect(files, ENDED, &on_end);
        let scan = Scan { files: files.clone(), on_end, is_started: Cell::new(false), ended };
        scan.go();
        scan
    }

    /// Whether it has ended, and what it found is known and imported. To be asked once a frame.
    pub(crate) fn has_ended(&self) -> bool {
        if !self.is_started.get() {
            self.go();
            return false;
        }
        self.ended.get() && !self.files.is_scanning()
    }

    /// Tells whoever waits for a command how far the scan is.
    pub(crate) fn tell(&self, context: &Context) {
        if self.files.is_scanning() {
            tell_scanning(context, &self.files);
        } else {
            context.tell(PERCENT, PERCENT, "The editor takes over the files that it found");
        }
    }

    /// The engine passes over it while the one before is not quite put away.
    fn go(&self) {
        self.files.clone().scan();
        self.is_started.set(self.files.is_scanning());
        self.ended.set(false);
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        if self.files.is_instance_valid() && self.files.is_connected(ENDED, &self.on_end) {
            self.files.disconnect(ENDED, &self.on_end);
        }
    }
}
