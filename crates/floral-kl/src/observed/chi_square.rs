//! The distribution of chi-square: the regularized upper incomplete gamma function.

/// The probability that chi-square of this many degrees of freedom is larger than x:
/// Q(n / 2, x / 2), by its series or its continued fraction (Press et al., Numerical Recipes, 6.2).
pub(super) fn exceedance(degrees: usize, x: f64) -> f64 {
    let (a, x) = (0.5 * degrees as f64, 0.5 * x);
    if x <= 0.0 || degrees == 0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - ln_gamma_of_half(degrees)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for k in 1..1000 {
            term *= x / (a + f64::from(k));
            sum += term;
            if term < 1e-16 * sum {
                break;
            }
        }
        return (1.0 - front * sum).max(0.0);
    }
    // Lentz's method.
    let mut b = x + 1.0 - a;
    let mut c = 1e300;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for k in 1..1000 {
        let factor = -f64::from(k) * (f64::from(k) - a);
        b += 2.0;
        d = 1.0 / (factor * d + b);
        c = b + factor / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

/// ln Gamma(n / 2), by its recurrence.
fn ln_gamma_of_half(n: usize) -> f64 {
    let first = match n % 2 {
        0 => 0.0,
        _ => 0.5 * std::f64::consts::PI.ln(),
    };
    let from = if n.is_multiple_of(2) { 2 } else { 1 };
    let factors = (from..n).step_by(2).map(|k| (0.5 * k as f64).ln());
    first + factors.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::exceedance;

    /// scipy.stats.chi2.sf.
    #[test]
    fn probabilities_are_those_of_tables() {
        for (degrees, x, expected) in [
            (1, 3.841_458_820_694_124, 0.05),
            (2, 5.991_464_547_107_979, 0.05),
            (5, 1.145_476_226_061_769_2, 0.95),
            (10, 29.588_298_445_074_42, 1e-3),
            (100, 149.449_252_779_071_5, 1e-3),
            (3, 0.0, 1.0),
        ] {
            let found = exceedance(degrees, x);
            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "{degrees} {x}: {found}"
            );
        }
        assert!(exceedance(4, 1e6) < 1e-300);
    }
}
