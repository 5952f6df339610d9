"""The rubric: points for steps, and how strictly they are judged.

::

    tolerance = 1e-9          # relative; without it, it follows from the submission's own digits
    carried_forward = true    # a cell that follows from the student's own earlier cells is right
    inputs = "own"            # "key": the key's inputs count, whatever the student changed
    others = 1                # points for each step of the key that no [[step]] names

    [[step]]
    name = "scores"
    cells = "Attention!U10:X13"    # or: role = "scores", and sheet = "Attention" where several sheets have it
    points = 4
    carried_forward = false        # each of these three may differ for a step
    tolerance = 1e-6
    partial = false                # all cells right or no points; else points by the share of right cells
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any, Literal

from xlsx_attention.errors import UsageError
from xlsx_attention.model.address import Rect


@dataclass(frozen=True, slots=True)
class RubricStep:
    """Points for a range of the key, or for a role; ``sheet`` ``""`` means the first sheet that has the role."""

    name: str
    sheet: str
    rect: Rect | None
    role: str
    points: float
    carried_forward: bool
    tolerance: float | None
    partial: bool


@dataclass(frozen=True, slots=True)
class Rubric:
    tolerance: float | None = None
    carried_forward: bool = True
    inputs: Literal["own", "key"] = "own"
    others: float = 1.0
    partial: bool = True
    steps: tuple[RubricStep, ...] = ()


_TOP = {"tolerance", "carried_forward", "inputs", "others", "partial", "step"}
_STEP = {"name", "cells", "role", "sheet", "points", "carried_forward", "tolerance", "partial"}


def parse_rubric(text: str, where: str = "rubric") -> Rubric:
    """The rubric of a TOML text (an empty one is the default); :class:`UsageError` names what is wrong with it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError("bad-rubric", f"is no TOML ({error})", where=where) from None
    _known(data, _TOP, where)
    inputs = data.get("inputs", "own")
    if inputs not in ("own", "key"):
        raise UsageError("bad-rubric", 'inputs must be "own" or "key"', where=where)
    rubric = Rubric(
        tolerance=_number(data, "tolerance", where, None),
        carried_forward=_flag(data, "carried_forward", where, True),
        inputs="key" if inputs == "key" else "own",
        # With steps of its own a rubric says what counts; without, every step of the key counts alike.
        others=_number(data, "others", where, 0.0 if data.get("step") else 1.0) or 0.0,
        partial=_flag(data, "partial", where, True),
    )
    steps = data.get("step", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise UsageError("bad-rubric", "steps are written as [[step]]", where=where)
    made = tuple(_step(step, rubric, f"{where}: step {number}") for number, step in enumerate(steps, 1))
    return Rubric(rubric.tolerance, rubric.carried_forward, rubric.inputs, rubric.others, rubric.partial, made)


def _step(data: dict[str, Any], rubric: Rubric, where: str) -> RubricStep:
    _known(data, _STEP, where)
    if ("cells" in data) == ("role" in data):
        raise UsageError("bad-rubric", 'needs either cells = "Sheet!A1:B2" or role = "scores"', where=where)
    sheet, rect = str(data.get("sheet", "")), None
    if "cells" in data:
        sheet, mark, cells = str(data["cells"]).rpartition("!")
        try:
            rect = Rect.parse(cells)
        except ValueError as error:
            raise UsageError("bad-rubric", f"cells: {error}", where=where) from None
        if not mark:
            raise UsageError("bad-rubric", 'cells must name the sheet: "Sheet!A1:B2"', where=where)
        sheet = sheet.strip("'").replace("''", "'")
    name = str(data.get("name") or data.get("role") or data["cells"])
    points = _number(data, "points", where, 1.0)
    return RubricStep(
        name,
        sheet,
        rect,
        str(data.get("role", "")),
        1.0 if points is None else points,
        _flag(data, "carried_forward", where, rubric.carried_forward),
        _number(data, "tolerance", where, rubric.tolerance),
        _flag(data, "partial", where, rubric.partial),
    )


def _known(data: dict[str, Any], names: set[str], where: str) -> None:
    for name in data:
        if name not in names:
            raise UsageError("bad-rubric", f"{name!r} is not known; known are {', '.join(sorted(names))}", where=where)


def _number(data: dict[str, Any], name: str, where: str, default: float | None) -> float | None:
    value = data.get(name, default)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise UsageError("bad-rubric", f"{name} must be a number, not below 0", where=where)
    return float(value)


def _flag(data: dict[str, Any], name: str, where: str, default: bool) -> bool:
    value = data.get(name, default)
    if not isinstance(value, bool):
        raise UsageError("bad-rubric", f"{name} must be true or false", where=where)
    return value
