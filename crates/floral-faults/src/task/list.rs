//! The commands that are tried, each of a second or less.

use super::{GROWING_STUDY, Task};

/// A command whose result takes a name that is free.
const fn task(name: &'static str, words: &'static str, out: &'static str) -> Task {
    Task {
        name,
        words,
        out: Some(out),
        before: None,
    }
}

/// All of them.
pub const TASKS: [Task; 22] = [
    task(
        "generate",
        "generate 1dcr --inputs 12 --realizations 100 --resolution 64 -o {out}",
        "out.zarr",
    ),
    Task {
        before: Some("old.zarr"),
        ..task(
            "generate --force",
            "generate 1dcr --inputs 12 --realizations 6 --resolution 32 --force -o {out}",
            "out.zarr",
        )
    },
    task(
        "import",
        "import FIXTURES/import/chunked.h5 -o {out}",
        "out.zarr",
    ),
    task(
        "train kriging",
        "train data.zarr --method kriging -o {out}",
        "run",
    ),
    task("train floral-kl", "train data.zarr -o {out}", "run"),
    task(
        "train fno",
        "train data.zarr --method fno NETWORK -o {out}",
        "run",
    ),
    task(
        "train floral",
        "train data.zarr --method floral NETWORK -o {out}",
        "run",
    ),
    task(
        "sample",
        "sample network --input data.zarr --realizations 40 --quantile 0.5 --keep 2 \
         --solver heun --steps 3 -o {out}",
        "out.zarr",
    ),
    task(
        "sample npz",
        "sample regression --input data.zarr --realizations 200 --keep 2 -o {out}",
        "out.npz",
    ),
    task(
        "report",
        "report regression --data data.zarr --inputs 0..2 --realizations 16 -o {out}",
        "page.html",
    ),
    task("export", "export network -o {out}", "model.floral"),
    task(
        "import npz",
        "import FIXTURES/import/stored.npz -o {out}",
        "out.zarr",
    ),
    task(
        "import netcdf",
        "import FIXTURES/import/classic.nc -o {out}",
        "out.zarr",
    ),
    task(
        "import zarr",
        "import FIXTURES/import/second -o {out}",
        "out.zarr",
    ),
    task(
        "sample netcdf",
        "sample regression --input data.zarr --realizations 30 --exceed 0.1 -o {out}",
        "out.nc",
    ),
    Task {
        before: Some("predicted.zarr"),
        ..task(
            "sample --force",
            "sample regression --input data.zarr --realizations 40 --force -o {out}",
            "out.zarr",
        )
    },
    task(
        "export regression",
        "export regression -o {out}",
        "model.floral",
    ),
    task(
        "reproduce",
        "reproduce table1 --experiments experiments --methods kriging,fno -o {out}",
        GROWING_STUDY,
    ),
    Task {
        out: None,
        ..task(
            "suggest",
            "suggest regression --pool data.zarr -k 2 --json",
            "",
        )
    },
    Task {
        out: None,
        ..task(
            "evaluate",
            "evaluate regression data.zarr --inputs 0..2 --realizations 50 --json",
            "",
        )
    },
    task(
        "generate --shard",
        "generate 1dcr --inputs 12 --realizations 100 --resolution 64 --shard 5 -o {out}",
        "out.zarr",
    ),
    task(
        "sample --shard",
        "sample network --input data.zarr --realizations 40 --keep 2 --solver heun --steps 3 \
         --shard 4 -o {out}",
        "out.zarr",
    ),
];
