"""The one way through the stages: file → grid → blocks → plan → values → verdicts → report."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from xlsx_attention import parsing, reading
from xlsx_attention.comparing.assemble import OfSteps, assemble
from xlsx_attention.comparing.tolerance import Tolerance, same_bits
from xlsx_attention.comparing.verdicts import Cell, Judged, Recomputed, judge
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.errors import FormulaSyntaxError, UnreadableFile
from xlsx_attention.model.address import Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.formula import FormulaForm, Tree
from xlsx_attention.model.grid import Notice, WorkbookGrid
from xlsx_attention.model.plan import Plan, Step
from xlsx_attention.model.recursion import deep
from xlsx_attention.model.report import FileError, FileReport, Report
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, Floats, Plane
from xlsx_attention.running import run
from xlsx_attention.running.evaluator import Machine
from xlsx_attention.running.magnitude import magnitude

if TYPE_CHECKING:
    from xlsx_attention.model.published import Published


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is verified.

    ``rtol`` ``None`` follows from the file's digits; ``sheets`` ``None`` means all. ``words`` puts each step into
    words of NumPy and mathematics as well, which takes longer than finding it right.
    """

    rtol: float | None = None
    sheets: tuple[str, ...] | None = None
    budgets: Budgets = field(default_factory=Budgets)
    recognise: bool = True
    words: bool = False


@dataclass(frozen=True, slots=True)
class Understood:
    """A file read, parsed and compiled, and recomputed both ways."""

    grid: WorkbookGrid
    plan: Plan
    values: Recomputed
    attention: AttentionMap
    special: dict[int, str]
    circular: set[Cell]


def parse_names(grid: WorkbookGrid) -> dict[tuple[int | None, str], Tree]:
    """Defined names as trees; one that cannot be parsed becomes a notice and ``#NAME?``."""
    names: dict[tuple[int | None, str], Tree] = {}
    characters = 0
    for name in grid.names:
        characters += len(name.formula)
        if characters > grid.budgets.characters:
            raise grid.budgets.over("characters", characters, "the defined names")
        try:
            names[name.sheet, name.name.upper()] = parsing.parse(name.formula, 0, 0)
        except FormulaSyntaxError as fault:
            grid.notices.append(Notice("name-not-understood", name.name, str(fault)))
    return names


@deep()
def understand(grid: WorkbookGrid, options: Options = Options()) -> Understood:
    """Everything but the verdicts."""
    grid.spent = 0
    blocks = parsing.find_blocks(grid)
    plan = compile_plan(grid, blocks, parse_names(grid))
    special = _special(plan)
    circular = {cell for cycle in plan.cycles for cell in cycle}
    kept = circular | {
        (step.block.sheet, *at)
        for step in plan.steps
        if special.get(step.index) in ("volatile", "external")
        for at in step.block.cells.cells()
    }
    values = _recompute(grid, plan, kept)
    lacking = {
        step.index
        for step in plan.steps
        if step.index not in special and _any_not_computed(values.precedents[step.block.sheet], step.block.cells)
    }
    for index in _downstream(plan, lacking) - lacking:
        special.setdefault(index, "depends-on-not-computed")
    attention = AttentionMap()
    if options.recognise:
        if _readable(plan):
            attention = _recognise(grid, plan)
        else:
            links = sum(map(len, plan.edges.values()))
            what = f"{len(plan.steps):,} unlike blocks with {links:,} links between them"
            grid.notices.append(Notice("not-recognised", "workbook", f"{what}: no attention was looked for"))
    return Understood(grid, plan, values, attention, special, circular)


#: Blocks, and links between them, beyond which no attention is looked for: a lesson has some dozens.
RECOGNISED = 10_000
LINKED = 100_000


def _readable(plan: Plan) -> bool:
    """Whether a workbook is such that its steps can be told in words."""
    return len(plan.steps) <= RECOGNISED and sum(map(len, plan.edges.values())) <= LINKED


def _recognise(grid: WorkbookGrid, plan: Plan) -> AttentionMap:
    from xlsx_attention.recognising import recognise

    return recognise(grid, plan)


def _any_not_computed(plane: Plane, rect: Rect) -> bool:
    return bool((plane.read(rect)[1] == NOT_COMPUTED).any())


def _special(plan: Plan) -> dict[int, str]:
    """Steps that are judged otherwise; what depends on them too."""
    special: dict[int, str] = {}
    for step in plan.steps:
        if step.volatile:
            special[step.index] = "volatile"
        elif step.external:
            special[step.index] = "external"
    volatile = {index for index, kind in special.items() if kind == "volatile"}
    for index in _downstream(plan, volatile) - volatile:
        special.setdefault(index, "depends-on-volatile")
    return special


def _downstream(plan: Plan, sources: set[int]) -> set[int]:
    if not sources:
        return set()
    readers: dict[int, list[int]] = {}
    for index, before in plan.edges.items():
        for precedent in before:
            readers.setdefault(precedent, []).append(index)
    seen, stack = set(sources), list(sources)
    while stack:
        for reader in readers.get(stack.pop(), ()):
            if reader not in seen:
                seen.add(reader)
                stack.append(reader)
    return seen


def _recompute(grid: WorkbookGrid, plan: Plan, kept: set[Cell]) -> Recomputed:
    """From precedents everywhere; from the inputs only where the first differs from the file in any bit.

    Where a step and all that it reads equal the file to the bit, computing it from the inputs would give those very
    bits again: the second run would be the first.
    """
    stored = [sheet.cached for sheet in grid.sheets]
    if _lacks_caches(grid, plan):
        # What the file does not store is filled in from the inputs, so that its dependents can be judged at all.
        computed = run.from_inputs(grid, plan, kept=kept, parse=parsing.parse)
        stored = [_filled(plane, full) for plane, full in zip(stored, computed, strict=True)]
        precedents = run.from_precedents(grid, plan, parsing.parse, planes=stored)
        inputs = computed
    else:
        precedents = run.from_precedents(grid, plan, parsing.parse)
        dirty = {
            step.index
            for step in plan.steps
            if not same_bits(
                *grid.sheets[step.block.sheet].cached.read(step.block.cells),
                *precedents[step.block.sheet].read(step.block.cells),
            ).all()
        }
        dirty |= {repair.step for repair in plan.repairs} | {r.own for r in plan.repairs if r.own is not None}
        dirty |= _readers_of(plan, [(r.sheet, Rect.cell(r.row, r.column)) for r in plan.repairs])
        wanted = _downstream(plan, dirty)
        if wanted:
            inputs = run.from_inputs(grid, plan, wanted=wanted, kept=kept, parse=parsing.parse)
        else:
            inputs = [sheet.cached for sheet in grid.sheets]
    machine = Machine(grid, stored, plan.names, parsing.parse)
    repaired: dict[Cell, tuple[float, int]] = {}
    for repair in plan.repairs:
        value = run.evaluate(machine, plan.steps[repair.step], Rect.cell(repair.row, repair.column))
        repaired[repair.sheet, repair.row, repair.column] = (float(value.number.flat[0]), int(value.kind.flat[0]))
    return Recomputed(precedents, inputs, repaired)


def _readers_of(plan: Plan, places: Iterable[tuple[int, Rect]]) -> set[int]:
    rows: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
    for sheet, rect in places:
        rows[sheet].append((rect.top, rect.left, rect.bottom, rect.right))
    bounds = {sheet: np.array(rects).T for sheet, rects in rows.items()}
    found: set[int] = set()
    known: dict[tuple[int, Rect], bool] = {}
    for step in plan.steps if bounds else ():
        for read in step.reads:
            if read.sheet not in bounds:
                continue
            key = (read.sheet, read.rect)
            if key not in known:
                top, left, bottom, right = bounds[read.sheet]
                r = read.rect
                known[key] = bool(((top < r.bottom) & (bottom > r.top) & (left < r.right) & (right > r.left)).any())
            if known[key]:
                found.add(step.index)
    return found


def _lacks_caches(grid: WorkbookGrid, plan: Plan) -> bool:
    return any(
        bool((grid.sheets[step.block.sheet].cached.read(step.block.cells)[1] == EMPTY).any()) for step in plan.steps
    )


def _filled(stored: Plane, computed: Plane) -> Plane:
    plane = stored.copy()
    missing = plane.kind == EMPTY
    plane.number[missing] = computed.number[missing]
    plane.kind[missing] = computed.kind[missing]
    for cell, value in computed.outliers.items():
        plane.outliers.setdefault(cell, value)
    return plane


@deep()
def verify_grid(
    grid: WorkbookGrid, options: Options = Options(), published: Published | None = None, started: float | None = None
) -> FileReport:
    """The report on a workbook that has been read."""
    started = time.perf_counter() if started is None else started
    understood = understand(grid, options)
    plan, values = understood.plan, understood.values
    tolerance = Tolerance.for_file(grid.provenance, options.rtol)
    machine = Machine(grid, [sheet.cached for sheet in grid.sheets], plan.names, parsing.parse)
    by_cells: dict[tuple[int, Rect], Step] = {(s.block.sheet, s.block.cells): s for s in plan.steps}
    of_sheet: dict[int, list[Step]] = defaultdict(list)
    for each in plan.steps:
        of_sheet[each.block.sheet].append(each)

    def size_of(sheet: int, rect: Rect) -> Floats:
        step = by_cells.get((sheet, rect))
        if step is None:
            step = next((s for s in of_sheet[sheet] if s.block.cells.covers(rect)), None)
        return np.zeros(rect.shape) if step is None else magnitude(machine, step, rect)

    judged = judge(grid, plan, values, tolerance, size_of, understood.special, understood.circular)

    def formula_at(form: FormulaForm, row: int, column: int) -> str:
        return parsing.formula_at(form, row, column)

    values, of_steps = _by_role(understood, judged)
    report = assemble(grid, plan, values, judged, tolerance, understood.attention, formula_at, options.sheets, of_steps)
    if options.words and _readable(plan):
        report = _with_words(report, grid, plan)
    if published is not None:
        from xlsx_attention.comparing.published import hold_against

        figures = hold_against(published, report)
        status = report.status if all(f.agrees for f in figures) else "diverges"
        report = replace(report, published=figures, status=status)
    return replace(report, seconds=time.perf_counter() - started)


def _by_role(understood: Understood, judged: Judged) -> tuple[Recomputed, OfSteps]:
    """Blocks and bare numbers held against the reference step of their role; verdicts of the latter go into ``judged``.

    Nothing is loaded where nothing is recognised.
    """
    found = understood.attention
    if not found.attentions and not any(step.kind == "layer norm" for step in found.others):
        return understood.values, OfSteps()
    from xlsx_attention.attention import exp, matmul_in_order, sum_in_order
    from xlsx_attention.comparing.bare import judge_numbers
    from xlsx_attention.comparing.cell_causes import CellCauses
    from xlsx_attention.comparing.findings import find, subjects
    from xlsx_attention.comparing.matrices import Sheets
    from xlsx_attention.comparing.reference import Reference

    reference = Reference(matmul_in_order, exp, lambda array: sum_in_order(array)[..., 0])
    sheets = Sheets(understood.grid, understood.plan, understood.values)
    heads = list(subjects(sheets, understood.attention, reference))
    numbers = judge_numbers(understood.grid, judged, understood.values, heads)
    findings = (*find(sheets, understood.attention, heads), *numbers.findings)
    by_role = CellCauses(heads).cause
    return numbers.values, OfSteps(findings, numbers.causes, numbers.origins, by_role)


def _with_words(report: FileReport, grid: WorkbookGrid, plan: Plan) -> FileReport:
    """The report with each block, and each cell that diverges, as NumPy and as mathematics."""
    from xlsx_attention.recognising import Wording

    wording = Wording(grid, plan, report.attention)
    sheets = tuple(
        replace(
            sheet,
            blocks=tuple(
                replace(block, numpy=wording.numpy(plan.steps[block.step]), math=wording.math(plan.steps[block.step]))
                if block.step < len(plan.steps) and block.step >= 0
                else block
                for block in sheet.blocks
            ),
        )
        for sheet in report.sheets
    )
    numpy = {
        (block.sheet, *cell): block.numpy for sheet in sheets for block in sheet.blocks for cell in _few(block.rect)
    }
    cells = tuple(
        replace(cell, numpy=cell.numpy or numpy.get((cell.sheet, cell.row, cell.column), "")) for cell in report.cells
    )
    return replace(report, sheets=sheets, cells=cells)


def _few(rect: Rect) -> Iterable[tuple[int, int]]:
    """The cells of a block, unless it is too large for anyone to read them one by one."""
    return rect.cells() if rect.size <= 65_536 else ()


def verify_file(
    path: str | os.PathLike[str] | reading.Source, options: Options = Options(), published: Published | None = None
) -> FileReport:
    """The report on one file, by its path or already loaded; a file that cannot be read is a report of its own, not
    an exception.
    """
    started = time.perf_counter()
    try:
        grid = reading.read_workbook(path, budgets=options.budgets)
        # Some budgets only show once formulas are understood.
        return verify_grid(grid, options, published, started)
    except UnreadableFile as error:
        shown = path.path if isinstance(path, reading.Source) else os.fspath(path)
        return FileReport(shown, "unreadable", FileError(error.code, str(error)))


def verify(
    source: str | os.PathLike[str] | WorkbookGrid,
    *,
    rtol: float | None = None,
    sheets: Sequence[str] | None = None,
    published: str | os.PathLike[str] | None = None,
) -> FileReport:
    """The report on one workbook, by its path or already read (``reading.from_openpyxl`` gives a grid).

    Raises :class:`~xlsx_attention.errors.UnreadableFile` where the file cannot be read: in Python that is an
    exception, on the command line a line of the report.
    """
    from xlsx_attention.model.published import Published

    options = Options(rtol=rtol, sheets=None if sheets is None else tuple(sheets))
    figures = None if published is None else Published.load(published)
    started = time.perf_counter()
    grid = source if isinstance(source, WorkbookGrid) else reading.read_workbook(source, budgets=options.budgets)
    return verify_grid(grid, options, figures, started)


def compare(
    source: str | os.PathLike[str] | WorkbookGrid,
    target: str | os.PathLike[str],
    *,
    rtol: float | None = None,
    sheets: Sequence[str] | None = None,
    published: str | os.PathLike[str] | None = None,
    language: str = "en",
) -> FileReport:
    """Write the comparison workbook of ``source`` to ``target``, in ``en`` or ``zh``; the report that it shows.

    Raises :class:`~xlsx_attention.errors.UnreadableFile` as :func:`verify` does, and
    :class:`~xlsx_attention.errors.UsageError` where ``target`` would overwrite the workbook that was read.
    """
    from xlsx_attention.model.published import Published
    from xlsx_attention.reporting.comparison import comparison_workbook

    options = Options(rtol=rtol, sheets=None if sheets is None else tuple(sheets), words=True)
    figures = None if published is None else Published.load(published)
    grid = source if isinstance(source, WorkbookGrid) else reading.read_workbook(source, budgets=options.budgets)
    report = verify_grid(grid, options, figures)
    comparison_workbook(report, target, language)
    return report


def verify_files(paths: Sequence[str | os.PathLike[str]], options: Options = Options()) -> Report:
    """Every file in the order given."""
    return Report(tuple(verify_file(path, options) for path in paths), tool=tool_name())


def tool_name() -> str:
    from xlsx_attention import __version__

    return f"xlsx-attention {__version__}"


__all__ = ["Options", "Understood", "compare", "understand", "verify", "verify_file", "verify_files", "verify_grid"]
