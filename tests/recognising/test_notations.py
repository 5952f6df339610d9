"""One attention, written in many ways: the same roles at the places where the lesson was written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.recognising.lessons import Notation, ranges, recognised, written

PLAIN = Notation()
WAYS = {
    "one-cell MMULT": PLAIN,
    "spilled MMULT": replace(PLAIN, product="spill"),
    "SUMPRODUCT": replace(PLAIN, product="sumproduct"),
    "sums of products": replace(PLAIN, product="written"),
    "keys copied across": replace(PLAIN, transpose="cells"),
    "literal scale": replace(PLAIN, scale="/SQRT({n})"),
    "decimal scale": replace(PLAIN, scale="*0.577350269189626"),
    "POWER": replace(PLAIN, scale="*POWER({dk},-0.5)"),
    "caret": replace(PLAIN, scale="/{dk}^0.5"),
    "reciprocal": replace(PLAIN, scale="*1/SQRT({dk})"),
    "named d_k": replace(PLAIN, scale="/SQRT(d_k)"),
    "maximum": replace(PLAIN, softmax="max"),
    "softmax in one formula": replace(PLAIN, softmax="in one"),
    "softmax and scale in one": replace(PLAIN, softmax="all in one"),
    "LAMBDA": replace(PLAIN, softmax="lambda"),
    "mask by IF": replace(PLAIN, mask="if"),
    "mask by IF, the other way": replace(PLAIN, mask="if not", softmax="max"),
    "mask by adding": replace(PLAIN, mask="add"),
    "bias in its own step": replace(PLAIN, bias="vector"),
    "labels": replace(PLAIN, labels=True),
    "blocks moved": replace(PLAIN, shuffle=7, mask="if"),
    "blocks moved again": replace(PLAIN, shuffle=11, softmax="max", labels=True),
    "cross-attention": replace(PLAIN, cross=True),
    "one key of width": replace(PLAIN, d_k=1, width=3),
    "two tokens": replace(PLAIN, tokens=2),
}


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_roles(tmp_path: Path, way: str, columns: bool) -> None:
    notation = replace(WAYS[way], columns=columns)
    lesson = written(tmp_path / "lesson.xlsx", notation)
    found = recognised(tmp_path / "lesson.xlsx")
    expected = {role: place for role, place in lesson.roles.items() if "linear" not in role and role != "K across"}
    assert len(found.attentions) == 1
    assert ranges(found) == expected
    attention = found.attentions[0]
    [head] = attention.heads
    assert attention.orientation == ("columns" if columns else "rows")
    assert attention.kind == ("cross" if notation.cross else "self")
    assert head.d_k == notation.d_k
    assert head.scale == pytest.approx(notation.d_k**0.5)
    assert (head.softmax_axis, head.exp, head.output_from, head.values_from) == ("keys", "yes", "weights", "V")
    assert head.mask == ("padding" if notation.mask else None)
    assert head.masked_columns == ((notation.tokens - 1,) if notation.mask else ())
    assert head.same_projection == ()
    assert head.labelled == {}
    # All that is no role are the copies and the products before their bias.
    assert found.unrecognised == ()


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("mask", ["causal", "causal matrix"])
def test_causal_masks(tmp_path: Path, mask: str, columns: bool) -> None:
    lesson = written(tmp_path / "lesson.xlsx", replace(PLAIN, mask=mask, columns=columns))
    found = recognised(tmp_path / "lesson.xlsx")
    [head] = found.attentions[0].heads
    assert ranges(found) == lesson.roles
    assert (head.mask, head.mask_axis, head.mask_place) == ("causal", "keys", "before")
    assert head.masked_columns == ()


#: Mistake → what it is written in, and what the head then says of itself.
FAULTS: dict[str, tuple[Notation, dict[str, object]]] = {
    "wrong axis": (PLAIN, {"softmax_axis": "queries"}),
    "K by W_q": (PLAIN, {"same_projection": (("Q", "K"),)}),
    "weights times K": (PLAIN, {"values_from": "K"}),
    "mask on rows": (replace(PLAIN, mask="if"), {"mask_axis": "queries", "mask": "padding"}),
    "mask after softmax": (replace(PLAIN, mask="if"), {"mask_place": "after", "masked_columns": (3,)}),
    "no exp in normaliser": (PLAIN, {"exp": "numerator"}),
    "output from exp": (PLAIN, {"output_from": "exp"}),
    "Q one short": (PLAIN, {}),
    "output one short": (PLAIN, {}),
    "$ missing in Q": (replace(PLAIN, transpose="cells"), {}),
    "$ missing in scores": (replace(PLAIN, transpose="cells"), {}),
    "$ missing in weights": (PLAIN, {}),
    "$ missing in output": (PLAIN, {}),
    "wrong maximum": (replace(PLAIN, softmax="max"), {"row_max_axis": "keys"}),
    "no scale": (replace(PLAIN, scale=""), {"scale": None}),
    "another scale": (replace(PLAIN, scale="/{dk}"), {"scale": 3.0}),
}


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_faulty_attention_is_one_still(tmp_path: Path, fault: str, columns: bool) -> None:
    """What each mistake makes of the sheet follows from how the lesson is written."""
    notation, facts = FAULTS[fault]
    lesson = written(tmp_path / "lesson.xlsx", replace(notation, columns=columns, fault=fault))
    found = recognised(tmp_path / "lesson.xlsx")
    [attention] = found.attentions
    [head] = attention.heads
    roles = ranges(found)
    for role in ("X", "W_q", "Q", "K", "scores", "weights", "output"):
        assert roles[role] == lesson.roles[role], role
    for name, value in facts.items():
        assert getattr(head, name) == value, name


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_values_that_nothing_uses(tmp_path: Path, columns: bool) -> None:
    """Weights times K: V and its W are on the sheet all the same."""
    lesson = written(tmp_path / "lesson.xlsx", replace(PLAIN, columns=columns, fault="weights times K"))
    found = ranges(recognised(tmp_path / "lesson.xlsx"))
    assert {role: found[role] for role in ("V", "W_v")} == {role: lesson.roles[role] for role in ("V", "W_v")}


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_a_mask_that_nothing_uses(tmp_path: Path, columns: bool) -> None:
    notation = replace(PLAIN, columns=columns, mask="if", fault="mask unused", labels=True)
    lesson = written(tmp_path / "lesson.xlsx", notation)
    found = recognised(tmp_path / "lesson.xlsx")
    assert ranges(found) == lesson.roles
    assert found.attentions[0].heads[0].mask is None
