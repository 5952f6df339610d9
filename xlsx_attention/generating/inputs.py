"""From what was asked for to the numbers a lesson starts from; what cannot be is refused before anything is written."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from xlsx_attention.generating.checking import check_choices, refuse
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.model.values import Floats

PAD = "<PAD>"
BEGIN = "<BOS>"
_PADDING = re.compile(r"<pad>|\[pad\]", re.IGNORECASE)
DEFAULT_WIDTH = 8
#: The most cells of a lesson: past them the workbook no longer fits into the memory of a usual machine.
MAX_CELLS = 4_000_000
#: Columns that labels and gaps take beside a block, and rows that they take above one; more than enough.
_MARGIN = 200


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that a lesson does not compute. Tokens lie in rows; the heads' columns side by side in the weights."""

    tokens: tuple[str, ...]  #      S, padding and all
    keep: Floats  #                 (1, S) of ones and zeros: the padding mask
    X: Floats  #                    (S, D)
    weights: Mapping[str, Floats]  # W_q W_k (D, h·d_k), W_v (D, h·d_v), W_o (h·d_v, D) or absent, b_… (1, …) or absent
    heads: int
    d_k: int
    d_v: int
    vocabulary: tuple[str, ...] = ()  #  of the embedding
    ids: Floats | None = None  #    (S, 1)
    table: Floats | None = None  #  (V, D)

    @property
    def length(self) -> int:
        """S."""
        return len(self.tokens)

    @property
    def features(self) -> int:
        """D."""
        return int(self.X.shape[1])


def is_padding(token: str) -> bool:
    """Whether a token of the sentence is padding itself: ``<PAD>``, ``[pad]``. The word "pad" is a word."""
    return _PADDING.fullmatch(token) is not None


def drawn(generator: random.Random, rows: int, columns: int, spread: float, decimals: int) -> Floats:
    """Numbers around 0 with a deviation of ``spread``, rounded.

    Twelve uniform numbers added up are near enough to a normal one, and come out alike on every machine.
    """
    uniform = generator.random
    table = [[sum(uniform() for _ in range(12)) - 6.0 for _ in range(columns)] for _ in range(rows)]
    # round() gives the number that the decimals name, where np.round may miss it by a bit.
    return np.array([[round(spread * x, decimals) + 0.0 for x in row] for row in table])


def prepare(spec: ExampleSpec, *, heads: int | None = None, shared: Inputs | None = None, stream: str = "") -> Inputs:
    """The inputs of one lesson. ``heads`` in place of the spec's; ``shared``: an earlier lesson whose X is taken over.

    Raises :class:`UsageError` for what does not fit together, with what would.
    """
    check_choices(spec)
    heads = spec.heads if heads is None else heads
    tensors = _tensors(spec)
    tokens = _tokens(spec, tensors)
    S, D = len(tokens), _width(spec, tensors)
    d_k = _head_width("d_k", "W_q", spec.d_k, D, heads, tensors)
    d_v = _head_width("d_v", "W_v", spec.d_v, D, heads, tensors)
    _check_size(S, D, max(d_k, d_v), heads)
    keep = _keep(spec, tensors, S)

    generator = random.Random(f"{spec.seed}/{stream}")
    vocabulary: tuple[str, ...] = ()
    ids = table = None
    if spec.embedding:
        vocabulary = tuple(dict.fromkeys(tokens))
        ids = np.array([[float(vocabulary.index(token))] for token in tokens])
        table = tensors.get("table")
        if table is not None and len(table) < len(vocabulary):
            refuse(
                "tensor-shape",
                f"the table has {len(table)} rows, but the sentence has {len(vocabulary)} different tokens",
            )
        if table is None:
            table = drawn(generator, len(vocabulary), D, 1.0, spec.decimals)
        X = np.zeros((S, D))
    elif shared is not None:
        X = shared.X
    else:
        X = tensors["X"] if "X" in tensors else drawn(generator, S, D, 1.0, spec.decimals)

    wanted = {
        "W_q": (D, heads * d_k),
        "W_k": (D, heads * d_k),
        "W_v": (D, heads * d_v),
        **(
            {"b_q": (1, heads * d_k), "b_k": (1, heads * d_k), "b_v": (1, heads * d_v)}
            if _biased(spec, tensors)
            else {}
        ),
        **({"W_o": (heads * d_v, D)} if spec.w_o or "W_o" in tensors else {}),
    }
    weights: dict[str, Floats] = {}
    for name, (rows, columns) in wanted.items():
        # Without the division the scores of many features grow, and softmax picks one token alone.
        spread = 0.5 if name[0] == "b" else 1.0 / max(1.0, rows**0.5)
        number = drawn(generator, rows, columns, spread, spec.decimals)
        given = tensors.get(name)
        if given is not None:
            columns = given.shape[1] if name == "W_o" else columns
            if given.shape != (rows, columns):
                refuse("tensor-shape", f"{name} is {_shape(given)}; {rows}×{columns} fits X and the heads")
            number = given
        weights[name] = number
    return Inputs(tokens, keep, X, weights, heads, d_k, d_v, vocabulary, ids, table)


def asking_inputs(spec: ExampleSpec, inputs: Inputs, stream: str) -> tuple[tuple[str, ...], Floats]:
    """The sentence that asks in cross-attention: its tokens, and X_q (S_q, D).

    Without a target it is what a decoder would have of the same sentence: a beginning, and all tokens but the last.
    """
    real = tuple(token for token in inputs.tokens if not is_padding(token))
    tokens = spec.target or (BEGIN, *real[:-1])
    _check_size(max(len(tokens), inputs.length), inputs.features, max(inputs.d_k, inputs.d_v), inputs.heads)
    generator = random.Random(f"{spec.seed}/{stream}/target")
    return tokens, drawn(generator, len(tokens), inputs.features, 1.0, spec.decimals)


def _shape(array: Floats) -> str:
    return "×".join(str(n) for n in array.shape)


def _tensors(spec: ExampleSpec) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for name, value in spec.tensors.items():
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            refuse("tensor-kind", f"{name} holds something else than numbers")
        array = np.array(array, dtype=np.float64)
        if array.ndim == 1 and (name[0] == "b" or name == "mask"):
            array = array[None, :]
        if array.ndim != 2 or not array.size:
            refuse("tensor-shape", f"{name} has the shape {array.shape}; a matrix with rows and columns fits")
        if not np.isfinite(array).all():
            refuse("tensor-kind", f"{name} holds NaN or an infinite number, which no cell can hold")
        found[name] = array
    return found


def _tokens(spec: ExampleSpec, tensors: Mapping[str, Floats]) -> tuple[str, ...]:
    tokens = spec.tokens
    given = tensors["X"].shape[0] if "X" in tensors else None
    length = spec.length if spec.length is not None else given if given is not None else len(tokens)
    if not tokens:
        refuse("no-tokens", "the sentence is empty; give at least one token")
    if length < 1:
        refuse("length", f"length is {length}; give at least {len(tokens)}, one for each token")
    if given is not None and given != length:
        refuse("tensor-shape", f"X has {given} rows, but length is {length}; they are one and the same")
    if length > MAX_COLUMNS:
        refuse("too-large", f"length {length:,} goes past Excel's {MAX_COLUMNS:,} columns; take fewer tokens")
    if len(tokens) > length:
        refuse("too-many-tokens", f"{len(tokens)} tokens do not fit a length of {length}; give --length {len(tokens)}")
    return tokens + (PAD,) * (length - len(tokens))


def _width(spec: ExampleSpec, tensors: Mapping[str, Floats]) -> int:
    given = next((tensors[n].shape[i] for n, i in (("X", 1), ("table", 1), ("W_q", 0)) if n in tensors), None)
    if given is not None and spec.d_model is not None and given != spec.d_model:
        refuse("tensor-shape", f"the tensors have {given} features, but d_model is {spec.d_model}")
    width = given if given is not None else DEFAULT_WIDTH if spec.d_model is None else spec.d_model
    if width < 1:
        refuse("size", f"d_model is {width}; give at least 1")
    return width


def _head_width(name: str, weight: str, asked: int | None, D: int, heads: int, tensors: Mapping[str, Floats]) -> int:
    if weight in tensors:
        columns = tensors[weight].shape[1]
        if columns % heads:
            refuse("heads", f"the {columns} columns of {weight} do not part into {heads} heads")
        if asked is not None and asked * heads != columns:
            refuse("tensor-shape", f"{weight} has {columns} columns, but {heads} × {name} is {heads * asked}")
        return int(columns // heads)
    if asked is None:
        if D % heads:
            fitting = [h for h in range(1, D + 1) if D % h == 0]
            near = min(fitting, key=lambda h: abs(h - heads))
            refuse(
                "heads",
                f"d_model {D} does not part into {heads} heads; {near} heads or d_model {-(-D // heads) * heads} "
                f"would, or give {name} itself",
            )
        return D // heads
    if asked < 1:
        refuse("size", f"{name} is {asked}; give at least 1")
    return asked


def _check_size(S: int, D: int, d: int, heads: int) -> None:
    widest = max(4 * S, 2 * D + 3 * d)
    if widest + _MARGIN > MAX_COLUMNS or 8 * max(S, D, d) + _MARGIN > MAX_ROWS:
        fits = (MAX_COLUMNS - _MARGIN) // 4
        refuse(
            "too-large",
            f"length {S}, d_model {D} and heads of {d} go past Excel's {MAX_COLUMNS:,} columns; "
            f"a length up to {fits:,} and widths up to {(MAX_COLUMNS - _MARGIN) // 5:,} fit",
        )
    beside = 4 * S * D + 3 * S * d + 3 * D * d
    if heads * (7 * S * S + beside) > MAX_CELLS:
        fits = int(max(0.0, (MAX_CELLS / heads - beside) / 7) ** 0.5)
        refuse(
            "too-large",
            f"length {S}, d_model {D} and {heads} heads make more than {MAX_CELLS:,} cells; "
            f"a length up to {max(1, fits):,} fits",
        )


def _keep(spec: ExampleSpec, tensors: Mapping[str, Floats], S: int) -> Floats:
    if "mask" in tensors:
        if spec.mask in ("causal", "none"):
            refuse("mask", f"a padding mask is given, which the mask {spec.mask} does not use; take pad or both")
        keep = tensors["mask"]
        if keep.shape != (1, S):
            refuse("tensor-shape", f"the mask is {_shape(keep)}; a vector of {S} fits, one number for each token")
        if not np.isin(keep, (0.0, 1.0)).all():
            refuse("mask", "the mask holds other numbers than 1 (keep) and 0 (hide)")
    else:
        keep = np.array([[0.0 if is_padding(token) else 1.0 for token in _tokens(spec, tensors)]])
    if spec.mask == "none" and not keep.all():
        hidden = int((keep == 0.0).sum())
        refuse(
            "mask",
            f"without a mask {hidden} of {S} tokens would get weight that are padding; "
            f"take the mask pad or both, or a length of {S - hidden}",
        )
    if spec.mask in ("pad", "both") and not keep.any():
        refuse("mask", "the mask hides every token, so that softmax has nothing to share out; leave at least one 1")
    if spec.mask == "both" and not keep[0, 0]:
        refuse(
            "mask", "the first token sees itself alone under the causal mask, so the padding mask must leave it open"
        )
    return keep


def _biased(spec: ExampleSpec, tensors: Mapping[str, Any]) -> bool:
    return spec.bias or any(name in tensors for name in ("b_q", "b_k", "b_v"))
