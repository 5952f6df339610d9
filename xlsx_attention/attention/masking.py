"""Masks: which query may look at which key, and how the scores say so.

Three ways to write one are understood:

- a vector of S_k zeros and ones over the **columns** (1 = keep), the padding mask of the course;
- a matrix (S_q, S_k) of booleans or whole-number zeros and ones (True or 1 = keep);
- a matrix (S_q, S_k) of floats, which is added to the scaled scores (0 = leave, −1e9 or −inf = hide).

The first two put ``mask_value`` in place of the score, as ``=IF(mask=1, score, -1E9)`` does on a sheet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from xlsx_attention.attention.arrays import Array, ArrayLike, numbers, shape_text
from xlsx_attention.attention.errors import AttentionError, MaskedRowError, MaskError

MaskedRow = Literal["error", "uniform"]


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """A mask made ready for scores of (S_q, S_k).

    ``keep`` is False where a key is hidden; ``replaced`` is True where ``mask_value`` takes the score's place;
    ``added`` is what is added to the scores, or None.
    """

    keep: npt.NDArray[np.bool_]
    replaced: npt.NDArray[np.bool_]
    added: Array | None
    mask_value: float

    def apply(self, scaled: Array) -> Array:
        """The scores with their hidden places filled: (S_q, S_k) → (S_q, S_k)."""
        masked = scaled if self.added is None else scaled + self.added
        return np.where(self.replaced, self.mask_value, masked)


def _check_filler(mask_value: float) -> float:
    filler = numbers(mask_value, "mask_value")
    if filler.ndim or math.isnan(filler) or filler == math.inf:
        raise MaskError(f"mask_value is {mask_value!r}; give one number far below the scores, such as -1e9 or -inf")
    return float(filler)


def _zeros_and_ones(given: Array, what: str) -> npt.NDArray[np.bool_]:
    strange = given[(given != 0) & (given != 1)]
    if strange.size:
        raise MaskError(f"{what} holds {strange.flat[0]:g}; it takes 1 (keep) and 0 (hide) only")
    ones: npt.NDArray[np.bool_] = given == 1
    return ones


def _check_added(given: Array) -> Array:
    if np.isnan(given).any() or (given == math.inf).any():
        raise MaskError("the mask of floats holds NaN or +inf; it is added to the scores: 0 leaves one, -inf hides one")
    if (given == 1).any() and ((given == 0) | (given == 1)).all():
        raise MaskError(
            "the mask is a matrix of floats, which is added to the scores, but it holds zeros and ones only; "
            "to keep where it is 1, pass mask.astype(bool)"
        )
    return given


def make_mask(mask: ArrayLike | None, S_q: int, S_k: int, *, causal: bool = False, mask_value: float = -1e9) -> Mask:
    """Puts padding, custom and causal mask together for scores of (S_q, S_k).

    Causal keeps the lower triangle: query i sees keys 0 … i, counted from the first of each (as torch's ``is_causal``).
    An entry of a float matrix hides its key when it is −inf, or at or below a ``mask_value`` that is itself below 0.
    Raises :class:`MaskError`.
    """
    filler = _check_filler(mask_value)
    replaced = np.zeros((S_q, S_k), dtype=np.bool_)
    added: Array | None = None
    if mask is not None:
        kind = np.asarray(mask).dtype.kind
        given = numbers(mask, "the mask")
        if given.shape == (S_k,):
            replaced = replaced | ~_zeros_and_ones(given, "the padding mask")[None, :]
        elif given.shape != (S_q, S_k):
            raise MaskError(
                f"the mask is {shape_text(given.shape)}, but the scores are {S_q}×{S_k}; "
                f"give a vector of {S_k} over the columns or a matrix of {S_q}×{S_k}"
            )
        elif kind == "f":
            added = _check_added(given)
        else:
            replaced = ~_zeros_and_ones(given, "the mask")
    if causal:
        replaced = replaced | ~np.tri(S_q, S_k, dtype=np.bool_)
    hidden = replaced if added is None else replaced | (added <= (filler if filler < 0 else -math.inf))
    return Mask(~hidden, replaced, added, filler)


def hidden_rows(keep: npt.NDArray[np.bool_], masked_row: MaskedRow) -> npt.NDArray[np.bool_]:
    """The rows (S_q,) that see no key; under ``"error"`` they are refused by number."""
    if masked_row not in ("error", "uniform"):
        raise AttentionError(f'masked_row is {masked_row!r}; it takes "error" or "uniform"')
    rows: npt.NDArray[np.bool_] = np.logical_not(np.any(keep, axis=-1))
    if masked_row == "error" and rows.any():
        which = ", ".join(str(i) for i in np.flatnonzero(rows))
        raise MaskedRowError(
            f"the mask hides all {keep.shape[-1]} columns from row {which} of the scores (counted from 0), "
            'whose softmax has no answer; leave a column open, or pass masked_row="uniform"'
        )
    return rows
