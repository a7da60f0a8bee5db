//! The standard normal distribution, from both tails.
//!
//! The distribution function is `libm`'s complementary error function, the quantile function Wichura's rational
//! approximations; both keep their relative precision down to the smallest probabilities.

use std::f64::consts::FRAC_1_SQRT_2;

/// P(Z ≤ z), to a relative error of about z²·10⁻¹⁶ in the lower tail.
pub(super) fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// P(Z > z): [`cdf`] mirrored.
pub(super) fn survival(z: f64) -> f64 {
    cdf(-z)
}

/// The z with P(Z ≤ z) = `lower` and P(Z > z) = `upper`, where the two add up to 1.
///
/// Wichura's algorithm AS 241 (PPND16, Applied Statistics 37, 1988): three rational approximations, relative
/// error about 10⁻¹⁶. Each tail is computed from its own probability, so neither loses precision.
pub(super) fn quantile(lower: f64, upper: f64) -> f64 {
    let central = if lower < 0.5 { lower - 0.5 } else { 0.5 - upper };
    if central.abs() <= 0.425 {
        let r = 0.180625 - central * central;
        return central * ratio(&CENTRE, r);
    }
    let r = (-libm::log(lower.min(upper))).sqrt();
    let z = if r <= 5.0 { ratio(&TAIL, r - 1.6) } else { ratio(&FAR_TAIL, r - 5.0) };
    if central < 0.0 { -z } else { z }
}

/// Numerator and denominator, constant term first.
type Rational = [[f64; 8]; 2];

fn ratio(polynomials: &Rational, x: f64) -> f64 {
    let [numerator, denominator] = polynomials.map(|c| c.iter().rev().fold(0.0, |sum, &c| sum * x + c));
    numerator / denominator
}

/// For |p − ½| ≤ 0.425, in 0.425² − (p − ½)².
const CENTRE: Rational = [
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
];

/// For tail probabilities down to e⁻²⁵, in √(−ln p) − 1.6.
const TAIL: Rational = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];

/// Beyond, in √(−ln p) − 5.
const FAR_TAIL: Rational = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_familiar_probabilities() {
        // To 17 digits, by mpmath.
        for (p, z) in [
            (0.5, 0.0),
            (0.9, 1.281_551_565_544_600_5),
            (0.975, 1.959_963_984_540_054),
            (1e-9, -5.997_807_015_007_687),
            (1e-20, -9.262_340_089_798_408),
            (1e-100, -21.273_453_560_965_324),
        ] {
            let got = quantile(p, 1.0 - p);
            assert!((got - z).abs() <= 4e-16 * z.abs(), "{got} for {z}");
        }
    }

    #[test]
    fn the_approximations_meet_without_a_step() {
        for seam in [0.075, libm::exp(-25.0)] {
            let (below, above) = (seam * (1.0 - 1e-15), seam * (1.0 + 1e-15));
            let (low, high) = (quantile(below, 1.0 - below), quantile(above, 1.0 - above));
            assert!((high / low - 1.0).abs() < 2e-15, "{low} and {high} at {seam}");
            assert_eq!(quantile(1.0 - below, below), -low);
        }
    }

    #[test]
    fn the_tails_mirror_each_other() {
        for z in [-30.0, -3.0, -0.1, 0.0, 1.7, 8.0] {
            assert_eq!(cdf(z), survival(-z));
        }
    }
}
