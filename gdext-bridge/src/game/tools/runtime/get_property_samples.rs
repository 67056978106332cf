//! `godot_runtime_get_property_samples`.

use protocol::{
    Fault, GamePath, Required,
    tools::runtime::{
        GetPropertySamples, MonitorEnd, PropertySample, PropertySamples, PropertySeries,
    },
};

use crate::{
    game::{
        Game,
        monitors::Monitor,
        probe::{InGame, Needs, Probe, Soon},
    },
    tools::page::{PAGE_CHARACTERS, Page},
};

/// What is told of a series beside its samples, in characters.
const AROUND: usize = 600;

impl InGame for GetPropertySamples {
    fn needs(&self) -> Needs {
        Needs::Game
    }

    fn absent(&self, game: &Game) -> Option<PropertySamples> {
        let state = game.state();
        let reason = match (state.playing, state.connected || state.paused) {
            (true, true) => return None,
            (true, false) => {
                "The game runs, but has not answered yet, and nothing of it is watched."
            }
            (false, _) => {
                "No game runs, and the samples of a game go with it. Start one with \
                 godot_runtime_play_scene and watch it with godot_runtime_monitor_property."
            }
        };
        Some(PropertySamples { reason: Some(reason.to_owned()), ..PropertySamples::default() })
    }

    fn is_read(&self) -> bool {
        true
    }

    fn answer(self, game: &Probe) -> Result<Soon<PropertySamples>, Fault> {
        let node_path = self.node_path.as_ref().map(|path| absolute(game, path)).transpose()?;
        game.monitors().read(|all| {
            if all.is_empty() {
                return Ok(Soon::Now(nothing_watched()));
            }
            let meant: Vec<&Monitor> =
                all.iter().rev().filter(|it| is_meant(it, &self, node_path.as_deref())).collect();
            if meant.is_empty() {
                return Err(no_such_monitor(all));
            }
            let budget = (PAGE_CHARACTERS / meant.len()).saturating_sub(AROUND);
            let mut series = meant.into_iter().map(|it| told(it, self.since_frame, budget));
            let latest = series.next();
            Ok(Soon::Now(PropertySamples {
                ready: true,
                connected: true,
                latest,
                others: series.collect(),
                reason: None,
            }))
        })
    }
}

/// Whether a call is about a monitor, where `node_path` is the node that it names, from the root of the
/// game.
fn is_meant(monitor: &Monitor, call: &GetPropertySamples, node_path: Option<&str>) -> bool {
    // The node may be gone, and its scene with it: it is still known by the path it was asked by.
    let asked = call.node_path.as_ref().map(GamePath::as_str);
    let is_node = node_path.is_none_or(|path| path == monitor.node_path)
        || asked == Some(monitor.asked.as_str());
    is_node && (call.property.is_empty() || call.property == monitor.property)
}

/// The path from the root of the game, whether there is such a node or not.
fn absolute(game: &Probe, path: &GamePath) -> Result<String, Fault> {
    let path = path.as_str();
    if path.starts_with('/') {
        return Ok(path.to_owned());
    }
    let scene = game.tree()?.get_current_scene();
    let scene = scene.map(|scene| scene.get_path().to_string()).unwrap_or_default();
    Ok(if path == "." { scene } else { format!("{scene}/{path}") })
}

fn told(monitor: &Monitor, since_frame: u64, budget: usize) -> PropertySeries {
    let series = &monitor.series;
    let mut window = Page::at(0).window(budget);
    let asked = || series.samples().iter().filter(|it| it.frame > since_frame);
    let samples: Vec<PropertySample> =
        asked().take_while(|sample| window.admits(sample)).cloned().collect();
    let end = series.end();
    PropertySeries {
        node_path: monitor.node_path.clone(),
        property: monitor.property.clone(),
        monitoring: end.is_none(),
        total: series.samples().len(),
        frames: series.frames(),
        truncated: window.is_full(),
        next_frame: samples.last().map_or(since_frame, |last| last.frame),
        samples,
        stats: series.statistics(),
        ended: end.map(|(end, _)| end),
        ended_frame: end.map(|(_, frame)| frame),
        error: end.and_then(|(end, frame)| in_words(end, frame)),
    }
}

/// What is wrong about an end; `None` for one that was meant to be.
fn in_words(end: MonitorEnd, frame: u64) -> Option<String> {
    match end {
        MonitorEnd::Complete => None,
        MonitorEnd::NodeFreed => Some(format!(
            "The node was freed before frame {frame}, as when its scene is changed or reloaded. See what \
             there is with godot_runtime_get_game_scene_tree, and watch it anew."
        )),
        MonitorEnd::Error => Some(format!(
            "Reading the property in frame {frame} stopped the game with an error, which every frame would \
             have done again. Mend its getter, see godot_runtime_get_game_output, and watch it anew."
        )),
        MonitorEnd::TooLong => Some(format!(
            "The values up to frame {frame} were too long to keep more of them. Watch a part of the \
             property, or ask for fewer samples."
        )),
    }
}

fn nothing_watched() -> PropertySamples {
    let reason = "Nothing is watched in this game. Begin with godot_runtime_monitor_property.";
    PropertySamples {
        connected: true,
        reason: Some(reason.to_owned()),
        ..PropertySamples::default()
    }
}

fn no_such_monitor(all: &[Monitor]) -> Fault {
    let watched: Vec<String> =
        all.iter().map(|it| format!("{}:{}", it.node_path, it.property)).collect();
    Fault::not_found(
        "That is not watched. Begin with godot_runtime_monitor_property, or name one of `watched`.",
    )
    .requiring(Required::parameter("node_path"))
    .with("watched", watched)
}
