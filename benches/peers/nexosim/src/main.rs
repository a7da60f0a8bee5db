//! The payments model in nexosim: one model that schedules the next event of the turn it is in.
//!
//! Lean: the instant of the cut is known when an attempt starts, so the cut takes the place of the event that it
//! forestalls and no event is ever cancelled. A turn that nothing disturbs has three: dispatch, answer, end. The next
//! turn starts where the last one ended.

use cpu_time::ProcessTime;
use nexosim::model::{Context, Model, SchedulableId, schedulable};
use nexosim::ports::{EventSource, QuerySource};
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use rand::SeedableRng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

/// Times in seconds, `(mu, sigma)` of lognormals, cuts per second of open stream.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Payments {
    hazard: f64,
    arguments: f64,
    prelude: (f64, f64),
    latency: (f64, f64),
    gap: (f64, f64),
}

/// The lengths of one attempt, the same for whichever dispatcher plays it.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Draws {
    dispatch: f64,
    latency: f64,
    gap: f64,
    cut: f64,
}

/// Who plays the attempt that is going on: the first one is both dispatchers', a replay is one's at a time.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Played {
    First,
    ByNaive,
    ByLedger,
}

/// Turns with a duplicate under naive and under the ledger, and calls that found a row.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Counts {
    naive: u64,
    ledger: u64,
    conflicts: u64,
}

/// A user who sends turn after turn, and the two dispatchers behind the stream.
#[derive(Serialize, Deserialize)]
struct User {
    payments: Payments,
    rng: Xoshiro256PlusPlus,
    turns_left: u64,
    played: Played,
    draws: Draws,
    /// The replay's, which both dispatchers meet.
    again: Draws,
    /// From the last event to the cut; negative if the stream was cut while the tool ran.
    until_cut: f64,
    /// Effects of this turn's intent.
    naive_effects: u64,
    ledger_effects: u64,
    /// Whether the ledger has a row for this turn's call.
    row: bool,
    counts: Counts,
}

#[Model]
impl User {
    fn new(payments: Payments, turns: u64, seed: u64) -> Self {
        User {
            payments,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            turns_left: turns,
            played: Played::First,
            draws: Draws::default(),
            again: Draws::default(),
            until_cut: 0.0,
            naive_effects: 0,
            ledger_effects: 0,
            row: false,
            counts: Counts::default(),
        }
    }

    /// Sends the next turn [input port].
    fn next_turn(&mut self, _: (), cx: &Context<Self>) {
        if self.turns_left > 0 {
            self.turns_left -= 1;
            (self.naive_effects, self.ledger_effects, self.row) = (0, 0, false);
            let draws = self.draw();
            self.begin(Played::First, draws, cx);
        }
    }

    /// What was counted [replier port].
    async fn counted(&mut self) -> Counts {
        self.counts
    }

    /// The call is complete: whoever plays this attempt runs it or knows it.
    #[nexosim(schedulable)]
    fn dispatch(&mut self, _: (), cx: &Context<Self>) {
        let (naive, ledger) = match self.played {
            Played::First => (true, true),
            Played::ByNaive => (true, false),
            Played::ByLedger => (false, true),
        };
        let known = ledger && self.row;
        self.counts.conflicts += u64::from(known);
        self.naive_effects += u64::from(naive);
        self.ledger_effects += u64::from(ledger && !known);
        self.row |= ledger;
        self.until_cut -= self.draws.dispatch;
        if naive || !known {
            self.until_cut -= self.draws.latency;
            after(self.draws.latency, schedulable!(Self::answer), (), cx);
        } else {
            self.answer((), cx);
        }
    }

    /// The tool has answered. A cut in the meantime is noticed now.
    #[nexosim(schedulable)]
    fn answer(&mut self, _: (), cx: &Context<Self>) {
        if self.until_cut < 0.0 {
            self.end(true, cx);
        } else {
            let cut = self.until_cut < self.draws.gap;
            after(self.draws.gap.min(self.until_cut), schedulable!(Self::end), cut, cx);
        }
    }

    /// The stream has ended, or was cut: then each dispatcher in turn plays the replay.
    #[nexosim(schedulable)]
    fn end(&mut self, cut: bool, cx: &Context<Self>) {
        match self.played {
            Played::First if cut => {
                self.again = self.draw();
                self.begin(Played::ByNaive, self.again, cx);
            }
            Played::ByNaive => self.begin(Played::ByLedger, self.again, cx),
            Played::First | Played::ByLedger => {
                self.counts.naive += u64::from(self.naive_effects > 1);
                self.counts.ledger += u64::from(self.ledger_effects > 1);
                self.next_turn((), cx);
            }
        }
    }

    fn begin(&mut self, played: Played, draws: Draws, cx: &Context<Self>) {
        (self.played, self.draws, self.until_cut) = (played, draws, draws.cut);
        if draws.cut < draws.dispatch {
            after(draws.cut, schedulable!(Self::end), true, cx);
        } else {
            after(draws.dispatch, schedulable!(Self::dispatch), (), cx);
        }
    }

    fn draw(&mut self) -> Draws {
        let Payments { hazard, arguments, prelude, latency, gap } = self.payments;
        let rng = &mut self.rng;
        let mut lognormal = |(mu, sigma): (f64, f64)| {
            let z: f64 = StandardNormal.sample(rng);
            (mu + sigma * z).exp()
        };
        let (dispatch, latency, gap) = (lognormal(prelude) + arguments, lognormal(latency), lognormal(gap));
        let cut: f64 = Exp1.sample(rng);
        Draws { dispatch, latency, gap, cut: cut / hazard }
    }
}

fn after<T>(seconds: f64, what: &SchedulableId<User, T>, argument: T, cx: &Context<User>)
where
    T: Send + Clone + 'static,
{
    // An event has to lie in the future.
    let delay = Duration::from_secs_f64(seconds).max(Duration::from_nanos(1));
    cx.schedule_event(delay, what, argument).expect("the delay is positive");
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given: BTreeMap<&str, &str> = arguments.iter().filter_map(|argument| argument.split_once('=')).collect();
    let text = |name: &str| given.get(name).copied().ok_or_else(|| format!("{name}=… is missing"));
    let number = |name: &str| -> Result<f64, Box<dyn Error>> { Ok(text(name)?.parse()?) };
    let payments = Payments {
        hazard: number("hazard")?,
        arguments: number("arguments")?,
        prelude: (number("prelude_mu")?, number("prelude_sigma")?),
        latency: (number("latency_mu")?, number("latency_sigma")?),
        gap: (number("gap_mu")?, number("gap_sigma")?),
    };
    let turns: u64 = text("turns")?.parse()?;
    let user = User::new(payments, turns, text("seed")?.parse()?);

    let mailbox = Mailbox::new();
    let mut bench = SimInit::with_num_threads(1);
    let start = EventSource::new().connect(User::next_turn, &mailbox).register(&mut bench);
    let counted = QuerySource::new().connect(User::counted, &mailbox).register(&mut bench);
    let mut simulation = bench.add_model(user, mailbox, "user").init(MonotonicTime::EPOCH)?;

    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    simulation.process_event(&start, ())?;
    simulation.run()?;
    let (wall, cpu) = (wall.elapsed().as_nanos(), cpu.elapsed().as_nanos());
    let Counts { naive, ledger, conflicts } = simulation.process_query(&counted, ())?;
    println!(
        r#"{{"turns": {turns}, "naive": {naive}, "ledger": {ledger}, "conflicts": {conflicts}, "cpu_ns": {cpu}, "wall_ns": {wall}}}"#
    );
    Ok(())
}
