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
        let told = context.game.output(|output| {
            // A number that there was not yet is one of another editor.
            let is_strange = self.since_seq > output.last();
            let since = if is_strange { 0 } else { self.since_seq };
            let hint = is_strange.then(|| {
                format!(
                    "No entry had the number {} yet: it is from before the editor was started again. This \
                     begins with the first entry that is kept.",
                    self.since_seq
                )
            });
            let mut window = Page::at(0).window(PAGE_CHARACTERS);
            let entries: Vec<OutputEntry> = output
                .since(since)
                .take_while(|entry| window.admits(entry))
                .cloned()
                .collect();
            let next_seq = entries.last().map_or(output.last(), |last| last.seq);
            GameOutput {
                playing: state.playing,
                connected: state.connected,
                session: output.session(),
                next_seq,
                total: output.total(),
                dropped: output.dropped(since),
                truncated: next_seq < output.last(),
                entries,
                hint,
            }
        });
        context.game.tell_output(told.next_seq);
        Ok(told)
    }
}
