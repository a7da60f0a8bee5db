"""What the Python peers share: the arguments, the clocks, and one line of JSON as the result."""

import json
import sys
import time


class Model:
    """The payments model: times in seconds, (mu, sigma) of lognormals, cuts per second of open stream."""

    def __init__(self, given):
        value = lambda name: float(given[name])
        self.hazard = value("hazard")
        self.arguments = value("arguments")
        self.prelude = (value("prelude_mu"), value("prelude_sigma"))
        self.latency = (value("latency_mu"), value("latency_sigma"))
        self.gap = (value("gap_mu"), value("gap_sigma"))


def main(simulate, warm_up=0):
    """Runs `simulate(model, turns, seed)`, which returns (naive's and the ledger's turns with a duplicate, conflicts).

    A first run of `warm_up` turns is not timed: it compiles, imports and touches memory.
    """
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    model, turns, seed = Model(given), int(given["turns"]), int(given["seed"])
    if warm_up:
        simulate(model, warm_up, seed)
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    naive, ledger, conflicts = simulate(model, turns, seed)
    cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
    counts = {"turns": turns, "naive": int(naive), "ledger": int(ledger), "conflicts": int(conflicts)}
    print(json.dumps(counts | {"cpu_ns": cpu, "wall_ns": wall}))
