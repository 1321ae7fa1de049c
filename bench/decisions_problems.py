"""The problems of bench/decisions: pools of inputs, a quantity, and a solver without other imports than NumPy."""

import numpy as np


class Front:
    """A front whose position is nonlinear in one of two parameters; most inputs of the pool barely move it."""

    quantity = "q = max(u)"

    def pool(self, rng, count):
        return np.stack([rng.beta(1.0, 4.0, count), rng.uniform(0, 1, count)], 1)

    def mean(self, p, x):
        return np.exp(-0.5 * ((x - 0.2 - 0.6 * p[1]) / 0.1) ** 2) * (1 + 3 * np.tanh(6 * (p[0] - 0.4)) + p[1])

    def solve(self, field, rng, realizations):
        x = np.linspace(0, 1, 32)
        return self.mean(field[:, 0], x) + 0.02 * rng.normal(size=(realizations, 1))


class Wave(Front):
    """A wave whose frequency grows with the parameter: it varies most at one end of the pool."""

    quantity = "q = at(u, 0.75)"

    def pool(self, rng, count):
        return np.stack([rng.uniform(0, 1, count), rng.uniform(0.5, 1, count)], 1)

    def mean(self, p, x):
        return p[1] * np.sin(9 * p[0] ** 2 * x)


class Four(Front):
    """Four parameters; two of them matter for the quantity."""

    quantity = "q = mean(u)"

    def pool(self, rng, count):
        return rng.uniform(0, 1, (count, 4))

    def mean(self, p, x):
        return np.sin(4 * p[0]) + 2 * (p[1] - 0.5) ** 2 * x + 0.2 * p[2] * np.sin(2 * np.pi * x)


PROBLEMS = {"front": Front(), "wave": Wave(), "four": Four()}
