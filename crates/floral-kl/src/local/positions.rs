//! Functions of position: along axes that do not roll, or of the coordinates of scattered points.

use crate::Lattice;

/// Products of functions along `axes` up to a total degree, at every point: Legendre polynomials,
/// or harmonics along a periodic axis.
pub(super) fn positions(lattice: &Lattice, axes: &[usize], degree: usize) -> Vec<Vec<f64>> {
    let mut products = vec![(0, vec![1.0; lattice.len()])];
    for functions in functions(lattice, axes, degree) {
        let longer = products.iter().flat_map(|(total, product)| {
            let left = degree - total;
            let short = functions.iter().filter(move |(k, _)| *k <= left);
            short.map(move |(k, function)| {
                let values = product.iter().zip(function).map(|(v, f)| v * f);
                (total + k, values.collect::<Vec<f64>>())
            })
        });
        products = longer.collect();
    }
    products.into_iter().map(|(_, product)| product).collect()
}

/// A function of the position at every point, with its degree.
type Function = (usize, Vec<f64>);

/// The functions of every axis, or of every coordinate of scattered points.
fn functions(lattice: &Lattice, axes: &[usize], degree: usize) -> Vec<Vec<Function>> {
    if let Some(points) = lattice.points() {
        let polynomial = |x: &Vec<f64>, k: usize| -> Function {
            (k, x.iter().map(|x| legendre(k, 2.0 * x - 1.0)).collect())
        };
        let of = |x: &Vec<f64>| (0..=degree).map(|k| polynomial(x, k)).collect();
        return points.coordinates().iter().map(of).collect();
    }
    let of = |&axis: &usize| {
        let everywhere = |(k, line): Function| -> Function {
            let at = |p: usize| line[lattice.position(p, axis)];
            (k, (0..lattice.len()).map(at).collect())
        };
        along(lattice, axis, degree)
            .into_iter()
            .map(everywhere)
            .collect()
    };
    axes.iter().map(of).collect()
}

/// The functions along one axis, each with its degree.
fn along(lattice: &Lattice, axis: usize, degree: usize) -> Vec<Function> {
    let n = lattice.axes[axis].len;
    if lattice.axes[axis].periodic {
        let angle = |k: usize, i: usize| std::f64::consts::TAU * (k * i) as f64 / n as f64;
        let pair = |k: usize| {
            let cosine = (0..n).map(|i| angle(k, i).cos()).collect();
            let sine = (0..n).map(|i| angle(k, i).sin()).collect();
            [(k, cosine), (k, sine)]
        };
        let constant = (0, vec![1.0; n]);
        return [constant]
            .into_iter()
            .chain((1..=degree).flat_map(pair))
            .collect();
    }
    let last = (n.max(2) - 1) as f64;
    let at = |i: usize| 2.0 * i as f64 / last - 1.0;
    let polynomial = |k| (k, (0..n).map(|i| legendre(k, at(i))).collect());
    (0..=degree).map(polynomial).collect()
}

fn legendre(degree: usize, x: f64) -> f64 {
    let (mut before, mut here) = (0.0, 1.0);
    for k in 0..degree {
        let k = k as f64;
        let next = ((2.0 * k + 1.0) * x * here - k * before) / (k + 1.0);
        (before, here) = (here, next);
    }
    here
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn legendre_polynomials_have_their_known_values() {
        assert_eq!(
            [0, 1, 2, 3].map(|k| legendre(k, 0.5)),
            [1.0, 0.5, -0.125, -0.4375]
        );
    }

    #[test]
    fn closing_axes_have_harmonics_and_others_polynomials() {
        let lattice = lattice(&[("t", 5), ("x", 8)], &["x"]);
        assert_eq!(positions(&lattice, &[0], 2).len(), 3);
        let harmonics = positions(&lattice, &[1], 2);
        assert_eq!(harmonics.len(), 5);
        for (a, b) in [(1, 2), (0, 3), (1, 4)] {
            let product = harmonics[a].iter().zip(&harmonics[b]);
            assert!(product.map(|(a, b)| a * b).sum::<f64>().abs() < 1e-12);
        }
    }
}
