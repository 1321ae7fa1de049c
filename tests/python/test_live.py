"""The live page in Chromium: moving a slider gives the numbers of `floral sample` up to the error that the page states.

FLORAL_BIN is the path of the floral command; Chromium has to be installed.
"""

import re

import numpy as np
import pytest
import xarray as xr
from test_report import CHROMIUM, Browser, floral

REALIZATIONS = 200


def shapes():
    """Domains: a curve, a plane, and one number."""
    x = np.linspace(0, 1, 24)
    yield "curve", {"x": x}, lambda a, b, x: a * np.sin(3 * x) + b * x
    yield "number", {"point": np.zeros(1)}, lambda a, b, point: a**2 + b + point
    yield "plane", {"y": np.linspace(0, 1, 9), "x": x[:12]}, lambda a, b, y, x: a * np.sin(3 * x) + b * y[:, None]


def data(folder, coords, solution):
    random = np.random.default_rng(431)
    p = random.uniform([0.5, -1.0], [2.0, 1.0], (24, 2))
    mean = np.stack([solution(a, b, *coords.values()) for a, b in p])
    noise = 0.1 * random.normal(size=(24, 6, *[1] * (mean.ndim - 1)))
    axes = list(coords)
    scale = p[:, 0].reshape(-1, 1, *[1] * (mean.ndim - 1))
    arrays = {
        "high": (("input", "realization", "channel", *axes), (mean[:, None] + noise * scale)[:, :, None]),
        "parameters": (("input", "parameter"), p, {"parameter_names": ["amplitude", "slope"]}),
    }
    coordinates = {name: (name, at) for name, at in coords.items()}
    xr.Dataset(arrays, coordinates).to_zarr(folder / "d.zarr", zarr_format=3, consolidated=False)


def mesh(folder):
    """A square of triangles, imported from files of a solver."""
    n, random = 7, np.random.default_rng(432)
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n)))
    corner = np.arange(n * n).reshape(n, n)[:-1, :-1].ravel()
    cells = np.concatenate([np.stack([corner, corner + 1, corner + n + 1], 1), np.stack([corner, corner + n + 1, corner + n], 1)])
    table = ["case,amplitude,slope"]
    for case in range(20):
        a, b = random.uniform(0.5, 2), random.uniform(-1, 1)
        table.append(f"{case},{a},{b}")
        for run in range(4):
            u = a * np.sin(3 * x) + b * y + 0.1 * a * random.normal()
            lines = ["# vtk DataFile Version 3.0", "u", "ASCII", "DATASET UNSTRUCTURED_GRID", f"POINTS {n * n} double"]
            lines += [f"{p} {q} 0" for p, q in zip(x, y)]
            lines += [f"CELLS {len(cells)} {4 * len(cells)}", *(f"3 {i} {j} {k}" for i, j, k in cells)]
            lines += [f"CELL_TYPES {len(cells)}", *["5"] * len(cells), f"POINT_DATA {n * n}", "SCALARS u double 1"]
            path = folder / f"cases/case_{case}/run_{run}.vtk"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([*lines, "LOOKUP_TABLE default", *map(str, u)]) + "\n")
    (folder / "params.csv").write_text("\n".join(table) + "\n")
    floral(folder, "import cases --pattern case_{input}/run_{realization}.vtk --high u --parameters params.csv -o d.zarr")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    assert CHROMIUM, "chromium is needed: apt-get install chromium"
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


# Moves a slider as a user does, and returns its new value.
MOVE = """(name, share) => {
  const slider = document.querySelector(`input[data-parameter="${name}"]`);
  slider.value = 1000 * share;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def stated(page):
    """Typical and largest deviation that a page states, as shares of the interval width."""
    rows = re.findall(r"<tr><td>([^<]*)</td><td>([^<]*)</td><td>([^<]*)</td></tr>", page)
    number = lambda text: float(re.search(r"[\d.]+", text)[0]) / 100
    return {name: (number(typical), number(largest)) for name, typical, largest in rows}


def assert_live(folder, browser, name):
    floral(folder, "train d.zarr --method kriging --set split.test=4 -o run")
    floral(folder, f"report run --live --realizations {REALIZATIONS} -o live.html")
    page = (folder / "live.html").read_text()
    errors = stated(page)
    assert set(errors) == {"mean", "standard deviation", "5 % quantile", "95 % quantile"}
    assert not re.search(r"(?:src|href)=|https?://", page), "the page needs another file"
    assert not re.search(r"@[A-Z]+@", page)
    is_far = any(typical > 0.01 for typical, _ in errors.values())
    assert is_far == ("This page deviates by more than 1 %" in page)
    browser.open(folder / "live.html", width=1100, height=760)
    assert not browser.complaints()
    before = browser.run("document.getElementById('canvas').toDataURL()")
    browser.run(f"({MOVE})('amplitude', 0.31); ({MOVE})('slope', 0.77)")
    assert browser.run("document.getElementById('canvas').toDataURL()") != before
    browser.screenshot(f"live-{name}")
    amplitude, slope = browser.run("live.values()")
    shown = {key: np.array(values) for key, values in browser.run("live.shown()").items()}
    floral(
        folder,
        f"sample run --parameters amplitude={amplitude!r},slope={slope!r} --realizations {REALIZATIONS} "
        "--quantile 0.05 --quantile 0.95 -o new.zarr",
    )
    found = xr.open_zarr(folder / "new.zarr", consolidated=False).isel(input=0)
    truth = {"mean": found["mean"], "std": found["std"], "q05": found.quantiles[0], "q95": found.quantiles[1]}
    truth = {key: values.values.ravel() for key, values in truth.items()}
    width = (truth["q95"] - truth["q05"]).max()
    for key, label in zip(truth, errors):
        error = np.abs(shown[key] - truth[key]).max() / width
        assert error < 1.5 * max(errors[label][1], 0.002), (key, error, errors[label])


@pytest.mark.parametrize("name, coords, solution", list(shapes()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_slider_gives_the_numbers_of_sample_on_a_grid(tmp_path, browser, name, coords, solution):
    data(tmp_path, coords, solution)
    assert_live(tmp_path, browser, name)


def test_a_slider_gives_the_numbers_of_sample_on_a_mesh(tmp_path, browser):
    mesh(tmp_path)
    assert_live(tmp_path, browser, "mesh")


def test_a_model_of_fields_has_no_live_page(tmp_path):
    x = np.linspace(0, 1, 12)
    a = np.random.default_rng(0).uniform(1, 2, (12, 1)) * x
    np.savez(tmp_path / "d.npz", input=a, high=np.repeat(a[:, None] ** 2, 3, 1))
    floral(tmp_path, "import d.npz -o d.zarr")
    floral(tmp_path, "train d.zarr --method kriging -o run")
    with pytest.raises(AssertionError, match="sliders for parameters alone"):
        floral(tmp_path, "report run --live -o live.html")
