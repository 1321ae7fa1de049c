"""Simple peers of bench/zoo: functions from a training and a test dataset to mean fields."""

import warnings

import numpy as np

from zoo_scores import simplest


def flat(data):
    """Features of inputs: all values of a channel, or a single one if the channel is constant over the domain."""
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


def scaled_low(train, test):
    """rho low + b, with one rho and one b per channel, fitted by least squares to the mean training solutions."""
    if "low" not in test:
        return None
    fitted = []
    for c in range(train.low.shape[1]):
        x, y = train.low.values[:, c].ravel(), train.high.values.mean(1)[:, c].ravel()
        rho = np.sum((x - x.mean()) * (y - y.mean())) / max(np.sum((x - x.mean()) ** 2), np.finfo(float).tiny)
        fitted.append(y.mean() + rho * (test.low.values[:, c] - x.mean()))
    return np.stack(fitted, 1)


def coordinates(x, at):
    """Features as a few standardised coordinates: their principal components if there are more than twenty."""
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import StandardScaler
    if x.shape[1] > 20:
        reduce = PCA(min(10, len(x) - 1)).fit(x)
        x, at = reduce.transform(x), reduce.transform(at)
    scale = StandardScaler().fit(x)
    return scale.transform(x), scale.transform(at)


def pca_gp(train, test, kept=0.999):
    """Principal components of the mean fields, with a Gaussian process each and a length per feature (scikit-learn)."""
    from sklearn.decomposition import PCA
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    n = len(train.high)
    # Principal components need the same grid for training and testing.
    if n < 4 or train.high.shape[2:] != test.high.shape[2:]:
        return None
    y = train.high.values.mean(1).reshape(n, -1)
    x, at = coordinates(flat(train), flat(test))
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


def mfk(train, test, components=8):
    """SMT's multi-fidelity kriging (MFK) with its default options, on leading principal components of the solution. Low
    fidelity, projected onto the same components, is the lower level; it is known at the test inputs too."""
    from sklearn.decomposition import PCA
    from smt.applications import MFK
    n = len(train.high)
    if "low" not in train or n < 4 or train.high.shape[2:] != test.high.shape[2:]:
        return None
    rows = lambda values: np.asarray(values, float).reshape(len(values), -1)
    solutions, lows = rows(train.high.values.mean(1)), rows(train.low.values)
    features = lambda data: flat(data.drop_vars("low"))
    x, at = coordinates(features(train), features(test))
    basis = PCA(min(components, n - 1)).fit(np.concatenate([solutions, lows]))
    high, low_train, low_test = (basis.transform(part) for part in (solutions, lows, rows(test.low.values)))
    predicted = []
    for k in range(high.shape[1]):
        model = MFK(theta0=[1e-2] * x.shape[1], print_global=False)
        model.set_training_values(np.concatenate([x, at]), np.concatenate([low_train[:, k], low_test[:, k]]), name=0)
        model.set_training_values(x, high[:, k])
        model.train()
        predicted.append(model.predict_values(at)[:, 0])
    return basis.inverse_transform(np.stack(predicted, 1)).reshape(test.high.values[:, 0].shape)


def neuraloperator_fno(train, test, steps=640):
    """The Fourier neural operator of the library neuraloperator with the settings of its Darcy example: 16 modes per axis, 32
    channels, AdamW at 8e-3 with weight decay 1e-4, a cosine decay, H1 loss. It takes 640 steps as in that example,
    whatever the number of inputs. Low fidelity is an input channel; targets are mean fields."""
    import torch
    from neuralop import H1Loss
    from neuralop.models import FNO
    if train.high.shape[2:] != test.high.shape[2:]:
        return None
    torch.manual_seed(0)
    stack = lambda data: np.concatenate([data.input.values] + ([data.low.values] if "low" in data else []), 1)
    tensor = lambda values: torch.tensor(np.asarray(values), dtype=torch.float32)
    x, at, y = tensor(stack(train)), tensor(stack(test)), tensor(train.high.values.mean(1))
    over = (0, *range(2, x.ndim))
    scale = lambda values: (values.mean(over, keepdim=True), values.std(over, keepdim=True) + 1e-12)
    (mx, sx), (my, sy) = scale(x), scale(y)
    x, at, target = (x - mx) / sx, (at - mx) / sx, (y - my) / sy
    axes = x.ndim - 2
    model = FNO(n_modes=(16,) * axes, in_channels=x.shape[1], out_channels=y.shape[1], hidden_channels=32, projection_channel_ratio=2)
    optimiser = torch.optim.AdamW(model.parameters(), lr=8e-3, weight_decay=1e-4)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    loss, batch = H1Loss(d=axes), min(32, len(x))
    for _ in range(steps):
        rows = torch.randperm(len(x))[:batch]
        optimiser.zero_grad()
        loss(model(x[rows]), target[rows]).backward()
        optimiser.step()
        decay.step()
    with torch.no_grad():
        return (model(at) * sy + my).numpy()


# Methods of other libraries, installed from bench/requirements-peers.txt.
PUBLISHED = {"SMT MFK": mfk, "neuraloperator FNO": neuraloperator_fno}
PEERS = {"mean solution": mean_solution, "low": low, "mean residual": mean_residual,
         "scaled low": scaled_low, "PCA + GP": pca_gp}
