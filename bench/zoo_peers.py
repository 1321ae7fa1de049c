"""Simple peers of bench/zoo, each a function of a training and a test dataset that gives mean fields."""

import warnings

import numpy as np

from zoo_scores import simplest


def flat(data):
    """Features of inputs: fields, or one number for a channel that is constant over the domain."""
    values = data.input.values
    channels = []
    for c in range(values.shape[1]):
        field = values[:, c].reshape(len(values), -1)
        channels.append(field[:, :1] if np.ptp(field, axis=1).max() == 0 else field)
    if "low" in data:
        channels.append(data.low.values.reshape(len(values), -1))
    return np.concatenate(channels, 1)


def mean_solution(train, test):
    return np.broadcast_to(simplest(train, test), test.high.values[:, 0].shape)


def low(train, test):
    return test.low.values if "low" in test else None


def mean_residual(train, test):
    if "low" not in test:
        return None
    if train.low.shape[1:] != test.low.shape[1:]:
        return None
    return test.low.values + (train.high.values.mean(1) - train.low.values).mean(0)


def pca_gp(train, test, kept=0.999):
    """scikit-learn: principal components of the mean fields, a Gaussian process each, a length for every feature."""
    from sklearn.decomposition import PCA
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.preprocessing import StandardScaler
    n = len(train.high)
    # Principal components live on one grid.
    if n < 4 or train.high.shape[2:] != test.high.shape[2:]:
        return None
    y = train.high.values.mean(1).reshape(n, -1)
    x, at = flat(train), flat(test)
    if x.shape[1] > 20:
        reduce = PCA(min(10, n - 1)).fit(x)
        x, at = reduce.transform(x), reduce.transform(at)
    scale = StandardScaler().fit(x)
    x, at = scale.transform(x), scale.transform(at)
    components = PCA(min(kept, n - 1) if n > 2 else 1, svd_solver="full").fit(y)
    scores, out = components.transform(y), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(min(scores.shape[1], 12)):
            kernel = ConstantKernel() * RBF(np.ones(x.shape[1])) + WhiteKernel(1e-2)
            model = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=1, random_state=0)
            out.append(model.fit(x, scores[:, k]).predict(at))
    out = np.stack(out, 1)
    fields = components.mean_ + out @ components.components_[: out.shape[1]]
    return fields.reshape(test.high.values[:, 0].shape)


PEERS = {"mean solution": mean_solution, "low": low, "mean residual": mean_residual, "PCA + GP": pca_gp}
