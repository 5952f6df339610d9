"""Which scores a mask hides, and what kind of mask that makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.role import Axis
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import How, MaskUse
from xlsx_attention.recognising.terms import Cell, leaves
from xlsx_attention.recognising.thinning import END, kept, whole

#: Added to a score, anything below this hides it: exp(-20) is 2e-9. Public sheets use -99 as well as -1e9.
HIDES = -20.0
#: A mask that is typed as signs (0 and 1, or 0 and −1e9) has no more different numbers than this.
SIGNS = 3


@dataclass(frozen=True, slots=True)
class Mask:
    """``cells[q][k]`` are the mask's own cells; one line where all queries share it, ``()`` where it has none."""

    kind: str
    axis: Axis
    hidden_keys: tuple[int, ...]
    how: How
    cells: tuple[tuple[int, ...], ...]


def mask_of(uses: Mapping[tuple[int, int], list[MaskUse]], shape: tuple[int, int], cells: Cells) -> Mask | None:
    """``uses`` by (query, key); ``None`` where nothing masks."""
    if not any(uses.values()):
        return None
    hidden = np.zeros(shape, np.bool_)
    for (q, k), masks in uses.items():
        hidden[q, k] = any(hides(mask, cells) for mask in masks)
    kind, axis, keys = kind_of(hidden)
    how = next(mask.how for masks in uses.values() for mask in masks)
    own = _own_cells(uses, shape, cells)
    if not hidden.any():
        # Nothing is hidden on this example: a line of cells is a padding mask, a square one is not known.
        kind = "padding" if len(own) == 1 else "custom"
    return Mask(kind, axis, keys, how, own)


def hidden_keys(mask: Mask, keys: Sequence[object], cells: Cells) -> tuple[int, ...]:
    """Hidden positions among all ``keys`` of a mask that was read by a sample."""
    line = whole(mask.cells)[0] if len(mask.cells) == 1 else ()
    at = kept(len(keys))
    found = {at[k] if k < len(at) else k for k in mask.hidden_keys}
    if mask.kind in ("padding", "both") and mask.axis == "keys" and len(keys) > len(at):
        numbers = [cells.number(cell) for cell in line]
        if len(numbers) == len(keys) and len(set(numbers)) <= SIGNS:
            # What leaves a score visible at the ends does so between them.
            shown = {number for k, number in enumerate(numbers) if k in at and k not in found}
            found = {k for k, number in enumerate(numbers) if number not in shown}
        elif {END - 1, len(keys) - END} <= found:
            found |= set(range(END, len(keys) - END))
    return tuple(sorted(found))


def hides(mask: MaskUse, cells: Cells) -> bool:
    value = cells.value(mask.of)
    if value is None:
        return False
    if mask.how == "add":
        return value < HIDES
    if mask.how == "multiply":
        return value == 0.0
    return (value != 0.0) != mask.keeps_if_true


def kind_of(hidden: npt.NDArray[np.bool_]) -> tuple[str, Axis, tuple[int, ...]]:
    """Kind, axis and hidden positions of a mask, shape (queries, keys)."""
    queries, keys = hidden.shape
    columns = np.asarray(hidden.all(axis=0))
    rows = np.asarray(hidden.all(axis=1))
    later = np.triu(np.ones(hidden.shape, np.bool_), 1 + max(0, keys - queries))
    found = tuple(int(k) for k in np.flatnonzero(columns))
    lines = tuple(int(q) for q in np.flatnonzero(rows))
    if later.any() and (hidden == later).all():
        return "causal", "keys", ()
    if columns.any() and (hidden == columns[None, :]).all():
        return "padding", "keys", found
    if later.any() and columns.any() and (hidden == (later | columns[None, :])).all():
        return "both", "keys", found
    if rows.any() and (hidden == rows[:, None]).all():
        return "padding", "queries", lines
    if queries == keys > 1 and (hidden == later.T).all():
        return "causal", "queries", ()
    return "custom", "keys", found


def _own_cells(
    uses: Mapping[tuple[int, int], list[MaskUse]], shape: tuple[int, int], cells: Cells
) -> tuple[tuple[int, ...], ...]:
    """The cell that decides each score, as a matrix, or as one line where queries (or keys) share it."""
    owned: dict[tuple[int, int], list[int]] = {}
    for place, masks in uses.items():
        owned[place] = [cells.same(cell) for mask in masks for cell in leaves(mask.of)]
    common = set.intersection(*(set(ids) for ids in owned.values())) if owned else set()
    single: dict[tuple[int, int], int] = {}
    for place, ids in owned.items():
        own = [cell for cell in ids if cell not in common]
        if own:
            single[place] = own[-1]
    if len(single) < len(uses) or not single:
        return ()
    queries, keys = shape
    by_key = [{single[q, k] for q in range(queries) if (q, k) in single} for k in range(keys)]
    if queries > 1 and all(len(ids) == 1 for ids in by_key):
        return (tuple(ids.pop() for ids in by_key),)
    by_query = [{single[q, k] for k in range(keys) if (q, k) in single} for q in range(queries)]
    if keys > 1 and all(len(ids) == 1 for ids in by_query):
        return (tuple(ids.pop() for ids in by_query),)
    return tuple(tuple(single[q, k] for k in range(keys) if (q, k) in single) for q in range(queries))


def as_masks(scales: Mapping[tuple[int, int], list[Cell]], cells: Cells) -> dict[tuple[int, int], list[MaskUse]]:
    """Input cells of 0 and 1, differing from score to score, that scores are multiplied by: a mask, no scale."""
    distinct = {cells.same(cell.id) for found in scales.values() for cell in found}
    if len(distinct) < 2 or any(cells.number(cell) not in (0.0, 1.0) for cell in distinct):
        return {}
    return {place: [MaskUse("multiply", cell) for cell in found] for place, found in scales.items()}
