"""SECURITY.md says what the code does: the same limits, the same hazards with the same outcomes."""

from __future__ import annotations

from pathlib import Path

from tests.security.hazards import HAZARDS
from tests.security.measure import HAZARDS_MARK, LIMITS_MARK, between, cells, limits


def test_the_limits_are_those_of_the_code(project: Path) -> None:
    page = (project / "SECURITY.md").read_text("utf-8")
    assert between(page, LIMITS_MARK) == limits()


def test_the_table_is_that_of_the_tests(project: Path) -> None:
    page = (project / "SECURITY.md").read_text("utf-8")
    lines = between(page, HAZARDS_MARK).strip().splitlines()[2:]
    shown = [line.rsplit(" | ", 2)[0] for line in lines]
    assert shown == [f"| {h.section} | {cells(h.name)} | {cells(str(h.outcome))}" for h in HAZARDS]
