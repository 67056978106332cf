//! `project_scaffold`: what a new project begins with.

mod scaffold;
