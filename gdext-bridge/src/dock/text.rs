//! How the dock writes things down: times, durations, and the text that Copy gives.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use godot::{classes::Time, prelude::*};

use crate::activity::Record;

/// The clock on the human's wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallClock {
    /// How far it is ahead of universal time.
    bias_minutes: i64,
}

impl WallClock {
    /// The clock of this system, summer time included.
    pub(super) fn of_system() -> WallClock {
        let zone = Time::singleton().get_time_zone_from_system();
        let bias = zone.get("bias").and_then(|bias| bias.try_to::<i64>().ok());
        WallClock { bias_minutes: bias.unwrap_or_default() }
    }

    /// The time of day, such as `09:41:07`.
    pub(super) fn time(self, at: SystemTime) -> String {
        let universal = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let local = i64::try_from(universal).unwrap_or_default() + self.bias_minutes * 60;
        let of_day = local.rem_euclid(24 * 60 * 60);
        format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
    }
}

/// A duration in milliseconds, as exact as it matters.
pub(super) fn millis(took: Duration) -> String {
    let millis = took.as_secs_f64() * 1000.0;
    if millis < 10.0 { format!("{millis:.2}") } else { format!("{millis:.0}") }
}

/// A command by the tool's name, without the prefix that all of them have.
pub(super) fn command(record: &Record) -> String {
    let name = record.tool.name();
    let name = name.strip_prefix("godot_").unwrap_or(name);
    if record.preview { format!("{name} (preview)") } else { name.to_owned() }
}

/// What became of a command.
pub(super) fn outcome(record: &Record) -> &'static str {
    record.error.map_or("ok", |error| error.name())
}

/// The commands as lines of text, oldest first.
pub(super) fn lines(records: &[Record], clock: WallClock) -> String {
    let line = |record: &Record| {
        let (time, took) = (clock.time(record.at), millis(record.took));
        format!("{time}\t{}\t{}\t{took} ms\n", command(record), outcome(record))
    };
    records.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use protocol::{ErrorCode, Tool};

    use super::*;

    #[test]
    fn the_time_of_day_is_local() {
        let at = UNIX_EPOCH + Duration::from_secs(23 * 3600 + 59 * 60 + 58);
        assert_eq!(WallClock { bias_minutes: 0 }.time(at), "23:59:58");
        assert_eq!(WallClock { bias_minutes: 330 }.time(at), "05:29:58");
        assert_eq!(WallClock { bias_minutes: -600 }.time(UNIX_EPOCH), "14:00:00");
    }

    #[test]
    fn a_copied_line_tells_time_command_outcome_and_duration() {
        let record = Record {
            at: UNIX_EPOCH,
            tool: Tool::from_wire("cmd_rename_node").unwrap(),
            preview: true,
            error: Some(ErrorCode::ResourceNotFound),
            took: Duration::from_micros(1234),
        };
        assert_eq!(
            lines(&[record], WallClock { bias_minutes: 0 }),
            "00:00:00\tscene_edit_rename_node (preview)\tRESOURCE_NOT_FOUND\t1.23 ms\n"
        );
    }
}
