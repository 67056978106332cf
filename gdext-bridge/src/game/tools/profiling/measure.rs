//! Measures frames: how long they take, and what monitors show in each.

use std::time::{Duration, Instant};

use protocol::tools::profiling::{PerformanceWindow, Spread};

use crate::performance::Monitor;

/// A measurement ends after as many frames, however long it is to last: a game without a display shows
/// thousands a second.
const MOST_FRAMES: usize = 100_000;

/// For how long to measure. Whatever comes first ends it.
pub(super) struct Extent {
    /// This many frames.
    pub(super) frames: Option<usize>,
    /// This long.
    pub(super) time: Option<Duration>,
}

/// What was measured so far.
pub(super) struct Measure {
    begun: Instant,
    last: Instant,
    frame_ms: Vec<f64>,
    monitors: Vec<(Monitor, Vec<f64>)>,
}

impl Measure {
    /// Begins with a frame.
    pub(super) fn begin(monitors: Vec<Monitor>) -> Measure {
        let now = Instant::now();
        let monitors = monitors.into_iter().map(|monitor| (monitor, Vec::new())).collect();
        Measure { begun: now, last: now, frame_ms: Vec::new(), monitors }
    }

    /// The next frame begins: the one before is measured.
    pub(super) fn take(&mut self) {
        let now = Instant::now();
        self.frame_ms.push(milliseconds(now.duration_since(self.last)));
        for (monitor, values) in &mut self.monitors {
            values.extend(monitor.value());
        }
        // What it took to read them is no part of the game.
        self.last = Instant::now();
    }

    /// What was measured, once it is enough, or the time `is_over` in which it is to be told.
    pub(super) fn result(&self, extent: &Extent, is_over: bool) -> Option<PerformanceWindow> {
        let (frames, time) = (self.frame_ms.len(), self.begun.elapsed());
        let is_enough = extent.frames.is_some_and(|most| frames >= most)
            || extent.time.is_some_and(|most| time >= most);
        if !is_enough && !is_over && frames < MOST_FRAMES {
            return None;
        }
        let monitors = self.monitors.iter();
        Some(PerformanceWindow {
            frames,
            ms: milliseconds(time),
            timed_out: !is_enough,
            frame_ms: spread(&self.frame_ms)?,
            monitors: monitors
                .filter_map(|(monitor, values)| Some((monitor.name.clone(), spread(values)?)))
                .collect(),
        })
    }
}

/// In thousandths of milliseconds, as finer ones say nothing.
fn milliseconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1000.0)
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// How numbers are spread; `None` without any.
fn spread(numbers: &[f64]) -> Option<Spread> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The lowest that so many of 100 do not exceed.
    let percentile = |percent: usize| {
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied()
    };
    Some(Spread {
        min: *sorted.first()?,
        p50: percentile(50)?,
        p95: percentile(95)?,
        max: *sorted.last()?,
        mean: rounded(sorted.iter().sum::<f64>() / sorted.len() as f64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_numbers_that_so_many_do_not_exceed() {
        let numbers: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let expected = Spread { min: 1.0, p50: 50.0, p95: 95.0, max: 100.0, mean: 50.5 };
        assert_eq!(spread(&numbers), Some(expected));
        let one = Spread { min: 7.0, p50: 7.0, p95: 7.0, max: 7.0, mean: 7.0 };
        assert_eq!(spread(&[7.0]), Some(one));
        let three = spread(&[3.0, 1.0, 2.0]);
        assert_eq!(three, Some(Spread { min: 1.0, p50: 2.0, p95: 3.0, max: 3.0, mean: 2.0 }));
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn a_measurement_ends_with_what_comes_first() {
        let second = Duration::from_secs(1);
        let mut measure = Measure::begin(Vec::new());
        let frames = Extent { frames: Some(2), time: Some(second) };
        measure.take();
        assert!(measure.result(&frames, false).is_none());
        measure.take();
        let window = measure.result(&frames, true).unwrap();
        assert_eq!((window.frames, window.timed_out), (2, false));
        let late = Extent { frames: Some(3), time: None };
        let window = measure.result(&late, true).unwrap();
        assert_eq!((window.frames, window.timed_out), (2, true));
    }
}
