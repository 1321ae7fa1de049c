"""The page on the Python API, generated from the docstrings of the package without importing it."""

import ast
import pathlib
import re
import textwrap

# Names at the top of the page; the others follow in the order of `__all__`.
FIRST = ["Dataset", "fit", "Model", "Ensemble", "Ensembles", "evaluate", "load"]

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "crates/floral-py/python/floral"


def parsed(module):
    for suffix in (".py", ".pyi"):
        path = PACKAGE / f"{module}{suffix}"
        if path.exists():
            return ast.parse(path.read_text()), path.read_text()
    raise FileNotFoundError(PACKAGE / module)


def public(tree):
    """The names in a module's `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def homes(tree):
    """Maps each name that a module imports from the package to the module that defines it."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for alias in node.names:
                found[alias.asname or alias.name] = node.module
    return found


def definition(tree, name):
    named = [node for node in tree.body if getattr(node, "name", None) == name]
    return named[-1] if named else None


def markdown(docstring):
    """A docstring as Markdown: examples and indented paragraphs become code, `name: meaning` becomes a list."""
    text = re.sub(r":\w+:`([^`]+)`", r"`\1`", textwrap.dedent(docstring)).replace("``", "`")
    lines, example = [], []

    def end_example():
        if example:
            kind = "pycon" if example[0].startswith(">>>") else "python"
            lines.extend(["", f"```{kind}", *example, "```", ""])
            example.clear()

    for line in text.strip().splitlines():
        if example and not line.strip():
            end_example()
        elif example or line.startswith(">>>"):
            example.append(line.removeprefix("    "))
        elif line.startswith("    ") and lines and not lines[-1]:
            example.append(line.removeprefix("    "))
        elif entry := re.match(r"((?:[a-z_]+(?:, )?)+): (\S.*)", line):
            lines.extend([*([""] if lines and lines[-1] and not lines[-1].startswith(("- ", "  ")) else []), f"- `{entry[1]}`: {entry[2]}"])
        elif line.startswith("    ") and lines and lines[-1].startswith(("- ", "  ")):
            lines.append("  " + line.strip())
        else:
            lines.append(line)
    end_example()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def signature(function, is_method=False):
    arguments = function.args
    if is_method:
        arguments = ast.arguments(**{**{name: value for name, value in ast.iter_fields(arguments)}, "args": arguments.args[1:]})
    returned = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    line = f"{function.name}({ast.unparse(arguments)}){returned}"
    if len(line) <= 100:
        return line
    parts = split_arguments(ast.unparse(arguments))
    return f"{function.name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returned}"


def split_arguments(text):
    """Splits arguments at commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "[({") - (character in "])}")
        if character == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]


def decorators(node):
    return {getattr(decorator, "id", "") for decorator in node.decorator_list}


def function_text(node, level, is_method=False, prefix=""):
    docstring = ast.get_docstring(node)
    body = markdown(docstring) if docstring else ""
    return f"{level} {prefix}{node.name}\n\n```python\n{signature(node, is_method)}\n```\n\n{body}\n"


def attributes(node, source):
    """Attributes with a `#:` comment in the lines above, and that comment."""
    comment = []
    for line in source.splitlines()[node.lineno - 1 : node.end_lineno]:
        if line.strip().startswith("#:"):
            comment.append(line.strip()[2:].strip())
            continue
        name = re.match(r"\s*(?:self\.)?(\w+)(?:: [^=]+)? =", line)
        if name and comment and not name[1].startswith("_"):
            yield name[1], markdown(" ".join(comment)).strip()
        comment = []


def members(node, source):
    """Public members of a class: (name, meaning) of attributes and properties, and nodes of methods."""
    values, methods = list(attributes(node, source)), []
    for entry in node.body:
        if not isinstance(entry, ast.FunctionDef) or entry.name.startswith("_"):
            continue
        if {"property", "cached_property"} & decorators(entry):
            first = markdown(ast.get_docstring(entry) or "").split("\n\n")[0].replace("\n", " ").strip()
            values.append((entry.name, first))
        elif "overload" not in decorators(entry):
            methods.append(entry)
    return values, methods


def bases(node, tree):
    """Base classes from the package and theirs, with their source."""
    for base in node.bases:
        home = homes(tree).get(getattr(base, "id", ""))
        if home:
            of_base, source = parsed(home)
            yield definition(of_base, base.id), source
            yield from bases(definition(of_base, base.id), of_base)


def class_text(node, tree, source):
    text = f"## {node.name}\n\n{markdown(ast.get_docstring(node) or '')}\n"
    values, methods = members(node, source)
    for base, of_base in bases(node, tree):
        more_values, more_methods = members(base, of_base)
        values, methods = values + more_values, methods + more_methods
    if values:
        text += "| attribute | |\n|---|---|\n" + "".join(f"| `{name}` | {meaning} |\n".replace("\\|", "|") for name, meaning in values) + "\n"
    made = [entry for entry in node.body if getattr(entry, "name", "") == "__init__" and ast.get_docstring(entry)]
    if made:
        arguments = signature(made[0], True).replace("__init__", node.name, 1).replace(" -> None", "")
        text += f"```python\n{arguments}\n```\n\n{markdown(ast.get_docstring(made[0]))}\n"
    for method in methods:
        is_bound = "staticmethod" not in decorators(method)
        text += function_text(method, "###", is_bound, f"{node.name}.")
    return text


def entry_text(name, home):
    tree, source = parsed(home)
    node = definition(tree, name)
    if isinstance(node, ast.ClassDef):
        return class_text(node, tree, source)
    if isinstance(node, ast.FunctionDef):
        return function_text(node, "##", prefix="")
    return ""


def module_text(name):
    tree, source = parsed(name)
    text = f"## floral.{name}\n\n{markdown(ast.get_docstring(tree) or '')}\n"
    for member in public(tree):
        node = definition(tree, member)
        if isinstance(node, ast.ClassDef):
            text += f"### {name}.{member}\n\n{markdown(ast.get_docstring(node) or '')}\n"
        elif isinstance(node, ast.FunctionDef):
            text += function_text(node, "###", prefix=f"{name}.")
    return text


def page(mark):
    tree, _ = parsed("__init__")
    where = homes(tree)
    names = [name for name in public(tree) if not name.startswith("__")]
    modules = [name for name in names if where.get(name, None) is None]
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    text = f"# Python API\n\n{mark}\n{markdown(ast.get_docstring(tree))}\n"
    text += "".join(entry_text(name, where[name]) for name in names if where.get(name))
    text += "".join(module_text(name) for name in modules)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
