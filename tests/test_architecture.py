"""Data goes one way, so imports do as well: each layer of the package may import the layers before it, and no stage
another stage. Imports inside functions and under `TYPE_CHECKING` count like the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "xlsx_attention"
ROOT = Path(__file__).resolve().parent.parent / PACKAGE

# First to last. Parts of one layer do not import each other.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors"}),
    frozenset({"model"}),
    frozenset({"functions"}),
    frozenset({"writing"}),
    frozenset(
        {
            "reading",
            "parsing",
            "compiling",
            "running",
            "attention",
            "recognising",
            "comparing",
            "reporting",
            "generating",
        }
    ),
    frozenset({"pipeline"}),
    frozenset({"batch"}),
    frozenset({"cli"}),
)
LAYER_OF = {part: number for number, parts in enumerate(LAYERS) for part in parts}

# The package's front doors stand outside the layers: they hold no code that a layer could want. From the package itself
# a layer may take the version, and nothing else.
DOORS = frozenset({"__init__", "__main__"})
OPEN_TO_ALL = frozenset({"__version__"})


def part_of(file: Path, root: Path) -> str:
    """The part of the package that a file belongs to: its top folder, or its own name at the top."""
    first = file.relative_to(root).parts[0]
    return first.removesuffix(".py")


def imported_modules(tree: ast.AST, module: tuple[str, ...], *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of all that a file imports, a name taken from a module counted as a submodule.

    `module` is the dotted name of the file, split; relative imports are resolved against it.
    """
    package = module if is_package else module[:-1]

    def absolute(level: int, name: str) -> str:
        base = package[: len(package) + 1 - level] if level else ()
        return ".".join((*base, name)) if name else ".".join(base)

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = absolute(node.level, node.module or "")
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and (name := _dynamic_import(node)) is not None:
            bare = name.lstrip(".")
            yield node.lineno, absolute(len(name) - len(bare), bare)


def _dynamic_import(call: ast.Call) -> str | None:
    """The name in `importlib.import_module("a.b")`, `import_module(".b", __package__)` or `__import__("a.b")`."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    if function in {"import_module", "__import__"} and call.args:
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first.value
    return None


def breaches(root: Path) -> list[str]:
    """One line for each import against the direction, and for each file that no layer holds."""
    found: list[str] = []
    for file in sorted(root.rglob("*.py")):
        part = part_of(file, root)
        relative = file.relative_to(root)
        if part in DOORS:
            continue
        if part not in LAYER_OF:
            found.append(f"{relative}: the part {part!r} has no layer")
            continue
        is_package = file.name == "__init__.py"
        module = (PACKAGE, *relative.with_suffix("").parts)
        tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        for line, name in imported_modules(tree, module[:-1] if is_package else module, is_package=is_package):
            top, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            if top != PACKAGE or target == part or target in OPEN_TO_ALL:
                continue
            if target not in LAYER_OF or LAYER_OF[target] >= LAYER_OF[part]:
                found.append(f"{relative}:{line}: {part} imports {name}")
    return found


def test_imports_go_one_way() -> None:
    assert breaches(ROOT) == []


def test_the_package_is_looked_at() -> None:
    """Guards the test above against an empty or misplaced folder."""
    parts = {part_of(file, ROOT) for file in ROOT.rglob("*.py")}
    assert {"errors", "model"} <= parts


@pytest.mark.parametrize(
    ("file", "source", "breach"),
    [
        ("model/a.py", "from ..reading import grid", "model imports xlsx_attention.reading.grid"),
        ("model/a.py", "from xlsx_attention import pipeline", "model imports xlsx_attention.pipeline"),
        ("model/deep/a.py", "from ... import cli", "model imports xlsx_attention.cli"),
        ("errors.py", "from .model import cell", "errors imports xlsx_attention.model.cell"),
        ("reading/__init__.py", "from ..parsing import parse", "reading imports xlsx_attention.parsing.parse"),
        ("reading/a.py", "def f():\n    import xlsx_attention.comparing", "reading imports xlsx_attention.comparing"),
        (
            "running/a.py",
            "if TYPE_CHECKING:\n    from ..compiling import plan",
            "imports xlsx_attention.compiling.plan",
        ),
        ("writing/a.py", "from ..reporting import html", "writing imports xlsx_attention.reporting.html"),
        ("pipeline/a.py", "from ..batch import work", "pipeline imports xlsx_attention.batch.work"),
        ("batch/a.py", "import_module('xlsx_attention.cli')", "batch imports xlsx_attention.cli"),
        ("batch/a.py", "importlib.import_module('..cli', __package__)", "batch imports xlsx_attention.cli"),
        ("batch/a.py", "from xlsx_attention import verify", "batch imports xlsx_attention.verify"),
        ("tools/a.py", "", "the part 'tools' has no layer"),
    ],
)
def test_a_breach_is_named(tmp_path: Path, file: str, source: str, breach: str) -> None:
    _write(tmp_path / file, source)
    [line] = breaches(tmp_path)
    assert line.endswith(breach)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        (
            "reading/a.py",
            "import zipfile\nfrom ..errors import E\nfrom ..model.grid import G\nfrom . import b\nfrom .b import c",
        ),
        ("reading/__init__.py", "from .a import read\nfrom ..model import grid"),
        ("reading/deep/__init__.py", "from ..a import read\nfrom ...functions import table"),
        ("pipeline/a.py", "from ..reading import read\nfrom ..comparing import compare\nfrom .b import c"),
        (
            "cli/main.py",
            "from xlsx_attention import __version__\nfrom ..batch import run\nimport xlsx_attention.pipeline",
        ),
        ("__init__.py", "def __getattr__(name):\n    from .pipeline import verify"),
        ("__main__.py", "from .cli import main"),
    ],
)
def test_the_right_direction_is_no_breach(tmp_path: Path, file: str, source: str) -> None:
    _write(tmp_path / file, source)
    assert breaches(tmp_path) == []


def _write(file: Path, source: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, encoding="utf-8")
