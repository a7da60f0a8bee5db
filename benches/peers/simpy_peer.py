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

    def runs(self, intent):
        return True


class Ledger(Naive):
    """Keeps a row for each call that it lets run, and answers from it when the call comes again."""

    def __init__(self):
        super().__init__()
        self.rows = set()
        self.conflicts = 0

    def runs(self, intent):
        if intent in self.rows:
            self.conflicts += 1
            return False
        self.rows.add(intent)
        return True


class Attempt:
    """The lengths of one attempt, and what it came to."""

    __slots__ = ("dispatch", "latency", "gap", "cut_after", "dispatched", "cut", "ran")

    def __init__(self, dispatch, latency, gap, cut_after):
        self.dispatch, self.latency, self.gap, self.cut_after = dispatch, latency, gap, cut_after
        self.dispatched = self.cut = self.ran = False


def draw(rng, model):
    """The lengths of one attempt, the same for whichever dispatcher plays it."""
    gauss, exp = rng.gauss, math.exp
    dispatch = exp(gauss(*model.prelude)) + model.arguments
    return dispatch, exp(gauss(*model.latency)), exp(gauss(*model.gap)), rng.expovariate(model.hazard)


def dispatch(attempt, intent, dispatchers):
    """Hands the call to the dispatchers that play this attempt; says how long the handler waits for the tool."""
    attempt.dispatched = True
    for dispatcher in dispatchers:
        attempt.ran |= dispatcher.runs(intent)
    return attempt.latency if attempt.ran else 0.0


def lean(env, attempt, intent, dispatchers):
    """One attempt as a part of the turn's process: an event where something happens, the cut in place of the rest."""
    if attempt.cut_after < attempt.dispatch:
        attempt.cut = True
        yield env.timeout(attempt.cut_after)
        return
    yield env.timeout(attempt.dispatch)
    latency = dispatch(attempt, intent, dispatchers)
    yield env.timeout(latency)
    # A cut while the tool runs is noticed when it answers.
    left = attempt.cut_after - attempt.dispatch - latency
    attempt.cut = left < attempt.gap
    if left > 0:
        yield env.timeout(left if attempt.cut else attempt.gap)


def interrupts(env, attempt, intent, dispatchers):
    """One attempt as a process of its own, and another one that breaks it."""
    stream = env.process(open_stream(env, attempt, intent, dispatchers))
    env.process(break_stream(env, stream, attempt.cut_after))
    yield stream


def open_stream(env, attempt, intent, dispatchers):
    answer = 0.0
    try:
        yield env.timeout(attempt.dispatch)
        latency = dispatch(attempt, intent, dispatchers)
        answer = env.now + latency
        yield env.timeout(latency)
        yield env.timeout(attempt.gap)
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
        first = Attempt(*draw(rng, model))
        yield from play(env, first, intent, (naive, ledger))
        if first.cut:
            again = draw(rng, model)
            for dispatcher in (naive, ledger):
                replay = Attempt(*again)
                yield from play(env, replay, intent, (dispatcher,))
                dispatcher.duplicates += first.dispatched and replay.ran
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
