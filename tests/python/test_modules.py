"""Dependencies point one way: the top-level modules of a crate form no cycle, crates of data depend on no method, and a
build without networks does not compile Burn.

`python3 tests/python/test_modules.py` prints the graph of every crate.
"""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATES = sorted(path.parent.parent for path in ROOT.glob("*/src/lib.rs"))
CRATES += sorted({path.parent.parent for path in ROOT.glob("crates/*/src/*.rs") if path.name in ("lib.rs", "main.rs")})

PATH = re.compile(r"\b(crate|self|super)((?:::\w+)*)(::\{)?")


def code(text):
    """Source code without comments, string literals and tests."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.S)
    return re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", text)[0]


def closing(text, start):
    """The position of the brace that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def branches(tree):
    """The parts of a use tree between commas that are not inside braces."""
    parts, depth = [""], 0
    for letter in tree:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def flat(tree):
    """The paths of a use tree: `a::{b, c::d}` is a::b and a::c::d."""
    if "{" not in tree:
        return [re.split(r"\s+as\s+", tree)[0].strip()]
    start = tree.index("{")
    inner = tree[start + 1 : closing(tree, start)]
    return [tree[:start] + path for part in branches(inner) for path in flat(part)]


def paths(text):
    """Every path that starts in this crate."""
    for found in PATH.finditer(text):
        head = found[1] + found[2]
        if found[3]:
            start = found.end() - 1
            yield from flat(head + "::" + text[start : closing(text, start) + 1])
        else:
            yield head


def place_of(file, source):
    """The module path of a file, as a list of names."""
    parts = list(file.relative_to(source).with_suffix("").parts)
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def absolute(path, place):
    """A path from the root of the crate, as a list of names."""
    parts = path.split("::")
    if parts[0] == "crate":
        return parts[1:]
    place = list(place)
    while parts and parts[0] in ("self", "super"):
        if parts.pop(0) == "super":
            place = place[:-1]
    return place + parts


def root_names(text, modules):
    """Names that the crate root re-exports, and their modules: `pub use grid::Axis`, `pub mod cost { .. }`."""
    names = {}
    for found in re.finditer(r"\bmod (\w+) \{", text):
        inner = text[found.end() : closing(text, found.end() - 1)]
        names[found[1]] = {p.split("::")[1] for p in paths(inner) if p.startswith("crate::")} & modules
    for found in re.finditer(r"\buse ([^;]+);", text):
        for path in flat(re.sub(r"\s+", " ", found[1])):
            first, *_, last = path.removeprefix("crate::").removeprefix("self::").split("::") * (2 - ("::" in path))
            if first in modules:
                names.setdefault(last, set()).add(first)
    return names


def graph(crate):
    """Maps each top-level module to the modules that it names, with the files that name them."""
    source = crate / "src"
    root = next(file for file in (source / "lib.rs", source / "main.rs") if file.exists())
    test_only = set(re.findall(r"#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)?(?:pub(?:\(crate\))? )?mod (\w+);", root.read_text()))
    modules = {file.stem for file in source.iterdir()} - {"lib", "main", "bin"} - test_only
    names = root_names(code(root.read_text()), modules)
    edges = {module: {} for module in sorted(modules)}
    for file in sorted(source.rglob("*.rs")):
        place = place_of(file, source)
        if not place or place[0] not in modules:
            continue
        parent = file.parent / "mod.rs"
        declared = parent.read_text() if parent.exists() else ""
        if re.search(rf"#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)?(?:pub(?:\(crate\))? )?mod {file.stem};", declared) or "laws" in place[1:]:
            continue
        for path in paths(code(file.read_text())):
            first = (absolute(path, place) or [""])[0]
            for target in {first} & modules or names.get(first, set()):
                if target != place[0]:
                    edges[place[0]].setdefault(target, set()).add(file.relative_to(source).as_posix())
    return edges


def cycle(edges):
    """The shortest cycle, as a list of modules; None if there is no cycle."""
    shortest = None
    for start in edges:
        routes, seen = [[start]], {start}
        while routes:
            route = routes.pop(0)
            for target in edges[route[-1]]:
                if target == start and (shortest is None or len(route) < len(shortest)):
                    shortest = route
                if target not in seen:
                    seen.add(target)
                    routes.append([*route, target])
    return shortest


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_no_modules_form_a_cycle(crate):
    edges = graph(crate)
    found = cycle(edges)
    if found:
        steps = zip(found, found[1:] + found[:1])
        words = [f"{a} -> {b}, in {', '.join(sorted(edges[a][b]))}" for a, b in steps]
        pytest.fail(f"modules of {crate.name} form a cycle:\n" + "\n".join(words))


def test_a_cycle_is_found_through_super_and_through_the_root(tmp_path):
    source = tmp_path / "src"
    (source / "a").mkdir(parents=True)
    (source / "lib.rs").write_text("mod a;\nmod b;\nmod c;\npub use c::{C, D as E};\n")
    (source / "a/mod.rs").write_text("mod inner;\n")
    (source / "a/inner.rs").write_text("use super::super::b::{B, other::X};\n// crate::c\n")
    (source / "b.rs").write_text('use crate::C;\nconst WORDS: &str = "crate::a";\n')
    (source / "c.rs").write_text("#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n")
    assert cycle(graph(tmp_path)) is None
    (source / "c.rs").write_text("fn c() -> crate::a::A {}\n")
    assert cycle(graph(tmp_path)) == ["a", "b", "c"]


def needed(crate, *flags):
    """The crates that a crate depends on."""
    command = ["cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}"]
    listed = subprocess.run([*command, "--package", crate, *flags], cwd=ROOT, capture_output=True, text=True, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines() if line}


@pytest.mark.parametrize("crate", ["floral", "floral-cli", "floral-py"])
def test_a_build_without_networks_has_no_burn(crate):
    assert not [name for name in needed(crate, "--no-default-features") if name.startswith(("burn", "cubecl"))]
    assert "burn" in needed(crate)


def test_data_know_no_method_and_methods_not_each_other():
    own = {crate.name for crate in CRATES}
    assert needed("floral-data") & own == {"floral-data", "floral-fourier", "floral-mesh", "floral-symmetry"}
    assert needed("floral-kl") & own == {"floral-fourier", "floral-kl", "floral-linalg", "floral-symmetry"}
    assert not needed("floral-flow") & {"burn", "floral-kl", "floral-problems"}


if __name__ == "__main__":
    for crate in CRATES:
        print(f"{crate.name}: {'a cycle, ' + ' -> '.join(found) if (found := cycle(graph(crate))) else 'no cycle'}")
        for module, targets in graph(crate).items():
            print(f"    {module} -> {', '.join(sorted(targets)) or '-'}")
