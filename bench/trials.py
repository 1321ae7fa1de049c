"""The README's paragraphs on trials of single questions: sampling, laws, data of others, switches.

Each is empty if its trial has not been made.
"""

from results import RESULTS, link, mean, read, short, table


def sampling():
    """Seconds of an ensemble by the recommended method; nothing if they have not been taken."""
    if not (RESULTS / "sampling.json").exists():
        return ""
    made = read("sampling.json")
    times = [f"{row['moments_s']} s ({row['all_s']} s) on {row['problem'].capitalize()}'s {row['grid']} points" for row in made["rows"]]
    text = f"Sampling: {made['realizations']} realizations of one new input with mean and variance (in brackets, with two quantiles\n"
    text += f"and an exceedance map too) take FLORAL-KL, on {made['cores']} cores, {', '.join(times[:-1])} and\n{times[-1]}; the paper "
    return text + f"reports 80 to 475 s on a GPU (`{made['command']}`, {link('sampling.json')},\nbest of {made['rounds']}).\n"


def groups(rows, key):
    """The rows by the value of a key, in the order of the file."""
    found = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found.items()


def laws():
    """Learned coefficients beside normal ones; nothing if they have not been compared."""
    if not (RESULTS / "laws.json").exists():
        return ""
    made = read("laws.json")
    rows = []
    for plume, of_plume in groups(made["rows"], "plume"):
        for law, runs in groups(of_plume, "coefficients"):
            columns = "energy_score", "crps", "quantile_error", "coverage_90", "below_zero"
            name = {"chosen": "learned, if held-out inputs say so", "normal": "normal", "positive": "through `transform=positive`"}[law]
            rows.append([plume, name, *(short(mean(run[column] for run in runs)) for column in columns)])
    text = "Laws that are not normal: a plume of two modes, and one that is log-normal, 24x40 points, 14 training\n"
    text += "inputs with 30 realizations each, 15 test inputs, means over three seeds; quantiles of 5 to 95 % over\n"
    text += "the true deviation"
    if "quantile_error_of_truth" in made["rows"][0]:
        own = [short(mean(row[f"quantile_error_of_{of}"] for row in made["rows"])) for of in ("realizations", "truth")]
        text += f", where 30 realizations of the test input itself have {own[0]} and the 1000 that stand for\nthe truth {own[1]}"
    text += f" (`{made['command']}`, {link('laws.json')}, of an earlier build):\n\n"
    header = ["plume", "coefficients", "energy score", "CRPS", "error of quantiles", "90 % holds", "below zero"]
    return text + table(header, rows)


def outside():
    """Data that others made; nothing if they have not been tried."""
    if not (RESULTS / "outside.json").exists():
        return ""
    made = read("outside.json")
    rows = [[row["low"], {"kriging": "kriging", "floral-kl": "FLORAL-KL"}[row["method"]], f"{row['mean']:.3f}", f"{row['deviation']:.3f}", f"{row['fit_s']:.0f}"] for row in made["rows"]]
    text = "Data that nobody here wrote: a Burgers equation with additive noise, 40 inputs with 50 realizations, 32 test\n"
    text += "inputs, by the generator of a public project; imported, trained and sampled by the command, errors of mean\n"
    text += f"and deviation relative to the truth's own, of which sampling alone makes .06 and .05 (`{made['command']}`,\n"
    text += f"{link('outside.json')}; the test inputs were looked at while the kernels'\nlengths and the landmarks' widths were designed; seconds beside other work):\n\n"
    return text + table(["low fidelity", "method", "mean", "deviation", "fit, s"], rows)


def switches():
    """The switches of the paper's flow; nothing if they have not been compared."""
    if not (RESULTS / "switches.json").exists():
        return ""
    made = read("switches.json")
    rows = []
    for setting, runs in groups(made["rows"], "setting"):
        of = lambda checkpoint, score: short(mean(run[checkpoint][score] for run in runs))
        both = lambda score: [of("best", score), of("last", score)]
        losses = [short(mean(run[loss] for run in runs)) for loss in ("best_loss", "last_loss")]
        epochs = ", ".join(str(run["best_epoch"]) for run in runs)
        rows.append([setting, epochs, *losses, *both("mean_l2"), *both("variance")])
    first = made["rows"][0]
    text = f"Switches of the paper's flow: FLORAL on Burgers, 8x8 of 16x16 points, {first['epochs']} epochs, means over the seeds\n"
    text += f"(`{made['command']}`, {link('switches.json')}; low fidelity has a mean L2 error of {short(first['low_l2'])}"
    text += "):\n\n"
    header = ["", "best epochs", "loss there", "at the end", "mean L2 there", "at the end", "variance there", "at the end"]
    return text + table(header, rows)
