"""``explain``, ``generate`` and ``scaling`` as a shell sees them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.shell import run
from xlsx_attention.model.address import Rect
from xlsx_attention.reading import read_workbook


@pytest.fixture
def course(project: Path) -> Path:
    return project / "workbooks" / "course-self-attention.xlsx"


def test_explain_shows_a_line_a_step_with_its_range_and_shape(course: Path) -> None:
    text = run("explain", course).stdout
    for line in ("Q = X @ W_q", "scaled = scores / np.sqrt(d_k)", "output = weights @ V"):
        assert re.search(re.escape(line) + r"\s+# [A-Z]+\d+:[A-Z]+\d+  \d+×\d+", text)


@pytest.mark.parametrize("name", ["course", "Self-Attention", "Softmax", "Temperature"])
def test_the_python_form_runs_in_a_bare_interpreter_and_reproduces_the_sheet(
    name: str, project: Path, request: pytest.FixtureRequest
) -> None:
    if name == "course":
        path = project / "workbooks" / "course-self-attention.xlsx"
    else:
        path = request.getfixturevalue("corpus") / "ai-by-hand" / f"{name}.xlsx"
    script = run("explain", path, "--format", "python").stdout
    names = re.findall(r"^([A-Za-z_]\w*) = .*?   # (?:(.*?)!)?([A-Z]+\d+(?::[A-Z]+\d+)?)  ", script, flags=re.M)
    assert len(names) > 5
    tail = "\n".join(
        (
            "import json",
            "numbers = {}",
            "for name, value in list(globals().items()):",
            "    try:",
            "        numbers[name] = np.asarray(value, float).tolist()",
            "    except (TypeError, ValueError):",
            "        pass",
            "print(json.dumps(numbers))",
        )
    )
    # -I: no current folder, no environment; where NumPy lies is put back on the path.
    place = str(Path(np.__file__).resolve().parents[1])
    code = f"import sys; sys.path.append({place!r})\n{script}{tail}"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    values = json.loads(done.stdout)
    grid = read_workbook(path)
    checked = 0
    for variable, sheet, cells in names:
        rect = Rect.parse(cells)
        index = grid.sheet_index(sheet.strip("'").strip()) if sheet else 0
        if index is None or variable not in values:
            continue
        stored, kind = grid.sheets[index].cached.read(rect)
        if (kind == 0).all():
            np.testing.assert_allclose(np.broadcast_to(values[variable], rect.shape), stored, rtol=1e-12, atol=1e-300)
            checked += 1
    assert checked > 4


def test_one_cell_is_derived_with_its_numbers(corpus: Path) -> None:
    text = run("explain", corpus / "ai-by-hand" / "Self-Attention.xlsx", "U10").stdout
    # Read off the sheet: 0·2 + 0·0 + 1·3 = 3.
    assert "small!U10  scores[0,0]" in text
    assert "Q10 · U5 = 0 · 2 = 0" in text
    assert "S10 · U7 = 1 · 3 = 3" in text
    assert "sum        3   (3 terms, left to right)" in text
    assert "verdict    agrees" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["B0"], "not a cell"), (["Nope!A1"], "no sheet 'Nope'"), (["--sheet", "x"], "no sheet 'x'")],
)
def test_explain_says_what_is_wrong_with_a_cell(course: Path, arguments: list[str], words: str) -> None:
    result = run("explain", course, *arguments)
    assert result.returncode == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_generated_lesson_verifies(tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.xlsx"
    made = run("generate", "我 爱 AI", "--length", "4", "--d-model", "4", "--seed", "7", "-o", lesson)
    assert (made.returncode, made.stdout.split()) == (0, [str(lesson)])
    assert run("verify", lesson).returncode == 0


def test_planted_mistakes_are_found_and_the_answers_lie_beside(tmp_path: Path) -> None:
    lesson = tmp_path / "find.xlsx"
    assert run("generate", "the cat sat", "--lang", "en", "--mistakes", "2", "-o", lesson).returncode == 0
    assert (tmp_path / "find-answers.xlsx").exists()
    assert run("verify", lesson).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a b c", "--length", "2"], "length"),
        (["a b", "--d-model", "6", "--heads", "4"], "heads"),
        (["a b", "--mask", "sideways"], "sideways"),
        (["a b", "--from", "no-such.toml"], "no-such.toml"),
    ],
)
def test_what_cannot_be_generated_is_said_in_one_line_and_nothing_is_written(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    lesson = tmp_path / "lesson.xlsx"
    result = run("generate", *arguments, "-o", lesson)
    assert result.returncode == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not lesson.exists()


def test_scaling_prints_the_table_of_the_course(tmp_path: Path) -> None:
    result = run("scaling", "--dims", "8", "64", "-o", tmp_path / "scaling.xlsx")
    assert result.returncode == 0
    rows = [line.split() for line in result.stdout.splitlines() if line.strip()[:2] in ("8 ", "64")]
    # √8 and √64 beside the measured deviations, as the course's table has them (2.83 and 8.00).
    assert [float(row[4]) for row in rows] == [2.828, 8.0]
    assert all(abs(float(row[1]) - float(row[4])) < 5 * float(row[3]) for row in rows)
    assert (tmp_path / "scaling.xlsx").stat().st_size > 1000


def test_scaling_refuses_a_width_that_is_none() -> None:
    result = run("scaling", "--dims", "8,x")
    assert result.returncode == 2
    assert "--dims" in result.stderr
