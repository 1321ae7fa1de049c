"""`floral plan` compared with measurements: ranks on one host, and on two hosts whose link has a known bandwidth.

    bench/hosts [--links 0,1000,200] [--rounds 2]

The two hosts are network namespaces joined by a pair of virtual devices that are limited to a number of Mbit/s
(0: no limit). `floral bench --collective` measures latency and bandwidth over the same link for the plan. The
seconds per step are those of an epoch of training divided by its steps.
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from results import write

FLORAL = os.environ["FLORAL"]
HOSTS = {"floral-a": "10.83.0.1", "floral-b": "10.83.0.2"}
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
# Starts a program on the host with a given address, in place of ssh.
AGENT = """#!/bin/sh
host=$1; shift
case $host in 10.83.0.1) name=floral-a;; *) name=floral-b;; esac
exec ip netns exec $name unshare --uts sh -c "hostname $name; $*"
"""
SIZES = "--set network.hidden_channels=32 --set network.film_channels=32"
SPLIT = "--set split.test=1 --set split.validation=1"
INPUTS, REALIZATIONS = 6, 32


def sh(words, **others):
    return subprocess.run(words.split(), check=True, text=True, **others)


def make_hosts():
    for name in HOSTS:
        sh(f"ip netns add {name}")
        sh(f"ip -n {name} link set lo up")
    sh("ip link add floral-a netns floral-a type veth peer name floral-b netns floral-b")
    for name, address in HOSTS.items():
        sh(f"ip -n {name} addr add {address}/24 dev {name}")
        sh(f"ip -n {name} link set {name} up")


def remove_hosts():
    for name in HOSTS:
        subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)


def slow(megabits):
    for name in HOSTS:
        subprocess.run(
            ["ip", "netns", "exec", name, "tc", "qdisc", "del", "dev", name, "root"],
            stderr=subprocess.DEVNULL,
        )
        if megabits:
            sh(
                f"ip netns exec {name} tc qdisc add dev {name} root tbf rate {megabits}mbit burst 256kb latency 200ms"
            )


def start(ranks, folder, hosts):
    """The mpirun words before `floral`."""
    if not hosts:
        return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    addresses = ",".join(HOSTS.values())
    return [
        *"ip netns exec floral-a unshare --uts sh -c".split(),
        'hostname floral-a; exec "$@"',
        "sh",
        *f"mpirun --bind-to none -n {ranks} --host {addresses} --mca plm_rsh_agent {folder}/agent".split(),
        *"--mca btl tcp,self --mca btl_tcp_if_include 10.83.0.0/24 --mca oob_tcp_if_include 10.83.0.0/24".split(),
        *f"--wdir {folder}".split(),
    ]


def floral(ranks, words, folder, hosts=False):
    command = [*start(ranks, folder, hosts), FLORAL, "--quiet", "--threads", "1", *words.split()]
    return subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, text=True
    ).stdout


def step_seconds(ranks, folder, hosts, rounds):
    """Seconds of the second epoch, best of the rounds. They include the validation: an epoch of steps alone cannot be
    run."""
    best = float("inf")
    for _ in range(rounds):
        shutil.rmtree(folder / "run", ignore_errors=True)
        floral(
            ranks,
            f"train data.zarr --method residual-fno {SIZES} {SPLIT} --epochs 2 -o run",
            folder,
            hosts,
        )
        with open(folder / "run" / "epochs.csv") as file:
            seconds = [float(row["seconds"]) for row in csv.DictReader(file)]
        best = min(best, seconds[1] - seconds[0])
    return best


def plan(ranks, message, gflops, folder):
    words = f"plan --set method=residual-fno {SIZES} --grid 64x64 --inputs {INPUTS - 2} --realizations {REALIZATIONS}"
    words += f" --ranks {ranks} --latency {message['latency']} --bandwidth {message['bandwidth']} --json"
    words += f" --gflops {gflops}" if gflops else ""
    command = [FLORAL, "--threads", "1", *words.split()]
    found = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return json.loads(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--links", default="0,1000,200")
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        agent = folder / "agent"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        floral(1, f"generate darcy --inputs {INPUTS} --realizations {REALIZATIONS} -o data.zarr", folder)
        alone = step_seconds(1, folder, False, chosen.rounds)
        none = {"latency": 0.0, "bandwidth": 1e12}
        planned = plan(1, none, None, folder)
        steps = planned["steps"]
        # The computing speed is fitted to one rank: the comparison is about scaling.
        fitted = planned["training_gflops"] * planned["rows"][0]["seconds"] * steps / alone

        def row(place, ranks, hosts, message):
            seconds = step_seconds(ranks, folder, hosts, chosen.rounds) / steps
            foreseen = plan(ranks, message, fitted, folder)["rows"][-1]["seconds"]
            rows.append(
                {
                    "place": place,
                    "ranks": ranks,
                    "latency_us": round(1e6 * message["latency"], 1),
                    "bandwidth_mbit": round(8e-6 * message["bandwidth"]),
                    "measured_s": round(seconds, 3),
                    "planned_s": round(foreseen, 3),
                    "efficiency": round(alone / steps / (ranks * seconds), 3),
                }
            )
            print(rows[-1], flush=True)

        rows.append({"place": "one host", "ranks": 1, "measured_s": round(alone / steps, 3), "efficiency": 1.0})
        print(rows[-1], flush=True)
        row("one host", 2, False, json.loads(floral(2, "bench --collective --json", folder)))
        remove_hosts()
        make_hosts()
        try:
            for link in map(int, chosen.links.split(",")):
                slow(link)
                message = json.loads(floral(2, "bench --collective --json", folder, True))
                name = f"two hosts, {link} Mbit/s" if link else "two hosts"
                row(name, 2, True, message)
        finally:
            remove_hosts()
    made = {
        "command": f"bench/hosts --links {chosen.links} --rounds {chosen.rounds}",
        "cores": os.cpu_count(),
        "training": f"residual-fno, 64x64, width 32, batch 32, {steps} steps an epoch and {REALIZATIONS} samples validated",
        "fitted_gflops": round(fitted, 1),
        "weights": planned["weights"],
        "rows": rows,
    }
    write("hosts.json", made)


if __name__ == "__main__":
    main()
