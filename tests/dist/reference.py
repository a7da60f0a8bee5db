"""Reference values for tests/dist: `python reference.py > reference.csv` (needs mpmath).

Every figure is computed here from the definition of the distribution, to 30 digits, on parameters that are the exact
binary values of the literals below. Expectations are integrals over ln x by 40-point Gauss-Legendre panels; nothing is
shared with the crate's own formulas.
"""

from mpmath import mp, mpf, exp, expm1, log, sqrt, erfc, erfinv, gamma, gammainc, loggamma, findroot, inf, pi

mp.dps = 40
NODES = None


def nodes():
    global NODES
    if NODES is None:
        n, out = 40, []
        for k in range(1, n + 1):
            x = mp.cos(pi * (mpf(k) - mpf(1) / 4) / (n + mpf(1) / 2))
            for _ in range(60):
                p, q = mpf(1), x
                for j in range(2, n + 1):
                    p, q = q, ((2 * j - 1) * x * q - (j - 1) * p) / j
                slope = n * (x * q - p) / (x * x - 1)
                step = q / slope
                x -= step
                if abs(step) < mpf(10) ** -38:
                    break
            out.append((x, 2 / ((1 - x * x) * slope * slope)))
        NODES = out
    return NODES


def panel(f, a, b):
    m, h = (a + b) / 2, (b - a) / 2
    return h * sum(w * f(m + h * x) for x, w in nodes())


class Continuous:
    """cdf, sf and density of ln X at x = e^y; `width` is the length in y over which the density changes."""

    low = -inf  # least y
    width = mpf(1)

    def integral(self, g, x):
        """E[g(X); X <= x]"""
        top = inf if x == inf else log(x)
        if top <= self.low:
            return mpf(0)
        f = lambda y: g(exp(y)) * self.density(y)
        step = min(self.width, mpf(1)) / 2
        # All panels in which the integrand is not negligible beside its largest value.
        start = self.centre if top == inf else min(self.centre, top)
        start = max(start, self.low)
        edges = {}
        peak = mpf(0)
        for sign in (1, -1):
            y, k = start, 0
            while True:
                z = y + sign * step
                z = min(z, top) if sign > 0 else max(z, self.low)
                if z == y:
                    break
                value = panel(f, min(y, z), max(y, z))
                edges[(sign, k)] = value
                peak = max(peak, value)
                # Until well past the peak: the integrand is unimodal.
                if value < peak * mpf(10) ** -36 and k > 4:
                    break
                if k > 20000:
                    raise Exception("no end")
                y, k = z, k + 1
        return sum(edges.values())

    def mean(self):
        return self.integral(lambda x: x, inf)

    def deficit(self, s, x=inf):
        cut = 100 / s
        if x > cut:
            beyond = self.sf(cut) - (self.sf(x) if x != inf else 0)
            return self.integral(lambda v: -expm1(-s * v) cut) + beyond
        return self.integral(lambda v: -expm1(-s * v), x)


class Exponential(Continuous):
    def __init__(self, mean):
        self.m = mpf(mean)
        self.centre = log(self.m)

    def density(self, y):
        x = exp(y) / self.m
        return x * exp(-x)

    def cdf(self, x):
        return -expm1(-x / self.m) if x > 0 else mpf(0)

    def sf(self, x):
        return exp(-x / self.m) if x > 0 else mpf(1)

    def quantile(self, p):
        return -self.m * mp.log1p(-p)


class Lognormal(Continuous):
    def __init__(self, mu, sigma):
        self.mu, self.sigma = mu, sigma
        self.centre, self.width = mu, sigma

    def density(self, y):
        z = (y - self.mu) / self.sigma
        return exp(-z * z / 2) / (self.sigma * sqrt(2 * pi))

    def cdf(self, x):
        return erfc((self.mu - log(x)) / self.sigma / sqrt(2)) / 2 if x > 0 else mpf(0)

    def sf(self, x):
        return erfc((log(x) - self.mu) / self.sigma / sqrt(2)) / 2 if x > 0 else mpf(1)

    def quantile(self, p):
        return exp(self.mu + self.sigma * score(p))


def score(p):
    with mp.workdps(80):
        return +(sqrt(2) * erfinv(2 * p - 1))


class Gamma(Continuous):
    def __init__(self, mean, shape):
        self.a = mpf(shape)
        self.theta = mpf(mean) / self.a
        self.centre, self.width = log(mpf(mean)), min(1, 1 / sqrt(self.a))

    def density(self, y):
        x = exp(y) / self.theta
        return exp(self.a * log(x) - x - loggamma(self.a))

    def cdf(self, x):
        return gammainc(self.a, 0, x / self.theta, regularized=True) if x > 0 else mpf(0)

    def sf(self, x):
        return gammainc(self.a, x / self.theta, inf, regularized=True) if x > 0 else mpf(1)

    def quantile(self, p):
        # Bisection on ln x, then secant: P and Q are monotone, nothing can go astray.
        f = (lambda t: log(self.cdf(exp(t)) / p)) if p < 0.5 else (lambda t: -log(self.sf(exp(t)) / (1 - p)))
        lo, hi = (log(p) + loggamma(1 + self.a)) / self.a + log(self.theta), log(self.theta * (self.a + 15 * sqrt(self.a) + 90))
        if self.a > 100:
            lo = max(lo, log(self.theta * (self.a - 12 * sqrt(self.a))))
        if p < 0.5 and self.a < 1 and lo < log(self.theta) - 100:
            return exp(lo)  # the power law is exact to more than 40 digits
        for _ in range(30):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
        return exp(findroot(f, (lo, hi), solver="secant", tol=mpf(10) ** -60, verify=False))


class Weibull(Continuous):
    def __init__(self, shape, scale):
        self.k, self.c = mpf(shape), mpf(scale)
        self.centre, self.width = log(self.c), min(1, 1 / self.k)

    def density(self, y):
        t = self.k * (y - log(self.c))
        return self.k * exp(t - exp(t))

    def cdf(self, x):
        return -expm1(-((x / self.c) ** self.k)) if x > 0 else mpf(0)

    def sf(self, x):
        return exp(-((x / self.c) ** self.k)) if x > 0 else mpf(1)

    def quantile(self, p):
        return self.c * (-mp.log1p(-p)) ** (1 / self.k)


class Pareto(Continuous):
    def __init__(self, low, alpha):
        self.m, self.alpha = mpf(low), mpf(alpha)
        self.low = self.centre = log(self.m)
        self.width = 1 / self.alpha

    def density(self, y):
        return self.alpha * exp(-self.alpha * (y - log(self.m)))

    def cdf(self, x):
        return 1 - self.sf(x)

    def sf(self, x):
        return (self.m / x) ** self.alpha if x > self.m else mpf(1)

    def quantile(self, p):
        return self.m * exp(-mp.log1p(-p) / self.alpha)

    def mean(self):
        return self.m * self.alpha / (self.alpha - 1) if self.alpha > 1 else inf


class Uniform:
    def __init__(self, a, b):
        self.a, self.b = mpf(a), mpf(b)

    def cdf(self, x):
        return min(max((x - self.a) / (self.b - self.a), mpf(0)), mpf(1))

    def sf(self, x):
        return 1 - self.cdf(x)

    def quantile(self, p):
        return self.a + p * (self.b - self.a)

    def mean(self):
        return (self.a + self.b) / 2

    def integral(self, g, x):
        x = min(x, self.b)
        if x <= self.a:
            return mpf(0)
        n = 64
        h = (x - self.a) / n
        return sum(panel(g, self.a + i * h, self.a + (i + 1) * h) for i in range(n)) / (self.b - self.a)

    def deficit(self, s, x=inf):
        x = min(x, self.b)
        if x <= self.a:
            return mpf(0)
        with mp.workdps(80):
            return +(((x - self.a) - (exp(-s * self.a) - exp(-s * x)) / s) / (self.b - self.a))


class Constant:
    def __init__(self, x):
        self.x = mpf(x)

    def cdf(self, x):
        return mpf(x >= self.x)

    def sf(self, x):
        return 1 - self.cdf(x)

    def integral(self, g, x):
        return g(self.x) if self.x <= x else mpf(0)

    def mean(self):
        return self.x

    def deficit(self, s, x=inf):
        return self.integral(lambda v: -expm1(-s * v), x)


class Moved:
    """base + shift, conditioned on not exceeding `top`"""

    def __init__(self, base, shift=0, top=inf):
        self.base, self.c, self.top = base, mpf(shift), mpf(top)
        self.at = self.top - self.c
        self.p = base.cdf(self.at) if top != inf else mpf(1)

    def cdf(self, x):
        return self.base.cdf(min(x - self.c, self.at)) / self.p

    def sf(self, x):
        if self.top == inf:
            return self.base.sf(x - self.c)
        return max((self.p - self.base.cdf(x - self.c)) / self.p, mpf(0))

    def quantile(self, p):
        return self.base.quantile(p * self.p) + self.c

    def mean(self):
        return self.base.integral(lambda x: x, self.at) / self.p + self.c if self.top != inf else self.base.mean() + self.c

    def integral(self, g, x):
        return self.base.integral(lambda v: g(v + self.c), min(x - self.c, self.at)) / self.p

    def deficit(self, s, x=inf):
        at = min(x - self.c, self.at)
        if at <= 0:
            return mpf(0)
        within = self.base.cdf(at) if at != inf else mpf(1)
        return (-expm1(-s * self.c) * within + exp(-s * self.c) * self.base.deficit(s, at)) / self.p


class Mixture:
    def __init__(self, parts):
        total = sum(mpf(w) for w, _ in parts)
        self.parts = [(mpf(w) / total, d) for w, d in parts]

    def cdf(self, x):
        return sum(w * d.cdf(x) for w, d in self.parts)

    def sf(self, x):
        return sum(w * d.sf(x) for w, d in self.parts)

    def mean(self):
        return sum(w * d.mean() for w, d in self.parts)

    def integral(self, g, x):
        return sum(w * d.integral(g, x) for w, d in self.parts)

    def deficit(self, s, x=inf):
        return sum(w * d.deficit(s, x) for w, d in self.parts)

    def quantile(self, p):
        f = (lambda t: self.cdf(exp(t)) - p) if p < 0.5 else (lambda t: (1 - p) - self.sf(exp(t)))
        lo, hi = mpf(-200), mpf(200)
        while hi - lo > mpf(10) ** -25:
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
        return exp((lo + hi) / 2)


def lognormal(mean=None, median=None, sigma=None, cv=None, **percentiles):
    if cv is not None:
        sigma = sqrt(log(1 + mpf(cv) ** 2))
    places = {score(mpf(int(k[1:])) / 100): mpf(v) for k, v in percentiles.items()}
    if median is not None:
        places[mpf(0)] = mpf(median)
    if sigma is None and mean is not None:
        ((z, q),) = places.items()
        d = log(q / mpf(mean))
        roots = [z - sqrt(z * z - 2 * d), z + sqrt(z * z - 2 * d)]
        sigma = min(r for r in roots if r > 0)
    elif sigma is None:
        (z, q), (y, r) = sorted(places.items())
        sigma = log(r / q) / (y - z)
    sigma = mpf(sigma)
    if mean is not None:
        return Lognormal(log(mpf(mean)) - sigma**2 / 2, sigma)
    ((z, q),) = list(places.items())[:1]
    return Lognormal(log(q) - z * sigma, sigma)


SAMPLES = [mpf(x) for x in (1.0, 3.0, 2.0, 2.0, 7.5)]


def interpolated():
    ordered = sorted(SAMPLES)
    return Mixture([(1, Constant(a) if a == b else Uniform(a, b)) for a, b in zip(ordered, ordered[1:])])


DISTRIBUTIONS = {
    "uniform": Uniform(0.5, 2.5),
    "exponential": Exponential(8.28),
    "lognormal prelude": lognormal(mean=8.28, cv=0.5),
    "lognormal latency": lognormal(mean=0.82, sigma=0.6),
    "lognormal cost": lognormal(median=180.0, p95=2400.0),
    "lognormal from mean and p99": lognormal(mean=2.0, p99=9.0),
    "lognormal from mean above p90": lognormal(mean=2.0, p90=1.5),
    "lognormal from p90 and p99": lognormal(p90=4.0, p99=11.0),
    "lognormal wide": lognormal(mean=1.0, sigma=4.0),
    "lognormal narrow": lognormal(median=3.0, sigma=0.001),
    "gamma 4": Gamma(0.5, 4.0),
    "gamma 1": Gamma(0.5, 1.0),
    "gamma 0.3": Gamma(2.0, 0.3),
    "gamma 0.01": Gamma(0.5, 0.01),
    "gamma 9.9": Gamma(1.0, 9.9),
    "gamma 10.1": Gamma(1.0, 10.1),
    "gamma 250": Gamma(30.0, 250.0),
    "gamma 10000": Gamma(0.5, 10000.0),
    "weibull 0.7": Weibull(0.7, 3 / gamma(1 + 1 / mpf(0.7))),
    "weibull 0.1": Weibull(0.1, 1.0),
    "weibull 20": Weibull(20.0, 2.0),
    "pareto 1.5": Pareto(1.0, 1.5),
    "pareto 1": Pareto(0.25, 1.0),
    "pareto 0.3": Pareto(1.0, 0.3),
    "pareto 40": Pareto(2.0, 40.0),
    "samples": Mixture([(1, Constant(x)) for x in SAMPLES]),
    "samples smooth": interpolated(),
    "exponential cut": Moved(Exponential(8.28), 1.5, 20.0),
    "lognormal cut": Moved(lognormal(mean=0.82, sigma=0.6), 0.25, 1.5),
    "lognormal cut low": Moved(lognormal(mean=0.82, sigma=0.6), 0.0, 0.03125),
    "gamma 0.3 cut": Moved(Gamma(2.0, 0.3), 0.0, 5.0),
    "gamma 250 cut": Moved(Gamma(30.0, 250.0), 0.0, 27.0),
    "weibull 0.7 cut": Moved(Weibull(0.7, 2.0), 1.0, 9.0),
    "pareto 0.3 cut": Moved(Pareto(1.0, 0.3), 0.0, 1000.0),
    "samples smooth cut": Moved(interpolated(), 0.5, 4.0),
    "mixture": Mixture([(3, lognormal(mean=0.82, sigma=0.6)), (1, Pareto(1.0, 1.5)), (0.5, Gamma(0.5, 4.0))]),
    "mixture with atom": Mixture([(0.99, lognormal(mean=0.82, sigma=0.6)), (0.01, Constant(30.0))]),
}

WORDS = [0, 1 << 12, 1 << 32, 1 << 50, 1 << 58, 1 << 61, 5 << 60, 1 << 63, 11 << 60, 7 << 61, 2**64 - (1 << 57), 2**64 - (1 << 40), 2**64 - (1 << 16), 2**64 - 1]
RATES = [1e-9, 1.6666666666666667e-6, 1e-3, 0.5, 20.0, 1e6]
PARTS = [0.05, 0.5, 0.97]  # where cdf, survival and partial transforms are asked, as probabilities


def text(x):
    return "inf" if x == inf else mp.nstr(x, 20)


def main():
    print("distribution,function,s,x,value")
    for name, d in DISTRIBUTIONS.items():
        print(f"{name},mean,,,{text(d.mean())}")
        for s in RATES:
            print(f"{name},deficit,{s!r},,{text(d.deficit(mpf(s)))}")
        discrete = name.startswith("samples") or "atom" in name
        if discrete:
            places = [1.25, 2.0, 3.75]
        else:
            # floats near the quantiles, the tails included
            places = [float(d.quantile(mpf(p))) for p in [1e-12, *PARTS, 1 - 2.0**-40]]
        for x in places:
            if x < 1e-290:
                continue
            x = mpf(x)
            print(f"{name},cdf,,{float(x)!r},{text(d.cdf(x))}")
            print(f"{name},survival,,{float(x)!r},{text(d.sf(x))}")
            for s in (1e-3, 20.0):
                value = d.cdf(x) - d.deficit(mpf(s), x)
                print(f"{name},up_to,{s!r},{float(x)!r},{text(value)}")
        if not discrete:
            for word in WORDS:
                p = (mpf(word) + mpf(1) / 2) / mpf(2) ** 64
                print(f"{name},quantile,,{word},{text(d.quantile(p))}")


main()
