"""What attention leaves behind: every intermediate, read-only, under the name the course gives it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlsx_attention.attention.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class HeadTrace:
    """One head, S_q queries over S_k keys, tokens in rows."""

    Q: Array  #           (S_q, d_k)
    K: Array  #           (S_k, d_k)
    V: Array  #           (S_k, d_v)
    scores: Array  #      (S_q, S_k)  Q·Kᵀ
    divisor: float  #     √d_k, or what the scale said; 1 without scaling
    scaled: Array  #      (S_q, S_k)  scores ÷ divisor
    keep: npt.NDArray[np.bool_]  # (S_q, S_k)  False where the mask hides a key
    masked: Array  #      (S_q, S_k)  scaled, with the mask's value on what is hidden
    row_max: Array  #     (S_q, 1)
    exp: Array  #         (S_q, S_k)  e^(masked − row_max)
    normaliser: Array  #  (S_q, 1)    the sum of each row of exp
    weights: Array  #     (S_q, S_k)  exp ÷ normaliser
    output: Array  #      (S_q, d_v)  weights·V


@dataclass(frozen=True, slots=True, eq=False)
class AttentionTrace:
    """Attention with its projections. In self-attention X_kv is X.

    With one head the steps ``scores`` … ``output`` are its matrices. With h > 1 they are the heads' matrices on top of
    one another, with a first axis of h; ``heads[i]`` holds those of one head. Q, K and V are the whole projections, of
    which head i uses columns i·d_k … (i+1)·d_k − 1. ``divisor`` and ``keep`` are common to all heads.
    """

    X: Array  #           (S_q, D)    the tokens that ask
    X_kv: Array  #        (S_k, D)    the tokens that answer
    Q: Array  #           (S_q, h·d_k)
    K: Array  #           (S_k, h·d_k)
    V: Array  #           (S_k, h·d_v)
    scores: Array  #      (S_q, S_k) or (h, S_q, S_k), and so on below
    divisor: float
    scaled: Array
    keep: npt.NDArray[np.bool_]  # (S_q, S_k)
    masked: Array
    row_max: Array
    exp: Array
    normaliser: Array
    weights: Array
    output: Array
    heads: tuple[HeadTrace, ...]
    concat: Array  #      (S_q, h·d_v)  the heads' outputs side by side; the output itself with one head
    projected: Array | None  # (S_q, D_out)  concat·W_o; None without W_o

    @property
    def result(self) -> Array:
        """What the layer hands on: ``projected`` where there is a W_o, else ``concat``."""
        return self.concat if self.projected is None else self.projected
