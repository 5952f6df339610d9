"""Values with kinds.

A value is a float64 *number* beside a uint8 *kind*. What the number slot means depends on the kind:

========================  =======================================================
kind                      number slot
========================  =======================================================
``NUMBER``                the number itself
``EMPTY``                 0.0
``TEXT``                  index of the text in the workbook's :class:`TextPool`
``LOGICAL``               1.0 or 0.0
``ERROR + n``             0.0; ``n`` is the number that Excel's ``ERROR.TYPE`` gives
``NOT_COMPUTED``          index of the reason (a function's name, a budget) in the pool
========================  =======================================================

So a plane of cells is two plain arrays, texts are compared by index, and no object array is needed anywhere.
Source of the error numbers: Microsoft's page on ``ERROR.TYPE``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect

Floats = npt.NDArray[np.float64]
Kinds = npt.NDArray[np.uint8]

NUMBER: Final = 0
EMPTY: Final = 1
TEXT: Final = 2
LOGICAL: Final = 3
ERROR: Final = 16
NOT_COMPUTED: Final = 240

ERROR_CODES: Final[dict[str, int]] = {
    "#NULL!": ERROR + 1,
    "#DIV/0!": ERROR + 2,
    "#VALUE!": ERROR + 3,
    "#REF!": ERROR + 4,
    "#NAME?": ERROR + 5,
    "#NUM!": ERROR + 6,
    "#N/A": ERROR + 7,
    "#GETTING_DATA": ERROR + 8,
    "#SPILL!": ERROR + 9,
    "#CONNECT!": ERROR + 10,
    "#BLOCKED!": ERROR + 11,
    "#UNKNOWN!": ERROR + 12,
    "#FIELD!": ERROR + 13,
    "#CALC!": ERROR + 14,
}
ERROR_TEXTS: Final[dict[int, str]] = {code: text for text, code in ERROR_CODES.items()}

NULL: Final = ERROR_CODES["#NULL!"]
DIV0: Final = ERROR_CODES["#DIV/0!"]
VALUE: Final = ERROR_CODES["#VALUE!"]
REF: Final = ERROR_CODES["#REF!"]
NAME: Final = ERROR_CODES["#NAME?"]
NUM: Final = ERROR_CODES["#NUM!"]
NA: Final = ERROR_CODES["#N/A"]
SPILL: Final = ERROR_CODES["#SPILL!"]
CALC: Final = ERROR_CODES["#CALC!"]


class TextPool:
    """Every text of a workbook once; a text is the index of its first appearance. Grows only at its end.

    ``room`` is how many characters may still be added; ``full`` makes what is raised then (by default there is no
    limit).
    """

    __slots__ = ("_index", "full", "room", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._index: dict[str, int] = {}
        self.room = 1 << 62
        self.full: Callable[[], Exception] = MemoryError

    def add(self, text: str) -> int:
        """The text's index. A text costs its characters and 64 more, for what Python keeps beside them."""
        index = self._index.get(text)
        if index is None:
            if self.room < len(text) + 64:
                raise self.full()
            self.room -= len(text) + 64
            index = self.note(text)
        return index

    def note(self, text: str) -> int:
        """The index of a text of our own (a reason), for which there is always room."""
        index = self._index.get(text)
        if index is None:
            index = self._index[text] = len(self.texts)
            self.texts.append(text)
        return index

    def __getitem__(self, index: int | float) -> str:
        return self.texts[int(index)]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value, as it leaves the planes: in reports, in tests, in the cell-by-cell runner."""

    kind: int
    number: float = 0.0
    text: str = ""

    @property
    def python(self) -> float | str | bool | None:
        """As Python has it: float, str, bool, ``None`` for an empty cell; an error as its text."""
        if self.kind == NUMBER:
            return self.number
        if self.kind == EMPTY:
            return None
        if self.kind == TEXT:
            return self.text
        if self.kind == LOGICAL:
            return self.number != 0.0
        if self.kind == NOT_COMPUTED:
            return f"not computed: {self.text}"
        return ERROR_TEXTS[self.kind]

    @property
    def is_error(self) -> bool:
        return ERROR < self.kind < NOT_COMPUTED


@dataclass(slots=True)
class Plane:
    """The cells of one sheet: a dense core and, for the few that lie far off, a dictionary.

    ``number`` and ``kind`` have shape ``rect.shape``; a cell outside ``rect`` that is not in ``outliers`` is empty. The
    dense part is what makes every reference a strided view; the outliers keep ``XFD1048576`` beside ``A1`` cheap.
    """

    rect: Rect
    number: Floats
    kind: Kinds
    outliers: dict[tuple[int, int], tuple[float, int]] = field(default_factory=dict)

    @classmethod
    def empty(cls, rect: Rect) -> Plane:
        return cls(rect, np.zeros(rect.shape), np.full(rect.shape, EMPTY, np.uint8))

    def get(self, row: int, column: int) -> tuple[float, int]:
        """``(number, kind)`` of one cell."""
        if self.rect.contains(row, column):
            i, j = row - self.rect.top, column - self.rect.left
            return float(self.number[i, j]), int(self.kind[i, j])
        return self.outliers.get((row, column), (0.0, EMPTY))

    def set(self, row: int, column: int, number: float, kind: int) -> None:
        if self.rect.contains(row, column):
            i, j = row - self.rect.top, column - self.rect.left
            self.number[i, j] = number
            self.kind[i, j] = kind
        else:
            self.outliers[row, column] = (number, kind)

    def read(self, rect: Rect) -> tuple[Floats, Kinds]:
        """The cells of ``rect``: views where it lies in the core, copies where it does not. Do not write to them."""
        if self.rect.covers(rect):
            rows = slice(rect.top - self.rect.top, rect.bottom - self.rect.top)
            columns = slice(rect.left - self.rect.left, rect.right - self.rect.left)
            return self.number[rows, columns], self.kind[rows, columns]
        number = np.zeros(rect.shape)
        kind = np.full(rect.shape, EMPTY, np.uint8)
        inside = self.rect.intersection(rect)
        if inside is not None:
            core_number, core_kind = self.read(inside)
            rows = slice(inside.top - rect.top, inside.bottom - rect.top)
            columns = slice(inside.left - rect.left, inside.right - rect.left)
            number[rows, columns] = core_number
            kind[rows, columns] = core_kind
        if self.outliers:
            # Walk whichever is smaller: a cell-sized read of a sheet with many far cells must not walk them all.
            keys = list(rect.cells()) if rect.size < len(self.outliers) else list(self.outliers)
            for row, column in keys:
                if rect.contains(row, column) and (row, column) in self.outliers:
                    far_number, far_kind = self.outliers[row, column]
                    number[row - rect.top, column - rect.left] = far_number
                    kind[row - rect.top, column - rect.left] = far_kind
        return number, kind

    def write(self, rect: Rect, number: Floats, kind: Kinds) -> None:
        """Store arrays that broadcast to ``rect.shape``."""
        if self.rect.covers(rect):
            target_number, target_kind = self.read(rect)
            target_number[...] = number
            target_kind[...] = kind
            return
        number, kind = np.broadcast_to(number, rect.shape), np.broadcast_to(kind, rect.shape)
        for row, column in rect.cells():
            i, j = row - rect.top, column - rect.left
            self.set(row, column, float(number[i, j]), int(kind[i, j]))

    def copy(self) -> Plane:
        return Plane(self.rect, self.number.copy(), self.kind.copy(), dict(self.outliers))

    def filled_from(self, other: Plane) -> Plane:
        """A copy in which the empty cells are those of ``other``, a plane over the same rectangle."""
        plane = self.copy()
        missing = plane.kind == EMPTY
        plane.number[missing] = other.number[missing]
        plane.kind[missing] = other.kind[missing]
        for cell, value in other.outliers.items():
            plane.outliers.setdefault(cell, value)
        return plane

    @property
    def used(self) -> Rect:
        """The smallest rectangle that holds the core and every outlier."""
        rect = self.rect
        for row, column in self.outliers:
            rect = rect.union(Rect.cell(row, column))
        return rect


@dataclass(frozen=True, slots=True)
class Array:
    """What a formula's part is worth while a block runs, on four axes.

    Axes: (block row, block column, array row, array column). ``number`` and ``kind`` are both four-dimensional and
    broadcast to one shape; an axis of length 1 is constant along it. ``kind`` has shape (1, 1, 1, 1) where all are
    of one kind, so that "all numbers" costs nothing to see.
    """

    number: Floats
    kind: Kinds

    @classmethod
    def of(cls, number: float, kind: int = NUMBER) -> Array:
        return cls(np.full((1, 1, 1, 1), number), np.full((1, 1, 1, 1), kind, np.uint8))

    @classmethod
    def numbers(cls, number: Floats) -> Array:
        return cls(number, ALL_NUMBERS)

    @property
    def shape(self) -> tuple[int, ...]:
        # All that NumPy's broadcast_shapes would find out, in the two cases that are nearly all.
        if self.kind.size == 1 or self.kind.shape == self.number.shape:
            return self.number.shape
        return np.broadcast_shapes(self.number.shape, self.kind.shape)

    @property
    def only_numbers(self) -> bool:
        return self.kind.size == 1 and self.kind.flat[0] == NUMBER

    @property
    def is_single(self) -> bool:
        """One value for each cell of the block."""
        return self.shape[2:] == (1, 1)

    def full(self) -> tuple[Floats, Kinds]:
        """Both parts broadcast to the full shape (read-only views)."""
        shape = self.shape
        return np.broadcast_to(self.number, shape), np.broadcast_to(self.kind, shape)


ALL_NUMBERS: Final[Kinds] = np.zeros((1, 1, 1, 1), np.uint8)
ALL_NUMBERS.flags.writeable = False
