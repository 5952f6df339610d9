"""When two numbers agree.

``|a − b| ≤ rtol · max(|a|, |b|)``, or below a floor set by the terms that were summed: n · ε · Σ|terms|. Kinds come
before numbers: a text never agrees with a number. ε is half a unit of the last digit that the file stores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.grid import Provenance
from xlsx_attention.model.values import Floats, Kinds

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """``rtol`` is relative; ``epsilon`` the rounding of one stored number; ``tiny`` what the file may store as 0."""

    rtol: float = 1e-12
    epsilon: float = 2.0**-52
    tiny: float = 0.0

    @classmethod
    def for_file(cls, provenance: Provenance, rtol: float | None = None) -> Tolerance:
        """From the digits that the file carries: 17 → 1e-12, 15 → 1e-12, 10 → 1e-7.

        Three digits are left for rounded values going through a step; Excel's own caches need none (they are equal
        to the bit).
        """
        digits = min(17, max(4, provenance.digits))
        epsilon = max(2.0**-52, 0.5 * 10.0 ** (1 - digits)) if digits < 17 else 2.0**-52
        own = max(1e-12, 10.0 ** (3 - digits))
        return cls(own if rtol is None else rtol, epsilon, 10.0**-digits if digits <= 12 else 0.0)


def same_bits(a: Floats, ka: Kinds, b: Floats, kb: Kinds) -> Bools:
    """Kind and number equal to the bit (0 and −0 are one number to Excel)."""
    result: Bools = (ka == kb) & (a == b)
    return result


def close(a: Floats, ka: Kinds, b: Floats, kb: Kinds, tolerance: Tolerance) -> Bools:
    """Kind equal, and for numbers within ``rtol``; other kinds hold exact numbers (indices, truth values)."""
    with np.errstate(over="ignore"):
        near = np.abs(a - b) <= tolerance.rtol * np.maximum(np.abs(a), np.abs(b)) + tolerance.tiny
    result: Bools = (ka == kb) & ((a == b) | (near & (ka == 0)))
    return result


def ulp_distance(a: Floats, b: Floats) -> Floats:
    """|a − b| in units in the last place of the larger."""
    scale = np.spacing(np.maximum(np.maximum(np.abs(a), np.abs(b)), np.finfo(np.float64).tiny))
    result: Floats = np.abs(a - b) / scale
    return result
