"""Unbiased means beside MXMCPy: the table on the page that explains them."""

from results import exists, made_by, read, source, table

FILE = "unbiased.json"


def number(value, digits=2):
    """A number in units of 1e-5; empty without one."""
    return "" if value is None else f"{1e5 * value:.{digits}f}"


def section():
    if not exists(FILE):
        return "This comparison has not been recorded."
    made = read(FILE)
    rows = []
    for row in made["rows"]:
        bias = f"{number(row['bias'], 0)} ± {number(row['bias_error'], 0)}"
        variances = (number(row[key], 1) for key in ("variance", "promised", "claimed"))
        rows.append([row["estimator"], str(row["runs"]), str(row["predictions"]), bias, *variances])
    header = ["estimator", "runs", "predictions", "bias", "variance", "promised", "claimed"]
    high, low = made["costs"]
    return f"""The expensive model has two parameters, noise and a known mean; the cheap model is FLORAL-KL fitted to 12 inputs. A run costs
{high:g}, a prediction {low:g}, and the budget is {made['budget']:g}. All numbers are from {made['repetitions']} repetitions, in units of 10^-5; the true mean is {made['truth']:.4f}.
*Predictions* counts all predictions, including those at the runs. *Promised* is the variance that is expected when the budget is split, from a pilot of
{made['pilot']} runs; *claimed* is the mean of the variances that the estimators report. MXMCPy is given the covariance of runs and predictions: either that of the
pilot, or that of the runs from which it estimates. The 90 % interval contains the true mean in {100 * made['coverage_90']:.1f} % of the repetitions.
(`{made['command']}`, {source(FILE)}, MXMCPy {made['versions']['mxmcpy']}, {made_by(FILE)}.)

{table(header, rows)}"""
