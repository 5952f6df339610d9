"""What stands for itself in a formula: numbers, texts, logicals, errors, and array constants of these."""

from __future__ import annotations

import math
from typing import Final

from xlsx_attention.model.formula import ArrayLit, ErrorLit, LogicalLit, NumberLit, TextLit
from xlsx_attention.model.values import ERROR_CODES
from xlsx_attention.parsing.lexer import Token, fault

LOGICALS: Final = {"TRUE": LogicalLit(True), "FALSE": LogicalLit(False)}


def number(token: Token) -> NumberLit:
    value = float(token.text)
    if math.isinf(value):
        raise fault(token.position, "a number below 1E+308", token.text)
    return NumberLit(value)


def text(token: Token) -> TextLit:
    return TextLit(token.text[1:-1].replace('""', '"'))


def error(token: Token) -> ErrorLit:
    return ErrorLit(ERROR_CODES[token.text.upper()])


def array(tokens: list[Token], index: int) -> tuple[ArrayLit, int]:
    """From the token after ``{``: the rows, all equally long, and the index after ``}``."""
    rows: list[list[NumberLit | TextLit | LogicalLit | ErrorLit]] = [[]]
    while True:
        item, index = _element(tokens, index)
        rows[-1].append(item)
        token, index = _solid(tokens, index)
        if token.kind == "semicolon":
            rows.append([])
        elif token.text == "}":
            if len({len(row) for row in rows}) > 1:
                raise fault(token.position, "rows of one length in the array constant", token.text)
            return ArrayLit(tuple(tuple(row) for row in rows)), index
        elif token.kind != "comma":
            raise fault(token.position, "one of , ; } in the array constant", token.text)


def _element(tokens: list[Token], index: int) -> tuple[NumberLit | TextLit | LogicalLit | ErrorLit, int]:
    token, index = _solid(tokens, index)
    if token.text in ("-", "+"):
        sign = token.text
        token, index = _solid(tokens, index)
        if token.kind != "number":
            raise fault(token.position, "a number after the sign", token.text)
        value = number(token)
        return (NumberLit(-value.value) if sign == "-" else value), index
    if token.kind == "number":
        return number(token), index
    if token.kind == "string":
        return text(token), index
    if token.kind == "error":
        return error(token), index
    if token.kind == "name" and token.text.upper() in LOGICALS:
        return LOGICALS[token.text.upper()], index
    raise fault(token.position, "a number, text, logical or error in the array constant", token.text)


def _solid(tokens: list[Token], index: int) -> tuple[Token, int]:
    """The next token that is no white space, and the index after it; the end stays."""
    if tokens[index].kind == "space":
        index += 1
    token = tokens[index]
    return token, index if token.kind == "end" else index + 1
