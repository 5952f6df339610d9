"""A tree written out in brackets, so that a table of expected trees can be read: ``(+ 1 (* 2 3))``."""

from __future__ import annotations

from xlsx_attention.model.formula import (
    Apply,
    ArrayLit,
    Binary,
    Bound,
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
from xlsx_attention.model.values import ERROR_TEXTS


def bracketed(tree: Tree) -> str:
    """Numbers and texts as Python has them; a reference in R1C1 notation with its sheet."""
    match tree:
        case NumberLit(value):
            return f"{value:g}"
        case TextLit(value):
            return repr(value)
        case LogicalLit(value):
            return str(value)
        case ErrorLit(kind):
            return ERROR_TEXTS[kind]
        case Missing():
            return "_"
        case Reference():
            return _reference(tree)
        case NameRef(name, sheet):
            return _sheet(sheet) + f"<{name}>"
        case TableRef(table, items, first, last):
            return f"[{table}|{' '.join(items)}|{first}|{last}]"
        case ArrayLit(rows):
            return "{" + ";".join(",".join(bracketed(item) for item in row) for row in rows) + "}"
        case Unary(op, operand):
            return f"({'pct' if op == '%' else op} {bracketed(operand)})"
        case Binary(op, left, right):
            return f"({'join' if op == ' ' else op} {bracketed(left)} {bracketed(right)})"
        case Call(name, args):
            return f"({' '.join([name, *map(bracketed, args)])})"
        case Apply(callee, args):
            return f"({' '.join(['apply', bracketed(callee), *map(bracketed, args)])})"
        case Spill(operand):
            return f"(spill {bracketed(operand)})"
        case Single(operand):
            return f"(single {bracketed(operand)})"


def _reference(reference: Reference) -> str:
    rows, columns = _axis("R", reference.top, reference.bottom), _axis("C", reference.left, reference.right)
    if reference.extent == "rows":
        assert columns == ("C1", "C16384")
        text = ":".join(rows)
    elif reference.extent == "columns":
        assert rows == ("R1", "R1048576")
        text = ":".join(columns)
    else:
        first, last = (row + column for row, column in zip(rows, columns, strict=True))
        assert reference.is_range or first == last
        text = f"{first}:{last}" if reference.is_range else first
    return _sheet(reference.sheet) + text


def _axis(letter: str, first: Bound, last: Bound) -> tuple[str, str]:
    def text(bound: Bound) -> str:
        if bound.absolute:
            return f"{letter}{bound.index + 1}"
        return f"{letter}[{bound.index}]" if bound.index else letter

    return text(first), text(last)


def _sheet(sheet: SheetRef | None) -> str:
    if sheet is None:
        return ""
    book = "" if sheet.book is None else f"{sheet.book}/"
    return f"{book}{sheet.first}{f'..{sheet.last}' if sheet.last else ''}!"
