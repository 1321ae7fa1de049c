//! Quantiles of the normal distribution, and Student's distribution.

use std::f64::consts::PI;

/// The standard normal quantile of a level between 0 and 1, to 16 digits: Wichura (1988), Applied
/// Statistics 37, algorithm AS 241.
pub fn normal_quantile(level: f64) -> f64 {
    let q = level - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(&CENTRE, r);
    }
    let tail = if q < 0.0 { level } else { 1.0 - level };
    if tail <= 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let value = if r <= 5.0 {
        ratio(&TAIL, r - 1.6)
    } else {
        ratio(&FAR, r - 5.0)
    };
    value.copysign(q)
}

type Rational = ([f64; 8], [f64; 8]);

fn ratio((above, below): &Rational, r: f64) -> f64 {
    let polynomial = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
    polynomial(above) / polynomial(below)
}

const CENTRE: Rational = (
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
);

const TAIL: Rational = (
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
);

const FAR: Rational = (
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
);

/// The probability that a variable of Student's distribution with these degrees of freedom is at
/// most `t`.
pub fn student_probability(t: f64, freedom: f64) -> f64 {
    let x = freedom / (freedom + t * t);
    let tail = 0.5 * incomplete_beta(0.5 * freedom, 0.5, x);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The quantile of Student's distribution, by bisection.
pub fn student_quantile(level: f64, freedom: f64) -> f64 {
    if level == 0.5 {
        return 0.0;
    }
    let tail = level.min(1.0 - level);
    let mut high = 1.0;
    while student_probability(-high, freedom) > tail && high < 1e300 {
        high *= 2.0;
    }
    let value = bisect(0.0, high, |t| student_probability(-t, freedom) < tail);
    if level < 0.5 { -value } else { value }
}

/// The point between `low` and `high` beyond which a condition holds.
pub(crate) fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

/// The regularized incomplete beta function, by its continued fraction (Press et al., Numerical
/// Recipes, 3rd edition, section 6.4; Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    if x < (a + 1.0) / (a + b + 2.0) {
        front.exp() * fraction(a, b, x) / a
    } else {
        1.0 - front.exp() * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let away = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..1000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            step = c * d;
            value *= step;
        }
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The logarithm of the gamma function for a positive argument: Lanczos (1964), g = 7, nine terms.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        return (PI / (PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let rest = TERMS.iter().enumerate().skip(1);
    let sum = rest.fold(TERMS[0], |sum, (i, term)| sum + term / (x + i as f64));
    let t = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.16, `scipy.stats.norm.ppf` and `scipy.stats.t`.
    #[test]
    fn quantiles_and_probabilities_agree_with_scipy() {
        let close = |found: f64, expected: f64| {
            assert!(
                (found - expected).abs() < 1e-11 * expected.abs().max(1.0),
                "{found} {expected}"
            );
        };
        close(normal_quantile(0.5), 0.0);
        close(normal_quantile(0.95), 1.644_853_626_951_472_2);
        close(normal_quantile(0.001), -3.090_232_306_167_813);
        close(normal_quantile(1e-20), -9.262_340_089_798_408);
        close(student_quantile(0.95, 7.0), 1.894_578_605_090_006_2);
        close(student_quantile(0.05, 15.0), -1.753_050_355_692_572_5);
        close(student_quantile(0.975, 1.0), 12.706_204_736_174_694);
        close(student_probability(2.0, 10.0), 0.963_305_982_614_629_9);
        close(student_probability(-0.3, 3.5), 0.390_566_704_919_944_8);
    }
}
