"""One cell's stored text and type → a number and a kind. Both sheet readers and the external links go through here."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime, time

from xlsx_attention.model.address import cell_name
from xlsx_attention.model.values import EMPTY, ERROR_CODES, LOGICAL, NOT_COMPUTED, NUMBER, TEXT, TextPool
from xlsx_attention.reading.notices import NoticeLog
from xlsx_attention.reading.strings import unescape

#: What a number may look like. Stricter than Python's float(): no NaN, no infinity, no 1_000, no digits of other
#: scripts.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_BLANKS = " \t\n\r"
_LOGICALS = {"1": 1.0, "0": 0.0, "true": 1.0, "false": 0.0}

Value = tuple[float, int]


class CellReader:
    """Reads values of one sheet. A bad value becomes a notice and ``NOT_COMPUTED`` with its reason; it never raises."""

    def __init__(
        self, pool: TextPool, strings: Sequence[int], notices: NoticeLog, scope: str, *, date1904: bool
    ) -> None:
        self.pool = pool
        self.strings = strings
        self.notices = notices
        self.scope = scope
        self.date1904 = date1904
        self._kinds: dict[str, Callable[[str, int, int], Value]] = {
            "n": self._number,
            "s": self._shared,
            "str": self._text,
            "inlineStr": self._inline,
            "b": self._logical,
            "e": self._error,
            "d": self._date,
        }

    def value(self, type_: str, text: str, row: int, column: int) -> Value:
        """The value of a cell that has a ``v`` (or ``is``) element with ``text``; the text may be empty."""
        kind = self._kinds.get(type_)
        if kind is None:
            return self._bad("unknown-type", f"unknown cell type {type_[:20]!r}", row, column)
        return kind(text, row, column)

    def bad_reference(self, code: str, name: str, message: str) -> None:
        self.notices.add(code, self.scope, name[:20], message)

    def _bad(self, code: str, reason: str, row: int, column: int) -> Value:
        self.notices.add(code, self.scope, cell_name(row, column), f"{reason}; the cell is not computed")
        return float(self.pool.add(reason)), NOT_COMPUTED

    def _number(self, text: str, row: int, column: int) -> Value:
        text = text.strip(_BLANKS)
        if not text:
            return 0.0, EMPTY
        if len(text) <= 1_000 and _NUMBER.fullmatch(text):
            number = float(text)
            if math.isfinite(number):
                return number + 0.0, NUMBER
        return self._bad("bad-number", f"the value {text[:40]!r} is no number of Excel's", row, column)

    def _shared(self, text: str, row: int, column: int) -> Value:
        text = text.strip(_BLANKS)
        if not text:
            return 0.0, EMPTY
        if text.isascii() and text.isdigit() and len(text) < 10 and int(text) < len(self.strings):
            return float(self.strings[int(text)]), TEXT
        return self._bad("bad-string-index", f"there is no shared string {text[:20]!r}", row, column)

    def _text(self, text: str, _row: int, _column: int) -> Value:
        return float(self.pool.add(unescape(text))), TEXT

    def _inline(self, text: str, _row: int, _column: int) -> Value:
        return float(self.pool.add(text)), TEXT

    def _logical(self, text: str, row: int, column: int) -> Value:
        number = _LOGICALS.get(text.strip(_BLANKS))
        if number is None:
            return self._bad("bad-logical", f"the value {text[:20]!r} is no logical", row, column)
        return number, LOGICAL

    def _error(self, text: str, row: int, column: int) -> Value:
        kind = ERROR_CODES.get(text.strip(_BLANKS))
        if kind is None:
            return self._bad("unknown-error", f"the error {text[:20]!r} is none of Excel's", row, column)
        return 0.0, kind

    def _date(self, text: str, row: int, column: int) -> Value:
        """ISO 8601, as strict files may have it → Excel's serial number."""
        try:
            serial = date_serial(text.strip(_BLANKS), self.date1904)
        except ValueError:
            return self._bad("bad-date", f"the value {text[:40]!r} is no date", row, column)
        return serial, NUMBER


def date_serial(text: str, date1904: bool) -> float:
    """``2024-01-31`` or ``2024-01-31T06:00:00Z`` → days since the workbook's epoch; raises ``ValueError``.

    Excel's 1900 system counts a 29 February 1900 that never was, so days before it are one less.
    """
    if text[:1] == "T" or (":" in text and "-" not in text):
        clock = time.fromisoformat(text.lstrip("T"))
        return (clock.hour * 3600 + clock.minute * 60 + clock.second + clock.microsecond / 1e6) / 86400
    moment = datetime.fromisoformat(text.removesuffix("Z"))
    if moment.tzinfo is not None:
        raise ValueError("a date with a time zone")
    if date1904:
        return (moment - datetime(1904, 1, 1)).total_seconds() / 86400
    serial = (moment - datetime(1899, 12, 30)).total_seconds() / 86400
    return serial if serial >= 61 else serial - 1
