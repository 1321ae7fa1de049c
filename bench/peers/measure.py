"""One timing of the peer: `python measure.py WORK ...` prints one JSON line.

    velocity SIZE BATCH SECONDS
    training SIZE BATCH INPUTS SECONDS
    prior SIZE FIELDS SECONDS
    sampling REFERENCE-FILE REALIZATIONS
    velocity-compiled, training-compiled, sampling-compiled      the hoisted form by torch.compile
    parity FILES       each a fixture or a reference file

Every figure is the best of the rounds that fit into SECONDS, at least one, after a first that warms
up and never counts. All is eager but for the works whose name says compiled. FLORAL_BENCH_THREADS is the
number of threads; with one, times are those of the processor, to which other programs do not add.
"""

import json
import os
import sys
import time

import torch
from safetensors.torch import load_file
from torchdiffeq import odeint

import compiled
import prior
import weights
from network import FilmFno, select

PATH_WIDTH = 1e-5
THREADS = int(os.environ.get("FLORAL_BENCH_THREADS", os.cpu_count()))
CLOCK = time.process_time if THREADS == 1 else time.perf_counter


def best(work, seconds):
    """Seconds of the fastest call but the first."""
    work()
    begun, times = time.perf_counter(), []
    while not times or time.perf_counter() - begun < float(seconds):
        start = CLOCK()
        work()
        times.append(CLOCK() - start)
    return min(times)


def shape(size):
    return [int(n) for n in size.split("x")]


def network_for(grid):
    torch.manual_seed(0)
    return FilmFno([n // 2 for n in grid])


class Velocity:
    """A batch of states of one input."""

    def __init__(self, size, batch):
        grid, self.batch = shape(size), int(batch)
        self.network = network_for(grid)
        self.w, self.tau = torch.randn(self.batch, 1, *grid), torch.rand(self.batch)
        self.condition = torch.randn(1, 2, *grid)

    def published(self):
        return self.network(self.w, self.tau, self.condition.expand(self.batch, *self.condition.shape[1:]))

    def hoisted(self, evaluate=None):
        """The rest of the work, once the coefficients are there."""
        context = self.network.condition(self.condition)
        evaluate = evaluate or self.network.velocity
        return lambda: evaluate(self.w, self.tau, context)


def velocity(size, batch, seconds):
    case = Velocity(size, batch)
    with torch.no_grad():
        times = {"published_ms": best(case.published, seconds), "hoisted_ms": best(case.hoisted(), seconds)}
    return {key: 1e3 * value / case.batch for key, value in times.items()}


def velocity_compiled(size, batch, seconds):
    case = Velocity(size, batch)
    with torch.no_grad():
        run = case.hoisted(torch.compile(case.network.velocity, dynamic=False))
        return compiled.report(run, lambda: 1e3 * best(run, seconds) / case.batch)


class Training:
    """A step without its prior: path, forward, loss, backward, clipping, Adam."""

    def __init__(self, size, batch, inputs):
        grid, self.batch = shape(size), int(batch)
        self.network = network_for(grid)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=1e-3, weight_decay=1e-4)
        self.conditions = torch.randn(min(int(inputs), self.batch), 2, *grid)
        self.rows = torch.arange(self.batch) % len(self.conditions)
        self.target = torch.randn(self.batch, 1, *grid)
        self.start, self.noise = torch.randn(2, self.batch, 1, *grid)

    def published(self, state, tau):
        return self.network(state, tau, self.conditions[self.rows])

    def hoisted(self, state, tau):
        context = select(self.network.condition(self.conditions), self.rows)
        return self.network.velocity(state, tau, context)

    def step(self, evaluate):
        tau = torch.rand(self.batch)
        t = tau.reshape(-1, *[1] * (self.target.ndim - 1))
        way = self.target - self.start
        length = way.square().flatten(1).mean(1).sqrt().reshape(t.shape)
        state = (1 - t) * self.start + t * self.target + PATH_WIDTH * length * self.noise
        self.adam.zero_grad()
        error = (evaluate(state, tau) - way).square().flatten(1).mean(1)
        ((1 + 2 * tau**2) * error).mean().backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.adam.step()

    def milliseconds(self, evaluate, seconds):
        return 1e3 * best(lambda: self.step(evaluate), seconds) / self.batch


def training(size, batch, inputs, seconds):
    case = Training(size, batch, inputs)
    forms = {"published_ms": case.published, "hoisted_ms": case.hoisted}
    return {key: case.milliseconds(form, seconds) for key, form in forms.items()}


def training_compiled(size, batch, inputs, seconds):
    case = Training(size, batch, inputs)
    evaluate = torch.compile(case.hoisted, dynamic=False)
    return compiled.report(lambda: case.step(evaluate), lambda: case.milliseconds(evaluate, seconds))


def draw_prior(size, fields, seconds):
    """Milliseconds of the whole batch, and the variance its fields have where 1 is asked for."""
    grid, fields = shape(size), int(fields)
    milliseconds = 1e3 * best(lambda: prior.draw(grid, fields), seconds)
    return {"batch_ms": milliseconds, "variance": prior.draw(grid, fields).square().mean().item()}


def load_ours(file):
    """Network, w, tau and condition of a file written by floral-bench."""
    tensors = load_file(file)
    network = network_for(tensors["in.w"].shape[2:])
    return weights.from_ours(network, tensors), tensors


class Sampling:
    """Realizations without their prior: dopri5 over the batch, tolerances 1e-5."""

    def __init__(self, file, realizations):
        self.network, tensors = load_ours(file)
        self.count, grid = int(realizations), tensors["in.w"].shape[2:]
        self.condition = tensors["in.condition"]
        self.repeated = self.condition.expand(self.count, -1, *grid)
        self.start = torch.randn(self.count, 1, *grid)
        self.evaluations = 0

    def milliseconds(self, evaluate):
        """Of a realization, after one evaluation that warms up."""
        evaluate(self.start, torch.rand(self.count))
        self.evaluations = 0

        def rate(tau, state):
            self.evaluations += 1
            return evaluate(state, tau.expand(self.count))

        begun = CLOCK()
        odeint(rate, self.start, torch.tensor([0.0, 1.0]), method="dopri5", rtol=1e-5, atol=1e-5)
        return 1e3 * (CLOCK() - begun) / self.count

    def published(self, w, tau):
        return self.network(w, tau, self.repeated)

    def hoisted(self, evaluate=None):
        context = self.network.condition(self.condition)
        evaluate = evaluate or self.network.velocity
        return lambda w, tau: evaluate(w, tau, context)


def sampling(file, realizations):
    case = Sampling(file, realizations)
    with torch.no_grad():
        times = {
            "published_ms": case.milliseconds(case.published),
            "hoisted_ms": case.milliseconds(case.hoisted()),
        }
    return {**times, "evaluations": case.evaluations}


def sampling_compiled(file, realizations):
    case = Sampling(file, realizations)
    with torch.no_grad():
        evaluate = case.hoisted(torch.compile(case.network.velocity, dynamic=False))
        run = lambda: evaluate(case.start, torch.rand(case.count))
        return compiled.report(run, lambda: case.milliseconds(evaluate))


def parity(*files):
    return {"errors": [error_in(file) for file in files]}


def error_in(file):
    """Largest difference to the stored velocity, relative to its largest value."""
    tensors = load_file(file)
    if "weight.lift.hidden.weight" in tensors:
        network, _ = load_ours(file)
        condition = tensors["in.condition"].expand(len(tensors["in.w"]), -1, *tensors["in.w"].shape[2:])
    else:
        modes = list(tensors["weight.field.linear_operator.K.weight.tensor.re"].shape[2:])
        modes[-1] = 2 * (modes[-1] - 1)
        first = tensors["weight.field.cond_lifting_film.film.network.0.weight"]
        layers = sum("cond_fno_film" in name and name.endswith("network.0.weight") and name.startswith("weight.") for name in tensors)
        network = FilmFno(modes, hidden=first.shape[1], film=first.shape[0], layers=layers)
        weights.from_reference(network, tensors)
        condition = torch.cat([tensors["in.condition"], tensors["in.low"]], dim=1)
    with torch.no_grad():
        found = network(tensors["in.w"], tensors["in.tau"].flatten(), condition)
    expected = tensors["out.velocity"]
    return ((found - expected).abs().max() / expected.abs().max()).item()


WORKS = {
    "velocity": velocity,
    "velocity-compiled": velocity_compiled,
    "training": training,
    "training-compiled": training_compiled,
    "prior": draw_prior,
    "sampling": sampling,
    "sampling-compiled": sampling_compiled,
    "parity": parity,
}

if __name__ == "__main__":
    torch.set_num_threads(THREADS)
    name, *words = sys.argv[1:]
    print(json.dumps({**WORKS[name](*words), "threads": torch.get_num_threads()}))
