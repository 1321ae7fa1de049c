"""The rows of bench/compare: each measures one task, named by the row, by our program and by the peer.

Called by compare.py, which writes the rows. Runs `floral-bench` and peers/measure.py, one process per timing.
"""

import json
import os
import pathlib
import subprocess
import sys

MEASURE = pathlib.Path(__file__).resolve().parent / "peers/measure.py"


def answer(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def ours(*words):
    return answer([os.environ["FLORAL_BENCH"], *words])


def peer(*words):
    return answer([sys.executable, "-W", "ignore", MEASURE, *words])


def smallest(answers):
    """Merges the answers of all rounds: the smallest of each time, the largest peak memory, the last of other values."""
    if answers[-1] is None:
        return None
    merged = dict(answers[-1])
    for key in merged:
        found = [answer[key] for answer in answers if answer.get(key) is not None]
        if found and (key.endswith("_ms") or key == "milliseconds_per_sample"):
            merged[key] = min(found)
        if found and key == "peak_memory":
            merged[key] = max(found)
    return merged


class Comparison:
    def __init__(self, rounds, seconds, compiles=True):
        self.rounds = rounds
        self.seconds = seconds
        #: Whether the form compiled by torch.compile is measured too.
        self.compiles = compiles
        self.peak = 0.0

    def alternate(self, *works):
        """Runs all tasks in turn, once per round."""
        answers = [[] for _ in works]
        for _ in range(self.rounds):
            self.peak = max(self.peak, ours("peak")["gflops"])
            for work, found in zip(works, answers):
                found.append(work())
        return [smallest(found) for found in answers]

    def compiled(self, name, *words):
        return peer(f"{name}-compiled", *words) if self.compiles else None

    def velocity(self, size, batch, target):
        mine, theirs, compiled = self.alternate(
            lambda: ours("work", "velocity", size, batch, 1, self.seconds),
            lambda: peer("velocity", size, batch, self.seconds),
            lambda: self.compiled("velocity", size, batch, self.seconds),
        )
        return [row(f"velocity, {size}, batch {batch}", mine, theirs, compiled, target=target)]

    def training(self, size, batch, inputs, target):
        """Training steps with and without the prior, from which a step draws w0 and the noise of the path."""
        mine, plain, theirs, compiled, drawn = self.alternate(
            lambda: ours("work", "training", size, batch, inputs, self.seconds),
            lambda: ours("work", "training-without-prior", size, batch, inputs, self.seconds),
            lambda: peer("training", size, batch, inputs, self.seconds),
            lambda: self.compiled("training", size, batch, inputs, self.seconds),
            lambda: peer("prior", size, 2 * batch, self.seconds),
        )
        name = training_name(size, batch, inputs)
        share = drawn["batch_ms"] / batch
        more = {"prior_ms": share, "peer_prior_variance": drawn["variance"]}
        return [
            row(name, mine, theirs, compiled, target=target, **more),
            row(f"{name}, without prior", plain, theirs, compiled),
        ]

    def training_without_prior(self, size, batch, inputs, target):
        mine, theirs, compiled = self.alternate(
            lambda: ours("work", "training-without-prior", size, batch, inputs, self.seconds),
            lambda: peer("training", size, batch, inputs, self.seconds),
            lambda: self.compiled("training", size, batch, inputs, self.seconds),
        )
        return [row(f"{training_name(size, batch, inputs)}, without prior", mine, theirs, compiled, target=target)]

    def training_alone(self, size, batch, inputs, target):
        """A batch for which the peer would need too much memory: only ours is measured."""
        [mine] = self.alternate(lambda: ours("work", "training", size, batch, inputs, self.seconds))
        return [row(training_name(size, batch, inputs), mine, target=target)]

    def prior(self, size, batch, target):
        mine, drawn = self.alternate(
            lambda: ours("work", "prior", size, batch, 1, self.seconds),
            lambda: peer("prior", size, batch, self.seconds),
        )
        more = {"prior_ms": drawn["batch_ms"] / batch, "peer_prior_variance": drawn["variance"]}
        nothing = {"published_ms": 0.0, "hoisted_ms": 0.0}
        return [row(f"prior, {size}, batch {batch}", mine, nothing, target=target, **more)]

    def sampling(self, size, count, file, target):
        """Sampling, from an input to its realizations, prior included."""
        mine, theirs, compiled, drawn = self.alternate(
            lambda: ours("work", "sampling", size, count, 1, 0),
            lambda: peer("sampling", file, count),
            lambda: self.compiled("sampling", file, count),
            lambda: peer("prior", size, count, 0),
        )
        more = {"prior_ms": drawn["batch_ms"] / count, "peer_prior_variance": drawn["variance"]}
        more |= {"evaluations": mine["evaluations"], "peer_evaluations": theirs["evaluations"]}
        name = f"{count} realizations, {size}, dopri5 1e-5"
        return [row(name, mine, theirs, compiled, target=target, **more)]


def training_name(size, batch, inputs):
    return f"training step, {size}, batch {batch} of {inputs} inputs"


def row(name, mine, theirs=None, compiled=None, prior_ms=0.0, target="", **more):
    """A row in milliseconds per sample; `prior_ms`, the time of the peer's prior, is the same in every form."""
    times = {"published": (theirs or {}).get("published_ms"), "hoisted": (theirs or {}).get("hoisted_ms")}
    times["compiled"] = (compiled or {}).get("compiled_ms")
    found = {"row": name, "ours_ms": mine["milliseconds_per_sample"]}
    for form, time in times.items():
        if time is not None:
            found[f"peer_{form}_ms"] = time + prior_ms
            found[f"ratio_{form}"] = (time + prior_ms) / found["ours_ms"]
    if compiled:
        found["compiler"] = {key: value for key, value in compiled.items() if key not in ("compiled_ms", "threads")}
    found |= {"peak_memory": mine.get("peak_memory"), "gflop_per_sample": mine.get("gflop_per_sample")}
    return {**found, "target": target, **more}
