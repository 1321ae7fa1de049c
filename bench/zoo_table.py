"""Tables of recordings of bench/zoo."""

import numpy as np

PARTS = {
    "constants": "constants",
    "local": "local regressions",
    "kernels": "kernels of whole fields",
    "processes": "processes with a length per coordinate",
    "symmetries": "symmetries that are found",
    "network": "the network",
    "calibration": "calibration",
}


def mean(rows, key):
    values = [row[key] for row in rows if row.get(key) is not None]
    return float(np.mean(values)) if values else None


def short(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}" if abs(value) < 0.01 else f"{value:.{digits}f}"


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        if "error" in row:
            groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def table(made):
    """A line per dataset with means over seeds: FLORAL-KL beside the best other method; the last line has the median ratio."""
    lines = ["| data | inputs | seeds | FLORAL-KL | best other | ratio | 90 %: mean, worst | variance: aleatoric, total | "
             "energy | variogram | fit, s | MB |", "|" + "---|" * 12]
    groups, ratios = grouped(made["rows"], "data", "method"), []
    for (name, method), own in groups.items():
        others = {m: mean(rows, "error") for (n, m), rows in groups.items() if n == name and m != "floral-kl"}
        if method != "floral-kl" or not others:
            continue
        best = min(others, key=others.get)
        ratios.append(mean(own, "error") / others[best])
        share = lambda key: "" if mean(own, key) is None else f"{100 * mean(own, key):.1f} %"
        pair = lambda a, b: ", ".join(filter(None, (short(a, 2), short(b, 2))))
        worst = min((row["worst"] for row in own if "worst" in row), default=None)
        lines.append("| " + " | ".join([
            name, str(own[0]["inputs"]), str(len(own)), short(mean(own, "error")), f"{short(others[best])}, {best}",
            f"{ratios[-1]:.2f}", pair(mean(own, "coverage"), worst), pair(mean(own, "variance"), mean(own, "total_variance")),
            share("energy_excess"), share("variogram_excess"), short(mean(own, "fit_s"), 0), short(mean(own, "fit_mb"), 0)]) + " |")
    if ratios:
        lines.append(f"| median of {len(ratios)} | | | | | {np.median(ratios):.2f} | | | | | | |")
    return "\n".join(lines)


def ablation(made):
    """A line per omitted part: the error relative to that of the whole method, by dataset."""
    groups = grouped(made["rows"], "data", "method")
    names = list(dict.fromkeys(row["data"] for row in made["rows"]))
    lines = ["| without | " + " | ".join(names) + " |", "|" + "---|" * (1 + len(names))]
    cell = lambda rows, digits: f"{mean(rows, 'error'):.3g}" if digits else ""
    whole = {name: groups.get((name, "floral-kl")) for name in names}
    covers = lambda rows: "" if mean(rows, "coverage") is None else f" ({mean(rows, 'coverage'):.2f})"
    lines.append("| nothing: error (90 % interval) | " + " | ".join(cell(whole[n], 1) + covers(whole[n]) if whole[n] else "" for n in names) + " |")
    for part, title in PARTS.items():
        cells = []
        for name in names:
            rows = groups.get((name, f"without {part}"))
            same = rows and whole[name] and mean(rows, "error") / mean(whole[name], "error")
            cells.append(f"{same:.2f}{covers(rows)}" if same else "")
        if any(cells):
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
