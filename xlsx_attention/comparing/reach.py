"""Which cells of attention a wrong cell reaches."""

from __future__ import annotations

from typing import Final

#: Steps of one query and one key, before the line of a query is summed.
PAIRS: Final = ("scores", "scaled", "masked", "shifted", "exp")
LINES: Final = ("row_max", "normaliser")
ORDER: Final = (*PAIRS[:3], "row_max", *PAIRS[3:], "normaliser", "weights", "output", "concat", "projected")


def reached(origin: tuple[str, int, int], role: str, i: int, j: int) -> bool:
    """Whether the cell (i, j) of ``role`` is computed from the cell ``origin``; tokens in rows.

    A query reaches its row. A key reaches its column and, through the sums, every row after. A value its feature.
    """
    source, a, b = origin
    if role not in ORDER:
        return False
    if source == "Q":
        return i == a
    if source == "K":
        return role not in PAIRS[:3] or j == a
    if source == "V":
        return role in ("concat", "projected") or (role == "output" and j == b)
    if source not in ORDER or ORDER.index(source) >= ORDER.index(role):
        return False
    if source in PAIRS and role in PAIRS[:3]:
        return (i, j) == (a, b)
    # What exp takes off is the maximum of its whole row.
    return i == a
