"""Formula text → tree → relative form → blocks."""

from __future__ import annotations

from xlsx_attention.parsing.blocks import find_blocks, sheet_blocks
from xlsx_attention.parsing.grammar import parse
from xlsx_attention.parsing.relative import formula_at, relative_form

__all__ = ["find_blocks", "formula_at", "parse", "relative_form", "sheet_blocks"]
