"""A lesson as a list of steps in the order in which they are taught, and how they stand on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from xlsx_attention.generating.embedding import Added, Concat, Copied, Encoding, LookUp
from xlsx_attention.generating.inputs import Inputs
from xlsx_attention.generating.ops import AlongKeys, Divided, Exp, Masked, Op, Product, Scaled, Softmax, Transposed
from xlsx_attention.model.values import Floats


@dataclass(frozen=True, slots=True)
class Step:
    """One block. ``op`` fills it; without one it holds the constants ``numbers`` (tokens in rows).

    ``rows`` and ``columns`` name its axes in that orientation: the tokens, or a letter whose indices are shown (``d``).
    ``over`` and ``side`` are blocks of one row or column along its edge: a mask over the keys, ids beside tokens.
    """

    key: str
    role: str
    rows: tuple[str, ...] | str
    columns: tuple[str, ...] | str
    op: Op | None = None
    numbers: Floats | None = None
    head: int = 0
    over: str | None = None
    side: str | None = None
    strip: bool = False  # it stands at another block's edge and has no panel of its own


@dataclass(frozen=True, slots=True)
class Band:
    """Panels side by side; None keeps a place open. The bands of one ``group`` line up below each other."""

    keys: tuple[str | None, ...]
    group: str = ""


#: (blocks so far, a block's numbers) → its numbers with a few changed.
Patch = Callable[[Mapping[str, Floats], Floats], Floats]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one sheet teaches."""

    sheet: str
    kind: str
    steps: tuple[Step, ...]
    bands: tuple[Band, ...]
    names: Mapping[str, float]  # the named cells: d_k, and d_model with an embedding
    arrays: str  # "" for cells alone, "legacy", or "dynamic"
    by_key: Mapping[str, Step] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_key", {step.key: step for step in self.steps})

    def computed(self, patches: Mapping[str, Patch] = MappingProxyType({})) -> dict[str, Floats]:
        """The numbers of every block, tokens in rows, in the order of the steps.

        ``patches``: block → what becomes of its numbers, seen by all that read it.
        """
        env: dict[str, Floats] = {}
        for step in self.steps:
            numbers = np.asarray(step.numbers, np.float64) if step.op is None else step.op.compute(env)
            patch = patches.get(step.key)
            env[step.key] = numbers if patch is None else patch(env, numbers)
        return env

    def with_ops(self, ops: Mapping[str, Op]) -> Lesson:
        """The same lesson with other formulas in some blocks."""
        steps = tuple(replace(step, op=ops[step.key]) if step.key in ops else step for step in self.steps)
        return Lesson(self.sheet, self.kind, steps, self.bands, self.names, self.arrays)


ARRAYS = {"cell": "", "mmult": "legacy", "spill": "dynamic", "lambda": "dynamic"}


class _Builder:
    """Collects steps and bands."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.bands: list[Band] = []

    def constant(self, key: str, role: str, rows: tuple[str, ...] | str, columns: tuple[str, ...] | str,
                 numbers: Floats, *, head: int = 0, strip: bool = False) -> str:  # fmt: skip
        self.steps.append(Step(key, role, rows, columns, None, numbers, head, strip=strip))
        return key

    def step(self, key: str, role: str, rows: tuple[str, ...] | str, columns: tuple[str, ...] | str, op: Op, *,
             head: int = 0, over: str | None = None, side: str | None = None) -> str:  # fmt: skip
        self.steps.append(Step(key, role, rows, columns, op, None, head, over, side))
        return key


def attention_lesson(
    sheet: str,
    kind: str,
    inputs: Inputs,
    *,
    style: str,
    mask: str,
    copied: Copied | None = None,
    asking: tuple[tuple[str, ...], Floats] | None = None,
) -> Lesson:
    """Attention of ``inputs``. ``copied``: X is another sheet's; ``asking``: tokens and X_q of cross-attention."""
    b = _Builder()
    names: dict[str, float] = {"d_k": float(inputs.d_k)}
    tokens = inputs.tokens
    asking_tokens = tokens if asking is None else asking[0]
    source = "X" if asking is None else "X_kv"
    if inputs.ids is not None and copied is None:
        names["d_model"] = float(inputs.features)
        _embedding(b, inputs, source)
    elif copied is not None:
        b.step(source, "X", tokens, "d", copied)
    else:
        b.constant(source, "X", tokens, "d", inputs.X)
    query_source = source
    if asking is not None:
        query_source = b.constant("X_q", "X", asking_tokens, "d", asking[1])

    outputs = []
    for head in range(1, inputs.heads + 1):
        suffix = str(head) if inputs.heads > 1 else ""
        # X stands beside the first head's weights; with an embedding it has bands of its own.
        lead = source if head == 1 and "d_model" not in names else None
        _project(b, inputs, head, suffix, (query_source, source), (asking_tokens, tokens), lead)
        outputs.append(_attend(b, inputs, head, suffix, (asking_tokens, tokens), style, mask))
    _join(b, inputs, outputs, asking_tokens)
    return Lesson(sheet, kind, tuple(b.steps), tuple(b.bands), names, ARRAYS[style])


def _embedding(b: _Builder, inputs: Inputs, source: str) -> None:
    assert inputs.ids is not None
    assert inputs.table is not None
    D, S = inputs.features, inputs.length
    rows = inputs.vocabulary + tuple(f"#{i}" for i in range(len(inputs.vocabulary), len(inputs.table)))
    b.constant("table", "table", rows, "d", inputs.table)
    b.constant("ids", "ids", inputs.tokens, "", inputs.ids, strip=True)
    b.constant("pos", "pos", inputs.tokens, "", np.arange(S, dtype=np.float64)[:, None], strip=True)
    b.constant("dim", "dim", "", "d", np.arange(D, dtype=np.float64)[None, :], strip=True)
    b.step("E", "E", inputs.tokens, "d", LookUp("ids", "table"), side="ids")
    b.step("PE", "PE", inputs.tokens, "d", Encoding("pos", "dim", "d_model", D), over="dim", side="pos")
    b.step(source, "X", inputs.tokens, "d", Added("E", "PE"))
    b.bands.append(Band(("table", "E", "PE", source)))


def _project(
    b: _Builder,
    inputs: Inputs,
    head: int,
    suffix: str,
    sources: tuple[str, str],
    tokens: tuple[tuple[str, ...], tuple[str, ...]],
    lead: str | None,
) -> None:
    """Q, K and V of one head, each below its weights."""
    mark = head if inputs.heads > 1 else 0
    top: list[str | None] = [lead]
    middle: list[str | None] = [None]
    bottom: list[str | None] = ["X_q" if sources[0] != sources[1] and head == 1 else None]
    projections = []
    for letter in "qkv":
        width = inputs.d_v if letter == "v" else inputs.d_k
        part = slice((head - 1) * width, head * width)
        axis = "v" if letter == "v" else "k"
        weight = b.constant(
            f"W_{letter}{suffix}", f"W_{letter}", "d", axis, inputs.weights[f"W_{letter}"][:, part], head=mark
        )
        top.append(weight)
        bias = None
        if f"b_{letter}" in inputs.weights:
            bias = b.constant(
                f"b_{letter}{suffix}", f"b_{letter}", "", axis, inputs.weights[f"b_{letter}"][:, part], head=mark
            )
            middle.append(bias)
        projections.append((letter, axis, weight, bias))
    for letter, axis, weight, bias in projections:
        query = letter == "q"
        op = Product(sources[0 if query else 1], weight, bias)
        name = letter.upper()
        bottom.append(b.step(f"{name}{suffix}", name, tokens[0 if query else 1], axis, op, head=mark))
    for band in (top, middle, bottom):
        if len(band) > 1:
            b.bands.append(Band(tuple(band), "projections"))


def _attend(
    b: _Builder,
    inputs: Inputs,
    head: int,
    suffix: str,
    tokens: tuple[tuple[str, ...], tuple[str, ...]],
    style: str,
    mask: str,
) -> str:
    """scores … output of one head; the key of the output."""
    mark = head if inputs.heads > 1 else 0
    asking, answering = tokens
    Q, K, V = f"Q{suffix}", f"K{suffix}", f"V{suffix}"
    band: list[str | None] = []

    def add(name: str, role: str, op: Op, columns: tuple[str, ...] | str = answering,
            rows: tuple[str, ...] | str = asking, over: str | None = None) -> str:  # fmt: skip
        key = b.step(name + suffix, role, rows, columns, op, head=mark, over=over)
        band.append(key)
        return key

    if style == "cell":
        turned = add("KT", "KT", Transposed(K), answering, "k")
        scores = add("scores", "scores", Product(Q, turned))
    else:
        scores = add("scores", "scores", Product(Q, K, turned=True))
    last = add("scaled", "scaled", Scaled(scores, "d_k", inputs.d_k))
    masks = []
    if mask in ("pad", "both"):
        masks.append(b.constant(f"mask{suffix}", "mask", "", answering, inputs.keep, head=mark, strip=True))
    if mask in ("causal", "both"):
        triangle = np.tri(len(asking), len(answering))
        name = "causal" if masks else "mask"
        masks.append(b.constant(f"{name}{suffix}", name, asking, answering, triangle, head=mark))
        band.append(masks[-1])
    if masks:
        over = f"mask{suffix}" if mask != "causal" else None
        last = add("masked", "masked", Masked(last, tuple(masks)), over=over)
    b.bands.append(Band(tuple(band)))
    band.clear()
    if style == "lambda":
        weights = add("weights", "weights", Softmax(last))
    else:
        maximum = add("row_max", "row_max", AlongKeys(last, "MAX"), "")
        powers = add("exp", "exp", Exp(last, maximum))
        total = add("row_sum", "normaliser", AlongKeys(powers, "SUM"), "")
        weights = add("weights", "weights", Divided(powers, total))
    output = add("output", "output", Product(weights, V), "v")
    b.bands.append(Band(tuple(band)))
    return output


def _join(b: _Builder, inputs: Inputs, outputs: list[str], tokens: tuple[str, ...]) -> None:
    """The heads' outputs side by side, and through W_o where there is one."""
    band: list[str | None] = []
    joined = outputs[0]
    if len(outputs) > 1:
        joined = b.step("concat", "concat", tokens, "v", Concat(tuple(outputs), inputs.d_v))
        band.append(joined)
    if "W_o" in inputs.weights:
        band.append(b.constant("W_o", "W_o", "v", "d", inputs.weights["W_o"]))
        band.append(b.step("projected", "projected", tokens, "d", Product(joined, "W_o")))
    if band:
        b.bands.append(Band(tuple(band)))
