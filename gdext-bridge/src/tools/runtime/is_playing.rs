//! `godot_runtime_is_playing`.

use protocol::{
    Fault,
    tools::runtime::{IsPlaying, PlayState},
};

use crate::plan::{Context, Read};

impl Read for IsPlaying {
    fn read(self, context: &Context) -> Result<PlayState, Fault> {
        Ok(context.game.state())
    }
}
