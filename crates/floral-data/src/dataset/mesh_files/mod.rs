//! A dataset from files with meshes (VTK, Gmsh, UGRID, Exodus, XDMF): every file one realization on the
//! same mesh, inputs and realizations identified by their paths.

mod budget;
mod low_files;
mod netcdf;
mod paths;
mod point_data;
mod read;
mod table;
mod xdmf;

use std::path::{Path, PathBuf};

use floral_mesh::MeshFile;

use low_files::{LowFiles, LowMesh};
use paths::{grouped, natural};
use point_data::{advice_on_cells, array, components, names_of, numbers, quantities};
pub use read::{is_mesh_file, read_mesh};
use table::Table;

use super::import::Pick;
use super::{Arrays, Dataset};
use crate::{Error, Field, Grid, Quantity, Result};

/// Folders within folders, at most.
const DEEPEST: usize = 16;

/// Which arrays of the files become what.
#[derive(Debug, Clone, Default)]
pub struct MeshOptions {
    /// How paths end, as in `case_{input}/run_{realization}.vtu`. Without it, files of one folder are
    /// realizations of one input if there are several folders, and inputs of their own if not.
    pub pattern: Option<String>,
    /// Point data of the solution; all of it if there is only one array.
    pub high: Vec<Pick>,
    /// Point data of the input and of low fidelity, in the first file of each input.
    pub input: Vec<Pick>,
    /// See `input`.
    pub low: Vec<Pick>,
    /// How the path of an input's low fidelity ends, as in `case_{input}/low.vtu`: a file of its own, whose
    /// mesh may be another.
    pub low_pattern: Option<String>,
    /// A CSV file of parameters, its first column the input; without it, those in the field data.
    pub parameters: Option<PathBuf>,
    /// The title of the dataset.
    pub title: Option<String>,
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

/// Reads the files and writes the dataset; with notes of what was left out of the first file, and if
/// low fidelity had to be extended.
pub fn import_meshes(
    files: &[PathBuf],
    options: &MeshOptions,
    target: &Path,
) -> Result<(Dataset, Vec<String>)> {
    let lows = LowFiles::of(files, options)?;
    let files: Vec<PathBuf> = files.iter().filter(|f| !lows.has(f)).cloned().collect();
    let inputs = grouped(&files, options.pattern.as_deref())?;
    let table = options.parameters.as_deref().map(Table::read).transpose()?;
    let picks: Vec<Pick> = [&options.high[..], &options.input, &options.low].concat();
    let mut built: Option<Built> = None;
    let mut notes = Vec::new();
    for (label, own) in &inputs {
        for (realization, path) in own.iter().enumerate() {
            let file = read_mesh(path, &picks)?;
            let built = match &mut built {
                Some(built) => built,
                None => {
                    notes.clone_from(&file.notes);
                    built.insert(Built::new(path, &file, options, table.as_ref())?)
                }
            };
            built.check(path, &file)?;
            if realization == 0 {
                built.begin(label, path, &file, table.as_ref())?;
                built.take_low(&lows, label)?;
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
            "no files with meshes are found; give {}, or NetCDF by UGRID or Exodus",
            read::ENDINGS.join(", ")
        ),
    })?;
    let title = options.title.as_deref().unwrap_or_default();
    notes.extend(built.low.as_ref().and_then(LowMesh::note));
    Ok((built.arrays.title(title).write(target)?, notes))
}

/// Inputs under way.
struct Built {
    first: PathBuf,
    mesh: floral_mesh::Mesh,
    grid: Grid,
    names: Names,
    arrays: Arrays,
    current: Option<Current>,
    /// The mesh of low fidelity, where that has files of its own.
    low: Option<LowMesh>,
}

/// Names of point data, and of parameters.
struct Names {
    high: Vec<Pick>,
    input: Vec<Pick>,
    low: Vec<Pick>,
    /// Whether low fidelity has files of its own.
    low_file: bool,
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
                [one] => vec![Pick::all(&one.name)],
                _ => {
                    return Err(bad(
                        path,
                        format!(
                            "has the point data ({}){}; name the solution with --high",
                            names_of(file),
                            advice_on_cells(file)
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
        // Low fidelity of a file of its own has the same names unless others are given.
        let low = match (&options.low_pattern, &options.low[..]) {
            (Some(_), []) => high.clone(),
            _ => options.low.clone(),
        };
        let names = Names {
            high,
            input: options.input.clone(),
            low,
            low_file: options.low_pattern.is_some(),
            parameters,
        };
        let grid = Grid::on_mesh(file.mesh.clone());
        let of = |picks: &[Pick]| -> Result<Vec<Quantity>> {
            let dimension = file.mesh.points().dimension();
            let mut all = Vec::new();
            for pick in picks {
                all.extend(quantities(&pick.name, array(path, file, pick)?, dimension));
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
            low: None,
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
        let low = match &self.names.low_file {
            true => Vec::new(),
            false => self.fields(path, file, &self.names.low)?,
        };
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

    /// Takes low fidelity from the file of its own, brought to the mesh.
    fn take_low(&mut self, lows: &LowFiles, label: &str) -> Result<()> {
        let Some(path) = lows.of_input(label)? else {
            return Ok(());
        };
        let file = read_mesh(path, &self.names.low)?;
        let values = self.fields(path, &file, &self.names.low)?;
        let is_known = self.low.as_ref().is_some_and(|low| low.mesh == file.mesh);
        if !is_known {
            let found = floral_mesh::interpolation(&file.mesh, self.mesh.points());
            let found = found.map_err(|error| bad(path, error.to_string()))?;
            self.low = Some(LowMesh {
                mesh: file.mesh,
                found,
            });
        }
        if let (Some(low), Some(current)) = (&self.low, &mut self.current) {
            let fields = values.chunks_exact(low.mesh.points().count());
            let brought: Vec<f64> = fields.flat_map(|f| low.found.matrix.apply(f)).collect();
            let channels = brought.len() / self.grid.len();
            current.low = Some(Field::from_values(channels, &self.grid.shape(), brought)?);
        }
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
    fn fields(&self, path: &Path, file: &MeshFile, picks: &[Pick]) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        for pick in picks {
            let array = array(path, file, pick)?;
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

fn bad(path: &Path, reason: String) -> Error {
    Error::bad_file(path, reason)
}
