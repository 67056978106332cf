//! Why a value does not fit, and where in it.

use protocol::{Fault, Required};
use serde_json::Value;

/// A value that its receiver cannot hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Misfit {
    /// The element that is to blame, such as `[3].x`; empty for the value as a whole.
    pub(crate) at: String,
    /// Names the type and the accepted forms.
    pub(crate) message: String,
    /// The type of the value as a whole, where the misfit is inside it.
    pub(super) whole: String,
    /// Whether a file or node that the value names does not exist.
    pub(crate) not_found: bool,
}

impl Misfit {
    /// The value as a whole does not fit.
    pub(crate) fn new(message: impl Into<String>) -> Misfit {
        Misfit {
            at: String::new(),
            message: message.into(),
            whole: String::new(),
            not_found: false,
        }
    }

    /// The value names a file that does not exist.
    pub(super) fn missing(message: impl Into<String>) -> Misfit {
        Misfit { not_found: true, ..Misfit::new(message) }
    }

    /// `json` is no `kind`; `accepted` lists what is.
    pub(super) fn wrong(kind: &str, json: &Value, accepted: &str) -> Misfit {
        Misfit::new(format!("{kind} cannot hold {}; give {accepted}.", summary(json)))
    }

    /// The same misfit, seen from what holds the value as its element `index`.
    pub(super) fn in_element(self, index: usize) -> Misfit {
        self.inside(format!("[{index}]"))
    }

    /// The same misfit, seen from what holds the value under `key`.
    pub(super) fn in_field(self, key: &str) -> Misfit {
        self.inside(format!(".{key}"))
    }

    /// The same misfit, knowing the type of the value as a whole.
    pub(super) fn in_value(self, whole: String) -> Misfit {
        Misfit { whole, ..self }
    }

    fn inside(mut self, step: String) -> Misfit {
        self.at.insert_str(0, &step);
        self
    }
}

impl From<Misfit> for Fault {
    fn from(misfit: Misfit) -> Fault {
        let hint = match (misfit.at.trim_start_matches('.'), misfit.whole.as_str()) {
            ("", _) => misfit.message,
            (at, "") => format!("At {at}: {}", misfit.message),
            (at, whole) => format!("At {at} of {whole}: {}", misfit.message),
        };
        let fault = if misfit.not_found { Fault::not_found(hint) } else { Fault::invalid(hint) };
        fault.requiring(Required::parameter("value"))
    }
}

/// `json` in a few words, for a message.
pub(super) fn summary(json: &Value) -> String {
    const LONGEST: usize = 60;
    match json {
        Value::Array(items) if items.len() > 4 => format!("an array of {}", items.len()),
        Value::Object(fields) if fields.len() > 4 => format!("an object of {} keys", fields.len()),
        _ => {
            let text = json.to_string();
            if text.chars().count() <= LONGEST {
                return text;
            }
            text.chars().take(LONGEST).chain(['…']).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::ErrorCode;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misfit_says_where_it_is() {
        let misfit = Misfit::new("Needs y.").in_field("size").in_element(3);
        assert_eq!(misfit.at, "[3].size");
        let misfit = misfit.in_value("Array[Rect2]".to_owned());
        let fault = Fault::from(misfit);
        assert_eq!(fault.code, ErrorCode::ValidationError);
        assert_eq!(fault.hint, "At [3].size of Array[Rect2]: Needs y.");
        assert_eq!(fault.required, Some(Required::parameter("value")));
    }

    #[test]
    fn what_does_not_exist_is_not_found() {
        let fault = Fault::from(Misfit::missing("No file.").in_field("texture"));
        assert_eq!(fault.code, ErrorCode::ResourceNotFound);
        assert_eq!(fault.hint, "At texture: No file.");
    }

    #[test]
    fn a_summary_is_short() {
        assert_eq!(summary(&json!(1.7)), "1.7");
        assert_eq!(summary(&json!([1, 2, 3, 4, 5])), "an array of 5");
        assert!(summary(&json!("x".repeat(500))).chars().count() < 70);
    }
}
