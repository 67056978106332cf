//! Secrets among settings, such as passwords and tokens. They are known by their names, and tools tell
//! a mask in place of what they are.
//!
//! Settings of the project, and files of settings such as the presets and the credentials of exports.
//! What a game or a script does with a secret is not looked at.

use std::borrow::Cow;

use protocol::{Fault, Required};
use serde_json::Value;

/// What is told in place of a secret.
const MASK: &str = "********";

/// What tools say where they have masked something.
pub(crate) const MASKED: &str =
    "By its name it is a secret, so ******** is told in its place. Ask the human if you need it.";

/// Words that the names of secrets end in.
const ENDS: [&[&str]; 18] = [
    &["password"],
    &["passwords"],
    &["passwd"],
    &["passphrase"],
    &["secret"],
    &["secrets"],
    &["token"],
    &["credential"],
    &["credentials"],
    &["apikey"],
    &["api", "key"],
    &["access", "key"],
    &["auth", "key"],
    &["encryption", "key"],
    &["private", "key"],
    &["secret", "key"],
    &["signing", "key"],
    &["bearer"],
];

/// Files of settings, by their extensions.
const SETTINGS: [&str; 4] = ["cfg", "env", "godot", "ini"];

/// Masks what is secret in the value of a setting. Tells whether something is.
pub(crate) fn mask(name: &str, value: &mut Value) -> bool {
    match value {
        Value::String(text) if is_secret(name) && !is_open(text) => {
            MASK.clone_into(text);
            true
        }
        Value::Array(items) => {
            let mut masked = false;
            items.iter_mut().for_each(|item| masked |= mask(name, item));
            masked
        }
        Value::Object(members) => {
            let mut masked = false;
            members.iter_mut().for_each(|(key, member)| masked |= mask(key, member));
            masked
        }
        _ => false,
    }
}

/// Refuses a value with a mask in it, which would take the place of the secret.
pub(crate) fn check(value: &Value) -> Result<(), Fault> {
    let has_mask = match value {
        Value::String(text) => text.contains(MASK),
        Value::Array(items) => return items.iter().try_for_each(check),
        Value::Object(members) => return members.values().try_for_each(check),
        _ => false,
    };
    if !has_mask {
        return Ok(());
    }
    Err(Fault::invalid(
        "The value has ******** in it, which tools tell in place of a secret: the secret would be lost. \
         Leave the setting as it is, or ask the human to change it. Nothing was changed.",
    )
    .requiring(Required::parameter("value")))
}

/// The text of a file with masks for the secrets in it, if it is a file of settings. Lines stay where
/// they are.
pub(crate) fn masked<'a>(path: &str, text: &'a str) -> Cow<'a, str> {
    let end = path.rsplit('.').next().unwrap_or_default();
    if !SETTINGS.contains(&end) {
        return Cow::Borrowed(text);
    }
    let is_of_credentials = path.ends_with("/export_credentials.cfg");
    let (mut lines, mut is_inside, mut any) = (Vec::new(), false, false);
    for line in text.split('\n') {
        if is_inside {
            // A text of several lines, up to its quote.
            is_inside = !ends_quoted(line);
            lines.push(Cow::Borrowed(""));
            continue;
        }
        let pair = line.find(['=', ':']).and_then(|at| line.split_at_checked(at + 1));
        match pair {
            Some((key, value)) if is_hidden(key, value.trim(), is_of_credentials) => {
                let value = value.trim();
                is_inside =
                    value.starts_with('"') && !ends_quoted(value.get(1..).unwrap_or_default());
                any = true;
                lines.push(Cow::Owned(format!("{key}\"{MASK}\"")));
            }
            _ => lines.push(Cow::Borrowed(line)),
        }
    }
    if any { Cow::Owned(lines.join("\n")) } else { Cow::Borrowed(text) }
}

/// Whether a line has a value that is to be masked.
fn is_hidden(key: &str, value: &str, is_of_credentials: bool) -> bool {
    let key = key.trim_end_matches(['=', ':']).trim().trim_matches('"');
    let is_text = value.parse::<f64>().is_err() && !["true", "false", "null"].contains(&value);
    let plain = value.trim_end_matches(',').trim_matches('"');
    let is_whole = !["{", "[", "("].iter().any(|open| value.ends_with(open));
    is_text && is_whole && !is_open(plain) && (is_secret(key) || is_of_credentials)
}

/// Whether a text ends in a quote, and not in one that is part of it.
fn ends_quoted(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(',');
    text.strip_suffix('"').is_some_and(|rest| !rest.ends_with('\\'))
}

/// Whether a name is that of a secret.
fn is_secret(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    // The name of an override has a feature at its end, such as ".web".
    let last = last.split('.').next().unwrap_or(last);
    let words = words(last);
    let ends_in = |end: &&[&str]| {
        let from = words.len().checked_sub(end.len());
        from.and_then(|from| words.get(from..)).is_some_and(|last| *last == **end)
    };
    ENDS.iter().any(ends_in)
}

/// Whether a value is none that has to be kept secret: nothing, or the path of something.
fn is_open(value: &str) -> bool {
    let path = value.trim_start_matches('*');
    value.is_empty() || ["res://", "uid://", "user://"].iter().any(|it| path.starts_with(it))
}

/// The words of a name, whether they are parted by signs or by capitals.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut was_small) = (vec![String::new()], false);
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && was_small);
        if begins && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_known_by_the_end_of_their_names() {
        for name in [
            "keystore/release_password",
            "script_encryption_key",
            "my_game/apiKey",
            "my_game/api_key.web",
            "auth-token",
            "Client Secret",
            "passwords",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "my_game/token/lifetime",
            "my_game/token_color",
            "my_game/secret_level",
            "application/config/name",
            "key",
            "input/enter_password_again",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn only_texts_are_masked_wherever_they_are() {
        for (name, value, expected) in [
            ("a/password", json!("x"), json!(MASK)),
            ("a/password", json!(""), json!("")),
            ("a/password", json!(5), json!(5)),
            ("a/password", json!("res://a.txt"), json!("res://a.txt")),
            (
                "a/tokens",
                json!({"api_key": ["x", 1], "n": "y"}),
                json!({"api_key": [MASK, 1], "n": "y"}),
            ),
        ] {
            let mut masked = value.clone();
            assert_eq!(mask(name, &mut masked), masked != value, "{name}");
            assert_eq!(masked, expected, "{name}");
            assert_eq!(check(&masked).is_err(), masked != value, "{name}");
        }
    }

    #[test]
    fn files_of_settings_keep_their_lines() {
        let text = "[a]\nuser=\"u\"\npassword=\"x\ny\"\nkey=\"k\"\nd={\n\"token\": \"t\",\n\"n\": 1\n}\napi_key = z\n";
        let expected = "[a]\nuser=\"u\"\npassword=\"********\"\n\nkey=\"k\"\nd={\n\"token\":\"********\"\n\"n\": 1\n}\napi_key =\"********\"\n";
        assert_eq!(masked("res://a.cfg", text), expected);
        assert_eq!(masked("res://a.gd", text), text);
        let text = "[preset.0]\nkeystore/release_user=\"me\"\nscript=\"\"\n";
        let expected = "[preset.0]\nkeystore/release_user=\"********\"\nscript=\"\"\n";
        assert_eq!(masked("res://.godot/export_credentials.cfg", text), expected);
    }
}
