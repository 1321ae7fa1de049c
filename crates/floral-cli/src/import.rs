//! `floral import`: files of other formats as a dataset.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use floral::dataset::import::{AxisFound, ChannelFound, Found, Import, ImportOptions, Pick};
use floral::dataset::{Dataset, LowPairing, MeshOptions, Precision, import_meshes, mesh_files};
use floral::storage::{refuse_overwriting, remove_folder};
use floral::{Advice, counted};

use crate::progress::Progress;
use crate::{Ending, advice, output};

/// Arguments of `floral import`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral import runs.npz                                    # show what is found, write nothing\n  \
    floral import runs.npz -o data.zarr\n  \
    floral import case_*.nc -o data.zarr                      # one or several inputs per file\n  \
    floral import 2D_DarcyFlow_beta1.0.hdf5 -o darcy.zarr     # PDEBench, The Well, PDEArena\n  \
    floral import burgers.h5 --high 'tensor[t=1:]' --periodic x -o later.zarr\n  \
    floral import sim.h5 --input k --low coarse/p --high fine/p \\\n      \
    --dims fine/p=member,case,y,x --param viscosity -o data.zarr\n  \
    floral import cases --pattern 'case_{input}/run_{realization}.vtu' --high displacement \\\n      \
    --parameters params.csv -o block.zarr                     # a file per realization on one mesh\n\n\
    Names and dimensions:\n  \
    Arrays called input, low and high (or train_input and so on) are recognised. Their shapes are \
    [input, channel, grid...] and, for high, [input, realization, channel, grid...]; channel and \
    realization may be absent. Coordinates are arrays named like their axis. The file names the \
    dimensions (NetCDF, xarray), or --dims does; otherwise they are matched by length, and the result is \
    printed. Ambiguous cases are refused.\n\n\
    Channels and axes:\n  \
    Channels with labels are reordered to match the first file. An axis is periodic if --periodic or its \
    attribute periodic says so, if it spans 360 degrees or 2 pi radians, or if its points are i/n on the \
    unit interval. Complex numbers become two channels.\n\n\
    Missing values:\n  \
    All-NaN realizations count as missing, so that the number of realizations may differ between \
    inputs. Points at which every input is NaN, such as land, are outside the domain: nothing is \
    predicted or scored there.\n\n\
    Meshes:\n  \
    A file per realization: VTK (.vtu, .vtk, .vtp, .vti, .vts, .vtr), Gmsh (.msh), XDMF with its HDF5 files \
    beside it (.xdmf, .xmf), and NetCDF by the conventions of UGRID or Exodus II (.nc, .exo, .ex2, .e). \
    Fields are those at the points; of several times the last, or another as in --high 'u[t=0]', and of \
    layers one as in 'u[layer=2]'.\n\n\
    Low and high fidelity:\n  \
    low may be on its own coarser grid over the whole domain, from which it is interpolated linearly. \
    If it has realizations, their mean is used. high may be given on every s-th point.")]
pub struct Arguments {
    /// Files (.npz, .npy, HDF5, NetCDF 3 and 4; with meshes VTK, Gmsh, UGRID, Exodus II and XDMF), Zarr
    /// v2 and v3, or folders of them
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<PathBuf>,

    /// Dataset to write, a Zarr v3 folder; without it, only show what is found
    #[arg(short, long, value_name = "DATA.zarr")]
    output: Option<PathBuf>,

    /// Array of the input, as in u, group/u or u[t=0]; repeat for further channels
    #[arg(long, value_name = "NAME", help_heading = "Which arrays")]
    input: Vec<Pick>,

    /// Array of the low-fidelity solution; repeat for further channels
    #[arg(long, value_name = "NAME", help_heading = "Which arrays")]
    low: Vec<Pick>,

    /// Array of the high-fidelity solution, as in u[t=-1] or u[t=1:]; repeat for further channels
    #[arg(long, value_name = "NAME", help_heading = "Which arrays")]
    high: Vec<Pick>,

    /// CSV file of parameters for files with meshes: a header, its first column the input
    /// [default: numbers in the field data of the files]
    #[arg(long, value_name = "CASES.csv", help_heading = "Meshes")]
    parameters: Option<PathBuf>,

    /// Path pattern of mesh files, as in case_{input}/run_{realization}.vtu [default: a
    /// folder per input, or a file per input in a single folder]
    #[arg(long, value_name = "PATTERN", help_heading = "Meshes")]
    pattern: Option<String>,

    /// Path pattern of the low fidelity of an input, as in case_{input}/low.vtu: a separate file, which
    /// may have another mesh, from which it is interpolated
    #[arg(long, value_name = "PATTERN", help_heading = "Meshes")]
    low_pattern: Option<String>,

    /// Array of one number per input, or attribute, that becomes a constant input channel; may be
    /// repeated
    #[arg(long, value_name = "NAME", help_heading = "Which arrays")]
    param: Vec<String>,

    /// Dimensions of an array in order, as in u=input,realization,channel,y,x; may be repeated
    #[arg(long, value_name = "NAME=DIMS", help_heading = "Which arrays")]
    dims: Vec<String>,

    /// Among train_input, test_input and so on, take those with this prefix [default: train]
    #[arg(long, value_name = "PREFIX", help_heading = "Which arrays")]
    prefix: Option<String>,

    /// Axis whose ends are the same point; may be repeated
    #[arg(long, value_name = "AXIS", help_heading = "Grid")]
    periodic: Vec<String>,

    /// Interpolate uneven axes linearly to even ones
    #[arg(long, help_heading = "Grid")]
    even: bool,

    /// Array whose grid the dataset uses [default: input]
    #[arg(long, value_name = "ARRAY", value_parser = ["input", "high"], help_heading = "Grid")]
    grid: Option<String>,

    /// Skip realizations and inputs with NaN, infinite or missing values
    #[arg(long, help_heading = "Values")]
    skip_nan: bool,

    /// Take NaN in the high-fidelity solution as points that were not measured, the same in all
    /// realizations of an input
    #[arg(long, conflicts_with = "skip_nan", help_heading = "Values")]
    sensors: bool,

    /// Whether the i-th realization of low shares its randomness with the i-th of high
    /// [default: as the files say, or independent]
    #[arg(long, value_name = "HOW", value_parser = ["shared", "independent"], help_heading = "Values")]
    low_pairing: Option<String>,

    /// Precision of stored values: f32 or f64 [default: as in the files]
    #[arg(long, value_name = "P", help_heading = "Output")]
    precision: Option<Precision>,

    /// Inputs per file of an array (Zarr sharding), so that many inputs need few files
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Output")]
    shard: usize,

    /// Title of the dataset
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    title: Option<String>,

    /// Replace an existing dataset, or discard an unfinished one, with other contents
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// Print JSON instead of text
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Arguments {
    fn options(&self) -> Result<ImportOptions> {
        let mut options = ImportOptions {
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
            ..ImportOptions::default()
        };
        for dims in &self.dims {
            let Some((name, list)) = dims.split_once('=') else {
                bail!("--dims {dims}: write the array and its dimensions, as in u=input,y,x");
            };
            let list = list.split(',').map(|name| name.trim().to_owned());
            options
                .dimensions
                .insert(name.trim().to_owned(), list.collect());
        }
        Ok(options)
    }
}

impl Arguments {
    /// The options for files with meshes.
    fn mesh_options(&self) -> MeshOptions {
        MeshOptions {
            pattern: self.pattern.clone(),
            low_pattern: self.low_pattern.clone(),
            high: self.high.clone(),
            input: self.input.clone(),
            low: self.low.clone(),
            parameters: self.parameters.clone(),
            title: self.title.clone(),
        }
    }
}

/// Imports files with meshes.
fn import_mesh_files(arguments: &Arguments, files: &[PathBuf]) -> Result<Ending> {
    let Some(path) = &arguments.output else {
        bail!(
            "{} files with meshes: add -o DATA.zarr to import them",
            files.len()
        );
    };
    let options = arguments.mesh_options();
    let (dataset, notes) = match arguments.force && path.join("zarr.json").is_file() {
        true => replaced(path, |path| Ok(import_meshes(files, &options, path)?))?,
        false => import_meshes(files, &options, path)?,
    };
    let words = mesh_text(&dataset);
    output::message(&format!("{}: {words}", path.display()));
    output::notes(&notes);
    Ok(Ending::Done)
}

/// Replaces a dataset by another, which `write` first writes whole beside it: if that fails, the
/// dataset stays.
fn replaced<T>(path: &Path, write: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".replacing");
    let beside = path.with_file_name(name);
    remove_folder(&beside)?;
    let written = write(&beside).inspect_err(|_| drop(remove_folder(&beside)))?;
    remove_folder(path)?;
    std::fs::rename(&beside, path)?;
    Ok(written)
}

/// Describes the dataset made from files with meshes, in one line.
pub fn mesh_text(dataset: &Dataset) -> String {
    let names = dataset.input_quantities().iter().filter(|q| q.parameter);
    let names: Vec<&str> = names.filter_map(|q| q.name.as_deref()).collect();
    let parameters = match names[..] {
        [] => String::new(),
        _ => format!("; parameters {}", names.join(", ")),
    };
    format!(
        "{}, up to {} each{parameters}; {}",
        counted(dataset.inputs(), "input"),
        counted(dataset.realizations(), "realization"),
        dataset.notes().join("; ")
    )
}

/// Shows what the files hold, and writes it as a dataset if an output is given.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let options = arguments.options()?;
    if let Some(path) = &arguments.output {
        refuse_overwriting(path, arguments.sources.iter().map(PathBuf::as_path))?;
    }
    let files = mesh_files(&arguments.sources)?;
    if !files.is_empty() {
        return import_mesh_files(arguments, &files);
    }
    let mesh_alone = [&arguments.pattern, &arguments.low_pattern];
    if mesh_alone.iter().any(|given| given.is_some()) || arguments.parameters.is_some() {
        bail!(
            "--pattern, --low-pattern and --parameters are for files with meshes (VTK, Gmsh, UGRID, Exodus, XDMF), and none is found"
        );
    }
    let import = Import::open(&arguments.sources)?;
    let (found, is_written) = Progress::during("import", |progress| match &arguments.output {
        Some(path) => import.write(&options, path, arguments.force, progress),
        None => import.look(&options, progress).map(|found| (found, false)),
    })?;
    output::found(&found, arguments.json, |found| text(found, advice::worded))?;
    if arguments.json {
        return Ok(Ending::Done);
    }
    output::message(&match &arguments.output {
        Some(path) if is_written => next(path, &found),
        Some(path) => format!("{}: already complete, nothing to do", path.display()),
        None => "nothing is written; add -o DATA.zarr to write the dataset".into(),
    });
    Ok(Ending::Done)
}

/// The next step with the dataset.
fn next(path: &Path, found: &Found) -> String {
    let path = path.display();
    if found.realizations.1 == 0 {
        return format!(
            "{path}: written; next: floral sample RUN --input {path} -o predicted.zarr"
        );
    }
    format!("{path}: written; next: floral inspect {path}, then floral train {path} -o runs/first")
}

/// The findings as text with a table of the arrays; `wording` phrases the advice in notes.
pub fn text(found: &Found, wording: fn(&Advice) -> String) -> Result<String> {
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
    notes(&mut text, found, wording)?;
    Ok(text)
}

/// One row per channel, after a header.
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

/// The name of a channel with its units.
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

fn notes(text: &mut String, found: &Found, wording: fn(&Advice) -> String) -> Result<()> {
    let notes = found.notes.iter();
    let mut notes: Vec<String> = notes.map(|note| note.worded(wording)).collect();
    let counts = [
        (found.absent, "all-NaN realizations count as missing"),
        (
            found.skipped_realizations,
            "realizations with missing values are skipped",
        ),
        (
            found.skipped_inputs,
            "inputs with missing values, or without a realization, are skipped",
        ),
    ];
    for (count, words) in counts {
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
        notes.push(format!("not used: {}{more}", shown.join(", ")));
    }
    if !notes.is_empty() {
        writeln!(text)?;
    }
    for note in notes {
        writeln!(text, "  note: {note}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dataset_is_replaced_only_by_a_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.zarr");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("zarr.json"), "old").unwrap();
        let begun = |beside: &Path| -> Result<()> {
            std::fs::create_dir(beside)?;
            Ok(std::fs::write(beside.join("zarr.json"), "new")?)
        };
        let failed = |beside: &Path| -> Result<()> {
            begun(beside)?;
            bail!("a file cannot be read")
        };
        let read = || std::fs::read_to_string(path.join("zarr.json")).unwrap();
        assert!(replaced(&path, failed).is_err());
        assert_eq!(read(), "old");
        replaced(&path, begun).unwrap();
        assert_eq!(read(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
