"""Bare numbers on recognised steps: each is a computed cell, and should hold what its step gives on the sheet's own
precedents.

Printed numbers stand for intervals. Two answers come of two chains: one step from the printed precedents, and all steps
from the inputs, widened at each step by what printing rounds away.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from xlsx_attention.comparing import intervals
from xlsx_attention.comparing.cell_causes import CellCauses
from xlsx_attention.comparing.chain import HEADS, JOINED, ORDER, Chain
from xlsx_attention.comparing.fitting import EXPLAINS, Way, as_exact, fitted_to, meeting, plus, take, unseen_bias
from xlsx_attention.comparing.intervals import Interval
from xlsx_attention.comparing.masks import Bools
from xlsx_attention.comparing.matrices import Cells
from xlsx_attention.comparing.reach import reached
from xlsx_attention.comparing.scales import says_scale
from xlsx_attention.comparing.sentences import say
from xlsx_attention.comparing.steps import STEPS
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.comparing.verdicts import CODE, Cell, Judged, Recomputed
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.report import NOT_COMPUTED_CELL, Finding
from xlsx_attention.model.values import NUMBER, Plane

#: Products whose numbers may be exact, and what must be exact for that.
PRODUCTS: Final[dict[str, frozenset[str]]] = {
    "Q": frozenset(),
    "K": frozenset(),
    "V": frozenset(),
    "scores": frozenset("QK"),
}
#: Where a bias may have been added that was not recognised.
BIASES: Final = {"Q": "b_q", "K": "b_k", "V": "b_v", "projected": "b_o"}
#: A mistake of method must explain more than this share.
MOST = 0.9


@dataclass(slots=True)
class Numbers:
    """What judging bare numbers gave, beside the verdicts: their values, causes, origins, and findings about whole
    blocks.
    """

    values: Recomputed
    causes: dict[Cell, str] = field(default_factory=dict)
    origins: dict[Cell, tuple[Cell, ...]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def judge_numbers(grid: WorkbookGrid, judged: Judged, values: Recomputed, subjects: list[Subject]) -> Numbers:
    """Give every bare number on a recognised step a verdict in ``judged``."""
    result = Numbers(values)
    joined = _Joined()
    for subject in subjects:
        heads = subject.attention.heads
        if subject.head is heads[0]:
            joined = _Joined()
        last = subject.head is heads[-1]
        roles = [role for role in ORDER if last or role not in JOINED]
        typed = {role: mask for role in roles if (mask := _typed(grid, judged, subject, role)) is not None}
        if typed or joined.shown:
            if result.values is values:
                # These planes may be the file's own; they are written to only as copies.
                result.values = replace(
                    values, precedents=[p.copy() for p in values.precedents], inputs=[p.copy() for p in values.inputs]
                )
            _Head(grid, judged, subject, typed, result, joined).judge(roles)
    return result


def _typed(grid: WorkbookGrid, judged: Judged, subject: Subject, role: str) -> Bools | None:
    """Which cells of a role are numbers that nothing computes and nobody has judged."""
    place = subject.given.matrices.places.get(role)
    return None if place is None else _unjudged(grid, judged, place.sheet, subject.given.matrices.cells[role])


def _unjudged(grid: WorkbookGrid, judged: Judged, sheet: int, cells: Cells) -> Bools | None:
    found = np.array(
        [
            [
                judged.code(grid, (sheet, row, column)) == NOT_COMPUTED_CELL
                and grid.sheets[sheet].cached.get(row, column)[1] == NUMBER
                for row, column in line
            ]
            for line in cells
        ]
    )
    return found if found.any() else None


@dataclass(slots=True)
class _Joined:
    """What the heads of one attention have given so far: their outputs, printed and from the inputs, and accused
    cells.
    """

    shown: list[Interval] = field(default_factory=list)
    true: list[Interval] = field(default_factory=list)
    accused: list[tuple[tuple[str, int, int], Cell]] = field(default_factory=list)


@dataclass(slots=True)
class _Head:
    grid: WorkbookGrid
    judged: Judged
    subject: Subject
    typed: dict[str, Bools]
    result: Numbers
    joined: _Joined
    shown: dict[str, Interval] = field(default_factory=dict)
    true: dict[str, Interval] = field(default_factory=dict)
    accused: list[tuple[tuple[str, int, int], Cell]] = field(default_factory=list)
    exact: set[str] = field(default_factory=set)

    def judge(self, roles: list[str]) -> None:
        matrices = self.subject.given.matrices
        for role, matrix in matrices.stored.items():
            bare = role in ORDER and not matrices.places[role].steps
            self.shown[role] = intervals.printed(matrix) if bare else intervals.exactly(matrix)
            if role not in ORDER:
                self.true[role] = self.shown[role]
        for role in roles:
            if role == "concat":
                self._join()
            if role in matrices.stored:
                self._step(role)
                self._copies(role)
        if "output" in self.shown:
            self.joined.shown.append(self.shown["output"])
            self.joined.true.append(self.true["output"])
        self.joined.accused += self.accused

    def _join(self) -> None:
        """The heads side by side, this one as the last."""
        if "output" not in self.shown:
            return
        shown, true = [*self.joined.shown, self.shown["output"]], [*self.joined.true, self.true["output"]]
        if len(shown) == len(self.subject.attention.heads) and len({part.shape[0] for part in shown}) == 1:
            self.shown[HEADS], self.true[HEADS] = intervals.beside(shown), intervals.beside(true)

    def _step(self, role: str) -> None:
        own = self.shown[role]
        chain = Chain(self.subject.given, {r: i for r, i in self.shown.items() if r != role})
        way, inputs = self._best(chain, role)
        mistaken = way is not None and way.share < MOST and role in self.typed and self._of_method(role, chain)
        if mistaken or way is None or way.share < EXPLAINS:
            # A mistake of method, an input of the attention, or a block that nothing explains.
            self.true[role] = own
            return
        expected = take(Chain(self.subject.given, {**chain.at, **inputs}), role, way, own)
        true_chain = Chain(self.subject.given, {**self.true, **{r: i for r, i in inputs.items() if r not in ORDER}})
        true = take(true_chain, role, way, own) or expected
        assert expected is not None
        assert true is not None
        if BIASES.get(role, role) not in self.shown and role in BIASES:
            unseen = unseen_bias(own, expected)
            expected, true = plus(expected, unseen), plus(true, unseen)
        if role in self.typed:
            if role in PRODUCTS and PRODUCTS[role] <= self.exact and (tight := as_exact(own, expected)) is not None:
                own = self.shown[role] = tight
                self.exact.add(role)
            self._verdicts(role, own, expected, true)
            if way.divisor != self.subject.given.divisor:
                self._wrong_scale(role)
        self.true[role] = true.widened((own.high - own.low) / 2)

    def _copies(self, role: str) -> None:
        """Typed copies (and transposes) of a block hold what the block holds."""
        for place in self.subject.head.copies.get(role, ()):
            cells = place.lines
            shape = [len(line) for line in self.subject.given.matrices.cells[role]]
            if place.steps or [len(line) for line in cells] != shape:
                continue
            typed = _unjudged(self.grid, self.judged, place.sheet, cells)
            if typed is not None:
                own = intervals.printed(self.subject.sheets.stored(place.sheet, cells))
                self._mark(role, (place.sheet, cells), typed, own, self.shown[role], self.true[role])

    def _best(self, chain: Chain, role: str) -> tuple[Way | None, dict[str, Interval]]:
        """The way that explains most of a block; inputs count as exact unless only their printed intervals do."""
        own, given = self.shown[role], self.subject.given
        best: Way | None = None
        chosen: dict[str, Interval] = {}
        exact = {r: i for r, i in chain.at.items() if r not in ORDER and r != HEADS}
        rounded = {r: intervals.printed(given.matrices.stored[r]) for r in exact}
        for inputs in (exact, rounded):
            for divisor in dict.fromkeys((given.divisor, given.used)):
                for number, made in enumerate(Chain(given, {**chain.at, **inputs}).ways(role, divisor)):
                    fitted = fitted_to(made, own)
                    if fitted is None:
                        continue
                    share = float(meeting(own, fitted).mean())
                    if best is None or share > best.share:
                        best, chosen = Way(divisor, number, share), inputs
            if best is not None and best.share >= EXPLAINS:
                break
        return best, chosen

    def _verdicts(self, role: str, own: Interval, expected: Interval, true: Interval) -> None:
        matrices = self.subject.given.matrices
        self._mark(role, (matrices.places[role].sheet, matrices.cells[role]), self.typed[role], own, expected, true)

    def _mark(
        self, role: str, at: tuple[int, Cells], typed: Bools, own: Interval, expected: Interval, true: Interval
    ) -> None:
        """A verdict for each typed cell, with its values, and its cause or its origins."""
        follows, traced = meeting(own, expected), meeting(own, true)
        sheet, cells = at
        causes = CellCauses([self.subject])
        for i, j in np.argwhere(typed):
            row, column = cells[i][j]
            cell = (sheet, row, column)
            known = [*self.joined.accused, *self.accused] if role in JOINED else self.accused
            here = (role, int(i), int(j))
            upstream = [origin for place, origin in known if place == here or reached(place, *here)]
            verdict = _verdict(bool(follows[i, j]), bool(traced[i, j]), bool(upstream))
            self.judged.put(self.grid, cell, CODE[verdict])
            self._note(self.result.values.precedents, cell, expected.middle[i, j])
            self._note(self.result.values.inputs, cell, true.middle[i, j])
            if verdict == "origin":
                self.accused.append(((role, int(i), int(j)), cell))
                radius = float(own.high[i, j] - own.low[i, j] + expected.high[i, j] - expected.low[i, j]) / 2
                self.result.causes[cell] = causes.cause(cell, float(own.middle[i, j]), radius) or "unexplained"
            elif verdict == "inherited":
                self.result.origins[cell] = tuple(upstream[:8])

    @staticmethod
    def _note(planes: list[Plane], cell: Cell, number: float) -> None:
        sheet, row, column = cell
        if np.isfinite(number):
            planes[sheet].set(row, column, float(number), NUMBER)

    def _wrong_scale(self, role: str) -> None:
        given, subject = self.subject.given, self.subject
        where = subject.where(role)
        if any(f.cause == "wrong-scale" and f.role.endswith(subject.suffix) for f in self.result.findings):
            return
        ways = (block for step in STEPS if step.role == role for block in step.right(given))
        right = next((block for block in ways if block is not None), None)
        message = says_scale(given, where, role + subject.suffix)
        self.result.findings.append(subject.finding(role, "wrong-scale", message, right))

    def _of_method(self, role: str, chain: Chain) -> bool:
        """Whether one mistake of method explains a rectangle, cell by cell; then it is a finding."""
        own, subject = self.shown[role], self.subject
        given = subject.given
        taught = next((step for step in STEPS if step.role == role), None)
        made = next(chain.ways(role, given.divisor), None)
        fitted = None if made is None else fitted_to(made, own)
        if taught is None or fitted is None:
            return False
        for suspicion in taught.wrong:
            block = suspicion.makes(given)
            if block is None or block.size != own.low.size:
                continue
            block = block.reshape(own.shape)
            with np.errstate(invalid="ignore"):
                around = Interval(block, block).widened(np.nan_to_num((fitted.high - fitted.low) / 2))
            if meeting(own, around).mean() <= MOST:
                continue
            if suspicion.cause == "wrong-scale":
                self._wrong_scale(role)
            else:
                message = say(suspicion.says, cells=subject.where(role), role=role + subject.suffix)
                right = next((matrix for matrix in taught.right(given) if matrix is not None), None)
                self.result.findings.append(subject.finding(role, suspicion.cause, message, right))
            self._verdicts(role, own, around, around)
            return True
        return False


def _verdict(follows: bool, traced: bool, upstream: bool) -> str:
    if follows:
        return "agrees" if traced else "inherited"
    return "agrees" if traced and upstream else "origin"
