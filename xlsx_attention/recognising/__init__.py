"""What the steps of a workbook are in attention: from their structure first, from their numbers second."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xlsx_attention.recognising.recognise import recognise

if TYPE_CHECKING:
    from xlsx_attention.recognising.explain import Line, explain_program, program_text
    from xlsx_attention.recognising.wording import Wording, math_text, numpy_text

__all__ = ["Line", "Wording", "explain_program", "math_text", "numpy_text", "program_text", "recognise"]

#: Words and programs are asked for far less often than roles: their modules load when they are.
_LATER = {
    "Line": "explain",
    "explain_program": "explain",
    "program_text": "explain",
    "Wording": "wording",
    "math_text": "wording",
    "numpy_text": "wording",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
