"""The datasets of bench/scale: functions from a seed to a training and a test dataset."""

import functools

import numpy as np
from scipy.fft import dctn, idctn

from zoo_data import dataset, generated

TESTS, TEST_RUNS = 4, 16


def waves(rng, at, size, count=12):
    """A random smooth field of unit variance with wavelengths of about `size`. at: an array of coordinates per axis."""
    vectors = rng.standard_normal((count, len(at))) * 2 * np.pi / size / np.sqrt(2)
    phases = rng.uniform(0, 2 * np.pi, count)
    field = np.zeros(at[0].shape)
    for vector, phase in zip(vectors, phases):
        field += np.cos(sum(k * x for k, x in zip(vector, at)) + phase)
    return np.sqrt(2 / count) * field


def split(case, inputs, runs, **coordinates):
    """A training and a test dataset of cases (input, low, runs); test inputs have more runs. case: number of runs -> case."""
    parts = []
    for count, own in ((inputs, runs), (TESTS, TEST_RUNS)):
        given, low, high = (np.stack(part)[:, None] for part in zip(*(case(own) for _ in range(count))))
        parts.append(dataset(given, high.swapaxes(1, 2), low, **coordinates))
    return parts


def relaxed(start, steps, force, reacts, end=1.5, diffusion=0.02):
    """u' = D Laplace u + 4 (u - u^3) + force, no flux through the walls: exponential Euler on cosines. [.., t, y, x]"""
    wave = np.pi * np.arange(start.shape[-1])
    rate, step, axes = diffusion * (wave[:, None] ** 2 + wave**2), end / steps, (-2, -1)
    decay, gain = np.exp(-rate * step), np.where(rate > 0, -np.expm1(-rate * step) / np.maximum(rate, 1e-30), step)
    state, all_times = start, []
    for k in range(steps):
        drive = 4 * (state - state**3) * reacts + force(k * step)
        state = idctn(decay * dctn(state, axes=axes) + gain * dctn(drive, axes=axes), axes=axes)
        all_times.append(state)
    return np.stack(all_times, -3)


def plane_in_time(seed, side=16, steps=400, inputs=24, runs=8):
    """A reaction on a square with a random force. The input is the initial state; low fidelity has neither reaction nor force."""
    rng, x = np.random.default_rng(seed), (np.arange(side) + 0.5) / side
    at = np.meshgrid(x, x, indexing="ij")

    def case(runs):
        start = 0.8 * waves(rng, at, 0.8)
        shape = np.stack([waves(rng, at, 1.0) for _ in range(runs)])
        rate, phase = rng.uniform(2, 8, (runs, 1, 1)), rng.uniform(0, 2 * np.pi, (runs, 1, 1))
        force = lambda t: 1.5 * shape * np.sin(rate * t + phase)
        high = relaxed(np.broadcast_to(start, shape.shape), steps, force, True)
        return np.broadcast_to(start, high.shape[1:]), relaxed(start, steps, lambda t: 0.0, False), high

    return split(case, inputs, runs, t=1.5 * np.arange(1, steps + 1) / steps, y=x, x=x)


def carried(start, steps, force, carries, inner=4, viscosity=0.01):
    """u' + u u_x = nu u_xx + force on a circle up to the time 1. [.., t, x]"""
    points = start.shape[-1]
    wave, step = 2 * np.pi * np.fft.fftfreq(points, 1 / points), 1 / steps / inner
    decay, kept = np.exp(-viscosity * wave**2 * step), np.abs(wave) < 2 * np.pi * points / 3
    state, all_times = start, []
    for k in range(steps * inner):
        flux = -0.5j * wave * kept * np.fft.fft(state**2) * carries
        state = np.fft.ifft(decay * (np.fft.fft(state) + step * (flux + np.fft.fft(force(k * step))))).real
        if (k + 1) % inner == 0:
            all_times.append(state)
    return np.stack(all_times, -2)


def line_in_time(seed, points=64, steps=400, inputs=24, runs=8):
    """A viscous flow on a circle with a random force; low fidelity only diffuses."""
    rng, x = np.random.default_rng(seed), np.arange(points) / points
    modes = lambda: sum(rng.normal() * np.sin(2 * np.pi * m * x + rng.uniform(0, 2 * np.pi)) / m for m in (1, 2, 3))

    def case(runs):
        start, shape = 0.6 * modes(), np.stack([modes() for _ in range(runs)])
        high = carried(np.broadcast_to(start, shape.shape), steps, lambda t: shape * np.cos(5 * t), True)
        return np.broadcast_to(start, high.shape[1:]), carried(start, steps, lambda t: 0 * start, False), high

    return split(case, inputs, runs, t=np.arange(1, steps + 1) / steps, x=x)


def block(seed, side=32, inputs=10, runs=20):
    """A smoothed source in a cube with a random quadratic part; low fidelity is linear."""
    rng, x = np.random.default_rng(seed), (np.arange(side) + 0.5) / side
    at, wave = np.meshgrid(x, x, x, indexing="ij"), (np.pi * np.arange(side)) ** 2
    squares, axes = wave[:, None, None] + wave[:, None] + wave, (-3, -2, -1)
    smooth = lambda f: idctn(dctn(f, axes=axes) / (1 + 0.02 * squares), axes=axes)

    def case(runs):
        source = waves(rng, at, 0.8)
        noise = [waves(rng, at, 0.6) for _ in range(runs)]
        high = [smooth(source + 0.4 * source**2 * (1 + 0.4 * g) + 0.3 * g) for g in noise]
        return source, smooth(source), np.stack(high)

    return split(case, inputs, runs, z=x, y=x, x=x)


class Heated:
    """Stationary heat on a disc of triangles: -div(k grad u) = 1, u = 0 on the left half of the rim."""

    def __init__(self, around, outwards):
        from skfem import Basis, BilinearForm, ElementTriP1, LinearForm, MeshTri
        from skfem.helpers import dot, grad
        angle, share = 2 * np.pi * np.arange(around) / around, 0.1 + 0.9 * np.linspace(0, 1, outwards)
        points = share[:, None] * np.stack([np.cos(angle), np.sin(angle)])[:, None]
        i, j = (a.ravel() for a in np.meshgrid(np.arange(outwards - 1), np.arange(around), indexing="ij"))
        node = lambda i, j: i * around + j % around
        cells = [[node(i, j), node(i + 1, j), node(i + 1, j + 1)], [node(i, j), node(i + 1, j + 1), node(i, j + 1)]]
        self.mesh = MeshTri(points.reshape(2, -1), np.concatenate(np.array(cells), axis=1))
        self.basis = Basis(self.mesh, ElementTriP1())
        self.load = LinearForm(lambda v, _: 1.0 * v).assemble(self.basis)
        self.form = BilinearForm(lambda u, v, w: w["k"] * dot(grad(u), grad(v)))
        x, y = self.mesh.p
        self.cold = np.flatnonzero((np.hypot(x, y) > 1 - 1e-9) & (x < 0))

    def __call__(self, conductivity):
        """[node] -> the temperature: [node]"""
        from scipy.sparse.linalg import spsolve
        from skfem import condense
        matrix = self.form.assemble(self.basis, k=self.basis.interpolate(conductivity))
        matrix, load, found, inner = condense(matrix, self.load, D=self.cold)
        found[inner] = spsolve(matrix.tocsc(), load, permc_spec="MMD_AT_PLUS_A")
        return found


def mesh(seed, shape=(400, 125), coarse=(50, 13), inputs=20, runs=10):
    """50 000 nodes; the input is the conductivity without its unobserved fluctuations. Low fidelity has 650 nodes."""
    from scipy.interpolate import LinearNDInterpolator
    rng, fine, rough = np.random.default_rng(seed), Heated(*shape), Heated(*coarse)

    def case(runs):
        state = rng.bit_generator.state
        conductivity = np.exp(waves(rng, fine.mesh.p, 1.5))
        again = np.random.default_rng(0)
        again.bit_generator.state = state
        low = rough(np.exp(waves(again, rough.mesh.p, 1.5)))
        # The coarse rim is a polygon inside the fine one, so that fine points are moved inwards.
        low = LinearNDInterpolator(rough.mesh.p.T, low)(0.99 * fine.mesh.p.T)
        low[np.isnan(low)] = 0.0
        high = [fine(conductivity * np.exp(0.5 * waves(rng, fine.mesh.p, 0.7))) for _ in range(runs)]
        return conductivity, low, np.stack(high)

    nodes = fine.mesh.p.shape[1]
    parts = split(case, inputs, runs, point=np.arange(nodes))
    cells = {"points": (["point", "dimension"], fine.mesh.p.T), "cells_triangle": (["cell", "node"], fine.mesh.t.T.astype(np.int64))}
    return [part.drop_vars("point").assign(cells) for part in parts]


def burgers(seed, inputs):
    return generated("burgers", seed, inputs, 50, "--resolution", "64x64", tests=TESTS, truth=100)


CASES = {
    "16x16 points, 400 times": plane_in_time,
    "64 points, 400 times": line_in_time,
    "32x32x32 points": block,
    "mesh of 50 000 nodes": mesh,
    **{f"burgers 64x64, {n} inputs": functools.partial(burgers, inputs=n) for n in (20, 100, 160)},
}


def made(name, seed):
    """The datasets in single precision, as files of solvers often are."""
    single = lambda data: data.map(lambda array: array.astype(np.float32) if array.dtype == np.float64 else array)
    return [single(part) for part in CASES[name](seed)]
