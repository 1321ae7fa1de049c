"""Writes everything that shows recorded numbers from the files in results/.

    bench/readme             writes the README's two tables and that of how-to/unbiased.md, between marks, and
                             docs/src/results/*.md
    bench/readme --check     exits with 1 if one of them differs from what the files hold, and names recordings made
                             with an older version of the default method
"""

import argparse
import sys

import readme_networks
import readme_quantities
import readme_recommended
import readme_speed
import readme_trials
import readme_unbiased
import readme_zoo
from results import RESULTS, ROOT, exists, method_version, program_version, read, source, table

README = ROOT / "README.md"
PAGES = ROOT / "docs/src/results"
UNBIASED = ROOT / "docs/src/how-to/unbiased.md"
MARK = "<!-- Written by bench/readme from the files in results/; change those, not this page. -->\n"

# Recordings that hold predictions of the default method, and the page that shows each.
OF_THE_METHOD = {
    "zoo.json": "default-method.md",
    "table1-recommended-1dcr.json": "paper-protocol.md",
    "table1-recommended.json": "paper-protocol.md",
    "table3-recommended-advection-burgers.json": "paper-protocol.md",
    "seeds-darcy-reference-100.json": "paper-protocol.md",
    "recipe-1dcr.json": "paper-protocol.md",
    "ablation-1dcr-burgers.json": "paper-protocol.md",
    "quantities.json": "quantities.md",
    "observe.json": "quantities.md",
    "laws.json": "trials.md",
    "outside.json": "trials.md",
    "sampling.json": "speed.md",
    "scale.json": "speed.md",
    "unbiased.json": "../how-to/unbiased.md",
}
OTHERS = {
    "table1-1dcr.json": "paper-methods.md",
    "table3-1dcr.json": "paper-methods.md",
    "table3-advection-burgers.json": "paper-methods.md",
    "table3-darcy.json": "paper-methods.md",
    "draws.json": "paper-methods.md",
    "decisions.json": "quantities.md",
    "switches.json": "trials.md",
    "points-network.json": "trials.md",
    "integrators.json": "trials.md",
    "compare.json": "speed.md",
    "scaling.json": "speed.md",
    "problems.json": "speed.md",
}
TITLES = {
    "default-method.md": "default method beside simple peers",
    "paper-protocol.md": "default method by the paper's protocol",
    "paper-methods.md": "the paper's methods, trained here",
    "quantities.md": "quantities of interest",
    "trials.md": "trials",
    "speed.md": "speed",
    "../how-to/unbiased.md": "means without bias beside MXMCPy",
}


def build(made):
    return made.get("commit") or made.get("floral") or "not recorded"


def index():
    rows = []
    for name, page in {**OF_THE_METHOD, **OTHERS}.items():
        if not exists(name):
            continue
        version = str(method_version(name)) if name in OF_THE_METHOD else ""
        rows.append([f"[{TITLES[page]}]({page})", source(name), f"`{read(name)['command']}`", build(read(name)), version])
    for path in sorted((RESULTS / "trained").glob("*.json")):
        made = read(f"trained/{path.name}")
        rows.append([f"[{TITLES['paper-methods.md']}](paper-methods.md)", source(f"trained/{path.name}"), f"`{made['command']}`", build(made), ""])
    return f"""# From claim to file to command

Every number on these pages is generated from a file under `results/` of the repository by `bench/readme`; `./check` fails if a page
differs from its file. Each file was written by one command, which it names.

The default method, FLORAL-KL, has a *version* that changes when its predictions change. The program has version
{program_version()}. Recordings with an older version are kept and labelled; no table of errors mixes versions.

{table(["shown on", "file", "command", "build", "method version"], rows)}"""


def pages():
    written = {
        "index.md": index(),
        "default-method.md": readme_zoo.page(),
        "paper-protocol.md": readme_recommended.page(),
        "paper-methods.md": readme_networks.page(),
        "quantities.md": readme_quantities.page(),
        "trials.md": readme_trials.page(),
        "speed.md": readme_speed.page(),
    }
    for name, text in written.items():
        title, rest = text.split("\n", 1)
        yield PAGES / name, f"{title}\n\n{MARK}{rest}"


def between_marks(text, name, body):
    start, end = f"<!-- {name}: written by bench/readme -->\n", f"<!-- end of {name} -->\n"
    before, rest = text.split(start)
    return f"{before}{start}\n{body}\n{end}{rest.split(end)[1]}"


def readme():
    text = between_marks(README.read_text(), "accuracy", readme_zoo.readme())
    return between_marks(text, "speed", readme_speed.readme())


def unbiased():
    text = UNBIASED.read_text()
    return between_marks(text, "comparison", readme_unbiased.section()) if exists(readme_unbiased.FILE) else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page differs from its files")
    arguments = parser.parse_args()
    wanted = {README: readme(), UNBIASED: unbiased(), **dict(pages())}
    if not arguments.check:
        PAGES.mkdir(parents=True, exist_ok=True)
        for path, text in wanted.items():
            path.write_text(text)
        return
    older = [name for name in OF_THE_METHOD if exists(name) and method_version(name) != program_version()]
    if older:
        print(f"recorded with an older version of the method, and labelled so: {', '.join(older)}")
    stale = [path.relative_to(ROOT).as_posix() for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if stale:
        sys.exit(f"{', '.join(stale)}: not what results/ holds; run bench/readme")


if __name__ == "__main__":
    main()
