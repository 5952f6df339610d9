"""Points: each cell of the key judged by value, each step by its cells, the reasons in words."""

from __future__ import annotations

from collections import Counter
from typing import Any

from xlsx_attention.batch.grading.asides import copies
from xlsx_attention.batch.grading.books import Book, KeyBook, Place, Region, input_regions
from xlsx_attention.batch.grading.carry import Carried
from xlsx_attention.batch.grading.places import Placement, place_all
from xlsx_attention.batch.grading.reasons import WHY, sentence
from xlsx_attention.batch.grading.rubric import Rubric
from xlsx_attention.batch.grading.steps import Marked, marked_steps
from xlsx_attention.comparing.tolerance import Tolerance
from xlsx_attention.model.address import cell_name
from xlsx_attention.model.plan import Step
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, NUMBER
from xlsx_attention.parsing import formula_at

#: Relative tolerance where neither rubric nor file asks for another: far below any slip, far above what programs
#: differ by.
RTOL = 1e-9
#: Reasons and changed inputs that are told one by one for each step.
TOLD = 5

#: How a cell came by its value, and whether it counts as right.
RIGHT = ("right", "carried")


class Grader:
    """A key and a rubric, ready for any number of submissions."""

    def __init__(self, key: KeyBook, rubric: Rubric) -> None:
        self.key, self.rubric = key, rubric
        self.steps = marked_steps(key, rubric)
        named = {(step.sheet, cell) for step in self.steps if not step.aside for cell, _ in step.cells}
        unpaid = copies(key)
        #: Copies that no step of the rubric names: a slip in one is a slip in the step that reads it.
        self.copies = tuple(
            step
            for step in key.plan.steps
            if step.index in unpaid and named.isdisjoint((step.block.sheet, cell) for cell in step.block.cells.cells())
        )
        self.regions = [Region(s.block.sheet, s.block.cells, s) for s in key.plan.steps] + input_regions(key)

    def grade(self, report: FileReport) -> dict[str, Any]:
        """The grade of a verified submission, as it stands in the JSON report."""
        return _Grading(self, Book.of(report)).result()


class _Grading:
    def __init__(self, grader: Grader, own: Book) -> None:
        self.key, self.rubric, self.steps, self.own = grader.key, grader.rubric, grader.steps, own
        self.pairs, placed = place_all(grader.regions, self.key, own)
        self.placed = list(placed.items())
        self.at: list[dict[Place, tuple[Region, Placement]]] = [{} for _ in self.key.grid.sheets]
        for region, placement in self.placed:
            computed = self.key.steps_at[region.sheet]
            for cell in region.rect.cells():
                # The rectangle around typed numbers may hold formulas, which are regions of their own.
                if (region.step is None) != (cell in computed):
                    self.at[region.sheet][cell] = (region, placement)
        self.carried = Carried(
            self.key, own, self.placed, self.rubric.inputs == "own", grader.copies, self._tolerance(None)
        )

    def result(self) -> dict[str, Any]:
        steps = [self._step(step) for step in self.steps]
        changed = self._changed_inputs()
        matched = Counter(placement.how for region, placement in self.placed if region.step is not None)
        lost = {self.key.grid.sheets[step.sheet].name for step in self.steps if step.sheet not in self.pairs}
        return {
            "points": round(sum(step["points"] for step in steps), 9),
            "out_of": round(sum(step["out_of"] for step in steps), 9),
            "right": all(step["aside"] or step["wrong"] + step["missing"] == 0 for step in steps),
            "matched": dict(sorted(matched.items())),
            "moved": self._moved(),
            "missing_sheets": sorted(lost),
            "changed_inputs": len(changed),
            "inputs": changed[: 4 * TOLD],
            "steps": steps,
            "not_graded": self.key.others,
        }

    def _moved(self) -> list[dict[str, str]]:
        return [
            {
                "key": f"{self.key.grid.sheets[region.sheet].name}!{region.rect.a1}",
                "found": f"{self.own.grid.sheets[placement.sheet].name}!{placement.rect.a1}",
                "how": placement.how,
                "detail": placement.detail,
            }
            for region, placement in self.placed
            if placement.how != "place" and region.step is not None
        ]

    def _changed_inputs(self) -> list[dict[str, Any]]:
        tolerance = self._tolerance(None)
        changed = []
        for region, placement in self.placed:
            if region.step is not None:
                continue
            name = self.key.grid.sheets[region.sheet].name
            for row, column in region.rect.cells():
                number, kind = self.key.values[region.sheet].get(row, column)
                if kind != NUMBER or (row, column) in self.key.steps_at[region.sheet]:
                    continue
                there = placement.at(region, row, column)
                own, own_kind = self.own.values[placement.sheet].get(*there)
                if own_kind != NUMBER or abs(own - number) > tolerance.rtol * max(abs(own), abs(number)):
                    value = self.own.grid.value(placement.sheet, *there).python
                    changed.append({"sheet": name, "cell": cell_name(*there), "value": value, "key": number})
        return changed

    def _tolerance(self, rtol: float | None) -> Tolerance:
        base = Tolerance.for_file(self.own.grid.provenance)
        return Tolerance(max(base.rtol, RTOL) if rtol is None else rtol, base.epsilon, base.tiny)

    def _step(self, step: Marked) -> dict[str, Any]:
        tolerance = self._tolerance(step.tolerance)
        counts: Counter[str] = Counter()
        ways: Counter[str] = Counter()
        reasons = []
        for cell, computed in step.cells:
            verdict, way = self._judge(step, cell, computed, tolerance)
            counts[verdict] += 1
            ways[way] += 1
            if verdict not in RIGHT:
                reasons.append(self._reason(step, cell, computed, verdict, way))
        good = counts["right"] + counts["carried"]
        share = good / len(step.cells) if step.partial else float(good == len(step.cells))
        found = self.at[step.sheet].get(step.cells[0][0])
        return {
            "name": step.name,
            "sheet": self.key.grid.sheets[step.sheet].name,
            "cells": step.where,
            "points": round(step.points * share, 9),
            "out_of": step.points,
            "aside": step.aside,
            **{verdict: counts[verdict] for verdict in ("right", "carried", "wrong", "missing")},
            "typed": ways["typed"],
            "other_formula": ways["other formula"],
            "how": "sheet not found" if found is None else found[1].how,
            "reasons": reasons[:TOLD],
            "more": max(0, len(reasons) - TOLD),
        }

    def _judge(self, step: Marked, cell: Place, computed: Step | None, tolerance: Tolerance) -> tuple[str, str]:
        """(right, carried, wrong or missing; how the value came about)."""
        found = self.at[step.sheet].get(cell)
        if found is None or self._own_value(cell, step.sheet)[1] == EMPTY:
            return "missing", ""
        way = self._way(cell, step.sheet, computed)
        planes = self.carried
        if computed is None:
            # An input: nothing that it could follow from.
            return ("right" if self._same_input(cell, step.sheet, tolerance) else "wrong"), way
        if planes.agrees(computed, step.sheet, *cell, self.key.values[step.sheet], tolerance):
            return "right", way
        expected = planes.expected[step.sheet]
        if (
            step.carried_forward
            and expected.get(*cell)[1] != NOT_COMPUTED
            and planes.agrees(computed, step.sheet, *cell, expected, tolerance)
        ):
            return "carried", way
        return "wrong", way

    def _same_input(self, cell: Place, sheet: int, tolerance: Tolerance) -> bool:
        number, kind = self._own_value(cell, sheet)
        key = self.key.values[sheet].get(*cell)[0]
        return kind == NUMBER and abs(number - key) <= tolerance.rtol * max(abs(number), abs(key))

    def _own_value(self, cell: Place, sheet: int) -> tuple[float, int]:
        region, placement = self.at[sheet][cell]
        return self.own.values[placement.sheet].get(*placement.at(region, *cell))

    def _way(self, cell: Place, sheet: int, computed: Step | None) -> str:
        """``formula`` (the key's), ``other formula``, or ``typed`` (a number where a formula is due)."""
        if computed is None:
            return "input"
        region, placement = self.at[sheet][cell]
        own = self.own.steps_at[placement.sheet].get(placement.at(region, *cell))
        if own is None:
            return "typed"
        if own.block.form.r1c1 == computed.block.form.r1c1:
            return "formula"
        # A block that was moved away from what it reads has other offsets: only its value tells.
        return "other formula" if placement.how in ("place", "shape") else "moved formula"

    def _reason(self, step: Marked, cell: Place, computed: Step | None, verdict: str, way: str) -> dict[str, Any]:
        key_value = self.key.grid.scalar(*self.key.values[step.sheet].get(*cell)).python
        found = self.at[step.sheet].get(cell)
        if found is None:
            lost = {"cell": cell_name(*cell), "why": "sheet missing", "value": None, "expected": None, "key": key_value}
            return {**lost, "formula": "", "key_formula": "", "text": sentence(lost, "en")}
        region, placement = found
        there = placement.at(region, *cell)
        reason: dict[str, Any] = {
            "cell": cell_name(*there),
            "value": self.own.grid.scalar(*self.own.values[placement.sheet].get(*there)).python,
            "expected": None,
            "key": key_value,
            "formula": self._formula(placement.sheet, there),
            "key_formula": "" if computed is None else f"={formula_at(computed.block.form, *_anchor(computed, cell))}",
        }
        if computed is not None:
            reason["expected"] = self.carried.value(self.carried.expected, step.sheet, *cell).python
        reason["why"] = "missing" if verdict == "missing" else WHY[way]
        reason["text"] = sentence(reason, "en")
        return reason

    def _formula(self, sheet: int, cell: Place) -> str:
        step = self.own.steps_at[sheet].get(cell)
        return "" if step is None else f"={formula_at(step.block.form, *_anchor(step, cell))}"


def _anchor(step: Step, cell: Place) -> Place:
    return (step.block.rect.top, step.block.rect.left) if step.block.spill is not None else cell
