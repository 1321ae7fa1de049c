"""Means without bias beside MXMCPy: a table on the page that explains them."""

from results import exists, made_by, read, source, table

FILE = "unbiased.json"


def number(value, digits=2):
    """In hundred-thousandths, or nothing."""
    return "" if value is None else f"{1e5 * value:.{digits}f}"


def section():
    if not exists(FILE):
        return "It has not been recorded."
    made = read(FILE)
    rows = []
    for row in made["rows"]:
        bias = f"{number(row['bias'], 0)} ± {number(row['bias_error'], 0)}"
        variances = (number(row[key], 1) for key in ("variance", "promised", "claimed"))
        rows.append([row["estimator"], str(row["runs"]), str(row["predictions"]), bias, *variances])
    header = ["estimator", "runs", "predictions", "bias", "variance", "promised", "claimed"]
    high, low = made["costs"]
    return f"""An expensive model of two parameters with noise, whose mean is known, and FLORAL-KL fitted to 12 inputs as the cheap one; a run costs
{high:g}, a prediction {low:g}, and there is a budget of {made['budget']:g}. {made['repetitions']} repetitions; all numbers in units of 10^-5, the true mean is {made['truth']:.4f}.
*Predictions* are all of them, at the runs too. *Promised* is the variance that the split of the budget expects from a pilot of {made['pilot']} runs, *claimed* the
mean of the variances that estimates state of themselves. MXMCPy is given the covariance of runs and predictions: that of the pilot, or of
the runs that it estimates from. The interval of 90 % holds the true mean in {100 * made['coverage_90']:.1f} % of the repetitions.
(`{made['command']}`, {source(FILE)}, MXMCPy {made['versions']['mxmcpy']}, {made_by(FILE)}.)

{table(header, rows)}"""
