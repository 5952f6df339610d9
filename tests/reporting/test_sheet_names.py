"""Names of sheets by Excel's rules (Microsoft's page "Rename a worksheet")."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tests.reporting.books import _sheet_name_faults
from xlsx_attention.reporting.sheet_names import SheetNames


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("small", "small"),
        ("a/b:c?d*[e]\\f", "a_b_c_d__e__f"),
        ("'quoted'", "quoted"),
        ("", "Sheet"),
        ("History", "History (2)"),
        ("a\x00b\ud800", "a�b�"),
        ("x" * 40, "x" * 31),
        ("𝕏" * 20, "𝕏" * 15),
        ("自注意力", "自注意力"),
    ],
)
def test_names(wanted: str, name: str) -> None:
    assert SheetNames().take(wanted) == name


def test_no_name_twice_whatever_its_case() -> None:
    names = SheetNames()
    assert [names.take(name) for name in ("Q", "q", "x" * 31, "X" * 33)] == ["Q", "q (2)", "x" * 31, "X" * 27 + " (2)"]


@given(st.lists(st.text(max_size=40), max_size=8))
def test_any_texts_become_names_that_excel_takes(texts: list[str]) -> None:
    names = SheetNames()
    assert _sheet_name_faults([names.take(text) for text in texts]) == []
