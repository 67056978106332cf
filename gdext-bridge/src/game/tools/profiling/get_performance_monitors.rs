//! `godot_profiling_get_performance_monitors`.

use std::time::Duration;

use protocol::{
    Fault, Required,
    tools::profiling::{GamePerformance, GetPerformanceMonitors, PerformanceWindow},
};

use super::measure::{Extent, Measure};
use crate::{
    game::{
        Game,
        probe::{Deadline, InGame, Needs, Probe, Soon, time_for},
    },
    performance::{self, Monitor},
};

impl InGame for GetPerformanceMonitors {
    fn needs(&self) -> Needs {
        // A game that is stopped has no frames, but its monitors can be read.
        if measures(self) { Needs::Running } else { Needs::Game }
    }

    fn absent(&self, game: &Game) -> Option<GamePerformance> {
        let state = game.state();
        let hint = match (state.playing, state.connected || state.paused) {
            (true, true) => return None,
            (true, false) => {
                "The game runs, but has not answered yet. Wait a moment and ask again, or see what it says \
                 with godot_runtime_get_game_output."
            }
            (false, _) => {
                "No game runs. Start one with godot_runtime_play_scene, then ask again. For the editor see \
                 godot_profiling_get_editor_performance."
            }
        };
        Some(GamePerformance {
            playing: state.playing,
            hint: Some(hint.to_owned()),
            reason: state.reason,
            ..GamePerformance::default()
        })
    }

    fn is_read(&self) -> bool {
        true
    }

    fn answer(self, game: &Probe) -> Result<Soon<GamePerformance>, Fault> {
        let monitors = performance::chosen(&self.names)?;
        if !measures(&self) {
            return Ok(Soon::Now(answer(game, &monitors, None)));
        }
        let (extent, deadline) = (extent(&self)?, Deadline::of(game, self.timeout_ms));
        let named = if self.names.is_empty() { Vec::new() } else { monitors.clone() };
        let (mut named, mut begun) = (Some(named), None);
        Ok(Soon::Later(Box::new(move |game: &Probe| {
            let Some(measure) = &mut begun else {
                begun = named.take().map(Measure::begin);
                return None;
            };
            measure.take();
            let window = measure.result(&extent, deadline.is_over(game))?;
            Some(Ok(answer(game, &monitors, Some(window))))
        })))
    }
}

/// Whether a call measures frames.
fn measures(call: &GetPerformanceMonitors) -> bool {
    call.window_frames.get() > 0 || call.window_ms.get() > 0
}

/// For how long it does.
fn extent(call: &GetPerformanceMonitors) -> Result<Extent, Fault> {
    let duration = |ms: i64| Duration::from_millis(u64::try_from(ms).unwrap_or_default());
    let (window, patience) = (duration(call.window_ms.get()), duration(call.timeout_ms.get()));
    let limit = time_for(call.timeout_ms);
    if window > limit {
        return Err(Fault::invalid(format!(
            "A window of {} ms does not fit into timeout_ms, which is {}, and of which the answer itself \
             may take {}. Give a longer timeout_ms.",
            window.as_millis(),
            patience.as_millis(),
            (patience - limit).as_millis()
        ))
        .requiring(Required::parameter("timeout_ms")));
    }
    Ok(Extent {
        frames: usize::try_from(call.window_frames.get()).ok().filter(|frames| *frames > 0),
        time: Some(window).filter(|time| !time.is_zero()),
    })
}

fn answer(
    game: &Probe,
    monitors: &[Monitor],
    window: Option<PerformanceWindow>,
) -> GamePerformance {
    let (monitors, custom) = performance::read(monitors);
    let hint = "The game is frozen, so its nodes cost nothing: let it go on with \
                godot_runtime_control_time to see what they cost.";
    GamePerformance {
        playing: true,
        connected: true,
        ready: true,
        monitors,
        custom,
        frame: Some(game.frame()),
        window,
        hint: game.is_frozen().then(|| hint.to_owned()),
        reason: None,
    }
}
