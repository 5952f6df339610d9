"""What the package's own source may not do: run text, load objects from bytes, start programs, open connections, or
format
with a template that is not its own."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "xlsx_attention"

#: Calls that run text or load objects, by the name they are called by.
RUNS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
#: Modules that nothing here needs, for they start programs, load objects, open connections or reach into memory.
MODULES = {
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "joblib",
    "cloudpickle",
    "ctypes",
    "cffi",
    "socket",
    "socketserver",
    "ssl",
    "asyncio",
    "http",
    "urllib",
    "urllib3",
    "requests",
    "httpx",
    "ftplib",
    "smtplib",
    "telnetlib",
    "webbrowser",
    "pty",
    "code",
    "codeop",
    "runpy",
    "imp",
    "multiprocessing",
    "subprocess",
    "xmlrpc",
    "lxml",
    "yaml",
}
#: Calls of ``os`` that start a program.
STARTS = {
    "system",
    "popen",
    "execv",
    "execve",
    "execvp",
    "execl",
    "execlp",
    "spawnl",
    "spawnv",
    "spawnve",
    "posix_spawn",
    "startfile",
    "fork",
}

#: (file, what) → why it may.
ALLOWED = {
    (
        "batch/supervisor.py",
        "import subprocess",
    ): "starts the batch's own workers: this Python, with arguments of its own",
    ("cli/commands.py", "import_module"): "the module of a command, from a table in the same file",
    ("functions/table.py", "import_module"): "the modules of functions, from a table in the same file",
    ("__init__.py", "import_module"): "the module of a public name, from a table in the same file",
    ("recognising/__init__.py", "import_module"): "the module of a public name, from a table in the same file",
    ("reporting/formats.py", "import_module"): "the module of a form, from a table in the same file",
    ("reading/package.py", "import urllib.parse"): "only takes text apart",
    ("reporting/annotate/package.py", "import urllib.parse"): "only takes text apart",
    ("reporting/sarif.py", "import urllib.parse"): "only puts text together",
    ("batch/child.py", "import_module"): "the function that judges, which the batch itself names",
}
#: (file, template) → whose text it is, where a name alone does not say that it is the package's own.
TEMPLATES = {
    ("reporting/words.py", "text"): "a sentence of the table in this file",
    (
        "reporting/words.py",
        "chinese if language == 'zh' else one if number == 1 else several",
    ): "a word of the table in this file",
    ("reporting/annotate/package.py", "pattern"): "a name of a part, as the callers write it",
    ("attention/scaling_workbook.py", "place"): "a place of the table in this file",
    ("batch/index_page.py", "say.same"): "a sentence of the batch's table",
    ("comparing/sentences.py", "text.en"): "a sentence of the table in this file",
    ("comparing/sentences.py", "text.zh"): "a sentence of the table in this file",
    ("generating/drawing.py", "phrases['head']"): "a phrase of the generator's table",
}
#: These make a cell's format, and are no templates.
BOOKS = {"book", "self.book", "self"}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def found_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and what stands there, of all that needs a reason."""
    compiled_patterns = {"re"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (
                (node.lineno, f"import {alias.name}") for alias in node.names if alias.name.split(".")[0] in MODULES
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES and not node.level:
            yield node.lineno, f"import {node.module}"
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and (function.id in RUNS or function.id == "import_module"):
                yield node.lineno, function.id
            elif isinstance(function, ast.Attribute):
                owner = function.value.id if isinstance(function.value, ast.Name) else ""
                if (
                    function.attr in RUNS
                    and owner not in compiled_patterns
                    and hasattr(builtins, function.attr)
                    and owner == "builtins"
                ):
                    yield node.lineno, f"builtins.{function.attr}"
                if (owner == "os" and function.attr in STARTS) or (function.attr == "import_module"):
                    yield node.lineno, function.attr
            for word in node.keywords:
                if word.arg == "shell" or (
                    word.arg == "allow_pickle"
                    and not (isinstance(word.value, ast.Constant) and word.value.value is False)
                ):
                    yield node.lineno, f"{word.arg}="


def places() -> list[tuple[str, int, str]]:
    return [
        (path.relative_to(PACKAGE).as_posix(), line, what)
        for path in sources()
        for line, what in found_in(parsed(path))
    ]


def test_nothing_runs_text_starts_programs_or_opens_connections() -> None:
    assert [place for place in places() if (place[0], place[2]) not in ALLOWED] == []


def test_every_exception_is_still_needed() -> None:
    assert set(ALLOWED) == {(file, what) for file, _, what in places()}


@pytest.mark.parametrize(
    "bad",
    [
        "eval(x)",
        "exec(x)",
        "import pickle",
        "from urllib.request import urlopen",
        "os.system(x)",
        "subprocess.run(x, shell=True)",
        "np.load(x, allow_pickle=True)",
        "importlib.import_module(x)",
        "__import__(x)",
        "builtins.eval(x)",
        "import socket as s",
    ],
)
def test_the_search_finds_them(bad: str) -> None:
    assert list(found_in(ast.parse(bad)))


def _is_own_template(node: ast.expr) -> bool:
    """A text in the source, a table of texts named in capitals, or an attribute or item of such a table."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.JoinedStr):
        return False
    if isinstance(node, ast.Name):
        return node.id.isupper() or (node.id.startswith("_") and node.id.upper() == node.id)
    if isinstance(node, ast.Subscript | ast.Attribute):
        return _is_own_template(node.value)
    if isinstance(node, ast.IfExp):
        return _is_own_template(node.body) and _is_own_template(node.orelse)
    return False


def test_only_texts_of_the_package_are_templates() -> None:
    """``format`` on a text from a file would read attributes of our objects; ``%`` likewise could end in an
    exception."""
    unknown = []
    for path in sources():
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("format", "format_map")
            ):
                template = ast.unparse(node.func.value)
                if not _is_own_template(node.func.value) and not (template in BOOKS and not node.args):
                    unknown.append((name, template))
    assert set(unknown) == set(TEMPLATES)


def test_python_s_regular_expressions_take_no_pattern_of_a_file() -> None:
    """Each pattern is a text of the source, or is put together from escaped parts."""
    unknown = []
    for path in sources():
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in ("compile", "match", "search", "fullmatch", "sub", "split", "findall")
                and not isinstance(node.args[0], ast.Constant)
            ):
                unknown.append(name)
    assert sorted(unknown) == sorted(PATTERNS)


#: File → of what its pattern is put together.
PATTERNS = {
    "parsing/lexer.py": "texts of the same file",
    "reading/regular_rows.py": "texts of the same file",
    "recognising/labels.py": "the table of labels in the same file",
    "reporting/annotate/xml_places.py": "the name of an attribute, as the callers write it",
}
