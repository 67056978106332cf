//! `godot_runtime_get_game_output`.

use protocol::{
    Fault, Required,
    tools::runtime::{GameOutput, GetGameOutput, OutputEntry},
};

use crate::{
    plan::{Context, Read},
    tools::page::{PAGE_CHARACTERS, Page},
};

impl Read for GetGameOutput {
    fn read(self, context: &Context) -> Result<GameOutput, Fault> {
        let state = context.game.state();
        if state.session.is_none() {
            return Err(Fault::precondition(
                Required::PLAY_SESSION,
                "No game was started since the editor was. Start one with godot_runtime_play_scene.",
            ));
        }
        Ok(context.game.output(|output| {
            let mut window = Page::at(0).window(PAGE_CHARACTERS);
            let entries: Vec<OutputEntry> = output
                .since(self.since_seq)
                .take_while(|entry| window.admits(entry))
                .cloned()
                .collect();
            let next_seq =
                entries.last().map_or(output.last().max(self.since_seq), |last| last.seq);
            GameOutput {
                playing: state.playing,
                connected: state.connected,
                session: output.session(),
                next_seq,
                total: output.last(),
                dropped: output.dropped(self.since_seq),
                truncated: next_seq < output.last(),
                entries,
            }
        }))
    }
}
