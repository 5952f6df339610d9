"""What a generated lesson holds, as an instructor would ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np

LAYOUTS: Final = ("rows", "columns")
STYLES: Final = ("cell", "mmult", "spill", "lambda")
MASKS: Final = ("pad", "causal", "both", "none")
LANGUAGES: Final = ("zh", "en")
LESSONS: Final = ("attention", "multihead", "causal", "cross")

#: Steps that an exercise may leave blank, in the order in which they are taught.
BLANKS: Final = (
    "Q",
    "K",
    "V",
    "scores",
    "scaled",
    "masked",
    "row_max",
    "exp",
    "normaliser",
    "weights",
    "output",
    "projected",
)

#: Matrices that may be given: X and the mask beside the weights. Tokens lie in rows, heads side by side in columns.
TENSORS: Final = ("X", "W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "mask", "table")


@dataclass(frozen=True, slots=True)
class ExampleSpec:
    """A worked example of S tokens with D features; what is ``None`` follows from the rest.

    ``tokens``: the sentence, or its words in one text. ``length``: S, padded with ``<PAD>`` (default: the tokens'
    number). ``d_model``: D (8). ``d_k``, ``d_v``: widths of one head (D ÷ heads). ``w_o``: outputs are projected by a
    W_o. ``mask``: ``pad`` hides the padding's columns, ``causal`` what comes later, ``both``, ``none``. ``seed``,
    ``decimals``: of the numbers drawn. ``layout``: tokens in ``rows`` (X·W) or ``columns`` (W·X). ``style``: one
    formula a ``cell``, ``mmult`` arrays, ``spill``, or ``lambda`` with SOFTMAX as a named function. ``embedding``: X
    is derived from token ids, an embedding table and positions. ``tensors``: matrices by name (:data:`TENSORS`) in
    place of drawn ones, tokens in rows. ``lessons``: one sheet each; ``target``: the sentence that asks in the lesson
    ``cross``.

    ``exercise``: a student's copy with the steps ``blanks`` open (all by default) and a key. ``mistakes``: how many to
    plant, of ``kinds``. ``versions``: files with other numbers each. ``name``: of the first sheet; ``title``: its
    heading.
    """

    tokens: tuple[str, ...] = ("我", "爱", "AI")
    length: int | None = None
    d_model: int | None = None
    d_k: int | None = None
    d_v: int | None = None
    heads: int = 1
    w_o: bool = False
    bias: bool = False
    mask: str = "pad"
    seed: int = 0
    decimals: int = 2
    layout: str = "rows"
    style: str = "cell"
    lang: str = "zh"
    embedding: bool = False
    tensors: Mapping[str, Any] = field(default_factory=dict)
    lessons: tuple[str, ...] = ("attention",)
    target: tuple[str, ...] = ()
    exercise: bool = False
    blanks: tuple[str, ...] = BLANKS
    mistakes: int = 0
    kinds: tuple[str, ...] = ()
    versions: int = 1
    name: str | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        for name in ("tokens", "target"):
            object.__setattr__(self, name, words(getattr(self, name)))
        for name in ("lessons", "blanks", "kinds"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        frozen = {name: _frozen(value) for name, value in self.tensors.items()}
        object.__setattr__(self, "tensors", MappingProxyType(frozen))


def words(given: str | Sequence[str]) -> tuple[str, ...]:
    """A sentence as its tokens: a text is split at its spaces, a list is taken as it is."""
    return tuple(given.split()) if isinstance(given, str) else tuple(given)


def _frozen(value: Any) -> np.ndarray:
    array = np.array(value)
    array.setflags(write=False)
    return array
