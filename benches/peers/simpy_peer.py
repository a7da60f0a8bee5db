"""The payments model in SimPy: a user who sends turn after turn, and streams that break.

Two idioms. `interrupts` is what SimPy's own guide does with machines that break down: a stream is a process, and a
second process interrupts it. `lean` knows the instant of the cut and yields no event that it can do without.
"""

import math
import random
import sys

import simpy

import peer


class Naive:
    """Runs every call."""

    def __init__(self):
        self.duplicates = 0

    def knows(self, intent):
        return False

    def ran(self, intent):
        pass


class Ledger(Naive):
    """Keeps a row for each call that ran, and answers from it when the call comes again."""

    def __init__(self):
        super().__init__()
        self.rows = set()
        self.conflicts = 0

    def knows(self, intent):
        known = intent in self.rows
        self.conflicts += known
        return known

    def ran(self, intent):
        self.rows.add(intent)


class Draws:
    """The lengths of one attempt, the same for whichever dispatcher plays it."""

    def __init__(self, rng, model):
        gauss, exp = rng.gauss, math.exp
        self.dispatch = exp(gauss(*model.prelude)) + model.arguments
        self.latency = exp(gauss(*model.latency))
        self.gap = exp(gauss(*model.gap))
        self.cut = rng.expovariate(model.hazard)


class Attempt:
    """What one attempt came to."""

    __slots__ = ("draws", "dispatched", "cut", "runs")

    def __init__(self, draws):
        self.draws = draws
        self.dispatched = self.cut = False
        self.runs = ()


def dispatch(attempt, intent, dispatchers):
    """Hands the call to the dispatchers that play this attempt; says how long the handler waits for the tool."""
    attempt.dispatched = True
    attempt.runs = [each for each in dispatchers if not each.knows(intent)]
    for each in attempt.runs:
        each.ran(intent)
    return attempt.draws.latency if attempt.runs else 0.0


def lean(env, attempt, intent, dispatchers):
    """One attempt as a part of the turn's process: an event where something happens, the cut in place of the rest."""
    draws = attempt.draws
    if draws.cut < draws.dispatch:
        attempt.cut = True
        yield env.timeout(draws.cut)
        return
    yield env.timeout(draws.dispatch)
    latency = dispatch(attempt, intent, dispatchers)
    yield env.timeout(latency)
    # A cut while the tool runs is noticed when it answers.
    left = draws.cut - draws.dispatch - latency
    attempt.cut = left < draws.gap
    if left > 0:
        yield env.timeout(min(left, draws.gap))


def interrupts(env, attempt, intent, dispatchers):
    """One attempt as a process of its own, and another one that breaks it."""
    stream = env.process(open_stream(env, attempt, intent, dispatchers))
    env.process(break_stream(env, stream, attempt.draws.cut))
    yield stream


def open_stream(env, attempt, intent, dispatchers):
    draws = attempt.draws
    answer = 0.0
    try:
        yield env.timeout(draws.dispatch)
        latency = dispatch(attempt, intent, dispatchers)
        answer = env.now + latency
        yield env.timeout(latency)
        yield env.timeout(draws.gap)
    except simpy.Interrupt:
        attempt.cut = True
        if answer > env.now:
            yield env.timeout(answer - env.now)


def break_stream(env, stream, after):
    yield env.timeout(after)
    if stream.is_alive:
        stream.interrupt()


def user(env, rng, model, turns, play, naive, ledger):
    """Sends turns; where a stream was cut, each dispatcher meets the same replay on its own."""
    for intent in range(turns):
        first = Attempt(Draws(rng, model))
        yield from play(env, first, intent, (naive, ledger))
        if first.cut:
            again = Draws(rng, model)
            for dispatcher in (naive, ledger):
                replay = Attempt(again)
                yield from play(env, replay, intent, (dispatcher,))
                dispatcher.duplicates += first.dispatched and len(replay.runs)
        # The turn is over: nothing asks for its row again.
        ledger.rows.discard(intent)


def simulate(play):
    def run(model, turns, seed):
        env, naive, ledger = simpy.Environment(), Naive(), Ledger()
        env.run(env.process(user(env, random.Random(seed), model, turns, play, naive, ledger)))
        return naive.duplicates, ledger.duplicates, ledger.conflicts

    return run


if __name__ == "__main__":
    idiom = {"lean": lean, "interrupts": interrupts}[sys.argv.pop(1)]
    peer.main(simulate(idiom), warm_up=1000)
