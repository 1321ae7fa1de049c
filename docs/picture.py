"""Figures of the README and the gallery: Burgers' equation learned from ten inputs, shown at test inputs."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import xarray

ROOT = pathlib.Path(__file__).resolve().parents[1]
FLORAL = os.path.abspath(os.environ.get("FLORAL_BIN", ROOT / "target/release/floral"))
FIGURES = ROOT / "docs/src/figures"
TARGET = FIGURES / "burgers.png"
SEED, TRAINED, TESTS, RUNS, TRUTH_RUNS = 2026, 10, 3, 20, 400
SHOWN = 1
# Figures of `floral report` that the gallery shows.
GALLERY = [f"fields-{SHOWN}", f"samples-{SHOWN}", "coverage", "ranks", "spread-skill", "spectra", "marginal-solution", "joint-residual"]


def floral(folder, *words):
    subprocess.run([FLORAL, "-q", *map(str, words)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


def computed(folder):
    """The truth and the prediction of a test input."""
    generate = "generate", "burgers", "--resolution", "64x64", "--seed", SEED
    floral(folder, *generate, "--inputs", TRAINED + TESTS, "--realizations", RUNS, "-o", "data.zarr")
    floral(folder, *generate, "--inputs", TESTS, "--realizations", TRUTH_RUNS, "-o", "truth.zarr")
    floral(folder, "train", "data.zarr", "--set", f"split.test={TESTS}", "-o", "run")
    quantiles = "--quantile", 0.05, "--quantile", 0.95
    floral(folder, "sample", "run", "--input", "truth.zarr", "--inputs", f"0..{TESTS}", *quantiles, "--keep", 5, "-o", "out.zarr")
    opened = (xarray.open_zarr(f"{folder}/{name}.zarr", consolidated=False).load() for name in ("truth", "out"))
    return [data.isel(input=SHOWN, channel=0) for data in opened]


def draw(truth, predicted):
    time, x = truth.low.dims
    figure, axes = plt.subplots(1, 6, figsize=(16, 3.2), layout="constrained", width_ratios=[1, 1, 1, 1, 1, 1.9])
    runs = truth.high
    means = {"low fidelity": truth.low, "predicted mean": predicted["mean"], "true mean": runs.mean("realization")}
    spreads = {"predicted spread": predicted["std"], "true spread": runs.std("realization", ddof=1)}
    largest = max(float(np.abs(field).max()) for field in means.values())
    maps(figure, axes[:3], means, cmap="RdBu_r", vmin=-largest, vmax=largest)
    maps(figure, axes[3:5], spreads, cmap="viridis", vmin=0, vmax=max(float(field.max()) for field in spreads.values()))
    axes[0].set(ylabel=time, yticks=[0.05, 0.1, 0.15, 0.2])
    cut(axes[5], truth, predicted, {time: truth.sizes[time] // 4})
    figure.savefig(TARGET, dpi=110)


def maps(figure, axes, fields, **colours):
    """Fields over x and time on one scale."""
    for axis, (title, field) in zip(axes, fields.items()):
        (time, x) = (field[name].values for name in field.dims)
        image = axis.pcolormesh(x, time, field, shading="nearest", rasterized=True, **colours)
        axis.set(title=title, xlabel=field.dims[1], yticks=[])
    figure.colorbar(image, ax=axes[-1])


def cut(axis, truth, predicted, at):
    """The solution along x at one time."""
    x = truth.x.values
    low, high = (predicted.quantiles.isel(at).sel(quantile=q, method="nearest") for q in (0.05, 0.95))
    axis.fill_between(x, low, high, color="tab:blue", alpha=0.35, lw=0, label="predicted 90 % interval")
    axis.plot(x, truth.high.isel(at).values[:12].T, color="0.35", lw=0.5, label=["true realizations"] + [None] * 11)
    axis.plot(x, predicted["mean"].isel(at), color="tab:blue", label="predicted mean")
    axis.plot(x, truth.low.isel(at), color="tab:green", ls="--", label="low fidelity")
    (time,) = (float(truth[name][index]) for name, index in at.items())
    axis.set(title=f"at t = {time:.2f}", xlabel="x")
    axis.margins(y=0.3)
    axis.legend(fontsize=7, ncols=2, loc="upper center", frameon=False)


def report(folder):
    """Draws a report and copies its figures under new names."""
    wanted = [word for name in GALLERY for word in ("--figure", name)]
    of_truth = "--data", "truth.zarr", "--inputs", f"0..{TESTS}", "--realizations", 200
    floral(folder, "report", "run", *of_truth, "--format", "png", "--dpi", 110, *wanted, "-o", "figures")
    for name in GALLERY:
        shutil.copy(f"{folder}/figures/{name}.png", FIGURES / f"burgers-{name.removesuffix(f'-{SHOWN}')}.png")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        draw(*computed(folder))
        report(folder)
    print(f"drawn in {FIGURES.relative_to(ROOT)}")
