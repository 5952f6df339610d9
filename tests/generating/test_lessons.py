"""What a lesson holds: the reference's numbers, true lines of NumPy, formulas that fill, and text that stays text."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from openpyxl.formula.translate import Translator

from tests.generating.reading_back import laid_blocks
from xlsx_attention.attention import cross_attention, positional_encoding, self_attention
from xlsx_attention.generating import generate
from xlsx_attention.generating.drawing import Drawn
from xlsx_attention.generating.workbooks import lessons, workbook_bytes
from xlsx_attention.model.example import LAYOUTS, MASKS, STYLES, ExampleSpec

#: Block → the field of the reference's trace that holds its numbers.
STEPS = {"scores": "scores", "scaled": "scaled", "masked": "masked", "row_max": "row_max", "exp": "exp",
         "row_sum": "normaliser", "weights": "weights", "output": "output"}  # fmt: skip


def joined(values: dict[str, np.ndarray], name: str, heads: int) -> np.ndarray | None:
    """The heads' blocks side by side, as the reference takes them."""
    keys = [name] if heads == 1 else [f"{name}{i}" for i in range(1, heads + 1)]
    return np.concatenate([values[key] for key in keys], axis=1) if keys[0] in values else None


def reference(drawn: Drawn, heads: int, mask: str) -> Any:
    v = dict(drawn.values)
    bias = [joined(v, f"b_{letter}", heads) for letter in "qkv"]
    options = {
        "bias": None if bias[0] is None else [b[0] for b in bias if b is not None],
        "heads": heads,
        "W_o": v.get("W_o"),
        "causal": mask in ("causal", "both"),
        "mask": v["mask" if heads == 1 else "mask1"][0] if mask in ("pad", "both") else None,
    }
    weights = [joined(v, f"W_{letter}", heads) for letter in "qkv"]
    if "X_q" in v:
        return cross_attention(v["X_q"], v["X_kv"], *weights, **options)
    return self_attention(v["X"], *weights, **options)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("style", STYLES)
def test_the_numbers_are_the_references_to_the_bit(style: str, heads: int, mask: str) -> None:
    tokens = "a b c d e" if mask == "none" else "a b c"
    spec = ExampleSpec(
        tokens, length=5, style=style, heads=heads, mask=mask, d_model=6, bias=heads == 2, w_o=True, seed=11
    )
    [drawn] = lessons(spec)
    trace = reference(drawn, heads, mask)
    for i, head in enumerate(trace.heads, 1):
        for key, field in STEPS.items():
            own = drawn.values.get(key if heads == 1 else f"{key}{i}")
            if own is not None:
                np.testing.assert_array_equal(own, getattr(head, field), err_msg=key)
    np.testing.assert_array_equal(drawn.values["projected"], trace.projected)


def test_cross_attention_is_the_references_to_the_bit() -> None:
    [drawn] = lessons(ExampleSpec(lessons=("cross",), length=4, target="I love you so"))
    trace = reference(drawn, 1, "pad")
    np.testing.assert_array_equal(drawn.values["output"], trace.output)
    assert drawn.values["output"].shape == (4, 8)
    assert drawn.lesson.by_key["scores"].rows == ("I", "love", "you", "so")


def test_positions_are_encoded_as_the_reference_does() -> None:
    [drawn] = lessons(ExampleSpec(embedding=True, length=5, d_model=7))
    np.testing.assert_array_equal(drawn.values["PE"], positional_encoding(5, 7))
    np.testing.assert_array_equal(drawn.values["X"], drawn.values["E"] + drawn.values["PE"])
    # <PAD> comes twice and is one word of the vocabulary
    assert drawn.values["ids"][:, 0].tolist() == [0, 1, 2, 3, 3]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("style", ["cell", "mmult", "spill"])
def test_the_lines_of_numpy_say_what_the_sheet_computes(layout: str, style: str) -> None:
    """Each line is run on the numbers above it as they lie on the sheet."""
    spec = ExampleSpec(layout=layout, style=style, heads=2, mask="both", length=4, bias=True, w_o=True, embedding=True)
    [drawn] = lessons(spec)
    laid = {key: values for key, _, _, values in laid_blocks(drawn)}
    names = {key: values for key, values in laid.items() if drawn.lesson.by_key[key].op is None}
    names |= {"np": np, "d_k": 4, "d_model": 8}
    names["ids"] = names["ids"].astype(int)
    names["a"] = names["pos"] / 10000 ** ((names["dim"] - names["dim"] % 2) / 8)
    lines = {panel.step.key: panel.caption.numpy for panel in drawn.page.panels if panel.caption.numpy}
    for step in drawn.lesson.steps:
        if step.op is not None:
            exec(lines[step.key], names)
            np.testing.assert_allclose(names[step.key], laid[step.key], rtol=1e-12, atol=1e-12, err_msg=step.key)


def formulas(spec: ExampleSpec) -> dict[str, str]:
    """Block → the formula in its first cell, as the file stores it."""
    found = lessons(spec)
    sheet = openpyxl.load_workbook(io.BytesIO(workbook_bytes(spec, found)))[found[0].lesson.sheet]
    got = {}
    for key, top, left, _ in laid_blocks(found[0]):
        value = sheet.cell(top + 1, left + 1).value
        if not isinstance(value, int | float):
            got[key] = value if isinstance(value, str) else value.text
    return got


@pytest.mark.parametrize("layout", LAYOUTS)
def test_formulas_of_cells_fill_right_and_down(layout: str) -> None:
    """The first cell's formula, filled by openpyxl's translator, gives those of all others of its block."""
    spec = ExampleSpec(length=4, d_model=3, mask="both", bias=True, w_o=True, embedding=True, layout=layout)
    found = lessons(spec)
    sheet = openpyxl.load_workbook(io.BytesIO(workbook_bytes(spec, found)))["self-attention"]
    for key, top, left, values in laid_blocks(found[0]):
        if found[0].lesson.by_key[key].op is None or key == "KT":  # a block turned over cannot be filled
            continue
        origin = sheet.cell(top + 1, left + 1)
        for i, j in np.ndindex(values.shape):
            cell = sheet.cell(top + i + 1, left + j + 1)
            assert Translator(origin.value, origin.coordinate).translate_formula(cell.coordinate) == cell.value, key


def test_formulas_are_those_of_the_course() -> None:
    got = formulas(ExampleSpec(length=3, d_model=2))
    cell = r"\b\$?[A-Z]+\$?\d+|\$[A-Z]+\$?\d+"
    assert {key: re.sub(cell, "_", formula) for key, formula in got.items()} == {
        "Q": "=MMULT(_:_,_:_)",
        "K": "=MMULT(_:_,_:_)",
        "V": "=MMULT(_:_,_:_)",
        "KT": "=_",
        "scores": "=MMULT(_:_,_:_)",
        "scaled": "=_/SQRT(d_k)",
        "masked": "=IF(_=1,_,-1E9)",
        "row_max": "=MAX(_:_)",
        "exp": "=EXP(_-_)",
        "row_sum": "=SUM(_:_)",
        "weights": "=_/_",
        "output": "=MMULT(_:_,_:_)",
    }


def test_dynamic_arrays_speak_of_spilled_ranges() -> None:
    got = formulas(ExampleSpec(length=3, d_model=2, style="lambda", layout="columns", mask="none"))
    assert got["Q"].startswith("=MMULT(")
    assert re.fullmatch(r"=MMULT\(TRANSPOSE\(_xlfn\.ANCHORARRAY\(\w+\)\),_xlfn\.ANCHORARRAY\(\w+\)\)", got["scores"])
    assert re.fullmatch(r"=SOFTMAX\(_xlfn\.ANCHORARRAY\(\w+\)\)", got["weights"])


@pytest.mark.parametrize("text", ["=1+1", "+A1", "@x", "-2", "{=1}", "http://example.org", "<r>a</r>", "'q", "1e5"])
def test_a_users_text_is_always_text(tmp_path: Path, text: str) -> None:
    spec = ExampleSpec(tokens=[text, "b"], title=text, mask="none", d_model=2)
    [path] = generate(spec, tmp_path / "lesson.xlsx")
    sheet = openpyxl.load_workbook(path)["self-attention"]
    labels = [cell for row in sheet.iter_rows() for cell in row if cell.value == text]
    assert len(labels) > 10
    assert {cell.data_type for cell in labels} <= {"s", "inlineStr"}
    assert "<hyperlink" not in zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()


def test_inputs_look_like_inputs_and_the_page_is_set_up(tmp_path: Path) -> None:
    [path] = generate(ExampleSpec(), tmp_path / "lesson.xlsx")
    book = openpyxl.load_workbook(path)
    sheet = book["self-attention"]
    assert sheet.freeze_panes == "A3"
    assert sheet.page_setup.orientation == "landscape"
    assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) in {(1, 1), (None, None)}
    assert sheet["B10"].fill.fgColor.rgb == "FFFFCC99"  # Excel's style "Input"
    assert sheet["B10"].font.color.rgb == "FF3F3F76"
    assert book.defined_names["d_k"].attr_text == "'self-attention'!$B$4"
    assert "colorScale" in {rule.type for rules in sheet.conditional_formatting for rule in rules.rules}


def test_one_seed_is_one_file_and_another_is_another(tmp_path: Path) -> None:
    def made(seed: int, name: str) -> bytes:
        [path] = generate(ExampleSpec(seed=seed, lessons=("attention", "cross")), tmp_path / name)
        return path.read_bytes()

    assert made(7, "a.xlsx") == made(7, "b.xlsx")
    assert made(7, "a.xlsx") != made(8, "b.xlsx")


def test_numbers_drawn_have_the_decimals_asked_for_and_results_all_digits(tmp_path: Path) -> None:
    spec = ExampleSpec(decimals=3, length=5)
    [path] = generate(spec, tmp_path / "lesson.xlsx")
    [drawn] = lessons(spec)
    sheet = openpyxl.load_workbook(path, data_only=True)["self-attention"]
    for key, top, left, values in laid_blocks(drawn):
        for i, j in np.ndindex(values.shape):
            stored = sheet.cell(top + i + 1, left + j + 1).value
            assert stored == values[i, j], key
            if key in ("X", "W_q", "W_k", "W_v"):
                assert stored == round(stored, 3)


def test_the_course_example_has_the_published_figures(project: Path) -> None:
    """The 53 figures that the course's article prints, at their printed precision, out of the workbook itself."""
    published = json.loads((project / "workbooks" / "course-published.json").read_text(encoding="utf-8"))
    data = json.loads((project / "workbooks" / "course-reconstruction.json").read_text(encoding="utf-8"))
    tensors = {name: data[name] for name in ("X", "W_q", "W_k", "W_v", "mask")}
    [drawn] = lessons(ExampleSpec(tokens=data["tokens"], tensors=tensors))
    book = openpyxl.load_workbook(project / "workbooks" / "course-self-attention.xlsx", data_only=True)
    sheet = book["self-attention"]
    checked = 0
    for figure in published["figures"]:
        rect = drawn.page.rects[figure["step"]]
        for column, printed in zip(figure["columns"], figure["values"], strict=True):
            stored = sheet.cell(rect.top + figure["row"] + 1, rect.left + column + 1).value
            assert abs(stored - printed) <= 0.5 * 10.0 ** -figure["decimals"] + 1e-12, figure
            checked += 1
    assert checked == 53


def test_padding_in_the_sentence_is_masked_and_the_word_is_a_word() -> None:
    [drawn] = lessons(ExampleSpec(tokens="[PAD] a pad <pad>", length=5))
    assert drawn.values["mask"].tolist() == [[0, 1, 1, 0, 0]]
    assert (drawn.values["weights"][:, [0, 3, 4]] == 0).all()
    assert (drawn.values["weights"][:, 1:3] > 0).all()


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    generate(ExampleSpec(versions=2), tmp_path / "lesson.xlsx", progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
