//! A bar on a terminal's standard error; nothing anywhere else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// How far a run has come.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// A bar of `turns` turns.
    pub(super) fn new(turns: u64) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style =
            ProgressStyle::with_template("{bar:40} {percent:>3} %  {human_pos} of {human_len} turns  {eta} left")
                .expect("the template is valid");
        Progress(ProgressBar::with_draw_target(Some(turns), target).with_style(style))
    }

    /// `turns` more turns are finished.
    pub(super) fn advance(&self, turns: u64) {
        self.0.inc(turns);
    }

    /// Takes the bar off the screen.
    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
