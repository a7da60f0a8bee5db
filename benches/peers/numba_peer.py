"""The payments model in numba: one compiled loop over the turns."""

import numba
import numpy as np

import peer


@numba.njit(inline="always")
def lognormal(rng, parameters):
    mu, sigma = parameters
    return np.exp(mu + sigma * rng.standard_normal())


@numba.njit(inline="always")
def attempt(rng, hazard, arguments, prelude, latency, gap):
    """Plays one attempt; says whether it got to its dispatch and whether it was cut."""
    cut = rng.standard_exponential() / hazard
    dispatch = lognormal(rng, prelude) + arguments
    end = dispatch + lognormal(rng, latency) + lognormal(rng, gap)
    return cut >= dispatch, cut < end


@numba.njit(fastmath=True)
def turns_of(rng, turns, hazard, arguments, prelude, latency, gap):
    naive = ledger = conflicts = 0
    for _ in range(turns):
        ran, cut = attempt(rng, hazard, arguments, prelude, latency, gap)
        if cut:
            again, _ = attempt(rng, hazard, arguments, prelude, latency, gap)
            # Naive runs whatever is dispatched. The ledger runs what it has no row for.
            naive_effects = int(ran) + int(again)
            ledger_effects = int(ran) + int(again and not ran)
            naive += naive_effects > 1
            ledger += ledger_effects > 1
            conflicts += again and ran
    return naive, ledger, conflicts


def simulate(model, turns, seed):
    rng = np.random.Generator(np.random.SFC64(seed))
    return turns_of(rng, turns, model.hazard, model.arguments, model.prelude, model.latency, model.gap)


if __name__ == "__main__":
    peer.main(simulate, warm_up=1000)
