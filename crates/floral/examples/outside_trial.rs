//! Measures regression on data that others made: `outside_trial -- stochastic_burgers.npz`.
//!
//! u0 -> u(t = 1) of a Burgers equation with noise, on 256 points of a periodic interval; without low
//! fidelity, and with that of a coarse solver without noise. Prints the mean over test inputs of the
//! root mean square error over that of the truth.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::DeflateDecoder;
use floral::regression::{
    Case, Channels, Kriging, Lattice, MemberScore, Query, Recipe, Symmetries,
};
use floral::{Axis, Error, Grid, Result, Silent};
use rawzip::{CompressionMethod, ZipArchive};
use rustfft::{FftPlanner, num_complex::Complex};

const POINTS: usize = 256;
const COARSE: usize = 32;
const STEPS: usize = 200;
const VISCOSITY: f64 = 0.1;

fn main() -> Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        println!("usage: outside_trial stochastic_burgers.npz");
        return Ok(());
    };
    let path = Path::new(&path);
    let [inputs, high, test_inputs, test_high] =
        ["train_input", "train_high", "test_input", "test_high"].map(|name| array(path, name));
    let (train, test) = (
        Data::new(inputs?, high?),
        Data::new(test_inputs?, test_high?),
    );
    for with_low in [false, true] {
        for recipe in [Recipe::Kernels, Recipe::Blend] {
            let kriging = fit(&train, recipe, with_low)?;
            let [mean, deviation] = scores(&kriging, &test, with_low)?;
            println!("{recipe:?}, low {with_low}: mean {mean:.3}, deviation {deviation:.3}");
            if std::env::var_os("MEMBERS").is_some() {
                members("mean", kriging.mean_scores());
                members("variance", kriging.variance_scores());
            }
        }
    }
    Ok(())
}

fn members(what: &str, scores: &[MemberScore]) {
    for score in scores {
        let (left_out, weight, name) = (score.left_out, score.weight, &score.name);
        println!("    {what} {left_out:9.4} weight {weight:.2} {name}");
    }
}

/// Inputs, what the coarse solver says of them, and realizations.
struct Data {
    inputs: Vec<Vec<f64>>,
    lows: Vec<Vec<f64>>,
    /// [input][realization, point].
    high: Vec<Vec<f64>>,
}

impl Data {
    fn new(inputs: Vec<f64>, high: Vec<f64>) -> Self {
        let inputs: Vec<Vec<f64>> = inputs.chunks_exact(POINTS).map(<[f64]>::to_vec).collect();
        let each = high.len() / inputs.len();
        Self {
            lows: inputs.iter().map(|input| coarse(input)).collect(),
            high: high.chunks_exact(each).map(<[f64]>::to_vec).collect(),
            inputs,
        }
    }

    fn query(&self, i: usize, with_low: bool) -> Query<'_> {
        Query {
            input: &self.inputs[i],
            low: with_low.then(|| &self.lows[i][..]),
        }
    }
}

fn fit(train: &Data, recipe: Recipe, with_low: bool) -> Result<Kriging> {
    let grid = Grid::new(vec![Axis::periodic("x", POINTS)]);
    let lattice = Lattice::new(&grid, &["x"])?;
    let symmetries = Symmetries::new(&["reflect:x:-".parse()?], &lattice, 1, 1)?;
    let case = |i: usize| Case {
        query: train.query(i, with_low),
        realizations: &train.high[i],
        points: None,
    };
    let cases: Vec<Case<'_>> = (0..train.inputs.len()).map(case).collect();
    let channels = Channels {
        input: 1,
        solution: 1,
    };
    Kriging::fit(
        recipe,
        &lattice,
        channels,
        &symmetries,
        &cases,
        &[],
        &Silent,
    )
}

/// Errors of mean and deviation.
fn scores(kriging: &Kriging, test: &Data, with_low: bool) -> Result<[f64; 2]> {
    let mut sums = [0.0; 2];
    for i in 0..test.inputs.len() {
        let found = kriging.predict(&test.query(i, with_low))?;
        let (mean, deviation) = moments(&test.high[i]);
        let spread: Vec<f64> = found.aleatoric.iter().map(|v| v.sqrt()).collect();
        sums[0] += relative(&found.mean, &mean) / test.inputs.len() as f64;
        sums[1] += relative(&spread, &deviation) / test.inputs.len() as f64;
    }
    Ok(sums)
}

fn moments(realizations: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let count = (realizations.len() / POINTS) as f64;
    let at = |p: usize| realizations.iter().skip(p).step_by(POINTS);
    let mean: Vec<f64> = (0..POINTS).map(|p| at(p).sum::<f64>() / count).collect();
    let square = |p: usize| at(p).map(|v| (v - mean[p]).powi(2)).sum::<f64>();
    let deviation = (0..POINTS).map(|p| (square(p) / (count - 1.0)).sqrt());
    let deviation = deviation.collect();
    (mean, deviation)
}

fn relative(found: &[f64], truth: &[f64]) -> f64 {
    let error: f64 = found.iter().zip(truth).map(|(f, t)| (f - t).powi(2)).sum();
    (error / truth.iter().map(|t| t * t).sum::<f64>()).sqrt()
}

/// Burgers without noise on few points: pseudo-spectral, classical Runge-Kutta.
fn coarse(input: &[f64]) -> Vec<f64> {
    let mut planner = FftPlanner::new();
    let thin = input.iter().step_by(POINTS / COARSE);
    let mut state: Vec<Complex<f64>> = thin.map(|v| (*v).into()).collect();
    planner.plan_fft_forward(COARSE).process(&mut state);
    let step = 1.0 / STEPS as f64;
    let add = |a: &[Complex<f64>], b: &[Complex<f64>], h: f64| -> Vec<Complex<f64>> {
        a.iter().zip(b).map(|(a, b)| a + b * h).collect()
    };
    for _ in 0..STEPS {
        let a = slope(&state, &mut planner);
        let b = slope(&add(&state, &a, step / 2.0), &mut planner);
        let c = slope(&add(&state, &b, step / 2.0), &mut planner);
        let d = slope(&add(&state, &c, step), &mut planner);
        for (k, value) in state.iter_mut().enumerate() {
            *value += (a[k] + (b[k] + c[k]) * 2.0 + d[k]) * (step / 6.0);
        }
    }
    interpolated(&state, &mut planner)
}

fn wave_number(k: usize) -> f64 {
    if k < COARSE / 2 {
        k as f64
    } else {
        k as f64 - COARSE as f64
    }
}

/// -(u^2 / 2)_x + viscosity u_xx in frequencies, the upper third cut off.
fn slope(state: &[Complex<f64>], planner: &mut FftPlanner<f64>) -> Vec<Complex<f64>> {
    let mut values = state.to_vec();
    planner.plan_fft_inverse(COARSE).process(&mut values);
    let scale = COARSE as f64;
    for value in &mut values {
        *value = (0.5 * (value.re / scale).powi(2)).into();
    }
    planner.plan_fft_forward(COARSE).process(&mut values);
    let part = |(k, (flux, u)): (usize, (&Complex<f64>, &Complex<f64>))| {
        let wave = wave_number(k);
        let kept = if wave.abs() < scale / 3.0 { 1.0 } else { 0.0 };
        -Complex::new(0.0, wave * kept) * flux - u * (VISCOSITY * wave * wave)
    };
    values.iter().zip(state).enumerate().map(part).collect()
}

fn interpolated(state: &[Complex<f64>], planner: &mut FftPlanner<f64>) -> Vec<f64> {
    let mut fine = vec![Complex::default(); POINTS];
    for (k, value) in state.iter().enumerate() {
        let wave = wave_number(k) as i64;
        fine[wave.rem_euclid(POINTS as i64) as usize] = *value / COARSE as f64;
    }
    planner.plan_fft_inverse(POINTS).process(&mut fine);
    fine.iter().map(|value| value.re).collect()
}

/// The numbers of an array of single precision.
fn array(path: &Path, name: &str) -> Result<Vec<f64>> {
    let bad = |reason: String| Error::BadFile {
        path: path.to_owned(),
        reason,
    };
    let bytes = unpacked(path, name).map_err(|error| bad(format!("{name}: {error}")))?;
    // An array of version 1: ten bytes, of which the last two tell how long the header is.
    let header = bytes
        .get(8..10)
        .map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
    let data = bytes.get(10 + usize::from(header)..);
    let data = data.ok_or_else(|| bad(format!("{name} is no array")))?;
    let number = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Ok(data.chunks_exact(4).map(number).collect())
}

fn unpacked(path: &Path, name: &str) -> std::result::Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(File::open(path)?, &mut buffer)?;
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry()? {
        if entry.file_path().as_bytes() != format!("{name}.npy").as_bytes() {
            continue;
        }
        let method = entry.compression_method();
        let found = archive.get_entry(entry.wayfinder())?;
        let reader = BufReader::new(found.reader());
        let mut bytes = Vec::new();
        if method == CompressionMethod::DEFLATE {
            DeflateDecoder::new(reader).read_to_end(&mut bytes)?;
        } else {
            BufReader::new(reader).read_to_end(&mut bytes)?;
        }
        return Ok(bytes);
    }
    Err("is not in the archive".into())
}
