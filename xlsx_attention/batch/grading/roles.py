"""What the blocks of a sheet are called: the roles in attention, each by a name of its own."""

from __future__ import annotations

from xlsx_attention.model.address import Rect
from xlsx_attention.model.role import ROLES, AttentionMap

#: Roles that a lesson gives: what is asked of a student begins after them.
GIVEN = frozenset({"X", "X_kv", "W_q", "W_k", "W_v", "b_q", "b_k", "b_v", "mask", "W_o", "b_o"})
ASKED = frozenset(ROLES) - GIVEN


def names(attention: AttentionMap) -> dict[tuple[int, Rect], str]:
    """(sheet, rectangle) → role. A block that shows another once more has its own name: ``Kᵀ``, ``Q (copied)``, with
    the head's number last (``Kᵀ 2``), so that no role is there twice.
    """
    found = attention.labels()
    for one in attention.attentions:
        for number, head in enumerate(one.heads, 1):
            suffix = f" {number}" if len(one.heads) > 1 else ""
            for role, places in head.copies.items():
                first = head.roles.get(role)
                for place in places:
                    turned = first is not None and place.transposed != first.transposed
                    name = f"{role}ᵀ" if turned else f"{role} (copied)"
                    for rect in place.rects:
                        if found.get((place.sheet, rect)) == role + suffix and (
                            first is None or rect not in first.rects
                        ):
                            found[place.sheet, rect] = name + suffix
    return found


def without_head(name: str) -> str:
    """``scores 2`` → ``scores``: a rubric may name the role of all heads."""
    role, _, number = name.rpartition(" ")
    return role if number.isdigit() else name


def asked_steps(attention: AttentionMap) -> set[int]:
    """Numbers of the plan's steps that compute attention, without what a lesson gives and without copies."""
    places = [
        place
        for one in attention.attentions
        for roles in (one.shared, *(head.roles for head in one.heads))
        for role, place in roles.items()
        if role in ASKED
    ]
    return {step for place in places for step in place.steps}


def copied_steps(attention: AttentionMap) -> set[int]:
    """Numbers of the plan's steps that show a role's matrix once more."""
    heads = [head for one in attention.attentions for head in one.heads]
    return {step for head in heads for places in head.copies.values() for place in places for step in place.steps}
