"""What the steps of a sheet are in attention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from xlsx_attention.model.address import Rect

Orientation: TypeAlias = Literal["rows", "columns"]
#: The two axes of scores and weights: a softmax, a mask or a maximum runs along the keys of one query, as it should,
#: or not.
Axis: TypeAlias = Literal["keys", "queries"]

#: Keys of roles, in the order in which attention is taught. ``X_kv`` is the second sequence of cross-attention.
ROLES = (
    "X",
    "X_kv",
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
    "shifted",
    "exp",
    "normaliser",
    "weights",
    "output",
    "W_o",
    "b_o",
    "concat",
    "projected",
)


@dataclass(frozen=True, slots=True)
class Place:
    """A rectangle on a sheet that plays a role. ``transposed``: it lies across, against the orientation of its
    attention.

    ``steps`` are the plan's steps that compute it (empty for inputs and bare numbers). Where the cells are scattered
    over the sheet, ``parts`` are the rectangles that they fill, and ``rect`` is the smallest rectangle around all.
    ``lines`` are the cells (row, column) in their order, a line being a token, a query or a feature; one that a
    mistake cuts short may lack some."""

    sheet: int
    rect: Rect
    steps: tuple[int, ...] = ()
    transposed: bool = False
    parts: tuple[Rect, ...] = ()
    lines: tuple[tuple[tuple[int, int], ...], ...] = field(default=(), compare=False, repr=False)

    @property
    def rects(self) -> tuple[Rect, ...]:
        """The rectangles that the role's cells fill."""
        return self.parts or (self.rect,)

    def cells(self) -> Iterator[tuple[int, int]]:
        """(row, column) of every cell."""
        for rect in self.rects:
            yield from rect.cells()


@dataclass(frozen=True, slots=True)
class Head:
    """One head: role → place. ``d_k`` is the width of its keys, ``scale`` the divisor that the sheet uses (None: none).

    ``mask`` names the kind: ``padding``, ``causal``, ``both``, ``custom`` or ``None``; ``masked_columns`` the key
    positions (from 0) that padding hides.

    The rest are facts about how the sheet does it, where it may do otherwise than it should:

    ``softmax_axis``, ``row_max_axis``, ``mask_axis``: along which axis; ``mask_place``: ``before`` or ``after`` the
    softmax; ``mask_how``: ``add``, ``if`` or ``multiply``; ``exp``: ``yes``, ``no`` (scores are normalised as they
    are) or ``numerator`` (the normaliser lacks it); ``exp_from``: the role that goes into exp; ``output_from``: the
    role that is multiplied with the values (``weights`` where all is well); ``values_from``: the role that is
    multiplied by the weights (``V`` where all is well); ``output_axis``: the axis that this product sums over;
    ``same_projection``: pairs such as ``("Q", "K")`` that share one W; ``labelled``: role → what the labels beside it
    say, where they say another role. A ``V`` beside ``values_from`` other than ``V``, and a ``mask`` where ``mask`` is
    ``None``, are on the sheet but not used. ``copies``: role → further places that show the same matrix (copies and
    transposes)."""

    roles: Mapping[str, Place]
    d_k: int
    scale: float | None = None
    mask: str | None = None
    masked_columns: tuple[int, ...] = ()
    softmax_axis: Axis = "keys"
    row_max_axis: Axis | None = None
    mask_axis: Axis | None = None
    mask_place: Literal["before", "after"] | None = None
    mask_how: Literal["add", "if", "multiply"] | None = None
    exp: Literal["yes", "no", "numerator"] = "yes"
    exp_from: str | None = None
    output_from: str | None = None
    values_from: str | None = None
    output_axis: Axis | None = None
    same_projection: tuple[tuple[str, str], ...] = ()
    labelled: Mapping[str, str] = field(default_factory=dict)
    copies: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)


class _Role:
    """A role by its name: the place that the first head, or all heads together, have for it."""

    __slots__ = ("_role",)

    def __set_name__(self, owner: type, name: str) -> None:
        self._role = name

    def __get__(self, attention: Attention | None, owner: type | None = None) -> Place:
        if attention is None:
            raise AttributeError(f"{self._role!r} is a role of an attention, not of its class")
        for roles in (*(head.roles for head in attention.heads[:1]), attention.shared):
            if self._role in roles:
                return roles[self._role]
        known = ", ".join(attention.roles) or "none"
        raise AttributeError(f"this attention has no {self._role!r} on its sheet; its roles: {known}")


@dataclass(frozen=True, slots=True)
class Attention:
    """One attention: heads over common inputs, and what joins them.

    ``orientation``: tokens lie in ``rows`` (X·W) or in ``columns`` (W·X). ``kind``: ``self`` or ``cross``. ``shared``
    holds what belongs to no single head: X (and X_kv), W_o, concat, projected.

    Each of :data:`ROLES` is an attribute, the :class:`Place` of the first head or of all (``attention.weights``); it
    raises :class:`AttributeError` where the sheet has no such step. Other heads: ``attention.heads[1].roles``."""

    sheet: int
    orientation: Orientation
    kind: Literal["self", "cross"]
    heads: tuple[Head, ...]
    shared: Mapping[str, Place] = field(default_factory=dict)

    X = _Role()
    X_kv = _Role()
    W_q = _Role()
    W_k = _Role()
    W_v = _Role()
    b_q = _Role()
    b_k = _Role()
    b_v = _Role()
    Q = _Role()
    K = _Role()
    V = _Role()
    scores = _Role()
    scaled = _Role()
    mask = _Role()
    masked = _Role()
    row_max = _Role()
    shifted = _Role()
    exp = _Role()
    normaliser = _Role()
    weights = _Role()
    output = _Role()
    W_o = _Role()
    b_o = _Role()
    concat = _Role()
    projected = _Role()

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that are there, of the first head and of all, in the order of :data:`ROLES`."""
        found = {*self.shared, *(role for head in self.heads[:1] for role in head.roles)}
        return tuple(role for role in ROLES if role in found)


@dataclass(frozen=True, slots=True)
class OtherStep:
    """Something else that is plainly there: ``layer norm``, ``residual``, ``linear``, ``relu``, ``softmax``,
    ``embedding``, …"""

    kind: str
    place: Place
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AttentionMap:
    """All that was recognised in a workbook; ``unrecognised`` are steps (or rectangles of numbers) without a role.

    As a sequence it is its attentions: ``len(found)``, ``found[0].weights``, ``for attention in found``."""

    attentions: tuple[Attention, ...] = ()
    others: tuple[OtherStep, ...] = ()
    unrecognised: tuple[Place, ...] = ()

    def __len__(self) -> int:
        return len(self.attentions)

    def __iter__(self) -> Iterator[Attention]:
        return iter(self.attentions)

    def __getitem__(self, index: int) -> Attention:
        return self.attentions[index]

    def labels(self) -> dict[tuple[int, Rect], str]:
        """(sheet, rectangle) → role, with the head's number where there are several (``scores 2``)."""
        found: dict[tuple[int, Rect], str] = {}

        def note(place: Place, name: str) -> None:
            for rect in place.rects:
                found.setdefault((place.sheet, rect), name)

        for attention in self.attentions:
            for role, place in attention.shared.items():
                note(place, role)
            for number, head in enumerate(attention.heads, 1):
                suffix = f" {number}" if len(attention.heads) > 1 else ""
                for role, place in head.roles.items():
                    note(place, role + suffix)
                for role, places in head.copies.items():
                    for place in places:
                        note(place, role + suffix)
        for other in self.others:
            note(other.place, other.kind)
        return found
