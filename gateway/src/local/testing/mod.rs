//! `testing`: what needs no game.

pub(crate) mod compare_screenshots;
