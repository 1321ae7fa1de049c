//! Low fidelity on demand: a solver is called in parallel, once per input.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::cache::{self, Cache};
use super::{LowSolver, exchange};
use crate::observer::{Event, Observer};
use crate::storage::cache_folder;
use crate::{Error, Field, Grid, Result};

/// The cache folder of low fidelity in a run folder.
const FOLDER: &str = "low-cache";

/// A solver and the cache of its results.
pub struct OnDemand {
    solver: Box<dyn LowSolver>,
    /// Identity of the solver, set on first use.
    identity: OnceLock<String>,
    channels: usize,
    cache: Cache,
}

impl OnDemand {
    /// For solutions with this number of channels; results are cached in memory.
    pub fn new(solver: impl LowSolver + 'static, channels: usize) -> Self {
        Self {
            solver: Box::new(solver),
            identity: OnceLock::new(),
            channels,
            cache: Cache::default(),
        }
    }

    /// The same with results also cached in a folder, from which later runs read them.
    pub fn cached_in(self, folder: &Path) -> Self {
        Self {
            cache: Cache::in_folder(folder),
            ..self
        }
    }

    /// The cache folder of a run: inside the run folder, or for a model file in the user's cache
    /// folder, if that exists.
    pub fn folder(run: &Path) -> Option<PathBuf> {
        match run.is_file() {
            true => cache_folder().map(|cache| cache.join(FOLDER)),
            false => Some(run.join(FOLDER)),
        }
    }

    /// The cache key of an input's low fidelity.
    fn kept_name(&self, input: &Field, grid: &Grid) -> String {
        let identity = self.identity.get_or_init(|| self.solver.identity());
        cache::name(identity, input, grid)
    }

    /// Name of the solver in messages.
    pub fn name(&self) -> String {
        self.solver.name()
    }

    /// The low-fidelity solution of an input, from the cache or computed.
    pub fn low(&self, input: &Field, grid: &Grid, observer: &dyn Observer) -> Result<Field> {
        let name = self.kept_name(input, grid);
        if let Some(found) = self.cache.find(&name, self.channels, grid) {
            return Ok(found);
        }
        let low = self.solver.solve(input, grid, observer)?;
        exchange::check_low(&low, self.channels, grid).map_err(|reason| self.refusal(&reason))?;
        self.cache.keep(&name, &low)?;
        Ok(low)
    }

    /// Computes the missing solutions of these inputs on all threads. `input` returns the input at
    /// an index, or none if it needs no low fidelity.
    pub fn prepare(
        &self,
        inputs: Range<usize>,
        grid: &Grid,
        input: impl Fn(usize) -> Result<Option<Field>> + Sync,
        observer: &dyn Observer,
    ) -> Result<()> {
        let mut missing = Vec::new();
        let mut all = 0;
        for index in inputs {
            let Some(field) = input(index)? else { continue };
            all += 1;
            let name = self.kept_name(&field, grid);
            if self.cache.find(&name, self.channels, grid).is_none() {
                missing.push(index);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        observer.observe(&Event::Inputs {
            done: all - missing.len(),
            total: all,
        });
        let solve = |index: usize, within: &dyn Observer| {
            let Some(field) = input(index)? else {
                return Ok(());
            };
            let solved = self.low(&field, grid, within);
            solved.map_err(|error| error.numerical_at(format_args!("input {index}")))?;
            observer.observe(&Event::Generated { input: index });
            Ok(())
        };
        in_parallel(&missing, solve, observer)
    }

    fn refusal(&self, reason: &str) -> Error {
        Error::numerical(
            format!(
                "{} returned a low-fidelity solution that {reason}",
                self.solver.name()
            ),
            "fix the solver, or leave out this input",
        )
    }
}

impl std::fmt::Debug for OnDemand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let folder = self.cache.folder();
        write!(f, "OnDemand({}, kept in {folder:?})", self.name())
    }
}

/// Calls `work` for every index, on as many threads as rayon has; the first error stops the others.
///
/// The threads are separate from rayon's, because they mostly wait for other processes.
fn in_parallel(
    indices: &[usize],
    work: impl Fn(usize, &dyn Observer) -> Result<()> + Sync,
    observer: &dyn Observer,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let within = Within {
        observer,
        failed: AtomicBool::new(false),
    };
    let first: Mutex<Option<Error>> = Mutex::new(None);
    let worker = || {
        while let Some(&index) = indices.get(next.fetch_add(1, Ordering::Relaxed)) {
            if within.should_stop() {
                return;
            }
            if let Err(error) = work(index, &within) {
                let failed_before = within.failed.swap(true, Ordering::Relaxed);
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                // Workers stopped because of a failure report no cause of their own.
                if !failed_before || first.is_none() {
                    *first = Some(error);
                }
            }
        }
    };
    let threads = rayon::current_num_threads().min(indices.len());
    std::thread::scope(|scope| {
        (0..threads).for_each(|_| drop(scope.spawn(worker)));
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None if observer.should_stop() => Err(Error::Interrupted),
        None => Ok(()),
    }
}

/// An observer that requests a stop once part of the work has failed.
struct Within<'a> {
    observer: &'a dyn Observer,
    failed: AtomicBool,
}

impl Observer for Within<'_> {
    fn should_stop(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.observer.should_stop()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use floral_mesh::{CellKind, Cells, Mesh, Points};

    use super::*;
    use crate::grid::Domain;
    use crate::{Axis, Silent};

    fn grid() -> Grid {
        Grid::new(vec![Axis::closed("x", 4)])
    }

    fn input(index: usize) -> Field {
        Field::scalar(&grid(), vec![index as f64; 4])
    }

    /// A solver that counts its calls and fails if the input has the value `fails`.
    fn counting(fails: f64) -> (Arc<AtomicUsize>, impl LowSolver) {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let solver = move |input: &Field, _grid: &Grid| {
            counted.fetch_add(1, Ordering::Relaxed);
            if input.values()[0] == fails {
                return Err(Error::numerical("no luck", "try again"));
            }
            let values = input.values().iter().map(|v| 10.0 * v).collect();
            Field::from_values(1, input.grid_shape(), values)
        };
        (calls, solver)
    }

    fn prepare(on_demand: &OnDemand, count: usize) -> Result<()> {
        on_demand.prepare(0..count, &grid(), |i| Ok(Some(input(i))), &Silent)
    }

    #[test]
    fn every_input_is_solved_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let kept = OnDemand::folder(folder.path()).unwrap();
        let (calls, solver) = counting(f64::NAN);
        let first = OnDemand::new(solver, 1).cached_in(&kept);
        prepare(&first, 9).unwrap();
        prepare(&first, 9).unwrap();
        let low = first.low(&input(7), &grid(), &Silent).unwrap();
        assert_eq!(low.values(), [70.0; 4]);
        assert_eq!(calls.load(Ordering::Relaxed), 9);
        let (calls, solver) = counting(f64::NAN);
        let second = OnDemand::new(solver, 1).cached_in(&kept);
        assert_eq!(second.low(&input(7), &grid(), &Silent).unwrap(), low);
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        std::fs::read_dir(&kept)
            .unwrap()
            .for_each(|file| std::fs::write(file.unwrap().path(), "damaged").unwrap());
        let (calls, solver) = counting(f64::NAN);
        let third = OnDemand::new(solver, 1).cached_in(&kept);
        assert_eq!(third.low(&input(7), &grid(), &Silent).unwrap(), low);
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn another_grid_is_another_question() {
        let (calls, solver) = counting(f64::NAN);
        let on_demand = OnDemand::new(solver, 1);
        on_demand.low(&input(1), &grid(), &Silent).unwrap();
        let periodic = Grid::new(vec![Axis::periodic("x", 4)]);
        on_demand.low(&input(1), &periodic, &Silent).unwrap();
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        // The same coordinates in another domain.
        let mut longer = grid();
        longer.axes[0].domain = Domain::closed(0.0, 2.0);
        on_demand.low(&input(1), &longer, &Silent).unwrap();
        assert_eq!(calls.load(Ordering::Relaxed), 3);
    }

    /// The four points of a square, or of a rectangle of this width.
    fn mesh(width: f64) -> Grid {
        let points = [0.0, 0.0, width, 0.0, width, 1.0, 0.0, 1.0];
        let cells = Cells::new(CellKind::Triangle, vec![0, 1, 2, 0, 2, 3]).unwrap();
        let points = Points::new(&points, 2).unwrap();
        Grid::on_mesh(Mesh::new(points, vec![cells]).unwrap())
    }

    #[test]
    fn another_mesh_with_as_many_points_is_another_question() {
        let (calls, solver) = counting(f64::NAN);
        let on_demand = OnDemand::new(solver, 1);
        for width in [1.0, 2.0, 1.0] {
            on_demand.low(&input(1), &mesh(width), &Silent).unwrap();
        }
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn the_first_failure_names_its_input_and_what_was_solved_is_kept() {
        let (_, solver) = counting(3.0);
        let on_demand = OnDemand::new(solver, 1);
        let words = prepare(&on_demand, 6).unwrap_err().to_string();
        assert!(words.contains("input 3: no luck"), "{words}");
        let stopped = AtomicBool::new(true);
        let (calls, solver) = counting(3.0);
        let on_demand = OnDemand::new(solver, 1);
        let asked = on_demand.prepare(0..6, &grid(), |i| Ok(Some(input(i))), &stopped);
        assert!(matches!(asked, Err(Error::Interrupted)));
        assert_eq!(calls.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let short = |_: &Field, _: &Grid| Field::from_values(1, &[3], vec![0.0; 3]);
        let refused = OnDemand::new(short, 1).low(&input(0), &grid(), &Silent);
        let words = refused.unwrap_err().to_string();
        assert!(
            words.contains("[1, 3]") && words.contains("[1, 4]"),
            "{words}"
        );
        let broken = |_: &Field, _: &Grid| Field::from_values(1, &[4], vec![f64::NAN; 4]);
        let refused = OnDemand::new(broken, 1).low(&input(0), &grid(), &Silent);
        assert!(refused.unwrap_err().to_string().contains("NaN"));
    }
}
