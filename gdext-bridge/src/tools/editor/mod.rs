//! `editor`: what the editor shows.

mod capture_screenshot;
mod off_screen;
