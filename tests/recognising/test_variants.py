"""Correct attentions in random notation, shape and place: every role is found, and nothing odd is said of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.recognising.lessons import Notation, ranges, recognised, written

COUNT = 60


def drawn(seed: int) -> Notation:
    """A correct lesson; each number draws another one."""
    rng = random.Random(seed)
    softmax = rng.choice(["steps", "max", "in one", "lambda", "all in one"])
    cross = rng.random() < 0.25
    masks = [""] if softmax == "all in one" else ["", "if", "if not", "add"]
    return Notation(
        columns=rng.random() < 0.5,
        product=rng.choice(["mmult", "spill", "sumproduct", "written"]),
        transpose=rng.choice(["inline", "cells"]),
        scale=rng.choice(["/SQRT({dk})", "/SQRT({n})", "*POWER({dk},-0.5)", "*1/SQRT({dk})", "/SQRT(d_k)"]),
        mask=rng.choice(masks if cross or softmax == "all in one" else [*masks, "causal", "causal matrix"]),
        softmax=softmax,
        bias=rng.choice(["", "vector"]),
        labels=rng.random() < 0.5,
        cross=cross,
        shuffle=rng.randint(0, 1_000),
        tokens=rng.randint(2, 7),
        width=rng.randint(2, 8),
        d_k=rng.randint(2, 6),
    )


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_correct_attention(tmp_path: Path, seed: int) -> None:
    notation = drawn(seed)
    lesson = written(tmp_path / "lesson.xlsx", notation)
    found = recognised(tmp_path / "lesson.xlsx")
    expected = {role: place for role, place in lesson.roles.items() if "linear" not in role and role != "K across"}
    assert ranges(found) == expected, notation
    [attention] = found.attentions
    [head] = attention.heads
    assert attention.orientation == ("columns" if notation.columns else "rows")
    assert head.scale == pytest.approx(notation.d_k**0.5)
    assert (head.softmax_axis, head.exp, head.output_from, head.values_from) == ("keys", "yes", "weights", "V")
    assert head.output_axis == "keys"
    assert head.mask_axis in (None, "keys")
    assert head.mask_place in (None, "before")
    assert head.row_max_axis in (None, "keys")
    assert (head.same_projection, head.labelled) == ((), {})
