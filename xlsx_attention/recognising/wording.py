"""A step in words of NumPy and of mathematics: ``scores = Q @ K.T`` and ``S = QKᵀ``."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isclose, sqrt
from typing import Final

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Step
from xlsx_attention.model.role import Attention, AttentionMap, Head, OtherStep, Place
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.explain import LARGEST, Program
from xlsx_attention.recognising.numpy_words import Ragged, slice_text
from xlsx_attention.recognising.terms import pack

#: Mathematics of what is no attention, by kind.
OTHERS: Final[dict[str, str]] = {
    "relu": "max(0, x)",
    "softmax": "eˣ / Σeˣ",
    "layer norm": "(x − μ) / σ",
    "residual": "x + f(x)",
    "linear": "Wx",
    "embedding": "E · one-hot",
    "positional encoding": "sin, cos",
    "positional encoding added": "x + PE",
    "one-hot": "one-hot",
    "exp": "eˣ",
    "sum of exp": "Σeˣ",
    "bias added": "Wx + b",
}


@dataclass(slots=True)
class Wording:
    """The words for every step of one workbook, made once for all of them."""

    grid: WorkbookGrid
    plan: Plan
    attention: AttentionMap
    _program: Program | None = None
    _numpy: dict[int, str] = field(default_factory=dict)
    _places: dict[int, tuple[Attention, Head | None, str]] | None = None

    def numpy(self, step: Step) -> str:
        """``name = expression``; the relative formula itself where no NumPy expression says it."""
        if step.index not in self._numpy:
            self._numpy[step.index] = self._numpy_of(step)
        return self._numpy[step.index]

    def _numpy_of(self, step: Step) -> str:
        block = step.block
        if block.cells.size > LARGEST:
            return block.form.r1c1
        if self._program is None:
            self._program = Program(self.grid, Cells(self.grid, self.plan), self.attention, meant=True)
        space = self._program.space
        first = space.owner(pack(block.sheet, block.cells.top, block.cells.left))
        name = block.cells.a1.replace(":", "_")
        if first is not None and first[1].covers(block.cells):
            name = space.names[first] + _part(block.cells, first[1])
        try:
            return f"{name} = {self._program.words(block.sheet, block.cells).text}"
        except Ragged:
            return block.form.r1c1

    def math(self, step: Step) -> str:
        """The step as taught, ``""`` where it is nothing with a name."""
        if self._places is None:
            self._places = {
                index: (found, head, role)
                for found in self.attention.attentions
                for head, role, place in _roles(found)
                for index in place.steps
            }
        known = self._places.get(step.index)
        if known is not None:
            return math_of_role(*known)
        for other in self.attention.others:
            if step.index in other.place.steps:
                return _math_of_other(other)
        return ""


def _part(rect: Rect, whole: Rect) -> str:
    """``[2, 0]`` for a cell, ``[:, :3]`` for a part, ``""`` for all of a named rectangle."""
    if rect == whole:
        return ""
    top, left = rect.top - whole.top, rect.left - whole.left
    if rect.size == 1:
        return f"[{top}, {left}]"
    rows = slice_text(top, top + rect.height, whole.height)
    return f"[{rows}, {slice_text(left, left + rect.width, whole.width)}]"


def _math_of_other(other: OtherStep) -> str:
    return OTHERS.get(other.kind, "")


def _roles(found: Attention) -> list[tuple[Head | None, str, Place]]:
    mine: list[tuple[Head | None, str, Place]] = [(None, role, place) for role, place in found.shared.items()]
    for head in found.heads:
        mine += [(head, role, place) for role, place in head.roles.items()]
        mine += [(head, f"copy of {role}", place) for role, places in head.copies.items() for place in places]
    return mine


def divisor(head: Head) -> str:
    """``√d_k`` or the number that the sheet divides by."""
    if head.scale is None:
        return ""
    if isclose(head.scale, sqrt(head.d_k), rel_tol=1e-6):
        return "/√d_k"
    return f"/{head.scale:.6g}"


def math_of_role(found: Attention, head: Head | None, role: str) -> str:
    """What a role is in the orientation of its attention: ``QKᵀ`` where tokens lie in rows, ``KᵀQ`` in columns."""
    rows = found.orientation == "rows"
    if head is None:
        table = {"concat": "[head₁; head₂; …]", "projected": "concat·W_o" if rows else "W_o·concat"}
        return table.get(role, "")
    if role.startswith("copy of "):
        name = role.removeprefix("copy of ")
        return f"{name} (copied)"
    key = found.shared.get("X_kv")
    other = "X_kv" if key is not None else "X"
    scores = "QKᵀ" if rows else "KᵀQ"
    before = {"scaled": f"S{divisor(head)}", "scores": "S", "masked": "M"}.get(head.exp_from or "", "S")
    if "scores" not in head.roles and head.exp_from == "scaled":
        before = f"{scores}{divisor(head)}"
    table = {
        "Q": _projection("q", "X", head, rows),
        "K": _projection("k", other, head, rows),
        "V": _projection("v", other, head, rows),
        "scores": f"S = {scores}",
        "scaled": f"S{divisor(head)}" if "scores" in head.roles else f"{scores}{divisor(head)}",
        "masked": _masked(head, scores),
        "row_max": f"max({before})",
        "shifted": f"{before} − max",
        "exp": f"e^({before} − max)" if "row_max" in head.roles else f"e^({before})",
        "normaliser": "Σ e",
        "weights": f"A = softmax({before})",
        "output": ("A·V" if rows else "V·A") if head.values_from != "K" else ("A·K" if rows else "K·A"),
    }
    return table.get(role, "")


def _projection(letter: str, x: str, head: Head, rows: bool) -> str:
    name = letter.upper()
    if f"W_{letter}" not in head.roles:
        return name
    product = f"{x}·W_{letter}" if rows else f"W_{letter}·{x}"
    bias = f" + b_{letter}" if f"b_{letter}" in head.roles else ""
    return f"{name} = {product}{bias}"


def _masked(head: Head, scores: str) -> str:
    inner = "S" if "scores" in head.roles and "scaled" not in head.roles else f"S{divisor(head)}"
    if "scores" not in head.roles and "scaled" not in head.roles:
        inner = f"{scores}{divisor(head)}"
    return f"M = {inner} + mask" if head.mask_how == "add" else f"M = mask({inner})"


def numpy_text(step: Step, plan: Plan, grid: WorkbookGrid, attention: AttentionMap) -> str:
    """One step as NumPy; for many steps of one workbook, keep a :class:`Wording`."""
    return Wording(grid, plan, attention).numpy(step)


def math_text(step: Step, plan: Plan, grid: WorkbookGrid, attention: AttentionMap) -> str:
    """One step as mathematics; for many steps of one workbook, keep a :class:`Wording`."""
    return Wording(grid, plan, attention).math(step)
