"""Formula text → tree, by operator precedence with an explicit stack: no recursion, time linear in the text.

Precedence, tightest first (source: Microsoft's page "Calculation operators and precedence in Excel"): ``#``, then
``:``, intersection (space), union (``,``), ``@``, unary minus and plus, ``%``, ``^``, ``* /``, ``+ -``, ``&``,
comparisons. All binary operators are left-associative, ``^`` too, and ``-2^2`` is 4.

A chain of thousands of operators gives an equally deep left side (a text of 8,192 characters holds up to 4,096 of
them): whoever walks a tree must walk ``Binary.left`` by a loop. Everything else is at most ``MAX_DEPTH`` deep, calls at
most ``MAX_LEVELS``.
"""

from __future__ import annotations

from typing import Final

from xlsx_attention.model.formula import (
    Apply,
    Binary,
    Call,
    Missing,
    NameRef,
    SheetRef,
    Single,
    Spill,
    TableRef,
    Tree,
    Unary,
    parts,
)
from xlsx_attention.model.values import REF
from xlsx_attention.parsing import literals
from xlsx_attention.parsing.lexer import Token, fault, tokenise
from xlsx_attention.parsing.operators import (
    OPERATOR_CALLS,
    OPTIONAL,
    PERCENT_POWER,
    POWER,
    PREFIX_POWER,
    REFERENCE_OPERATORS,
    REFERENCE_STARTS,
    Frame,
    Operator,
    is_reference,
    sign,
    strip_prefixes,
)
from xlsx_attention.parsing.references import reference, sheet_ref, table_ref

# Source of the limits: Microsoft's page "Excel specifications and limits".
MAX_LENGTH: Final = 8192
MAX_LEVELS: Final = 64
MAX_ARGUMENTS: Final = 255
MAX_OPERANDS: Final = 1024
#: Nested operands of any kind (parentheses, signs, ``A1###``), a chain's left side apart. A limit of ours: Excel has no
#: figure for parentheses, and no formula of a lesson comes near it.
MAX_DEPTH: Final = 192


def parse(text: str, row: int, column: int) -> Tree:
    """The tree of a formula (without ``=``) that stands in a cell; raises ``FormulaSyntaxError``."""
    if len(text) > MAX_LENGTH:
        raise fault(MAX_LENGTH, f"the end of a formula of at most {MAX_LENGTH} characters", text[MAX_LENGTH:])
    tree = _Parser(tokenise(text), row, column).run()
    if len(text) > MAX_DEPTH and _deeper(tree, MAX_DEPTH):
        raise fault(len(text), f"a formula of at most {MAX_DEPTH} nested parts", "more of them")
    return tree


def _deeper(tree: Tree, most: int) -> bool:
    """Whether a tree is deeper than ``most``; the left side of a chain of operators does not count."""
    stack: list[tuple[Tree, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > most:
            return True
        if isinstance(node, Binary):
            stack += ((node.left, depth), (node.right, depth + 1))
        else:
            stack += ((part, depth + 1) for part in parts(node))
    return False


class _Parser:
    __slots__ = ("column", "frames", "index", "levels", "operands", "row", "stack", "tokens")

    def __init__(self, tokens: list[Token], row: int, column: int) -> None:
        self.tokens = tokens
        self.index = 0
        self.row = row
        self.column = column
        self.operands: list[Tree] = []
        self.stack: list[Operator | Frame] = []
        self.frames: list[Frame] = []
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
            tree = literals.number(token)
        elif kind == "name":
            return self.named(token, None)
        elif kind == "string":
            tree = literals.text(token)
        elif kind == "prefix":
            return self.qualified(token)
        elif kind == "operator" and text in PREFIX_POWER:
            top = self.stack[-1] if self.stack else None
            if isinstance(top, Operator) and top.symbol in REFERENCE_OPERATORS:
                raise fault(position, f"a reference after {top.symbol!r}", text)
            self.stack.append(Operator(text, PREFIX_POWER[text], True, position))
            return True
        elif kind == "open":
            self.enter(Frame(None, position))
            return True
        elif kind == "error":
            tree = literals.error(token)
            # `#REF!A1` is what is left of a reference to a sheet that was deleted.
            if tree.kind == REF and self.tokens[self.index].kind in ("cell", "columns", "rows", "name", "error"):
                self.index += 1
        elif kind == "bracket":
            tree = table_ref("", token)
        elif kind == "brace" and text == "{":
            tree, self.index = literals.array(self.tokens, self.index)
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
            if not (isinstance(top, Operator) and top.symbol == ":"):
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
            return self.push(literals.error(token))
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
        if token.text.lower().startswith(OPTIONAL):
            # An optional parameter, as ``[x]`` that a person types.
            return self.push(TableRef("", (), name, None))
        logical = None if sheet else literals.LOGICALS.get(name.upper())
        return self.push(logical or NameRef(name, sheet))

    def call(self, callee: str | Tree, position: int) -> None:
        if not (isinstance(callee, str) and callee in OPERATOR_CALLS):
            self.levels += 1
            if self.levels > MAX_LEVELS:
                raise fault(position, f"at most {MAX_LEVELS} levels of functions", "one more")
        self.enter(Frame(callee, position))

    def enter(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.stack.append(frame)

    def missing(self, token: Token) -> bool:
        """A comma or parenthesis where an operand could be: an argument left out, or no argument at all."""
        frame = self.stack[-1] if self.stack else None
        if not isinstance(frame, Frame) or frame.callee is None:
            raise fault(token.position, "a value, a reference or a function", token.text)
        if token.kind == "comma":
            return self.argument(frame, Missing(), token)
        if frame.args:
            self.argument(frame, Missing(), token)
        return self.close(frame)

    def argument(self, frame: Frame, tree: Tree, token: Token) -> bool:
        frame.args.append(tree)
        if len(frame.args) > MAX_ARGUMENTS:
            raise fault(token.position, f"at most {MAX_ARGUMENTS} arguments", "one more")
        return True

    def operator(self, token: Token) -> bool:
        kind, text, position = token
        self.index += 1
        if kind == "space":
            # Between two references a space is an operator; anywhere else it is nothing.
            if self.tokens[self.index].kind in REFERENCE_STARTS and is_reference(self.operands[-1]):
                return self.binary(" ", position)
            return False
        if kind == "operator":
            if text == "%":
                self.reduce(PERCENT_POWER)
                self.operands.append(Unary("%", self.operands.pop()))
                return False
            if text == "#":
                if not is_reference(self.operands[-1]):
                    raise fault(position, "a reference before #", text)
                self.operands.append(Spill(self.operands.pop()))
                return False
            if text in POWER:
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
        power = POWER[symbol]
        self.reduce(power)
        if symbol in REFERENCE_OPERATORS and not is_reference(self.operands[-1]):
            raise fault(position, f"a reference before {symbol!r}", symbol)
        self.stack.append(Operator(symbol, power, False, position))
        return True

    def reduce(self, power: int) -> Frame | None:
        """Apply every waiting operator that binds at least as tightly; the frame below them, if one is reached."""
        while self.stack:
            top = self.stack[-1]
            if isinstance(top, Frame):
                return top
            if top.power < power:
                return None
            self.stack.pop()
            right = self.operands.pop()
            if top.prefix:
                self.operands.append(Single(right) if top.symbol == "@" else Unary(sign(top.symbol), right))
                continue
            if top.symbol in REFERENCE_OPERATORS and not is_reference(right):
                raise fault(top.position, f"a reference after {top.symbol!r}", top.symbol)
            self.operands.append(Binary(top.symbol, self.operands.pop(), right))
        return None

    def close(self, frame: Frame) -> bool:
        """A call is complete."""
        callee, args = frame.callee, tuple(frame.args)
        assert callee is not None
        tree: Tree
        if isinstance(callee, str):
            wrapper = OPERATOR_CALLS.get(callee)
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
