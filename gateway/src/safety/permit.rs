//! What the link to the editor takes, and the flags of a call that are in it.

use std::{sync::Arc, time::Duration};

use protocol::{Command, Fault, Tool, Verb, bounds::Seconds, envelope};
use serde_json::{Map, Value, value::RawValue};

use super::class::{Flags, SafetyClass, class_of};
use crate::{link::Editor, registry};

/// A call that was admitted, arguments, flags and all, for one editor. The link takes nothing
/// else. It cannot be copied, so one decision is one call.
#[derive(Debug)]
pub struct Permit {
    pub(super) tool: Tool,
    pub(super) editor: Arc<Editor>,
    pub(super) params: Box<RawValue>,
    pub(super) asked: Asked,
    /// The worst class of what it lets through.
    pub(super) class: SafetyClass,
}

impl Permit {
    /// A question that the gateway itself asks. A tool that does more than read stops the build.
    ///
    /// # Errors
    /// If the parameters cannot be written down.
    pub fn question<C: Command>(editor: Arc<Editor>, question: &C) -> Result<Permit, Fault> {
        const { assert!(matches!(class_of(C::TOOL), SafetyClass::ReadOnly), "a question only reads") };
        let params = registry::to_raw(question)?;
        let class = class_of(C::TOOL);
        Ok(Permit { tool: C::TOOL, editor, params, asked: Asked::default(), class })
    }

    /// The tool that is called.
    pub fn tool(&self) -> Tool {
        self.tool
    }

    /// The editor that it was admitted for.
    pub fn editor(&self) -> &Arc<Editor> {
        &self.editor
    }

    /// The tool's own parameters.
    pub fn params(&self) -> &RawValue {
        &self.params
    }

    /// Whether only the plan may run.
    pub fn is_preview(&self) -> bool {
        self.asked.dry_run
    }

    /// Whether the agent agreed to discard data.
    pub fn confirmed(&self) -> bool {
        self.asked.confirm
    }

    /// The scene that must be the active one.
    pub fn scene(&self) -> Option<&str> {
        self.asked.scene.as_deref()
    }

    /// Which of the running games it is about.
    pub fn instance(&self) -> Option<u32> {
        self.asked.instance
    }

    /// How long the call itself asks to wait, beyond what every call may take.
    pub fn patience(&self) -> Duration {
        let params = self.params.get();
        if !params.contains("_ms\"") && !params.contains("\"timeout_seconds\"") {
            return Duration::ZERO;
        }
        if self.tool.verb() != Verb::batches {
            return serde_json::from_str(params).map(Waits::asked).unwrap_or_default();
        }
        // One entry comes after the other.
        let batch: Option<envelope::Batch> = serde_json::from_str(params).ok();
        let entries = batch.into_iter().flat_map(|batch| batch.entries);
        let waits = entries.filter_map(|entry| {
            serde_json::from_str(entry.run?.params.get()).map(Waits::asked).ok()
        });
        waits.fold(Duration::ZERO, Duration::saturating_add)
    }

    /// Whether the call changes something when it arrives.
    pub fn changes(&self) -> bool {
        !self.asked.dry_run && !matches!(self.class, SafetyClass::ReadOnly)
    }
}

/// The parameters by which calls say how long to wait.
#[derive(serde::Deserialize)]
struct Waits {
    timeout_ms: Option<u64>,
    wait_ms: Option<u64>,
    timeout_seconds: Option<Seconds>,
}

impl Waits {
    fn asked(self) -> Duration {
        let milliseconds = self.timeout_ms.or(self.wait_ms).map(Duration::from_millis);
        milliseconds.or(self.timeout_seconds.map(Seconds::duration)).unwrap_or_default()
    }
}

/// The flags as the agent set them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub(super) dry_run: bool,
    pub(super) confirm: bool,
    pub(super) scene: Option<String>,
    instance: Option<u32>,
}

impl Asked {
    /// Takes the flags out of validated arguments; what is left is the tool's own.
    pub fn take(arguments: &mut Map<String, Value>, flags: Flags) -> Asked {
        let mut flag = |name: &str, exists: bool| {
            exists && arguments.remove(name).and_then(|value| value.as_bool()).unwrap_or(false)
        };
        let dry_run = flag("dry_run", flags.dry_run);
        let confirm = flag("confirm", flags.confirm);
        let scene = match flags.scene.then(|| arguments.remove("scene")).flatten() {
            Some(Value::String(scene)) => Some(scene),
            _ => None,
        };
        let instance = flags.instance.then(|| arguments.remove("instance")).flatten();
        let instance = instance.and_then(|id| u32::try_from(id.as_u64()?).ok());
        Asked { dry_run, confirm, scene, instance }
    }
}

/// Whether a parameter decides about safety, and so is not even guessed from null.
pub fn never_guessed(parameter: &str) -> bool {
    matches!(parameter, "dry_run" | "confirm")
}
