"""What a regular expression is made of, once it is parsed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Test: TypeAlias = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class One:
    """A single character that passes the test."""

    test: Test


@dataclass(frozen=True, slots=True)
class Anchor:
    """``^ $ b B A z Z``: a place, no character."""

    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """``index`` is ``None`` for a group that is not kept."""

    body: Node
    index: int | None


@dataclass(frozen=True, slots=True)
class Back:
    """What a group has matched, once more."""

    index: int


@dataclass(frozen=True, slots=True)
class Look:
    """A condition on what follows (or, ``behind``, on what stands before)."""

    body: Node
    behind: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """``mode`` is ``greedy``, ``lazy`` or ``possessive``."""

    body: Node
    least: int
    most: int | None
    mode: str


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[Node, ...]


Node: TypeAlias = One | Anchor | Group | Back | Look | Repeat | Sequence | Choice
