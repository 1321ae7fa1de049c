"""The rows that bench/compare has measured so far, so that the same command goes on where it was cut.

A folder beside the environment, one file a row; a row measured by another build or with other
settings does not count. compare.py removes the folder when its results are written.
"""

import hashlib
import json
import os
import pathlib
import shutil
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / ".venv-compare/rows"


def identity(settings):
    """Of a measurement: the build, the peers' code and the settings."""
    sources = sorted((FOLDER.parent.parent).glob("*.py")) + sorted((FOLDER.parent.parent / "peers").glob("*.py"))
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for path in [pathlib.Path(os.environ["FLORAL_BENCH"]), *sources]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def load(name, identity):
    """What was kept of a row, or nothing."""
    path = FOLDER / f"{name}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    return kept.get("found") if kept.get("identity") == identity else None


def keep(name, identity, found):
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=FOLDER, suffix=".new", delete=False) as file:
        json.dump({"identity": identity, "found": found}, file)
    os.replace(file.name, FOLDER / f"{name}.json")


def forget():
    shutil.rmtree(FOLDER, ignore_errors=True)
