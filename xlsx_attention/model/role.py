"""What the steps of a sheet are in attention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from xlsx_attention.model.address import Rect

#: Keys of roles, in the order in which attention is taught.
ROLES = (
    "X",
    "W_q",
    "W_k",
    "W_v",
    "b_q",
    "b_k",
    "b_v",
    "Q",
    "K",
    "V",
    "scores",
    "scaled",
    "mask",
    "masked",
    "row_max",
    "exp",
    "normaliser",
    "weights",
    "output",
    "W_o",
    "concat",
    "projected",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle on a sheet that plays a role. ``transposed``: it lies across, against the orientation of its attention.

    ``steps`` are the plan's steps that compute it (empty for inputs and bare numbers).
    """

    sheet: int
    rect: Rect
    steps: tuple[int, ...] = ()
    transposed: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """One head: role → place. ``d_k`` is the width of its keys, ``scale`` the divisor that the sheet uses (None: none).

    ``mask`` names the kind: ``padding``, ``causal``, ``both``, ``custom`` or ``None``; ``masked_columns`` the key positions
    that padding hides.
    """

    roles: Mapping[str, Place]
    d_k: int
    scale: float | None = None
    mask: str | None = None
    masked_columns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Attention:
    """One attention: heads over common inputs, and what joins them.

    ``orientation``: tokens lie in ``rows`` (X·W) or in ``columns`` (W·X). ``kind``: ``self`` or ``cross``. ``shared`` holds what
    belongs to no single head: X, W_o, concat, projected.
    """

    sheet: int
    orientation: Literal["rows", "columns"]
    kind: Literal["self", "cross"]
    heads: tuple[Head, ...]
    shared: Mapping[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherStep:
    """Something else that is plainly there: ``layer norm``, ``residual``, ``linear``, ``relu``, ``softmax``, ``embedding``, …"""

    kind: str
    place: Place
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AttentionMap:
    """All that was recognised in a workbook; ``unrecognised`` are steps (or rectangles of numbers) without a role."""

    attentions: tuple[Attention, ...] = ()
    others: tuple[OtherStep, ...] = ()
    unrecognised: tuple[Place, ...] = ()

    def labels(self) -> dict[tuple[int, Rect], str]:
        """(sheet, rectangle) → role, with the head's number where there are several (``scores 2``)."""
        found: dict[tuple[int, Rect], str] = {}
        for attention in self.attentions:
            for role, place in attention.shared.items():
                found.setdefault((place.sheet, place.rect), role)
            for number, head in enumerate(attention.heads, 1):
                suffix = f" {number}" if len(attention.heads) > 1 else ""
                for role, place in head.roles.items():
                    found.setdefault((place.sheet, place.rect), role + suffix)
        for other in self.others:
            found.setdefault((other.place.sheet, other.place.rect), other.kind)
        return found
