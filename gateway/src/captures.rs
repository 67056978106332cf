//! Screenshots: kept here, so that an agent can compare them without carrying them around.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use protocol::{Fault, Tool, stamp::NEW_ERRORS, tools::editor::Picture};
use serde_json::Value;

use crate::{
    call::{Answer, written},
    lock,
    registry::to_value,
};

/// How many screenshots are kept. The oldest goes first.
const KEPT: usize = 32;

/// Whether a tool answers with an image, and so has no structured result.
pub const fn shows_picture(tool: Tool) -> bool {
    matches!(tool, Tool::CaptureScreenshot | Tool::CaptureGameScreenshot)
}

/// The screenshots that agents took.
#[derive(Default)]
pub struct Captures(Mutex<Store>);

#[derive(Default)]
struct Store {
    taken: u64,
    kept: VecDeque<(String, Arc<Vec<u8>>)>,
}

impl Captures {
    /// Keeps the picture in an editor's answer, and gives what the client gets: the image, and what is
    /// said of it as text.
    ///
    /// # Errors
    /// If the answer holds no picture.
    pub fn keep(&self, answer: Value) -> Result<Answer, Fault> {
        let broken = |why: String| Fault::internal(format!("The picture cannot be read: {why}."));
        let news = answer.get(NEW_ERRORS).cloned();
        let mut picture: Picture =
            serde_json::from_value(answer).map_err(|error| broken(error.to_string()))?;
        let image = std::mem::take(&mut picture.png_base64);
        let png = BASE64_STANDARD.decode(&image).map_err(|error| broken(error.to_string()))?;
        if png.is_empty() {
            return Err(broken("it is empty".to_owned()));
        }
        picture.capture_id = self.store(png);
        let mut told = to_value(&picture)?;
        if let (Value::Object(told), Some(news)) = (&mut told, news) {
            told.insert(NEW_ERRORS.to_owned(), news);
        }
        Ok(Answer { image: Some(image), ..written(told) })
    }

    fn store(&self, png: Vec<u8>) -> String {
        let mut store = lock(&self.0);
        store.taken += 1;
        let id = format!("c{}", store.taken);
        store.kept.push_back((id.clone(), Arc::new(png)));
        if store.kept.len() > KEPT {
            store.kept.pop_front();
        }
        id
    }

    /// The PNG of the screenshot called `id`.
    ///
    /// # Errors
    /// `RESOURCE_NOT_FOUND`, with those that are kept.
    pub fn get(&self, id: &str) -> Result<Arc<Vec<u8>>, Fault> {
        let store = lock(&self.0);
        if let Some((_, png)) = store.kept.iter().find(|(kept, _)| kept == id) {
            return Ok(png.clone());
        }
        let known: Vec<&str> = store.kept.iter().map(|(kept, _)| kept.as_str()).collect();
        Err(Fault::not_found(format!(
            "There is no screenshot '{id}'. Kept are: {}. Take one with \
             godot_editor_capture_screenshot or godot_runtime_capture_game_screenshot.",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        )))
    }
}

/// Whether a text is the id of a screenshot, kept or not.
pub fn is_id(text: &str) -> bool {
    text.strip_prefix('c')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
        && text.len() < 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_screenshot_is_dropped() {
        let captures = Captures::default();
        for number in 0..=KEPT {
            captures.store(vec![u8::try_from(number).unwrap()]);
        }
        assert!(captures.get("c1").unwrap_err().hint.contains("c33"));
        assert_eq!(*captures.get("c33").unwrap(), [32]);
    }

    #[test]
    fn ids_are_told_from_images() {
        assert!(is_id("c1") && is_id("c120"));
        assert!(!is_id("c") && !is_id("iVBORw0KGgo=") && !is_id("c1x") && !is_id("res://c1.png"));
    }
}
