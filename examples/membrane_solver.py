"""The low-fidelity solver of membrane.py: `python membrane_solver.py INPUT.npz OUTPUT.npz`.

It reads the load and the coordinates, and solves for the first wave only, at the nominal tension.
"""

import sys

import numpy as np

TENSION, AMBIENT = 2.2e3, 1.0e5


def solve(load, x, y):
    """load: [x, y] in Pa -> deflection in m and pressure in Pa: [channel, x, y]"""
    wave = np.sin(np.pi * x / x[-1])[:, None] * np.sin(np.pi * y / y[-1])
    amplitude = (load * wave).sum() / (wave**2).sum()
    stiffness = TENSION * ((np.pi / x[-1]) ** 2 + (np.pi / y[-1]) ** 2)
    return np.stack([amplitude / stiffness * wave, AMBIENT + load])


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with np.load(source) as given:
        low = solve(given["input"][0], given["x"], given["y"])
    np.savez(target, low=low)
