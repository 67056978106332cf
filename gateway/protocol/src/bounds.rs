//! Numbers that cannot be out of bounds.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A time in seconds, from 0.1 to 3600.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Seconds(f64);

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Bounded<const MIN: i64, const MAX: i64>(i64);

/// A number from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Real<const MIN: i32, const MAX: i32>(f64);

/// How deep to look below a node: -1 for all the way down, 0 for the node alone.
pub type Depth = Bounded<-1, 1000>;

/// How many steps of the history to take at once.
pub type StepCount = Bounded<1, 1000>;

/// How many items of a list to pass over.
pub type Offset = Bounded<0, 1_000_000_000>;

/// How many items of a list to give at most.
pub type PageSize = Bounded<1, 1000>;

impl<const MIN: i64, const MAX: i64> Bounded<MIN, MAX> {
    /// The number `N`. That it lies within the bounds is checked at compile time.
    pub const fn of<const N: i64>() -> Self {
        const { assert!(MIN <= N && N <= MAX) };
        Bounded(N)
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl Depth {
    /// All the way down.
    pub fn unlimited() -> Depth {
        Depth::of::<-1>()
    }

    /// The depth as a limit; `None` for none.
    pub fn limit(self) -> Option<usize> {
        usize::try_from(self.0).ok()
    }
}

impl Offset {
    /// None.
    pub fn start() -> Offset {
        Offset::of::<0>()
    }

    /// The number of items.
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or_default()
    }
}

impl PageSize {
    /// 200, which every list tool takes unless it is told otherwise.
    pub fn usual() -> PageSize {
        PageSize::of::<200>()
    }

    /// The number of items.
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or_default()
    }
}

impl StepCount {
    /// One step.
    pub fn one() -> StepCount {
        StepCount::of::<1>()
    }
}

impl Seconds {
    /// The shortest.
    const MIN: f64 = 0.1;

    /// The longest.
    const MAX: f64 = 3600.0;

    /// So many whole seconds. That they lie within the bounds is checked at compile time.
    pub const fn of<const N: u16>() -> Seconds {
        const { assert!(1 <= N && N <= 3600) };
        Seconds(N as f64)
    }

    /// The time.
    pub fn duration(self) -> Duration {
        Duration::try_from_secs_f64(self.0).unwrap_or_default()
    }
}

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Seconds, String> {
        if (Seconds::MIN..=Seconds::MAX).contains(&seconds) {
            Ok(Seconds(seconds))
        } else {
            Err(format!("{seconds} is not within {} to {}", Seconds::MIN, Seconds::MAX))
        }
    }
}

impl From<Seconds> for f64 {
    fn from(seconds: Seconds) -> f64 {
        seconds.0
    }
}

impl<const MIN: i32, const MAX: i32> Real<MIN, MAX> {
    /// The number `N`. That it lies within the bounds is checked at compile time.
    pub fn of<const N: i32>() -> Self {
        const { assert!(MIN <= N && N <= MAX) };
        Real(f64::from(N))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The number in the precision of the engine's vectors.
    #[allow(clippy::cast_possible_truncation, reason = "the engine takes single precision")]
    pub fn single(self) -> f32 {
        self.0 as f32
    }
}

impl<const MIN: i32, const MAX: i32> TryFrom<f64> for Real<MIN, MAX> {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        if (f64::from(MIN)..=f64::from(MAX)).contains(&number) {
            Ok(Real(number))
        } else {
            Err(format!("{number} is not within {MIN} to {MAX}"))
        }
    }
}

impl<const MIN: i32, const MAX: i32> From<Real<MIN, MAX>> for f64 {
    fn from(number: Real<MIN, MAX>) -> f64 {
        number.0
    }
}

#[cfg(feature = "schema")]
impl<const MIN: i32, const MAX: i32> schemars::JsonSchema for Real<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Real_{MIN}_{MAX}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (least, most) = (f64::from(MIN), f64::from(MAX));
        schemars::json_schema!({ "type": "number", "minimum": least, "maximum": most })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Seconds {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (least, most) = (Seconds::MIN, Seconds::MAX);
        schemars::json_schema!({ "type": "number", "minimum": least, "maximum": most })
    }
}

impl<const MIN: i64, const MAX: i64> TryFrom<i64> for Bounded<MIN, MAX> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        if (MIN..=MAX).contains(&number) {
            Ok(Bounded(number))
        } else {
            Err(format!("{number} is not within {MIN} to {MAX}"))
        }
    }
}

impl<const MIN: i64, const MAX: i64> From<Bounded<MIN, MAX>> for i64 {
    fn from(number: Bounded<MIN, MAX>) -> i64 {
        number.0
    }
}

#[cfg(feature = "schema")]
impl<const MIN: i64, const MAX: i64> schemars::JsonSchema for Bounded<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Bounded_{MIN}_{MAX}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_within_the_bounds_are_read() {
        assert_eq!(serde_json::from_str::<Depth>("-1").unwrap().limit(), None);
        assert_eq!(serde_json::from_str::<Depth>("3").unwrap().limit(), Some(3));
        assert!(serde_json::from_str::<Depth>("-2").is_err());
        assert!(serde_json::from_str::<StepCount>("0").is_err());
    }

    #[test]
    fn only_finite_numbers_within_the_bounds_are_read() {
        let read = |text| serde_json::from_str::<Real<-1, 1>>(text).map(Real::get).ok();
        assert_eq!((read("-1"), read("0.5"), read("1")), (Some(-1.0), Some(0.5), Some(1.0)));
        assert_eq!(
            (read("1.001"), read("-3"), read("1e308"), read("null")),
            (None, None, None, None)
        );
        assert!(Real::<0, 1>::try_from(f64::NAN).is_err());
    }

    #[test]
    fn seconds_are_neither_none_nor_without_end() {
        let read = |text| serde_json::from_str::<Seconds>(text).map(Seconds::duration).ok();
        assert_eq!(read("0.1"), Some(Duration::from_millis(100)));
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!((read("0"), read("-1"), read("3600.1"), read("1e99")), (None, None, None, None));
        assert_eq!(serde_json::to_string(&Seconds::of::<10>()).unwrap(), "10.0");
    }
}
