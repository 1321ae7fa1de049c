"""Metrics on arrays agree with their formulas."""

import numpy as np
import pytest

from floral import metrics

rng = np.random.default_rng(5)
MEMBERS, SEEN = rng.normal(size=(40, 3, 7)), rng.normal(size=(5, 3, 7))


def test_crps_is_its_formula():
    distance = np.abs(MEMBERS[:, None] - SEEN).mean()
    pairs = np.abs(MEMBERS[:, None] - MEMBERS[None]).sum((0, 1)).mean() / 2
    np.testing.assert_allclose(metrics.crps(MEMBERS, SEEN), distance - pairs / (40 * 39), rtol=1e-5)
    standard = metrics.crps(MEMBERS, SEEN, fair=False)
    np.testing.assert_allclose(standard, distance - pairs / 40**2, rtol=1e-5)


def test_energy_score_is_its_formula():
    members, seen = MEMBERS.reshape(40, -1), SEEN.reshape(5, -1)

    def rms(a, b):
        return np.sqrt(((a[:, None] - b[None]) ** 2).mean(-1))

    expected = rms(members, seen).mean() - rms(members, members).sum() / (2 * 40 * 39)
    np.testing.assert_allclose(metrics.energy_score(MEMBERS, SEEN), expected, rtol=1e-5)


def test_coverage_of_the_right_distribution_is_the_level():
    members, seen = rng.normal(size=(400, 900)), rng.normal(size=900)
    assert abs(metrics.coverage(members, seen) - 0.9) < 0.03
    both = metrics.coverage(members, seen, [0.5, 0.8])
    assert both.shape == (2,) and abs(both[0] - 0.5) < 0.05
    assert metrics.interval_width(members, seen, 0.5) < metrics.interval_width(members, seen, 0.9)
    assert abs(metrics.spread_skill(members, seen) - 1.0) < 0.1
    histogram = metrics.rank_histogram(members, seen)
    np.testing.assert_allclose(histogram.sum(), 1.0)
    assert metrics.reliability_index(members, seen) < metrics.reliability_index(members / 3, seen)


def test_errors_of_fields_are_their_formulas():
    p, t = SEEN, SEEN[::-1]
    np.testing.assert_allclose(metrics.rmse(p, t), np.sqrt(((p - t) ** 2).mean()))
    np.testing.assert_allclose(metrics.nrmse(p, t), np.sqrt(((p - t) ** 2).sum() / (t**2).sum()))
    norms = np.sqrt(((p - t) ** 2).sum((1, 2)))
    np.testing.assert_allclose(metrics.mean_l2(p, t), norms.mean())
    v, w = p**2, t**2
    expected = np.sqrt(((v - w) ** 2).sum((1, 2))).sum() / np.sqrt((w**2).sum((1, 2))).sum()
    np.testing.assert_allclose(metrics.variance_error(v, w), expected)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="same points"):
        metrics.crps(MEMBERS, SEEN[:, :, :-1])
    with pytest.raises(ValueError, match="but truth"):
        metrics.rmse(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="between 0 and 1"):
        metrics.coverage(MEMBERS, SEEN, 90)
    with pytest.raises(ValueError, match="NaN"):
        metrics.crps(np.full((3, 2), np.nan), np.zeros(2))


def test_the_energy_score_does_not_depend_on_the_order_of_members():
    members = np.random.default_rng(0).normal(size=(500, 1))
    expected = metrics.crps(members, np.zeros((1, 1)))
    for given in (members, np.sort(members, axis=0)):
        np.testing.assert_allclose(metrics.energy_score(given, np.zeros((1, 1))), expected, rtol=0.02)


def test_errors_without_a_value_are_not_type_errors():
    for score in (metrics.rmse, metrics.nrmse, metrics.mean_l2, metrics.variance_error):
        with pytest.raises(ValueError, match="predicted: 1 values are NaN"):
            score([1.0, np.nan], [1.0, 2.0])
    assert metrics.nrmse([1.0, 2.0], [0.0, 0.0]) == np.inf
    assert metrics.nrmse([0.0, 0.0], [0.0, 0.0]) == 0.0
