"""Each mistake of the table, planted in each lesson: in one cell, and in the whole block.

It must be found at the right cells with the right cause, and nothing else may be blamed. The causes are what was
planted,
so the truth of this table does not come from the code under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.comparing.mistakes import MISTAKES
from tests.comparing.planting import Lesson, accused, changes, planted_block, planted_cell
from xlsx_attention.generating import generate
from xlsx_attention.model.address import cell_name
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.pipeline import verify_file

TABLE: Counter[tuple[str, str]] = Counter()
GENERATED = {
    "rows": ExampleSpec(tokens=("a", "b", "c"), length=4, d_model=6, d_k=4, d_v=4, seed=5, layout="rows", lang="en"),
    "columns": ExampleSpec(tokens=("a", "b", "c"), length=4, d_model=6, d_k=4, d_v=4, seed=6, layout="columns"),
    "rows, no mask": ExampleSpec(tokens=("a", "b", "c", "d"), d_model=6, d_k=4, d_v=4, seed=7, mask="none"),
    "columns, no mask": ExampleSpec(
        tokens=("a", "b", "c", "d"), d_model=6, d_k=4, d_v=4, seed=8, layout="columns", mask="none", lang="en"
    ),
}


@pytest.fixture(scope="module", params=["course", "ai-by-hand", *GENERATED])
def lesson(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, project: Path) -> Lesson:
    folder = tmp_path_factory.mktemp("planted")
    if request.param == "course":
        return Lesson.of(project / "workbooks" / "course-self-attention.xlsx", folder)
    if request.param == "ai-by-hand":
        corpus: Path = request.getfixturevalue("corpus")
        return Lesson.of(corpus / "ai-by-hand" / "Self-Attention.xlsx", folder)
    [path] = generate(GENERATED[request.param], folder / "lesson.xlsx")
    return Lesson.of(path, folder)


@pytest.fixture(scope="module", autouse=True)
def confusion() -> Iterator[None]:
    """Prints which planted cause was found as what."""
    yield
    print("\nplanted → found")
    for (planted, found), count in sorted(TABLE.items()):
        print(f"  {planted:24} {found:24} {count:4}")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_whole_block_is_a_finding_about_that_block(lesson: Lesson, name: str) -> None:
    wrong = MISTAKES[name]
    if not wrong.fits(lesson):
        pytest.skip(f"{lesson.name} has no room for it")
    place = lesson.place(wrong.role)
    assert place is not None
    path = planted_block(lesson, wrong)
    if not changes(lesson, path, place.sheet, list(place.cells())):
        pytest.skip(f"it changes no number of {lesson.name}")
    report = verify_file(path)
    found = list(accused(report))
    TABLE.update((wrong.cause, cause) for _, cause in found or [("", "nothing")])
    assert found == [(place.rect.a1, wrong.cause)], name
    [finding] = report.findings
    # What the values would be is what the right lesson holds.
    assert finding.mended is not None
    assert lesson.report.grid is not None
    right = lesson.report.grid.sheets[place.sheet].cached.read(place.rect)[0]
    if not wrong.also:
        assert np.allclose(finding.mended, right, rtol=1e-9, atol=1e-12)
    for language in ("en", "zh"):
        assert place.rect.a1 in finding.message[language]
        assert "{" not in finding.message[language]


@pytest.mark.parametrize("name", MISTAKES)
def test_one_cell_is_accused_with_the_cause_of_its_mistake(lesson: Lesson, name: str) -> None:
    wrong = MISTAKES[name]
    if wrong.spot is None or not wrong.fits(lesson) or (planted := planted_cell(lesson, wrong)) is None:
        pytest.skip(f"{lesson.name} has no room for it")
    path, at = planted
    report = verify_file(path)
    found = list(accused(report))
    TABLE.update((wrong.cause, cause) for _, cause in found or [("", "nothing")])
    assert found == [(cell_name(*at), wrong.cause)], name
    assert {cell.verdict for cell in report.cells} <= {"origin", "inherited"}
