"""Matching regular expressions in bounded time.

A matcher that goes back and tries again, as PCRE2 does, so that groups and lazy repetition give the same matches; it
counts its steps, and a hostile pattern such as ``(a+)+$`` is refused as over its budget where it would run for years.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.regular_syntax import Parser
from xlsx_attention.functions.regular_tree import Anchor, Back, Choice, Group, Look, Node, One, Repeat, Sequence

#: Steps of one search, over all starting places.
STEP_BUDGET: Final = 100_000
#: A pattern that has been over its budget so often is refused at once from then on: a column of them must end too.
PATIENCE: Final = 20

Spans: TypeAlias = "dict[int, tuple[int, int]]"


@dataclass(frozen=True, slots=True)
class Found:
    """A match: where it begins and ends, and the same of its groups (absent where a group took no part)."""

    start: int
    end: int
    groups: Spans


@lru_cache(maxsize=256)
def _parse(text: str, ignore_case: bool) -> Pattern:
    parser = Parser(text, ignore_case)
    node = parser.parse()
    return Pattern(node, parser.groups, parser.ignore_case, parser.names, [])


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern ready to search with; ``count`` is how many groups it keeps, ``refusals`` the searches given up."""

    node: Node
    count: int
    ignore_case: bool
    names: dict[str, int]
    refusals: list[str]

    @classmethod
    def compile(cls, text: str, ignore_case: bool = False) -> Pattern:
        return _parse(text, ignore_case)

    def search(self, text: str, start: int = 0) -> Found | None:
        """The first match at or after ``start``; raises ``NotComputed`` past the budget."""
        if len(self.refusals) >= PATIENCE:
            raise NotComputed("over-budget", self.refusals[0])
        machine = _Machine(text, self.ignore_case)
        try:
            for place in range(start, len(text) + 1):
                for end, groups in machine.match(self.node, place, {}):
                    return Found(place, end, groups)
        except RecursionError:
            self.refusals.append("a regular expression that nests too deeply on its text")
            raise NotComputed("over-budget", self.refusals[-1]) from None
        except NotComputed as lack:
            self.refusals.append(lack.message)
            raise
        return None

    def find_all(self, text: str) -> Iterator[Found]:
        """Matches from left to right that do not overlap."""
        place = 0
        while place <= len(text):
            found = self.search(text, place)
            if found is None:
                return
            yield found
            place = found.end if found.end > found.start else found.end + 1


State: TypeAlias = "tuple[int, Spans]"


class _Machine:
    """One search in one text. ``match`` yields every way to match a node at a place, the preferred one first."""

    def __init__(self, text: str, ignore_case: bool) -> None:
        self.text = text
        self.ignore_case = ignore_case
        self.steps = 0

    def match(self, node: Node, place: int, groups: Spans) -> Iterator[State]:
        self.steps += 1
        if self.steps > STEP_BUDGET:
            raise NotComputed("over-budget", f"a regular expression's search (limit {STEP_BUDGET:,} steps)")
        return _MATCH[type(node)](self, node, place, groups)

    def _one(self, node: One, place: int, groups: Spans) -> Iterator[State]:
        if place < len(self.text) and node.test(self.text[place]):
            yield place + 1, groups

    def _anchor(self, node: Anchor, place: int, groups: Spans) -> Iterator[State]:
        if self._holds(node.kind, place):
            yield place, groups

    def _holds(self, kind: str, place: int) -> bool:
        if kind in "^A":
            return place == 0
        if kind == "z":
            return place == len(self.text)
        if kind in "$Z":
            return self.text[place:] in ("", "\n")
        return (self._word(place - 1) != self._word(place)) == (kind == "b")

    def _word(self, place: int) -> bool:
        if not 0 <= place < len(self.text):
            return False
        c = self.text[place]
        return c == "_" or (c.isascii() and c.isalnum())

    def _group(self, node: Group, place: int, groups: Spans) -> Iterator[State]:
        for end, inner in self.match(node.body, place, groups):
            yield end, inner if node.index is None else {**inner, node.index: (place, end)}

    def _back(self, node: Back, place: int, groups: Spans) -> Iterator[State]:
        span = groups.get(node.index)
        if span is None:
            return
        again = self.text[slice(*span)]
        here = self.text[place : place + len(again)]
        if here == again or (self.ignore_case and here.lower() == again.lower()):
            yield place + len(again), groups

    def _look(self, node: Look, place: int, groups: Spans) -> Iterator[State]:
        ahead = None if node.behind else next(self.match(node.body, place, groups), None)
        found = self._behind(node.body, place, groups) if node.behind else ahead
        if node.negative:
            if found is None:
                yield place, groups
        elif found is not None:
            yield place, found[1]

    def _behind(self, node: Node, place: int, groups: Spans) -> State | None:
        for start in range(place, -1, -1):
            for end, inner in self.match(node, start, groups):
                if end == place:
                    return end, inner
        return None

    def _sequence(self, node: Sequence, place: int, groups: Spans) -> Iterator[State]:
        return self._from(node.parts, 0, place, groups)

    def _from(self, parts: tuple[Node, ...], i: int, place: int, groups: Spans) -> Iterator[State]:
        if i == len(parts):
            yield place, groups
            return
        for end, inner in self.match(parts[i], place, groups):
            yield from self._from(parts, i + 1, end, inner)

    def _choice(self, node: Choice, place: int, groups: Spans) -> Iterator[State]:
        for option in node.options:
            yield from self.match(option, place, groups)

    def _repeat(self, node: Repeat, place: int, groups: Spans) -> Iterator[State]:
        if isinstance(node.body, One):
            yield from self._run(node, node.body, place, groups)
        elif node.mode == "possessive":
            found = next(self._times(node, place, groups, 0), None)
            if found is not None:
                yield found
        else:
            yield from self._times(node, place, groups, 0)

    def _run(self, node: Repeat, one: One, place: int, groups: Spans) -> Iterator[State]:
        """Single characters, counted instead of nested."""
        limit = len(self.text) if node.most is None else min(place + node.most, len(self.text))
        if node.mode == "lazy":
            end = place
            while True:
                if end - place >= node.least:
                    yield end, groups
                self.steps += 1
                if end >= limit or not one.test(self.text[end]):
                    return
                end += 1
        end = place
        while end < limit and one.test(self.text[end]):
            end += 1
        self.steps += end - place
        lowest = end if node.mode == "possessive" else place + node.least
        for stop in range(end, max(lowest, place + node.least) - 1, -1):
            yield stop, groups

    def _times(self, node: Repeat, place: int, groups: Spans, done: int) -> Iterator[State]:
        enough = done >= node.least
        if node.mode == "lazy" and enough:
            yield place, groups
        if node.most is None or done < node.most:
            for end, inner in self.match(node.body, place, groups):
                # After an empty turn more of them add nothing, and going on would never end.
                if end > place:
                    yield from self._times(node, end, inner, done + 1)
                else:
                    yield end, inner
        if node.mode != "lazy" and enough:
            yield place, groups


_MATCH: Final[dict[type, Callable[..., Iterator[State]]]] = {
    One: _Machine._one,
    Anchor: _Machine._anchor,
    Group: _Machine._group,
    Back: _Machine._back,
    Look: _Machine._look,
    Sequence: _Machine._sequence,
    Choice: _Machine._choice,
    Repeat: _Machine._repeat,
}
