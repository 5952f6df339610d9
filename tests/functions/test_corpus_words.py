"""Every computed cell of a peer's parity suite for text, logic, look-up and information, as Excel stored it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functions.evaluate import computed_cells

FOLDERS = ["TEXT", "LOGICAL", "LOOKUP_AND_REFERENCE", "INFORMATION"]

#: Dates as text that Excel read day before month: the file does not store under which regional settings it was
#: calculated, and month before day is the rule here. 2/3/2023 was read as 2 March, 10-12-1999 as 10 December.
DAY_FIRST = {"Sheet1!C15", "Sheet1!I5"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_cell_is_as_excel_stored_it(corpus: Path, folder: str) -> None:
    """To the bit: no tolerance."""
    paths = sorted((corpus / "ironcalc" / folder).glob("*.xlsx"))
    assert paths
    count = 0
    other = []
    for path in paths:
        for cell in computed_cells(path):
            count += 1
            if path.stem == "T_VALUE_VALUETOTEXT" and cell.where in DAY_FIRST:
                assert cell.ours.python != cell.cached.python, cell
            elif not cell.same_bits and not {cell.cached.python, cell.ours.python} <= {None, ""}:
                other.append((path.stem, cell.where, cell.formula, cell.cached.python, cell.ours.python))
    assert other == []
    assert count >= {"TEXT": 815, "LOGICAL": 430, "LOOKUP_AND_REFERENCE": 500, "INFORMATION": 140}[folder]
