//! A call on a stack, as the engine prints it.

/// A call, as `at: function (file:line)` and the lines of a backtrace name it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The function.
    pub(super) function: String,
    /// The file, of the project or of the engine.
    pub(super) file: String,
    /// The line, counted from 1.
    pub(super) line: Option<i64>,
}

impl Call {
    /// Reads `function (file:line)`.
    pub(super) fn read(text: &str) -> Option<Call> {
        let (function, place) = text.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
        let (file, line) = match place.rsplit_once(':') {
            Some((file, line)) if line.parse::<i64>().is_ok() => (file, line.parse().ok()),
            _ => (place, None),
        };
        Some(Call { function: function.to_owned(), file: file.to_owned(), line })
    }

    /// Whether it is in a file of the project or of the user.
    pub(super) fn is_of_project(&self) -> bool {
        ["res://", "user://"].iter().any(|scheme| self.file.starts_with(scheme))
    }

    /// As it is told: `function (file:line)`.
    pub(super) fn told(&self) -> String {
        match self.line {
            Some(line) => format!("{} ({}:{line})", self.function, self.file),
            None => format!("{} ({})", self.function, self.file),
        }
    }
}
