"""Excel worksheets of self-attention: verify, compare, explain, generate and grade them with NumPy as the reference.

::

    import xlsx_attention as xa
    report = xa.verify("lesson.xlsx")
    report.ok, report.counts, report.findings
    xa.compare("lesson.xlsx", "comparison.xlsx")

Names load when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

#: Public name → (module, name there).
_NAMES = {
    "verify": ("xlsx_attention.pipeline", "verify"),
    "compare": ("xlsx_attention.pipeline", "compare"),
    "generate": ("xlsx_attention.generating", "generate"),
    "ExampleSpec": ("xlsx_attention.model.example", "ExampleSpec"),
    "Options": ("xlsx_attention.pipeline", "Options"),
    "Report": ("xlsx_attention.model.report", "Report"),
    "FileReport": ("xlsx_attention.model.report", "FileReport"),
    "XlsxAttentionError": ("xlsx_attention.errors", "XlsxAttentionError"),
    "self_attention": ("xlsx_attention.attention", "self_attention"),
    "cross_attention": ("xlsx_attention.attention", "cross_attention"),
    "scaling_experiment": ("xlsx_attention.attention", "scaling_experiment"),
}

if TYPE_CHECKING:
    from xlsx_attention.attention import cross_attention as cross_attention
    from xlsx_attention.attention import scaling_experiment as scaling_experiment
    from xlsx_attention.attention import self_attention as self_attention
    from xlsx_attention.errors import XlsxAttentionError as XlsxAttentionError
    from xlsx_attention.generating import generate as generate
    from xlsx_attention.model.example import ExampleSpec as ExampleSpec
    from xlsx_attention.model.report import FileReport as FileReport
    from xlsx_attention.model.report import Report as Report
    from xlsx_attention.pipeline import Options as Options
    from xlsx_attention.pipeline import compare as compare
    from xlsx_attention.pipeline import verify as verify

__all__ = ["__version__", *_NAMES]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'xlsx_attention' has no attribute {name!r}")
    module, attribute = _NAMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
