"""New worked examples: lessons with live formulas, exercises, planted mistakes."""

from __future__ import annotations

from xlsx_attention.generating.generate import generate, outputs
from xlsx_attention.generating.mistakes import KINDS
from xlsx_attention.generating.sources import read_spec, read_tensors, spec_from

__all__ = ["KINDS", "generate", "outputs", "read_spec", "read_tensors", "spec_from"]
