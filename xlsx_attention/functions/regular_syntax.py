"""Regular expressions as REGEXTEST and its kin read them (PCRE2's common part), parsed into a tree.

What is read: literals, ``.``, classes, ``\\d \\w \\s \\b`` and their opposites, ``\\x41 \\t \\n``, anchors, groups
(numbered, named, without a number), alternatives, greedy, lazy and possessive repetition, looking ahead and behind,
references back, ``(?i)`` at the start. Anything else is refused by name, never guessed.
"""

from __future__ import annotations

from typing import Final

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.registry import ExcelError
from xlsx_attention.functions.regular_tree import (
    Anchor,
    Back,
    Choice,
    Group,
    Look,
    Node,
    One,
    Repeat,
    Sequence,
    Test,
)
from xlsx_attention.model.values import VALUE

_CLASSES: Final[dict[str, Test]] = {
    "d": lambda c: "0" <= c <= "9",
    "w": lambda c: c == "_" or (c.isascii() and c.isalnum()),
    "s": lambda c: c in " \t\n\v\f\r",
    "h": lambda c: c in " \t\u00a0",
    "v": lambda c: c in "\n\v\f\r\u0085\u2028\u2029",
}
_POSIX: Final[dict[str, Test]] = {
    "alpha": lambda c: c.isascii() and c.isalpha(),
    "digit": _CLASSES["d"],
    "alnum": lambda c: c.isascii() and c.isalnum(),
    "upper": lambda c: "A" <= c <= "Z",
    "lower": lambda c: "a" <= c <= "z",
    "space": _CLASSES["s"],
    "punct": lambda c: "!" <= c <= "~" and not c.isalnum(),
    "blank": lambda c: c in " \t",
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
    "word": _CLASSES["w"],
}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "e": "\x1b", "a": "\a"}
#: Sign, whether it looks behind, whether it must not match.
_LOOKS: Final = (("?=", False, False), ("?!", False, True), ("?<=", True, False), ("?<!", True, True))
_LONGEST: Final = 1_000
_DEEPEST: Final = 50


def _not(test: Test) -> Test:
    return lambda c: not test(c)


class Parser:
    """One pattern; raises ``ExcelError(#VALUE!)`` where it is broken, ``NotComputed`` where it asks for what is
    lacking.
    """

    def __init__(self, text: str, ignore_case: bool) -> None:
        self.text = text
        self.at = 0
        self.groups = 0
        self.names: dict[str, int] = {}
        self.ignore_case = ignore_case
        self.depth = 0

    def parse(self) -> Node:
        if len(self.text) > _LONGEST:
            raise NotComputed("over-budget", f"a regular expression of over {_LONGEST:,} characters")
        if self.text.startswith("(?i)"):
            self.at, self.ignore_case = 4, True
        node = self._choice()
        if self.at < len(self.text):
            raise ExcelError(VALUE)
        return node

    def _peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def _take(self, text: str) -> bool:
        if self._peek(text):
            self.at += len(text)
            return True
        return False

    def _next(self) -> str:
        if self.at >= len(self.text):
            raise ExcelError(VALUE)
        self.at += 1
        return self.text[self.at - 1]

    def _choice(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotComputed("over-budget", f"a regular expression of over {_DEEPEST} nested groups")
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self._repeat(self._atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeat(self, atom: Node) -> Node:
        while self.at < len(self.text):
            bounds = self._bounds()
            if bounds is None:
                break
            mode = "lazy" if self._take("?") else ("possessive" if self._take("+") else "greedy")
            atom = Repeat(atom, *bounds, mode)
        return atom

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return bounds
        end = self.text.find("}", self.at)
        if not self._peek("{") or end < 0:
            return None
        low, comma, high = self.text[self.at + 1 : end].partition(",")
        if not low.isdigit() or (high and not high.isdigit()):
            return None
        least, most = int(low), (int(high) if high else None) if comma else int(low)
        if (most is not None and most < least) or max(least, most or 0) > 65_535:
            raise ExcelError(VALUE)
        self.at = end + 1
        return least, most

    def _atom(self) -> Node:
        c = self._next()
        if c == "(":
            return self._group()
        if c == "[":
            return One(self._class())
        if c == ".":
            return One(lambda x: x != "\n")
        if c in "^$":
            return Anchor(c)
        if c == "\\":
            return self._escape()
        if c in "*+?":
            raise ExcelError(VALUE)
        return One(self._literal(c))

    def _literal(self, c: str) -> Test:
        if self.ignore_case:
            lower = c.lower()
            return lambda x: x.lower() == lower
        return lambda x: x == c

    def _group(self) -> Node:
        node: Node
        for sign, behind, negative in _LOOKS:
            if self._take(sign):
                node = Look(self._choice(), behind, negative)
                break
        else:
            index = self._number()
            node = Group(self._choice(), index)
        if not self._take(")"):
            raise ExcelError(VALUE)
        return node

    def _number(self) -> int | None:
        if self._take("?:"):
            return None
        name = ""
        if self._take("?<") or self._take("?P<"):
            end = self.text.find(">", self.at)
            name = self.text[self.at : end] if end > 0 else ""
            if not name.isidentifier():
                raise ExcelError(VALUE)
            self.at = end + 1
        elif self._peek("?") or self._peek("*"):
            raise NotComputed("function", f"the regular expression group ({self.text[self.at : self.at + 2]}")
        self.groups += 1
        if name:
            self.names[name] = self.groups
        return self.groups

    def _escape(self) -> Node:
        c = self._next()
        if c in "bBAzZ":
            return Anchor(c)
        if c.isdigit() and c != "0":
            return Back(int(c))
        if c == "k" and self._take("<"):
            end = self.text.find(">", self.at)
            name = self.text[self.at : max(end, 0)]
            if name not in self.names:
                raise ExcelError(VALUE)
            self.at = end + 1
            return Back(self.names[name])
        return One(self._escaped(c))

    def _escaped(self, c: str) -> Test:
        if c.lower() in _CLASSES:
            test = _CLASSES[c.lower()]
            return test if c.islower() else _not(test)
        return self._literal(self._character(c))

    def _character(self, c: str) -> str:
        if c in _CONTROLS:
            return _CONTROLS[c]
        if c == "x":
            end = self.text.find("}", self.at) if self._peek("{") else self.at + 2
            digits = self.text[self.at : end].strip("{")
            try:
                code = int(digits, 16)
                self.at = end + 1 if self._peek("{") else end
                return chr(code)
            except (ValueError, OverflowError):
                raise ExcelError(VALUE) from None
        if c.isalnum():
            raise NotComputed("function", f"the regular expression escape \\{c}")
        return c

    def _class(self) -> Test:
        negative = self._take("^")
        tests: list[Test] = []
        first = True
        while first or not self._peek("]"):
            first = False
            tests.append(self._class_item())
        self.at += 1
        fold = self.ignore_case

        def inside(c: str) -> bool:
            return any(t(c) for t in tests) or (fold and any(t(c.lower()) or t(c.upper()) for t in tests))

        return _not(inside) if negative else inside

    def _class_item(self) -> Test:
        if self._take("[:"):
            end = self.text.find(":]", self.at)
            name = self.text[self.at : max(end, 0)]
            if name.removeprefix("^") not in _POSIX:
                raise ExcelError(VALUE)
            self.at = end + 2
            test = _POSIX[name.removeprefix("^")]
            return _not(test) if name.startswith("^") else test
        low = self._next()
        if low == "\\":
            c = self._next()
            if c.lower() in _CLASSES:
                return self._escaped(c)
            low = "\b" if c == "b" else self._character(c)
        if self._peek("-") and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high = self._next()
            if high == "\\":
                high = self._character(self._next())
            if high < low:
                raise ExcelError(VALUE)
            return lambda c: low <= c <= high
        return lambda c: c == low
