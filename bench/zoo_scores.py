"""Scores of bench/zoo: errors of the predicted mean, spread, distribution and dependence."""

import numpy as np


def simplest(train, test):
    """The mean training solution, interpolated to the grid of the test inputs: [channel, axes]."""
    mean = train.high.mean(("input", "realization"))
    axes = [dim for dim in mean.dims if dim != "channel"]
    if all(train.sizes[axis] == test.sizes[axis] for axis in axes):
        return mean.values
    return mean.interp({axis: test[axis] for axis in axes}, kwargs={"fill_value": "extrapolate"}).values


def of_mean(mean, train, test):
    """`error`: root mean square error relative to that of predicting the mean training solution. `relative`: relative L2
    error averaged over test inputs. `nrmse`: relative L2 error pooled over inputs, as in the paper."""
    truth = test.high.values.mean(1)
    axes = tuple(range(1, truth.ndim))
    norm = lambda field: np.sqrt((field**2).sum(axes))
    return {
        "error": float(np.sqrt(((mean - truth) ** 2).mean() / ((truth - simplest(train, test)) ** 2).mean())),
        "l2": float(norm(mean - truth).mean()),
        "nrmse": float(np.sqrt(((mean - truth) ** 2).mean() / (truth**2).mean())),
        "relative": float((norm(mean - truth) / norm(truth)).mean()),
    }


def coverage(found, test):
    """The share of test realizations in the 90 % interval: over all inputs, and for the worst input."""
    truth = test.high.values
    low, high = (found.quantiles.sel(quantile=q, method="nearest").values for q in (0.05, 0.95))
    inside = (truth >= low[:, None] - 1e-12) & (truth <= high[:, None] + 1e-12)
    # Single runs do not show whether a value is fixed.
    varies = truth.std(1) > 0 if truth.shape[1] > 1 else np.ones_like(truth[:, 0], bool)
    held = np.array([inside[i][:, varies[i]].mean() if varies[i].any() else np.nan for i in range(len(truth))])
    return {"coverage": float(np.nanmean(held)), "worst": float(np.nanmin(held))}


def variances(found, test):
    """Relative errors of the aleatoric variance and of the drawn variance: the mean norm of the difference over the mean norm
    of the truth, as in the paper, so that inputs with almost no spread do not dominate. `variance_floor` is the part that
    the truth's finite number of runs contributes, from the difference between its two halves."""
    runs = test.high.values
    truth, half = runs.var(1, ddof=1), runs.shape[1] // 2
    axes = tuple(range(1, truth.ndim))
    norm = lambda field: np.sqrt((field**2).sum(axes)).mean()
    over = lambda difference: float(norm(difference) / norm(truth)) if norm(truth) > 0 else None
    row = {"variance": over(found.aleatoric.values - truth), "total_variance": over(found["std"].values ** 2 - truth)}
    if half > 1:
        apart = runs[:, :half].var(1, ddof=1) - runs[:, half : 2 * half].var(1, ddof=1)
        # Each half has twice the error variance of the whole, so their difference has twice the error.
        row["variance_floor"] = over(apart / 2)
    return row


def energy(draws, truth):
    """Energy score of draws [n, ...] at truth [m, ...]."""
    draws, truth = draws.reshape(len(draws), -1), truth.reshape(len(truth), -1)
    apart = lambda a, b: np.sqrt(np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T, 0))
    n = len(draws)
    return apart(draws, truth).mean() - apart(draws, draws).sum() / (2 * n * (n - 1))


def variogram(draws, truth):
    """Variogram score of order 1/2 between grid neighbours, averaged over pairs and truths (Scheuerer & Hamill, Monthly
    Weather Review 143, 2015): it is sensitive to roughness and dependence, the energy score hardly. draws: [n, channel,
    axes], truth: [m, channel, axes]."""
    squares = []
    for axis in range(2, truth.ndim):
        steps = [np.sqrt(np.abs(np.diff(fields, axis=axis))) for fields in (draws, truth)]
        squares.append(((steps[1] - steps[0].mean(0)) ** 2).ravel())
    return float(np.concatenate(squares).mean())


def excesses(found, test):
    """Energy and variogram score relative to those of one half of the true runs at the other half, minus 1."""
    draws, truth = found.realizations.values, test.high.values
    half, row = truth.shape[1] // 2, {}
    for name, score in (("energy_excess", energy), ("variogram_excess", variogram)):
        ours = np.mean([score(draws[i], truth[i]) for i in range(len(truth))])
        floor = np.mean([score(truth[i, :half], truth[i, half:]) for i in range(len(truth))])
        row[name] = float(ours / floor - 1) if floor > 0 else None
    return row


def scored(found, train, test):
    row = of_mean(found["mean"].values, train, test)
    if "aleatoric" not in found:
        return row
    row |= coverage(found, test)
    if test.sizes["realization"] > 1:
        row |= variances(found, test) | excesses(found, test)
    return row
