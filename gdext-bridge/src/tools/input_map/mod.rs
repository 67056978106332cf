//! `input_map`: the input actions of the project, and what triggers them.
//!
//! An action is the project setting `input/<name>`: a dictionary with a dead zone and a list of real
//! `InputEvent` objects.

mod add_action;
mod add_event;
mod clear_action_events;
mod event;
mod get_action_events;
mod remove_action;

use godot::{classes::InputEvent, prelude::*};
use protocol::{Fault, Required};

use crate::{resource::nearest, settings, undo::Step};

/// Where actions are among the settings.
const PREFIX: &str = "input/";

/// An action as the project has it.
struct Action {
    name: String,
    deadzone: f64,
    events: Vec<Gd<InputEvent>>,
}

impl Action {
    /// The action called `name`, which came in as `parameter`.
    fn find(name: &str, parameter: &'static str) -> Result<Action, Fault> {
        match Action::known(name) {
            Some(action) => Ok(action),
            None => {
                let names = settings::names_below(PREFIX);
                let near = nearest(name, names.iter().map(String::as_str));
                let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
                Err(Fault::not_found(format!(
                    "There is no action '{name}'.{near} Add one with godot_input_map_add_action."
                ))
                .requiring(Required::parameter(parameter)))
            }
        }
    }

    fn known(name: &str) -> Option<Action> {
        let value: VarDictionary = settings::value(&setting(name))?.try_to().ok()?;
        let deadzone = value.get("deadzone").and_then(|it| it.try_to().ok()).unwrap_or(0.5);
        let events = value.get("events").and_then(|it| it.try_to::<AnyArray>().ok());
        let events = events.map(|events| {
            events.iter_shared().filter_map(|event| event.try_to::<Gd<InputEvent>>().ok()).collect()
        });
        Some(Action { name: name.to_owned(), deadzone, events: events.unwrap_or_default() })
    }

    /// Whether `project.godot` has it as the editor has.
    fn is_written(&self) -> bool {
        settings::is_written(&setting(&self.name))
    }

    /// The step that makes the project's action what this one is.
    fn step(&self) -> Step {
        let mut events = VarArray::new();
        self.events.iter().for_each(|event| events.push(&event.to_variant()));
        let mut value = VarDictionary::new();
        value.set("deadzone", self.deadzone);
        value.set("events", &events);
        Step::Settings(settings::SettingsChange::of(&setting(&self.name), Some(value.to_variant())))
    }
}

fn setting(action: &str) -> String {
    format!("{PREFIX}{action}")
}
