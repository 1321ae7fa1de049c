//! Variants of the recommended method, each without one of its parts: the rows of an ablation.

use floral::train::{Method, TrainConfig};

/// The recommended method with one thing changed.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The change, as shown in the table; empty for the full method.
    pub name: &'static str,
    change: fn(&mut TrainConfig),
}

impl Variant {
    /// The full method, then without each of its parts.
    pub const ALL: [Self; 4] = [
        Self {
            name: "",
            change: |_| (),
        },
        Self {
            name: "without symmetries",
            change: |training| training.symmetries = Some(Vec::new()),
        },
        Self {
            name: "without validation inputs",
            change: |training| training.split.validation = Some(0),
        },
        Self {
            name: "kernels alone",
            change: |training| training.method = Method::Kriging,
        },
    ];

    /// The training settings with this change.
    pub fn of(&self, training: TrainConfig) -> TrainConfig {
        let mut training = training.for_method(Method::FloralKl);
        (self.change)(&mut training);
        training
    }

    /// The name in file names: `without-symmetries`.
    pub fn slug(&self) -> String {
        self.name.replace(' ', "-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_but_the_first_changes_the_settings() {
        let plain = TrainConfig::default();
        let same = Variant::ALL.map(|variant| variant.of(plain.clone()) == plain);
        assert!(same[0] && same[1..].iter().all(|same| !same));
    }
}
