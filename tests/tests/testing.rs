//! The toolset `testing`: whether the game does as it should.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, case, run};
use serde_json::json;

const COMPARE: &str = "testing_compare_screenshots";

/// 2 × 2 black pixels.
const BLACK: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAC0lEQVR42mNgQAYAAA4AATo1BFYAAAAASUVORK5CYII=";

/// The same, the last one white.
const ONE_WHITE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAD0lEQVR42mNggIP///8DAAYIAv5YIQGsAAAAAElFTkSuQmCC";

/// One black pixel.
const SMALL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNgYGAAAAAEAAHI6uv5AAAAAElFTkSuQmCC";

fn main() -> ExitCode {
    run([comparing(), refusals()].into_iter().flatten().collect())
}

fn comparing() -> Vec<Case> {
    vec![
        case("the same image matches, in whatever way it is named", |t| {
            let data = format!("data:image/png;base64,{BLACK}");
            let compared = t.ok(COMPARE, json!({"image_a": BLACK, "image_b": data}));
            assert_eq!((&compared["match"], &compared["score"]), (&json!(true), &json!(1.0)));
            assert!(compared.get("changed_region").is_none(), "{compared}");
        }),
        case("what differs is counted and framed", |t| {
            let compared = t.ok(COMPARE, json!({"image_a": BLACK, "image_b": ONE_WHITE}));
            assert_eq!(compared["same_size"], true, "{compared}");
            assert_eq!(
                (&compared["diff_pixels"], &compared["total_pixels"], &compared["diff_ratio"]),
                (&json!(1), &json!(4), &json!(0.25)),
                "{compared}"
            );
            assert_eq!(
                compared["changed_region"],
                json!({"x": 1, "y": 1, "width": 1, "height": 1})
            );
            assert_eq!(compared["score"], 0.75, "{compared}");
            assert_eq!(compared["match"], false, "{compared}");
            let tolerant = json!({"image_a": BLACK, "image_b": ONE_WHITE, "tolerance": 1.0});
            assert_eq!(t.ok(COMPARE, tolerant)["match"], true);
        }),
        case("two sizes are told, and nothing else is compared", |t| {
            let compared = t.ok(COMPARE, json!({"image_a": BLACK, "image_b": SMALL}));
            assert_eq!(compared["same_size"], false, "{compared}");
            assert_eq!(compared["other_size"], json!([1, 1]), "{compared}");
            assert_eq!(compared["match"], false, "{compared}");
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("what is no image of the project is refused", |t| {
        for (image, code) in [
            ("c99", "RESOURCE_NOT_FOUND"),
            ("res://none.png", "RESOURCE_NOT_FOUND"),
            ("res://project.godot", "VALIDATION_ERROR"),
            ("res://../a.png", "VALIDATION_ERROR"),
            ("file:///etc/a.png", "VALIDATION_ERROR"),
            ("no image", "VALIDATION_ERROR"),
            ("bm90IGE=", "VALIDATION_ERROR"),
        ] {
            let fault = t.fault(COMPARE, json!({"image_a": SMALL, "image_b": image}), code);
            assert_eq!(fault["required"], "image_b", "{fault}");
        }
        let path = t.path("false.png");
        fs::write(t.project().file(&path), "text").unwrap();
        t.fault(COMPARE, json!({"image_a": path, "image_b": SMALL}), "VALIDATION_ERROR");
    })]
}
