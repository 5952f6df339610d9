"""Which keys each query may see, by what recognition found and by what the masked scores hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.role import Head
from xlsx_attention.model.values import Floats

Bools = npt.NDArray[np.bool_]
#: A score this far below its unmasked self is hidden: exp(−15) is 3e-7. Public sheets use −99 as well as −1e9.
HIDDEN_BY = 15.0
#: A masked score below this is a filler, such as −99 or −1e9.
FILLERS = -50.0


def later(queries: int, keys: int) -> Bools:
    """Keys that come after their query, (queries, keys)."""
    return np.triu(np.ones((queries, keys), np.bool_), 1 + max(0, keys - queries))


def intended(head: Head, shape: tuple[int, int], masked: Floats | None, base: Floats | None) -> Bools:
    """What the mask should leave open, (queries, keys): hidden keys are columns, whatever axis the sheet has hidden."""
    queries, keys = shape
    keep = np.ones(shape, np.bool_)
    if head.mask in ("padding", "both"):
        keep[:, [k for k in head.masked_columns if k < keys]] = False
    if head.mask in ("causal", "both"):
        keep &= ~later(queries, keys)
    if head.mask == "custom" and masked is not None and base is not None and masked.shape == base.shape == shape:
        keep &= ~hidden(masked, base)
    return keep


def hidden(masked: Floats, base: Floats) -> Bools:
    with np.errstate(invalid="ignore"):
        found: Bools = (masked < base - HIDDEN_BY) | np.isneginf(masked)
    return found


def on_queries(head: Head, shape: tuple[int, int]) -> Bools | None:
    """What stays open where the sheet hides queries in place of keys; ``None`` where it does not."""
    if head.mask_axis != "queries":
        return None
    queries, keys = shape
    keep = np.ones(shape, np.bool_)
    if head.mask == "padding":
        keep[[q for q in head.masked_columns if q < queries], :] = False
    elif head.mask == "causal" and queries == keys:
        keep &= ~later(queries, keys).T
    return None if keep.all() else keep
