"""The mathematics that blocks are held against, handed in by the caller: this stage knows no formula of attention
itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xlsx_attention.model.values import Floats


@dataclass(frozen=True, slots=True)
class Reference:
    """``product``: (n, k)·(k, m). ``exp``: of each element. ``total``: sums over the last axis, (n, m) → (n,).

    Each in the order of operations that a spreadsheet has, so that a block which is right agrees to the last bits.
    """

    product: Callable[[Floats, Floats], Floats]
    exp: Callable[[Floats], Floats]
    total: Callable[[Floats], Floats]
