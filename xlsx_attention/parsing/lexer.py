"""The words of a formula: one regular expression for the notation of files (A1), one for that of forms (R1C1).

Every alternative is possessive or bounded and the first character that fits none ends the scan, so the time is linear
in the length of the text. Source of the words: ECMA-376 part 1, 18.17 (grammar), and [MS-XLSX] 2.2.2 (formulas as
stored).
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from xlsx_attention.errors import FormulaSyntaxError
from xlsx_attention.model.values import ERROR_CODES

Kind: TypeAlias = Literal[
    "prefix",  # Sheet1!  'It''s'!  [1]Sheet1:Sheet3!  [1]!
    "cell",  # A1  $B$2
    "columns",  # A:C
    "rows",  # 1:$3
    "number",
    "string",
    "error",
    "name",  # defined name, function, variable, table
    "bracket",  # [Column]  [[#Headers],[a]:[b]]
    "space",
    "operator",
    "open",
    "close",
    "comma",
    "semicolon",
    "brace",
    "end",
]


class Token(NamedTuple):
    """``position`` counts characters from 0; a token of kind ``end`` closes every list of tokens."""

    kind: Kind
    text: str
    position: int


# Names: every letter of every script, digits, and `_ . \ ?`; no other ASCII sign, no white space.
NAME_CHARACTER: Final = r"[^\x00-\x2d/:->@\[\]\^`{-\x7f\s]"
NAME_START: Final = r"[^\x00-@\[\]\^`{-\x7f\s]"
SPACE: Final = r"[ \t\r\n]"
# Exactly A … XFD and 1 … 1048576, so `XFE1` and `A1048577` are names.
COLUMN: Final = r"(?:[A-Wa-w][A-Za-z]{2}|[Xx](?:[A-Ea-e][A-Za-z]|[Ff][A-Da-d])|[A-Za-z]{1,2})"
ROW: Final = r"(?:0*(?:10485(?:7[0-6]|[0-6][0-9])|1048[0-4][0-9]{2}|104[0-7][0-9]{3}|10[0-3][0-9]{4}|[1-9][0-9]{0,5}))"
# A reference does not end inside a name, before a call (`LOG10(`), a table's bracket or a sheet's `!`.
_END: Final = rf"(?!{NAME_CHARACTER}|[(\[!$])"

_A1_REFERENCES: Final = rf"""
    (?P<cell>\$?{COLUMN}\$?{ROW}{_END})
  | (?P<columns>\$?{COLUMN}{SPACE}*+:{SPACE}*+\$?{COLUMN}{_END})
  | (?P<rows>\$?{ROW}{SPACE}*+:{SPACE}*+\$?{ROW}{_END})
"""
_STEP: Final = r"(?:\[-?[0-9]++\]|[0-9]++)?"
# `~R1C1` is a name, and `~R1C1:Sheet3!` a run of sheets, that looks like a reference in this notation; no formula has a
# ~ outside texts and sheet names.
_R1C1_REFERENCES: Final = rf"""
    (?P<cell>R{_STEP}C{_STEP}{_END})
  | (?P<columns>C{_STEP}{SPACE}*+:{SPACE}*+C{_STEP}{_END})
  | (?P<rows>R{_STEP}{SPACE}*+:{SPACE}*+R{_STEP}{_END})
  | (?P<marked>~[RCrc0-9]++(?::{NAME_CHARACTER}++!)?+)
"""
_ERRORS: Final = "|".join(re.escape(text) for text in sorted(ERROR_CODES, key=len, reverse=True))


def _pattern(references: str, cell: str) -> re.Pattern[str]:
    # `A1:Sheet1!B2` begins with a cell (a sheet called A1 is quoted), and no sheet follows a `!`.
    return re.compile(
        rf"""
    (?P<prefix>(?<!!)(?!{cell}:)
        (?:(?:\[[^\[\]]*+\])?+{NAME_CHARACTER}++(?::{NAME_CHARACTER}++)?+|\[[0-9]++\]|'(?:[^']|'')++')!)
  | {references}
  | (?P<number>(?>(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[Ee][+-]?[0-9]++)?+)(?!{NAME_CHARACTER}|\$))
  | (?P<string>"(?:[^"]|"")*+")
  | (?P<error>(?i:{_ERRORS}))
  | (?P<name>{NAME_START}{NAME_CHARACTER}*+(?!\$))
  | (?P<bracket>\[(?:'.|[^\[\]']|\[(?:'.|[^\[\]'])*+\])*+\])
  | (?P<space>{SPACE}++)
  | (?P<operator><=|>=|<>|[-+*/^&=<>%:@\#])
  | (?P<open>\() | (?P<close>\)) | (?P<comma>,) | (?P<semicolon>;) | (?P<brace>[{{}}])
  | (?P<bad>.)
    """,
        re.VERBOSE | re.DOTALL,
    )


A1: Final = _pattern(_A1_REFERENCES, rf"{COLUMN}{ROW}")
R1C1: Final = _pattern(_R1C1_REFERENCES, "R[0-9]*+C[0-9]*+")


def fault(position: int, expected: str, found: str) -> FormulaSyntaxError:
    """The one form of every complaint about a formula; positions count from 1 for people."""
    seen = f"found {found[:40]!r}" if found else "the formula ends"
    return FormulaSyntaxError("formula-syntax", f"at character {position + 1} {expected} was expected, {seen}")


def tokenise(text: str) -> list[Token]:
    """The tokens of a formula without ``=``; joined they give the text back. Raises :class:`FormulaSyntaxError`."""
    tokens: list[Token] = []
    for match in A1.finditer(text):
        kind = match.lastgroup
        if kind == "bad":
            raise _bad(text, match.start())
        tokens.append(Token(kind, match.group(), match.start()))  # type: ignore[arg-type]
    tokens.append(Token("end", "", len(text)))
    return tokens


def _bad(text: str, position: int) -> FormulaSyntaxError:
    expected = {
        '"': 'a closing " for this text',
        "'": "a sheet name in quotes, then !",
        "[": "a closing ] for this bracket",
        "$": "a cell of the grid after $",
    }.get(text[position], "a number, a reference, a name or an operator")
    return fault(position, expected, text[position : position + 12])
