//! `floral import`: files of other programs as a dataset.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use floral::Error;
use floral::dataset::import::{AxisFound, ChannelFound, Found, Import, Pick, Wishes};
use floral::dataset::{LowPairing, Precision};
use floral::storage::refuse_overwriting;

use crate::progress::Progress;
use crate::{Ending, interrupt, output};

/// What the library leaves to whoever calls it, and how it is said here.
const FLAGS: [(&str, &str); 10] = [
    (
        "for all later times say ",
        "for all later times say --high ",
    ),
    (
        "say which of its arrays are input and high",
        "say which of its arrays are input and high (--input NAME --high NAME)",
    ),
    (
        "say which of its arrays is the input",
        "say which of its arrays is the input (--input NAME)",
    ),
    (
        "say which array is high",
        "say which array is high (--high NAME)",
    ),
    (
        "name their dimensions",
        "name their dimensions (--dims NAME=input,realization,channel,y,x)",
    ),
    (
        "take the grid of high",
        "take the grid of high (--grid high)",
    ),
    (
        "leave out what has such values",
        "leave out what has such values (--skip-nan)",
    ),
    (
        "say so if its ends are the same point",
        "say so if its ends are the same point (--periodic AXIS)",
    ),
    (
        "take one index of an axis, as in",
        "take one index of an axis of each array, as in --high",
    ),
    (
        "take the points of the others that it reaches, as in",
        "take the points of the others that it reaches, as in --input and --high",
    ),
];

/// What `floral import` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral import runs.npz                                    # look, and write nothing\n  \
    floral import runs.npz -o data.zarr\n  \
    floral import case_*.nc -o data.zarr                      # an input, or several, a file\n  \
    floral import 2D_DarcyFlow_beta1.0.hdf5 -o darcy.zarr     # PDEBench, The Well, PDEArena\n  \
    floral import burgers.h5 --high 'tensor[t=1:]' --periodic x -o later.zarr\n  \
    floral import sim.h5 --input k --low cheap/p --high fine/p \\\n      \
    --dims fine/p=member,case,y,x --param viscosity -o data.zarr\n\n\
    Arrays called input, low and high, or train_input and so on, are taken as they are: [input, channel,\n\
    grid...] and [input, realization, channel, grid...], also without channels or realizations. Coordinates\n\
    are arrays named like their axis. Dimensions are named by the file (NetCDF, xarray), by --dims, or\n\
    else found by their lengths, and told: input, realization and channel, others are axes of the grid.\n\n\
    Labels of channels, coordinates of their dimension, put those of every file in the order of the first.\n\
    Coordinates that lengths do not match with one axis are asked for, and dimensions that high has and the\n\
    input lacks, unless they are plainly an axis or count members of an ensemble. An axis is periodic by\n\
    --periodic, its attribute periodic, degrees or radians around the circle, or points i/n of 0 to 1.\n\n\
    A realization of which every value is NaN is absent: inputs may have unlike numbers of them. Points at\n\
    which every input has NaN, such as land, are outside of the domain: nothing is predicted or scored there.\n\
    low may have its own coarser grid over the whole domain, from which it is interpolated linearly, or\n\
    realizations, whose mean it becomes; high may be known on every s-th point. Complex numbers become two\n\
    channels.")]
pub struct Arguments {
    /// Files (.npz, .npy, HDF5, NetCDF 3 and 4), Zarr v2 and v3, or folders of them
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<PathBuf>,

    /// The dataset to write, a Zarr v3 folder [default: none, only tell what is there]
    #[arg(short, long, value_name = "DATA.zarr")]
    output: Option<PathBuf>,

    /// The array that is the input, as in u, group/u or u[t=0]; again for further channels
    #[arg(long, value_name = "NAME")]
    input: Vec<Pick>,

    /// The array that is the low-fidelity solution; again for further channels
    #[arg(long, value_name = "NAME")]
    low: Vec<Pick>,

    /// The array that is the high-fidelity solution, as in u[t=-1] or u[t=1:]; again for further
    /// channels
    #[arg(long, value_name = "NAME")]
    high: Vec<Pick>,

    /// A number for each input, or an attribute, that becomes a constant channel of the input; may be
    /// repeated
    #[arg(long, value_name = "NAME")]
    param: Vec<String>,

    /// The dimensions of an array in order, as in u=input,realization,channel,y,x; may be repeated
    #[arg(long, value_name = "NAME=DIMS")]
    dims: Vec<String>,

    /// Of train_input, test_input and so on, take those that begin with this [default: train]
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,

    /// An axis whose ends are the same point; may be repeated
    #[arg(long, value_name = "AXIS")]
    periodic: Vec<String>,

    /// Interpolate uneven axes linearly to even ones
    #[arg(long)]
    even: bool,

    /// Whose grid the dataset has [default: input]
    #[arg(long, value_name = "ARRAY", value_parser = ["input", "high"])]
    grid: Option<String>,

    /// Leave out realizations and inputs with values that are NaN, infinite or missing
    #[arg(long)]
    skip_nan: bool,

    /// NaN in the high-fidelity solution are points where it was not measured, alike in all
    /// realizations of an input
    #[arg(long, conflicts_with = "skip_nan")]
    sensors: bool,

    /// Whether the i-th realization of low was made with the randomness of the i-th of high, or not
    /// [default: as the files say, or independent]
    #[arg(long, value_name = "HOW", value_parser = ["shared", "independent"])]
    low_pairing: Option<String>,

    /// Bits per stored value: f32 or f64 [default: as in the files]
    #[arg(long, value_name = "P")]
    precision: Option<Precision>,

    /// Inputs that share a file of an array (Zarr's sharding), so that many inputs are few files
    #[arg(long, value_name = "N", default_value_t = 1)]
    shard: usize,

    /// What the dataset is called
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Replace an existing dataset, or discard an unfinished one, of other contents
    #[arg(long)]
    force: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn wishes(&self) -> Result<Wishes> {
        let mut wishes = Wishes {
            input: self.input.clone(),
            low: self.low.clone(),
            high: self.high.clone(),
            parameters: self.param.clone(),
            prefix: self.prefix.clone(),
            periodic: self.periodic.clone(),
            even: self.even,
            on_high_grid: self.grid.as_deref() == Some("high"),
            skip_missing: self.skip_nan,
            sensors: self.sensors,
            low_pairing: self.low_pairing.as_deref().map(|how| match how {
                "shared" => LowPairing::Shared,
                _ => LowPairing::Independent,
            }),
            precision: self.precision,
            shard: Some(self.shard),
            title: self.title.clone(),
            ..Wishes::default()
        };
        for dims in &self.dims {
            let Some((name, list)) = dims.split_once('=') else {
                bail!("--dims {dims}: write the array and its dimensions, as in u=input,y,x");
            };
            let list = list.split(',').map(|name| name.trim().to_owned());
            wishes
                .dimensions
                .insert(name.trim().to_owned(), list.collect());
        }
        Ok(wishes)
    }
}

/// Tells what the files hold, and writes it as a dataset if it is to be kept.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let wishes = arguments.wishes()?;
    if let Some(path) = &arguments.output {
        refuse_overwriting(path, arguments.sources.iter().map(PathBuf::as_path))?;
    }
    let import = Import::open(&arguments.sources)?;
    let progress = Progress::new("import", interrupt::flag()?);
    let outcome = match &arguments.output {
        Some(path) => import.write(&wishes, path, arguments.force, &progress),
        None => import.look(&wishes, &progress).map(|found| (found, false)),
    };
    progress.finish();
    let (found, is_written) = outcome.map_err(by_flags)?;
    if arguments.json {
        output::print(&(serde_json::to_string_pretty(&found)? + "\n"))?;
        return Ok(Ending::Done);
    }
    output::print(&text(&found)?)?;
    output::tell(&match &arguments.output {
        Some(path) if is_written => next(path, &found),
        Some(path) => format!("{}: already complete, nothing to do", path.display()),
        None => "nothing is written; -o DATA.zarr does that".into(),
    });
    Ok(Ending::Done)
}

/// Says by which flags to do what an error advises.
pub fn by_flags(error: Error) -> anyhow::Error {
    if matches!(error, Error::Interrupted) {
        return error.into();
    }
    anyhow!(in_flags(&error.to_string()))
}

fn in_flags(words: &str) -> String {
    FLAGS
        .iter()
        .fold(words.to_owned(), |words, (advice, flags)| {
            words.replace(advice, flags)
        })
}

/// What to do with the dataset.
fn next(path: &Path, found: &Found) -> String {
    let path = path.display();
    if found.realizations.1 == 0 {
        return format!(
            "{path}: written; next: floral sample RUN --input {path} -o predicted.zarr"
        );
    }
    format!("{path}: written; next: floral inspect {path}, then floral train {path} -o runs/first")
}

/// What was found, as a table.
pub fn text(found: &Found) -> Result<String> {
    let mut text = String::new();
    let layout = found
        .layout
        .map_or(String::new(), |layout| format!(", {layout}"));
    let files = match &found.sources[..] {
        [one] => one.display().to_string(),
        [first, ..] => format!("{} and {} others", first.display(), found.sources.len() - 1),
        [] => String::new(),
    };
    writeln!(text, "{files}: {}{layout}", found.format)?;
    let realizations = match found.realizations {
        (0, 0) => "no realizations".to_owned(),
        (1, 1) => "1 realization each".to_owned(),
        (few, most) if few == most => format!("{most} realizations each"),
        (few, most) => format!("{few} to {most} realizations each"),
    };
    writeln!(text, "  inputs    {}, {realizations}", found.inputs)?;
    for axis in &found.axes {
        writeln!(text, "  axis {:4} {}", axis.name, axis_words(axis))?;
    }
    let rows = rows(found);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..5).map(|column| width(column).unwrap_or(0)).collect();
    writeln!(text)?;
    for [role, from, channel, min, max, dimensions] in &rows {
        let line = format!(
            "  {role:a$}  {from:b$}  {channel:c$}  {min:>d$}  {max:>e$}  {dimensions}",
            a = widths[0],
            b = widths[1],
            c = widths[2],
            d = widths[3],
            e = widths[4],
        );
        writeln!(text, "{}", line.trim_end())?;
    }
    notes(&mut text, found)?;
    Ok(text)
}

/// A row for each channel, after a header.
fn rows(found: &Found) -> Vec<[String; 6]> {
    let header = ["array", "from", "channel", "min", "max", "dimensions"];
    let mut rows = vec![header.map(str::to_owned)];
    for array in &found.arrays {
        let mut role = array.role.to_owned();
        for part in &array.parts {
            let mut from = part.from.clone();
            let lengths = part
                .dimensions
                .iter()
                .map(|(name, n)| format!("{name} {n}"));
            let mut dimensions = lengths.collect::<Vec<_>>().join(", ");
            for (i, channel) in part.channels.iter().enumerate() {
                rows.push([
                    std::mem::take(&mut role),
                    std::mem::take(&mut from),
                    label(channel, i, part.channels.len()),
                    format!("{:.4e}", channel.min),
                    format!("{:.4e}", channel.max),
                    std::mem::take(&mut dimensions),
                ]);
            }
        }
    }
    rows
}

/// What a channel is called, and its units.
fn label(channel: &ChannelFound, index: usize, channels: usize) -> String {
    let quantity = &channel.quantity;
    let name = quantity.name.clone().or_else(|| quantity.long_name.clone());
    let name = name.unwrap_or_else(|| match channels {
        1 => String::new(),
        _ => index.to_string(),
    });
    match &quantity.units {
        Some(units) => format!("{name} [{units}]").trim().to_owned(),
        None => name,
    }
}

fn axis_words(axis: &AxisFound) -> String {
    let units = axis
        .units
        .as_ref()
        .map_or(String::new(), |units| format!(" {units}"));
    let kind = format!("{:?}", axis.kind).to_lowercase();
    let evenness = if axis.is_even { "" } else { ", uneven" };
    format!(
        "{} points from {} to {}{units}, {kind}{evenness}",
        axis.points, axis.from, axis.to
    )
}

fn notes(text: &mut String, found: &Found) -> Result<()> {
    let mut notes = found.notes.clone();
    let told = [
        (found.absent, "realizations of NaN alone are not there"),
        (
            found.skipped_realizations,
            "realizations with missing values are left out",
        ),
        (
            found.skipped_inputs,
            "inputs with missing values, or without a realization, are left out",
        ),
    ];
    for (count, words) in told {
        if count > 0 {
            notes.push(format!("{count} {words}"));
        }
    }
    if !found.left.is_empty() {
        let shown: Vec<&str> = found.left.iter().take(12).map(String::as_str).collect();
        let more = found.left.len() - shown.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        notes.push(format!("not taken: {}{more}", shown.join(", ")));
    }
    if !notes.is_empty() {
        writeln!(text)?;
    }
    for note in notes {
        writeln!(text, "  note: {}", in_flags(&note))?;
    }
    Ok(())
}
