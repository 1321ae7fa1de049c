"""Unbiased means by floral.unbiased_mean beside MXMCPy's multifidelity Monte Carlo, on one pair of models.

    bench/unbiased [--repetitions 1000] [--seed 551]

The expensive model is y = load^2 exp(-stiffness / 2) + 0.25 z with load uniform in .5 to 1.5, stiffness in 0 to 2 and z
standard normal, so that its mean is 13/12 (1 - 1/e). The cheap one is FLORAL-KL fitted to 12 inputs with 2 runs each. A run
costs 100, a prediction 4, and the budget is 2000. A pilot of 2000 runs determines how to split it: by `split` of
floral.unbiased_mean, and by MXMCPy's Optimizer, algorithm "mfmc", from the covariance of the pilot. Every repetition draws runs and
inputs, and each estimator takes as many of the first ones as its split has. MXMCPy estimates twice: with the covariance of
the pilot, and with that of the repetition's own runs, which is all that floral.unbiased_mean uses. For comparison, the budget is
spent on runs alone, and the prediction is used alone.

`bias` is the mean of the estimates minus the truth, `bias_error` its standard error, `variance` that of the estimates.
`promised` is the variance expected when the budget is split, `claimed` the mean of the variances that the estimators report.
"""

import argparse
import datetime
import os
from importlib.metadata import version

import floral
import numpy as np
from mxmc.estimator import Estimator
from mxmc.optimizer import Optimizer

from results import commit, program_version, write

TRUTH = 13 / 12 * (1 - np.exp(-1))
NOISE, COSTS, BUDGET = 0.25, (100.0, 4.0), 2000.0
FITTED, RUNS, PILOT = 12, 2, 2000


class Drawn:
    """Inputs of the models, and solutions of the expensive one: [input, run]."""

    def __init__(self, load, stiffness, runs):
        self.load, self.stiffness, self.runs = load, stiffness, runs

    @classmethod
    def of(cls, rng, count, runs=1):
        load, stiffness = rng.uniform(0.5, 1.5, count), rng.uniform(0, 2, count)
        mean = load**2 * np.exp(-0.5 * stiffness)
        return cls(load, stiffness, mean[:, None] + NOISE * rng.normal(size=(count, runs)))

    def __getitem__(self, part):
        return Drawn(self.load[part], self.stiffness[part], self.runs[part])

    def parameters(self):
        return {"load": self.load, "stiffness": self.stiffness}

    def dataset(self):
        return floral.Dataset.from_arrays(parameters=self.parameters(), high=self.runs)

    def predicted(self, model):
        """The cheap model's mean at each input."""
        return model.sample(parameters=self.parameters(), realizations=2, progress=False).mean.ravel()


def of_floral(model, runs, pool):
    """The estimate of floral.unbiased_mean of the mean over inputs."""
    costs = {"cost_high": COSTS[0], "cost_low": COSTS[1], "budget": BUDGET}
    found = floral.unbiased_mean(model, runs.dataset(), pool.dataset(), "mean(u)", **costs, progress=False)
    return found["quantities"][0]


def covariance(runs, predicted):
    return np.cov(np.stack([runs.runs[:, 0], predicted]))


class Splits:
    """The splits of the budget by both programs, from the same pilot."""

    def __init__(self, model, rng):
        pilot, pool = Drawn.of(rng, PILOT), Drawn.of(rng, PILOT)
        own = of_floral(model, pilot, pool)
        self.correlation, split = own["correlation"], own["split"]
        runs = int(split["runs"])
        self.floral = [runs, int(runs + split["pool"])]
        self.floral_promised = split["standard_error"] ** 2
        self.covariance = covariance(pilot, pilot.predicted(model))
        best = Optimizer(np.array(COSTS), self.covariance).optimize("mfmc", BUDGET)
        self.allocation, self.mxmcpy_promised = best.allocation, float(best.variance)
        self.mxmcpy = [int(count) for count in best.allocation.get_number_of_samples_per_model()]
        self.alone = int(BUDGET / COSTS[0])
        self.alone_promised = self.covariance[0, 0] / self.alone


def repetition(model, splits, rng):
    """The estimate of each estimator and the variance that it reports."""
    drawn = Drawn.of(rng, max(splits.floral[1], splits.mxmcpy[1], splits.alone))
    runs, inputs = splits.floral
    own = of_floral(model, drawn[:runs], drawn[runs:inputs])
    runs, inputs = splits.mxmcpy
    predicted = drawn[:inputs].predicted(model)
    outputs = [drawn.runs[:runs, 0], predicted]
    estimators = [Estimator(splits.allocation, given) for given in (splits.covariance, covariance(drawn[:runs], predicted[:runs]))]
    alone = drawn.runs[: splits.alone, 0]
    return {
        "floral.unbiased_mean": (own["mean"], own["standard_error"] ** 2),
        "MXMCPy, covariance of the pilot": (estimators[0].get_estimate(outputs), estimators[0].approximate_variance),
        "MXMCPy, covariance of its runs": (estimators[1].get_estimate(outputs), estimators[1].approximate_variance),
        "runs alone": (alone.mean(), alone.var(ddof=1) / len(alone)),
        "predictions alone": (own["predicted"], None),
    }, own["interval"][0] <= TRUTH <= own["interval"][1]


def row(estimator, found, splits):
    values, claimed = zip(*found)
    facts = {
        "floral.unbiased_mean": (splits.floral, splits.floral_promised),
        "runs alone": ([splits.alone, 0], splits.alone_promised),
        "predictions alone": ([0, splits.floral[1] - splits.floral[0]], None),
    }
    (runs, predictions), promised = facts.get(estimator, (splits.mxmcpy, splits.mxmcpy_promised))
    variance = np.var(values, ddof=1)
    return {
        "estimator": estimator, "runs": runs, "predictions": predictions, "bias": np.mean(values) - TRUTH,
        "bias_error": np.sqrt(variance / len(values)), "variance": variance, "promised": promised,
        "claimed": None if claimed[0] is None else np.mean(claimed),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=551)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    model = floral.fit(Drawn.of(rng, FITTED, RUNS).dataset(), test=0, progress=False)
    splits = Splits(model, rng)
    found, held = {}, 0
    for _ in range(asked.repetitions):
        estimates, holds = repetition(model, splits, rng)
        held += holds
        for estimator, one in estimates.items():
            found.setdefault(estimator, []).append(one)
    rows = [row(estimator, values, splits) for estimator, values in found.items()]
    for one in rows:
        print({key: round(value, 6) if isinstance(value, float) else value for key, value in one.items()})
    write("unbiased.json", {
        "date": datetime.date.today().isoformat(), "command": f"bench/unbiased --repetitions {asked.repetitions} --seed {asked.seed}",
        "commit": commit(), "method_version": program_version(), "cores": os.cpu_count(), "spent_seeds": [asked.seed],
        "versions": {name: version(name) for name in ("mxmcpy", "numpy", "torch")}, "truth": TRUTH, "costs": COSTS, "budget": BUDGET,
        "repetitions": asked.repetitions, "pilot": PILOT, "correlation": splits.correlation, "coverage_90": held / asked.repetitions, "rows": rows,
    })


if __name__ == "__main__":
    main()
