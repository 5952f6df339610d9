"""Where the blocks lie, and how formulas speak of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xlsx_attention.model.address import Rect, cell_name, column_name


def quoted(sheet: str) -> str:
    """A sheet's name as a formula writes it before the ``!``."""
    return "'" + sheet.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class Refs:
    """The rectangles of a sheet's blocks, as they lie on it: with tokens in columns every block is turned over.

    ``spilled`` are the blocks that one dynamic array formula fills, spoken of as ``B5#``.
    """

    rects: Mapping[str, Rect]
    columns: bool = False
    spilled: frozenset[str] = frozenset()

    def at(self, key: str, row: int, column: int) -> str:
        """The cell beside (row, column) of another block; ``$`` keeps to this one's only row or column: ``$L14``."""
        rect = self.rects[key]
        one_row, one_column = rect.height == 1, rect.width == 1
        r = rect.top + (0 if one_row else row)
        c = rect.left + (0 if one_column else column)
        return f"{'$' if one_column else ''}{column_name(c)}{'$' if one_row else ''}{r + 1}"

    def cell(self, key: str, row: int, column: int) -> str:
        """The cell at (row, column), for a copy: ``B5``."""
        rect = self.rects[key]
        return cell_name(rect.top + row, rect.left + column)

    def line(self, key: str, row: int) -> str:
        """A row of a block, with its columns fixed: ``$B5:$I5``."""
        rect = self.rects[key]
        first, last = column_name(rect.left), column_name(rect.right - 1)
        return f"${first}{rect.top + row + 1}:${last}{rect.top + row + 1}"

    def column(self, key: str, column: int) -> str:
        """A column of a block, with its rows fixed: ``L$5:L$12``."""
        rect = self.rects[key]
        name = column_name(rect.left + column)
        return f"{name}${rect.top + 1}:{name}${rect.bottom}"

    def fixed(self, key: str) -> str:
        """The whole block with ``$`` throughout."""
        rect = self.rects[key]
        first, last = column_name(rect.left), column_name(rect.right - 1)
        return f"${first}${rect.top + 1}:${last}${rect.bottom}"

    def whole(self, key: str) -> str:
        """The whole block for an array formula: ``B5:I9``, or ``B5#`` (as files store it) where it is spilled."""
        rect = self.rects[key]
        if key in self.spilled:
            return f"_xlfn.ANCHORARRAY({cell_name(rect.top, rect.left)})"
        return rect.a1

    def factor(self, key: str) -> str:
        """A block that a product runs over whole."""
        return self.whole(key)


@dataclass(frozen=True, slots=True)
class OneToken(Refs):
    """The same blocks cut to one token: array formulas written with it give that token's row (column) alone."""

    index: int = 0

    def whole(self, key: str) -> str:
        rect = self.rects[key]
        if self.columns:
            return self.fixed(key) if rect.width == 1 else self.column(key, self.index)
        return self.fixed(key) if rect.height == 1 else self.line(key, self.index)

    def factor(self, key: str) -> str:
        return self.fixed(key)


def absolute(row: int, column: int) -> str:
    """``$B$5``."""
    return f"${column_name(column)}${row + 1}"
