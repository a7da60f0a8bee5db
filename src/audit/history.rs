//! What happened in the world, as far as the judge needs it: who meant what, which runs were started under which
//! key, how each got past the ledger, and what effects they had. Whoever drives dispatchers writes it.

use crate::dispatch::symbol::Symbol;

/// The place of an intent in [`History::intents`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntentId(pub u32);

/// The place of a run in [`History::runs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u32);

/// A place in the order in which things happened: of two at one instant of the clock, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Order(pub u64);

/// One call that the user meant.
#[derive(Debug, Clone, Copy)]
pub struct Intent {
    /// The turn it belongs to, in [`History::turns`].
    pub turn: u32,
    /// The tool, an index into the scenario's.
    pub tool: u32,
    /// Whose result it was answered with.
    pub served_by: ServedBy,
    first_run: Option<RunId>,
    last_run: Option<RunId>,
}

/// Whose result an intent got, where it was not its own: the farthest stranger counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ServedBy {
    /// Its own run's, or none.
    #[default]
    Own,
    /// That of another intent of its conversation.
    OtherIntent,
    /// That of another conversation's intent.
    OtherConversation,
}

/// How a run got to run although the ledger might have remembered its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// It found no row, or asks none.
    NoRow,
    /// The ledger could not be reached.
    WithoutLedger,
    /// It took over a row in flight.
    Takeover,
    /// It claimed a failed row anew.
    Reclaim,
}

/// One run of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// What it was for.
    pub intent: IntentId,
    /// What a key could see of the call.
    pub symbol: Symbol,
    /// When the call was dispatched (the run may start later, after a wait).
    pub dispatched: Order,
    /// How it got past the row.
    pub passage: Passage,
    /// Effects of its requests so far.
    pub effects: u32,
    /// When its result was recorded in the ledger.
    pub recorded: Option<Order>,
    next_of_intent: Option<RunId>,
}

/// What the user asked for once.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// Its conversation.
    pub conversation: u32,
    /// Its intents, in call order: the first one and how many.
    pub first_intent: IntentId,
    /// How many calls it has.
    pub intents: u32,
    /// Whether some attempt committed.
    pub committed: bool,
}

/// Everything that happened in one cell under one policy.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Turns in the order in which they began.
    pub turns: Vec<Turn>,
    /// Intents, those of a turn side by side.
    pub intents: Vec<Intent>,
    /// Runs in the order in which they started.
    pub runs: Vec<Run>,
}

impl History {
    /// Forgets everything and keeps its memory.
    pub fn clear(&mut self) {
        self.turns.clear();
        self.intents.clear();
        self.runs.clear();
    }

    /// A turn begins: it means one call of each of `tools`. Returns its place in [`History::turns`].
    pub fn begin_turn(&mut self, conversation: u32, tools: impl Iterator<Item = usize>) -> u32 {
        let turn = self.turns.len() as u32;
        let first = self.intents.len() as u32;
        self.intents.extend(tools.map(|tool| Intent {
            turn,
            tool: tool as u32,
            served_by: ServedBy::Own,
            first_run: None,
            last_run: None,
        }));
        let intents = self.intents.len() as u32 - first;
        self.turns.push(Turn { conversation, first_intent: IntentId(first), intents, committed: false });
        turn
    }

    /// A run of `intent` starts.
    pub fn begin_run(&mut self, intent: IntentId, symbol: Symbol, dispatched: Order, passage: Passage) -> RunId {
        let id = RunId(self.runs.len() as u32);
        self.runs.push(Run { intent, symbol, dispatched, passage, effects: 0, recorded: None, next_of_intent: None });
        let owner = &mut self.intents[intent.0 as usize];
        match owner.last_run.replace(id) {
            Some(last) => self.runs[last.0 as usize].next_of_intent = Some(id),
            None => owner.first_run = Some(id),
        }
        id
    }

    /// A call for `intent` was answered with the result of a run for `owner`.
    pub fn serve(&mut self, intent: IntentId, owner: IntentId) {
        if intent == owner {
            return;
        }
        let conversation = |i: IntentId| self.turns[self.intents[i.0 as usize].turn as usize].conversation;
        let stranger = conversation(intent) != conversation(owner);
        let by = if stranger { ServedBy::OtherConversation } else { ServedBy::OtherIntent };
        let served_by = &mut self.intents[intent.0 as usize].served_by;
        *served_by = (*served_by).max(by);
    }

    /// The runs of `intent` in the order in which they started.
    pub fn runs_of(&self, intent: IntentId) -> impl Iterator<Item = &Run> + Clone {
        let run = |id: RunId| &self.runs[id.0 as usize];
        std::iter::successors(self.intents[intent.0 as usize].first_run.map(run), move |r| r.next_of_intent.map(run))
    }
}
