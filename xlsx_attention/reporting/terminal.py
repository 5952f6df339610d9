"""The report for a person at a terminal: what agrees in one line a sheet, what does not cell by cell, and a last
line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from xlsx_attention.model.report import VERDICTS, CellResult, FileReport, Report, SheetResult
from xlsx_attention.model.values import NUMBER, Scalar
from xlsx_attention.reporting.safe import visible
from xlsx_attention.reporting.words import CAUSES, counted, say

#: Origins that are shown one by one, and neighbours of one cause beyond which they are folded into a line.
SHOWN = 20
FOLD = 3

_STYLES = {"good": "32", "bad": "31", "warn": "33", "dim": "2", "bold": "1"}


class Terminal:
    """Renders to lines; ``color`` adds ANSI styles, ``language`` is ``en`` or ``zh``."""

    def __init__(self, color: bool = False, language: str = "en") -> None:
        self.color = color
        self.language = language

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.color else text

    def _say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def _counted(self, number: int, thing: str) -> str:
        return counted(number, thing, self.language)

    def render(self, report: Report) -> str:
        lines: list[str] = []
        for file in report.files:
            if file.error is None:
                lines += self.file(file)
        if len(report.files) > 1:
            lines.append(self._total(report))
        return "\n".join(lines)

    def _total(self, report: Report) -> str:
        agree = sum(file.status == "agrees" for file in report.files)
        diverge = sum(file.status == "diverges" for file in report.files)
        unread = sum(file.status == "unreadable" for file in report.files)
        return self._say("total", files=len(report.files), agree=agree, diverge=diverge, unread=unread)

    def file(self, file: FileReport) -> list[str]:
        lines = [self._styled(visible(file.path), "bold")]
        for sheet in file.sheets:
            if sum(sheet.counts.values()):
                lines.append("  " + self._sheet(sheet))
        lines += self._origins(file)
        for finding in file.findings:
            sheet_name = next(s.name for s in file.sheets if s.index == finding.sheet)
            message = visible(finding.message[self.language], 600)
            role = f" ({finding.role})" if finding.role else ""
            # Most sentences begin with their own place.
            place = "" if message.startswith(finding.rect.a1) else f"{finding.rect.a1}{role}: "
            head = self._styled(self._say("finding"), "warn")
            lines.append(f"  {head} {visible(sheet_name, 31)}!{place}{message}")
        for name, cells in file.not_computed.items():
            lines.append("  " + self._say("lacking", name=visible(name), cells=self._counted(cells, "cell")))
        lines += self._published(file)
        lines += [f"  {visible(n.where)}: {visible(n.message)}" for n in file.notices[:SHOWN]]
        if len(file.notices) > SHOWN:
            lines.append("  " + self._say("more-notices", count=len(file.notices) - SHOWN))
        missing = file.counts.get("no-cached-value", 0)
        if missing:
            lines.append("  " + self._say("nothing-stored", cells=self._counted(missing, "cell").strip()))
        elif not file.computed:
            lines.append("  " + self._say("nothing-computed"))
        lines.append("  " + self._last(file))
        return lines

    def _sheet(self, sheet: SheetResult) -> str:
        computed = sum(sheet.counts.values())
        parts = [
            self._styled(f"{sheet.counts[v]:,} {say(v, self.language)}", "good" if v == "agrees" else _tone(v))
            for v in VERDICTS
            if sheet.counts[v]
        ]
        head = self._say("sheet", name=visible(sheet.name, 31), cells=f"{computed:,}", blocks=f"{len(sheet.blocks):,}")
        return f"{head} {', '.join(parts)}"

    def _origins(self, file: FileReport) -> Iterator[str]:
        accused = [cell for cell in file.cells if cell.verdict in ("origin", "overridden")]
        spoils: dict[tuple[int, str], int] = defaultdict(int)
        names = {sheet.index: sheet.name for sheet in file.sheets}
        indices = {name: index for index, name in names.items()}
        for cell in file.cells:
            for origin in cell.origins:
                spoils[_place(cell.sheet, origin, indices)] += 1
        shown = 0
        for group in _groups(accused):
            for cell in group[:FOLD]:
                if shown == SHOWN:
                    yield "  " + self._say("more-origins", count=len(accused) - shown)
                    return
                shown += 1
                yield from self._origin(cell, names[cell.sheet], spoils[cell.sheet, cell.cell])
            if len(group) > FOLD:
                rest = ", ".join(cell.cell for cell in group[FOLD : FOLD + 8]) + (" …" if len(group) > FOLD + 8 else "")
                shown += 1
                yield "    " + self._say("alike", count=len(group) - FOLD, cells=rest)

    def _origin(self, cell: CellResult, sheet: str, spoiled: int) -> Iterator[str]:
        role = f" {cell.role}" if cell.role else ""
        cause = CAUSES[cell.cause][self.language] if cell.cause in CAUSES else cell.cause
        mark = self._styled(say(cell.verdict, self.language), _tone(cell.verdict))
        yield f"  {mark} {visible(sheet, 31)}!{cell.cell}{role}: {cause}"
        yield "      " + self._say("values", cached=_value(cell.cached), recomputed=_value(cell.from_precedents))
        if cell.formula:
            yield "      " + self._say("formula", formula=visible(cell.formula))
        if cell.expected:
            yield "      " + self._say("block-formula", formula=visible(cell.expected))
        if spoiled:
            yield "      " + self._say("spoils", count=self._counted(spoiled, "cell"))

    def _published(self, file: FileReport) -> Iterator[str]:
        if not file.published:
            return
        good = sum(figure.agrees for figure in file.published)
        style = "good" if good == len(file.published) else "bad"
        yield "  " + self._styled(self._say("published", total=len(file.published), agree=good), style)
        for figure in file.published:
            if not figure.agrees:
                yield "    " + self._say(
                    "figure",
                    step=f"{figure.step}[{figure.row},{figure.column}]",
                    printed=f"{figure.printed:.{figure.decimals}f}",
                    recomputed=f"{figure.recomputed:.{figure.decimals + 3}f}",
                    cell=figure.cell or "?",
                )

    def _last(self, file: FileReport) -> str:
        good = file.ok
        unjudged = good and (not file.computed or file.counts.get("no-cached-value", 0) > 0)
        word, style = ("not-judged", "warn") if unjudged else ("ok", "good") if good else ("not-ok", "bad")
        verdict = self._styled(self._say(word), style)
        accused = file.counts.get("origin", 0) + file.counts.get("overridden", 0)
        return f"{verdict} " + self._say(
            "summary",
            agrees=f"{file.counts.get('agrees', 0):,}",
            computed=f"{file.computed:,}",
            bits=f"{file.bit_equal:,}",
            origins=accused,
            findings=self._counted(len(file.findings), "finding"),
            rtol=f"{file.rtol:g}",
            seconds=f"{file.seconds:.2f}",
        )


def _tone(verdict: str) -> str:
    return {"origin": "bad", "overridden": "bad", "inherited": "warn"}.get(verdict, "dim")


def _value(value: Scalar) -> str:
    if value.kind == NUMBER:
        return repr(value.number)
    python = value.python
    return repr(visible(python)) if isinstance(python, str) and not value.is_error else str(python)


def _place(sheet: int, origin: str, names: dict[str, int]) -> tuple[int, str]:
    name, mark, cell = origin.rpartition("!")
    if not mark:
        return sheet, origin
    return names.get(name, sheet), cell


def _groups(cells: list[CellResult]) -> list[list[CellResult]]:
    """Neighbours of one cause and one block together, so that a pasted row is told in one breath."""
    groups: dict[tuple[int, str, str, str], list[CellResult]] = defaultdict(list)
    for cell in cells:
        role = cell.role.partition("[")[0]
        groups[cell.sheet, cell.cause, cell.verdict, role or f"{cell.row // 20},{cell.column // 20}"].append(cell)
    return list(groups.values())


def render_text(report: Report, language: str = "en", color: bool = False) -> str:
    """The form ``text``."""
    return Terminal(color, language).render(report)
