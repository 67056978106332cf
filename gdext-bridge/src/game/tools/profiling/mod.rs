//! `profiling`: what the running game costs.

mod get_performance_monitors;
mod measure;
