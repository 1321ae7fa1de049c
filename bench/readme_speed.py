"""Speed: fits and ensembles of the default method, the network beside PyTorch, solvers beside Python."""

from readme_zoo import FILE as ZOO
from readme_zoo import OWN, rows as zoo_rows
from results import exists, groups, made_by, method_version, read, short, source, table


def time_and_ratio(row, form):
    time = row.get(f"peer_{form}_ms")
    return f"{short(time)} ({short(row[f'ratio_{form}'])}x)" if time else ""


def fits():
    """The fastest, the median and the slowest fit of the zoo, by processor time."""
    seconds = sorted((row.mean(OWN, "fit_cpu_s"), row) for row in zoo_rows() if row.mean(OWN, "fit_cpu_s"))
    return seconds[0], seconds[len(seconds) // 2], seconds[-1]


def readme():
    """The README's table."""
    least, median, most = (f"{seconds:.0f} s" if seconds >= 1 else "under 1 s" for seconds, _ in fits())
    slowest = f"`{fits()[2][1].name}`, {fits()[2][1].inputs} inputs"
    what = f"fit (version {method_version(ZOO)}), processor time of both cores together: fastest, median and slowest ({slowest}) of {len(zoo_rows())} datasets"
    lines = [[what, f"{least}, {median}, {most}", ""]]
    sampling = read("sampling.json")
    for row in sampling["rows"]:
        what = f"{sampling['realizations']} realizations of one input (version {method_version('sampling.json')}), {row['problem'].capitalize()}, {row['grid']}"
        lines.append([what, f"{row['moments_s']} s", "the paper's flows: 80 to 475 s on a GPU"])
    for row in read("compare.json")["rows"]:
        if row["row"] in ("velocity, 64x64, batch 8", "training step, 64x64, batch 32 of 10 inputs"):
            forms = [row[f"peer_{form}_ms"] for form in ("published", "hoisted", "compiled") if row.get(f"peer_{form}_ms")]
            lines.append([f"the paper's network: {row['row']}, per sample", f"{short(row['ours_ms'])} ms", f"PyTorch: {short(min(forms))} to {short(max(forms))} ms"])
    for row in read("problems.json")["problems"]:
        if row["problem"] == "darcy":
            peer = read("problems.json")["peers"]["darcy"]
            lines.append([f"one Darcy solution, {row['resolution']}x{row['resolution']}", f"{short(row['all_cores_ms'])} ms", f"{peer}: {short(row['peer_ms'])} ms, one core"])
    return table(["on two cores", "FLORAL", "peer"], lines)


def sampling():
    name = "sampling.json"
    made = read(name)
    rows = [[row["problem"].capitalize(), row["grid"], str(row["moments_s"]), str(row["all_s"])] for row in made["rows"]]
    return f"""## Ensembles

Seconds for {made['realizations']} realizations of one new input by FLORAL-KL on {made['cores']} cores, best of {made['rounds']} rounds. The paper reports 80 to 475 s on a GPU
for its flows. (`{made['command']}`, {source(name)}, {made_by(name)}.)

{table(["", "grid", "mean and variance", "with two quantiles and an exceedance map"], rows)}"""


def fitting():
    rows = [[f"`{row.name}`", str(row.inputs), f"{row.mean(OWN, 'fit_cpu_s'):.1f}", f"{row.mean(OWN, 'sample_cpu_s'):.1f}"] for row in zoo_rows()]
    return f"""## Fits

Processor seconds, summed over {read(ZOO)['cores']} cores, of `floral train` and of `floral sample` (300 realizations of each test input) ({source(ZOO)}, {made_by(ZOO)}). `--budget 2m` limits the time of a fit.

{table(["data", "inputs", "fit", "sample"], rows)}"""


def scale():
    """Large domains and many inputs."""
    name = "scale.json"
    if not exists(name):
        return ""
    made = read(name)
    rows = []
    for data, methods in groups(made["rows"], "data").items():
        of = {row["method"]: row for row in methods}
        own = of["floral-kl"]
        peers = [f"{short(of[peer]['error'])}" if peer in of else "" for peer in ("kriging", "PCA + GP")]
        rows.append([data, f"{own['inputs']} x {own['runs']}", f"{own['fit_cpu_s']:.0f}", f"{own['fit_mb'] / 1000:.1f}", f"{own['draw_cpu_s']:.1f}",
                     short(own["error"]), *peers, f"{own['coverage']:.2f}, {own['worst']:.2f}"])
    header = ["data", "inputs x runs", "fit, processor s", "fit, GB", "1000 realizations, processor s", "error", "kriging", "PCA + GP", "coverage of 90 %: mean, worst"]
    return f"""## Large domains and many inputs

FLORAL-KL with its defaults on fields in time, a block, a mesh and many inputs: processor seconds summed over {made['cores']} cores, the peak of resident memory,
and the time of 1000 realizations of one input with their mean and two quantiles, from starting the program to writing the store. Errors of the predicted mean are
relative to those of the mean training solution, at four test inputs; one seed. {made.get('note', '')} (`{made['command']}`, {source(name)}, build {made['commit']}, {made_by(name)}.)

{table(header, rows)}"""


def peers():
    name = "compare.json"
    made = read(name)
    forms = ["published", "hoisted", *(["compiled"] if any("compiler" in row for row in made["rows"]) else [])]
    rows = [
        [
            row["row"],
            short(row["ours_ms"]),
            *(time_and_ratio(row, form) for form in forms),
            f"{row['percent_of_peak']:.0f} %" if "percent_of_peak" in row else "",
        ]
        for row in made["rows"]
    ]
    return f"""## The network beside PyTorch

The same network in PyTorch {made['versions']['torch']} with neuraloperator, torchdiffeq and GPyTorch, in one run on {made['cores']} cores
(`{made['command']}`, {source(name)}). Milliseconds per sample, with the ratio to our time in brackets. *Published* derives the FiLM
coefficients in every evaluation, *hoisted* derives them once, as our network does; both run in eager mode.{compiler(made)} Weights are random,
with the fast waves of the time embedding damped.

{table(["milliseconds per sample", "ours", *forms, "share of peak"], rows)}
{"".join(f"- {note}{chr(10)}" for note in peer_notes(made))}
Time over realizations, inputs and grid points ({source("scaling.json")}):

![Time over realizations, inputs and grid points](../figures/scaling.svg)
"""


def compiler(made):
    """A sentence on the effect of torch.compile."""
    found = [row["compiler"] for row in made["rows"] if "compiler" in row]
    if not found:
        return ""
    text = " *Compiled* is the hoisted form with torch.compile"
    failures = sorted({entry["failure"] for entry in found if "failure" in entry})
    if failures:
        text += f", which failed where no time is given ({'; '.join(failures)})"
    breaks = [entry["graph_breaks"] for entry in found if "graph_breaks" in entry]
    if breaks:
        text += f"; it returned to Python at {max(breaks)} places of the network and does not compile operations on complex"
        text += " numbers, so that transforms and their products stay eager"
    return text + "."


def peer_notes(made):
    """Remarks on single rows of the table."""
    rows = made["rows"]
    for row in rows:
        if f"batch {row.get('peer_batch')} " not in row["row"] and "peer_batch" in row:
            yield f"{row['row']}: PyTorch ran batches of {row['peer_batch']}, each sample with its own input."
        if "peer_measured" in row:
            yield f"{row['row']}: measured with {row['measured']} for our network and {row['peer_measured']} for PyTorch."
        if "peer_evaluations" in row:
            yield f"dopri5 takes {row['evaluations']:.0f} evaluations per realization, torchdiffeq {row['peer_evaluations']:.0f} for all at once."
    for command, of_command in groups([row | {"command": row["recorded"]["command"]} for row in rows if "recorded" in row], "command").items():
        threads = of_command[0]["recorded"]["threads"]
        clock = "processor time on one thread of each side" if threads == 1 else f"{threads} threads of each side"
        names = "; ".join(row["row"] for row in of_command)
        yield f"{names}: {clock}, by `{command}` on a machine shared with other work; only the ratios are meaningful."
    if "warm" not in made["milliseconds"]:
        yield "On 64x64 and 128x128, the time of PyTorch is that of the first training step, because no second one was run."
    yield wrong_prior(rows)
    yield f"Peak is the speed of a matrix product, {made['matrix_peak_gflops']:.0f} GFLOP/s in that run."


def wrong_prior(rows):
    text = "The ratio of the prior compares with an inaccurate draw: beyond 800 points GPyTorch replaces the covariance by a root of rank 100"
    drawn = [row["peer_prior_variance"] for row in rows if "peer_prior_variance" in row and row["row"].startswith("prior")]
    if drawn:
        text += f", and its fields have variance {short(drawn[0])} instead of 1"
    return text + ". Our draw is exact, and its decomposition is computed once."


def problems():
    name = "problems.json"
    made = read(name)
    rows = [
        [
            f"{row['problem']}, {row['resolution']} points per axis",
            made["peers"][row["problem"]],
            short(row["peer_ms"]),
            short(row["all_cores_ms"]),
            f"{row['ratio_one_core']:.0f}x",
            f"{row['ratio_all_cores']:.0f}x",
        ]
        for row in made["problems"]
    ]
    return f"""## The built-in solvers beside Python

Milliseconds per realization of the same numerical schemes, in one run on {made['cores']} cores (`{made['command']}`, {source(name)}).

{table(["", "peer", "peer's time", "ours, all cores", "ratio on one core", "ratio on all cores"], rows)}
A batch of 32 prior fields on 128x128 takes {made['prior_32_fields_128x128_ms']:.1f} ms.
"""


def page():
    parts = [fitting(), scale(), sampling(), peers(), problems()]
    return "# Speed\n\n" + "\n".join(part for part in parts if part)
