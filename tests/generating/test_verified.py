"""The tool reads its own lessons back: every cell agrees, every step is recognised, nothing is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xlsx_attention import pipeline
from xlsx_attention.generating import generate
from xlsx_attention.generating.drawing import Drawn
from xlsx_attention.generating.texts import bare
from xlsx_attention.generating.workbooks import lessons
from xlsx_attention.model.example import LAYOUTS, LESSONS, MASKS, STYLES, ExampleSpec
from xlsx_attention.model.report import FileReport

#: What stands on the sheet and is no role of attention.
_NO_ROLE = {"KT", "table", "ids", "pos", "dim", "E", "PE", "causal", "mask"}
_ROLE = {"row_sum": "normaliser", "X_q": "X"}


def assert_all_agrees(report: FileReport) -> None:
    counts = {verdict: count for verdict, count in report.counts.items() if count}
    assert set(counts) <= {"agrees"}, (counts, report.cells[:3], report.error)
    assert not report.findings
    assert report.ok


def recognised(report: FileReport, sheet: int) -> dict[str, set[str]]:
    """Role → the ranges that the tool gives it on one sheet."""
    found: dict[str, set[str]] = {}
    for attention in report.attention.attentions:
        if attention.sheet != sheet:
            continue
        for roles in (attention.shared, *(head.roles for head in attention.heads)):
            for role, place in roles.items():
                found.setdefault(role, set()).add(place.rect.a1)
    return found


def assert_roles(report: FileReport, found: list[Drawn]) -> None:
    for number, drawn in enumerate(found):
        got = recognised(report, number)
        for key, rect in drawn.page.rects.items():
            name = bare(key)
            # Later lessons copy X from the first sheet; the tool looks through copies.
            copied = number > 0 and drawn.lesson.by_key[key].role == "X"
            if name not in _NO_ROLE and not copied:
                assert rect.a1 in got.get(_ROLE.get(name, name), ()), (drawn.lesson.sheet, key, rect.a1, got)
        [attention] = [a for a in report.attention.attentions if a.sheet == number]
        assert attention.orientation == ("columns" if drawn.refs.columns else "rows")
        assert {head.d_k for head in attention.heads} == {int(drawn.lesson.names["d_k"])}


@st.composite
def specs(draw: st.DrawFn) -> ExampleSpec:
    heads = draw(st.integers(1, 3))
    words = draw(st.integers(2, 4))
    mask = draw(st.sampled_from(MASKS))
    return ExampleSpec(
        tokens=[f"t{i}" for i in range(words)],
        length=words + (0 if mask == "none" else draw(st.integers(0, 2))),  # padding asks for a mask
        d_model=draw(st.integers(3, 7)),
        d_k=draw(st.integers(2, 5)),
        d_v=draw(st.integers(2, 5)),
        heads=heads,
        w_o=draw(st.booleans()),
        bias=draw(st.booleans()),
        mask=mask,
        seed=draw(st.integers(0, 10**6)),
        decimals=draw(st.sampled_from([2, 3, 15])),
        layout=draw(st.sampled_from(LAYOUTS)),
        style=draw(st.sampled_from(STYLES)),
        lang=draw(st.sampled_from(["zh", "en"])),
        embedding=draw(st.booleans()),
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(specs())
def test_every_lesson_agrees_and_is_recognised(tmp_path: Path, spec: ExampleSpec) -> None:
    [path] = generate(spec, tmp_path / "lesson.xlsx")
    report = pipeline.verify_file(path)
    assert_all_agrees(report)
    assert_roles(report, lessons(spec))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_several_lessons_in_one_workbook(tmp_path: Path, layout: str, style: str) -> None:
    spec = ExampleSpec(lessons=LESSONS, length=5, d_model=4, layout=layout, style=style)
    [path] = generate(spec, tmp_path / "lesson.xlsx")
    report = pipeline.verify_file(path)
    assert_all_agrees(report)
    assert_roles(report, lessons(spec))
    kinds = {a.sheet: (a.kind, len(a.heads)) for a in report.attention.attentions}
    assert kinds == {0: ("self", 1), 1: ("self", 2), 2: ("self", 1), 3: ("cross", 1)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("style", ["cell", "mmult"])
def test_the_key_of_an_exercise_agrees_and_the_copy_holds_nothing_wrong(
    tmp_path: Path, layout: str, style: str
) -> None:
    spec = ExampleSpec(exercise=True, length=4, d_model=4, layout=layout, style=style, mask="both")
    student, key = generate(spec, tmp_path / "lesson.xlsx")
    assert_all_agrees(pipeline.verify_file(key))
    counts = {verdict for verdict, count in pipeline.verify_file(student).counts.items() if count}
    assert counts <= {"agrees", "no-cached-value"}
