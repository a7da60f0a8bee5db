//! A brute-force oracle: single turns with every duration drawn and every instant computed, nothing shared with the
//! formulas but the scenario and its samplers. Blocking handler, constant hazard, attempts that never overlap.

use crate::{exact, scenario, text};
use doublefire::dispatch::rule::{Dispatcher, OnInFlight, Remember};
use doublefire::dist::Distribution;
use doublefire::draw::Word;
use doublefire::estimate::estimate;
use doublefire::scenario::{Cuts, Hazard, Policy, Scenario};
use doublefire::turn::{Class, DispatchAt, OnCut, Resumes, When};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn word(&mut self) -> Word {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Word(z ^ (z >> 31))
    }

    fn draw(&mut self, x: &Distribution) -> f64 {
        let word = self.word();
        x.quantile(word)
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.word().happens(probability)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Row {
    Absent,
    InFlight { claimed: f64 },
    Completed,
    Failed,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Committed,
    Cut,
    Crashed,
    Refused,
}

/// One turn: its calls' effects and rows, and the clock.
struct Turn<'a> {
    scenario: &'a Scenario,
    policy: &'a Policy,
    hazard: &'a Hazard,
    shape: usize,
    random: &'a mut Random,
    effects: Vec<u32>,
    rows: Vec<Row>,
    now: f64,
    finished: usize,
}

/// What strikes an attempt.
struct Strikes {
    /// Hazard left until the cut; infinite once it has struck.
    budget: f64,
    hazard: f64,
    crash: f64,
    silent: bool,
    cut: bool,
}

impl Turn<'_> {
    fn run(&mut self) {
        let shape = &self.scenario.shapes[self.shape];
        let mut issued = vec![0; self.scenario.routes.len()];
        let (mut route, mut first, mut committed) = (None, 0, false);
        for number in 0..self.scenario.run.max_attempts {
            let end = self.attempt(number as usize, route, first);
            committed |= end == End::Committed;
            let when = match end {
                End::Committed => When::Committed,
                End::Cut => When::StreamError,
                End::Crashed => When::Crash,
                End::Refused => When::Refused,
            };
            let whens = if committed { vec![when] } else { vec![when, When::FailedTurn] };
            route = whens.into_iter().find_map(|when| {
                let routes = &self.scenario.routes;
                (0..routes.len()).find(|&index| {
                    routes[index].when == when
                        && issued[index] < routes[index].max
                        && self.random.happens(routes[index].probability)
                })
            });
            let Some(index) = route else { return };
            issued[index] += 1;
            self.now += self.random.draw(&self.scenario.routes[index].delay);
            let by_step = self.scenario.routes[index].resumes == Resumes::Step && shape.steps.len() > 1;
            first = if by_step { self.finished } else { 0 };
        }
    }

    fn attempt(&mut self, number: usize, route: Option<usize>, first: usize) -> End {
        let scenario = self.scenario;
        let crash_rate = scenario.failure.crashes_per_hour / 3600.0;
        let mut strikes = Strikes {
            budget: self.random.word().exponential(),
            hazard: self.hazard.per_second[number.min(self.hazard.per_second.len() - 1)],
            crash: self.now + self.random.word().exponential() / crash_rate,
            silent: self.random.happens(scenario.failure.silent),
            cut: false,
        };
        self.finished = first;
        let shape = &scenario.shapes[self.shape];
        let mut call: usize = shape.steps[..first].iter().map(Vec::len).sum();
        for step in &shape.steps[first..] {
            if let Some(end) = self.step(step, call, route, &mut strikes) {
                return end;
            }
            if strikes.cut {
                break;
            }
            call += step.len();
            self.finished += 1;
        }
        self.now += self.random.draw(&scenario.stream.commit);
        if self.now > strikes.crash { self.crashed(&strikes) } else { End::Committed }
    }

    fn crashed(&mut self, strikes: &Strikes) -> End {
        self.now = strikes.crash;
        End::Crashed
    }

    /// Some end, or none where the step was finished or ended silently.
    fn step(&mut self, step: &[usize], first: usize, route: Option<usize>, strikes: &mut Strikes) -> Option<End> {
        let (scenario, phases) = (self.scenario, self.hazard.phases);
        let at_stop = scenario.stream.dispatch == DispatchAt::MessageStop;
        let mut complete = Vec::new();
        let stop = 'stream: {
            if let Some(stop) = self.stream(&scenario.stream.prelude, phases.prelude, strikes) {
                break 'stream Some(stop);
            }
            for (call, &tool) in (first..).zip(step) {
                let mut fresh = false;
                if let Some(route) = route {
                    let re_emits = scenario.re_emits(route, tool);
                    let place = self.random.word().lower();
                    if place < re_emits.dropped {
                        continue;
                    }
                    fresh = place < re_emits.dropped + re_emits.reworded;
                }
                if let Some(stop) = self.stream(&scenario.tools[tool].arguments, phases.arguments, strikes) {
                    break 'stream Some(stop);
                }
                if at_stop {
                    complete.push((call, tool, fresh));
                } else if let Some(stop) = self.dispatch(call, tool, fresh, route.is_some(), strikes) {
                    break 'stream Some(stop);
                }
            }
            self.stream(&scenario.stream.gap, phases.gap, strikes)
        };
        match stop {
            Some(End::Cut) if strikes.silent => strikes.cut = true,
            Some(end) => return Some(end),
            None => {}
        }
        for (call, tool, fresh) in complete {
            if let Some(end) = self.dispatch(call, tool, fresh, route.is_some(), strikes) {
                return Some(end);
            }
        }
        None
    }

    /// Time with the stream open and nothing running.
    fn stream(&mut self, x: &Distribution, multiplier: f64, strikes: &mut Strikes) -> Option<End> {
        let length = self.random.draw(x);
        let cut = strikes.cut_within(length, multiplier);
        let end = self.now + cut.unwrap_or(length);
        if strikes.crash < end {
            return Some(self.crashed(strikes));
        }
        self.now = end;
        cut.map(|_| End::Cut)
    }

    /// A dispatch up to its answer.
    fn dispatch(&mut self, call: usize, tool: usize, fresh: bool, replay: bool, strikes: &mut Strikes) -> Option<End> {
        let rules = &self.policy.rules;
        let remember = rules.dispatcher.rule(self.scenario.tools[tool].class).remember;
        if remember == Remember::Never || fresh {
            return self.run_tool(call, tool, None, strikes);
        }
        if replay && self.random.happens(self.policy.ledger_loss) {
            self.rows[call] = Row::Absent;
        }
        match (self.rows[call], rules.on_in_flight) {
            (Row::Absent, _) => self.run_tool(call, tool, Some(remember), strikes),
            (Row::Completed | Row::Failed, _) => None,
            (Row::InFlight { .. }, OnInFlight::Fail) => Some(End::Refused),
            (Row::InFlight { claimed }, OnInFlight::Takeover(lease)) => {
                assert!(self.now >= claimed + lease.length.as_seconds_f64(), "the oracle knows no waits");
                self.run_tool(call, tool, Some(remember), strikes)
            }
            _ => panic!("the oracle knows no waits"),
        }
    }

    fn run_tool(&mut self, call: usize, tool: usize, row: Option<Remember>, strikes: &mut Strikes) -> Option<End> {
        let (scenario, tool) = (self.scenario, &self.scenario.tools[tool]);
        let (length, outcome) = (self.random.draw(&tool.latency), self.random.word().lower());
        let effective = outcome >= tool.error_rate && tool.class.is_write();
        let open = scenario.stream.dispatch == DispatchAt::Completion;
        let hazard_cut = if open { strikes.cut_within(length, self.hazard.phases.tool) } else { None };
        let idle = scenario.failure.idle_timeout.map(|t| t.as_seconds_f64()).filter(|t| open && *t < length);
        let cut = [hazard_cut, idle].into_iter().flatten().reduce(f64::min);
        let drops = scenario.stream.on_cut == OnCut::Cancel && !strikes.silent;
        let runs_until = cut.filter(|_| drops).unwrap_or(length);
        let crash = strikes.crash - self.now;
        if row == Some(Remember::Before) {
            self.rows[call] = Row::InFlight { claimed: self.now };
        }
        self.effects[call] += u32::from(effective && tool.effect_at * length <= runs_until.min(crash));
        if crash < runs_until {
            return Some(self.crashed(strikes));
        }
        self.now += runs_until;
        if cut.is_some() && drops {
            return Some(End::Cut);
        }
        let unknown = (tool.error_rate..tool.error_rate + tool.unknown_rate).contains(&outcome);
        match row {
            Some(Remember::Before) if outcome < tool.error_rate => self.rows[call] = Row::Failed,
            Some(_) if outcome >= tool.error_rate && !unknown => self.rows[call] = Row::Completed,
            _ => {}
        }
        cut.map(|_| End::Cut)
    }
}

impl Strikes {
    /// When within `length` the cut strikes, if it does.
    fn cut_within(&mut self, length: f64, multiplier: f64) -> Option<f64> {
        let rate = self.hazard * multiplier;
        if self.budget < rate * length {
            let when = self.budget / rate;
            self.budget = f64::INFINITY;
            return Some(when);
        }
        self.budget -= rate * length;
        None
    }
}

/// Compares every policy's figures with `turns` turns of the oracle.
///
/// Each comparison is |z| < 4.5, which fails by chance with probability 7e-6.
fn assert_agrees(text: &str, turns: u32) {
    let scenario = scenario(text);
    let Cuts::Hazard(hazard) = &scenario.failure.cuts else { panic!("the oracle knows hazards only") };
    let estimate = estimate(&scenario);
    for (index, policy) in scenario.policies.iter().enumerate() {
        assert!(
            policy.rules.dispatcher != Dispatcher::Header
                || scenario.tools.iter().all(|t| t.class != Class::KeyedWrite)
        );
        let mut random = Random(20_240_607 + index as u64);
        let (mut sum, mut square, mut hit) = (0.0, 0.0, 0.0);
        for _ in 0..turns {
            let place = random.word().lower();
            let shares = scenario.shape_shares();
            let shape = (0..shares.len() - 1).find(|i| place < shares[..=*i].iter().sum()).unwrap_or(shares.len() - 1);
            let calls = scenario.shapes[shape].calls().count();
            let (effects, rows) = (vec![0; calls], vec![Row::Absent; calls]);
            let mut turn = Turn {
                scenario: &scenario,
                policy,
                hazard,
                shape,
                random: &mut random,
                effects,
                rows,
                now: 0.0,
                finished: 0,
            };
            turn.run();
            let duplicates: u32 = turn.effects.iter().map(|effects| effects.saturating_sub(1)).sum();
            sum += f64::from(duplicates);
            square += f64::from(duplicates * duplicates);
            hit += f64::from(u8::from(duplicates > 0));
        }
        let (n, ours) = (f64::from(turns), exact(&estimate, index));
        let (mean, p) = (sum / n, hit / n);
        let z = (ours.duplicates_per_turn - mean) / ((square / n - mean * mean) / n).sqrt();
        let z_turns = (ours.duplicate_turn_probability - p) / (p * (1.0 - p) / n).sqrt();
        assert!(sum > 1000.0, "{}: the oracle saw {sum} duplicates, too few to tell", policy.name);
        assert!(z.abs() < 4.5 && z_turns.abs() < 4.5, "{}: {mean:e} {p:e}, ours {ours:?}", policy.name);
    }
}

const READ: &str = r#"[[tool]]
name = "search"
class = "read"
arguments = "200ms"
latency = { exponential = { mean = "600ms" } }
"#;

#[test]
fn steps_with_several_calls_errors_and_drops_agree() {
    let rest = format!(
        r#"{READ}
[[shape]]
weight = 2
steps = [["search", "send_payment"], ["send_payment", "send_payment"], []]
[[shape]]
calls = ["send_payment", "search"]
[[route]]
name = "retry"
kind = "auto_retry"
max = 3
probability = 0.8
[[route]]
name = "user"
kind = "user_resend"
probability = 0.5
[model]
re_emits = {{ reworded = 0.2, dropped = 0.1 }}
[[policy]]
name = "naive"
dispatcher = "naive"
[[policy]]
name = "record_after"
dispatcher = "record_after"
[[policy]]
name = "ledger"
dispatcher = "ledger"
"#
    );
    let phases = "phases = { prelude = 0.5, arguments = 1, tool = 3, gap = 2 }";
    let tool = "error_rate = 0.2\neffect_at = 0.3";
    assert_agrees(&text("", &format!("hazard = {{ rate = 0.5, {phases} }}"), tool, &rest), 100_000);
}

#[test]
fn cancelling_with_an_idle_timeout_and_crashes_agrees() {
    let rest = r#"
[[shape]]
calls = ["send_payment", "send_payment"]
[[route]]
name = "retry"
kind = "auto_retry"
max = 2
delay = "20s"
[[route]]
name = "queue"
kind = "job_queue"
max = 2
delay = "30s"
[[policy]]
name = "naive"
dispatcher = "naive"
[[policy]]
name = "takeover"
dispatcher = "ledger"
on_in_flight = "takeover"
lease = "15s"
[[policy]]
name = "loss"
dispatcher = "ledger"
on_in_flight = "fail"
ledger_loss = 0.4
"#;
    let failure = "hazard = { rate = 0.3, phases = { tool = 4 } }\nidle_timeout = \"1s\"\ncrashes_per_hour = 60";
    let stream = "on_cut = \"cancel\"\ncommit = \"2s\"";
    assert_agrees(&text(stream, failure, "effect_at = 0.7", rest), 100_000);
}

#[test]
fn silent_ends_and_lost_acknowledgements_at_message_stop_agree() {
    let rest = format!(
        r#"{READ}
[[shape]]
steps = [["send_payment", "search", "send_payment"], ["send_payment"]]
[[route]]
name = "retry"
kind = "auto_retry"
resumes = "turn"
max = 3
[[route]]
name = "queue"
kind = "job_queue"
resumes = "step"
[[route]]
name = "again"
when = "committed"
probability = 0.2
[model]
re_emits = {{ reworded = 0, dropped = 0.3 }}
[[policy]]
name = "naive"
dispatcher = "naive"
"#
    );
    let failure = "hazard = { rate = 0.5 }\nreplay_rates = [0.3, 0.7]\nsilent = 0.4";
    assert_agrees(&text("dispatch = \"message_stop\"\ncommit = \"1s\"", failure, "", &rest), 100_000);
    let failure = "hazard = { rate = 0.5 }\ncrashes_per_hour = 200";
    assert_agrees(&text("dispatch = \"message_stop\"\ncommit = \"1s\"", failure, "", &rest), 100_000);
}
