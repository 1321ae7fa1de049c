"""The growth of times with size: exponents, and a figure with logarithmic axes.

    python bench/scaling.py results/scaling.json docs/scaling.svg     draws stored numbers again
"""

import json
import math
import sys

WIDTH, HEIGHT = 330, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 318, 48, 250
COLOURS = {"velocity_ms": "#0072b2", "sampling_ms": "#d55e00"}
NAMES = {"velocity_ms": "velocity", "sampling_ms": "sampling"}
PANELS = [
    ("realizations", "realizations", "realizations at 64×64", "linear"),
    ("inputs", "inputs", "inputs, 8 realizations each", "linear"),
    ("grids", "points", "grid points", "N log N"),
]


def curves(rows, key):
    for kind in COLOURS:
        if kind in rows[0]:
            yield kind, [(row[key], row[kind]) for row in rows]


def with_exponents(found):
    """Adds the slope of each curve's upper half on logarithmic axes: 1 is linear."""
    exponents = {}
    for table, key, _, _ in PANELS:
        for kind, points in curves(found[table], key):
            (x0, y0), (x1, y1) = points[len(points) // 2], points[-1]
            exponents[f"{NAMES[kind]} by {key}"] = round(math.log(y1 / y0) / math.log(x1 / x0), 3)
    return {"command": "bench/compare", **found, "exponents": exponents}


def expected(law, x):
    return x * math.log(x) if law == "N log N" else x


def decades(low, high):
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


class Axis:
    def __init__(self, values, start, end, whole):
        low, high = min(values), max(values)
        if whole:
            low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)


def number(value):
    if value >= 10000:
        return f"{value // 1000}k"
    return f"{value:g}"


def panel(rows, key, title, law):
    series = list(curves(rows, key))
    x = Axis([row[key] for row in rows], LEFT, RIGHT, whole=False)
    y = Axis([v for _, points in series for _, v in points], BOTTOM, TOP, whole=True)
    svg = ""
    for power in decades(y.low, y.high):
        height = y.at(10.0**power)
        svg += f'<path d="M{LEFT} {height:.1f}H{RIGHT}" stroke="#e3e6ea"/>\n'
        svg += f'<text x="{LEFT - 6}" y="{height + 4:.1f}" text-anchor="end">{10.0**power:g}</text>\n'
    ticks = [row[key] for row in rows]
    for tick in ticks:
        svg += f'<text x="{x.at(tick):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{number(tick)}</text>\n'
    svg += f'<path d="M{LEFT} {BOTTOM}H{RIGHT}" stroke="#6b7280"/>\n'
    svg += f'<text x="{(LEFT + RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{title}</text>\n'
    for kind, points in series:
        last_x, last_y = points[-1]
        law_points = [(p, last_y * expected(law, p) / expected(law, last_x)) for p, _ in points]
        law_points = [(p, v) for p, v in law_points if v >= y.low]
        svg += f'<polyline points="{line(x, y, law_points)}" fill="none" stroke="#6b7280" stroke-dasharray="3 3"/>\n'
        svg += f'<polyline points="{line(x, y, points)}" fill="none" stroke="{COLOURS[kind]}" stroke-width="2.4"/>\n'
        for p, v in points:
            svg += f'<circle cx="{x.at(p):.1f}" cy="{y.at(v):.1f}" r="3" fill="{COLOURS[kind]}"/>\n'
    return svg + legend(series, law)


def legend(series, law):
    svg, x = "", LEFT
    for kind, _ in series:
        svg += f'<path d="M{x} 20h22" stroke="{COLOURS[kind]}" stroke-width="2.4"/>'
        svg += f'<text x="{x + 27}" y="24">{NAMES[kind]}</text>\n'
        x += 92
    svg += f'<path d="M{x} 20h22" stroke="#6b7280" stroke-dasharray="3 3"/>'
    return svg + f'<text x="{x + 27}" y="24">{law}</text>\n'


def line(x, y, points):
    return " ".join(f"{x.at(p):.1f},{y.at(v):.1f}" for p, v in points)


def draw(found):
    panels = ""
    for i, (table, key, title, law) in enumerate(PANELS):
        panels += f'<g transform="translate({i * WIDTH + 16} 0)">\n{panel(found[table], key, title, law)}</g>\n'
    centre = (TOP + BOTTOM) / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(PANELS) * WIDTH + 28} {HEIGHT}" '
        'role="img" aria-label="Time against realizations, inputs and grid points" '
        'font-family="system-ui,sans-serif" font-size="12" fill="#374151">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{panels}'
        f'<text transform="translate(14 {centre}) rotate(-90)" text-anchor="middle">milliseconds</text>\n</svg>\n'
    )


if __name__ == "__main__":
    source, picture = sys.argv[1:]
    with open(source) as file:
        text = draw(json.load(file))
    with open(picture, "w") as file:
        file.write(text)
