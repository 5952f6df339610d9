"""What a planted mistake is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xlsx_attention.generating.ops import Env, Op
from xlsx_attention.generating.refs import Refs
from xlsx_attention.model.values import Floats

Cell = tuple[int, int]  # row and column of a block, tokens in rows


@dataclass(frozen=True, slots=True)
class Mistake:
    """One planted mistake. ``cell``: where it stands in the block, tokens in rows; ``None``: the whole block.

    ``change`` gives the cell's formula (``None``: a constant) and what it stores; ``ops`` the blocks' other formulas.
    """

    kind: str
    key: str
    cell: Cell | None
    ops: Mapping[str, Op]
    change: Callable[[Env, Floats], tuple[str | None, float | str]] | None = None


def laid_cell(cell: Cell, refs: Refs) -> Cell:
    """The cell as it lies on the sheet."""
    return cell[::-1] if refs.columns else cell
