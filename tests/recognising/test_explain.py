"""The printed program runs in a bare interpreter with NumPy and gives the numbers that the sheet stores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.recognising.lessons import Notation, compiled, written
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.recognising import Line, Wording, explain_program, program_text, recognise


def explained(path: Path) -> tuple[WorkbookGrid, list[Line]]:
    grid, plan = compiled(path)
    return grid, explain_program(grid, plan, recognise(grid, plan))


def run(lines: list[Line], folder: Path) -> dict[str, np.ndarray]:
    """The program in its own interpreter (isolated from this one's paths); its names are saved and read back."""
    target = folder / "names.npz"
    names = ", ".join(f"{line.name!r}: np.asarray({line.name})" for line in lines)
    script = program_text(lines) + f"\nnp.savez({str(target)!r}, **{{{names}}})\n"
    (folder / "program.py").write_text(script, encoding="utf-8")
    subprocess.run([sys.executable, "-I", str(folder / "program.py")], check=True, cwd=folder, timeout=50)
    with np.load(target, allow_pickle=True) as data:
        return dict(data)


def differences(grid: WorkbookGrid, lines: list[Line], values: dict[str, np.ndarray], rtol: float) -> list[str]:
    """Cells whose stored number is not the program's."""
    found = []
    compared = 0
    for line in lines:
        value = np.reshape(values[line.name], line.shape)
        for row, column in line.rect.cells():
            stored = grid.number(line.sheet, row, column)
            if stored is not None:
                compared += 1
                mine = float(value[row - line.rect.top, column - line.rect.left])
                if not np.isclose(mine, stored, rtol=rtol, atol=1e-12):
                    found.append(f"{line.name}: {mine} for {stored}")
    assert compared > 0
    return found


@pytest.mark.parametrize(
    "name",
    [
        "ai-by-hand/Self-Attention.xlsx",
        "ai-by-hand/Transformer-Full-Stack.xlsx",
        "ai-by-hand/Softmax.xlsx",
        "ai-by-hand/Temperature.xlsx",
        "ai-by-hand/LSTM.xlsx",
        "ai-by-hand/Backpropgation.xlsx",
        "backprop-class/backprop.xlsx",
    ],
)
def test_public_sheets_are_reproduced(corpus: Path, tmp_path: Path, name: str) -> None:
    """Excel's stored numbers, by a program that knows the inputs alone."""
    grid, lines = explained(corpus / name)
    assert differences(grid, lines, run(lines, tmp_path), 1e-9) == []
    # No attention step is written down by its numbers.
    assert [line.name for line in lines if "stored values" in line.comment and line.name.isalpha()] == []


def test_the_course_sheet_is_reproduced(project: Path, tmp_path: Path) -> None:
    grid, lines = explained(project / "workbooks" / "course-self-attention.xlsx")
    assert differences(grid, lines, run(lines, tmp_path), 1e-12) == []
    program = {line.name: line.expression for line in lines if not line.expression.startswith("np.array(")}
    # As the course's article writes it.
    assert program == {
        "d_k": "8",
        "Q": "X @ W_q",
        "K": "X @ W_k",
        "V": "X @ W_v",
        "KT": "K.T",
        "scores": "Q @ KT",
        "scaled": "scores / np.sqrt(d_k)",
        "masked": "np.where((mask == 1), scaled, -1e9)",
        "row_max": "masked.max(axis=1, keepdims=True)",
        "exp": "np.exp(masked - row_max)",
        "normaliser": "exp.sum(axis=1, keepdims=True)",
        "weights": "exp / normaliser",
        "output": "weights @ V",
    }


def test_scattered_cells_are_reproduced(corpus: Path, tmp_path: Path) -> None:
    grid, lines = explained(corpus / "excel-transformer" / "Transformer.xlsx")
    assert differences(grid, lines, run(lines, tmp_path), 1e-9) == []


@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("product", ["mmult", "spill", "sumproduct", "written"])
def test_a_product_is_written_as_one(tmp_path: Path, product: str, columns: bool) -> None:
    """Whatever the notation, one line with ``@``."""
    written(tmp_path / "lesson.xlsx", Notation(product=product, columns=columns))
    _, lines = explained(tmp_path / "lesson.xlsx")
    program = {line.name: line.expression for line in lines}
    expected = ("W_q @ X", "K.T @ Q", "V @ weights") if columns else ("X @ W_q", "Q @ K.T", "weights @ V")
    assert (program["Q"], program["scores"], program["output"]) == expected


def test_words_for_steps(project: Path) -> None:
    grid, plan = compiled(project / "workbooks" / "course-self-attention.xlsx")
    words = Wording(grid, plan, recognise(grid, plan))
    said = {step.block.cells.a1: (words.numpy(step), words.math(step)) for step in plan.steps}
    assert said["L24:S28"] == ("Q = X @ W_q", "Q = X·W_q")
    assert said["I36:M40"] == ("scores = Q @ KT", "S = QKᵀ")
    assert said["P36:T40"] == ("scaled = scores / np.sqrt(d_k)", "S/√d_k")
    assert said["W50:AA54"] == ("weights = exp / normaliser", "A = softmax(M)")
    assert said["AD50:AK54"] == ("output = weights @ V", "A·V")
    assert said["B36"] == ("KT[0, 0] = K[0, 0]", "K (copied)")


def test_words_in_columns(corpus: Path) -> None:
    grid, plan = compiled(corpus / "ai-by-hand" / "Self-Attention.xlsx")
    words = Wording(grid, plan, recognise(grid, plan))
    said = {step.block.cells.a1: words.math(step) for step in plan.steps if step.block.sheet == 0}
    assert (said["J14:M16"], said["U10:X13"], said["U37:X39"]) == ("Q = W_q·X", "S = KᵀQ", "V·A")
