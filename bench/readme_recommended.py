"""The default method by the protocol of the paper, with validation inputs beside the training inputs."""

from results import RESULTS, deviation, exists, made_by, mean, method_version, program_version, read, short, source, table

METHODS = "FNO", "Residual FNO", "FLORA", "FLORAL"
OURS = "Kriging", "FLORAL-KL"


def method_of(cell):
    return max((name for name in METHODS + OURS if cell["name"].startswith(name)), key=len)


def seeds(cell):
    """The records of a cell, one for each seed; older files have a single one."""
    ours = cell.get("ours")
    return ours if isinstance(ours, list) else [ours] if ours else []


def places(system):
    """The cells of a system by number of samples and resolution, then by method."""
    found = {}
    for cell in system["cells"]:
        found.setdefault((cell["samples"], cell["resolution"]), {})[method_of(cell)] = cell
    return found


def prediction(record):
    return record["evaluation"]["prediction"]


def mean_l2(system, record):
    return system["norm_factor"] * prediction(record)["mean"]["mean_l2"]


def spread(record):
    return prediction(record)["spread"]


def ninety(record):
    coverage = spread(record)["observed"]["coverage"]
    return next(interval["coverage"] for interval in coverage if abs(interval["level"] - 0.9) < 1e-9)


def coverage(records):
    """Coverage of the 90 % interval: the mean, the worst seed, and the worst input where it is recorded."""
    all_seeds = [ninety(record) for record in records]
    worst = [spread(record)["observed"].get("worst_input_coverage") for record in records]
    shown = [mean(all_seeds), min(all_seeds), *([] if None in worst else [min(worst)])]
    return ", ".join(f"{value:.2f}" for value in shown)


def both_variances(records):
    """Relative errors of the aleatoric variance, and of the variance of realizations where it is recorded."""
    own = mean(spread(record)["variance_relative"] for record in records)
    drawn = mean(spread(record).get("drawn_variance_relative") for record in records)
    return short(own) + (f", {short(drawn)}" if drawn is not None else "")


def rows_of(system):
    """A row for each amount of training data. Bold is the best of the row, the paper's best included."""
    for (samples, resolution), cells in places(system).items():
        kriging, ours = seeds(cells.get("Kriging", {})), seeds(cells.get("FLORAL-KL", {}))
        if not ours:
            continue
        error = lambda record: mean_l2(system, record)
        best = (cells["FLORAL-KL"].get("best") or {}).get("mean_l2")
        low = system["low"][0] and system["norm_factor"] * system["low"][0]["mean_l2"]
        papers_low = system["low"][1] and system["low"][1]["mean_l2"]
        own, others = mean(map(error, ours)), mean(map(error, kriging))
        least = min(value for value in (own, others, best) if value is not None)
        mark = lambda value: "" if value is None else f"**{short(value)}**" if value == least else short(value)
        over_seeds = deviation(map(error, ours))
        grid = f", high fidelity on {resolution} points per axis" if resolution else ""
        yield [
            system["title"],
            f"{samples} samples{grid}",
            str(prediction_inputs(ours[0])),
            mark(best) or "–",
            short(low),
            mark(others),
            mark(own) + (f" ± {short(over_seeds)}" if over_seeds is not None else ""),
            (f"{own / low:.2f}" if low else "") + (f" ({best / papers_low:.2f})" if best and papers_low else ""),
            both_variances(ours),
            coverage(ours),
            f"{mean(record['training_seconds'] for record in ours):.0f}",
        ]


def prediction_inputs(record):
    """Training and validation inputs of a run."""
    split = record["recipe"]["run"]["training"]["split"]
    return f"{split['train']} + {split['validation']}"


HEADER = ["", "trained on", "inputs", "paper's best", "low fidelity", "kriging", "FLORAL-KL", "share of low fidelity (paper's)"]
HEADER += ["variance: aleatoric, drawn", "90 % interval: mean, worst seed, worst input", "fit, s"]


def data_seeds(names):
    """Seeds of the data of all records."""
    records = [record for name in names for system in read(name)["systems"] for cell in system["cells"] for record in seeds(cell)]
    return sorted({record["recipe"]["run"]["data"]["seed"] for record in records})


def recommended():
    """A table for each version of the method, the newest first."""
    files = sorted(path.name for path in RESULTS.glob("table[13]-recommended*.json"))
    versions = sorted({method_version(name) for name in files}, reverse=True)
    return "\n".join(of_version(version, [name for name in files if method_version(name) == version]) for version in versions)


def of_version(version, files):
    hours = sum(read(name)["hours"] for name in files)
    rows = [row for name in files for system in read(name)["systems"] for row in rows_of(system)]
    what = "".join(f"- `{read(name)['command']}`: {source(name)}, build {read(name)['floral']}\n" for name in files)
    current = program_version()
    title = f"Version {version} of the method" + ("" if version == current else f"; the program has version {current}")
    return f"""## {title}

Mean L2 errors on the paper's grids: means over the data seeds {', '.join(map(str, data_seeds(files)))}, ± one standard deviation, 15 test inputs each.

{what}
The runs took {hours:.2f} hours in total, on cores shared with other work.

{table(HEADER, rows)}"""


def more_seeds():
    """A cell of the table over more seeds, because three seeds determine its mean poorly."""
    name = "seeds-darcy-reference-100.json"
    made = read(name)
    (row,) = rows_of(made["systems"][0])
    count = max(len(seeds(cell)) for cell in made["systems"][0]["cells"])
    text = f"{row[0]}, {row[1]}, over {count} seeds (including these three): FLORAL-KL {row[6]}, kriging {row[5]}, the paper's best {row[3]}"
    return text + f"\n(`{made['command']}`, {source(name)}, {made_by(name)}).\n"


def recipe():
    """The paper's networks and ours on the same data."""
    name = "recipe-1dcr.json"
    made = read(name)
    (system,) = made["systems"]
    found = {}
    for (samples, _), cells in places(system).items():
        errors = {method: mean(mean_l2(system, record) for record in seeds(cell)) for method, cell in cells.items()}
        found[samples] = {method: error for method, error in errors.items() if error is not None}
    methods = [method for method in METHODS + OURS if all(method in row for row in found.values())]
    rows = [[f"{samples} samples", *(short(row[method]) for method in methods)] for samples, row in found.items()]
    return f"""## 1DCR: the paper's networks on the same data

Mean L2 over {system['seeds']} seeds, networks trained until they stop ({system['settings']};
`{made['command']}`, {source(name)}, {made_by(name)}). FLORAL's mean is computed from 500 realizations, whose sampling error alone
contributes up to {short(floor(system))}; FLORAL-KL's mean is analytic.

{table(["trained on", *methods], rows)}"""


def floor(system):
    """The sampling error of a mean of drawn realizations."""
    drawn = [prediction(record) for cell in system["cells"] for record in seeds(cell) if method_of(cell) in ("FLORA", "FLORAL")]
    return system["norm_factor"] * max(found["mean_l2_floor"] for found in drawn)


def ablation():
    name = "ablation-1dcr-burgers.json"
    if not exists(name):
        return ""
    made = read(name)
    columns = {}
    for system in made["systems"]:
        for cell in system["cells"]:
            part = cell["name"].split(", ", 1)[1] if ", " in cell["name"] else "FLORAL-KL"
            error = mean(mean_l2(system, record) for record in seeds(cell))
            variance = mean(prediction(record)["spread"]["variance_relative"] for record in seeds(cell))
            columns.setdefault(part, []).append(f"{short(error)}, {short(variance)}")
    titles = [system["title"] for system in made["systems"]]
    return f"""## What each part contributes

Two training inputs, means over three seeds: mean L2 error of the mean, and relative error of the variance. 1DCR has no symmetries.
*Kernels alone* is kriging. (`{made['command']}`, {source(name)}, {made_by(name)}.)

{table(["", *titles], [[part, *values] for part, values in columns.items()])}"""


def page():
    parts = [recommended(), more_seeds(), recipe(), ablation()]
    return """# The default method by the paper's protocol

**Protocol.** *n* training inputs of 50 realizations each, plus 15 validation inputs. The paper's methods use the validation
inputs to stop training. FLORAL-KL uses them to select and weight its candidates and to calibrate, which helps considerably
when *n* is 2 (see the ablation below). The comparison with *n* inputs in total is on [another page](default-method.md). *Paper's best* is the
best of the paper's four methods for that row; bold is the best of the row. *Variance* is the relative error of the variance field, where
1 means no skill: first for the aleatoric part, which predicts the solution's own variance, then for the drawn realizations, which
include the epistemic part; a single number is the aleatoric one. Intervals are those of the draws. The seeds 11 to 13 were used during
the development of version 1 of the method; 511 to 513 were not.

""" + "\n".join(part for part in parts if part)
