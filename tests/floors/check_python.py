#!/usr/bin/env python3
"""Holds the floors of the Python package: reads every import under python/stiction, and fails on an arrow that ARROWS
does not have. Imports inside functions and imports for types alone count, too.

A folder imports itself, the folders right of its arrow, and what those may import. The modules beside the folders are
the base. `__init__` and `__main__` stand above everything, and nothing imports them. No modules import each other in a
circle, and no module uses a private name of another. docs/architecture.md shows the same table, and the two are
compared.

    check_python.py ROOT        checks the project at ROOT and prints "file:line: what is wrong"; exit code 1 for faults
    check_python.py self-test   plants one fault of each kind in a small made-up package and checks that it is found
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from check_floors import check_document, reachable

SCRIPT = "tests/floors/check_python.py"
PACKAGE = Path("python") / "stiction"
# Bottom up, as in docs/architecture.md.
ARROWS = {
    "base": (),
    "document": ("base",),
    "output": ("base",),
    "simulation": ("document",),
    "viz": ("output", "simulation"),
    "run": ("viz",),
    "scene": ("run",),
    "sweeps": ("base",),
    "comparison": ("sweeps", "viz"),
    "gallery_scenes": ("scene",),
}
ABOVE = ("stiction", "stiction.__main__")
EXTENSION = "stiction._core"  # of the package as a whole: every floor may use it
# Programs that use the package, and its public names only.
PROGRAMS = ("bench", "examples", "gallery")


class Module:
    """A file of Python: its imports from the package, and the private names that it defines or uses."""

    def __init__(self, root: Path, path: Path) -> None:
        self.path = path.relative_to(root)
        self.tree = ast.parse((root / self.path).read_text(encoding="utf-8"), str(path))
        self.nodes = list(ast.walk(self.tree))
        parts = self.path.with_suffix("").parts
        self.name = ".".join(parts[1:] if self.path.is_relative_to(PACKAGE) else parts).removesuffix(".__init__")

    @property
    def floor(self) -> str:
        parts = self.path.relative_to(PACKAGE).parts
        return parts[0] if len(parts) > 1 else "base"

    def imports(self, known: set[str]) -> Iterator[tuple[int, str, str]]:
        """Line, module and name of every import from the package; the name is empty where a module is imported."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name, "") for alias in node.names if is_ours(alias.name))
            elif isinstance(node, ast.ImportFrom) and node.level:
                yield node.lineno, "." * node.level + (node.module or ""), ""
            elif isinstance(node, ast.ImportFrom) and is_ours(node.module or ""):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield (node.lineno, inner, "") if inner in known else (node.lineno, str(node.module), alias.name)
            elif isinstance(node, ast.Call) and self.calls_import(node):
                word = node.args[0] if node.args else None
                text = word.value if isinstance(word, ast.Constant) else "?"
                if not isinstance(text, str) or text == "?" or is_ours(text):
                    yield node.lineno, str(text), ""

    @staticmethod
    def calls_import(node: ast.Call) -> bool:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in ("import_module", "__import__")

    def private_uses(self) -> Iterator[tuple[int, str]]:
        """Line and text of `a._name`. What this module defines does not count, nor what is of self or a foreign one."""
        foreign = {alias.asname or alias.name.split(".")[0] for node in self.nodes
                   if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names
                   if isinstance(node, ast.Import) and not is_ours(alias.name)}
        own = {node.name for node in self.nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        own |= {node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        own |= {node.attr for node in self.nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name) and node.value.id == "self"}
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
                owner = node.value.id if isinstance(node.value, ast.Name) else ""
                if owner not in {"self", "cls"} | foreign:
                    yield node.lineno, ast.unparse(node)


def is_ours(module: str) -> bool:
    return module.split(".")[0] == "stiction"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def read_modules(root: Path, folder: Path) -> list[Module]:
    return [Module(root, path) for path in sorted((root / folder).rglob("*.py"))]


def check_imports(module: Module, known: set[str], edges: dict[str, set[str]]) -> list[tuple[int, str]]:
    """Complaints about the imports of one module of the package; adds its arrows to `edges`."""
    complaints, may = [], reachable(module.floor, ARROWS)
    for line, target, name in module.imports(known):
        if target == EXTENSION or module.name == "stiction" and target == "?":
            continue  # the package finds its public names by a table
        if is_private(name) or any(is_private(part) for part in target.split(".")):
            complaints.append((line, f"imports {name or target} of {target}: a private name of another module"))
        elif target not in known:
            complaints.append((line, f"imports {target}: expected a module of the package by its full name"))
        elif target in ABOVE:
            complaints.append((line, f"imports {name} of {target}: it stands above everything, and nothing imports it"))
        else:
            edges.setdefault(module.name, set()).add(target)
            parts = target.split(".")
            folder = parts[1] if parts[1] in ARROWS else "base"
            if module.name not in ABOVE and folder not in may:
                complaints.append((line, f"imports {target}: {module.floor} may import only {', '.join(sorted(may))}"))
    return complaints


def find_circle(edges: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, the first one found; empty if there is none."""
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name):], name]
        if name in done:
            return []
        for below in sorted(edges.get(name, ())):
            circle = visit(below, [*way, name])
            if circle:
                return circle
        done.add(name)
        return []

    return next((circle for name in sorted(edges) if (circle := visit(name, []))), [])


def check_public_names(package: Module, modules: list[Module]) -> list[str]:
    """No folder has a name of `__all__`: importing it would put the folder in the place of a function."""
    lists = [node.value for node in package.nodes
             if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    public = {name for value in lists for name in ast.literal_eval(value)}
    return [f"{module.path}:1: {module.name.split('.')[1]} is a public name of the package, too" for module in modules
            if len(module.name.split(".")) > 1 and module.name.split(".")[1] in public]


def check_package(root: Path) -> list[str]:
    modules = read_modules(root, PACKAGE)
    if not modules:
        return [f"{PACKAGE}: no modules found"]
    known, edges, complaints = {EXTENSION, *(module.name for module in modules)}, {}, []
    for module in modules:
        if module.floor not in ARROWS:
            complaints.append(f"{module.path}:1: the folder {module.floor}/ has no arrow in {SCRIPT}")
            continue
        found = check_imports(module, known, edges)
        found += [(line, f"{text}: a private name of another module") for line, text in module.private_uses()]
        complaints += [f"{module.path}:{line}: {wrong}" for line, wrong in sorted(found)]
    complaints += [wrong for package in modules if package.name == "stiction"
                   for wrong in check_public_names(package, modules)]
    circle = find_circle(edges)
    return complaints + ([f"{PACKAGE}: a circle: {' -> '.join(circle)}"] if circle else [])


def check_programs(root: Path) -> list[str]:
    """Programs beside the package import no private name of it."""
    complaints = []
    for module in (module for folder in PROGRAMS for module in read_modules(root, Path(folder))):
        for line, target, name in module.imports(set()):
            if is_ours(target) and any(is_private(part) for part in (*target.split("."), name)):
                complaints.append(f"{module.path}:{line}: imports {target}.{name}: a private name of the package")
    return complaints


def check_project(root: Path) -> list[str]:
    folders = {name: below for name, below in ARROWS.items() if name != "base"}
    table = check_document(root, f"{PACKAGE.as_posix()}/", folders, SCRIPT)
    return check_package(root) + check_programs(root) + table


# --- self-test -------------------------------------------------------------------------------------------------------

CLEAN = {
    "python/stiction/__init__.py": 'import importlib\ndef __getattr__(n):\n    importlib.import_module(n)\n'
                                   '__all__ = ["sweep"]\n',
    "python/stiction/__main__.py": "import stiction.errors\nfrom stiction.scene.builder import Scene\nScene().run()\n",
    "python/stiction/errors.py": "def near(): ...\ndef _hint(): ...\nnear._hint = 1\n",
    "python/stiction/command.py": 'import importlib, os\nimportlib.import_module("stiction._core")\nos._exit(1)\n',
    "python/stiction/document/document.py": "from stiction import _core, errors\nclass Document:\n    def f(self):\n"
                                            "        self._file = 1\n        return Document()._file\n",
    "python/stiction/run/__init__.py": "from stiction.run.run import Run\n",
    "python/stiction/run/run.py": "class Run: ...\n",
    "python/stiction/viz/page.py": "def draw():\n    from stiction.document.document import Document\n",
    "python/stiction/scene/builder.py": "from stiction.run import Run\nclass Scene: ...\n",
    "python/stiction/sweeps/sweep.py": "import stiction.errors\n",
    "bench/run.py": "from stiction.run import Run\nimport stiction\n",
}

# Name, file, its text, and a part of the complaint that must come.
FAULTS = (
    ("upwards", "viz/bad.py", "from stiction.run.run import Run\n",
     "bad.py:1: imports stiction.run.run: viz may import only"),
    ("inside a function", "output/bad.py", "def f():\n    import stiction.viz.page\n",
     "bad.py:2: imports stiction.viz.page"),
    ("for types alone", "document/bad.py", "if TYPE_CHECKING:\n    from stiction.scene.builder import Scene\n",
     "bad.py:2: imports stiction.scene.builder"),
    ("from the base", "bad.py", "from stiction.document import document\n", "base may import only base"),
    ("sideways", "sweeps/bad.py", "from stiction.viz.page import draw\n", "sweeps may import only"),
    ("by name", "output/bad.py", 'importlib.import_module("stiction.viz.page")\n', "imports stiction.viz.page"),
    ("by a computed name", "output/bad.py", "importlib.import_module(name)\n", "by its full name"),
    ("relative", "viz/bad.py", "from . import page\n", "by its full name"),
    ("the package itself", "viz/bad.py", "from stiction import Scene\n", "imports Scene of stiction: it stands above"),
    ("the program", "viz/bad.py", "import stiction.__main__\n", "above everything"),
    ("a private function", "viz/bad.py", "from stiction.errors import _hint\n",
     "imports _hint of stiction.errors: a private"),
    ("a private attribute", "viz/bad.py", "\ndef f(scene):\n    return scene._file\n",
     "bad.py:3: scene._file: a private"),
    ("a private attribute of a member", "viz/bad.py", "class A:\n    def f(self):\n        self._a._file = 1\n",
     "self._a._file: a private"),
    ("a private name by its module", "viz/bad.py", "from stiction import errors\nerrors._other()\n", "errors._other"),
    ("two modules", "run/run.py", "def f():\n    from stiction.run import Run\n",
     "a circle: stiction.run -> stiction.run.run -> stiction.run"),
    ("itself", "errors.py", "import stiction.errors\n", "a circle: stiction.errors -> stiction.errors"),
    ("a folder with a function's name", "sweep.py", "", "sweep.py:1: sweep is a public name"),
    ("unknown folder", "attic/bad.py", "", "attic/ has no arrow"),
    ("a program", "../../bench/bad.py", "from stiction._core import Mesh\n",
     "bench/bad.py:1: imports stiction._core.Mesh"),
    ("a name in a program", "../../gallery/bad.py", "from stiction.errors import _hint\n",
     "errors._hint: a private name"),
    ("document, wrong arrow", "../../docs/architecture.md",
     "    python/stiction/\n      viz/   text   -> base\n", "viz/ -> base"),
    ("document, folder missing", "../../docs/architecture.md", "", "says nothing of viz/"),
)


def document(left_out: str) -> str:
    rows = [f"      {name}/   text   -> {', '.join(below)}" for name, below in ARROWS.items()
            if name not in ("base", left_out)]
    return "\n".join(["    python/stiction/", *rows, ""])


def check_tree(root: Path, changes: dict[str, str]) -> list[str]:
    """Writes the clean package with changes, and checks it."""
    for file, text in {**CLEAN, "docs/architecture.md": document(""), **changes}.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    return check_project(root)


def self_test() -> int:
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        complaints = check_tree(Path(folder) / "clean", {})
        if complaints:
            failures.append(f"the clean package: {complaints}")
        for number, (name, file, text, expected) in enumerate(FAULTS):
            if name.startswith("document") and not text:
                text = document("viz")
            elif name.startswith("document"):
                text = document("viz").replace("    python/stiction/\n", text)
            complaints = check_tree(Path(folder) / str(number), {(PACKAGE / file).as_posix(): text})
            if len(complaints) != 1 or expected not in complaints[0]:
                failures.append(f"{name}: expected one complaint with {expected!r}, got {complaints}")
    print("\n".join(failures) or f"floors of Python, self-test: {len(FAULTS)} planted faults found")
    return 1 if failures else 0


def main(arguments: list[str]) -> int:
    if arguments == ["self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    complaints = check_project(Path(arguments[0]))
    print("\n".join(complaints) or "floors of Python: every import follows the table; no circle, no private name")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
