"""No finding and no accused cell on right lessons: generated ones of every make, and public workbooks.

A sample here; `python benchmarks/right_lessons.py` goes through 200.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.comparing.planting import accused
from tests.comparing.variants import variants
from xlsx_attention.generating import generate
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.pipeline import verify_file

SAMPLE = list(variants(24, seed=3))


@pytest.mark.parametrize("spec", SAMPLE, ids=lambda s: f"{s.layout}-{s.style}-{s.mask}-{s.heads}-{s.lessons[-1]}")
def test_a_right_lesson_is_blamed_for_nothing(spec: ExampleSpec, tmp_path: Path) -> None:
    [path] = generate(spec, tmp_path / "lesson.xlsx")
    report = verify_file(path)
    assert list(accused(report)) == []
    # Nothing is blamed because it was looked at, not because nothing was seen.
    assert sum(len(attention.heads) for attention in report.attention.attentions) >= len(spec.lessons)


#: What is wrong in a public workbook, each looked at by a person.
SEEN: dict[str, list[tuple[str, str]]] = {
    "ai-by-hand/Self-Attention.xlsx": [],
    "ai-by-hand/Transformer.xlsx": [],
    # PE(d, L, n) is MAKEARRAY(d, L, LAMBDA(k, T, …)) with k ÷ n^(T/d): k runs over the features, T over the
    # positions, so that
    # the two have changed places. ("Attention Is All You Need", section 3.5: position ÷ n^(2i/d).)
    #
    # Its layer norms all take STDEV, the sample deviation. That is told among the recognised steps and is no finding:
    # the
    # sheet says nothing else and does it throughout. Its scale is SQRT(3) with heads of 3 features, its causal mask
    # of −99
    # leaves exp(−99) = 1e-43, its second feed-forward layer ends in ReLU as the author drew it.
    "ai-by-hand/Transformer-Full-Stack.xlsx": [("O50:T54", "wrong-axis"), ("BZ52:CG57", "wrong-axis")],
    "ai-by-hand/Softmax.xlsx": [],
    "ai-by-hand/Temperature.xlsx": [],
    "backprop-class/backprop.xlsx": [],
    "google-style/Neural-Network.xlsx": [],
}


@pytest.mark.parametrize("name", SEEN)
def test_a_public_workbook_is_blamed_for_what_a_person_sees_in_it(corpus: Path, name: str) -> None:
    report = verify_file(corpus / name)
    assert [(finding.rect.a1, finding.cause) for finding in report.findings] == SEEN[name]


def test_the_layer_norms_of_the_full_stack_take_the_sample_deviation(corpus: Path) -> None:
    report = verify_file(corpus / "ai-by-hand" / "Transformer-Full-Stack.xlsx")
    norms = {step.detail for step in report.attention.others if step.kind == "layer norm"}
    assert norms == {"sample deviation"}
