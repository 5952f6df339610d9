"""Notices in bounded number: a file with a million odd cells must not give a million sentences."""

from __future__ import annotations

from collections import Counter

from xlsx_attention.model.grid import Notice

#: Notices of one code on one sheet or part that are given in full; the rest is one line with their number.
SHOWN = 100


class NoticeLog:
    """Collects notices; :meth:`finish` gives them in order, with one ``more`` line for each kind that was cut short."""

    def __init__(self) -> None:
        self._notices: list[Notice] = []
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, code: str, scope: str, where: str, message: str) -> None:
        """``scope`` is the sheet or part, ``where`` the cell in it (may be empty)."""
        self._counts[code, scope] += 1
        if self._counts[code, scope] <= SHOWN:
            self._notices.append(Notice(code, f"{scope}!{where}" if where else scope, message))

    def mark(self) -> tuple[int, Counter[tuple[str, str]]]:
        """A point to go back to with :meth:`rewind`."""
        return len(self._notices), self._counts.copy()

    def rewind(self, mark: tuple[int, Counter[tuple[str, str]]]) -> None:
        """Forget what was added since ``mark``, because that part is read anew."""
        length, counts = mark
        del self._notices[length:]
        self._counts = counts.copy()

    def finish(self) -> list[Notice]:
        more = [
            Notice("more", scope, f"{count - SHOWN:,} further cells with {code!r}")
            for (code, scope), count in self._counts.items()
            if count > SHOWN
        ]
        return self._notices + more
