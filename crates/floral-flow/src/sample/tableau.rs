//! Runge-Kutta methods as data: Butcher tableaus with their sources.

use crate::{Error, Result};

/// An explicit Runge-Kutta method.
///
/// k_i = v(t + c_i h, w + h sum_{j<i} a_ij k_j); the step is h sum_i b_i k_i, and its error is
/// estimated, where the method can, by h sum_i e_i k_i.
#[derive(Debug, PartialEq)]
pub struct Tableau {
    /// The name by which users ask for it.
    pub name: &'static str,
    /// Where the coefficients come from.
    pub source: &'static str,
    /// The global error is O(h^order).
    pub order: usize,
    /// The nodes c.
    pub nodes: &'static [f64],
    /// The coefficients a, row by row, without the zeros on and above the diagonal.
    pub coupling: &'static [&'static [f64]],
    /// The weights b.
    pub weights: &'static [f64],
    /// The weights e = b - b of the embedded method; empty if there is none.
    pub error: &'static [f64],
}

/// Euler's method, order 1.
pub const EULER: Tableau = Tableau {
    name: "euler",
    source: "Euler (1768), Institutionum calculi integralis I, section 2, chapter 7",
    order: 1,
    nodes: &[0.0],
    coupling: &[&[]],
    weights: &[1.0],
    error: &[],
};

/// The midpoint rule, order 2.
pub const MIDPOINT: Tableau = Tableau {
    name: "midpoint",
    source: "Runge (1895), Math. Ann. 46, 167-178",
    order: 2,
    nodes: &[0.0, 0.5],
    coupling: &[&[], &[0.5]],
    weights: &[0.0, 1.0],
    error: &[],
};

/// Heun's method, the explicit trapezoid rule, order 2.
pub const HEUN: Tableau = Tableau {
    name: "heun",
    source: "Heun (1900), Z. Math. Phys. 45, 23-38; as named by Butcher (2016), table 233",
    order: 2,
    nodes: &[0.0, 1.0],
    coupling: &[&[], &[1.0]],
    weights: &[0.5, 0.5],
    error: &[],
};

/// The classical method of order 4.
pub const RK4: Tableau = Tableau {
    name: "rk4",
    source: "Kutta (1901), Z. Math. Phys. 46, 435-453",
    order: 4,
    nodes: &[0.0, 0.5, 0.5, 1.0],
    coupling: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    weights: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    error: &[],
};

/// Order 5 with an embedded method of order 4; the last stage is the first of the next step.
pub const DORMAND_PRINCE: Tableau = Tableau {
    name: "dopri5",
    source: "Dormand & Prince (1980), J. Comput. Appl. Math. 6, 19-26, table 2",
    order: 5,
    nodes: &[0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
    coupling: &[
        &[],
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[
            19372.0 / 6561.0,
            -25360.0 / 2187.0,
            64448.0 / 6561.0,
            -212.0 / 729.0,
        ],
        &[
            9017.0 / 3168.0,
            -355.0 / 33.0,
            46732.0 / 5247.0,
            49.0 / 176.0,
            -5103.0 / 18656.0,
        ],
        &[
            35.0 / 384.0,
            0.0,
            500.0 / 1113.0,
            125.0 / 192.0,
            -2187.0 / 6784.0,
            11.0 / 84.0,
        ],
    ],
    weights: &[
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
        0.0,
    ],
    error: &[
        35.0 / 384.0 - 5179.0 / 57600.0,
        0.0,
        500.0 / 1113.0 - 7571.0 / 16695.0,
        125.0 / 192.0 - 393.0 / 640.0,
        -2187.0 / 6784.0 + 92097.0 / 339200.0,
        11.0 / 84.0 - 187.0 / 2100.0,
        -1.0 / 40.0,
    ],
};

/// All methods, by order.
pub const METHODS: [&Tableau; 5] = [&EULER, &MIDPOINT, &HEUN, &RK4, &DORMAND_PRINCE];

impl Tableau {
    /// The method of this name.
    pub fn named(name: &str) -> Result<&'static Self> {
        let found = METHODS.into_iter().find(|method| method.name == name);
        found.ok_or_else(|| {
            Error::unknown_name(
                "method of integration",
                name,
                METHODS.map(|method| method.name).join(", "),
            )
        })
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the last stage is the velocity at the end of the step, and so the first of the next
    /// step.
    pub fn first_same_as_last(&self) -> bool {
        match (self.coupling, self.weights) {
            ([.., last], [leading @ .., end]) => {
                !last.is_empty() && last == &leading && *end == 0.0
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rooted tree, given by the subtrees of its root. Hairer, Norsett & Wanner (1993), section
    /// II.2.
    #[derive(Clone)]
    struct Tree(Vec<Tree>);

    impl Tree {
        fn size(&self) -> usize {
            1 + self.0.iter().map(Tree::size).sum::<usize>()
        }

        /// gamma: the product of the sizes of all subtrees.
        fn density(&self) -> f64 {
            self.0.iter().map(Tree::density).product::<f64>() * self.size() as f64
        }

        /// The product over subtrees of sum_j a_ij factor_j, for every stage i.
        fn factors(&self, method: &Tableau) -> Vec<f64> {
            let mut factors = vec![1.0; method.stages()];
            for inner in self.0.iter().map(|subtree| subtree.factors(method)) {
                for (factor, row) in factors.iter_mut().zip(method.coupling) {
                    *factor *= dot(row, &inner);
                }
            }
            factors
        }

        /// The elementary weight sum_i b_i factor_i.
        fn weight(&self, method: &Tableau, weights: &[f64]) -> f64 {
            dot(weights, &self.factors(method))
        }
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// All trees of each size up to `largest`, in order of size.
    fn trees(largest: usize) -> Vec<Tree> {
        let mut all = vec![Tree(vec![])];
        for size in 2..=largest {
            let rooted: Vec<Tree> = forests(&all, size - 1).into_iter().map(Tree).collect();
            all.extend(rooted);
        }
        all
    }

    /// All multisets of trees from `all` with `size` nodes together.
    fn forests(all: &[Tree], size: usize) -> Vec<Vec<Tree>> {
        if size == 0 {
            return vec![vec![]];
        }
        let mut found = Vec::new();
        for (i, tree) in all.iter().enumerate().filter(|(_, t)| t.size() <= size) {
            for mut rest in forests(&all[..=i], size - tree.size()) {
                rest.push(tree.clone());
                found.push(rest);
            }
        }
        found
    }

    #[test]
    fn there_are_as_many_rooted_trees_as_cayley_counted() {
        let sizes: Vec<usize> = trees(6).iter().map(Tree::size).collect();
        let counts = (1..=6).map(|n| sizes.iter().filter(|s| **s == n).count());
        assert_eq!(counts.collect::<Vec<_>>(), [1, 1, 2, 4, 9, 20]);
    }

    #[test]
    fn every_method_satisfies_the_conditions_of_its_order_and_not_of_the_next() {
        for method in METHODS {
            let defect =
                |tree: &Tree| (tree.weight(method, method.weights) * tree.density() - 1.0).abs();
            let all = trees(method.order + 1);
            let (within, beyond): (Vec<_>, Vec<_>) =
                all.iter().partition(|tree| tree.size() <= method.order);
            assert!(within.iter().all(|tree| defect(tree) < 1e-13));
            let name = method.name;
            assert!(beyond.iter().any(|tree| defect(tree) > 1e-3), "{name}");
        }
    }

    #[test]
    fn the_error_estimate_vanishes_up_to_order_four_and_no_further() {
        let method = &DORMAND_PRINCE;
        let estimate = |tree: &Tree| tree.weight(method, method.error).abs();
        let all = trees(5);
        let (within, beyond): (Vec<_>, Vec<_>) = all.iter().partition(|tree| tree.size() <= 4);
        assert!(within.iter().all(|tree| estimate(tree) < 1e-15));
        assert!(beyond.iter().any(|tree| estimate(tree) > 1e-4));
    }

    #[test]
    fn nodes_are_the_row_sums_and_every_list_has_its_length() {
        for method in METHODS {
            let stages = method.stages();
            assert_eq!(
                (method.coupling.len(), method.weights.len()),
                (stages, stages)
            );
            assert!(method.error.is_empty() || method.error.len() == stages);
            for (i, (row, node)) in method.coupling.iter().zip(method.nodes).enumerate() {
                assert_eq!(row.len(), i);
                assert!((row.iter().sum::<f64>() - node).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn only_dormand_prince_reuses_its_last_stage() {
        let reusing = METHODS.into_iter().filter(|m| m.first_same_as_last());
        assert_eq!(reusing.map(|m| m.name).collect::<Vec<_>>(), ["dopri5"]);
    }

    #[test]
    fn methods_are_found_by_name() {
        for method in METHODS {
            assert_eq!(Tableau::named(method.name).unwrap(), method);
        }
        let error = Tableau::named("rk5").unwrap_err().to_string();
        assert!(error.contains("euler, midpoint, heun, rk4, dopri5"));
    }
}
