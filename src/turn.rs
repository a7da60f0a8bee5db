//! The nouns of the model: what a tool is, why a turn is replayed, where a stream died, why an effect was
//! doubled. Terms and order are those of `docs/model.md`; the text forms are those of scenario files and reports.

/// Declares an enum whose variants have one text form each, used by scenario files, reports and plots alike.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every value, in the order of the model page.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The text form in files and reports.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The value with this text form.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name() == name)
            }

            /// The place of this value in [`Self::ALL`].
            #[must_use]
            pub const fn index(self) -> usize {
                self as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use vocabulary;

vocabulary! {
    /// What a tool does in the world and what its downstream makes of a forwarded key.
    Class {
        /// Changes nothing: has no effects and no intents that count.
        Read = "read",
        /// Its downstream remembers the forwarded `Idempotency-Key` for a retention.
        KeyedWrite = "keyed_write",
        /// Its downstream ignores the key: every request is an effect.
        UnkeyedWrite = "unkeyed_write",
    }
}

impl Class {
    /// Whether runs of the tool have effects.
    #[must_use]
    pub const fn is_write(self) -> bool {
        !matches!(self, Class::Read)
    }
}

vocabulary! {
    /// Where an attempt was when its stream was cut or its process crashed: the first that applies.
    Died {
        /// Nothing dispatched, no call block streaming.
        BeforeCall = "before_call",
        /// A call block was streaming its arguments, nothing was dispatched.
        Arguments = "arguments",
        /// Some dispatch had not returned; a waiting one counts.
        InFlight = "in_flight",
        /// At least one call was dispatched and all of them had returned.
        Returned = "returned",
        /// After the last `message_stop`, nothing in flight, not committed; crashes only.
        Stopped = "stopped",
    }
}

vocabulary! {
    /// Why a second effect of one intent got through.
    Cause {
        /// No key was forwarded and no row kept.
        NoMemory = "no_memory",
        /// A key was forwarded to a tool that ignores it, and no row kept.
        NotCovered = "not_covered",
        /// The ledger could not be reached when the run was dispatched.
        Unavailable = "unavailable",
        /// The result was recorded only after the second run had looked.
        RecordedTooLate = "recorded_too_late",
        /// The key moved though the call did not: call id, text, ordinal or call number.
        KeyDiffers = "key_differs",
        /// The model worded the arguments anew.
        ArgumentsChanged = "arguments_changed",
        /// The conversation had moved on when the replay was dispatched.
        PositionChanged = "position_changed",
        /// The row was gone: failover, restore or retention.
        RowLost = "row_lost",
        /// The row was in flight and was claimed anew.
        Takeover = "takeover",
        /// A failed row was claimed anew although its effect had happened.
        ReclaimedUnknown = "reclaimed_unknown",
        /// The downstream had forgotten the key.
        HeaderExpired = "header_expired",
        /// The tool's own client sent the request again.
        BelowTheLedger = "below_the_ledger",
    }
}

vocabulary! {
    /// The condition on which a replay route issues the turn again.
    When {
        /// The handler noticed a cut.
        StreamError = "stream_error",
        /// The process died.
        Crash = "crash",
        /// The dispatcher failed an attempt that had not been cut.
        Refused = "refused",
        /// An attempt was still active `after` from its start.
        Slow = "slow",
        /// No attempt active, none pending, never committed: the user saw the turn fail.
        FailedTurn = "failed_turn",
        /// An attempt committed and its acknowledgement got lost.
        Committed = "committed",
        /// An attempt committed in which a write was answered with an error or unknown.
        ToolError = "tool_error",
    }
}

vocabulary! {
    /// The commonest replay routes by name; each stands for defaults that every field can override.
    Kind {
        /// The SDK's or the application's own retry of a broken stream.
        AutoRetry = "auto_retry",
        /// The client reconnects and sends the request again.
        ClientReconnect = "client_reconnect",
        /// A job queue redelivers the job of a dead worker.
        JobQueue = "job_queue",
        /// A load balancer or hedging client sends a slow request to a second backend.
        LoadBalancer = "load_balancer",
        /// The user types it again.
        UserResend = "user_resend",
    }
}

vocabulary! {
    /// Which position a replay presents to the dispatcher.
    ReplayPosition {
        /// The original attempt's: it travels with the job or the request.
        Pinned = "pinned",
        /// The one the conversation has when the replay starts.
        Conversation = "conversation",
    }
}

vocabulary! {
    /// From where a replay goes on.
    Resumes {
        /// From the first step.
        Turn = "turn",
        /// From the step that was interrupted; finished steps are kept.
        Step = "step",
    }
}

vocabulary! {
    /// What the handler does while a tool runs.
    Handling {
        /// Waits for the tool before it reads on.
        Blocking = "blocking",
        /// Runs each tool in its own task; the stream goes on.
        Concurrent = "concurrent",
    }
}

vocabulary! {
    /// When a complete call is dispatched.
    DispatchAt {
        /// At its completion event, while the stream is still open.
        Completion = "completion",
        /// Only when the whole message has arrived.
        MessageStop = "message_stop",
    }
}

vocabulary! {
    /// What a cut does to dispatches that are running.
    OnCut {
        /// They run to their end.
        Finish = "finish",
        /// They are dropped where they stand.
        Cancel = "cancel",
    }
}

vocabulary! {
    /// What moves a conversation's position.
    Positions {
        /// Committed turns.
        Committed = "committed",
        /// Issued user messages.
        Messages = "messages",
    }
}

vocabulary! {
    /// What a keyed downstream answers to a known key that comes with other argument values.
    DownstreamMismatch {
        /// The first result.
        Replay = "replay",
        /// A definite error.
        Reject = "reject",
    }
}
