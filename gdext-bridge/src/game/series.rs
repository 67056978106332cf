//! What a monitor keeps of the values of a property, frame by frame.

use protocol::{
    GodotValue,
    tools::runtime::{MonitorEnd, PropertySample, Statistics},
};
use serde_json::Value;

/// How long the values of one series may be in all, written as JSON.
const MOST_TEXT: usize = 500_000;

/// What is to be kept.
pub(crate) struct Rule {
    /// How many samples.
    pub(crate) most: usize,
    /// Only a value that differs from the one kept before.
    pub(crate) on_change_only: bool,
    /// By how much numbers have to differ.
    pub(crate) epsilon: f64,
}

/// The value of a property as it is in a frame.
pub(crate) struct Look {
    /// The value.
    pub(crate) value: Value,
    /// Its numbers, where it is one or is made of them.
    pub(crate) numbers: Option<Vec<f64>>,
    /// Whether it is a single number.
    pub(crate) is_number: bool,
}

/// What was kept so far.
pub(crate) struct Series {
    rule: Rule,
    samples: Vec<PropertySample>,
    last: Option<Look>,
    text: usize,
    frames: u64,
    last_frame: Option<u64>,
    extent: Option<Extent>,
    end: Option<(MonitorEnd, u64)>,
}

/// Between what a number was.
struct Extent {
    min: f64,
    max: f64,
    sum: f64,
    count: f64,
}

impl Series {
    /// One that has nothing yet.
    pub(crate) fn new(rule: Rule) -> Series {
        Series {
            rule,
            samples: Vec::new(),
            last: None,
            text: 0,
            frames: 0,
            last_frame: None,
            extent: None,
            end: None,
        }
    }

    /// Takes the value of a frame, once.
    pub(crate) fn take(&mut self, frame: u64, look: Look) {
        if self.end.is_some() || self.last_frame == Some(frame) {
            return;
        }
        self.last_frame = Some(frame);
        self.frames += 1;
        if let (true, Some(&[number])) = (look.is_number, look.numbers.as_deref()) {
            self.measure(number);
        }
        if let Some(last) = &self.last
            && self.rule.on_change_only
            && is_same(last, &look, self.rule.epsilon)
        {
            return;
        }
        self.text += look.value.to_string().len();
        if self.text > MOST_TEXT {
            return self.end_with(MonitorEnd::TooLong, frame);
        }
        self.samples.push(PropertySample { frame, value: GodotValue(look.value.clone()) });
        self.last = Some(look);
        if self.samples.len() >= self.rule.most {
            self.end_with(MonitorEnd::Complete, frame);
        }
    }

    /// There is nothing to take any more.
    pub(crate) fn end_with(&mut self, end: MonitorEnd, frame: u64) {
        self.end.get_or_insert((end, frame));
    }

    /// Why and in which frame it ended, if it has.
    pub(crate) fn end(&self) -> Option<(MonitorEnd, u64)> {
        self.end
    }

    /// All samples, oldest first.
    pub(crate) fn samples(&self) -> &[PropertySample] {
        &self.samples
    }

    /// How many frames were looked at.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// What a number was in all of them.
    pub(crate) fn statistics(&self) -> Option<Statistics> {
        let Extent { min, max, sum, count } = self.extent.as_ref()?;
        Some(Statistics { min: *min, max: *max, mean: sum / count })
    }

    fn measure(&mut self, number: f64) {
        if !number.is_finite() {
            return;
        }
        let extent =
            self.extent.get_or_insert(Extent { min: number, max: number, sum: 0.0, count: 0.0 });
        extent.min = extent.min.min(number);
        extent.max = extent.max.max(number);
        extent.sum += number;
        extent.count += 1.0;
    }
}

/// Whether no number of two values differs by more than `epsilon`; others have to be equal.
fn is_same(a: &Look, b: &Look, epsilon: f64) -> bool {
    if a.value == b.value {
        return true;
    }
    // Large whole numbers are not told apart as floats.
    if a.value.is_i64() && b.value.is_i64() && epsilon < 1.0 {
        return false;
    }
    match (&a.numbers, &b.numbers) {
        (Some(a), Some(b)) if a.len() == b.len() => a.iter().zip(b).all(|(a, b)| {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan() || (a - b).abs() <= epsilon
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(number: f64) -> Look {
        Look { value: json!(number), numbers: Some(vec![number]), is_number: true }
    }

    fn text(text: &str) -> Look {
        Look { value: json!(text), numbers: None, is_number: false }
    }

    fn series(most: usize, on_change_only: bool) -> Series {
        Series::new(Rule { most, on_change_only, epsilon: 0.1 })
    }

    fn kept(series: &Series) -> Vec<(u64, Value)> {
        series.samples().iter().map(|it| (it.frame, it.value.0.clone())).collect()
    }

    #[test]
    fn small_steps_add_up_to_a_change() {
        let mut series = series(10, true);
        for (frame, value) in (1..).zip([1.0, 1.04, 1.08, 1.12, 1.12, 0.5]) {
            series.take(frame, number(value));
        }
        assert_eq!(kept(&series), [(1, json!(1.0)), (4, json!(1.12)), (6, json!(0.5))]);
        assert_eq!(series.frames(), 6);
        let stats = series.statistics().unwrap();
        assert_eq!((stats.min, stats.max), (0.5, 1.12));
        assert!((stats.mean - 5.86 / 6.0).abs() < 1e-9, "{stats:?}");
        assert!(series.end().is_none());
    }

    #[test]
    fn a_series_ends_when_it_has_enough_and_each_frame_counts_once() {
        let mut series = series(2, false);
        for frame in [5, 5, 6, 7] {
            series.take(frame, text("same"));
        }
        assert_eq!(kept(&series), [(5, json!("same")), (6, json!("same"))]);
        assert_eq!(series.end(), Some((MonitorEnd::Complete, 6)));
        series.end_with(MonitorEnd::NodeFreed, 9);
        assert_eq!(series.end(), Some((MonitorEnd::Complete, 6)));
        assert_eq!(series.statistics(), None);
    }

    #[test]
    fn what_is_no_number_is_compared_as_it_is() {
        let mut series = series(10, true);
        for (frame, look) in (0..).zip([text("a"), text("a"), text("b"), number(1.0), text("b")]) {
            series.take(frame, look);
        }
        assert_eq!(series.samples().len(), 4);
        let whole = |number: i64| Look {
            value: json!(number),
            numbers: Some(vec![number as f64]),
            is_number: true,
        };
        assert!(!is_same(&whole(i64::MAX), &whole(i64::MAX - 1), 0.1));
        assert!(is_same(&whole(3), &whole(4), 1.0));
        assert!(is_same(&number(f64::NAN), &number(f64::NAN), 0.0));
    }

    #[test]
    fn values_that_are_too_long_end_it() {
        let mut series = series(10, true);
        series.take(1, text("short"));
        series.take(2, text(&"long".repeat(MOST_TEXT)));
        assert_eq!(series.end(), Some((MonitorEnd::TooLong, 2)));
        assert_eq!(series.samples().len(), 1);
    }
}
