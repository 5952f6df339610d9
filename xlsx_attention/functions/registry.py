"""The table of functions and the contract between a row and its body.

The *style* of a function says how its body sees a block of cells:

``numeric``
    ``body(*numbers) -> number | (number, kind)``. Every argument is a float64 array on four axes, already coerced;
    errors never reach the body. A non-finite result becomes ``#NUM!`` by itself; a body that wants another error
    returns a uint8 kind array (0 where the number counts) beside it. Broadcasts over block and array alike.
``scalar``
    ``body(ctx, *values) -> value``. Called once a cell with Python values (float, str, bool or :class:`Scalar`, as the
    parameter's kind asks); gives float, str, bool or Scalar, or raises :class:`ExcelError`. Lifted over arrays.
``reduction``
    ``body(x, keep) -> number | (number, kind)`` with ``x`` float64 (h, w, n): all values of all arguments in reading
    order for each cell of the block, and ``keep`` bool (h, w, n): which of them count. Dropped places hold 0.0. Gives
    (h, w).
``matrix``
    ``body(*arrays) -> Array``. Four-axis arrays, vectorised over the block by the body itself (MMULT, TRANSPOSE,
    SUMPRODUCT).
``array``
    ``body(ctx, *values) -> Matrix | value``. Called once for each cell of the block; ``array`` parameters arrive as
    :class:`Matrix` (2-D), the others as for ``scalar``; lifted over parameters that ask for one value and get an array.
``lazy``
    ``body(ev, *nodes) -> Operand``. Gets the trees themselves and evaluates what it needs (:class:`Evaluator`).
``reference``
    ``body(ev, *operands) -> Operand``. Like ``array``, but sees where its arguments come from (``operand.areas``).

Parameter kinds: ``number text logical any`` ask for one value (implicit intersection in a plain formula); ``numbers``
takes references and values as SUM does (text and logicals in ranges do not count, typed ones do); ``values`` the same
without dropping anything (COUNTA, ...A functions); ``array`` takes a whole array, evaluated as one; ``reference``
takes a reference; ``lazy`` is not evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Tree
from xlsx_attention.model.values import Array, Floats, Kinds, Scalar, TextPool

Style = Literal["numeric", "scalar", "reduction", "matrix", "array", "lazy", "reference"]
ParameterKind = Literal["number", "text", "logical", "any", "numbers", "values", "array", "reference", "lazy"]
Value: TypeAlias = "float | str | bool | Scalar"
#: A body keeps its own type, so that bodies may call one another.
Body = TypeVar("Body", bound=Callable[..., Any])


class ExcelError(Exception):
    """Raised by scalar and array bodies to give an Excel error; ``kind`` as in :mod:`xlsx_attention.model.values`.

    ``number`` goes with it where the kind is "not computed": the index of the reason.
    """

    def __init__(self, kind: int, number: float = 0.0) -> None:
        super().__init__(kind)
        self.kind = kind
        self.number = number


class NeedsCells(Exception):
    """Raised by a vectorised lazy body when a block's cells must run one by one after all (arrays of unlike shapes)."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A two-dimensional value: ``number`` and ``kind`` of the same shape (rows, columns)."""

    number: Floats
    kind: Kinds

    @property
    def shape(self) -> tuple[int, int]:
        return (self.number.shape[0], self.number.shape[1])

    @property
    def size(self) -> int:
        return int(self.number.size)


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle on a sheet, uncut (``A:A`` has 1,048,576 rows)."""

    sheet: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class Lambda:
    """A LAMBDA as a value: names of its parameters, its body, and the variables that it saw."""

    parameters: tuple[str, ...]
    optional: frozenset[str]
    body: Tree
    variables: dict[str, Operand]


@dataclass(frozen=True, slots=True)
class Operand:
    """An evaluated argument: its values, and where they come from if it is a reference.

    ``areas`` is set only while cells run one by one (see ``Function.vectorised``); ``is_reference`` is always right.
    ``missing`` marks an argument left out between commas.
    """

    array: Array
    is_reference: bool = False
    areas: tuple[Area, ...] = ()
    missing: bool = False
    function: Lambda | None = None


class Context(Protocol):
    """What scalar and array bodies may use."""

    texts: TextPool
    date1904: bool

    def scalar(self, number: float, kind: int) -> Scalar: ...

    def charge(self, elements: int) -> None:
        """Announce an array before it is made; raises ``NotComputed`` when the step's element budget is spent."""

    def toil(self, operations: int) -> None:
        """Announce work that is more than looking at each element once, in operations of a nanosecond or two."""


class Evaluator(Context, Protocol):
    """What lazy and reference bodies may use besides."""

    sheet: int
    row: int
    column: int
    rect: Rect
    one_by_one: bool
    sheet_count: int
    has_macros: bool
    variables: dict[str, Operand]

    def evaluate(self, node: Tree, want: Literal["value", "array"] = "array") -> Operand: ...

    def bind(self, variables: dict[str, Operand]) -> Evaluator:
        """The same evaluator with more variables (LET, LAMBDA)."""

    def call(self, function: Lambda, arguments: Iterable[Operand]) -> Operand: ...

    def read(self, areas: tuple[Area, ...]) -> Operand:
        """The values of a reference, cut to the sheet's used range."""

    def parse_reference(self, text: str, a1: bool = True) -> tuple[Area, ...] | None:
        """INDIRECT: a reference or defined name given as text."""

    def formula_text(self, area: Area) -> str | None:
        """FORMULATEXT / ISFORMULA: the stored formula of the top left cell, with ``=``."""

    def sheet_name(self, sheet: int) -> str: ...

    def from_python(self, value: Value | Matrix) -> Operand: ...

    def matrix(self, operand: Operand) -> Matrix:
        """The two-dimensional value of an operand, for this one cell."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: ParameterKind
    optional: bool = False
    default: float | str | bool | None = None
    #: What it is when it is left empty between commas, where that is not the default: ``MATCH(a, b, )`` is type 0.
    blank: float | str | bool | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """One row. ``repeat`` is how many of the last parameters repeat (0 = none)."""

    name: str
    style: Style
    parameters: tuple[Parameter, ...]
    repeat: int
    body: Callable[..., Any]
    volatile: bool
    vectorised: bool

    @property
    def minimum(self) -> int:
        required = [p for p in self.parameters if not p.optional]
        return len(required)

    @property
    def maximum(self) -> int:
        return 255 if self.repeat else len(self.parameters)

    def parameter(self, position: int) -> Parameter:
        """The parameter that takes argument ``position`` (repeating ones go round)."""
        if position < len(self.parameters):
            return self.parameters[position]
        first = len(self.parameters) - self.repeat
        return self.parameters[first + (position - first) % self.repeat]


FUNCTIONS: Final[dict[str, Function]] = {}

_PARAMETER = re.compile(r"(\w+):(\w+)(\?)?(?:=([^/\s]+)(?:/(\S+))?)?")
_VECTORISED: Final = frozenset({"numeric", "scalar", "reduction", "matrix"})


def _default(text: str | None) -> float | str | bool | None:
    if text is None:
        return None
    if text in ("TRUE", "FALSE"):
        return text == "TRUE"
    return text.strip("'") if text.startswith("'") else float(text)


def function(
    names: str, parameters: str, style: Style, *, volatile: bool = False, vectorised: bool | None = None
) -> Callable[[Body], Body]:
    """Enter a body in the table under one or more names.

    ``parameters`` reads ``"number:number digits:number=0"``: name, kind, ``?`` or ``=default`` when it may be left
    out (``=default/blank`` where it is something else when left empty between commas); a
    trailing ``...`` repeats the last parameter, ``...2`` the last two. ``vectorised`` overrides what the style says.
    """
    words = parameters.split()
    repeat = 0
    if words and words[-1].startswith("..."):
        repeat = int(words.pop()[3:] or 1)
    row = []
    for word in words:
        match = _PARAMETER.fullmatch(word)
        if match is None:
            raise ValueError(f"{names}: cannot read the parameter {word!r}")
        name, kind, optional, default, blank = match.groups()
        maybe = bool(optional) or default is not None
        row.append(Parameter(name, kind, maybe, _default(default), _default(blank)))  # type: ignore[arg-type]

    def enter(body: Body) -> Body:
        for name in names.split():
            whole_blocks = style in _VECTORISED if vectorised is None else vectorised
            FUNCTIONS[name] = Function(name, style, tuple(row), repeat, body, volatile, whole_blocks)
        return body

    return enter


def libm(body: Callable[[float], float], x: Floats) -> Floats:
    """``body`` of Python's :mod:`math` over an array: the C library's own bits, which NumPy's vector loops do not keep.

    The caller keeps arguments out of ``x`` that the C library refuses.
    """
    x = np.asarray(x, np.float64)
    return np.fromiter(map(body, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def safely(body: Callable[[float], float], x: Floats, legal: np.ndarray[Any, Any], dummy: float) -> Floats:
    """:func:`libm` where ``legal``; NaN (which becomes ``#NUM!``) elsewhere. ``dummy`` is any legal argument."""
    if legal.all():
        return libm(body, x)
    return np.where(legal, libm(body, np.where(legal, x, dummy)), np.nan)
