"""The first sheet: what was compared, by which measure, and what came of it."""

from __future__ import annotations

from typing import Final

from xlsx_attention.model.report import VERDICTS
from xlsx_attention.reporting.areas import areas, divergent_first
from xlsx_attention.reporting.comparison.book import Book, link
from xlsx_attention.reporting.comparison.steps import RTOL_NAME
from xlsx_attention.reporting.facts import status_key
from xlsx_attention.reporting.formula_text import quoted_sheet
from xlsx_attention.reporting.palette import OFF, VERDICT_SHADES
from xlsx_attention.reporting.safe import visible
from xlsx_attention.reporting.words import cause_words, counted, verdict_words

#: Bars stay light, so that the numbers on them can be read.
_BAR: Final = "#9CC7E5"
#: Heads over numbers stand at the right, as numbers do.
_NUMBERS: Final = frozenset({"cells", "agrees", "diverging"})
_BLOCKS: Final = 200
_FINDINGS: Final = 500
_NOTICES: Final = 50


def write_summary(book: Book) -> None:
    """Written last: by now every other sheet has said what it left out."""
    _Summary(book).write()


class _Summary:
    def __init__(self, book: Book) -> None:
        self.book = book
        self.sheet = book.summary
        self.row = 0
        self.head = book.format(bold=True, font_size=12, font_color="#12354A", bottom=1)
        self.number_head = book.format(bold=True, font_size=12, font_color="#12354A", bottom=1, align="right")
        self.bold = book.format(bold=True)
        self.plain = book.format()
        self.indented = book.format(indent=1)
        self.linked = book.format(font_color="#0563C1", underline=1)
        self.wrapped = book.format(text_wrap=True, valign="top")

    def write(self) -> None:
        sheet = self.sheet
        for column, width in enumerate((44, 16, 18, 14, 14, 14, 14, 14, 14, 14, 14)):
            sheet.set_column(column, column, width)
        sheet.hide_gridlines(2)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        self._facts()
        self._verdicts()
        self._by_sheet()
        self._findings()
        self._by_step()
        self._said()
        sheet.freeze_panes(1, 0)
        sheet.activate()

    def _facts(self) -> None:
        book, report = self.book, self.book.report
        title = book.format(bold=True, font_size=16, font_color="#12354A")
        self.sheet.write_text(0, 0, book.say("title"), title)
        saved = f"{report.provenance.application} {report.provenance.version}".strip() or book.say("unknown")
        self.row = 2
        self._fact("file", visible(report.path, 400))
        self._fact("saved-by", visible(saved))
        shade = VERDICT_SHADES["agrees" if report.ok else "origin"]
        self._fact("status", book.say(status_key(report)), book.format(bold=True, bg_color=shade.fill))
        self.sheet.write_text(self.row, 2, book.say("rtol-why", digits=report.provenance.digits), self.indented)
        where = f"={quoted_sheet(self.sheet.name)}$B${self.row + 1}"
        book.workbook.define_name(RTOL_NAME, where)
        self._fact("rtol", report.rtol, book.format(num_format="0E+00", align="left"))
        self._fact("calc-mode", report.calc_mode)
        left = book.format(num_format="#,##0", align="left")
        self._fact("computed", float(report.computed), left)
        self._fact("bit-equal", float(report.bit_equal), left)
        self._fact("max-ulp", report.max_ulp, book.format(num_format="#,##0.##", align="left"))

    def _fact(self, key: str, value: str | float, style: object = None) -> None:
        self.sheet.write_text(self.row, 0, self.book.say(key), self.bold)
        if isinstance(value, str):
            self.sheet.write_text(self.row, 1, value, style or self.plain)
        else:
            self.sheet.write_number17(self.row, 1, value, style or self.plain)
        self.row += 1

    def _heads(self, *keys: str) -> None:
        self.row += 1
        for column, key in enumerate(keys):
            style = self.number_head if key in _NUMBERS else self.head
            self.sheet.write_text(self.row, column, self.book.say(key), style)
        self.row += 1

    def _verdicts(self) -> None:
        book = self.book
        self._heads("verdict", "cells", "meaning")
        first = self.row
        for verdict in VERDICTS:
            count = book.report.counts.get(verdict, 0)
            if not count and verdict not in ("agrees", "origin", "inherited", "overridden"):
                continue
            label = f"{VERDICT_SHADES[verdict].sign} {verdict_words(verdict, book.language)}"
            self.sheet.write_text(self.row, 0, label, book.cell_format(verdict))
            self.sheet.write_number17(self.row, 1, count, book.format(num_format="#,##0"))
            self.sheet.write_text(self.row, 2, book.say(f"mean-{verdict}"), self.indented)
            self.row += 1
        self._bars(first, 1, _BAR)

    def _bars(self, first: int, column: int, colour: str) -> None:
        if self.row > first:
            self.sheet.conditional_format(
                first,
                column,
                self.row - 1,
                column,
                {"type": "data_bar", "bar_color": colour, "bar_solid": True, "min_type": "num", "min_value": 0},
            )

    def _by_sheet(self) -> None:
        """A row a sheet, a column a verdict, and the picture of them."""
        book = self.book
        shown = [v for v in VERDICTS if book.report.counts.get(v)]
        sheets = [s for s in book.report.sheets if sum(s.counts.values())]
        if not sheets:
            return
        self.row += 1
        self.sheet.write_text(self.row, 0, book.say("by-sheet"), self.head)
        for column, verdict in enumerate(shown, 1):
            self.sheet.write_text(self.row, column, verdict_words(verdict, book.language), self.number_head)
        head = self.row
        self.row += 1
        for sheet in sheets:
            link(self.sheet, self.row, 0, book.mirrors[sheet.index], "A1", book.mirrors[sheet.index], self.linked)
            for column, verdict in enumerate(shown, 1):
                self.sheet.write_number17(
                    self.row, column, sheet.counts.get(verdict, 0), book.format(num_format="#,##0")
                )
            self.row += 1
        chart = book.workbook.add_chart({"type": "bar", "subtype": "percent_stacked"})
        name = self.sheet.name
        for column, verdict in enumerate(shown, 1):
            chart.add_series(
                {
                    "name": [name, head, column],
                    "categories": [name, head + 1, 0, self.row - 1, 0],
                    "values": [name, head + 1, column, self.row - 1, column],
                    "fill": {"color": VERDICT_SHADES[verdict].strong},
                    "gap": 40,
                }
            )
        chart.set_title({"name": book.say("by-sheet"), "name_font": {"size": 11}})
        chart.set_y_axis({"reverse": True})
        chart.set_x_axis({"num_format": "0%", "major_gridlines": {"visible": True, "line": {"color": "#D0D0D0"}}})
        chart.set_legend({"position": "bottom"})
        rows = max(9, 4 + 2 * len(sheets))
        chart.set_size({"width": 640, "height": 20 * min(rows, 30)})
        self.row += 1
        self.sheet.insert_chart(self.row, 0, chart)
        self.row += min(rows, 30) + 1

    def _findings(self) -> None:
        book = self.book
        self._heads("findings", "cell", "cause")
        findings = book.report.findings
        if not findings:
            self.sheet.write_text(self.row, 0, book.say("no-findings"), self.plain)
            self.row += 1
        for finding in findings[:_FINDINGS]:
            mirror = book.mirrors[finding.sheet]
            self.sheet.write_text(self.row, 0, mirror, self.plain)
            link(self.sheet, self.row, 1, mirror, finding.rect.a1, finding.rect.a1, self.linked)
            words = f"{cause_words(finding.cause, book.language)}: {visible(book.text(finding.message), 2000)}"
            self.sheet.merge_range(self.row, 2, self.row, 10, "", self.wrapped)
            self.sheet.write_text(self.row, 2, words, self.wrapped)
            units = sum(2 if ord(letter) > 0x2E7F else 1 for letter in words)
            self.sheet.set_row(self.row, 15.0 * (1 + units // 115))
            self.row += 1

    def _by_step(self) -> None:
        book = self.book
        found = divergent_first([area for facts in book.facts.values() for area in areas(facts)])
        self._heads("by-step", "range", "role", "cells", "agrees", "diverging", "formula-head")
        first = self.row
        for area in found[:_BLOCKS]:
            mirror = book.mirrors[area.sheet]
            self.sheet.write_text(self.row, 0, mirror, self.plain)
            link(self.sheet, self.row, 1, mirror, area.rect.a1, area.rect.a1, self.linked)
            self.sheet.write_text(self.row, 2, area.role, self.plain)
            for column, count in (
                (3, area.rect.size),
                (4, area.counts.get("agrees", 0)),
                (5, area.bad),
            ):
                self.sheet.write_number17(self.row, column, count, self.plain)
            self.sheet.write_text(self.row, 6, visible(area.block.formula, 300), self.indented)
            self.row += 1
        self._bars(first, 5, OFF)
        if len(found) > _BLOCKS:
            book.said.append(f"{book.say('by-step')}: {_BLOCKS} / {len(found):,}")

    def _said(self) -> None:
        book = self.book
        notices = [f"{notice.where}: {notice.message}" for notice in book.report.notices[:_NOTICES]]
        lacking = [
            book.say("not-computed", name=name, cells=counted(cells, "cell", book.language))
            for name, cells in book.report.not_computed.items()
        ]
        lines = [*book.said, *lacking, *notices]
        if not lines:
            return
        self._heads("notices")
        for line in lines:
            self.sheet.write_text(self.row, 0, visible(line, 600), self.plain)
            self.row += 1
