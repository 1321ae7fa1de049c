"""Quantities of interest: coverage of intervals as drawn and calibrated, probabilities of exceedance, sensors, the loop."""

import math

from results import exists, groups, made_by, mean, read, source, table

NAMES = {
    "max": "`max(u)`", "mean": "`mean(u)`", "min": "`min(u)`", "range": "`range(u)`", "norm": "`norm(u)`", "at": "`at(u, ...)`",
    "energy": "`integral(u^2)`", "part": "mean over a half", "fraction": "`fraction(u > c)`", "slope": "largest slope",
}


def share(value):
    return f"{value:.2f}"


def coverage(made):
    def of(rows, quantity, how):
        return mean(one[how] for row in rows for one in row["quantities"] if one["quantity"] == quantity)

    data = groups(made["rows"], "data")
    rows = []
    for quantity, name in NAMES.items():
        cells = [f"{share(of(own, quantity, 'drawn'))} → {share(of(own, quantity, 'calibrated'))}" for own in data.values()]
        rows.append([name, *cells])
    within = [of(own, quantity, how) for how in ("drawn", "calibrated") for own in data.values() for quantity in NAMES]
    half = len(within) // 2
    count = [sum(0.85 <= value <= 0.95 for value in part) for part in (within[:half], within[half:])]
    off = [mean(abs(value - 0.9) for value in part) for part in (within[:half], within[half:])]
    return f"""## Coverage

Share of true realizations inside the central 90 % interval, for the draws → after calibration; means over the test inputs and
{len(made['seeds'])} seeds ({', '.join(map(str, made['seeds']))}). {count[0]} of {half} cells lie between .85 and .95 as drawn, {count[1]} after calibration; the mean
distance from .90 is {off[0]:.3f} and {off[1]:.3f}. (`{made['command']}`, {source('quantities.json')}, build {made['commit']}, {made_by('quantities.json')}.)

{table(["quantity", *data], rows)}"""


def probabilities(made):
    all_rows = [one for row in made["rows"] for one in row["probabilities"]]
    brier = {how: mean(one[f"brier_{how}"] for one in all_rows) for how in ("drawn", "calibrated", "of_truth")}
    bins = {how: {round(10 * p - 0.5): (p, q, n) for p, q, n in made["reliability"][how]} for how in ("drawn", "calibrated")}
    rows = []
    for k in sorted(set(bins["drawn"]) | set(bins["calibrated"])):
        cells = []
        for how in ("drawn", "calibrated"):
            p, q, n = bins[how].get(k, (None, None, 0))
            cells += ["", "", "0"] if p is None else [share(p), share(q), str(n)]
        rows.append(cells)
    header = ["predicted, drawn", "observed", "pairs", "predicted, calibrated", "observed", "pairs"]
    by_data = []
    for data, own in groups(made["rows"], "data").items():
        own = [one for row in own for one in row["probabilities"]]
        by_data.append([data, *(f"{mean(one[f'brier_{how}'] for one in own):.4f}" for how in ("drawn", "calibrated", "of_truth"))])
    return f"""## Probabilities of exceedance

Probabilities that the largest value and the value at a point exceed three thresholds each (50, 75 and 90 % quantiles over all true
realizations). The Brier score is {brier['drawn']:.4f} as drawn and {brier['calibrated']:.4f} after calibration; that of the true probabilities, which no
prediction beats on average, is {brier['of_truth']:.4f}.

{table(["data", "Brier score, drawn", "calibrated", "of the truth"], by_data)}
For each bin of the predicted probability, the mean predicted and the observed probability; for a reliable prediction they are equal.

{table(header, rows)}"""


def sensors():
    name = "observe.json"
    made = read(name)
    rows = []
    for data, own in groups(made["rows"], "data").items():
        for row in own:
            rows.append([data, str(row["sensors"]), row["placement"] if row["sensors"] else "", f"{row['rmse']:.3g}", share(row["coverage"])])
    times = [
        [row["data"], str(row["realizations"]), str(row["readings"]), f"{row['cpu_s']:.2f}", f"{row['s']:.2f}", f"{row['mb'] / 1000:.2f}"]
        for row in made.get("times", [])
    ]
    rounds = made.get("rounds", 1)
    least = "one round" if rounds == 1 else f"minimum of {rounds} alternating rounds"
    timed = ["data", "realizations", "readings", "processor, s", "wall, s", "GB"]
    return f"""## Readings of a new case

Exact readings of one realization at a few points: root mean square error of the conditioned mean against that realization, and the share of
its values inside the 90 % interval, over points. `outside`: Burgers with noise from a public generator, 40 inputs with 50 runs; `mesh`: a heated plate
with a hole, 24 inputs with 12 runs; `darcy`: 32x32 points, 20 inputs with 20 runs. Sensors are evenly spread, or placed by `floral suggest`. Deviations are
stretched to account for a covariance that is estimated from few runs. (`{made['command']}`, {source(name)}, {made_by(name)}.)

{table(["data", "sensors", "placement", "RMSE", "coverage"], rows)}

`floral sample` without and with ten readings, from starting the program to writing the store: {least} on {made['cores']} cores
shared with other work, which affects wall time but not processor time.

{table(timed, times)}"""


def loop():
    name = "decisions.json"
    if not exists(name):
        return ""
    made = read(name)
    rows = []
    for one in made["summary"]:
        for choice, errors in one["medians"].items():
            honest = one["std_over_error"][choice]
            last = [share(one["runs_ratio"][choice]), f"{share(min(honest))} to {share(max(honest))}"]
            rows.append([one["problem"], choice, *(f"{error:.3f}" for error in errors), *last])
    of = lambda choice, zoo: [one["runs_ratio"][choice] for one in made["summary"] if one["is_zoo"] or not zoo]
    means = [f"{choice} {share(geometric(of(choice, False)))} ({share(geometric(of(choice, True)))} on those of the zoo)" for choice in ("best", "spread")]
    pairs = [pair for one in made["summary"] for pair in zip(one["medians"]["best"], one["medians"]["random"])]
    better = sum(best < random for best, random in pairs)
    zoo = ", ".join(one["problem"] for one in made["summary"] if one["is_zoo"])
    header = ["problem", "choice", *(f"{budget} runs" for budget in made["budgets"]), "ratio", "std over error"]
    return f"""## The loop beside random choice

Error of the loop's estimate of a quantity over a pool of 60 to 100 inputs, relative to the standard deviation of the true values,
median over {len(made['seeds'])} seeds. *ratio*: the number of runs at which a choice reaches the error of `random` at {made['budgets'][-1]} runs, divided by
{made['budgets'][-1]}; geometric means: {'; '.join(means)}. `best` has a smaller median error than `random` in {better} of {len(pairs)} comparisons. With 6 runs
`best` and `spread` are the same, because the first inputs represent the pool. *std over error*: the loop's own estimate of its error divided by
the true error, medians over seeds, smallest and largest over the numbers of runs. Problems and ratio were chosen on other seeds. Problems of the zoo: {zoo};
the others are analytic functions of a few parameters. (`{made['command']}`, {source(name)}, method {made['method']}.)

{table(header, rows)}"""


def geometric(values):
    return math.exp(mean(math.log(value) for value in values))


def page():
    made = read("quantities.json")
    parts = ["# Quantities of interest", coverage(made), probabilities(made), sensors(), loop()]
    return "\n\n".join(part.rstrip() for part in parts if part) + "\n"
