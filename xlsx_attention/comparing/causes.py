"""Why a cell diverges: named predicates, tried in order. Each is a row; the first that holds gives the cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xlsx_attention.comparing.rounding import ROUNDING, calls
from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.model.formula import (
    Apply,
    Binary,
    Call,
    Located,
    Reference,
    Single,
    Spill,
    Tree,
    Unary,
)
from xlsx_attention.model.values import NUMBER, TEXT, Scalar


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of an accused cell. ``own`` is its own tree (``None`` for a typed value), ``block`` its block's.

    ``by_role`` tells which mistake of the step that the cell belongs to gives its value.
    """

    cached: Scalar
    expected: Scalar
    by_itself: Scalar
    own: Tree | None
    block: Tree | None
    by_role: Callable[[], str | None] = lambda: None


def is_text_for_number(e: Evidence) -> bool:
    """A text that reads as a number stands where a number is due."""
    return e.cached.kind == TEXT and e.expected.kind == NUMBER and parse_number(e.cached.text) is not None


def is_rounded(e: Evidence) -> bool:
    """The stored number is the expected one at fewer decimals (at most 6: more are hardly typed by hand)."""
    if e.cached.kind != NUMBER or e.expected.kind != NUMBER or e.cached.number == e.expected.number:
        return False
    return any(
        abs(e.cached.number - round(e.expected.number, d)) <= 1e-12 * max(1.0, abs(e.cached.number)) for d in range(7)
    ) and (e.cached.number != 0.0 or abs(e.expected.number) < 5e-3)


def is_pasted(e: Evidence) -> bool:
    """No formula where the block has one."""
    return e.own is None


def lacks_dollar(e: Evidence) -> bool:
    """The block anchors a reference with ``$`` and the cell's formula does not, or the other way round."""
    return _differing(e, lambda mine, theirs: mine.extent == theirs.extent and _anchors(mine) != _anchors(theirs))


def has_wrong_range(e: Evidence) -> bool:
    """The same formula over other cells: a range longer, shorter or moved."""
    return _differing(e, lambda mine, theirs: mine.extent != theirs.extent or _anchors(mine) == _anchors(theirs))


def is_unlike_block(e: Evidence) -> bool:
    return e.own is not None and e.block is not None and e.own != e.block


def is_stale(e: Evidence) -> bool:
    """The cell's own formula gives another value than the file stores."""
    return e.own is not None and e.by_itself != e.cached


def rounds_itself(e: Evidence) -> bool:
    """The cell's own formula rounds, its block's does not."""
    if e.own is None or e.block is None or ROUNDING.intersection(calls(e.block)):
        return False
    return bool(ROUNDING.intersection(calls(e.own))) and is_rounded(e)


CAUSES: tuple[tuple[str, Callable[[Evidence], bool]], ...] = (
    ("text-for-a-number", is_text_for_number),
    ("rounded-value", lambda e: is_pasted(e) and is_rounded(e)),
    ("pasted-value", is_pasted),
    ("rounded-value", rounds_itself),
    ("missing-dollar", lacks_dollar),
    ("wrong-range", has_wrong_range),
    ("formula-unlike-its-block", is_unlike_block),
    ("rounded-value", is_rounded),
    ("stale-cache", is_stale),
)
#: Causes before which it is asked which mistake of the step a cell makes: that says more.
SAYS_LESS = frozenset({"missing-dollar", "wrong-range", "formula-unlike-its-block"})
#: Mistakes that no reference comes to by being filled along without its ``$``.
SAYS_MORE = frozenset({"mask-on-rows", "swapped-operands", "missing-transpose", "wrong-projection", "keys-for-values"})


def cause_of(evidence: Evidence) -> str:
    """The first cause that holds. A formula of its own that makes a known mistake of its step is called by that."""
    for name, holds in CAUSES:
        if name in SAYS_LESS and evidence.own is not None and evidence.own != evidence.block:
            known = evidence.by_role()
            if known is not None and (name != "missing-dollar" or known in SAYS_MORE):
                return known
        if holds(evidence):
            return name
    return "unexplained"


def _anchors(reference: Reference) -> tuple[bool, ...]:
    return tuple(b.absolute for b in (reference.top, reference.left, reference.bottom, reference.right))


def _differing(e: Evidence, test: Callable[[Reference, Reference], bool]) -> bool:
    """Whether both formulas are the same but for references, all of which that differ pass ``test``."""
    if e.own is None or e.block is None or e.own == e.block:
        return False
    pairs: list[tuple[Reference, Reference]] = []
    if not _pair(e.own, e.block, pairs):
        return False
    differing = [(a, b) for a, b in pairs if a != b]
    return bool(differing) and all(test(a, b) for a, b in differing)


def _pair(a: Tree, b: Tree, pairs: list[tuple[Reference, Reference]]) -> bool:
    """Walk two trees side by side; ``False`` where they differ in more than references."""
    stack: list[tuple[Tree, Tree]] = [(a, b)]
    while stack:
        x, y = stack.pop()
        if isinstance(x, Located) and isinstance(y, Located):
            if x.sheets != y.sheets:
                return False
            pairs.append((x.reference, y.reference))
        elif isinstance(x, Binary) and isinstance(y, Binary):
            if x.op != y.op:
                return False
            stack += [(x.left, y.left), (x.right, y.right)]
        elif isinstance(x, Call) and isinstance(y, Call):
            if x.name != y.name or len(x.args) != len(y.args):
                return False
            stack += zip(x.args, y.args, strict=True)
        elif isinstance(x, Apply) and isinstance(y, Apply):
            if len(x.args) != len(y.args):
                return False
            stack += [(x.callee, y.callee), *zip(x.args, y.args, strict=True)]
        elif isinstance(x, (Unary, Single, Spill)) and type(x) is type(y):
            assert isinstance(y, (Unary, Single, Spill))
            stack.append((x.operand, y.operand))
        elif x != y:
            return False
    return True
