"""Why attention divides by √d: the experiment of the course, with its theory and its sampling error.

Q and K are standard normal, so a dot product of width d is a sum of d independent products of variance 1: its standard
deviation is √d. Undivided, such scores drive the softmax of a row towards a single 1; divided by √d they do not.
This is Monte Carlo, so BLAS and ``np.exp`` serve here: the last bit is far below the sampling error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from xlsx_attention.attention.arrays import Array
from xlsx_attention.attention.errors import AttentionError


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """One width d. Each ``…_error`` is the standard error of the figure beside it, over independent repeats."""

    d: int
    std_measured: float  #         standard deviation of q·k
    std_error: float
    std_theory: float  #           √d
    max_weight_unscaled: float  #  mean of the largest weight of a row, softmax(q·k)
    unscaled_error: float
    unscaled_spread: float  #      its standard deviation from row to row
    max_weight_scaled: float  #    the same three, softmax(q·k ÷ √d)
    scaled_error: float
    scaled_spread: float


def scaling_experiment(
    dims: Sequence[int] = (8, 64, 256), tokens: int = 5, repeats: int = 2000, seed: int = 0
) -> tuple[ScalingRow, ...]:
    """One row for each d of ``dims``: ``repeats`` draws of Q and K, (tokens, d) of standard normals each.

    The scores of one draw share its queries and keys and are not independent; the draws are. So every standard error is
    taken over the draws. One that drew a single row each time would have an error of ``…_spread`` ÷ √repeats.
    The same seed gives the same row for a d, whatever other widths are asked for.
    Raises :class:`AttentionError` for a width below 1, no token, or fewer than 2 repeats.
    """
    for name, value, least in (("tokens", tokens, 1), ("repeats", repeats, 2), ("seed", seed, 0)):
        if value < least:
            raise AttentionError(f"{name} is {value}; the experiment needs at least {least}")
    if not dims or min(dims) < 1:
        raise AttentionError(f"dims is {tuple(dims)}; give one or more widths from 1 up")
    return tuple(_row(d, tokens, repeats, seed) for d in dims)


def _row(d: int, tokens: int, repeats: int, seed: int) -> ScalingRow:
    random = np.random.default_rng([seed, d])
    Q = random.standard_normal((repeats, tokens, d))
    K = random.standard_normal((repeats, tokens, d))
    scores = Q @ K.swapaxes(1, 2)  # (repeats, tokens, tokens)
    # One mean square for each draw, around the common mean; the delta method takes its error through the root.
    squares = ((scores - scores.mean()) ** 2).mean(axis=(1, 2))  # (repeats,)
    variance, variance_error = _mean_and_error(squares)
    std = math.sqrt(variance)
    unscaled = _largest_weight(scores)  # (repeats, tokens)
    scaled = _largest_weight(scores / math.sqrt(d))
    unscaled_mean, unscaled_error = _mean_and_error(unscaled.mean(axis=1))
    scaled_mean, scaled_error = _mean_and_error(scaled.mean(axis=1))
    return ScalingRow(
        d=d,
        std_measured=std,
        std_error=variance_error / (2 * std),
        std_theory=math.sqrt(d),
        max_weight_unscaled=unscaled_mean,
        unscaled_error=unscaled_error,
        unscaled_spread=float(unscaled.std()),
        max_weight_scaled=scaled_mean,
        scaled_error=scaled_error,
        scaled_spread=float(scaled.std()),
    )


def _largest_weight(scores: Array) -> Array:
    """The largest softmax weight of each row: (repeats, tokens, tokens) → (repeats, tokens).

    The largest exponential of a row is exp(0) = 1, so its weight is 1 ÷ the normaliser.
    """
    largest: Array = 1.0 / np.exp(scores - scores.max(axis=-1, keepdims=True)).sum(axis=-1)
    return largest


def _mean_and_error(draws: Array) -> tuple[float, float]:
    return float(draws.mean()), float(draws.std(ddof=1) / math.sqrt(len(draws)))


# One column of the printed table: its heading, and what a row shows there.
_COLUMNS: tuple[tuple[str, Callable[[ScalingRow], str]], ...] = (
    ("d", lambda row: str(row.d)),
    ("std of q·k", lambda row: f"{row.std_measured:.3f} ± {row.std_error:.3f}"),
    ("√d", lambda row: f"{row.std_theory:.3f}"),
    ("largest weight, q·k", lambda row: f"{row.max_weight_unscaled:.3f} ± {row.unscaled_error:.3f}"),
    ("largest weight, q·k ÷ √d", lambda row: f"{row.max_weight_scaled:.3f} ± {row.scaled_error:.3f}"),
)


def format_table(rows: Iterable[ScalingRow]) -> str:
    """The rows as plain text, numbers to the right, ± one standard error; no line break at the end."""
    lines = [[heading for heading, _ in _COLUMNS], *([show(row) for _, show in _COLUMNS] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_COLUMNS))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
