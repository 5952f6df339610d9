"""Which formulas are copies of one another, without reading each of them.

A spreadsheet's formulas come from fills. Once one cell's form is known, the texts of the cells beside or below it can
be foretold from it, whole lists at a time; a text that equals the foretold one has that form, which is proof and no
guess, because writing a form as seen from a cell and reading it back there gives the form. Only a cell that surprises
is read. Different spacing, letter case or needless zeros are such surprises: slower, never wrong.

A *line* is a row of the sheet, or a column where the formulas run down in narrow columns; a *stretch* is a run of
neighbouring formula cells of a line.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from operator import eq
from typing import Final, Literal

import numpy as np

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS
from xlsx_attention.model.formula import FormulaForm
from xlsx_attention.model.grid import Ints
from xlsx_attention.parsing.grammar import MAX_LENGTH
from xlsx_attention.parsing.panels import runs_down, stretches
from xlsx_attention.parsing.relative import COLUMNS, ROWS, Step, relative_form, template

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: Below this mean length of a row's stretches, lines down the columns are counted too, and taken if they are fewer.
_SHORT: Final = 16
#: Characters of the longest name of a row (1048576) and of a column (XFD), by axis.
_WIDEST: Final = (7, 3)


class Names:
    """The names of rows or columns in order, made as far as they are asked for."""

    __slots__ = ("axis", "names")

    def __init__(self, axis: Literal[0, 1]) -> None:
        self.axis = axis
        self.names: list[str] = []

    def __call__(self, start: int, stop: int) -> list[str]:
        if stop > len(self.names):
            if self.axis == ROWS:
                goal = min(MAX_ROWS, max(stop, 2 * len(self.names)))
                self.names.extend(map(str, range(len(self.names) + 1, goal + 1)))
            else:
                single = list(_LETTERS)
                double = [a + b for a in single for b in single]
                triple = [a + b for a in double for b in single] if stop > 702 else []
                self.names = (single + double + triple)[:MAX_COLUMNS]
        return self.names[start:stop]


class Filler:
    """Foretells the texts of one form along lines of one axis."""

    __slots__ = ("constants", "fixed", "high", "joined", "line", "low", "names", "offsets", "span", "static")

    def __init__(self, form: FormulaForm, along: Literal[0, 1], names: Names) -> None:
        self.names = names
        # constants[0] varying[0] constants[1] … varying[k-1] constants[k]; a constant may hold steps across the line.
        self.constants: list[list[str | Step]] = [[]]
        self.offsets: list[int] = []
        longest = 0
        for piece in template(form.r1c1):
            for part in (piece,) if isinstance(piece, str) else piece:
                if isinstance(part, Step) and part.axis == along:
                    self.offsets.append(part.offset)
                    self.constants.append([])
                else:
                    self.constants[-1].append(part)
                longest += len(part) if isinstance(part, str) else _WIDEST[part.axis]
        limit = MAX_COLUMNS if along == COLUMNS else MAX_ROWS
        self.low = max([0, *(-offset for offset in self.offsets)])
        self.high = min([limit, *(limit - offset for offset in self.offsets)])
        # Where a copy may be too long for a formula, each text is read.
        if longest > MAX_LENGTH:
            self.low = limit
        # Where nothing between the varying parts depends on the line, they are the same for all lines of a block.
        self.static = all(isinstance(part, str) for constant in self.constants[1:-1] for part in constant)
        self.joined: list[str] = []
        self.span = (0, 0)
        # The constants as the last line asked for has them; None where a reference leaves the grid on that line.
        self.line = -1
        self.fixed: list[str] | None = None

    def texts(self, line: int, start: int, stop: int) -> list[str]:
        """What cells ``start:stop`` of a line would hold; shorter where a reference would leave the grid."""
        if start < self.low:
            return []
        stop = min(stop, self.high)
        if line != self.line:
            self.line = line
            self.fixed = self._fix(line)
        constants = self.fixed
        if constants is None:
            return []
        if not self.offsets:
            return list(repeat(constants[0], stop - start))
        head, tail = constants[0], constants[-1]
        if self.static:
            if self.span != (start, stop):
                self.joined = self._join(constants[1:-1], start, stop)
                self.span = (start, stop)
            return [head + middle + tail for middle in self.joined]
        return [head + middle + tail for middle in self._join(constants[1:-1], start, stop)]

    def _fix(self, line: int) -> list[str] | None:
        fixed: list[str] = []
        for constant in self.constants:
            texts = [part if isinstance(part, str) else part.text(line) for part in constant]
            if None in texts:
                return None
            fixed.append("".join(text for text in texts if text))
        return fixed

    def _join(self, between: list[str], start: int, stop: int) -> list[str]:
        varying = [self.names(start + offset, stop + offset) for offset in self.offsets]
        if len(varying) == 1:
            return varying[0]
        if len(varying) == 2:
            (middle,) = between
            return [a + middle + b for a, b in zip(*varying, strict=True)]
        columns: list[object] = [varying[0]]
        for constant, names in zip(between, varying[1:], strict=True):
            columns += [repeat(constant), names]
        return list(map("".join, zip(*columns)))  # noqa: B905 - repeat() has no end


class _Lines:
    """One pass over the lines of a sheet; ``numbers`` gives each form its number in order of appearance."""

    def __init__(
        self,
        texts: list[str],
        along: Literal[0, 1],
        forms: list[FormulaForm],
        numbers: dict[str, int],
        read: Callable[[int], None],
    ) -> None:
        self.texts = texts
        self.along = along
        self.forms = forms
        self.numbers = numbers
        self.on_read = read
        self.names = Names(along)
        self.fillers: dict[int, Filler] = {}
        #: What followed a form last time: rows of records repeat their forms in turn.
        self.successor: dict[int, int] = {}
        self.lengths: list[int] = []
        self.found: list[int] = []

    def matching(self, number: int, line: int, place: int, at: int, limit: int, trial: int) -> int:
        """How many cells from position ``at`` (``place`` along the line) on hold the form, at most ``limit``.

        Tries ``trial`` cells, then twice as many, and so on, so a failure costs no more than what was proved before.
        """
        filler = self.fillers.get(number)
        if filler is None:
            filler = self.fillers[number] = Filler(self.forms[number], self.along, self.names)
        done = 0
        while done < limit:
            count = min(trial, limit - done)
            expected = filler.texts(line, place + done, place + done + count)
            actual = self.texts[at + done : at + done + count]
            if actual != expected:
                same = list(map(eq, actual, expected))
                return done + (same.index(False) if False in same else len(same))
            done += count
            trial *= 2
        return done

    def read(self, text: str, row: int, column: int) -> int:
        self.on_read(len(text))
        form = relative_form(text, row, column)
        number = self.numbers.get(form.r1c1)
        if number is None:
            number = self.numbers[form.r1c1] = len(self.forms)
            self.forms.append(form)
        return number

    def run(self, line_of: Ints, place_of: Ints) -> Ints:
        """The number of the form of each text. ``line_of`` and ``place_of`` are sorted by line, then place."""
        starts = stretches(line_of, place_of)
        stops = [*starts[1:].tolist(), len(self.texts)]
        lines, places = line_of[starts].tolist(), place_of[starts].tolist()
        above: list[tuple[int, int, int]] = []  # runs of the last line: first place, end, form
        current: list[tuple[int, int, int]] = []
        pointer, last_line = 0, -1
        for start, stop, line, place in zip(starts.tolist(), stops, lines, places, strict=True):
            if line != last_line:
                above, current, pointer, last_line = current, [], 0, line
            pointer = self.stretch(start, stop, line, place, above, pointer, current)
        return np.repeat(np.array(self.found, np.int32), np.array(self.lengths, np.int64))

    def stretch(
        self,
        at: int,
        stop: int,
        line: int,
        place: int,
        above: list[tuple[int, int, int]],
        pointer: int,
        current: list[tuple[int, int, int]],
    ) -> int:
        """Forms of one stretch: as the line above foretells, else the left neighbour or its habit, else by reading."""
        left = -1
        surprised = False
        while at < stop:
            while pointer < len(above) and above[pointer][1] <= place:
                pointer += 1
                surprised = False
            count, number = 0, -1
            if pointer < len(above) and above[pointer][0] <= place:
                number = above[pointer][2]
                limit = min(stop - at, above[pointer][1] - place)
                count = self.matching(number, line, place, at, limit, 1 if surprised else limit)
                surprised = count < limit
            if not count and left >= 0 and left != number:
                number = left
                count = self.matching(number, line, place, at, stop - at, 1)
            if not count and (guess := self.successor.get(left, -1)) >= 0:
                number = guess
                count = self.matching(number, line, place, at, stop - at, 1)
            if not count:
                row, column = (line, place) if self.along == COLUMNS else (place, line)
                number = self.read(self.texts[at], row, column)
                count = 1 + self.matching(number, line, place + 1, at + 1, stop - at - 1, 1)
            if number == left and current and current[-1][1] == place:
                current[-1] = (current[-1][0], place + count, number)
            else:
                current.append((place, place + count, number))
                self.successor[left] = number
            self.lengths.append(count)
            self.found.append(number)
            left = number
            at += count
            place += count
        return pointer


def _nothing(_characters: int) -> None:
    """Reading is free where nobody counts it."""


def number_forms(
    rows: Ints, columns: Ints, texts: list[str], read: Callable[[int], None] = _nothing
) -> tuple[Ints, list[FormulaForm]]:
    """For each formula cell (in row-major order) the number of its form, and the forms by number.

    ``read`` is told the length of each text that has to be read, before it is.
    """
    forms: list[FormulaForm] = []
    if not texts:
        return np.zeros(0, np.int32), forms
    numbers: dict[str, int] = {}
    down = runs_down(rows, columns, texts)
    if not down.any() and not _better_down(rows, columns):
        return _Lines(texts, COLUMNS, forms, numbers, read).run(rows, columns), forms
    result = np.empty(len(texts), np.int32)
    across = np.flatnonzero(~down)
    if len(across) and _better_down(rows[across], columns[across]):
        down[:] = True
    across = np.flatnonzero(~down)
    if len(across):
        lines = _Lines([texts[place] for place in across.tolist()], COLUMNS, forms, numbers, read)
        result[across] = lines.run(rows[across], columns[across])
    turned = np.flatnonzero(down)
    if len(turned):
        turned = turned[np.lexsort((rows[turned], columns[turned]))]
        lines = _Lines([texts[place] for place in turned.tolist()], ROWS, forms, numbers, read)
        result[turned] = lines.run(columns[turned], rows[turned])
    return result, forms


def _better_down(rows: Ints, columns: Ints) -> bool:
    """Whether all these cells are fewer stretches by columns; looked into where those by rows are short."""
    count = len(stretches(rows, columns))
    if len(rows) >= _SHORT * count:
        return False
    order = np.lexsort((rows, columns))
    return len(stretches(columns[order], rows[order])) < count
