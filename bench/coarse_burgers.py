"""Pseudo-spectral solver of Burgers' equation without noise on 32 points, up to time 1: the low fidelity of bench/outside.

    coarse_burgers.py INPUT.npz OUTPUT.npz
"""

import sys

import numpy as np

COARSE, STEPS, VISCOSITY = 32, 200, 0.1
WAVES = np.fft.rfftfreq(COARSE, 1 / COARSE)
KEPT = WAVES < COARSE / 3


def slope(state):
    u = np.fft.irfft(state * KEPT)
    return -0.5j * WAVES * np.fft.rfft(u * u) - VISCOSITY * WAVES**2 * state


def solved(u):
    """The solution on the fine grid, [x]: the coarse solution is interpolated by its Fourier modes."""
    state, step = np.fft.rfft(u[:: len(u) // COARSE]), 1 / STEPS
    for _ in range(STEPS):
        a = slope(state)
        b = slope(state + step / 2 * a)
        c = slope(state + step / 2 * b)
        d = slope(state + step * c)
        state = state + step / 6 * (a + 2 * b + 2 * c + d)
    state[-1] = 0
    return np.fft.irfft(state, len(u)) * len(u) / COARSE


if __name__ == "__main__":
    with np.load(sys.argv[1]) as given:
        np.savez(sys.argv[2], low=solved(given["input"].reshape(-1).astype(float)))
