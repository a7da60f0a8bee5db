"""The payments scenario as the peers take it: read from its file, its hazard solved for here, not by doublefire."""

import math
import tomllib

UNITS = {"ms": 1e-3, "s": 1.0}


class Scenario:
    """What the peers model, and no more: a file that says anything else is refused."""

    def __init__(self, path):
        file = tomllib.loads(path.read_text(encoding="utf-8"))
        (tool,), (shape,), (route,) = file["tool"], file["shape"], file["route"]
        plain = (
            set(file["stream"]) == {"prelude", "gap"}
            and set(file["failure"]) == {"hazard"}
            and set(file["failure"]["hazard"]) == {"rate"}
            and set(tool) == {"name", "class", "arguments", "latency", "cost"}
            and tool["class"] == "unkeyed_write"
            and shape == {"calls": [tool["name"]]}
            and {"name": route["name"], "kind": "auto_retry"} == route
            and {"population", "model"}.isdisjoint(file)
        )
        if not plain:
            raise SystemExit(f"{path} says more than the peers model; change both together")
        self.prelude = lognormal(file["stream"]["prelude"])
        self.gap = lognormal(file["stream"]["gap"])
        self.latency = lognormal(tool["latency"])
        self.arguments = seconds(tool["arguments"])
        self.rate = float(file["failure"]["hazard"]["rate"].rstrip("%")) / 100

    def cut_probability(self, hazard):
        """Of a first attempt: a stream is spared with the product of its phases' Laplace transforms."""
        spared = math.exp(-hazard * self.arguments)
        for phase in (self.prelude, self.latency, self.gap):
            spared *= laplace(phase, hazard)
        return 1 - spared

    def hazard(self):
        """Cuts per second of open stream at which the file's rate comes out, by bisection."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.cut_probability(middle) < self.rate else (low, middle)
        return high

    def model(self):
        """The arguments of a peer."""
        model = {"hazard": self.hazard(), "arguments": self.arguments}
        for name in ("prelude", "latency", "gap"):
            model[f"{name}_mu"], model[f"{name}_sigma"] = getattr(self, name)
        return model


def seconds(text):
    number = text.rstrip("ms")
    return float(number) * UNITS[text[len(number) :]]


def lognormal(table):
    """(mu, sigma) of `{ lognormal = { mean = …, sigma or cv = … } }`."""
    ((kind, given),) = table.items()
    if kind != "lognormal" or set(given) not in ({"mean", "sigma"}, {"mean", "cv"}):
        raise SystemExit(f"{table} is no distribution that the peers know")
    sigma = given["sigma"] if "sigma" in given else math.sqrt(math.log1p(given["cv"] ** 2))
    return math.log(seconds(given["mean"])) - sigma * sigma / 2, sigma


def laplace(parameters, s):
    """E[exp(-sX)] of a lognormal, by the trapezoidal rule over its normal: exact to rounding, so smooth it is."""
    mu, sigma = parameters
    step = 1 / 16
    points = (step * k for k in range(-160, 161))
    return step / math.sqrt(2 * math.pi) * sum(math.exp(-z * z / 2 - s * math.exp(mu + sigma * z)) for z in points)
