"""The README's results from the files in results/.

    bench/readme             writes them between the marks in README.md
    bench/readme --check     only says whether they are what the files hold
"""

import argparse
import sys

from results import RESULTS, ROOT, link, mean, read, short, table
from trials import laws, outside, sampling, switches

README = ROOT / "README.md"
MARKS = "<!-- results: written by bench/readme -->\n", "<!-- end of results -->\n"
METHODS = "FNO", "Residual FNO", "FLORA", "FLORAL"
OURS = "Kriging", "FLORAL-KL"


def beside(ours, papers):
    return short(ours) if papers is None else f"{short(ours)} ({short(papers)})"


def method_of(cell):
    return max((name for name in METHODS + OURS if cell["name"].startswith(name)), key=len)


def seeds(cell):
    """The records of a cell, one for each seed; older files have a single one."""
    ours = cell.get("ours")
    return ours if isinstance(ours, list) else [ours] if ours else []


def deviation(values):
    values = list(values)
    if len(values) < 2:
        return None
    middle = mean(values)
    return (sum((value - middle) ** 2 for value in values) / (len(values) - 1)) ** 0.5


def ninety(record):
    coverage = record["evaluation"]["prediction"]["spread"]["observed"]["coverage"]
    return next(interval["coverage"] for interval in coverage if abs(interval["level"] - 0.9) < 1e-9)


def bold(error, other):
    """An error, in bold if the other method's is larger."""
    return f"**{short(error)}**" if other is None or error < other else short(error)


def recommended_rows(system):
    """A row for each amount of training data: kriging and FLORAL-KL beside the paper's best."""
    factor, low = system["norm_factor"], system["low"][0]
    places = {}
    for cell in system["cells"]:
        places.setdefault((cell["samples"], cell["resolution"]), {})[method_of(cell)] = cell
    for (samples, resolution), cells in places.items():
        kriging, ours = seeds(cells.get("Kriging", {})), seeds(cells.get("FLORAL-KL", {}))
        if not ours:
            continue
        best = (cells["FLORAL-KL"].get("best") or {}).get("mean_l2")
        error = lambda record: factor * record["evaluation"]["prediction"]["mean"]["mean_l2"]
        relative = lambda record: record["evaluation"]["prediction"]["spread"]["variance_relative"]
        shifted = [(record["evaluation"].get("mean_residual") or {}).get("mean_l2") for record in ours]
        grid = f", high fidelity on {resolution} points an axis" if resolution else ""
        spread = deviation(map(error, ours))
        own = mean(map(error, ours))
        share = f"{own / (factor * low['mean_l2']):.2f}" if low else ""
        yield [
            system["title"],
            f"{samples} samples{grid}",
            short(best) or "-",
            short(factor * low["mean_l2"]) if low else "",
            short(factor * mean(shifted)) if None not in shifted else "",
            bold(mean(map(error, kriging)), own) if kriging else "",
            bold(own, mean(map(error, kriging)) if kriging else None) + (f" \u00b1 {short(spread)}" if spread is not None else ""),
            share,
            f"{short(mean(map(relative, ours)))} \u00b1 {short(deviation(map(relative, ours)) or 0)}",
            f"{100 * mean(map(ninety, ours)):.0f} %",
            f"{mean(record['training_seconds'] for record in ours):.0f}",
        ]


def processor_time(files):
    """What tables took of the processor, of those that were timed."""
    timed = read("times.json")["commands"]
    commands = [read(name)["command"] for name in files]
    minutes = [f"{timed[command]['processor_minutes']:.0f} for `{command}`" for command in commands if command in timed]
    return f"; minutes of one core: {', '.join(minutes)} ({link('times.json')})" if minutes else ""


def recommended():
    """Our own methods on the paper's grids; nothing if they have not been run."""
    files = sorted(path.name for path in RESULTS.glob("table[13]-recommended*.json"))
    if not files:
        return ""
    rows, hours, commands = [], 0.0, []
    builds = [read(name)["floral"] for name in files]
    older = [link(name) for name, build in zip(files, builds) if build != builds[0]]
    for made in map(read, files):
        hours += made["hours"]
        commands.append(f"`{made['command']}`")
        for system in made["systems"]:
            rows += recommended_rows(system)
    text = "Mean L2 errors of the recommended method beside the simplest baselines and the paper's best of its\n"
    text += "four methods, on the paper's grids: means over three seeds of the data and their deviation, 15 test\n"
    text += "inputs each. FLORAL-KL and kriging see the training inputs and, as the paper's methods do to stop, 15\n"
    text += "validation inputs. *Variance* is the relative error of the variance field, of which 1 is no skill; the\n"
    text += f"*90 %* interval is to hold 90 % of new realizations. By {' and '.join(commands)}\n"
    text += f"({', '.join(map(link, files))}): {hours:.2f} hours of runs in all, for every seed and both methods, two\n"
    text += f"at a time on two cores that had other work to do{processor_time(files)}."
    text += f" {', '.join(older)} is of an earlier build.\n\n" if older else "\n\n"
    header = ["", "trained on", "paper's best", "low fidelity", "mean residual", "kriging", "FLORAL-KL", "of low", "variance", "90 %", "fit, s"]
    return text + table(header, rows) + more_seeds() + recipe()


def more_seeds():
    """A cell of the table over more seeds, where three say little of their mean."""
    name = "seeds-darcy-reference-100.json"
    made = read(name)
    (row,) = recommended_rows(made["systems"][0])
    system, samples, share = row[0], row[1], row[7]
    counts = {len(seeds(cell)) for cell in made["systems"][0]["cells"]}
    text = f"\n{system}, {samples}, over {max(counts)} seeds (the three among them): {row[6]}, {share} of low fidelity, "
    return text + f"kriging {row[5]}\n(`{made['command']}`, {link(name)}).\n"


def recipe():
    """The paper's recipe, as long as it takes, on the data of the table; nothing if it has not been run."""
    name = "recipe-1dcr.json"
    if not (RESULTS / name).exists():
        return ""
    made = read(name)
    (system,) = made["systems"]
    places = {}
    for cell in system["cells"]:
        errors = [record["evaluation"]["prediction"]["mean"]["mean_l2"] for record in seeds(cell)]
        if errors:
            places.setdefault(cell["samples"], {})[method_of(cell)] = mean(errors)
    methods = [method for method in METHODS + OURS if all(method in row for row in places.values())]
    rows = [
        [f"{samples} samples", *(short(row[method]) for method in methods), short(row["FLORAL-KL"] / row["FLORAL"])]
        for samples, row in places.items()
    ]
    text = f"\n{system['title']} beside the paper's own recipe, its networks trained to their end on the same\n"
    text += f"data, mean L2 over {system['seeds']} seeds ({system['settings']};\n`{made['command']}`, {link(name)}):\n\n"
    return text + table(["trained on", *methods, "FLORAL-KL over FLORAL"], rows)


def paper_rows(systems):
    """A row for each system and each amount of training data."""
    for scale, system in systems:
        factor = system["norm_factor"]
        places = {}
        for cell in system["cells"]:
            places.setdefault((cell["samples"], cell["resolution"]), {})[method_of(cell)] = cell
        for (samples, resolution), cells in places.items():
            grid = f" on {resolution} points an axis" if resolution else ""
            row = [system["title"], f"{samples} samples{grid}", scale]
            spreads = []
            for method in METHODS:
                cell = cells.get(method, {})
                ours, paper = seeds(cell), cell.get("paper") or {}
                if not ours:
                    row.append("not run" + (f" ({short(paper['mean_l2'])})" if paper else ""))
                    spreads.append("")
                    continue
                found = [record["evaluation"]["prediction"] for record in ours]
                error = mean(factor * one["mean"]["mean_l2"] for one in found)
                row.append(beside(error, paper.get("mean_l2")))
                spreads.append(short(mean((one.get("spread") or {}).get("variance_relative") for one in found)))
            ours, papers = system["low"]
            papers = (papers or {}).get("mean_l2")
            row.insert(3, beside(factor * ours["mean_l2"], papers) if ours else "")
            if any("not run" not in entry for entry in row[4:]):
                yield row + spreads[2:]


def papers_files():
    """Tables of the paper's own methods."""
    names = sorted(path.name for path in RESULTS.glob("table[13]-*.json"))
    return [name for name in names if "recommended" not in name]


def papers_tables():
    files = papers_files()
    systems = [(made["scale"], system) for made in map(read, files) for system in made["systems"]]
    systems.sort(key=lambda entry: entry[1]["title"])
    text = "The paper's own methods, as far as they were trained: mean L2 errors of ours, and the paper's in\n"
    text += "brackets, by `floral reproduce` at earlier scales ("
    text += ", ".join(map(link, files)) + ", with the commands\nand hours). The last two columns are"
    text += " relative errors of the variance, of which 1 is no skill.\n\n"
    header = ["", "trained on", "scale", "low fidelity", *METHODS]
    header += ["variance, FLORA", "variance, FLORAL"]
    return text + table(header, list(paper_rows(systems)))


def protocol(system):
    """Against what truth, and which checkpoints, from what training."""
    done = [record for cell in system["cells"] for record in seeds(cell)]
    best = sorted(ours["evaluation"]["epoch"] for ours in done)
    trained = sorted(ours["epochs"] for ours in done)
    training = done[0]["recipe"]["run"]["training"]
    optimiser, validation = training["optimiser"], training["split"]["validation"]
    text = f"Truth: {system['truth']}. The checkpoints, best by {validation} validation inputs, are of"
    text += f" epochs {best[0]} to {best[-1]} of {trained[0]} to {trained[-1]} trained, with a learning"
    return text + f" rate times {short(optimiser['decay'])} every {optimiser['decay_every']} epochs."


def sampling_errors():
    """What finite realizations alone make of the errors above, by system and scale."""
    lines = []
    for made in map(read, papers_files()):
        for system in made["systems"]:
            records = [record for cell in system["cells"] for record in seeds(cell)]
            done = [record["evaluation"]["prediction"] for record in records]
            drawn = [found for found in done if found.get("spread")]
            if not drawn:
                continue
            count = max(found["realizations"] for found in drawn)
            floor = system["norm_factor"] * max(found["mean_l2_floor"] for found in drawn)
            relative = (2 / (count - 1)) ** 0.5
            place = (system["title"], made["scale"], system["settings"], count, protocol(system))
            lines.append((place, floor, relative))
    text = ""
    for place in sorted({line[0] for line in lines}):
        title, scale, settings, count, how = place
        floor = max(line[1] for line in lines if line[0] == place)
        relative = lines[[line[0] for line in lines].index(place)][2]
        text += f"- {title}, {scale}: {settings}. {count} realizations alone make up to {short(floor)} of"
        text += f" the mean L2, and {short(relative)} of the relative variance error. {how}\n"
    return text


def integrators():
    made = read("integrators.json")
    gaps = {row["integrator"]: short(row["rms_gap"]) for row in made["rows"]}
    midpoint = lambda steps: gaps[f"--solver midpoint --steps {steps}"]
    text = "Integrators agree where they see every wave of the network's time: on the quickstart's FLORAL,\n"
    text += f"realizations by dopri5 at the tolerance 1e-5 differ from 400 steps of RK4 by {gaps['--tolerance 1e-5']}"
    text += f" in the root\nmean square, those by 21 and 11 midpoint steps by {midpoint(21)} and {midpoint(11)}; "
    text += f"20 and 10 steps, which meet\nthe fastest wave in one phase only, by {midpoint(20)} and {midpoint(10)}. "
    text += f"Realizations spread by {short(made['spread'])} ({link('integrators.json')},\n"
    return text + f"by `{made['command']}`). The tables above were made with the steps that their notes name.\n"


def time_and_ratio(row, form):
    time = row.get(f"peer_{form}_ms")
    return f"{short(time)} ({short(row[f'ratio_{form}'])}x)" if time else ""


def peers():
    made = read("compare.json")
    forms = ["published", "hoisted"]
    forms += ["compiled"] if any("compiler" in row for row in made["rows"]) else []
    rows = [
        [
            row["row"],
            short(row["ours_ms"]),
            *(time_and_ratio(row, form) for form in forms),
            f"{row['percent_of_peak']:.0f} %" if "percent_of_peak" in row else "",
        ]
        for row in made["rows"]
    ]
    text = f"The network beside the same in PyTorch {made['versions']['torch']} with neuraloperator, "
    text += f"torchdiffeq and GPyTorch, in one\nrun on {made['cores']} cores, by `{made['command']}` "
    text += f"({link('compare.json')}); in brackets, how many\ntimes ours it takes. *Published* derives "
    text += "the FiLM coefficients in every evaluation, *hoisted* once,\nas ours does; both ran eager."
    text += compiler(made) + " Weights are random, with the fast waves of the time damped.\n\n"
    text += table(["milliseconds per sample", "ours", *forms, "of peak"], rows) + "\n"
    text += "".join(f"- {note}\n" for note in peer_notes(made))
    text += "\nTime grows with realizations, inputs and grid points like this:\n\n"
    return text + "![Time over realizations, inputs and grid points](docs/scaling.svg)\n"


def compiler(made):
    """What torch.compile did, in a sentence."""
    found = [row["compiler"] for row in made["rows"] if "compiler" in row]
    if not found:
        return ""
    text = " *Compiled* is\nhoisted by torch.compile"
    failures = sorted({entry["failure"] for entry in found if "failure" in entry})
    if failures:
        text += f", which failed where no time stands ({'; '.join(failures)})"
    breaks = [entry["graph_breaks"] for entry in found if "graph_breaks" in entry]
    if breaks:
        text += f"; it went back to Python at {max(breaks)} places of the network and has no code of its\nown"
        text += " for complex numbers, so that transforms and their products stay eager"
    return text + "."


def peer_notes(made):
    """What a reader of the table has to know of its rows."""
    rows = made["rows"]
    for row in rows:
        # Of a file whose rows name what ours ran, the peer's batch may be another.
        if f"batch {row.get('peer_batch')} " not in row["row"] and "peer_batch" in row:
            yield f"{row['row']}: PyTorch ran batches of {row['peer_batch']}, each sample its own input."
        if "peer_measured" in row:
            yield f"{row['row']}: {row['measured']} were measured of ours, {row['peer_measured']} of PyTorch's."
        if "peer_evaluations" in row:
            yield f"dopri5 takes {row['evaluations']:.0f} evaluations of a realization, torchdiffeq " \
                f"{row['peer_evaluations']:.0f} for all at once."
    if "warm" not in made["milliseconds"]:
        yield "PyTorch's first training step counts on 64x64 and 128x128, where no second was run."
    yield wrong_prior(rows)
    memory = [row for row in rows if row["row"].startswith("training step, 128x128, batch 32")]
    if memory:
        peak = max(row["peak_memory"] for row in memory) / 1e9
        yield f"Training on 128x128 with batches of 32 peaks at {peak:.1f} GB; PyTorch was given no such batch."
    yield f"Peak is the matrix product, {made['matrix_peak_gflops']:.0f} GFLOP/s in that run."


def wrong_prior(rows):
    """GPyTorch's draw is no draw of the prior that was asked for."""
    text = "The prior's ratio is to a draw that is wrong: beyond 800 points GPyTorch replaces the covariance by a "
    text += "root of rank 100"
    variances = {row["row"]: row["peer_prior_variance"] for row in rows if "peer_prior_variance" in row}
    drawn = [value for name, value in variances.items() if name.startswith("prior")]
    if drawn:
        text += f", and its fields have the variance {short(drawn[0])} instead of 1"
    return text + ". Ours is exact, and prepared once."


def problems():
    made = read("problems.json")
    rows = [
        [
            f"{row['problem']}, {row['resolution']} points an axis",
            made["peers"][row["problem"]],
            short(row["peer_ms"]),
            short(row["all_cores_ms"]),
            f"{row['ratio_one_core']:.0f}x",
            f"{row['ratio_all_cores']:.0f}x",
        ]
        for row in made["problems"]
    ]
    text = "The solvers beside the same schemes in Python, milliseconds per realization, in one run on "
    text += f"{made['cores']} cores\nby `{made['command']}` ({link('problems.json')}):\n\n"
    header = ["", "peer", "peer's time", "ours", "ratio on one core", "ratio on all"]
    text += table(header, rows)
    return text + f"\nA batch of 32 prior fields on 128x128 takes {made['prior_32_fields_128x128_ms']:.1f} ms.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the README differs")
    arguments = parser.parse_args()
    parts = [recommended(), sampling(), laws(), outside(), papers_tables(), sampling_errors(), switches(), integrators()]
    parts = [part for part in parts + [peers(), problems()] if part]
    before, rest = README.read_text().split(MARKS[0])
    _, after = rest.split(MARKS[1])
    wanted = before + MARKS[0] + "\n" + "\n".join(parts) + "\n" + MARKS[1] + after
    if arguments.check and README.read_text() != wanted:
        sys.exit("README.md does not tell what results/ holds; run bench/readme")
    if not arguments.check:
        README.write_text(wanted)


if __name__ == "__main__":
    main()
