"""Formula text → tree, by operator precedence with an explicit stack: no recursion, time linear in the text.

Precedence, tightest first (source: Microsoft's page "Calculation operators and precedence in Excel"): ``#``, then
``:``, intersection (space), union (``,``), ``@``, unary minus and plus, ``%``, ``^``, ``* /``, ``+ -``, ``&``,
comparisons. All binary operators are left-associative, ``^`` too, and ``-2^2`` is 4.

A chain of thousands of operators gives an equally deep left side (a text of 8,192 characters holds up to 4,096 of them,
or 8,191 signs as in ``----1``): whoever walks a tree must walk ``Binary.left`` and ``Unary.operand`` by a loop. The
right side is at most ``MAX_OPERANDS`` deep, calls at most ``MAX_LEVELS``.
"""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple

from xlsx_attention.model.formula import (
    Apply,
    ArrayLit,
    Binary,
    Call,
    ErrorLit,
    LogicalLit,
    Missing,
    NameRef,
    NumberLit,
    Reference,
    SheetRef,
    Single,
    Spill,
    TableRef,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.values import ERROR_CODES, REF
from xlsx_attention.parsing.lexer import Token, fault, tokenise
from xlsx_attention.parsing.references import reference, sheet_ref, table_ref

# Source of the limits: Microsoft's page "Excel specifications and limits".
MAX_LENGTH: Final = 8192
MAX_LEVELS: Final = 64
MAX_ARGUMENTS: Final = 255
MAX_OPERANDS: Final = 1024

_POWER: Final = {":": 10, " ": 9, ",": 8, "^": 4, "*": 3, "/": 3, "+": 2, "-": 2, "&": 1} | dict.fromkeys(
    ("=", "<>", "<", ">", "<=", ">="), 0
)
_PREFIX_POWER: Final = {"@": 7, "+": 6, "-": 6}
_PERCENT_POWER: Final = 5
_REFERENCE_OPERATORS: Final = frozenset(": ,")
_REFERENCE_NODES: Final = (Reference, NameRef, TableRef, Call, Apply, Spill, Single, ErrorLit)
_REFERENCE_STARTS: Final = frozenset(("prefix", "cell", "columns", "rows", "name", "bracket", "open", "error"))
#: What files put before a name that older versions lack, a variable, an optional parameter, a function as a value.
_PREFIXES: Final = ("_xlfn.", "_xlws.", "_xlpm.", "_xlop.", "_xleta.")
_OPTIONAL: Final = "_xlop."
#: Operators that files store as calls; they are no level of nesting.
_OPERATOR_CALLS: Final[dict[str, type[Single] | type[Spill]]] = {"SINGLE": Single, "ANCHORARRAY": Spill}
_LOGICALS: Final = {"TRUE": LogicalLit(True), "FALSE": LogicalLit(False)}


class _Operator(NamedTuple):
    symbol: str
    power: int
    prefix: bool
    position: int


class _Frame:
    """An open parenthesis: its own (``callee`` is ``None``), a function's, or an applied expression's."""

    __slots__ = ("args", "callee", "position")

    def __init__(self, callee: str | Tree | None, position: int) -> None:
        self.callee = callee
        self.position = position
        self.args: list[Tree] = []


def parse(text: str, row: int, column: int) -> Tree:
    """The tree of a formula (without ``=``) that stands in a cell; raises ``FormulaSyntaxError``."""
    if len(text) > MAX_LENGTH:
        raise fault(MAX_LENGTH, f"the end of a formula of at most {MAX_LENGTH} characters", text[MAX_LENGTH:])
    return _Parser(tokenise(text), row, column).run()


def strip_prefixes(name: str) -> str:
    """``_xlfn._xlws.SORT`` → ``SORT``."""
    if name[:1] != "_":
        return name
    lower = name.lower()
    start = 0
    while prefix := next((p for p in _PREFIXES if lower.startswith(p, start)), ""):
        start += len(prefix)
    return name[start:] or name


def _is_reference(tree: Tree) -> bool:
    return isinstance(tree, _REFERENCE_NODES) or (isinstance(tree, Binary) and tree.op in _REFERENCE_OPERATORS)


class _Parser:
    __slots__ = ("column", "frames", "index", "levels", "operands", "row", "stack", "tokens")

    def __init__(self, tokens: list[Token], row: int, column: int) -> None:
        self.tokens = tokens
        self.index = 0
        self.row = row
        self.column = column
        self.operands: list[Tree] = []
        self.stack: list[_Operator | _Frame] = []
        self.frames: list[_Frame] = []
        self.levels = 0

    def run(self) -> Tree:
        wants_operand = True
        while True:
            token = self.tokens[self.index]
            if token.kind == "end" and not wants_operand:
                break
            wants_operand = self.operand(token) if wants_operand else self.operator(token)
        frame = self.reduce(-1)
        if frame is not None:
            raise fault(self.tokens[-1].position, f"a ) for the ( at character {frame.position + 1}", "")
        return self.operands.pop()

    # Each of the two steps below takes tokens and says whether an operand is wanted next.

    def operand(self, token: Token) -> bool:
        kind, text, position = token
        self.index += 1
        tree: Tree
        if kind == "space":
            return True
        if kind in ("cell", "columns", "rows"):
            return self.push(self.located(token, None))
        if kind == "number":
            number = float(text)
            if math.isinf(number):
                raise fault(position, "a number below 1E+308", text)
            tree = NumberLit(number)
        elif kind == "name":
            return self.named(token, None)
        elif kind == "string":
            tree = TextLit(text[1:-1].replace('""', '"'))
        elif kind == "prefix":
            return self.qualified(token)
        elif kind == "operator" and text in _PREFIX_POWER:
            top = self.stack[-1] if self.stack else None
            if isinstance(top, _Operator) and top.symbol in _REFERENCE_OPERATORS:
                raise fault(position, f"a reference after {top.symbol!r}", text)
            self.stack.append(_Operator(text, _PREFIX_POWER[text], True, position))
            return True
        elif kind == "open":
            self.enter(_Frame(None, position))
            return True
        elif kind == "error":
            tree = ErrorLit(ERROR_CODES[text.upper()])
            # `#REF!A1` is what is left of a reference to a sheet that was deleted.
            if tree.kind == REF and self.tokens[self.index].kind in ("cell", "columns", "rows", "name", "error"):
                self.index += 1
        elif kind == "bracket":
            tree = table_ref("", token)
        elif kind == "brace" and text == "{":
            tree = self.array()
        elif kind in ("comma", "close"):
            return self.missing(token)
        else:
            raise fault(position, "a value, a reference or a function", text)
        return self.push(tree)

    def push(self, tree: Tree) -> bool:
        self.operands.append(tree)
        if len(self.operands) > MAX_OPERANDS:
            raise fault(self.tokens[self.index - 1].position, f"at most {MAX_OPERANDS} pending operands", "more")
        return False

    def located(self, token: Token, sheet: SheetRef | None) -> Tree:
        """A reference; ``A1:B2`` is one unless its first cell is itself the right side of a ``:``."""
        if token.kind == "cell":
            top = self.stack[-1] if self.stack else None
            if not (isinstance(top, _Operator) and top.symbol == ":"):
                colon = self.skip_space(self.index)
                if self.tokens[colon].text == ":":
                    last = self.skip_space(colon + 1)
                    if self.tokens[last].kind == "cell":
                        self.index = last + 1
                        return reference(token, self.row, self.column, sheet, self.tokens[last].text)
        return reference(token, self.row, self.column, sheet)

    def skip_space(self, index: int) -> int:
        return index + 1 if self.tokens[index].kind == "space" else index

    def qualified(self, prefix: Token) -> bool:
        """``Sheet1!`` and what follows it directly."""
        token = self.tokens[self.index]
        self.index += 1
        sheet = sheet_ref(prefix.text)
        if token.kind in ("cell", "columns", "rows"):
            return self.push(self.located(token, sheet))
        if token.kind == "name":
            return self.named(token, sheet)
        if token.kind == "error":
            return self.push(ErrorLit(ERROR_CODES[token.text.upper()]))
        raise fault(token.position, f"a reference or a name after {prefix.text!r}", token.text)

    def named(self, token: Token, sheet: SheetRef | None) -> bool:
        """A name alone, of a function before ``(``, of a table before ``[``."""
        follower = self.tokens[self.index]
        name = strip_prefixes(token.text)
        if follower.kind == "bracket":
            self.index += 1
            table = table_ref(name, follower)
            # A table of another workbook: its cells are not here, so it stays a name that says where it is.
            return self.push(NameRef(name + follower.text, sheet) if sheet else table)
        opening = self.skip_space(self.index)
        if self.tokens[opening].kind == "open":
            self.index = opening + 1
            self.call(NameRef(name, sheet) if sheet else name.upper(), self.tokens[opening].position)
            return True
        if token.text.lower().startswith(_OPTIONAL):
            # An optional parameter, as ``[x]`` that a person types.
            return self.push(TableRef("", (), name, None))
        logical = None if sheet else _LOGICALS.get(name.upper())
        return self.push(logical or NameRef(name, sheet))

    def call(self, callee: str | Tree, position: int) -> None:
        if not (isinstance(callee, str) and callee in _OPERATOR_CALLS):
            self.levels += 1
            if self.levels > MAX_LEVELS:
                raise fault(position, f"at most {MAX_LEVELS} levels of functions", "one more")
        self.enter(_Frame(callee, position))

    def enter(self, frame: _Frame) -> None:
        self.frames.append(frame)
        self.stack.append(frame)

    def missing(self, token: Token) -> bool:
        """A comma or parenthesis where an operand could be: an argument left out, or no argument at all."""
        frame = self.stack[-1] if self.stack else None
        if not isinstance(frame, _Frame) or frame.callee is None:
            raise fault(token.position, "a value, a reference or a function", token.text)
        if token.kind == "comma":
            return self.argument(frame, Missing(), token)
        if frame.args:
            self.argument(frame, Missing(), token)
        return self.close(frame)

    def argument(self, frame: _Frame, tree: Tree, token: Token) -> bool:
        frame.args.append(tree)
        if len(frame.args) > MAX_ARGUMENTS:
            raise fault(token.position, f"at most {MAX_ARGUMENTS} arguments", "one more")
        return True

    def operator(self, token: Token) -> bool:
        kind, text, position = token
        self.index += 1
        if kind == "space":
            # Between two references a space is an operator; anywhere else it is nothing.
            if self.tokens[self.index].kind in _REFERENCE_STARTS and _is_reference(self.operands[-1]):
                return self.binary(" ", position)
            return False
        if kind == "operator":
            if text == "%":
                self.reduce(_PERCENT_POWER)
                self.operands.append(Unary("%", self.operands.pop()))
                return False
            if text == "#":
                if not _is_reference(self.operands[-1]):
                    raise fault(position, "a reference before #", text)
                self.operands.append(Spill(self.operands.pop()))
                return False
            if text in _POWER:
                return self.binary(text, position)
        elif kind == "close":
            frame = self.reduce(-1)
            if frame is None:
                raise fault(position, "an operator or the end", text)
            if frame.callee is None:
                return self.closed()
            self.argument(frame, self.operands.pop(), token)
            return self.close(frame)
        elif kind == "comma":
            # A comma separates arguments directly inside a call, and joins references anywhere else.
            if not self.frames or self.frames[-1].callee is None:
                return self.binary(",", position)
            self.reduce(-1)
            return self.argument(self.frames[-1], self.operands.pop(), token)
        raise fault(position, "an operator or the end", text)

    def binary(self, symbol: str, position: int) -> bool:
        power = _POWER[symbol]
        self.reduce(power)
        if symbol in _REFERENCE_OPERATORS and not _is_reference(self.operands[-1]):
            raise fault(position, f"a reference before {symbol!r}", symbol)
        self.stack.append(_Operator(symbol, power, False, position))
        return True

    def reduce(self, power: int) -> _Frame | None:
        """Apply every waiting operator that binds at least as tightly; the frame below them, if one is reached."""
        while self.stack:
            top = self.stack[-1]
            if isinstance(top, _Frame):
                return top
            if top.power < power:
                return None
            self.stack.pop()
            right = self.operands.pop()
            if top.prefix:
                self.operands.append(Single(right) if top.symbol == "@" else Unary(_sign(top.symbol), right))
                continue
            if top.symbol in _REFERENCE_OPERATORS and not _is_reference(right):
                raise fault(top.position, f"a reference after {top.symbol!r}", top.symbol)
            self.operands.append(Binary(top.symbol, self.operands.pop(), right))
        return None

    def close(self, frame: _Frame) -> bool:
        """A call is complete."""
        callee, args = frame.callee, tuple(frame.args)
        assert callee is not None
        tree: Tree
        if isinstance(callee, str):
            wrapper = _OPERATOR_CALLS.get(callee)
            if wrapper is None:
                self.levels -= 1
                tree = Call(callee, args)
            elif len(args) == 1 and not isinstance(args[0], Missing):
                tree = wrapper(args[0])
            else:
                raise fault(frame.position, f"one argument of {callee}", f"{len(args)} arguments")
        else:
            self.levels -= 1
            tree = Apply(callee, args)
        self.push(tree)
        return self.closed()

    def closed(self) -> bool:
        """After ``)``: a ``(`` that follows directly applies what was closed, as in ``LAMBDA(x,x+1)(3)``."""
        self.stack.pop()
        self.frames.pop()
        token = self.tokens[self.index]
        if token.kind == "open" and isinstance(self.operands[-1], (Call, Apply, NameRef)):
            self.index += 1
            self.call(self.operands.pop(), token.position)
            return True
        return False

    def array(self) -> ArrayLit:
        """After ``{``: rows of literals, all equally long."""
        rows: list[list[NumberLit | TextLit | LogicalLit | ErrorLit]] = [[]]
        while True:
            rows[-1].append(self.element())
            token = self.solid()
            if token.kind == "semicolon":
                rows.append([])
            elif token.text == "}":
                if len({len(row) for row in rows}) > 1:
                    raise fault(token.position, "rows of one length in the array constant", token.text)
                return ArrayLit(tuple(tuple(row) for row in rows))
            elif token.kind != "comma":
                raise fault(token.position, "one of , ; } in the array constant", token.text)

    def element(self) -> NumberLit | TextLit | LogicalLit | ErrorLit:
        token = self.solid()
        sign = 1.0
        if token.text in ("-", "+"):
            sign = -1.0 if token.text == "-" else 1.0
            token = self.solid()
            if token.kind != "number":
                raise fault(token.position, "a number after the sign", token.text)
        if token.kind == "number" and not math.isinf(number := float(token.text)):
            return NumberLit(sign * number)
        if token.kind == "string":
            return TextLit(token.text[1:-1].replace('""', '"'))
        if token.kind == "error":
            return ErrorLit(ERROR_CODES[token.text.upper()])
        if token.kind == "name" and token.text.upper() in _LOGICALS:
            return _LOGICALS[token.text.upper()]
        raise fault(token.position, "a number, text, logical or error in the array constant", token.text)

    def solid(self) -> Token:
        """The next token that is no white space, taken."""
        self.index = self.skip_space(self.index)
        token = self.tokens[self.index]
        if token.kind != "end":
            self.index += 1
        return token


def _sign(symbol: str) -> Literal["+", "-"]:
    return "-" if symbol == "-" else "+"
