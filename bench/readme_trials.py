"""Trials of single questions: non-normal distributions, third-party data, switches of the flow, integrators, networks of points."""

from results import groups, made_by, mean, read, short, source, table


def laws():
    name = "laws.json"
    made = read(name)
    names = {"floor": "30 true realizations", "resampled": "resampled", "normal": "normal", "positive": "resampled, `transform=positive`"}
    columns = "crps_excess", "energy_excess", "quantile_error", "gradient_energy", "coverage_90", "below_zero"
    rows = [
        [plume, names[law], *(short_signed(mean(run[column] for run in runs)) for column in columns)]
        for plume, of_plume in groups(made["rows"], "plume").items()
        for law, runs in groups(of_plume, "law").items()
    ]
    header = ["plume", "law", "excess CRPS", "excess energy score", "error of quantiles", "gradient energy", "coverage of 90 %", "share below zero"]
    return f"""## Distributions that are not normal

A plume with two modes and a log-normal one, 24x40 points, 20 training inputs with 30 realizations each, no validation inputs, 15 test
inputs with 1000 realizations, means over the seeds {', '.join(map(str, made['seeds']))}. The *excess* of a score is its relative excess over the score of the truth
itself: 0 is perfect. Errors of the 5 to 95 % quantiles are divided by the true standard deviation. *Gradient energy* is relative to that of the truth:
below 1, realizations are too smooth. (`{made['command']}`, {source(name)}, build {made['commit']}, {made_by(name)}.)

{table(header, rows)}"""


def short_signed(number):
    """Three digits, with a sign: estimates that scatter about zero may be negative."""
    return short(number) if number >= 0 else f"-{short(-number)}"


def outside():
    name = "outside.json"
    made = read(name)
    methods = {"kriging": "kriging", "floral-kl": "FLORAL-KL"}
    rows = [[row["low"], methods[row["method"]], f"{row['mean']:.3f}", f"{row['deviation']:.3f}", f"{row['fit_s']:.0f}"] for row in made["rows"]]
    return f"""## Third-party data

A Burgers equation with additive noise from the generator of a public project: 40 inputs with 50 realizations, 32 test inputs.
Errors of mean and standard deviation are relative to those of the truth; its sampling error alone contributes .06 and .05. The test inputs were
used during the development of the method, so that these numbers are not evidence on unseen data. Times were measured on a machine shared with other work.
(`{made['command']}`, {source(name)}, {made_by(name)}.)

{table(["low fidelity", "method", "mean", "standard deviation", "fit, s"], rows)}"""


def switches():
    name = "switches.json"
    made = read(name)
    rows = []
    for setting, runs in groups(made["rows"], "setting").items():
        of = lambda checkpoint, score: short(mean(run[checkpoint][score] for run in runs))
        both = lambda score: [of("best", score), of("last", score)]
        losses = [short(mean(run[loss] for run in runs)) for loss in ("best_loss", "last_loss")]
        epochs = ", ".join(str(run["best_epoch"]) for run in runs)
        rows.append([setting, epochs, *losses, *both("mean_l2"), *both("variance")])
    first = made["rows"][0]
    header = ["", "best epochs", "loss: best", "last", "mean L2: best", "last", "variance: best", "last"]
    return f"""## Switches of the paper's flow

FLORAL on Burgers, 8x8 of 16x16 points, {first['epochs']} epochs, means over the seeds: scores of the weights with the least validation loss
and of the last weights. Low fidelity has a mean L2 error of {short(first['low_l2'])}. (`{made['command']}`, {source(name)}.) The results are
discussed in [the paper's flow](../explanation/flow.md#why-its-best-epoch-may-come-early).

{table(header, rows)}"""


def integrators():
    name = "integrators.json"
    made = read(name)
    differences = {row["integrator"]: short(row["rms_difference"]) for row in made["rows"]}
    midpoint = lambda steps: differences[f"--solver midpoint --steps {steps}"]
    rows = [["dopri5, tolerance 1e-5", differences["--tolerance 1e-5"]]]
    rows += [[f"midpoint, {steps} steps", midpoint(steps)] for steps in (21, 20, 11, 10)]
    return f"""## Integrators

Root mean square difference of realizations from those with 400 steps of RK4, for the FLORAL run of the quickstart. The realizations have a spread of
{short(made['spread'])}. With 20 and 10 equal steps, the fastest wave of the network's time embedding is always evaluated at the same phase, so that errors are
larger than with 21 and 11 steps.
(`{made['command']}`, {source(name)}.)

{table(["integrator", "difference"], rows)}"""


def points():
    name = "points-network.json"
    made = read(name)
    methods = {"floral-kl": "FLORAL-KL", "kriging": "kriging"}
    rows = []
    for row in made["rows"]:
        steps = row["seconds"] / row["steps"] if row.get("steps") else None
        rows.append([row["data"], str(row["seed"]), methods.get(row["method"], row["method"]), str(row["weights"] or ""),
                     short(row["nrmse"]), short(row["baselines"]["mean_residual"]) if "mean_residual" in row["baselines"] else "",
                     short(row["seconds"]), short(steps)])
    header = ["data", "seed", "method", "weights", "nRMSE", "of the mean residual", "training, s", "per step, s"]
    return f"""## The network of points

Attention over learned slices beside Fourier layers on a grid, and beside regressions on a mesh (`{made['command']}`, {source(name)},
{made_by(name)}). {made['note']}

{table(header, rows)}"""


def page():
    parts = [laws(), outside(), switches(), integrators(), points()]
    return "# Trials of single questions\n\n" + "\n".join(parts)
