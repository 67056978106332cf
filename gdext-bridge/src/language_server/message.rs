//! The messages of the language server: how it names files, and what it says of them.

use serde_json::Value;

use super::Finding;

/// A file as the server names it.
pub(super) fn uri(project: &str, path: &str) -> String {
    let project = without_end(project).trim_start_matches('/');
    let relative = path.strip_prefix("res://").unwrap_or(path);
    let mut uri = "file:///".to_owned();
    for byte in format!("{project}/{relative}").bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b':' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Whether the server means the same file. It does not always write down what it was given.
pub(super) fn is_about(told: &str, uri: &str) -> bool {
    let plain = |uri: &str| {
        let (mut bytes, mut rest) = (Vec::new(), uri.bytes());
        while let Some(byte) = rest.next() {
            let code =
                |a: u8, b: u8| u8::from_str_radix(&format!("{}{}", a as char, b as char), 16);
            match byte {
                b'%' => match (rest.next(), rest.next()) {
                    (Some(a), Some(b)) => bytes.push(code(a, b).unwrap_or(b'%')),
                    _ => bytes.push(b'%'),
                },
                byte => bytes.push(byte),
            }
        }
        bytes
    };
    plain(told) == plain(uri)
}

/// What the server found, from what it publishes.
pub(super) fn findings(diagnostics: Option<&Value>) -> Vec<Finding> {
    let diagnostics = diagnostics.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    // Some versions of the engine write whole numbers with a point.
    let number = |value: &Value, place: &str| value.pointer(place).and_then(Value::as_f64);
    let place = |value: &Value, place: &str| {
        number(value, place).unwrap_or_default().clamp(0.0, f64::from(u32::MAX - 1)) as u32 + 1
    };
    let finding = |diagnostic: &Value| Finding {
        is_error: number(diagnostic, "/severity") == Some(1.0),
        message: text(diagnostic, "/message").unwrap_or_default().to_owned(),
        line: place(diagnostic, "/range/start/line"),
        column: place(diagnostic, "/range/start/character"),
    };
    diagnostics.iter().map(finding).collect()
}

/// The method of a message.
pub(super) fn method(message: &Value) -> Option<&str> {
    text(message, "/method")
}

/// A text in a message.
pub(super) fn text<'a>(message: &'a Value, place: &str) -> Option<&'a str> {
    message.pointer(place).and_then(Value::as_str)
}

/// A folder without a slash at its end.
pub(super) fn without_end(folder: &str) -> &str {
    folder.trim_end_matches(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_the_server_names_them() {
        assert_eq!(uri("/home/ä b/", "res://c/d.gd"), "file:///home/%C3%A4%20b/c/d.gd");
        assert_eq!(uri("C:/game", "res://d.gd"), "file:///C:/game/d.gd");
        assert!(is_about("file:///home/ä b/c/d.gd", "file:///home/%C3%A4%20b/c/d.gd"));
        assert!(!is_about("file:///home/x.gd", "file:///home/y.gd"));
    }
}
