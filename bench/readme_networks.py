"""The paper's four methods, trained here: results/trained, and recordings at smaller scales."""

import statistics
import tomllib

from readme_recommended import METHODS, mean_l2, places, prediction, seeds
from results import RESULTS, ROOT, groups, mean, read, short, source, table

SIZES = 100, 500, 2000
SYSTEMS = "advection", "burgers", "darcy-reference"
KEYS = dict(zip(METHODS, ("fno", "residual-fno", "flora", "floral")))
# A cell is marked if it differs by more than this share from the paper.
MARKED = 0.3


def trained():
    """Cells of results/trained: (system, samples, resolution, method) -> (record, system, file)."""
    found = {}
    for path in sorted((RESULTS / "trained").glob("*.json")):
        name = f"trained/{path.name}"
        for system in read(name)["systems"]:
            for (samples, resolution), cells in places(system).items():
                for method, cell in cells.items():
                    for record in seeds(cell)[:1]:
                        found[system["name"], samples, resolution, method] = record, system, name
    return found


def experiment(system):
    return tomllib.loads((ROOT / f"experiments/{system}.toml").read_text())


def nrmse(record):
    return prediction(record)["mean"]["nrmse"]


def compared(ours, papers):
    mark = " *" if papers and abs(ours - papers) > MARKED * papers else ""
    return f"{short(ours)} ({short(papers)}){mark}" if papers else short(ours)


def low_of(cells, system, papers):
    lows = [made["low"][0]["nrmse"] for key, (_, made, _) in cells.items() if key[0] == system and made["low"][0]]
    return f"{short(lows[0])} ({short(papers['low']['nrmse'])})" if lows else f"({short(papers['low']['nrmse'])})"


def mean_residual_of(cells, system, samples):
    """nRMSE of low fidelity plus the mean residual of the same training inputs."""
    found = [record for key, (record, _, _) in cells.items() if key[:3] == (system, samples, None)]
    return short(found[0]["evaluation"]["mean_residual"]["nrmse"]) if found else "not run"


def table_one(cells):
    for system in SYSTEMS:
        made = experiment(system)
        papers = made["paper"]
        for samples in SIZES:
            row = [made["title"], f"{samples} ({samples // 50} + 15)", low_of(cells, system, papers), mean_residual_of(cells, system, samples)]
            for method in METHODS:
                reported = papers["table1"].get(KEYS[method], {}).get(str(samples), {}).get("nrmse")
                found = cells.get((system, samples, None, method))
                row.append(compared(nrmse(found[0]), reported) if found else f"not run ({short(reported)})")
            yield row


def spread(record):
    found = prediction(record).get("spread")
    return short(found["variance_relative"]) if found else ""


def coverage(record):
    found = prediction(record).get("spread")
    return short(next(row["coverage"] for row in found["observed"]["coverage"] if row["level"] == 0.9)) if found else ""


def integrators(cells):
    """The fixed-step solvers by which flows were sampled."""
    solvers = [record["recipe"]["solver"] for record, _, _ in cells.values() if prediction(record).get("spread")]
    return " and ".join(sorted({f"{solver['method']} with {solver['steps']} steps" for solver in solvers}))


def details(cells):
    for (_, samples, resolution, method), (record, system, name) in cells.items():
        grid = "x".join(map(str, [record["recipe"]["run"]["data"]["constants"]["resolution"]] * 2))
        yield [
            system["title"],
            f"{method}, {samples} samples" + (f" on {resolution} points per axis" if resolution else ""),
            grid,
            f"{record['evaluation']['epoch']} of {record['epochs']}",
            f"{record['training_seconds'] / 60:.0f}",
            short(nrmse(record)),
            short(system["norm_factor"] * prediction(record)["mean_l2_floor"]),
            spread(record),
            coverage(record),
            source(name),
        ]


def page_of_trained():
    cells = trained()
    settings = sorted({system["settings"] for _, system, _ in cells.values()})
    hours = sum(read(f"trained/{path.name}")["hours"] for path in (RESULTS / "trained").glob("*.json"))
    asked = len(SYSTEMS) * len(METHODS) * len(SIZES)
    done = len([key for key in cells if key[2] is None and key[0] in SYSTEMS and key[1] in SIZES])
    header = ["", "samples (training + validation inputs)", "low fidelity", "low fidelity + mean residual", *METHODS]
    columns = ["", "cell", "grid", "best epoch of those trained", "minutes", "nRMSE", "error of mean L2 from finite realizations", "variance", "90 % interval", "file"]
    return f"""## Table 1 of the paper

nRMSE of the predicted mean: our value, with the paper's in brackets. {done} of {asked} cells have been trained, with one seed each. An asterisk
marks a value that differs from the paper's by more than {100 * MARKED:.0f} %. nRMSE is the root mean square error divided by the root mean
square of the truth, both over all inputs and points, so that results on 64x64 points can be compared with the paper's on 128x128 points for
Advection and Burgers. The inputs are different draws than the paper's, so that low fidelity differs too. Each file names its command
(`floral reproduce table1 --scale trained`); the trainings took {hours:.1f} hours in total.

{table(header, list(table_one(cells)))}
{"".join(f"- {text}.{chr(10)}" for text in settings)}- Deterministic methods are trained on the mean solution of each input. This has the same minimiser as training on single realizations
  and is much cheaper. An epoch is then shorter; the number of steps is that of the paper.
- Flows are sampled by {integrators(cells)} per realization.
- *Low fidelity + mean residual* is a baseline that learns one field from the same training inputs.
- Darcy has the distribution of the paper's reference code, which differs from that in its text.

All cells in detail. *Variance* is the relative error of the variance field (1 means no skill), *90 % interval* the
coverage of this interval over all test inputs and points; deterministic methods have neither.

{table(columns, list(details(cells)))}"""


def ranges(rows):
    """Smallest, median and largest error of each prediction that needs no training."""
    for name in ("low", "mean_residual_2", "mean_residual_10", "mean_solution_2", "mean_solution_10"):
        errors = [row[name] for row in rows]
        yield f"{short(min(errors))}, {short(statistics.median(errors))}, {short(max(errors))}"


def page_of_draws():
    rows = read("draws.json")["rows"]
    header = ["", "draws", "low fidelity", "+ mean residual of 2 inputs", "of 10", "mean solution of 2", "of 10"]
    body = [
        [experiment(data)["title"] + (", signs at random" if signs == "random" else ""), f"{len(mine)}", *ranges(mine)]
        for data, of_data in groups(rows, "data").items()
        for signs, mine in groups(of_data, "signs").items()
    ]
    return f"""## How much of a cell is its draw

Why do single cells differ from the paper's by more than {100 * MARKED:.0f} %? The simplest hypothesis is the draw of the inputs. It can be tested
without training. The table shows the smallest, median and largest nRMSE of predictions that learn nothing or a single field, over 20 draws of
training and test inputs (`{read("draws.json")["command"]}`, {source("draws.json")}).

{table(header, body)}
- Darcy: the eigenvectors of the permeability have a fixed sign here. The paper's reference code leaves their signs to the eigenvalue
  solver, and all inputs share the mean field that follows from them. If the signs are drawn at random, the error of low fidelity varies by a
  factor of three, and that of low fidelity with the mean residual of two inputs by a factor of four. The paper's FNO with 100 samples lies in
  the range of the mean solution of two inputs. Its Residual FNO (0.069) lies below the range of the mean residual, so that the draw explains
  only part of the difference from our value.
- Advection and Burgers: with two training inputs, the draw changes these errors by 20 to 25 % either way. This does not explain Burgers,
  where our residual methods have about half and two thirds of the paper's error. Another possible reason is the grid (64x64 points here,
  128x128 in the paper, with twice the Fourier modes per axis); it has not been tested.
"""


def older_files():
    names = sorted(path.name for path in RESULTS.glob("table[13]-*.json"))
    return [name for name in names if "recommended" not in name]


def beside(ours, papers):
    return short(ours) if papers is None else f"{short(ours)} ({short(papers)})"


def older_rows(scale, system):
    for (samples, resolution), cells in places(system).items():
        grid = f" on {resolution} points per axis" if resolution else ""
        ours, papers = system["low"]
        low = beside(system["norm_factor"] * ours["mean_l2"], (papers or {}).get("mean_l2")) if ours else ""
        row, spreads = [system["title"], f"{samples} samples{grid}", scale, low], []
        for method in METHODS:
            cell = cells.get(method, {})
            records, paper = seeds(cell), cell.get("paper") or {}
            error = mean(mean_l2(system, record) for record in records)
            row.append(beside(error, paper.get("mean_l2")) if records else "not run")
            spreads.append(spread(records[0]) if records else "")
        if row[4:] != ["not run"] * len(METHODS):
            yield row + spreads[2:]


def notes(system, scale):
    """A note on truth, checkpoints, and the contribution of finite numbers of realizations."""
    records = [record for cell in system["cells"] for record in seeds(cell)]
    drawn = [prediction(record) for record in records if prediction(record).get("spread")]
    count = max(found["realizations"] for found in drawn)
    floor = system["norm_factor"] * max(found["mean_l2_floor"] for found in drawn)
    best, trained_for = ([min(values), max(values)] for values in (
        [record["evaluation"]["epoch"] for record in records], [record["epochs"] for record in records]))
    optimiser = records[0]["recipe"]["run"]["training"]["optimiser"]
    validation = records[0]["recipe"]["run"]["training"]["split"]["validation"]
    return (f"- {system['title']}, {scale}: {system['settings']}. Truth: {system['truth']}. The best checkpoints on {validation} validation "
            f"inputs are from epochs {best[0]} to {best[1]} of {trained_for[0]} to {trained_for[1]}; the learning rate falls by a factor of "
            f"{short(optimiser['decay'])} every {optimiser['decay_every']} epochs. The sampling error of {count} realizations alone contributes up to "
            f"{short(floor)} to mean L2 and {short((2 / (count - 1)) ** 0.5)} to the relative variance error.\n")


def page_of_older():
    made = [(read(name)["scale"], system) for name in older_files() for system in read(name)["systems"]]
    made.sort(key=lambda entry: entry[1]["title"])
    rows = [row for scale, system in made for row in older_rows(scale, system)]
    header = ["", "trained on", "scale", "low fidelity", *METHODS, "variance, FLORA", "variance, FLORAL"]
    return f"""## Smaller trainings

Our mean L2 errors, with the paper's in brackets, from earlier and shorter trainings ({', '.join(map(source, older_files()))}, each with
its command and hours). The scale *short* has few steps, so that these rows say little about what the methods can reach. The last
two columns are relative errors of the variance; 1 means no skill.

{table(header, rows)}
{"".join(dict.fromkeys(notes(system, scale) for scale, system in made))}
A flow of the paper that is trained on a coarser grid than it predicts on loses its spread, as the last columns show; FLORAL-KL does
not. One reason is the paper's prior, which is nearly white noise on every grid: its smooth part, which the network turns into
spread, fades as the grid is refined.
"""


def page():
    return "# The paper's methods, trained here\n\n" + page_of_trained() + "\n" + page_of_draws() + "\n" + page_of_older()
