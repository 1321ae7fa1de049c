"""The solvers of the time-dependent problems and of Darcy flow in NumPy and SciPy.

They are what a careful Python user would write: vectorised over realizations where the scheme
allows it, sparse assembly without loops, one factorisation per permeability field.
"""

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

TAU = 2 * np.pi


def draw_wave(rng, points):
    """A sum of two sines."""
    x = np.arange(points) / points
    waves = [
        rng.uniform() * np.sin(TAU * rng.integers(1, 9) * x + TAU * rng.uniform())
        for _ in range(2)
    ]
    return np.sum(waves, axis=0)


def perturb_wave(rng, wave, realizations, modes=8, deviation=0.05):
    """Initial states a (1 + eps), [realization, x]."""
    phase = TAU * np.outer(np.arange(1, modes + 1), np.arange(wave.size) / wave.size)
    basis = np.concatenate([np.cos(phase), np.sin(phase)])
    coefficients = rng.normal(scale=deviation, size=(realizations, 2 * modes))
    return wave * (1 + coefficients @ basis)


def advection(initial, steps=128, speed=0.05, end=1.0):
    """First-order upwind and forward Euler for all realizations at once: [realization, t, x]."""
    points = initial.shape[-1]
    courant = speed * (end / steps) * points
    out = np.empty((initial.shape[0], steps, points))
    state = initial
    for step in range(steps):
        state = state - courant * (state - np.roll(state, 1, axis=-1))
        out[:, step] = state
    return out


def burgers(initial, steps=128, viscosity=0.01, end=0.2):
    """Second-order upwind, central diffusion and SSP-RK3 for all realizations at once."""
    points = initial.shape[-1]
    dx, dt = 1 / points, end / steps

    def rate(u):
        left, right = np.roll(u, 1, axis=-1), np.roll(u, -1, axis=-1)
        left2, right2 = np.roll(u, 2, axis=-1), np.roll(u, -2, axis=-1)
        behind = (3 * u - 4 * left + left2) / (2 * dx)
        ahead = (-3 * u + 4 * right - right2) / (2 * dx)
        slope = np.where(u > 0, behind, ahead)
        return -u * slope + viscosity * (right - 2 * u + left) / dx**2

    out = np.empty((initial.shape[0], steps, points))
    state = initial
    for step in range(steps):
        first = state + dt * rate(state)
        second = 0.75 * state + 0.25 * (first + dt * rate(first))
        state = (state + 2 * (second + dt * rate(second))) / 3
        out[:, step] = state
    return out


def darcy_source(n, rate=50.0, size=0.125, well="centre"):
    """+rate in the injection well, -rate in the production well."""
    x = np.linspace(0, 1, n)
    centre = 0.5 if well == "centre" else 0.5 * size
    # The wells' edges may fall on nodes: they belong to the well, whatever the rounding.
    inside = np.abs(x - centre) <= 0.5 * size + 1e-12
    outlet = np.abs(x - (1 - 0.5 * size)) <= 0.5 * size + 1e-12
    return rate * (np.outer(inside, inside) * 1.0 - np.outer(outlet, outlet))


def darcy(permeability, source):
    """Pressure of one permeability field: assembly without loops, one sparse LU."""
    n = permeability.shape[0]
    h = 1 / (n - 1)
    node = np.arange(n * n).reshape(n, n)
    rows, columns, values = [], [], []
    diagonal = np.zeros((n, n))
    gradients = np.gradient(permeability, h)
    for axis in (0, 1):
        for side in (-1, 1):
            neighbour = np.arange(n) + side
            mirrored = np.where((neighbour < 0) | (neighbour >= n), np.arange(n) - side, neighbour)
            wall = (np.arange(n) == 0) | (np.arange(n) == n - 1)
            # At a wall the mirrored ghost makes the normal gradient of the pressure vanish.
            slope = np.where(np.expand_dims(wall, 1 - axis), 0, gradients[axis])
            weight = -(permeability / h**2 + side * slope / (2 * h))
            rows.append(node.ravel())
            columns.append(np.take(node, mirrored, axis=axis).ravel())
            values.append(weight.ravel())
            diagonal -= weight
    edge = np.full(n, h)
    edge[[0, -1]] = h / 2
    quadrature = np.outer(edge, edge).ravel()
    last = np.full(n * n, n * n)
    rows += [node.ravel(), node.ravel(), last]
    columns += [node.ravel(), last, node.ravel()]
    values += [diagonal.ravel(), quadrature, quadrature]
    matrix = sparse.csc_matrix(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(n * n + 1, n * n + 1),
    )
    right = np.append(source.ravel(), 0.0)
    return linalg.spsolve(matrix, right)[:-1].reshape(n, n)
