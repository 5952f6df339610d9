"""New worked examples: lessons with live formulas, exercises, planted mistakes."""

from __future__ import annotations

from xlsx_attention.generating.generate import generate

__all__ = ["generate"]
