"""A cycle that INDIRECT or OFFSET closes is a cycle: Excel warns of it as of any other (Microsoft Support, "Remove or
allow a circular reference in Excel")."""

from __future__ import annotations

import pytest

from tests.reading import packages
from xlsx_attention.pipeline import verify_grid
from xlsx_attention.reading import read_workbook


def verdicts(**cells: str) -> dict[str, str]:
    """The verdicts of formulas whose stored results are all 0, in A1, B1 … beside a 0 in J1 and the text B1 in K1."""
    row = "".join(f'<c r="{name}1"><f>{text}</f><v>0</v></c>' for name, text in sorted(cells.items()))
    row += '<c r="J1"><v>0</v></c><c r="K1" t="inlineStr"><is><t>B1</t></is></c>'
    report = verify_grid(read_workbook(packages.book(packages.row(1, row))))
    return {name: report.sheets[0].verdict(0, ord(name) - ord("A")) or "" for name in cells}


@pytest.mark.parametrize(
    ("cells", "circular"),
    [
        ({"B": 'INDIRECT("B1")'}, "B"),
        ({"B": "INDIRECT(K1)"}, "B"),
        ({"B": 'SUM(INDIRECT("A1:C1"))'}, "B"),
        ({"B": "SUM(OFFSET(A1,0,0,1,3))"}, "B"),
        ({"B": 'INDIRECT("C1")', "C": "B1+0"}, "BC"),
        ({"B": 'INDIRECT("C1")', "C": 'INDIRECT("D1")', "D": "B1"}, "BCD"),
        ({"A": 'INDIRECT("C1")', "B": "J1", "C": "B1"}, ""),
        ({"B": "INDIRECT(\"J1\")", "C": "B1"}, ""),
        ({"B": 'IF(J1=0,J1,INDIRECT("B1"))'}, ""),
        ({"A": "B1", "B": 'INDIRECT("B1")'}, "B"),
    ],
)  # fmt: skip
def test_cycles_that_a_text_closes(cells: dict[str, str], circular: str) -> None:
    found = verdicts(**cells)
    assert "".join(name for name, verdict in sorted(found.items()) if verdict == "circular") == circular, found
    assert {verdict for name, verdict in found.items() if name not in circular} <= {"agrees"}
