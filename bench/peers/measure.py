"""One timing of the peer: `python measure.py WORK ...` prints one JSON line.

    velocity SIZE BATCH SECONDS
    training SIZE BATCH INPUTS SECONDS
    prior SIZE FIELDS SECONDS
    sampling REFERENCE-FILE REALIZATIONS
    parity FIXTURE | REFERENCE-FILE

Every figure is the best of the rounds that fit into SECONDS, at least one after a first that warms
up; a first round that takes longer than that counts itself.
"""

import json
import os
import sys
import time

import torch
from safetensors.torch import load_file
from torchdiffeq import odeint

import prior
import weights
from network import FilmFno, select

PATH_WIDTH = 1e-5


def best(work, seconds):
    begun = time.perf_counter()
    work()
    times, first = [], time.perf_counter() - begun
    while time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times, default=first)


def shape(size):
    return [int(n) for n in size.split("x")]


def network_for(grid):
    torch.manual_seed(0)
    return FilmFno([n // 2 for n in grid])


def velocity(size, batch, seconds):
    grid, batch = shape(size), int(batch)
    network = network_for(grid)
    w, tau = torch.randn(batch, 1, *grid), torch.rand(batch)
    condition = torch.randn(1, 2, *grid)
    with torch.no_grad():
        repeated = condition.expand(batch, -1, *grid)
        published = best(lambda: network(w, tau, repeated), float(seconds))
        context = network.condition(condition)
        hoisted = best(lambda: network.velocity(w, tau, context), float(seconds))
    return {"published_ms": 1e3 * published / batch, "hoisted_ms": 1e3 * hoisted / batch}


def training(size, batch, inputs, seconds):
    """A step without its prior: path, forward, loss, backward, clipping, Adam."""
    grid, batch, inputs = shape(size), int(batch), int(inputs)
    network = network_for(grid)
    adam = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=1e-4)
    conditions = torch.randn(min(inputs, batch), 2, *grid)
    rows = torch.arange(batch) % len(conditions)
    target = torch.randn(batch, 1, *grid)
    start, noise = torch.randn(2, batch, 1, *grid)

    def step(hoisted):
        tau = torch.rand(batch)
        t = tau.reshape(-1, *[1] * (target.ndim - 1))
        length = (target - start).square().flatten(1).mean(1).sqrt().reshape(t.shape)
        state = (1 - t) * start + t * target + PATH_WIDTH * length * noise
        adam.zero_grad()
        if hoisted:
            context = select(network.condition(conditions), rows)
            found = network.velocity(state, tau, context)
        else:
            found = network(state, tau, conditions[rows])
        error = (found - (target - start)).square().flatten(1).mean(1)
        ((1 + 2 * tau**2) * error).mean().backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        adam.step()

    published = best(lambda: step(False), float(seconds))
    hoisted = best(lambda: step(True), float(seconds))
    return {"published_ms": 1e3 * published / batch, "hoisted_ms": 1e3 * hoisted / batch}


def draw_prior(size, fields, seconds):
    """Milliseconds of the whole batch."""
    grid, fields = shape(size), int(fields)
    milliseconds = 1e3 * best(lambda: prior.draw(grid, fields), float(seconds))
    return {"batch_ms": milliseconds}


def load_ours(file):
    """Network, w, tau and condition of a file written by floral-bench."""
    tensors = load_file(file)
    network = network_for(tensors["in.w"].shape[2:])
    return weights.from_ours(network, tensors), tensors


def sampling(file, realizations):
    """Per realization, without the prior: dopri5 over the batch, tolerances 1e-5."""
    network, tensors = load_ours(file)
    count, grid = int(realizations), tensors["in.w"].shape[2:]
    condition = tensors["in.condition"]
    start = torch.randn(count, 1, *grid)
    evaluations = 0

    def integrate(evaluate):
        nonlocal evaluations
        evaluations = 0

        def rate(tau, state):
            nonlocal evaluations
            evaluations += 1
            return evaluate(state, tau.expand(count))

        begun = time.perf_counter()
        odeint(rate, start, torch.tensor([0.0, 1.0]), method="dopri5", rtol=1e-5, atol=1e-5)
        return 1e3 * (time.perf_counter() - begun) / count

    with torch.no_grad():
        repeated = condition.expand(count, -1, *grid)
        network(start, torch.rand(count), repeated)
        published = integrate(lambda w, tau: network(w, tau, repeated))
        context = network.condition(condition)
        hoisted = integrate(lambda w, tau: network.velocity(w, tau, context))
    return {"published_ms": published, "hoisted_ms": hoisted, "evaluations": evaluations}


def parity(file):
    """Largest difference to the stored velocity, relative to its largest value."""
    tensors = load_file(file)
    if "weight.lift.hidden.weight" in tensors:
        network, _ = load_ours(file)
        condition = tensors["in.condition"].expand(len(tensors["in.w"]), -1, *tensors["in.w"].shape[2:])
    else:
        modes = list(tensors["weight.field.linear_operator.K.weight.tensor.re"].shape[2:])
        modes[-1] = 2 * (modes[-1] - 1)
        first = tensors["weight.field.cond_lifting_film.film.network.0.weight"]
        network = FilmFno(modes, hidden=first.shape[1], film=first.shape[0])
        weights.from_reference(network, tensors)
        condition = torch.cat([tensors["in.condition"], tensors["in.low"]], dim=1)
    with torch.no_grad():
        found = network(tensors["in.w"], tensors["in.tau"].flatten(), condition)
    expected = tensors["out.velocity"]
    return {"error": ((found - expected).abs().max() / expected.abs().max()).item()}


WORKS = {
    "velocity": velocity,
    "training": training,
    "prior": draw_prior,
    "sampling": sampling,
    "parity": parity,
}

if __name__ == "__main__":
    torch.set_num_threads(os.cpu_count())
    name, *words = sys.argv[1:]
    print(json.dumps({**WORKS[name](*words), "threads": torch.get_num_threads()}))
