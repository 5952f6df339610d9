"""What must become of a hostile file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Refused:
    """Not read at all: the code of the refusal, and a word of its message (the option, for a budget)."""

    code: str
    word: str = ""

    def __str__(self) -> str:
        return f"refused: {self.code}" + (f" ({self.word})" if self.word.startswith("--") else "")


@dataclass(frozen=True, slots=True)
class Read:
    """Read and reported on: counts of verdicts, codes of notices (all of them), and what is not computed, by a word
    of its reason."""

    counts: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    not_computed: str = ""

    def __str__(self) -> str:
        said = [f"{count} {verdict}" for verdict, count in self.counts.items()] or ["no computed cell"]
        said += list(self.notices)
        if self.not_computed:
            said.append(f"reason: {self.not_computed}")
        return "read: " + ", ".join(said)


Outcome = Refused | Read


@dataclass(frozen=True, slots=True)
class Hazard:
    """One row of the table. ``options`` are for ``verify --untrusted``; ``heavy``: a budget says that it may take
    longer."""

    section: str
    name: str
    build: Callable[[], bytes]
    outcome: Outcome
    options: tuple[str, ...] = ()
    heavy: str = ""
