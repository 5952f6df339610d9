"""Everything that the tool says to a person when it cannot go on.

A :class:`XlsxAttentionError` is a fact about a file or a call and is shown as one line; any other exception is a
fault of this package and stays one. Excel's own errors (``#DIV/0!``) are values, never exceptions: see
:mod:`xlsx_attention.model.values`.
"""

from __future__ import annotations


class XlsxAttentionError(Exception):
    """One line for a person: what was found, where, and what to do.

    ``code`` is a stable word for machines (``not-a-zip``, ``over-budget``); ``where`` names part, sheet or cell.
    """

    def __init__(self, code: str, message: str, *, where: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.code, self.message, self.where))


def _rebuild(kind: type[XlsxAttentionError], code: str, message: str, where: str) -> XlsxAttentionError:
    return kind(code, message, where=where)


class UnreadableFile(XlsxAttentionError):
    """The file is missing, no workbook, damaged, encrypted or over a budget."""


class FormulaSyntaxError(XlsxAttentionError):
    """A stored formula does not follow Excel's grammar; its cell is not computed, the sheet goes on."""


class NotComputed(XlsxAttentionError):
    """A function or feature that the engine lacks, or a step over its budget; ``message`` names it."""


class UsageError(XlsxAttentionError):
    """The call itself is wrong: options, names, sizes."""
