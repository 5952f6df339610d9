"""Finding a function by name.

A lesson uses a dozen functions of a dozen dozen: only the modules that its functions stand in are loaded. Which module
holds a name is read off the modules' texts, so that a function is entered in one place, its decorator.
"""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module
from pathlib import Path

from xlsx_attention import functions
from xlsx_attention.functions.known_names import EXCEL_FUNCTIONS, unknown
from xlsx_attention.functions.registry import FUNCTIONS, Function
from xlsx_attention.model.formula import Call, TextLit

#: A function's name as a person types it; ``_xll.`` and ``_xludf.`` lead add-ins and user-defined functions.
_PLAIN_NAME = re.compile(r"[A-Z][A-Z0-9_.]*")


#: The names in ``@function("SUM ...", …)``.
_DECORATOR = re.compile(r'^@function\(\s*"([^"]+)"', re.MULTILINE)


@cache
def _modules() -> dict[str, str]:
    """Name → the module whose text enters it; names entered in a loop are not seen and are found by loading all."""
    found: dict[str, str] = {}
    for folder in functions.__path__:
        for path in sorted(Path(folder).glob("*.py")):
            for names in _DECORATOR.findall(path.read_text(encoding="utf-8")):
                found.update(dict.fromkeys(names.split(), path.stem))
    return found


@cache
def _load_all() -> None:
    for module in pkgutil.iter_modules(functions.__path__):
        import_module(f"{functions.__name__}.{module.name}")


#: They ask where their arguments lie, never what the cells hold: ``=ROW(A1)`` in A1 is no circle.
_PLACES_ONLY = frozenset(
    {"ROW", "COLUMN", "ROWS", "COLUMNS", "AREAS", "ISREF", "ISFORMULA", "FORMULATEXT", "SHEET", "SHEETS"}
)
_CELL_PLACES = frozenset({"address", "col", "row"})


def reads_nothing(call: Call) -> bool:
    """Whether the cells of references that are arguments of this call do not matter to its value."""
    if call.name == "CELL" and call.args and isinstance(call.args[0], TextLit):
        return call.args[0].value.lower() in _CELL_PLACES
    return call.name in _PLACES_ONLY


def lookup(name: str) -> Function | None:
    """The row of a function, by its name in capitals without prefix; ``None`` for one that the engine lacks.

    A name that is neither Excel's nor that of an add-in has a row too: it gives ``#NAME?``, as in Excel.
    """
    row = FUNCTIONS.get(name)
    if row is None:
        module = _modules().get(name)
        if module is None:
            _load_all()
        else:
            import_module(f"{functions.__name__}.{module}")
        row = FUNCTIONS.get(name)
    if row is None and name not in EXCEL_FUNCTIONS and _PLAIN_NAME.fullmatch(name):
        return unknown(name)
    return row
