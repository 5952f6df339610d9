"""What a head's steps are recomputed from: its matrices, and the steps that the sheet folds into others, filled in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from xlsx_attention.comparing import masks
from xlsx_attention.comparing.masks import Bools
from xlsx_attention.comparing.matrices import Matrices
from xlsx_attention.comparing.reference import Reference
from xlsx_attention.model.role import Head
from xlsx_attention.model.values import Floats

#: A matrix, or ``None`` where the sheet does not show what it would be made from.
Maybe = Floats | None


@dataclass(slots=True)
class Given:
    """Matrices with tokens in rows, as stored; ``None`` where the sheet has none.

    ``product`` is Q·Kᵀ; ``base`` the scaled scores, ``logits`` what goes into exp, both filled in where they have
    no cells.
    ``keep`` (queries, keys) is what the mask should leave open, ``open`` what is open when exp is taken: all,
    where the mask
    comes after the softmax. ``divisor`` is √d_k, ``used`` what the sheet divides by (1 where it does not).
    """

    head: Head
    matrices: Matrices
    reference: Reference
    d_k: int = 0
    divisor: float = 1.0
    used: float = 1.0
    keep: Bools = field(default_factory=lambda: np.ones((0, 0), np.bool_))
    open: Bools = field(default_factory=lambda: np.ones((0, 0), np.bool_))
    product: Maybe = None
    base: Maybe = None
    logits: Maybe = None

    def __post_init__(self) -> None:
        Q, K = self["Q"], self["K"]
        self.product = self.dot(Q, transposed(K))
        self.d_k = self.head.d_k if Q is None else max(self.head.d_k, Q.shape[1])
        self.divisor = math.sqrt(self.d_k)
        self.used = self.head.scale if self.head.scale is not None else 1.0
        if self.used != self.divisor and any(abs(self.used - round(self.divisor, n)) < 1e-12 for n in range(1, 9)):
            # √d_k as it was typed, with fewer decimals.
            self.divisor = self.used
        shape = self._shape()
        scores = self["scores"] if self["scores"] is not None else self.product
        self.base = self["scaled"] if self["scaled"] is not None else self.scaled_by(self.divisor)
        # A mask is known by its distance from the scores, whatever these are scaled by.
        plain = self["scaled"] if self["scaled"] is not None else scores
        self.keep = masks.intended(self.head, shape, self["masked"], plain)
        after = self.head.mask_place == "after"
        self.open = np.ones(shape, np.bool_) if after else self.keep
        self.logits = self["masked"] if self["masked"] is not None else masked_with(self.base, self.open)

    def _shape(self) -> tuple[int, int]:
        for role in ("weights", "exp", "masked", "scaled", "scores"):
            found = self[role]
            if found is not None:
                return found.shape[0], found.shape[1]
        return (0, 0) if self.product is None else (self.product.shape[0], self.product.shape[1])

    def __getitem__(self, role: str) -> Maybe:
        return self.matrices.stored.get(role)

    @property
    def cross_tokens(self) -> bool:
        """Whether keys come from other tokens than queries."""
        return self["X_kv"] is not None

    def vector(self, role: str) -> Maybe:
        """A role that has one number a query (or a feature), as a plain vector."""
        found = self[role]
        return None if found is None else found.ravel()

    def dot(self, a: Maybe, b: Maybe) -> Maybe:
        if a is None or b is None or a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
            return None
        with np.errstate(all="ignore"):
            return self.reference.product(a, b)

    def scaled_by(self, divisor: float) -> Maybe:
        """Scores over another divisor. Scores that are scaled already (Q is, before the product) stay as they are."""
        scores = self["scores"]
        if scores is None:
            return None if self.product is None else self.product / divisor
        if self.product is not None and alike(scores, self.product / self.divisor) and not alike(scores, self.product):
            return scores * (self.divisor / divisor)
        return scores / divisor

    def softmax(self, logits: Maybe, axis: int = 1) -> Maybe:
        """Along the keys (axis 1) or, by mistake, along the queries (axis 0). A line hidden whole is uniform."""
        if logits is None:
            return None
        across = logits if axis == 1 else logits.T
        exps = self.exps(across, across.max(axis=1))
        if exps is None:
            return None
        weights = exps / self.reference.total(exps)[:, None]
        return weights if axis == 1 else weights.T

    def exps(self, logits: Maybe, maximum: Maybe) -> Maybe:
        """exp(logits − maximum of each query)."""
        if logits is None or maximum is None or len(maximum) != len(logits):
            return None
        with np.errstate(all="ignore"):
            shifted = logits - np.where(np.isneginf(maximum), 0.0, maximum)[:, None]
            shifted = np.where(np.isneginf(maximum)[:, None], 0.0, shifted)
            return self.reference.exp(shifted)

    def total(self, matrix: Maybe, axis: int = 1) -> Maybe:
        if matrix is None or not matrix.size:
            return None
        return self.reference.total(matrix if axis == 1 else np.ascontiguousarray(matrix.T))

    def affine(self, letter: str, without: str = "") -> Maybe:
        """X·W + b of Q, K or V; ``without`` leaves out the ``first`` or ``last`` feature of X, as a range one short
        does.
        """
        tokens = "X_kv" if letter in "kv" and self["X_kv"] is not None else "X"
        return self.linear(self[tokens], self[f"W_{letter}"], self.vector(f"b_{letter}"), without)

    def linear(self, X: Maybe, W: Maybe, b: Maybe, without: str = "") -> Maybe:
        if X is None or W is None:
            return None
        if without:
            if X.shape[1] < 2:
                return None
            X = X[:, 1:] if without == "first" else X[:, :-1]
            # Where the whole block stops short, so does the part of W that it reads.
            if W.shape[0] == X.shape[1] + 1:
                W = W[1:] if without == "first" else W[:-1]
        found = self.dot(X, W)
        if found is None or b is None:
            return found
        return found + b if b.shape == (found.shape[1],) else None


def transposed(matrix: Maybe) -> Maybe:
    return None if matrix is None else np.ascontiguousarray(matrix.T)


def masked_with(base: Maybe, keep: Bools, filler: float = -np.inf) -> Maybe:
    return None if base is None or base.shape != keep.shape else np.where(keep, base, filler)


#: Relative to the largest of its block, what may differ between a formula's own value and the recomputation of its
#: step.
LOOSE = 1e-8


def alike(own: Maybe, expected: Maybe) -> bool:
    """Whether a block is explained: every number of it, to :data:`LOOSE`.

    −∞ in ``expected`` stands for "hidden": anything far below the open scores will do. A cell that is no number
    says nothing,
    but half of them must be numbers.
    """
    if own is None or expected is None:
        return False
    if own.shape != expected.shape:
        if own.size != expected.size or 1 not in (own.ndim, expected.ndim):
            return False
        own, expected = own.ravel(), expected.ravel()
    if np.isnan(expected).any():
        return False
    known = ~np.isnan(own)
    if known.sum() * 2 < own.size or not own.size:
        return False
    low = np.isneginf(expected)
    open_ = known & ~low
    if (known & low).any():
        floor = float(expected[~low].min()) if (~low).any() else 0.0
        if not (own[known & low] < floor - masks.HIDDEN_BY).all():
            return False
    if not np.isfinite(own[open_]).all() or not np.isfinite(expected[open_]).all():
        return False
    if not open_.any():
        return True
    return bool(_near(own[open_], expected[open_]).all())


def _near(own: Floats, expected: Floats) -> Bools:
    # A filler such as −1e9 says nothing of the size of what it stands among.
    size = min(1e3, float(np.abs(expected).max()))
    near: Bools = np.abs(own - expected) <= LOOSE * np.maximum(np.abs(expected), 1e-3 * size)
    return near


def each_alike(own: Floats, expected: Floats) -> Bools:
    """:func:`alike` cell by cell, for arrays of one shape; a cell that is no number is let pass."""
    found = np.ones(own.shape, np.bool_)
    low = np.isneginf(expected)
    if low.any():
        floor = float(expected[~low].min()) if (~low).any() else 0.0
        found[low] = own[low] < floor - masks.HIDDEN_BY
    if (~low).any():
        with np.errstate(invalid="ignore"):
            found[~low] = _near(own[~low], expected[~low])
    return found | np.isnan(own)
