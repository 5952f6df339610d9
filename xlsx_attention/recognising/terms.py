"""What one cell computes, as an expression over other cells, whatever notation its formula uses.

``MMULT``, ``SUMPRODUCT``, ``SUM`` of products and sums written out all become a :class:`Sum` of :class:`Product`; a
copy, a transpose or a reference to a spill becomes the :class:`Cell` that it shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp
from typing import Final, TypeAlias

from xlsx_attention.model.address import Rect

ROW_BITS: Final = 14
SHEET_BITS: Final = 34
#: Functions that only shorten a number: recognition sees through them.
ROUNDINGS: Final = frozenset({"ROUND", "ROUNDUP", "ROUNDDOWN", "TRUNC"})


def pack(sheet: int, row: int, column: int) -> int:
    """A cell as one whole number, ordered as a workbook is read."""
    return sheet << SHEET_BITS | row << ROW_BITS | column


def unpack(cell: int) -> tuple[int, int, int]:
    """``(sheet, row, column)``."""
    return cell >> SHEET_BITS, cell >> ROW_BITS & (1 << SHEET_BITS - ROW_BITS) - 1, cell & (1 << ROW_BITS) - 1


def cells_of(sheet: int, rect: Rect) -> list[int]:
    return [pack(sheet, row, column) for row, column in rect.cells()]


@dataclass(frozen=True, slots=True)
class Cell:
    id: int


@dataclass(frozen=True, slots=True)
class Num:
    value: float


@dataclass(frozen=True, slots=True)
class Sum:
    terms: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Product:
    factors: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Inverse:
    of: Expr


@dataclass(frozen=True, slots=True)
class Exp:
    of: Expr


@dataclass(frozen=True, slots=True)
class Power:
    base: Expr
    exponent: Expr


@dataclass(frozen=True, slots=True)
class Max:
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True, slots=True)
class Func:
    """Any other function: its name in capitals and all single values that it is given."""

    name: str
    args: tuple[Expr, ...]


Expr: TypeAlias = Cell | Num | Sum | Product | Inverse | Exp | Power | Max | If | Func


def total(parts: Iterable[Expr]) -> Expr:
    """A sum; sums inside sums are flattened."""
    flat: list[Expr] = []
    for part in parts:
        if isinstance(part, Sum):
            flat += part.terms
        else:
            flat.append(part)
    return flat[0] if len(flat) == 1 else Sum(tuple(flat))


def times(*parts: Expr) -> Expr:
    """A product; products inside products are flattened, numbers multiplied."""
    if len(parts) == 2 and type(parts[0]) is Cell and type(parts[1]) is Cell:
        return Product(parts)
    number = 1.0
    flat: list[Expr] = []
    for part in parts:
        for factor in part.factors if isinstance(part, Product) else (part,):
            if isinstance(factor, Num):
                number *= factor.value
            else:
                flat.append(factor)
    if number != 1.0 or not flat:
        flat.append(Num(number))
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def inverse(of: Expr) -> Expr:
    if isinstance(of, Num) and of.value:
        return Num(1.0 / of.value)
    if isinstance(of, Inverse):
        return of.of
    if isinstance(of, Product):
        return times(*map(inverse, of.factors))
    return Inverse(of)


def power(base: Expr, exponent: Expr) -> Expr:
    """``e^x`` is :class:`Exp`, ``x^-1`` an inverse; roots stay powers, also of numbers: √3 can be said as such."""
    if isinstance(base, Num) and not isinstance(exponent, Num) and abs(base.value - exp(1.0)) < 1e-3:
        return Exp(exponent)
    if isinstance(exponent, Num):
        if exponent.value == 1.0:
            return base
        if exponent.value < 0:
            return inverse(power(base, Num(-exponent.value)))
        if isinstance(base, Num) and exponent.value != 0.5 and (number := number_of(Power(base, exponent))) is not None:
            return Num(number)
    if isinstance(base, Exp) and isinstance(base.of, Num) and base.of.value == 1.0:
        return Exp(exponent)
    return Power(base, exponent)


def number_of(of: Expr) -> float | None:
    """A number, or a power of numbers, as a number."""
    if isinstance(of, Num):
        return of.value
    if isinstance(of, Power) and isinstance(of.base, Num) and isinstance(of.exponent, Num):
        try:
            value = of.base.value**of.exponent.value
        except (OverflowError, ZeroDivisionError):
            return None
        return None if isinstance(value, complex) else float(value)
    return None


def root(of: Expr) -> Expr:
    return Power(of, Num(0.5))


@dataclass(frozen=True, slots=True)
class Term:
    """``number`` times the product of ``factors``, over the product of ``divisors``."""

    number: float
    factors: tuple[Expr, ...]
    divisors: tuple[Expr, ...] = ()


def terms(of: Expr) -> list[Term]:
    """An expression as a sum of products; a sum inside a product stays one factor."""
    if isinstance(of, Sum):
        return [term for part in of.terms for term in terms(part)]
    if isinstance(of, Num):
        return [Term(of.value, ())]
    number = 1.0
    factors: list[Expr] = []
    divisors: list[Expr] = []
    for factor in of.factors if isinstance(of, Product) else (of,):
        if isinstance(factor, Num):
            number *= factor.value
        elif isinstance(factor, Inverse):
            divisors.append(factor.of)
        else:
            factors.append(factor)
    if len(factors) == 1 and isinstance(factors[0], Sum) and not divisors and number in (1.0, -1.0):
        inner = terms(factors[0])
        return [Term(number * term.number, term.factors, term.divisors) for term in inner]
    return [Term(number, tuple(factors), tuple(divisors))]


def pairs_of(of: Expr) -> tuple[list[int], list[int]] | None:
    """The two vectors of a plain sum of products of two cells, which most large sums are."""
    if type(of) is not Sum:
        return None
    left: list[int] = []
    right: list[int] = []
    for part in of.terms:
        if type(part) is not Product or len(part.factors) != 2:
            return None
        a, b = part.factors
        if type(a) is not Cell or type(b) is not Cell:
            return None
        left.append(a.id)
        right.append(b.id)
    return left, right


def leaves(of: Expr) -> list[int]:
    """Every cell in an expression, in order of appearance, repeats included."""
    found: list[int] = []
    stack: list[Expr] = [of]
    while stack:
        node = stack.pop()
        if isinstance(node, Cell):
            found.append(node.id)
        elif isinstance(node, Sum):
            stack += reversed(node.terms)
        elif isinstance(node, Product):
            stack += reversed(node.factors)
        elif isinstance(node, (Inverse, Exp)):
            stack.append(node.of)
        elif isinstance(node, Power):
            stack += (node.exponent, node.base)
        elif isinstance(node, Max):
            stack += reversed(node.items)
        elif isinstance(node, If):
            stack += (node.no, node.yes, node.condition)
        elif isinstance(node, Func):
            stack += reversed(node.args)
    return found
