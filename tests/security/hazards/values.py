"""Hostile values: one cell is odd, the file goes on."""

from __future__ import annotations

from tests.reading import packages
from tests.security.hazards.build import book, formula, number, typed
from tests.security.hazards.outcome import Hazard, Read

GOES_ON = {"agrees": 1, "not-computed": 1}


def _of(kind: str, value: str) -> bytes:
    """``A1`` holds the value; ``B1`` uses it, ``B2`` does not."""
    return book(typed(0, 0, kind, value), formula(0, 1, "A1+1", 1), number(1, 0, 1), formula(1, 1, "A2*3", 3))


ODD = [
    ("n", text, "bad-number")
    for text in ("NaN", "1e999", "-INF", "1,5", "1_000", "0x10", "١٢٣", "1 2", "1e", "--1", "9" * 2_000, "=1+1")
]
ODD += [("s", text, "bad-string-index") for text in ("99999", "-1", "1.5", "９")]
ODD += [("b", "2", "bad-logical"), ("e", "#OOPS!", "unknown-error"), ("d", "yesterday", "bad-date")]
ODD += [("zz", "1", "unknown-type"), ("__class__", "1", "unknown-type")]


def _cells(*xml: str) -> bytes:
    return packages.book(packages.row(1, "".join(xml)))


HAZARDS = [
    Hazard(
        "values",
        f"t={kind} v={value if len(value) < 20 else value[:3] + '… (' + str(len(value)) + ' digits)'}",
        lambda kind=kind, value=value: _of(kind, value),  # type: ignore[misc]
        Read(GOES_ON, (code,)),
    )
    for kind, value, code in ODD
] + [
    Hazard(
        "values",
        "one cell written twice",
        lambda: _cells('<c r="A1"><v>1</v></c><c r="A1"><v>2</v></c>', '<c r="B1"><f>A1+1</f><v>3</v></c>'),
        Read({"agrees": 1}, ("duplicate-cell",)),
    ),
    Hazard(
        "values",
        "addresses that are none",
        lambda: _cells('<c r="1A"><v>1</v></c><c r="A0"><v>2</v></c><c r="B1"><f>1+1</f><v>2</v></c>'),
        Read({"agrees": 1}, ("bad-reference", "outside-grid")),
    ),
    Hazard(
        "values",
        "a formula of an unknown type",
        lambda: _cells('<c r="A1"><f t="evil">1+1</f><v>2</v></c>'),
        Read({"agrees": 1}, ("unknown-formula-type",)),
    ),
    Hazard(
        "values",
        "a member of a shared formula without master",
        lambda: _cells('<c r="A1"><f t="shared" si="7"/><v>2</v></c>'),
        Read({"not-computed": 1}, ("shared-master-missing",), "SHARED_FORMULA_MISSING"),
    ),
]
