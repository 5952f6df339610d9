"""The sheet Steps: for each block instructor, NumPy and difference side by side, the difference a live formula."""

from __future__ import annotations

from typing import Final

from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.values import NOT_COMPUTED, NUMBER, Scalar
from xlsx_attention.reporting.areas import Area, areas, divergent_first
from xlsx_attention.reporting.comparison.book import BOTTOM, LEFT, RIGHT, TOP, Book, link, put
from xlsx_attention.reporting.facts import SheetFacts
from xlsx_attention.reporting.formula_text import quoted_sheet
from xlsx_attention.reporting.palette import HEAT, OFF
from xlsx_attention.reporting.safe import visible
from xlsx_attention.reporting.words import verdict_words
from xlsx_attention.writing import AttentionSheet

#: Columns: a margin, then the rectangles with a gap between; the width of a column of numbers.
_LEFT: Final = 1
_WIDTH: Final = 13
#: Where the two numbers about a block stand, beyond the words before them.
_CHECK, _FLOOR = 6, 13
#: Letters of a line of words: as many as a page in landscape shows; notes hold the whole.
_WORDS: Final = 160
#: A difference of nothing is a plain 0.
_OFF_FORMAT: Final = "0.0E+00;-0.0E+00;0"
RTOL_NAME: Final = "rtol"


def write_steps(book: Book) -> None:
    """Blocks sheet by sheet in their order; beyond the limit those that diverge or have a role come first."""
    target = book.add_sheet(book.own["steps"], taken=True)
    target.hide_gridlines(2)
    target.set_column(0, 0, 2)
    target.set_column(_LEFT, 3 * book.limits.block_columns + 3, _WIDTH)
    target.set_landscape()
    target.set_paper(9)
    target.fit_to_pages(1, 0)
    chosen, total = _chosen(book)
    if len(chosen) < total:
        book.said.append(book.say("cut-steps", shown=len(chosen), total=f"{total:,}"))
    row = 0
    for area in chosen:
        row = _Section(book, target, area, row).write()
    target.freeze_panes(0, 1)


def _chosen(book: Book) -> tuple[list[Area], int]:
    found = {index: areas(facts) for index, facts in book.facts.items()}
    left = book.limits.blocks
    chosen: list[Area] = []
    for of_sheet in found.values():
        first = divergent_first(of_sheet)[:left]
        left -= len(first)
        chosen += sorted(first, key=lambda area: (area.rect.top, area.rect.left))
    return chosen, sum(map(len, found.values()))


class _Section:
    """One area: what it is, three rectangles, and two checks."""

    def __init__(self, book: Book, target: AttentionSheet, area: Area, row: int) -> None:
        self.book = book
        self.target = target
        self.area = area
        self.block = area.block
        self.facts: SheetFacts = book.facts[area.sheet]
        whole = area.rect
        height, width = min(whole.height, book.limits.block_rows), min(whole.width, book.limits.block_columns)
        self.rect = Rect(whole.top, whole.left, whole.top + height, whole.left + width)
        self.row = row
        self.lines = self._lines()
        #: The title, the words, the two checks, the heads; then the rectangles.
        self.check_row = row + 1 + len(self.lines)
        self.first_row = self.check_row + 2
        self.gap = width + 1

    def write(self) -> int:
        """The row after the section."""
        self._words()
        book, rect = self.book, self.rect
        for number, word in enumerate(("instructor", "numpy", "difference")):
            self.target.write_text(
                self.first_row - 1, _LEFT + number * self.gap, book.say(word), book.format(bold=True, font_size=9)
            )
        floor = 0.0
        for row, column in rect.cells():
            floor = max(floor, self._cell(row, column))
        self._checks(floor)
        self._colours()
        return self.first_row + rect.height + 1

    def _words(self) -> None:
        book, area, target = self.book, self.area, self.target
        mirror = book.mirrors[area.sheet]
        counts = ", ".join(f"{count} {verdict_words(v, book.language)}" for v, count in area.counts.items())
        size = f"{area.rect.height} × {area.rect.width}"
        title = " · ".join(filter(None, (area.role, f"{mirror}!{area.rect.a1}", size, counts)))
        head = book.format(bold=True, font_size=12, font_color="#12354A")
        link(target, self.row, _LEFT, mirror, area.rect.a1, visible(title, 240), head)
        for offset, line in enumerate(self.lines, 1):
            target.write_text(self.row + offset, _LEFT, line, book.format(font_size=10))

    def _lines(self) -> list[str]:
        """The step as mathematics and as NumPy, where they are known, and as the Excel formula of the block."""
        book, block = self.book, self.block
        excel = f"{book.say('excel')}: {self.facts.formula(block.rect.top, block.rect.left)}"
        lines = [
            f"{book.say('mathematics')}: {block.math}" if block.math else "",
            f"NumPy: {block.numpy}" if block.numpy else "",
            visible(excel, 1000),
        ]
        whole = self.area.rect
        if self.rect != whole:
            lines.append(
                book.say(
                    "cut-block",
                    rows=self.rect.height,
                    columns=self.rect.width,
                    all_rows=whole.height,
                    all_columns=whole.width,
                )
            )
        return [visible(line, _WORDS) for line in lines if line]

    def _cell(self, row: int, column: int) -> float:
        """The three cells of one; gives the absolute floor that its agreement needs."""
        book, target, facts = self.book, self.target, self.facts
        at = self.first_row + row - self.rect.top
        left = _LEFT + column - self.rect.left
        edges = self._edges(row, column)
        cached, numpy = facts.cached(row, column), facts.from_inputs(row, column)
        plain = book.cell_format(None, edges=edges)
        put(target, at, left, cached, plain)
        put(target, at, left + self.gap, numpy, plain)
        mine, theirs = cell_name(at, left), cell_name(at, left + self.gap)
        place = (at, left + 2 * self.gap)
        off = book.cell_format(None, _OFF_FORMAT, edges=edges)
        if cached.kind == NUMBER == numpy.kind:
            target.write_formula_cached(*place, f"{mine}-{theirs}", off, cached.number - numpy.number)
            return self._floor(facts.sheet.verdict(row, column), cached, numpy)
        same = float(not (cached.kind == numpy.kind and cached.python == numpy.python))
        if cached.is_error or numpy.is_error:
            # An error in either would be the difference's: 0 where both are the same, 1 where they are not.
            errors = f"AND(ISERROR({mine}),ISERROR({theirs}))"
            formula = f"IF({errors},IF(ERROR.TYPE({mine})=ERROR.TYPE({theirs}),0,1),1)"
            target.write_formula_cached(*place, formula, off, same)
        elif numpy.kind == NOT_COMPUTED or cached.python is None:
            target.write_text(*place, "–", plain)
        else:
            target.write_formula_cached(*place, f"IF(EXACT({mine},{theirs}),0,1)", off, same)
        return 0.0

    def _floor(self, verdict: str | None, cached: Scalar, numpy: Scalar) -> float:
        off = abs(cached.number - numpy.number)
        wide = off > self.book.report.rtol * max(abs(cached.number), abs(numpy.number))
        return off if verdict == "agrees" and wide else 0.0

    def _edges(self, row: int, column: int) -> int:
        rect = self.rect
        return (
            (TOP if row == rect.top else 0)
            | (LEFT if column == rect.left else 0)
            | (BOTTOM if row == rect.bottom - 1 else 0)
            | (RIGHT if column == rect.right - 1 else 0)
        )

    def _area(self, number: int) -> tuple[int, int, int, int]:
        left = _LEFT + number * self.gap
        return self.first_row, left, self.first_row + self.rect.height - 1, left + self.rect.width - 1

    def _checks(self, floor: float) -> None:
        """The largest difference of the live formulas from NumPy's numbers, and the floor of the tolerance."""
        book, target, row = self.book, self.target, self.check_row
        small, number = book.format(font_size=9, font_color="#404040"), book.format(font_size=9, num_format=_OFF_FORMAT)
        live = book.lives.get(self.block.sheet)
        kinds = self.facts.sheet.from_inputs.read(self.rect)[1]
        if live is not None and bool((kinds == NUMBER).all()):
            top, left, bottom, right = self._area(1)
            numpy = Rect(top, left, bottom + 1, right + 1).a1
            formula = f"MAX(ABS({quoted_sheet(live)}{self.rect.a1}-{numpy}))"
            target.write_text(row, _LEFT, book.say("live-check"), small)
            target.write_array_cached(Rect.cell(row, _CHECK), formula, number, [[0.0]])
        target.write_text(row, _FLOOR - 4, book.say("floor"), small)
        target.write_number17(row, _FLOOR, floor, number)

    def _colours(self) -> None:
        target = self.target
        top, left, bottom, right = self._area(2)
        mine, theirs = cell_name(top, _LEFT), cell_name(top, _LEFT + self.gap)
        here = cell_name(top, left)
        floor = f"${cell_name(0, _FLOOR)[:-1]}${self.check_row + 1}"
        largest = f"MAX(ABS(N({mine})),ABS(N({theirs})))"
        rule = f"=IF(ISNUMBER({here}),ABS({here})>MAX({RTOL_NAME}*{largest},{floor}),FALSE)"
        target.conditional_format(
            top, left, bottom, right, {"type": "formula", "criteria": rule, "format": self.book.format(bg_color=OFF)}
        )
        if self.area.role.startswith("weights"):
            for number in (0, 1):
                target.conditional_format(
                    *self._area(number),
                    {
                        "type": "2_color_scale",
                        "min_color": HEAT[0],
                        "max_color": HEAT[1],
                        "min_type": "num",
                        "max_type": "num",
                        "min_value": 0,
                        "max_value": 1,
                    },
                )


__all__ = ["RTOL_NAME", "write_steps"]
