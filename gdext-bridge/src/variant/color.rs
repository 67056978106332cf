//! Colors by their name or in hexadecimal digits.

use godot::builtin::Color;

use super::numbers;

/// `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` or the name of a color.
pub(super) fn read(text: &str) -> Option<Vec<f64>> {
    match text.strip_prefix('#') {
        Some(digits) => hex(digits),
        None => named(text),
    }
}

fn hex(digits: &str) -> Option<Vec<f64>> {
    let digits = digits.chars().map(|c| c.to_digit(16)).collect::<Option<Vec<_>>>()?;
    let mut channels: Vec<f64> = match digits.len() {
        3 | 4 => digits.iter().map(|digit| f64::from(digit * 17)).collect(),
        6 | 8 => digits
            .chunks_exact(2)
            .map(|pair| f64::from(pair.iter().fold(0, |sum, digit| sum * 16 + digit)))
            .collect(),
        _ => return None,
    };
    if channels.len() == 3 {
        channels.push(255.0);
    }
    // By way of 32 bits, as the engine does it.
    Some(channels.into_iter().map(|channel| f64::from(channel as f32 / 255.0)).collect())
}

fn named(text: &str) -> Option<Vec<f64>> {
    // The engine would also take hexadecimal digits without their '#'.
    let is_hex = text.chars().all(|c| c.is_ascii_hexdigit());
    let is_name =
        text.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, ' ' | '_' | '-' | '.'));
    if text.is_empty() || is_hex || !is_name {
        return None;
    }
    let name = text.strip_prefix("Color.").unwrap_or(text);
    Color::from_string(name).map(|color| numbers::color(color).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_four_lengths() {
        let red = Some(vec![1.0, 0.0, 0.0, 1.0]);
        for text in ["#f00", "#F00f", "#ff0000", "#FF0000ff"] {
            assert_eq!(read(text), red, "{text}");
        }
        for text in ["#", "#12", "#12345", "#ggg", "ff0000", "beef", "", "#ff 000"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
