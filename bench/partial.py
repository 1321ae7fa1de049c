"""The rows that bench/compare has measured so far, so that an interrupted command can continue.

They are stored in a folder beside the environment, one file per row. Rows of another build or of other settings are
ignored. compare.py removes the folder when its results are written.
"""

import hashlib
import json
import os
import pathlib
import shutil
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / ".venv-compare/rows"


def identity(settings):
    """Identifies a measurement by build, code of the peers and settings."""
    sources = sorted((FOLDER.parent.parent).glob("*.py")) + sorted((FOLDER.parent.parent / "peers").glob("*.py"))
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for path in [pathlib.Path(os.environ["FLORAL_BENCH"]), *sources]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def load(name, identity):
    """The stored row of this identity; None if there is none."""
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
