"""Finding a function by name. Every module of this package that enters rows is loaded at the first look-up."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from xlsx_attention import functions
from xlsx_attention.functions.registry import FUNCTIONS, Function


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(functions.__path__):
        import_module(f"{functions.__name__}.{module.name}")


def lookup(name: str) -> Function | None:
    """The row of a function, by its name in capitals without prefix; ``None`` for one that the engine lacks."""
    _load()
    return FUNCTIONS.get(name)
