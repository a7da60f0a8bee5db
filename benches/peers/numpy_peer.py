"""The payments model in numpy: whole columns of turns at a time, in chunks that stay in the cache."""

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


def simulate(kind):
    def run(model, turns, seed):
        rng = np.random.Generator(np.random.SFC64(seed))
        naive = ledger = conflicts = 0
        for done in range(0, turns, CHUNK):
            first = Columns(rng, model, min(CHUNK, turns - done), kind)
            cut = np.flatnonzero(first.cut < first.end())
            if len(cut) == 0:
                continue
            ran = first.cut[cut] >= first.dispatch[cut]
            again = Columns(rng, model, len(cut), kind)
            dispatched = again.cut >= again.dispatch
            # Naive runs whatever is dispatched. The ledger runs what it has no row for.
            naive += np.count_nonzero(ran & dispatched)
            runs = dispatched & ~ran
            ledger += np.count_nonzero(ran & runs)
            conflicts += np.count_nonzero(dispatched & ran)
        return naive, ledger, conflicts

    return run


if __name__ == "__main__":
    kind = {"f64": np.float64, "f32": np.float32}[sys.argv.pop(1)]
    peer.main(simulate(kind), warm_up=CHUNK)
