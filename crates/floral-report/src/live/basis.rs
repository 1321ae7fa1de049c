//! A small orthonormal basis for many fields, found by a greedy algorithm.

/// Maximum number of members.
const MOST: usize = 96;

/// A mean field and orthonormal members, in units of the channel widths.
pub(super) struct Basis {
    mean: Vec<f64>,
    pub members: Vec<Vec<f64>>,
    /// The width of the channel of each value.
    widths: Vec<f64>,
}

impl Basis {
    /// The basis that leaves a residual of at most this root mean square, in widths, in every
    /// field. The mean is over the `inside` values within the domain; all others are zero.
    ///
    /// The field that is farthest from the basis becomes its next member: the strong greedy
    /// algorithm, Binev et al. (2011), "Convergence rates for greedy algorithms in reduced basis
    /// methods".
    pub fn of(fields: &[Vec<f64>], widths: &[f64], left_out: f64, inside: usize) -> Self {
        let size = fields.first().map_or(0, Vec::len);
        let count = fields.len().max(1) as f64;
        let at = |i: usize| fields.iter().map(|f| f[i]).sum::<f64>() / count;
        let mut basis = Self {
            mean: (0..size).map(at).collect(),
            members: Vec::new(),
            widths: widths.to_vec(),
        };
        let mut rest: Vec<Vec<f64>> = fields.iter().map(|field| basis.centred(field)).collect();
        while basis.members.len() < MOST.min(fields.len()) {
            let norms = rest.iter().map(|field| square(field));
            let farthest = norms.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((k, norm)) = farthest else { break };
            if (norm / inside as f64).sqrt() <= left_out {
                break;
            }
            let member: Vec<f64> = rest[k].iter().map(|v| v / norm.sqrt()).collect();
            for field in &mut rest {
                let part = product(field, &member);
                let pairs = field.iter_mut().zip(&member);
                pairs.for_each(|(value, member)| *value -= part * member);
            }
            basis.members.push(member);
        }
        basis
    }

    /// The width of the channel of a value.
    pub fn width(&self, index: usize) -> f64 {
        self.widths[index]
    }

    /// The mean field in the units of the data.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    fn centred(&self, field: &[f64]) -> Vec<f64> {
        let values = field.iter().zip(&self.mean).zip(&self.widths);
        values
            .map(|((v, mean), width)| (v - mean) / width)
            .collect()
    }

    pub fn coefficients(&self, field: &[f64]) -> Vec<f64> {
        let centred = self.centred(field);
        self.members
            .iter()
            .map(|member| product(member, &centred))
            .collect()
    }

    pub fn field(&self, coefficients: &[f64]) -> Vec<f64> {
        let at = |i: usize| {
            let sum = coefficients.iter().zip(&self.members);
            let sum: f64 = sum.map(|(c, member)| c * member[i]).sum();
            self.mean[i] + self.widths[i] * sum
        };
        (0..self.mean.len()).map(at).collect()
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn square(a: &[f64]) -> f64 {
    product(a, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_two_shapes_take_two_members_and_come_back() {
        let field = |a: f64, b: f64| -> Vec<f64> {
            (0..50)
                .map(|i| 3.0 + a * f64::from(i) + b * f64::from(i * i))
                .collect()
        };
        let fields: Vec<_> = (0..9)
            .map(|k| field(f64::from(k % 3), f64::from(k / 3)))
            .collect();
        let basis = Basis::of(&fields, &[10.0; 50], 1e-9, 50);
        assert_eq!(basis.members.len(), 2);
        let other = field(0.3, 1.7);
        let found = basis.field(&basis.coefficients(&other));
        assert!(found.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-8));
    }

    #[test]
    fn points_outside_the_domain_do_not_loosen_the_basis() {
        let field = |k: i32, outside: usize| -> Vec<f64> {
            let inside = (0..40).map(|i| (0.3 * f64::from(i * k)).sin() / f64::from(k).powi(3));
            inside.chain(std::iter::repeat_n(0.0, outside)).collect()
        };
        let members = |outside: usize| {
            let fields: Vec<_> = (1..20).map(|k| field(k, outside)).collect();
            let basis = Basis::of(&fields, &vec![1.0; 40 + outside], 2e-3, 40);
            basis.members.len()
        };
        assert_eq!(members(0), members(400));
    }
}
