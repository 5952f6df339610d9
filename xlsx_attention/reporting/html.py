"""The report as one page that needs nothing else: no network, no script but its own, named in its policy by hash."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from xlsx_attention.model.address import Rect, column_name
from xlsx_attention.model.report import VERDICTS, FileReport, Report, SheetResult
from xlsx_attention.model.values import NUMBER
from xlsx_attention.reporting.chains import Chains
from xlsx_attention.reporting.facts import BAD, SheetFacts, difference, show, status_key
from xlsx_attention.reporting.heatmap import heatmaps
from xlsx_attention.reporting.palette import VERDICT_SHADES
from xlsx_attention.reporting.safe import visible
from xlsx_attention.reporting.words import cause_words, say, verdict_words

#: What a page shows of a sheet, and of all sheets together: a browser lays out tables of some ten thousand cells well.
_ROWS: Final = 400
_COLUMNS: Final = 120
_CELLS: Final = 30_000


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    verdict: str
    block: int
    is_number: bool
    place: str


@dataclass(frozen=True, slots=True)
class _Sheet:
    number: int
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[_Cell, ...]], ...]
    blocks: tuple[tuple[int, str], ...]
    cut: str


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@lru_cache(maxsize=8)
def _asset(name: str) -> str:
    return files("xlsx_attention.reporting.page").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"


def _style() -> str:
    """The page's style with a class for each verdict."""
    light = "\n".join(
        f".v-{v}{{background:{s.fill}}}.s-{v}{{background:{s.strong}}}" for v, s in VERDICT_SHADES.items()
    )
    dark = "\n".join(f".v-{v}{{background:{s.dark}}}" for v, s in VERDICT_SHADES.items())
    return _asset("page.css").replace("/*light*/", light).replace("/*dark*/", dark)


def render_html(report: Report, language: str = "en", color: bool = False) -> str:
    """The form ``html``: the page as text."""
    style, script = _style(), _asset("page.js")
    data: dict[str, Any] = {}
    contents = [_file(file, number, language, data) for number, file in enumerate(report.files)]
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    page = _environment().from_string(_asset("page.html.j2"))
    return page.render(
        language=language,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        data=_json(data),
        files=contents,
        tool=report.tool,
        say=lambda key, **values: say(key, language, **values),
    )


def _json(data: dict[str, Any]) -> Markup:
    """JSON that no text in it can end: the signs of markup are written as escapes."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _file(file: FileReport, number: int, language: str, data: dict[str, Any]) -> dict[str, Any]:
    context: dict[str, Any] = {
        "path": visible(file.path, 400),
        "status": file.status,
        "status_words": say(status_key(file), language),
        "error": visible(file.error.message, 600) if file.error is not None else "",
        "verdicts": [],
        "sheets": [],
        "findings": [],
        "heatmaps": [],
        "published": file.published,
        "notices": [f"{visible(n.where)}: {visible(n.message, 400)}" for n in file.notices[:20]],
        "report": file,
        "number": number,
        "saved": visible(f"{file.provenance.application} {file.provenance.version}".strip()),
    }
    if file.grid is None:
        return context
    context["verdicts"] = [
        (v, VERDICT_SHADES[v].sign, verdict_words(v, language), file.counts.get(v, 0), say(f"mean-{v}", language))
        for v in VERDICTS
        if file.counts.get(v)
    ]
    facts = {sheet.index: SheetFacts(file, sheet) for sheet in file.sheets}
    numbers = {sheet.index: f"{number}-{sheet.index}" for sheet in file.sheets}
    chains = Chains(file, facts)
    left = _CELLS
    for sheet in file.sheets:
        shown = _shown(facts[sheet.index], left)
        left -= shown.size
        if shown.size:
            context["sheets"].append(_sheet(facts[sheet.index], sheet, shown, numbers, chains, language, data))
    context["findings"] = [
        {
            "target": f"{numbers[f.sheet]}-{f.rect.top}-{f.rect.left}",
            "where": f"{visible(_name(file, f.sheet), 40)}!{f.rect.a1}",
            "text": f"{cause_words(f.cause, language)}: {visible(f.message[language], 2000)}",
        }
        for f in file.findings[:500]
    ]
    context["heatmaps"] = heatmaps(file, say("query", language), say("key", language))
    return context


def _name(file: FileReport, index: int) -> str:
    assert file.grid is not None
    return file.grid.sheets[index].name


def _shown(facts: SheetFacts, left: int) -> Rect:
    """The part of the sheet that the page shows: from its first cell, within the limits; diverging cells come first."""
    rect = facts.sheet.rect
    height, width = min(rect.height, _ROWS), min(rect.width, _COLUMNS)
    if width and height * width > left:
        height = left // width
    bad = [at for at, cell in facts.special.items() if cell.verdict in BAD and rect.contains(*at)]
    top, column = rect.top, rect.left
    if bad and not any(r < rect.top + height and c < rect.left + width for r, c in bad):
        top = max(rect.top, min(min(bad)[0] - 5, rect.bottom - height))
        column = max(rect.left, min(min(c for _, c in bad) - 3, rect.right - width))
    return Rect(top, column, top + height, column + width)


def _sheet(
    facts: SheetFacts,
    sheet: SheetResult,
    shown: Rect,
    numbers: dict[int, str],
    chains: Chains,
    language: str,
    data: dict[str, Any],
) -> _Sheet:
    code = numbers[sheet.index]
    rows = []
    for row in range(shown.top, shown.bottom):
        cells = []
        for column in range(shown.left, shown.right):
            value = facts.cached(row, column)
            verdict = sheet.verdict(row, column)
            place = f"{code}-{row}-{column}"
            step = facts.step(row, column) if verdict is not None else None
            text = show(value, 5) if value.kind == NUMBER else visible(show(value), 60)
            cells.append(
                _Cell(text, verdict or "", step.index if step is not None else -1, value.kind == NUMBER, place)
            )
            if verdict is not None:
                data[place] = _details(facts, row, column, verdict, numbers, chains, language)
        rows.append((row + 1, tuple(cells)))
    blocks = tuple(
        (block.step, f"{block.role} {block.rect.a1}".strip())
        for block in sheet.blocks
        if block.rect.intersection(shown)
    )
    cut = ""
    if shown != sheet.rect:
        cut = say(
            "cut-page",
            language,
            shown=f"{shown.height} × {shown.width}",
            total=f"{sheet.rect.height} × {sheet.rect.width}",
        )
    columns = tuple(column_name(column) for column in range(shown.left, shown.right))
    return _Sheet(sheet.index, visible(sheet.name, 60), columns, tuple(rows), blocks, cut)


def _details(
    facts: SheetFacts, row: int, column: int, verdict: str, numbers: dict[int, str], chains: Chains, language: str
) -> dict[str, Any]:
    """What the page tells of a cell: lines of (word, text), and the way to the origin."""
    result = facts.special.get((row, column))
    cached = facts.cached(row, column)
    by_precedents = result.from_precedents if result is not None else facts.from_precedents(row, column)
    by_inputs = result.from_inputs if result is not None else facts.from_inputs(row, column)
    step = facts.step(row, column)
    role = result.role if result is not None and result.role else facts.role(row, column)
    numpy = result.numpy if result is not None and result.numpy else (facts.numpy_of(step.index) if step else "")
    off = difference(cached, by_inputs)
    pairs = [
        ("role", role),
        ("cause", cause_words(result.cause, language) if result is not None and result.cause else ""),
        ("formula-head", facts.formula(row, column)),
        ("expected-formula", result.expected if result is not None else ""),
        ("numpy", numpy),
        ("instructor", show(cached)),
        ("from-precedents", show(by_precedents)),
        ("from-inputs", show(by_inputs)),
        ("difference", f"{off:.3g}" if off else ""),
    ]
    details: dict[str, Any] = {
        "v": f"{VERDICT_SHADES[verdict].sign} {verdict_words(verdict, language)}",
        "l": [[say(key, language), visible(text, 800)] for key, text in pairs if text],
    }
    if verdict in BAD:
        way = chains.way((facts.sheet.index, row, column))
        details["c"] = [[f"{numbers[s]}-{r}-{c}", _where(facts, s, r, c)] for s, r, c in way if s in numbers]
    return details


def _where(facts: SheetFacts, sheet: int, row: int, column: int) -> str:
    cell = f"{column_name(column)}{row + 1}"
    return cell if sheet == facts.sheet.index else f"{visible(facts.grid.sheets[sheet].name, 31)}!{cell}"
