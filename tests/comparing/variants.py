"""Right lessons of every make: layouts, notations, masks, heads, biases, sizes. None of them may be blamed for
anything.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from xlsx_attention.model.example import ExampleSpec

MAKES = tuple(
    itertools.product(
        ("rows", "columns"),
        ("cell", "mmult", "spill", "lambda"),
        ("pad", "causal", "both", "none"),
        (1, 2, 3),
        (False, True),
        (False, True),
        (("attention",), ("multihead",), ("causal",), ("attention", "cross")),
    )
)


def variants(count: int, seed: int = 1) -> Iterator[ExampleSpec]:
    """``count`` right lessons, drawn evenly from all makes, with sizes and numbers of their own."""
    draw = random.Random(seed)
    for layout, style, mask, heads, bias, w_o, lessons in draw.sample(MAKES, count):
        tokens = draw.randint(2, 6)
        padding = draw.randint(0, 2) if mask in ("pad", "both") else 0
        yield ExampleSpec(
            tokens=tuple(f"t{number}" for number in range(tokens)),
            length=tokens + padding,
            d_model=draw.choice((4, 6, 8, 12)) * heads,
            d_k=draw.choice((2, 3, 4, 5, 8)),
            heads=heads,
            bias=bias,
            w_o=w_o,
            mask=mask,
            layout=layout,
            style=style,
            lessons=lessons,
            seed=draw.randint(0, 9999),
            lang=draw.choice(("en", "zh")),
            decimals=draw.choice((1, 2, 3)),
            target=("x", "y", "z") if "cross" in lessons else (),
        )
