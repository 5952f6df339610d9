"""Cells and ranges. Rows and columns count from 0 inside the package; ``A1`` text appears only at its edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384


@lru_cache(maxsize=MAX_COLUMNS)
def column_name(column: int) -> str:
    """``0 → 'A'``, ``26 → 'AA'``, ``16383 → 'XFD'``."""
    name = ""
    number = column + 1
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(65 + letter) + name
    return name


def column_index(name: str) -> int:
    """``'A' → 0``, ``'xfd' → 16383``; raises ``ValueError`` for anything but ASCII letters."""
    index = 0
    for letter in name.upper():
        if not "A" <= letter <= "Z":
            raise ValueError(f"{name!r} is not a column")
        index = index * 26 + ord(letter) - 64
    return index - 1


def cell_name(row: int, column: int) -> str:
    """``(9, 20) → 'U10'``."""
    return f"{column_name(column)}{row + 1}"


def parse_cell(name: str) -> tuple[int, int]:
    """``'U10'`` or ``'$U$10'`` → ``(9, 20)``; raises ``ValueError`` for text that names no cell of a sheet."""
    plain = name.replace("$", "")
    letters = plain.rstrip("0123456789")
    digits = plain[len(letters) :]
    if not letters or not digits or not digits.isascii():
        raise ValueError(f"{name!r} is not a cell")
    row, column = int(digits) - 1, column_index(letters)
    if not (0 <= row < MAX_ROWS and 0 <= column < MAX_COLUMNS):
        raise ValueError(f"{name!r} lies outside the grid")
    return row, column


@dataclass(frozen=True, slots=True, order=True)
class Rect:
    """A rectangle of cells on one sheet, half-open as in NumPy: rows ``top:bottom``, columns ``left:right``."""

    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def cell(cls, row: int, column: int) -> Rect:
        return cls(row, column, row + 1, column + 1)

    @classmethod
    def parse(cls, text: str) -> Rect:
        """``'J5:M10'`` or ``'U10'``, with or without ``$``; corners in either order."""
        first, _, last = text.partition(":")
        row0, column0 = parse_cell(first)
        row1, column1 = parse_cell(last) if last else (row0, column0)
        return cls(min(row0, row1), min(column0, column1), max(row0, row1) + 1, max(column0, column1) + 1)

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def shape(self) -> tuple[int, int]:
        return (self.bottom - self.top, self.right - self.left)

    @property
    def size(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)

    @property
    def a1(self) -> str:
        first = cell_name(self.top, self.left)
        return first if self.size == 1 else f"{first}:{cell_name(self.bottom - 1, self.right - 1)}"

    def contains(self, row: int, column: int) -> bool:
        return self.top <= row < self.bottom and self.left <= column < self.right

    def covers(self, other: Rect) -> bool:
        return (
            self.top <= other.top
            and self.left <= other.left
            and self.bottom >= other.bottom
            and self.right >= other.right
        )

    def intersection(self, other: Rect) -> Rect | None:
        top, left = max(self.top, other.top), max(self.left, other.left)
        bottom, right = min(self.bottom, other.bottom), min(self.right, other.right)
        return Rect(top, left, bottom, right) if top < bottom and left < right else None

    def union(self, other: Rect) -> Rect:
        """The smallest rectangle that holds both."""
        return Rect(
            min(self.top, other.top),
            min(self.left, other.left),
            max(self.bottom, other.bottom),
            max(self.right, other.right),
        )

    def shifted(self, rows: int, columns: int) -> Rect:
        return Rect(self.top + rows, self.left + columns, self.bottom + rows, self.right + columns)

    def cells(self) -> Iterator[tuple[int, int]]:
        """Row by row, as a spreadsheet is read."""
        for row in range(self.top, self.bottom):
            for column in range(self.left, self.right):
                yield row, column
