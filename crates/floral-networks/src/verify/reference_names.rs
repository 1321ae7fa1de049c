//! Our parameters under the names and layouts of the paper's reference implementation.

use crate::operator::Weight;
use crate::{Error, Result};

/// The reference's name for one of our parameters, `None` if the path is not one of ours.
///
/// `layers.2.mlp.hidden.weight` is `field.fno_module.channel_mlp.2.fcs.0.weight`.
pub fn reference_name(ours: &str) -> Option<String> {
    let path: Vec<&str> = ours.split('.').collect();
    let name = match path[..] {
        ["lift", ref rest @ ..] => format!("lifting_module.{}", mlp(rest)?),
        ["lift_condition", ref rest @ ..] => format!("cond_lifting_module.{}", mlp(rest)?),
        ["lift_film", ref rest @ ..] => format!("cond_lifting_film.{}", film(rest)?),
        ["project", ref rest @ ..] => format!("projection_module.{}", mlp(rest)?),
        ["linear", "spectral", part] => format!("linear_operator.K.{}", spectral(part)?),
        ["linear", "pointwise", part] => format!("linear_operator.W.{part}"),
        ["linear", "film", ref rest @ ..] => format!("cond_linear_op_film.{}", film(rest)?),
        ["layers", i, "film", ref rest @ ..] => format!("cond_fno_film.{i}.{}", film(rest)?),
        ["layers", i, ref rest @ ..] => format!("fno_module.{}", layer(i, rest)?),
        _ => return None,
    };
    Some(format!("field.{name}"))
}

fn layer(i: &str, path: &[&str]) -> Option<String> {
    Some(match path {
        ["spectral", part] => format!("convs.{i}.{}", spectral(part)?),
        ["skip", part] => format!("fno_skips.{i}.conv.{part}"),
        ["mlp", rest @ ..] => format!("channel_mlp.{i}.{}", mlp(rest)?),
        ["gate"] => format!("channel_mlp_skips.{i}.weight"),
        _ => return None,
    })
}

fn mlp(path: &[&str]) -> Option<String> {
    match path {
        ["hidden", part] => Some(format!("fcs.0.{part}")),
        ["output", part] => Some(format!("fcs.1.{part}")),
        _ => None,
    }
}

fn film(path: &[&str]) -> Option<String> {
    let ["layers", i, part] = path else {
        return None;
    };
    // Every second module of the reference's sequence is an activation.
    Some(format!(
        "film.network.{}.{part}",
        2 * i.parse::<usize>().ok()?
    ))
}

fn spectral(part: &str) -> Option<&'static str> {
    match part {
        "weight_re" => Some("weight.tensor.re"),
        "weight_im" => Some("weight.tensor.im"),
        "bias" => Some("bias"),
        _ => None,
    }
}

/// Our parameter filled from the reference's tensor. Ours has channels last and theirs has them
/// first, so that each is the transpose of a matrix.
///
/// | | reference | ours |
/// |---|---|---|
/// | pointwise | [out, in, 1, ..] | [in, out] |
/// | spectral | [in, out, modes ..] | [modes z times modes y, modes x, in, out] |
pub fn from_reference(ours: &Weight, theirs: Weight) -> Result<Weight> {
    let s = &ours.shape;
    let (expected, rows) = match s[..] {
        [inputs, outputs] => (vec![outputs, inputs], outputs),
        [y, x, inputs, outputs] => (vec![inputs, outputs, y, x], inputs * outputs),
        _ => (s.clone(), 1),
    };
    let found = match (s.len(), &theirs.shape[..]) {
        (4, [inputs, outputs, across @ .., x]) => {
            let rows = across
                .iter()
                .fold(1, |rows: usize, n| rows.saturating_mul(*n));
            vec![*inputs, *outputs, rows, *x]
        }
        (_, shape) => shape.to_vec(),
    };
    if without_ones(&found) != without_ones(&expected) {
        return Err(Error::tensor_shape(
            theirs.name,
            theirs.shape,
            format!("{expected:?}, up to dimensions of size 1"),
        ));
    }
    Ok(Weight {
        name: ours.name.clone(),
        shape: s.clone(),
        values: transpose(&theirs.values, rows),
    })
}

fn without_ones(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|&size| size != 1).collect()
}

fn transpose(values: &[f32], rows: usize) -> Vec<f32> {
    let columns = values.len() / rows.max(1);
    (0..values.len())
        .map(|i| values[(i % rows) * columns + i / rows])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::{FilmFno, FilmFnoConfig, weights};
    use burn::tensor::Device;
    use std::collections::BTreeSet;

    #[test]
    fn every_parameter_has_a_reference_name_of_its_own() {
        let network =
            FilmFno::new(&FilmFnoConfig::new(1, 1, 1, vec![2]), 0, &Device::flex()).unwrap();
        let ours = weights(&network).unwrap();
        let names: Option<BTreeSet<String>> = ours
            .iter()
            .map(|weight| reference_name(&weight.name))
            .collect();
        assert_eq!(names.unwrap().len(), ours.len());
    }
}
