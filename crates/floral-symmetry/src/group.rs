//! The group that a list of symmetries generates on a lattice: rolled axes, finite motions, a
//! scaling.

use super::{Motion, Role, Signs, Symmetry};
use crate::Lattice;
use crate::{Error, Result};

/// Largest size of the finite group; more motions indicate a mistake in the declaration.
const MOST_MOTIONS: usize = 64;

/// The symmetries of a problem, checked against its lattice and its channels.
#[derive(Debug, Clone)]
pub struct Symmetries {
    /// The axes along which fields may be rolled (translated), in increasing order.
    pub rolled: Vec<usize>,
    /// The finite group that the other symmetries generate, the identity first.
    pub motions: Vec<Motion>,
    /// The solution's exponent under a scaling of the input.
    pub scale: Option<f64>,
    /// The symmetries that were declared or found.
    pub declared: Vec<Symmetry>,
}

impl Symmetries {
    /// The trivial group: the identity alone.
    pub fn none(lattice: &Lattice, input: usize, solution: usize) -> Self {
        Self {
            rolled: Vec::new(),
            motions: vec![Motion::identity(lattice.len(), input, solution)],
            scale: None,
            declared: Vec::new(),
        }
    }

    /// Whether there is no symmetry but the identity.
    pub fn is_trivial(&self) -> bool {
        self.rolled.is_empty() && self.motions.len() == 1 && self.scale.is_none()
    }

    /// The group that `declared` generates, for fields of `input` and `solution` channels.
    pub fn new(
        declared: &[Symmetry],
        lattice: &Lattice,
        input: usize,
        solution: usize,
    ) -> Result<Self> {
        let mut all = Self::none(lattice, input, solution);
        let mut generators = Vec::new();
        for symmetry in declared {
            match symmetry {
                Symmetry::Roll { axis } => all.roll(symmetry, lattice, axis)?,
                Symmetry::Scale { exponent } => all.scaling(symmetry, *exponent)?,
                _ => generators.push(generator(symmetry, lattice, input, solution)?),
            }
        }
        all.close(&generators)?;
        all.declared = declared.to_vec();
        Ok(all)
    }

    fn roll(&mut self, symmetry: &Symmetry, lattice: &Lattice, name: &str) -> Result<()> {
        self.rolled.push(periodic(symmetry, lattice, name)?);
        self.rolled.sort_unstable();
        self.rolled.dedup();
        Ok(())
    }

    fn scaling(&mut self, symmetry: &Symmetry, exponent: f64) -> Result<()> {
        match self.scale.replace(exponent) {
            Some(other) if other != exponent => {
                let reason = format!("another scaling has the exponent {other}");
                Err(refused(symmetry, reason))
            }
            _ => Ok(()),
        }
    }

    /// Multiplies motions by the generators until no new motion appears.
    fn close(&mut self, generators: &[Motion]) -> Result<()> {
        let mut next = 0;
        while next < self.motions.len() {
            for generator in generators {
                let product = self.motions[next].then(generator);
                if !self.motions.contains(&product) {
                    self.motions.push(product);
                }
            }
            if self.motions.len() > MOST_MOTIONS {
                return Err(Error::Config {
                    context: "symmetries".into(),
                    reason: format!(
                        "they generate more than {MOST_MOTIONS} motions; leave some out"
                    ),
                });
            }
            next += 1;
        }
        Ok(())
    }
}

/// The translation by `steps` points along an axis.
pub fn roll(lattice: &Lattice, axis: usize, steps: usize, channels: [usize; 2]) -> Motion {
    let n = lattice.axes[axis].len;
    let source = places(lattice, axis, |i| (i + n - steps % n) % n);
    let [input, solution] = channels.map(|count| vec![1.0; count]);
    Motion::new(source, input, solution)
}

/// The number of the axis with this name; refuses an axis that is not periodic.
fn periodic(symmetry: &Symmetry, lattice: &Lattice, name: &str) -> Result<usize> {
    let axis = lattice.axis(name)?;
    match lattice.axes[axis].periodic {
        true => Ok(axis),
        false => Err(refused(symmetry, format!("axis {name} is not periodic"))),
    }
}

fn generator(
    symmetry: &Symmetry,
    lattice: &Lattice,
    input: usize,
    solution: usize,
) -> Result<Motion> {
    let (source, signs) = match symmetry {
        Symmetry::Reflect { axis, signs } => {
            (reflected(lattice, lattice.axis(axis)?), signs.clone())
        }
        Symmetry::RollPart { axis, parts } => (
            rolled_by_part(symmetry, lattice, axis, *parts)?,
            Signs::plus(),
        ),
        Symmetry::Transpose { axes } => (transposed(symmetry, lattice, axes)?, Signs::plus()),
        Symmetry::Sign(signs) => ((0..lattice.len()).collect(), signs.clone()),
        Symmetry::Roll { .. } | Symmetry::Scale { .. } => {
            ((0..lattice.len()).collect(), Signs::plus())
        }
    };
    let factors = |role, channels| {
        signs.factors(role, channels).ok_or_else(|| {
            refused(
                symmetry,
                format!("the {role:?} has {channels} channels").to_lowercase(),
            )
        })
    };
    let [input, solution] = [
        factors(Role::Input, input)?,
        factors(Role::Solution, solution)?,
    ];
    Ok(Motion::new(source, input, solution))
}

/// i -> n-1-i on a non-periodic axis; i -> -i mod n on a periodic one, whose point 0 is its own
/// mirror.
fn reflected(lattice: &Lattice, axis: usize) -> Vec<usize> {
    let n = lattice.axes[axis].len;
    if lattice.axes[axis].periodic {
        places(lattice, axis, |i| (n - i) % n)
    } else {
        places(lattice, axis, |i| n - 1 - i)
    }
}

/// The source point of every point, if position i along `axis` takes its value from position
/// `from(i)`.
fn places(lattice: &Lattice, axis: usize, from: impl Fn(usize) -> usize) -> Vec<usize> {
    let stride = lattice.stride(axis);
    let place = |point| {
        let i = lattice.position(point, axis);
        point - i * stride + from(i) * stride
    };
    (0..lattice.len()).map(place).collect()
}

/// Source points of the translation i -> i + n / parts mod n.
fn rolled_by_part(
    symmetry: &Symmetry,
    lattice: &Lattice,
    name: &str,
    parts: usize,
) -> Result<Vec<usize>> {
    let axis = periodic(symmetry, lattice, name)?;
    let n = lattice.axes[axis].len;
    if !n.is_multiple_of(parts) {
        let reason = format!("the {n} points of axis {name} are not divisible by {parts}");
        return Err(refused(symmetry, reason));
    }
    Ok(places(lattice, axis, |i| (i + n - n / parts) % n))
}

fn transposed(symmetry: &Symmetry, lattice: &Lattice, names: &[String; 2]) -> Result<Vec<usize>> {
    let [a, b] = [lattice.axis(&names[0])?, lattice.axis(&names[1])?];
    let [first, second] = [&lattice.axes[a], &lattice.axes[b]];
    if (first.len, first.periodic) != (second.len, second.periodic) {
        let reason = format!(
            "axes {} and {} differ: {} and {} points, and both must be periodic or neither",
            first.name, second.name, first.len, second.len
        );
        return Err(refused(symmetry, reason));
    }
    let (sa, sb) = (lattice.stride(a), lattice.stride(b));
    let place = |point| {
        let (i, j) = (lattice.position(point, a), lattice.position(point, b));
        point - i * sa - j * sb + j * sa + i * sb
    };
    Ok((0..lattice.len()).map(place).collect())
}

fn refused(symmetry: &Symmetry, reason: String) -> Error {
    Error::Config {
        context: format!("symmetry {symmetry}"),
        reason,
    }
}
