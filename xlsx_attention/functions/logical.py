"""IF and its family, AND, OR, NOT, XOR. Source: Microsoft's pages "IF function", "IFERROR function", "AND function"."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from xlsx_attention.functions.coercion import is_error, to_logical, to_number
from xlsx_attention.functions.operators import align, compare
from xlsx_attention.functions.registry import Evaluator, Operand, function
from xlsx_attention.functions.selecting import branch, choose
from xlsx_attention.model.formula import Missing, Tree
from xlsx_attention.model.values import (
    EMPTY,
    ERROR,
    LOGICAL,
    NA,
    NOT_COMPUTED,
    NUMBER,
    TEXT,
    VALUE,
    Array,
    TextPool,
)


def _logical(value: bool) -> Operand:
    return Operand(Array.of(float(value), LOGICAL))


def _condition(ev: Evaluator, node: Tree) -> Array:
    return to_logical(ev.evaluate(node, "value").array, ev.texts)


def _kinds(kind: np.ndarray) -> np.ndarray:
    """Of an index: NUMBER where there is something to choose, the error where there is none."""
    return np.where(kind >= ERROR, kind, np.uint8(NUMBER)).astype(np.uint8)


@function("IF", "condition:lazy then:lazy else:lazy?", "lazy", vectorised=True)
def if_(ev: Evaluator, condition: Tree, then: Tree, otherwise: Tree | None = None) -> Operand:
    """``IF(condition, then, else)``: FALSE where there is no ``else``, 0 where a branch is left out between commas.

    Errors: the condition's own; ``#VALUE!`` for a text that is neither TRUE nor FALSE; a branch's only where taken.
    """
    truth = _condition(ev, condition)
    index = Array(truth.number, _kinds(truth.kind))
    return choose(
        index,
        {
            1: lambda: branch(ev, then),
            0: lambda: _logical(False) if otherwise is None else branch(ev, otherwise),
        },
    )


def _rescue(ev: Evaluator, value: Tree, alternative: Tree, caught: Callable[[np.ndarray], np.ndarray]) -> Operand:
    operand = Operand(Array.of(0.0)) if isinstance(value, Missing) else ev.evaluate(value, "value")
    bad = caught(operand.array.kind)
    if not bad.any():
        return operand
    return choose(
        Array(bad.astype(np.float64), np.zeros(bad.shape, np.uint8)),
        {0: lambda: operand, 1: lambda: branch(ev, alternative)},
    )


@function("IFERROR", "value:lazy alternative:lazy", "lazy", vectorised=True)
def iferror(ev: Evaluator, value: Tree, alternative: Tree) -> Operand:
    """``value``, or ``alternative`` where it is an Excel error. What could not be computed at all is not caught."""
    return _rescue(ev, value, alternative, lambda kind: (kind > ERROR) & (kind < NOT_COMPUTED))


@function("IFNA", "value:lazy alternative:lazy", "lazy", vectorised=True)
def ifna(ev: Evaluator, value: Tree, alternative: Tree) -> Operand:
    """``value``, or ``alternative`` where it is ``#N/A``; other errors pass."""
    return _rescue(ev, value, alternative, lambda kind: kind == NA)


def _first_true(ev: Evaluator, truths: list[Array], otherwise: int | None) -> Array:
    """The first true condition, place by place; an error before it wins; after all ``otherwise`` or ``#N/A``."""
    aligned = align(truths)
    shape = np.broadcast_shapes(*(t.shape for t in aligned))
    number, kind = np.zeros(shape), np.full(shape, NA if otherwise is None else NUMBER, np.uint8)
    number[...] = 0.0 if otherwise is None else otherwise
    for i in range(len(aligned) - 1, -1, -1):
        truth = np.broadcast_to(aligned[i].number, shape)
        own = np.broadcast_to(aligned[i].kind, shape)
        bad = own >= ERROR
        here = (truth != 0.0) & ~bad
        number = np.where(bad, truth, np.where(here, float(i), number))
        kind = np.where(bad, own, np.where(here, np.uint8(NUMBER), kind))
    return Array(number, kind)


def _decided(truth: Array) -> bool:
    """No later condition matters: every place has its answer."""
    number, kind = truth.full()
    return truth.is_single and bool(((number != 0.0) | (kind >= ERROR)).all())


@function("IFS", "condition:lazy value:lazy ...2", "lazy", vectorised=True)
def ifs(ev: Evaluator, *nodes: Tree) -> Operand:
    """The value after the first true condition; ``#N/A`` when none is. What is not needed is not evaluated.

    A condition without a value is ``#VALUE!`` once it is reached and true.
    """
    truths: list[Array] = []
    for node in nodes[::2]:
        truths.append(_condition(ev, node))
        if _decided(truths[-1]):
            break
    index = _first_true(ev, truths, None)

    def value(i: int) -> Operand:
        return branch(ev, nodes[2 * i + 1]) if 2 * i + 1 < len(nodes) else Operand(Array.of(0.0, VALUE))

    return choose(index, {i: partial(value, i) for i in range(len(truths))})


@function("SWITCH", "expression:lazy value:lazy result:lazy rest:lazy? ...1", "lazy", vectorised=True)
def switch(ev: Evaluator, expression: Tree, *nodes: Tree) -> Operand:
    """The result after the first value equal to the expression, the default (an odd one at the end) or ``#N/A``.

    Equality as ``=`` has it: without case. An error of the expression passes.
    """
    subject = ev.evaluate(expression, "value").array
    truths: list[Array] = []
    pairs = len(nodes) // 2
    for i in range(pairs):
        truths.append(compare("=", subject, ev.evaluate(nodes[2 * i], "value").array, ev.texts))
        if _decided(truths[-1]):
            break
    default = len(nodes) % 2 == 1
    count = len(truths)
    index = _first_true(ev, truths, count if default else None)
    branches = {i: partial(branch, ev, nodes[2 * i + 1]) for i in range(count)}
    if default:
        branches[count] = partial(branch, ev, nodes[-1])
    return choose(index, branches)


@function("CHOOSE", "index:lazy value:lazy ...", "lazy", vectorised=True)
def choose_(ev: Evaluator, index: Tree, *nodes: Tree) -> Operand:
    """The ``index``-th value, the index cut to a whole number; ``#VALUE!`` outside 1 … count."""
    position = to_number(ev.evaluate(index, "value").array, ev.texts)
    number, kind = position.full()
    number = np.where(kind >= ERROR, number, np.trunc(number))
    outside = (kind < ERROR) & ((number < 1) | (number > len(nodes)))
    kind = np.where(outside, np.uint8(VALUE), kind)
    number = np.where(outside, 0.0, number)
    wanted = {int(n) for n in np.unique(number[kind < ERROR])}
    return choose(Array(number, kind), {i: partial(branch, ev, nodes[i - 1]) for i in wanted})


def _typed(array: Array, texts: TextPool) -> Array:
    """A single value as a condition, where an empty text stays a text."""
    number, kind = array.full()
    truth = to_logical(array, texts)
    empty = (kind == TEXT) & (number == texts.add(""))
    return Array(truth.number, np.where(empty, np.uint8(TEXT), truth.kind))


def _fold(ev: Evaluator, nodes: tuple[Tree, ...], combine: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Operand:
    """AND, OR and XOR: counts of true and of all conditions for each cell of the block.

    Texts and empty cells in references and arrays do not count, nor does a typed empty text (corpus, AND_OR_XOR); other
    typed texts must read TRUE or FALSE (``#VALUE!``).
    ``#VALUE!`` when nothing counts. The first error in reading order passes.
    """
    trues: np.ndarray = np.zeros((1, 1))
    counts: np.ndarray = np.zeros((1, 1))
    error_number: np.ndarray = np.zeros((1, 1))
    error_kind: np.ndarray = np.zeros((1, 1), np.uint8)
    for node in nodes:
        if isinstance(node, Missing):
            counts = counts + 1
            continue
        operand = ev.evaluate(node)
        array = operand.array
        typed = array.is_single and not operand.is_reference
        if typed:
            array = _typed(array, ev.texts)
        number, kind = array.full()
        bad = is_error(kind)
        keep = ~bad & (kind != TEXT) & (kind != EMPTY)
        trues = trues + (keep & (number != 0.0)).sum(axis=(2, 3))
        counts = counts + keep.sum(axis=(2, 3))
        if bad.any():
            flat = bad.reshape(*bad.shape[:2], -1)
            place = flat.argmax(axis=2)[..., None]
            has = flat.any(axis=2) & (error_kind == 0)
            own_kind = np.take_along_axis(kind.reshape(flat.shape), place, 2)[..., 0]
            own_number = np.take_along_axis(number.reshape(flat.shape), place, 2)[..., 0]
            error_number = np.where(has, own_number, error_number)
            error_kind = np.where(has, own_kind, error_kind)
    truth = combine(trues, counts).astype(np.float64)
    result = np.where(error_kind != 0, error_kind, np.where(counts == 0, np.uint8(VALUE), np.uint8(LOGICAL)))
    value = np.where(error_kind != 0, error_number, np.where(counts == 0, 0.0, truth))
    value, result = np.broadcast_arrays(value, result)
    return Operand(Array(value[:, :, None, None], result[:, :, None, None].astype(np.uint8)))


@function("AND", "logical:lazy ...", "lazy", vectorised=True)
def and_(ev: Evaluator, *nodes: Tree) -> Operand:
    """TRUE when every condition that counts is true."""
    return _fold(ev, nodes, lambda trues, counts: trues == counts)


@function("OR", "logical:lazy ...", "lazy", vectorised=True)
def or_(ev: Evaluator, *nodes: Tree) -> Operand:
    """TRUE when a condition that counts is true."""
    return _fold(ev, nodes, lambda trues, counts: trues > 0)


@function("XOR", "logical:lazy ...", "lazy", vectorised=True)
def xor(ev: Evaluator, *nodes: Tree) -> Operand:
    """TRUE when an odd number of the conditions that count is true."""
    return _fold(ev, nodes, lambda trues, counts: trues % 2 == 1)


@function("NOT", "logical:lazy", "lazy", vectorised=True)
def not_(ev: Evaluator, node: Tree) -> Operand:
    """The other truth value; a text that is neither TRUE nor FALSE is ``#VALUE!``."""
    truth = _condition(ev, node)
    number, kind = truth.full()
    return Operand(Array(np.where(kind == LOGICAL, 1.0 - number, number), kind))


@function("TRUE", "", "lazy", vectorised=True)
def true(ev: Evaluator) -> Operand:
    return _logical(True)


@function("FALSE", "", "lazy", vectorised=True)
def false(ev: Evaluator) -> Operand:
    return _logical(False)
