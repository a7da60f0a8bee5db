//! Integrals of 1 − e^{−sX} and of X over a part of the line, to full relative precision however small they are.
//!
//! The variable is v = ln(X / scale). All families here have densities that are log-concave in v, and so are the
//! two integrands as functions of v, hence their products: each has a single peak and falls off at least
//! geometrically. Gauss–Legendre panels of fixed width march outwards from the peak until they add nothing.

/// A distribution whose logarithm has a log-concave density.
pub(super) trait LogConcave {
    /// Unit of the variable: v = ln(X / scale).
    fn scale(&self) -> f64;

    /// The least v.
    fn lowest(&self) -> f64 {
        f64::NEG_INFINITY
    }

    /// The length in v over which the density changes by about a factor e; more than 1 counts as 1.
    fn width(&self) -> f64 {
        1.0
    }

    /// Density at v.
    fn density(&self, v: f64) -> f64;

    /// Derivative of the density's logarithm at v.
    fn slope(&self, v: f64) -> f64;
}

/// The function of X that is integrated.
#[derive(Debug, Clone, Copy)]
pub(super) enum Integrand {
    /// 1 − e^{−sX}, for s > 0.
    Deficit(f64),
    /// X itself.
    Value,
}

impl Integrand {
    fn at(self, x: f64) -> f64 {
        match self {
            Integrand::Deficit(s) => -libm::expm1(-s * x),
            Integrand::Value => x,
        }
    }

    /// d ln / d ln x.
    fn slope(self, x: f64) -> f64 {
        match self {
            Integrand::Value => 1.0,
            Integrand::Deficit(s) => {
                let z = s * x;
                if z < f64::MIN_POSITIVE { 1.0 } else { z / libm::expm1(z) }
            }
        }
    }
}

/// Where 1 − e^{−z} is 1 to the last bit.
pub(super) const SATURATED: f64 = 40.0;

/// E[integrand(X); X ≤ x]. For [`Integrand::Deficit`] at s the bound must not exceed [`SATURATED`]/s: the rest has a
/// closed form.
pub(super) fn expectation<F: LogConcave>(family: &F, integrand: Integrand, x: f64) -> f64 {
    let scale = family.scale();
    let (low, high) = (family.lowest(), log_ratio(x, scale));
    if low >= high {
        return 0.0;
    }
    let value = |v: f64| integrand.at(scale * libm::exp(v)) * family.density(v);
    let slope = |v: f64| integrand.slope(scale * libm::exp(v)) + family.slope(v);
    let peak = peak(slope, low, high);
    // A peak at an end of the range is no stationary point: there the slope sets the length to resolve.
    // Sixteen points resolve two such lengths to the last bit.
    let width = 2.0 * family.width().min(1.0).min(4.0 / slope(peak).abs());
    march(&value, peak, high, width) + march(&value, peak, low, -width)
}

/// ln(x / scale), exact also next to 0: a Pareto may be truncated just above its minimum.
pub(super) fn log_ratio(x: f64, scale: f64) -> f64 {
    if 0.5 * scale < x && x < 2.0 * scale { libm::log1p((x - scale) / scale) } else { libm::log(x / scale) }
}

/// The zero of a decreasing slope within [low, high], or the end at which its product is highest.
fn peak(slope: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let start = 0.0_f64.clamp(low, high);
    let rising = slope(start) > 0.0;
    let (mut inside, mut step) = (start, if rising { 1.0 } else { -1.0 });
    let mut beyond;
    loop {
        beyond = (inside + step).clamp(low, high);
        if (slope(beyond) > 0.0) != rising {
            break;
        }
        if beyond == low || beyond == high {
            return beyond;
        }
        inside = beyond;
        step *= 2.0;
    }
    for _ in 0..30 {
        let middle = 0.5 * (inside + beyond);
        if (slope(middle) > 0.0) == rising {
            inside = middle;
        } else {
            beyond = middle;
        }
    }
    inside
}

/// The integral from `start` to `end` (of either sign of direction), in panels of `width` until they add nothing.
fn march(value: &impl Fn(f64) -> f64, start: f64, end: f64, width: f64) -> f64 {
    let (mut sum, mut from) = (0.0, start);
    while from != end {
        let to = if width > 0.0 { (from + width).min(end) } else { (from + width).max(end) };
        let panel = panel(value, from, to);
        sum += panel;
        if panel <= 1e-17 * sum {
            break;
        }
        from = to;
    }
    sum
}

/// The integral between two points, taken as positive, by the 16-point Gauss–Legendre rule.
fn panel(value: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let sum: f64 = GAUSS_LEGENDRE.iter().map(|(x, w)| w * (value(middle - half * x) + value(middle + half * x))).sum();
    sum * half.abs()
}

/// Positive nodes and weights of the 16-point rule on [−1, 1].
const GAUSS_LEGENDRE: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_096),
];
