"""The problems of bench/decisions: pools of inputs with all of their solutions, and a quantity.

Four are of the zoo (bench/zoo_data.py), three are analytic functions of a few parameters.
"""

import numpy as np

from zoo_data import awkward, dataset, generated, of_mesh

# Number of realizations per run, and for the truth.
RUNS = 10
TRUTH = 200

LINE = np.linspace(0, 1, 32)


def noisy(mean, rng):
    """Curves plus a small random constant per realization: [input, realization, channel, x]."""
    return (mean[:, None] + 0.02 * rng.normal(size=(len(mean), TRUTH, 1)))[:, :, None]


def front(rng, count):
    """A front whose height is nonlinear in one of two parameters and whose position is the other; most inputs of the pool barely
    change it."""
    p = np.stack([rng.beta(1.0, 4.0, count), rng.uniform(0, 1, count)], 1)
    a, b = p[:, :1], p[:, 1:]
    return p, noisy(np.exp(-0.5 * ((LINE - 0.2 - 0.6 * b) / 0.1) ** 2) * (1 + 3 * np.tanh(6 * (a - 0.4)) + b), rng)


def wave(rng, count):
    """A wave whose frequency grows with the parameter: it varies most at one end of the pool."""
    p = np.stack([rng.uniform(0, 1, count), rng.uniform(0.5, 1, count)], 1)
    return p, noisy(p[:, 1:] * np.sin(9 * p[:, :1] ** 2 * LINE), rng)


def four(rng, count):
    """Four parameters; two of them matter for the quantity."""
    p = rng.uniform(0, 1, (count, 4))
    shape = 2 * (p[:, 1:2] - 0.5) ** 2 * LINE + 0.2 * p[:, 2:3] * np.sin(2 * np.pi * LINE)
    return p, noisy(np.sin(4 * p[:, :1]) + shape, rng)


def analytic(function):
    def pool(seed):
        p, high = function(np.random.default_rng(seed), 60)
        return dataset(np.repeat(p[:, :, None], len(LINE), 2), high, x=LINE)
    return pool


def parameters(seed):
    """Six parameters, two of them active, determine a curve with a random amplitude."""
    rng = np.random.default_rng(seed)
    parts = [awkward()["parameters"](rng) for _ in range(3)]
    p, high = (np.concatenate([part[f"test_{name}"] for part in parts]) for name in ("parameters", "high"))
    t = parts[0]["x"]
    return dataset(np.repeat(p[:, :, None], len(t), 2), high, x=t)


def base(seed):
    """Random input fields and random curves as solutions, with low fidelity."""
    rng = np.random.default_rng(seed)
    parts = [awkward()["base"](rng) for _ in range(3)]
    given, low, high = (np.concatenate([part[f"test_{name}"] for part in parts]) for name in ("input", "low", "high"))
    return dataset(given, high, low, x=parts[0]["x"])


def burgers(seed):
    """The built-in Burgers problem: random initial values, with low fidelity."""
    return generated("burgers", seed, 60, TRUTH, "--resolution", "32x32", tests=1, truth=1)[0]


def elastic(seed):
    """Eight stiffnesses and three loads determine displacements on a mesh of triangles, without noise; a part of 200 cases."""
    import xarray

    both = [part.drop_vars(["points", "cells_triangle"]) for part in of_mesh("elastic_block", 100)]
    mesh = of_mesh("elastic_block", 100)[0][["points", "cells_triangle"]]
    chosen = np.random.default_rng(seed).permutation(200)[:100]
    return xarray.concat(both, "input").isel(input=chosen).merge(mesh)


def largest(high):
    """The maximum over all axes of a realization."""
    return high.reshape(*high.shape[:2], -1).max(2)


def at_three_quarters(high):
    return np.apply_along_axis(lambda u: np.interp(0.75, LINE, u), 2, high[:, :, 0])


# Name -> (function from a seed to the pool, quantity as an expression, quantity as a function of the solutions:
# [input, realization]).
PROBLEMS = {
    "parameters": (parameters, "q = max(u)", largest),
    "base": (base, "q = max(u)", largest),
    "burgers": (burgers, "q = max(u)", largest),
    "elastic": (elastic, "q = max(u0)", lambda high: largest(high[:, :, :1])),
    "front": (analytic(front), "q = max(u)", largest),
    "wave": (analytic(wave), "q = at(u, 0.75)", at_three_quarters),
    "four": (analytic(four), "q = mean(u)", lambda high: np.trapezoid(high[:, :, 0], LINE)),
}
ZOO = ("parameters", "base", "burgers", "elastic")
