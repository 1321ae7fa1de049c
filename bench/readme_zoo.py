"""The default method beside kriging and simple peers, from results/zoo.json: a page, and a table of the README."""

import re
import tomllib

from results import ROOT, deviation, groups, made_by, mean, read, short, source, table

FILE = "zoo.json"
OWN = "floral-kl"
PEERS = {"kriging": "kriging", "low": "low fidelity alone", "mean residual": "low fidelity + mean residual",
         "scaled low": "scaled low fidelity"}

# Descriptions of the datasets of bench/zoo.
SYNTHETIC = "a nonlinear curve on 64 points"
DATA = {
    "base": f"{SYNTHETIC}, low fidelity 0.8 a",
    "offset-10": "the same, 10 added to high fidelity",
    "offset-100": "the same, 100 added to high fidelity",
    "kelvin": "values near 300, no low fidelity",
    "no-low": f"{SYNTHETIC}, no low fidelity",
    "one-input": "a single training input",
    "two-inputs": "two training inputs",
    "copies": "ten copies of one input",
    "pairs": "five inputs, each twice",
    "noise-low": "low fidelity is noise",
    "shuffled-low": "low fidelity belongs to other inputs",
    "shifted-low": "low fidelity is shifted by 5 points",
    "positive": "exponential of the curve: positive values",
    "heavy-tails": "noise of infinite variance (Student t, 2 degrees of freedom)",
    "bimodal": "realizations in two modes",
    "fixed-ends": "no spread at the ends",
    "constant-channel": "a second channel that never varies",
    "outlier": "one run a thousand times too large",
    "single-runs": "one realization per input",
    "parameters": "six scalar parameters to a curve; two of them matter",
    "parameters-few": "the same with fewer inputs",
    "scalar": "a field to one number",
    "outside": "third-party stochastic Burgers, no low fidelity",
    "outside-low": "third-party stochastic Burgers, coarse solver",
    "plume-bimodal": "plume with two modes",
    "plume-lognormal": "log-normal plume",
}
GENERATED = {
    "1dcr": ("1DCR", "128"),
    "advection32": ("Advection", "32x32"),
    "advection64": ("Advection", "64x64"),
    "burgers32": ("Burgers", "32x32"),
    "burgers64": ("Burgers", "64x64"),
    "darcy32": ("Darcy, law of the reference", "32x32"),
    "darcy64": ("Darcy, law of the reference", "64x64"),
    "darcy16": ("third-party Darcy, no low fidelity", "16x16"),
    "elastic": ("third-party elastic block, 11 parameters", "1346 mesh points"),
    "navier-stokes": ("third-party backward step, one parameter", "1639 mesh points"),
}
# Prefix of a dataset -> the experiment of the paper that it is compared with. REALIZATIONS: per input, in both.
PAPERS = {"advection": "advection", "burgers": "burgers", "darcy3": "darcy-reference", "darcy6": "darcy-reference"}
REALIZATIONS = 50
# The README shows the paper's problems and these: no low fidelity, one run per input, and where a peer is hard to beat.
SHOWN = ["no-low", "single-runs", "parameters", "scalar"]


def described(name):
    stem = re.sub(r"-\d+$", "", name)
    if stem in GENERATED:
        return "{}, {}".format(*GENERATED[stem])
    return DATA.get(name, name)


def is_fresh(name):
    """Whether no decision has seen the data: files without a seed were used during development."""
    return not name.startswith(("darcy16", "outside", "elastic", "navier-stokes"))


def is_papers(name):
    return name.startswith(("1dcr-", *PAPERS))


class Row:
    """One dataset: the scores of every method, one for each seed."""

    def __init__(self, name, rows):
        self.name = name
        self.scores = {m: found for m, found in groups([r for r in rows if "error" in r], "method").items()}
        self.own = self.scores.get(OWN, [])
        self.inputs = rows[0]["inputs"]

    def mean(self, method, key="error"):
        found = [score.get(key) for score in self.scores.get(method, [])]
        return mean(found)

    def best_peer(self, without=()):
        """The best of the other methods and its error; None if none was run. Predicting the mean solution is 1."""
        found = [(self.mean(m), m) for m in self.scores if m not in (OWN, "mean solution", *without)]
        return min(found) if found else None

    def relative(self, method):
        """nRMSE where it was recorded, else the mean relative L2 error, which weighs inputs differently."""
        return self.mean(method, "nrmse") or self.mean(method, "relative")


def rows():
    found = [Row(name, of_name) for name, of_name in groups(read(FILE)["rows"], "data").items()]
    return [row for row in found if row.own]


def papers_best(row):
    """The least nRMSE of the paper's four methods with the same number of training samples."""
    experiment = next((PAPERS[start] for start in PAPERS if row.name.startswith(start)), None)
    if experiment is None:
        return None
    reported = tomllib.loads((ROOT / f"experiments/{experiment}.toml").read_text())["paper"]["table1"]
    values = [sizes[str(REALIZATIONS * row.inputs)] for sizes in reported.values() if str(REALIZATIONS * row.inputs) in sizes]
    return min(value["nrmse"] for value in values) if values else None


def strong(values):
    """Numbers as text, the smallest in bold; "not run" where there is none."""
    known = [value for value in values if value is not None]
    return ["not run" if v is None else f"**{short(v)}**" if v == min(known) and len(known) > 1 else short(v) for v in values]


def peer_name(method):
    return PEERS.get(method, method)


def summary():
    """A sentence on how often the default method is the best on data that no decision has seen."""
    fresh = [row for row in rows() if is_fresh(row.name) and row.best_peer()]
    lost = [row for row in fresh if row.mean(OWN) > row.best_peer()[0]]
    text = f"FLORAL-KL has a smaller error than every simple peer on {len(fresh) - len(lost)} of {len(fresh)} datasets with fresh seeds"
    ratio = lambda row: f"`{row.name}` ({row.mean(OWN) / row.best_peer()[0]:.2f} times that of {peer_name(row.best_peer()[1])})"
    return text + (f". Its error is larger on\n{', '.join(map(ratio, lost))}.\n" if lost else ".\n")


def readme():
    """The README's table."""
    lines = []
    papers = sorted((row for row in rows() if is_papers(row.name)), key=lambda row: (described(row.name), row.inputs))
    chosen = papers + [row for row in rows() if row.name in SHOWN]
    for row in chosen:
        other = row.best_peer(without=["kriging"])
        errors = strong([row.mean(OWN), row.mean("kriging"), other and other[0]])
        errors[2] += f", {peer_name(other[1])}" if other else ""
        reported = papers_best(row)
        relative = strong([row.relative(OWN), reported]) if reported else ["", ""]
        relative[1] += f" ({row.inputs} + 15)" if reported else ""
        lines.append([described(row.name), str(row.inputs), *errors, *relative])
    header = ["data, grid", "inputs", "FLORAL-KL", "kriging", "best other peer", "FLORAL-KL, nRMSE", "paper's best, nRMSE (inputs)"]
    seeds = sorted({row["seed"] for row in read(FILE)["rows"]})
    label = f"Recorded with {made_by(FILE)}. Numbers are means over one to {len(seeds)} of the seeds {', '.join(map(str, seeds))}."
    return table(header, lines) + f"\n{label} " + summary()


def label(row):
    return f"`{row.name}`" + ("" if is_fresh(row.name) else " †")


def error_rows():
    for row in rows():
        best = row.best_peer()
        spread = deviation(score["error"] for score in row.own)
        yield [
            label(row),
            described(row.name),
            str(row.inputs),
            str(len(row.own)),
            short(row.mean(OWN)) + (f" ± {short(spread)}" if spread is not None else ""),
            short(row.mean("kriging")),
            f"{short(best[0])}, {peer_name(best[1])}" if best else "not run",
            f"{row.mean(OWN) / best[0]:.2f}" if best else "",
            f"{row.mean(OWN, 'fit_cpu_s'):.0f}",
        ]


def spread_rows():
    for row in rows():
        variances = [short(row.mean(OWN, key)) for key in ("variance", "total_variance")]
        coverage = [score["coverage"] for score in row.own]
        worst = min(score["worst"] for score in row.own)
        yield [label(row), str(row.inputs), *variances, *(f"{value:.2f}" for value in (mean(coverage), min(coverage), worst))]


def notes(made):
    return f"- {made['note']}\n" if "note" in made else ""


def page():
    made = read(FILE)
    seeds = sorted({row["seed"] for row in made["rows"]})
    errors = ["data", "what it is", "inputs", "seeds", "FLORAL-KL", "kriging", "best peer", "ratio", "fit, processor s"]
    spreads = ["data", "inputs", "aleatoric variance", "total variance", "coverage of 90 %: mean", "worst seed", "worst input"]
    return f"""# The default method beside simple peers

Recorded with {made_by(FILE)}, build {made['commit']}, by `{made['command']}` ({source(FILE)}).

**Protocol.** Every method sees the same *n* inputs and no others: no validation inputs are set aside, and none are added. Test
inputs are new. *Error* is the root mean square error of the predicted mean, divided by that of predicting the mean training
solution for every input: 1 means no skill. Numbers are means over seeds, ± one standard deviation. A *ratio* above 1 means that
the best peer has the smaller error.

**Peers.** Kriging (kernel regression alone), low fidelity alone, low fidelity with the mean residual added, low fidelity
scaled by a fitted factor with an offset (*scaled low fidelity*), and principal components with one Gaussian process each (PCA + GP,
scikit-learn). Peers do not depend on our build; `bench/zoo --complete results/zoo.json` added the scaled low fidelity later, on the same
data.

{table(errors, list(error_rows()))}
{summary()}
- † {made.get('not_fresh', 'These rows are not evidence on unseen data.')}
- Seeds used here: {', '.join(map(str, seeds))}. All seeds ever used by recordings or decisions: {', '.join(map(str, made['spent_seeds']))}.
{notes(made)}- Advantages of the default method over the peers: its local filters represent the residual of Advection exactly, its pointwise
  quadratics that of 1DCR, and the built-in problems declare their symmetries.

## Spread and intervals

The variance columns are relative errors of a predicted variance field against that of the test realizations; 1 means no skill.
*Aleatoric* is the predicted variance of the solution itself. *Total* adds the model's uncertainty about its mean and is used for
realizations and intervals; with few inputs it is much larger than the variance of the truth. The 90 % interval is calibrated on
left-out training inputs so that it contains 90 % of new realizations on average over inputs and points. For a single input it can
contain far fewer: see the last column.

{table(spreads, list(spread_rows()))}"""
