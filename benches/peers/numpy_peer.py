"""The payments model in numpy: whole columns of turns at a time, in chunks that stay in the cache.

`skip` draws only the turns whose first stream is cut: how many of a chunk's they are, then what they look like.
"""

import sys

import numpy as np

import peer

CHUNK = 10_000


class Columns:
    """Attempts as columns: when the call is dispatched, when its answer is there, when the stream ends or is cut."""

    def __init__(self, rng, model, size, kind):
        self.dispatch = lognormal(rng, model.prelude, size, kind)
        self.dispatch += kind(model.arguments)
        self.latency = lognormal(rng, model.latency, size, kind)
        self.gap = lognormal(rng, model.gap, size, kind)
        self.cut = rng.standard_exponential(size, dtype=kind)
        self.cut *= kind(1.0 / model.hazard)

    def end(self):
        return self.dispatch + self.latency + self.gap


def lognormal(rng, parameters, size, kind):
    mu, sigma = parameters
    values = rng.standard_normal(size, dtype=kind)
    values *= kind(sigma)
    values += kind(mu)
    return np.exp(values, out=values)


def replayed(rng, model, ran, kind):
    """Replays of cut turns, `ran` saying whose call had run: naive's and the ledger's duplicates, and the conflicts."""
    again = Columns(rng, model, len(ran), kind)
    dispatched = again.cut >= again.dispatch
    # Naive runs whatever is dispatched. The ledger runs what it has no row for.
    runs = dispatched & ~ran
    return np.array([np.count_nonzero(both) for both in (ran & dispatched, ran & runs, dispatched & ran)])


def every(kind):
    def simulate(model, turns, seed):
        rng = np.random.Generator(np.random.SFC64(seed))
        counts = np.zeros(3, dtype=np.int64)
        for done in range(0, turns, CHUNK):
            first = Columns(rng, model, min(CHUNK, turns - done), kind)
            cut = np.flatnonzero(first.cut < first.end())
            counts += replayed(rng, model, first.cut[cut] >= first.dispatch[cut], kind)
        return counts

    return simulate


def skip(model, turns, seed):
    """A stream is cut at t with density h exp(-h t) P(length > t). Over all t, h P(length > t) adds up to h E[length]:
    that many candidates, each with t uniform in a length that is drawn in proportion to itself. One in exp(h t) stays.
    """
    rng = np.random.Generator(np.random.SFC64(seed))
    # The arguments are a lognormal without spread.
    phases = np.array([model.prelude, (np.log(model.arguments), 0.0), model.latency, model.gap])
    mu, sigma = phases[:, :1], phases[:, 1:]
    until = np.cumsum(np.exp(mu + sigma * sigma / 2))
    number = np.arange(len(phases))[:, None]
    counts = np.zeros(3, dtype=np.int64)
    for done in range(0, turns, 100 * CHUNK):
        candidates = rng.binomial(min(100 * CHUNK, turns - done), model.hazard * until[-1])
        struck = np.searchsorted(until, rng.random(candidates) * until[-1])
        # In proportion to itself, a lognormal has sigma squared more as its mu.
        normal = rng.standard_normal((len(phases), candidates)) + sigma * (number == struck)
        lengths = np.exp(mu + sigma * normal)
        share = (number < struck) + (number == struck) * rng.random(candidates)
        cut = rng.standard_exponential(candidates) > model.hazard * (share * lengths).sum(axis=0)
        counts += replayed(rng, model, struck[cut] >= 2, np.float64)
    return counts


if __name__ == "__main__":
    how = {"f64": every(np.float64), "f32": every(np.float32), "skip": skip}[sys.argv.pop(1)]
    peer.main(how, warm_up=CHUNK)
