"""Room for walks over deep formulas: Python's own limit of 1,000 frames is a few hundred nested parts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Frames for the deepest formula that the parser lets through, with LAMBDAs that call themselves, and some to spare.
RECURSION = 6_000


@contextmanager
def deep() -> Iterator[None]:
    """While this is open, Python allows :data:`RECURSION` frames at least."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
