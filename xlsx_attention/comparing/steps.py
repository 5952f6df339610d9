"""The steps of a head in the order in which they are taught: what each should hold, and what mistakes would make of it.

A suspicion is a row: a cause, the sentence that goes with it, and the block recomputed under that hypothesis. It
holds where it explains the block's numbers and no right way of writing the step does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xlsx_attention.comparing import right_ways as right
from xlsx_attention.comparing import wrong_ways as wrong
from xlsx_attention.comparing.given import Given, Maybe, transposed


@dataclass(frozen=True, slots=True)
class Suspicion:
    """``says`` names the sentence in :mod:`xlsx_attention.comparing.sentences`; ``makes`` gives the block under the
    hypothesis.
    """

    cause: str
    says: str
    makes: Callable[[Given], Maybe]


@dataclass(frozen=True, slots=True)
class Taught:
    """One step. ``right``: every right way of writing it, the one as taught first; ``wrong``: suspicions in order."""

    role: str
    right: Callable[[Given], Iterator[Maybe]]
    wrong: tuple[Suspicion, ...]


def _projection(letter: str) -> Taught:
    def linear(g: Given) -> Iterator[Maybe]:
        yield g.affine(letter)

    return Taught(
        letter.upper(),
        linear,
        (
            Suspicion("wrong-range", "short-product", lambda g: g.affine(letter, "last")),
            Suspicion("wrong-range", "short-product", lambda g: g.affine(letter, "first")),
        ),
    )


STEPS: tuple[Taught, ...] = (
    _projection("q"),
    _projection("k"),
    _projection("v"),
    Taught(
        "scores",
        right.scores,
        (
            Suspicion("wrong-range", "short-product", wrong.short_scores("last")),
            Suspicion("wrong-range", "short-product", wrong.short_scores("first")),
        ),
    ),
    Taught("scaled", right.scaled, (Suspicion("wrong-scale", "scale", wrong.by_other_scale),)),
    Taught(
        "masked",
        right.masked,
        (
            Suspicion("wrong-scale", "scale", wrong.masked_by_other_scale),
            Suspicion("mask-on-rows", "mask-on-queries", wrong.masked_on_queries),
            Suspicion("mask-missing", "mask-multiplies", wrong.multiplied),
        ),
    ),
    Taught(
        "row_max",
        right.row_max,
        (
            Suspicion("wrong-axis", "column-maximum", wrong.column_max),
            Suspicion("wrong-row-maximum", "other-row-maximum", wrong.other_row_max(1)),
            Suspicion("wrong-row-maximum", "other-row-maximum", wrong.other_row_max(-1)),
            Suspicion("wrong-range", "short-maximum", wrong.short_max("last")),
            Suspicion("wrong-range", "short-maximum", wrong.short_max("first")),
        ),
    ),
    Taught(
        "exp",
        right.exp,
        (
            Suspicion("wrong-scale", "scale", lambda g: right.as_weights(g, wrong.softmax_by_other_scale(g))),
            Suspicion("mask-on-rows", "mask-on-queries", lambda g: right.as_weights(g, wrong.softmax_on_queries(g))),
            Suspicion("wrong-axis", "column-maximum", wrong.exp_of_column_max),
        ),
    ),
    Taught(
        "normaliser",
        right.normaliser,
        (
            Suspicion("wrong-axis", "column-sums", wrong.total(wrong.first_exp, 0)),
            Suspicion("exp-missing", "exp-missing-in-sum", wrong.total(lambda g: g.logits)),
            Suspicion("exp-missing", "exp-missing-in-sum", wrong.total(lambda g: g.base)),
            Suspicion("wrong-range", "short-sum", wrong.total(lambda g: wrong.cut(wrong.first_exp(g), "last"))),
            Suspicion("wrong-range", "short-sum", wrong.total(lambda g: wrong.cut(wrong.first_exp(g), "first"))),
            Suspicion("wrong-normaliser", "grand-total", wrong.grand_total),
            Suspicion("wrong-normaliser", "other-row-sum", wrong.other_row_total(1)),
            Suspicion("wrong-normaliser", "other-row-sum", wrong.other_row_total(-1)),
        ),
    ),
    Taught(
        "weights",
        right.weights,
        (
            Suspicion("mask-after-softmax", "mask-after", wrong.masked_after),
            Suspicion("wrong-scale", "scale", wrong.softmax_by_other_scale),
            Suspicion("mask-on-rows", "mask-on-queries", wrong.softmax_on_queries),
            Suspicion("wrong-axis", "column-quotient", lambda g: right.quotient(g, 0)),
            Suspicion("wrong-axis", "column-quotient", wrong.over_columns),
            Suspicion("wrong-normaliser", "other-row-sum", wrong.over_one_sum),
            Suspicion("wrong-axis", "column-softmax", lambda g: g.softmax(g.logits, 0)),
            Suspicion("exp-missing", "exp-missing", lambda g: None if wrong.kernels(g) else wrong.over_sum(g.logits)),
            Suspicion("exp-missing", "exp-missing", lambda g: None if wrong.kernels(g) else wrong.over_sum(g.base)),
        ),
    ),
    Taught(
        "output",
        right.output,
        (
            Suspicion("mask-after-softmax", "mask-after", wrong.after),
            Suspicion("unmasked-weights", "unmasked-weights", wrong.from_unmasked),
            Suspicion("keys-for-values", "keys-for-values", lambda g: g.dot(g["weights"], g["K"])),
            Suspicion("keys-for-values", "queries-for-values", lambda g: g.dot(g["weights"], g["Q"])),
            Suspicion("unnormalised-weights", "unnormalised", lambda g: g.dot(g["exp"], g["V"])),
            Suspicion("unnormalised-weights", "scores-for-weights", lambda g: g.dot(g.base, g["V"])),
            Suspicion("wrong-axis", "weights-turned", lambda g: g.dot(transposed(g["weights"]), g["V"])),
            Suspicion("wrong-range", "short-product", wrong.short_output("last")),
            Suspicion("wrong-range", "short-product", wrong.short_output("first")),
        ),
    ),
    Taught(
        "projected",
        right.projected,
        (
            Suspicion("wrong-range", "short-product", lambda g: right.joined(g, "last")),
            Suspicion("wrong-range", "short-product", lambda g: right.joined(g, "first")),
        ),
    ),
)
