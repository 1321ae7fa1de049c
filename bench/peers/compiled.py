"""What torch.compile made of a function: its time, or why there is none; called by measure.py."""

import time

import torch
from torch._dynamo.utils import counters

# Calls within which a compiler that specialises again and again has to come to an end.
CALLS = 5


def graphs_and_breaks():
    return counters["stats"].get("unique_graphs", 0), sum(counters["graph_break"].values())


def warm_up(run):
    """Calls until one of them compiles nothing."""
    for _ in range(CALLS):
        before = graphs_and_breaks()
        run()
        if graphs_and_breaks() == before:
            return


def report(run, milliseconds):
    """{"compiled_ms"} as `milliseconds()` finds it once `run` is compiled, and how that went.

    A graph break is a place where the compiler gave up and went on in Python; operations it has no
    code for, such as complex ones, are called as eager mode calls them, without a break.
    """
    begun = time.perf_counter()
    try:
        warm_up(run)
        compiling = time.perf_counter() - begun
        found = milliseconds()
    except Exception as error:  # The compiler's errors have no common type.
        reason = (str(error).splitlines() or [""])[0][:200]
        return {"compiled_ms": None, "failure": f"{type(error).__name__}: {reason}"}
    graphs, breaks = graphs_and_breaks()
    return {
        "compiled_ms": found,
        "graphs": graphs,
        "graph_breaks": breaks,
        "seconds_of_compiling": compiling,
        "backend": f"inductor of torch {torch.__version__}",
    }
