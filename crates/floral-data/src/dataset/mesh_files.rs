//! A dataset from files of VTK or Gmsh: every file one realization on the same mesh, inputs and
//! realizations identified by their paths.

use std::path::{Path, PathBuf};

use floral_mesh::{Array, MeshFile};

use super::{Arrays, Dataset};
use crate::{Error, Field, Grid, Quantity, Result};

/// Endings of the files that are read.
const ENDINGS: [&str; 7] = ["vtu", "vtk", "vtp", "vti", "vts", "vtr", "msh"];

/// The parts of a pattern.
const INPUT: &str = "{input}";
const REALIZATION: &str = "{realization}";

/// Folders within folders, at most.
const DEEPEST: usize = 16;

/// Which arrays of the files become what.
#[derive(Debug, Clone, Default)]
pub struct MeshOptions {
    /// How paths end, as in `case_{input}/run_{realization}.vtu`. Without it, files of one folder are
    /// realizations of one input if there are several folders, and inputs of their own if not.
    pub pattern: Option<String>,
    /// Point data of the solution; all of it if there is only one array.
    pub high: Vec<String>,
    /// Point data of the input and of low fidelity, in the first file of each input.
    pub input: Vec<String>,
    /// See `input`.
    pub low: Vec<String>,
    /// A CSV file of parameters, its first column the input; without it, those in the field data.
    pub parameters: Option<PathBuf>,
    /// The title of the dataset.
    pub title: Option<String>,
}

/// Whether a path is that of a file with a mesh.
pub fn is_mesh_file(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| {
        ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    })
}

/// The files with meshes among these and in these folders, in natural order.
pub fn mesh_files(sources: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for source in sources {
        gather(source, DEEPEST, &mut files)?;
    }
    files.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
    files.dedup();
    Ok(files)
}

fn gather(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        if is_mesh_file(path) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    // A store of arrays has no meshes of other programs.
    if depth == 0 || path.join("zarr.json").is_file() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(Error::io(path))? {
        let entry = entry.map_err(Error::io(path))?;
        gather(&entry.path(), depth - 1, files)?;
    }
    Ok(())
}

/// Reads the files and writes the dataset.
pub fn import_meshes(files: &[PathBuf], options: &MeshOptions, target: &Path) -> Result<Dataset> {
    let inputs = grouped(files, options.pattern.as_deref())?;
    let table = options.parameters.as_deref().map(Table::read).transpose()?;
    let mut built: Option<Built> = None;
    for (label, own) in &inputs {
        for (realization, path) in own.iter().enumerate() {
            let file = floral_mesh::read(path).map_err(|error| Error::Config {
                context: "import".into(),
                reason: error.to_string(),
            })?;
            let built = match &mut built {
                Some(built) => built,
                None => built.insert(Built::new(path, &file, options, table.as_ref())?),
            };
            built.check(path, &file)?;
            if realization == 0 {
                built.begin(label, path, &file, table.as_ref())?;
            }
            built.add(path, &file)?;
        }
        if let Some(built) = &mut built {
            built.end()?;
        }
    }
    let built = built.ok_or_else(|| Error::Config {
        context: "import".into(),
        reason: format!(
            "no files with meshes are found; give {}",
            ENDINGS.join(", ")
        ),
    })?;
    let title = options.title.as_deref().unwrap_or_default();
    built.arrays.title(title).write(target)
}

/// Inputs under way.
struct Built {
    first: PathBuf,
    mesh: floral_mesh::Mesh,
    grid: Grid,
    names: Names,
    arrays: Arrays,
    current: Option<Current>,
}

/// Names of point data, and of parameters.
struct Names {
    high: Vec<String>,
    input: Vec<String>,
    low: Vec<String>,
    parameters: Vec<String>,
}

struct Current {
    input: Field,
    low: Option<Field>,
    parameters: Vec<f64>,
    high: Vec<Field>,
}

impl Built {
    fn new(
        path: &Path,
        file: &MeshFile,
        options: &MeshOptions,
        table: Option<&Table>,
    ) -> Result<Self> {
        let mut high = options.high.clone();
        if high.is_empty() {
            high = match &file.fields[..] {
                [one] => vec![one.name.clone()],
                fields => {
                    let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
                    return Err(bad(
                        path,
                        format!(
                            "has the point data ({}); name the solution with --high",
                            names.join(", ")
                        ),
                    ));
                }
            };
        }
        let parameters = match table {
            Some(table) => table.names.clone(),
            None => {
                let single = file
                    .parameters
                    .iter()
                    .filter(|array| array.values.len() == 1);
                single.map(|array| array.name.clone()).collect()
            }
        };
        if parameters.is_empty() && options.input.is_empty() {
            return Err(bad(
                path,
                "has no field data with one number, which would be a parameter of the input; give \
                 --parameters FILE.csv, or point data with --input"
                    .into(),
            ));
        }
        let names = Names {
            high,
            input: options.input.clone(),
            low: options.low.clone(),
            parameters,
        };
        let grid = Grid::on_mesh(file.mesh.clone());
        let of = |names: &[String]| -> Result<Vec<Quantity>> {
            let dimension = file.mesh.points().dimension();
            let mut all = Vec::new();
            for name in names {
                all.extend(quantities(array(path, file, name)?, dimension));
            }
            Ok(all)
        };
        let mut input = of(&names.input)?;
        let numbers = names.parameters.iter();
        input.extend(numbers.map(|name| Quantity::named(name).as_parameter()));
        let arrays = Arrays::new(grid.clone()).quantities(input, of(&names.high)?);
        Ok(Self {
            first: path.to_owned(),
            mesh: file.mesh.clone(),
            grid,
            names,
            arrays,
            current: None,
        })
    }

    /// Refuses another mesh than that of the first file.
    fn check(&self, path: &Path, file: &MeshFile) -> Result<()> {
        let (one, other) = (&self.mesh, &file.mesh);
        if one.points() == other.points() && one.cells() == other.cells() {
            return Ok(());
        }
        Err(bad(
            path,
            format!(
                "its mesh ({} points) is not that of {} ({} points); bring all files to one mesh first",
                other.points().count(),
                self.first.display(),
                one.points().count()
            ),
        ))
    }

    /// Begins an input with its first file.
    fn begin(
        &mut self,
        label: &str,
        path: &Path,
        file: &MeshFile,
        table: Option<&Table>,
    ) -> Result<()> {
        let parameters = match table {
            Some(table) => table.row(label)?,
            None => numbers(path, file, &self.names.parameters)?,
        };
        let mut values = self.fields(path, file, &self.names.input)?;
        values.extend(super::parameters::channels(&parameters, self.grid.len()));
        let channels = values.len() / self.grid.len();
        let low = self.fields(path, file, &self.names.low)?;
        let low_channels = low.len() / self.grid.len();
        let shape = self.grid.shape();
        let low = (low_channels > 0).then(|| Field::from_values(low_channels, &shape, low));
        self.current = Some(Current {
            input: Field::from_values(channels, &shape, values)?,
            low: low.transpose()?,
            parameters: if table.is_some() {
                Vec::new()
            } else {
                parameters
            },
            high: Vec::new(),
        });
        Ok(())
    }

    /// Adds a realization.
    fn add(&mut self, path: &Path, file: &MeshFile) -> Result<()> {
        let values = self.fields(path, file, &self.names.high)?;
        let channels = values.len() / self.grid.len();
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let point = at % self.grid.len();
            return Err(bad(
                path,
                format!("the solution is {} at point {point}", values[at]),
            ));
        }
        let field = Field::from_values(channels, &self.grid.shape(), values)?;
        let Some(current) = &mut self.current else {
            return Ok(());
        };
        if !current.parameters.is_empty() {
            let own = numbers(path, file, &self.names.parameters)?;
            let odd = own
                .iter()
                .zip(&current.parameters)
                .position(|(a, b)| a != b);
            if let Some(i) = odd {
                let name = &self.names.parameters[i];
                return Err(bad(
                    path,
                    format!(
                        "{name} is {}, but {} in the first file of the same input; give --pattern so that \
                         each input has its own files",
                        own[i], current.parameters[i]
                    ),
                ));
            }
        }
        current.high.push(field);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        match self.current.take() {
            Some(current) => self
                .arrays
                .push(&current.input, current.low.as_ref(), &current.high),
            None => Ok(()),
        }
    }

    /// Point data of these names: [channel, point].
    fn fields(&self, path: &Path, file: &MeshFile, names: &[String]) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        for name in names {
            let array = array(path, file, name)?;
            let kept = components(array, file.mesh.points().dimension());
            for component in 0..kept {
                let own = array
                    .values
                    .iter()
                    .skip(component)
                    .step_by(array.components);
                values.extend(own.copied());
            }
        }
        Ok(values)
    }
}

fn array<'a>(path: &Path, file: &'a MeshFile, name: &str) -> Result<&'a Array> {
    let found = file.fields.iter().find(|array| array.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = file.fields.iter().map(|f| f.name.as_str()).collect();
        bad(
            path,
            format!("has no point data {name:?}, but ({})", names.join(", ")),
        )
    })
}

/// Components that are kept: VTK pads vectors of the plane with a third one.
fn components(array: &Array, dimension: usize) -> usize {
    match array.components {
        3 if dimension < 3 => dimension,
        components => components,
    }
}

/// The channels of point data, vectors by their components.
fn quantities(array: &Array, dimension: usize) -> Vec<Quantity> {
    let kept = components(array, dimension);
    if kept == 1 {
        return vec![Quantity::named(&array.name)];
    }
    let name = |i: usize| match ["x", "y", "z"].get(i).filter(|_| kept <= 3) {
        Some(axis) => format!("{}_{axis}", array.name),
        None => format!("{}_{i}", array.name),
    };
    (0..kept).map(|i| Quantity::named(&name(i))).collect()
}

/// Numbers in the field data.
fn numbers(path: &Path, file: &MeshFile, names: &[String]) -> Result<Vec<f64>> {
    let number = |name: &String| {
        let found = file.parameters.iter().find(|array| &array.name == name);
        match found.map(|array| &array.values[..]) {
            Some([one]) if one.is_finite() => Ok(*one),
            Some(values) => Err(bad(
                path,
                format!("the field data {name} is {values:?}; give one number"),
            )),
            None => Err(bad(
                path,
                format!("has no field data {name}, which the first file has"),
            )),
        }
    };
    names.iter().map(number).collect()
}

/// The files of each input, in natural order of inputs and realizations.
fn grouped(files: &[PathBuf], pattern: Option<&str>) -> Result<Vec<(String, Vec<PathBuf>)>> {
    let mut inputs: Vec<(String, Vec<PathBuf>)> = Vec::new();
    let folder = |path: &PathBuf| path.parent().map(Path::to_owned);
    let several = files
        .windows(2)
        .any(|pair| folder(&pair[0]) != folder(&pair[1]));
    for path in files {
        let label = match pattern {
            Some(pattern) => match labels(pattern, path)? {
                Some(label) => label,
                None => continue,
            },
            None if several => folder(path)
                .and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()))
                .unwrap_or_default(),
            None => path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        };
        match inputs.iter_mut().find(|(known, _)| *known == label) {
            Some((_, own)) => own.push(path.clone()),
            None => inputs.push((label, vec![path.clone()])),
        }
    }
    if let (Some(pattern), true) = (pattern, inputs.is_empty()) {
        return Err(Error::Config {
            context: format!("pattern {pattern}"),
            reason: format!("none of {} files matches it", files.len()),
        });
    }
    inputs.sort_by_cached_key(|(label, _)| natural(label));
    Ok(inputs)
}

/// The label of the input in a path that ends like the pattern; none if it does not.
fn labels(pattern: &str, path: &Path) -> Result<Option<String>> {
    if pattern.matches(INPUT).count() != 1 || pattern.matches(REALIZATION).count() > 1 {
        return Err(Error::Config {
            context: format!("pattern {pattern}"),
            reason: format!("write {INPUT} once, and {REALIZATION} at most once"),
        });
    }
    let text = path.to_string_lossy().replace('\\', "/");
    let parts = pattern.split('/').count();
    let pieces: Vec<&str> = text.rsplit('/').take(parts).collect();
    let tail = pieces.into_iter().rev().collect::<Vec<_>>().join("/");
    let holes = pattern
        .replace(INPUT, "\0i\0")
        .replace(REALIZATION, "\0r\0");
    let mut rest = tail.as_str();
    let mut label = None;
    let mut parts = holes.split('\0').peekable();
    while let Some(part) = parts.next() {
        if part != "i" && part != "r" {
            let Some(behind) = rest.strip_prefix(part) else {
                return Ok(None);
            };
            rest = behind;
            continue;
        }
        let until = parts.peek().copied().unwrap_or_default();
        let end = if until.is_empty() {
            Some(rest.len())
        } else {
            rest.find(until)
        };
        let Some(end) = end.filter(|end| *end > 0) else {
            return Ok(None);
        };
        if part == "i" {
            label = Some(rest[..end].to_owned());
        }
        rest = &rest[end..];
    }
    Ok(label.filter(|_| rest.is_empty()))
}

/// A key by which `run_2` comes before `run_10`.
fn natural(text: &str) -> Vec<(u64, String)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let words = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(words);
        let digits = behind
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(behind.len());
        let (number, behind) = behind.split_at(digits);
        key.push((0, word.to_owned()));
        key.push((number.parse().unwrap_or(u64::MAX), number.to_owned()));
        rest = behind;
    }
    key
}

/// Parameters in a CSV file: a header of names, then a row for each input; the first column is the
/// input.
struct Table {
    path: PathBuf,
    names: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
}

impl Table {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        let text = text.trim_start_matches('\u{feff}');
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let cells = |line: &str| -> Vec<String> {
            let cells = line.split(',').map(|cell| cell.trim().trim_matches('"'));
            cells.map(str::to_owned).collect()
        };
        let mut lines = lines.map(|(i, line)| (i + 1, cells(line)));
        let names = lines.next().map_or_else(Vec::new, |(_, header)| header);
        if names.len() < 2 {
            return Err(bad(
                path,
                "its header has to name the input and at least one parameter, as in case,load"
                    .into(),
            ));
        }
        let names = names[1..].to_vec();
        let mut rows = Vec::new();
        for (line, cells) in lines {
            let number = |(name, cell): (&String, &String)| {
                let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
                value.ok_or_else(|| {
                    bad(
                        path,
                        format!("line {line}: {name} is {cell:?}; give a finite number"),
                    )
                })
            };
            if cells.len() != names.len() + 1 {
                let expected = names.len() + 1;
                let reason = format!(
                    "line {line} has {} cells, the header {expected}",
                    cells.len()
                );
                return Err(bad(path, reason));
            }
            let values = names.iter().zip(&cells[1..]).map(number);
            rows.push((cells[0].clone(), values.collect::<Result<Vec<f64>>>()?));
        }
        let path = path.to_owned();
        Ok(Self { path, names, rows })
    }

    /// The parameters of an input: by its label, also without leading zeros.
    fn row(&self, label: &str) -> Result<Vec<f64>> {
        let plain = |text: &str| text.trim_start_matches('0').to_owned();
        let is_same = |own: &str| own == label || plain(own) == plain(label);
        let found = self.rows.iter().find(|(own, _)| is_same(own));
        let row = found.map(|(_, row)| row.clone());
        row.ok_or_else(|| bad(&self.path, format!("has no row for the input {label:?}")))
    }
}

fn bad(path: &Path, reason: String) -> Error {
    Error::BadFile {
        path: path.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart_by_the_pattern() {
        let pattern = "case_{input}/run_{realization}.vtu";
        let label = |path: &str| labels(pattern, Path::new(path)).unwrap();
        assert_eq!(label("data/case_7/run_01.vtu").as_deref(), Some("7"));
        assert_eq!(label("case_a_b/run_2.vtu").as_deref(), Some("a_b"));
        assert_eq!(label("case_7/out_01.vtu"), None);
        assert_eq!(label("case_/run_1.vtu"), None);
        assert!(labels("run_{realization}.vtu", Path::new("run_1.vtu")).is_err());
    }

    #[test]
    fn ten_comes_after_two() {
        let mut names = ["run_10", "run_2", "run_1"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["run_1", "run_2", "run_10"]);
    }

    #[test]
    fn files_of_a_folder_are_realizations_if_there_are_several_folders() {
        let files = ["a/1.vtu", "a/2.vtu", "b/1.vtu"].map(PathBuf::from);
        let inputs = grouped(&files, None).unwrap();
        assert_eq!(
            inputs.iter().map(|(_, own)| own.len()).collect::<Vec<_>>(),
            [2, 1]
        );
        let inputs = grouped(&files[..2], None).unwrap();
        assert_eq!(
            inputs.iter().map(|(_, own)| own.len()).collect::<Vec<_>>(),
            [1, 1]
        );
    }
}
