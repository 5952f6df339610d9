"""The table of mistakes: what an author's slip makes of each step, as formulas. Expected causes are the slip's own
name.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.comparing.planting import Lesson, Made, Make, Name, Wrong


def dot(pairs: list[tuple[Name, Name]]) -> Made:
    return "+".join(["{}*{}"] * len(pairs)), [name for pair in pairs for name in pair]


def listed(function: str, names: list[Name]) -> Made:
    return f"{function}({','.join(['{}'] * len(names))})", names


def project(letter: str, *, short: bool = False, source: str = "") -> Make:
    """X·W, perhaps with another role's W, perhaps one term short."""

    def make(lesson: Lesson, i: int, j: int) -> Made:
        width = lesson.size("X")[1] - short
        return dot([(("X", i, k), (f"W_{source or letter}", k, j)) for k in range(width)])

    return make


def scores(left: str, right: str, *, turned: bool = True, short: bool = False) -> Make:
    def make(lesson: Lesson, i: int, j: int) -> Made:
        width = lesson.size("Q")[1] - short
        return dot([((left, i, k), (right, j, k) if turned else (right, k, j)) for k in range(width)])

    return make


def over(text: str, role: str) -> Make:
    return lambda lesson, i, j: (text, [(role, i, j)])


def by_width(lesson: Lesson, i: int, j: int) -> Made:
    return f"{{}}/{lesson.size('Q')[1]}", [("scores", i, j)]


def by_other_root(lesson: Lesson, i: int, j: int) -> Made:
    return f"{{}}/SQRT({lesson.size('X')[1]})", [("scores", i, j)]


def rounded(lesson: Lesson, i: int, j: int) -> Made:
    return f"ROUND({{}}/SQRT({lesson.size('Q')[1]}),2)", [("scores", i, j)]


def keys(lesson: Lesson) -> int:
    return lesson.size("weights")[1]


def before_exp(lesson: Lesson) -> str:
    return "masked" if lesson.has("masked") else "scaled"


def line(function: str, of: str | None = None, *, down: bool = False, short: bool = False, off: int = 0) -> Make:
    """A function of one query's row; ``down``: of one key's column; ``off``: of another query's row."""

    def make(lesson: Lesson, i: int, j: int) -> Made:
        role = of or before_exp(lesson)
        n = keys(lesson)
        if down:
            return listed(function, [(role, k, i) for k in range(n - short)])
        row = (i + off) % n if off and i + off >= n else i + off
        return listed(function, [(role, row, k) for k in range(n - short)])

    return make


def output(weights: str, values: str, *, turned: bool = False, short: bool = False) -> Make:
    def make(lesson: Lesson, i: int, j: int) -> Made:
        n = keys(lesson) - short
        return dot([((weights, k, i) if turned else (weights, i, k), (values, k, j)) for k in range(n)])

    return make


def on_queries(lesson: Lesson, i: int, j: int) -> Made:
    return "IF({}=1,{},-1E9)", [("mask", 0, i), ("scaled", i, j)]


def hidden_key(lesson: Lesson) -> tuple[int, int]:
    return 0, lesson.head.masked_columns[0]


def hidden_query(lesson: Lesson) -> tuple[int, int]:
    return lesson.head.masked_columns[0], 0


def masked_weights(lesson: Lesson, i: int, j: int) -> Made:
    return "{}/{}*{}", [("exp", i, j), ("normaliser", i, 0), ("mask", 0, j)]


def square(lesson: Lesson) -> bool:
    return lesson.size("Q")[0] == lesson.size("Q")[1]


def has_mask(lesson: Lesson) -> bool:
    return lesson.has("mask", "masked")


def no_mask(lesson: Lesson) -> bool:
    return not lesson.has("masked")


def plain_maximum(lesson: Lesson) -> bool:
    return lesson.has("row_max") and no_mask(lesson)


def has_maximum(lesson: Lesson) -> bool:
    return lesson.has("row_max")


def wider_tokens(lesson: Lesson) -> bool:
    return lesson.size("X")[1] != lesson.size("Q")[1]


def same_widths(*roles: str) -> Callable[[Lesson], bool]:
    return lambda lesson: len({lesson.size(role) for role in roles}) == 1


def first(lesson: Lesson) -> tuple[int, int]:
    return 1, 0


MISTAKES: dict[str, Wrong] = {
    "no scale": Wrong("wrong-scale", "scaled", over("{}", "scores")),
    "d for √d": Wrong("wrong-scale", "scaled", by_width),
    "√ of another width": Wrong("wrong-scale", "scaled", by_other_root, wider_tokens),
    "sums of columns": Wrong("wrong-axis", "normaliser", line("SUM", "exp", down=True), no_mask, spot=first),
    "maxima of columns": Wrong("wrong-axis", "row_max", line("MAX", down=True), plain_maximum, spot=first),
    "maxima one row off": Wrong("wrong-row-maximum", "row_max", line("MAX", off=1), has_maximum, spot=first),
    "exp missing in the sum": Wrong("exp-missing", "normaliser", line("SUM", "scaled"), no_mask, spot=first),
    "sum one short": Wrong("wrong-range", "normaliser", line("SUM", "exp", short=True), no_mask, spot=first),
    "maximum one short": Wrong("wrong-range", "row_max", line("MAX", short=True), plain_maximum, spot=first),
    "projection one short": Wrong("wrong-range", "V", project("v", short=True)),
    "scores one short": Wrong("wrong-range", "scores", scores("Q", "K", short=True)),
    "output one short": Wrong("wrong-range", "output", output("weights", "V", short=True), no_mask),
    "Q·K for Q·Kᵀ": Wrong("missing-transpose", "scores", scores("Q", "K", turned=False), square, spot=lambda _: (1, 0)),
    "K·Qᵀ for Q·Kᵀ": Wrong("swapped-operands", "scores", scores("K", "Q"), spot=lambda _: (1, 0)),
    "K from W_q": Wrong("wrong-projection", "K", project("k", source="q"), same_widths("W_q", "W_k")),
    "V from W_k": Wrong("wrong-projection", "V", project("v", source="k"), same_widths("W_k", "W_v")),
    "K for V": Wrong("keys-for-values", "output", output("weights", "K"), same_widths("K", "V")),
    "exp for weights": Wrong("unnormalised-weights", "output", output("exp", "V")),
    "weights turned": Wrong("wrong-axis", "output", output("weights", "V", turned=True), spot=lambda _: (1, 0)),
    "no mask": Wrong("mask-missing", "masked", over("{}", "scaled"), has_mask, spot=hidden_key),
    "mask on queries": Wrong("mask-on-rows", "masked", on_queries, has_mask, spot=hidden_query),
    "mask after softmax": Wrong(
        "mask-after-softmax",
        "weights",
        masked_weights,
        has_mask,
        also=(("masked", over("{}", "scaled")),),
        spot=None,
    ),
    "unmasked scores into exp": Wrong(
        "unmasked-weights",
        "exp",
        lambda lesson, i, j: ("EXP({}-{})", [("scaled", i, j), ("row_max", i, 0)]),
        lambda lesson: lesson.has("masked", "row_max"),
        also=(("row_max", line("MAX", "scaled")),),
        spot=hidden_key,
    ),
    "rounded on the way": Wrong("rounded-value", "scaled", rounded),
}
